#!/bin/bash
# SPDX-License-Identifier: MIT
# partition: parts of one input and of several are what a sort of all writes, in any order.
. "$GS_CLI/try.inc"
seq 1 30 | sed 's/.*/& &/' >in
printf 'c\nf\n' >cuts
printf '5\n5\n5\n' >fives
: >empty
yes 5 | head -n 10 >same
printf 'a\nc\nb\n' >disorder
printf 'n,t\n3,"a\nb"\n1,"c,d"\n2,e\n' >t.csv
printf '2,"x\ny"\n' >t.cut
printf '{"n":3}\n{"n":1}\n{"n":2}\n' >rows
printf 'aabccbbaab' >records
show() { head -n 100 -- "$@" | sed 's/^==> \(.*\) <==$/\1:/'; rm -f -- "$@"; }
try_lines <<'LINES'
printf 'f\nb\nc\nz\nf\na' | gpusort partition --splitters=cuts -o p; show p.*
printf 'f\nb\nc\nz\nf\na' | gpusort partition --splitters=cuts -o p -r; show p.*
printf 'f\nc\n' | gpusort partition --splitters=- -o p -r disorder; show p.*
gpusort partition --splitters=fives -v -o p same 2>&1 | grep ': part '; show p.*
gpusort partition --splitters=fives -u -o p same; show p.*
gpusort partition --splitters=fives -s -k1,1n -o p same; show p.*
gpusort partition --splitters=cuts --stats -o p same 2>&1 | grep part; rm p.*
gpusort partition --splitters=empty -v -o p same 2>&1 | grep ': part '; ls p.*; rm p.*
gpusort partition --splitters=empty --parts=3 -v -o p same 2>&1 | grep ': part '; rm p.*
gpusort partition --splitters=cuts -o p empty; show p.*
mkdir folder; gpusort partition --splitters=cuts -o folder/ cuts; ls folder
gpusort partition --splitters=t.cut --csv -k n:n -o p t.csv; show p.*
gpusort partition --splitters=t.cut --csv -s -k n:nr -o p t.csv t.csv; show p.*
gpusort partition --splitters=<(echo '{"n":2}') --jsonl-key=.n:n -o p rows; show p.*
gpusort partition --splitters=<(printf ccc) --record-size=3 --key-bytes=0:1 -o p <(head -c 9 records); od -c p.0001; rm p.*
gpusort partition --splitters=cuts --header=1 -o p disorder; show p.*
gpusort partition --splitters=cuts -m -o p cuts cuts; show p.*
gpusort partition --splitters=cuts -m --verify -o p disorder; ls p.*
printf 'a\nc\nzz\nc\nb\nc\n' >between; gpusort partition -m --splitters=<(printf 'c\nc\n') -o p between; ls p.*
printf 'a\nc\nz\nc\nb\nc\n' >between; gpusort partition -m --splitters=<(printf 'c\nc\n') -o p between; ls p.*
gpusort sample --splitters=18446744073709551615 in
gpusort partition --splitters=disorder -o p in
gpusort partition --splitters=disorder -r -o p in
gpusort partition --splitters=nofile -o p in
gpusort partition --splitters=. -o p in
gpusort partition --splitters=<(echo x) --jsonl-key=.n:n -o p rows
gpusort partition --splitters=<(echo 'a"b') --csv -o p t.csv
gpusort partition --splitters=<(echo abcd) --record-size=3 -o p records
gpusort partition --splitters=cuts --parts=4 -o p in
gpusort partition --splitters=empty --parts=2M -o p in
gpusort partition --splitters=cuts --parts=0 -o p in
gpusort partition --splitters=cuts --parts=x -o p in
gpusort partition --splitters=cuts in
gpusort partition -o p in
gpusort partition --splitters
gpusort partition --splitters=cuts -c in
gpusort partition --splitters=cuts --top=3 -o p in
gpusort partition --splitters=cuts --count -o p in
gpusort partition --splitters=cuts --output-compress=zstd -o p in
gpusort partition --splitters=- -o p -
gpusort partition --splitters=cuts -o no/p in
gpusort partition --splitters=cuts -o p nofile
gpusort partition --splitters=cuts -k1,1x -o p in
(ulimit -n 70; gpusort partition --splitters=<(seq -w 99) -o p in) 2>&1 | sed 's/not [0-9]*/not N/'
ls p.*
LINES
# What is there stays until all is complete; the last part cannot be had.
echo old >p.0000
mkdir p.0002
try 'gpusort partition --splitters=cuts -o p in; cat p.0000'
rm -r p.*

