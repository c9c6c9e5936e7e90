#!/bin/bash
# SPDX-License-Identifier: MIT
# Band joins of files that stay where they were read, while their numbers are sorted apart:
# what comes out is what comes of the same file as a pipe, which is sorted with its lines.
# So it is where that turns out not to be for a file when some of it has been read.
. "$GS_CLI/try.inc"
. "$GS_CLI/peak.inc"
apart='numbers are sorted apart'
# The same lines both ways, and which way the files went.
both() {
    rm -f files pipe
    gpusort join --verbose --output=files "$@" 2>said
    echo "exit $?, apart: $(grep -c "$apart" said)"
    grep -v "$apart\|temporary\|memory" said | sed 's/^[^:]*: //'
    gpusort join --output=pipe "${@:1:$#-2}" - "${@: -1}" <"${@: -2:1}" 2>/dev/null
    [ ! -e files ] || { cmp files pipe && cksum <files; }
}
numbers() {
    awk -v seed="$1" -v lines="$2" -v unit="$3" -v from="$4" 'BEGIN {
        srand(seed)
        for (i = 0; i < lines; i++)
            printf "%s,%d,%0*d\n", from + int(rand() * 200000) / unit, i, i % 40, i
    }'
}
numbers 1 60000 1 -100000 >left
numbers 2 50000 1 -100000 >right
numbers 3 60000 100 0 >cents
numbers 4 300 1 -100000 >some
echo '# pairs as they are, mapped or copied'
both -t, --band=-3:2 left right
both -t, --band=-3.9:2.1 left right
head -c -1 left >unended
both -t, --band=-1:1 unended right
both -t, --band=-1:1 some right
both -t, --band=-1:1 right some
both -t, --band=-1:1 some some
both -t, --band=0.2:0.8 left right
both -t, --band=-40:40 right some
both -t, --band=-2000:2000 some right
both -t, --lt some some
echo '# shown in another way'
both -t, --band=-3:2 -o 2.2,0,1.3 left right
both -t, --band=-1:0 -a 1 -a 2 left right
both -t, --band=-1:1 --semi left right
both -t, --band=-1:1 -v 2 left right
both -t, --band=-3:3 -1 2 -2 2 left right
(echo k,n,t && cat left) >named
(echo k,m,t && cat right) >naming
both -t, --header --band=-2:0 named naming
both -t, --header --band=-2:0 -1 n -2 m named naming
echo '# numbers with decimals, and finer ones later'
both -t, --band=-0.05:0.04 cents right
both -t, --band=-0.05:0.04 left cents
(cat cents && echo 1500.0625,x,) >finer
both -t, --band=-0.07:0.07 finer cents
(cat cents && echo 1500.000000000000000001,x,) >finest
both -t, --band=-0.07:0.07 finest cents
echo '# lines that are left out'
sed 's/^-5/x/' left >bad
both -t, --band=-1:1 --skip-bad bad right
both -t, --band=-1:1 bad right
echo '# equal numbers, and keys that are not for 64 bits'
awk '{ print int(NR / 500) ",y" NR }' left >steps
awk '{ print NR % 120 ",z" NR }' some >hundred
both -t, --band=0:0 steps hundred
both -t, --band=0:0 hundred steps
(cat left && echo 9000000000000000000,far,) >far
both -t, --band=-1:1 far right
: >none
both -t, --band=0:0 none right
both -t, --band=0:0 left none
(cat right && head -c 17000000 /dev/zero | tr '\0' 1 | sed 's/^/70000,/') >long
both -t, --band=0:0 some long
echo '# memory that just holds the files and their numbers, and what holds no longer the lines shown'
awk 'BEGIN { srand(1); for (i = 0; i < 1000000; i++) printf "%d\n", int(rand() * 900000) }' >left
awk 'BEGIN { srand(2); for (i = 0; i < 900000; i++) printf "%d\n", int(rand() * 900000) }' >right
for size in 61 55; do
    for format in '' '-o 2.1,2.1,2.1,2.1,2.1,2.1'; do
        # shellcheck disable=SC2086 # several words
        OUT=got peak $((size == 61 ? 61 + 16 : 55 + 30)) gpusort join --verbose --parallel=2 \
            -S ${size}M --band=0:0 $format left right 2>said
        echo "-S ${size}M, apart: $(grep -c "$apart" said), $(cksum <got)"
    done
done