# The whole way: splitters of all inputs, each partitioned apart, parts of one number merged.
sorted_by_parts() { # NAME PARTS FILES [OPTION]...
    local name=$1 parts=$2 files=$3 i file
    shift 3
    local sampled=()
    for option in "$@"; do [ "$option" = -u ] || sampled+=("$option"); done
    gpusort sample --splitters="$parts" "${sampled[@]}" $files -o "$name.cuts"
    for file in $files; do
        gpusort partition --splitters="$name.cuts" --parts="$parts" "$@" -S 2M --parallel=2 \
            -o "$name.$file" "$file" || echo "$name: partition $file: exit $?"
        cat "$name.$file".* | cmp - <(gpusort sort "$@" "$file")
    done
    for ((i = 0; i < parts; i++)); do
        gpusort sort -m "$@" $(printf "$name.%s.$(printf %04d $i)\n" $files) || echo "$name: merge $i: exit $?"
    done | cmp - <(gpusort sort "$@" $files) || echo "$name: parts 0 to $((parts - 1)) of $files $*"
    rm "$name".*
}
gpusort gen lines -n 40000 --dist=zipf -o a
gpusort gen lines -n 30000 --seed=2 -o b
seq 1 20000 | awk '{ print $1 % 7, $1 * 7919 % 101, $1 }' >c
seq 1 20000 | awk '{ print $1 % 7, $1 * 104729 % 101, "x" $1 }' >d
yes 'the same' | head -n 5000 >e
sorted_by_parts lines 7 'a b c empty'
sorted_by_parts reversed 5 'a c' -r
sorted_by_parts folded 6 'a b' -f
sorted_by_parts keys 16 'c d' -k1,1n -k2,2nr
sorted_by_parts stable 9 'd c empty d' -s -k1,1n
sorted_by_parts stable_same 4 'e e' -s
sorted_by_parts unique 5 'a a c' -u
sorted_by_parts unique_keys 9 'd empty c' -u -k2,2n
sorted_by_parts few_keys 32 'c d' -s -r -k1,1
sorted_by_parts same 8 'e e e'
sorted_by_parts same_unique 8 'e e' -u
sorted_by_parts nothing 3 'empty empty'
sorted_by_parts one 1 'c d'
LC_ALL=C sort -s -k1,1n c d | cmp - <(gpusort sort -s -k1,1n c d)
# Tables have their header in each part; merged, once.
{ echo 'k,v,w' && tr ' ' , <c; } >c.csv
{ echo 'k,v,w' && sed 's/ /,"\n",/; s/ .*//' d; } >d.csv
gpusort sample --splitters=6 --csv -k v c.csv d.csv -o t.cuts
for f in c d; do gpusort partition --splitters=t.cuts --csv -s -k v -S 2M -o t.$f $f.csv; done
for i in 0 1 2 3 4 5; do gpusort sort -m --csv -s -k v t.c.000$i t.d.000$i -o all.$i; done
gpusort sort -m --csv -s -k v all.* | cmp - <(gpusort sort --csv -s -k v c.csv d.csv)
# Records that are the same fill no part alone, and a part more than two shares only if its
# keys are the same.
gpusort sample --splitters=8 e -o e.cuts
gpusort partition --splitters=e.cuts -o e.p e && wc -l e.p.* | awk '{ print $1 }' | uniq -c
# Many parts of many files are merged with few descriptors.
for f in a b c d e; do gpusort partition --splitters=<(gpusort sample --splitters=64 a) -o many.$f $f; done
(ulimit -n 24 && gpusort sort -m many.*) | cmp - <(gpusort sort a b c d e)
gpusort sort -m --batch-size=3 many.* | cmp - <(gpusort sort a b c d e)
# A pipe in place of a part gets what the part would have.
mkfifo f.0001
cat f.0001 >from_pipe & gpusort partition --splitters=cuts -o f disorder; wait; cat from_pipe
# More than memory holds.
gpusort gen lines --bytes=12M -o large
gpusort sample --splitters=5 large -o large.cuts
cat large | gpusort partition --splitters=large.cuts -S 3M -o large.p --stats=stats
cat large.p.* | cmp - <(gpusort sort large)
[ "$(sed -n 's/^  "runs": \([0-9]*\),$/\1/p' stats)" -gt 1 ] || echo 'nothing was spilled'
. "$GS_CLI/peak.inc"
gpusort gen lines --bytes=72M -o larger
peak 67 gpusort partition --splitters=large.cuts -S 3M -o larger.p larger
peak 67 gpusort sample -n 2000 -S 3M larger
