#!/bin/bash
# SPDX-License-Identifier: MIT
# Joins of numbers: what the options mean, and what is said to keys that are none. Memory
# stays within bounds where all lines of both files match and the right ones are in a
# file; an interrupted one leaves nothing, and a file that changes meanwhile is an error.
. "$GS_CLI/try.inc"
. "$GS_CLI/peak.inc"
printf '1 a\n5 b\n-2.5 c\n5.0 d\n0.3 e\n' >l
printf 'x 2\ny 4\nz 6\nw 0.1\nq 1e2\n' >r
printf 'k n\n2 a\n' >h1
printf 'm key\nb 3\n' >h2
printf 'm key\n7 3\n3 7\n' >h3
printf '1 a\n\n7 b\nx c\n' >bad
printf '5\nabc\0006\0' >nuls
printf '1253\n15\n' >fives
: >empty
try_lines <<'end'
gpusort join --band=-1:1 -2 2 l r
gpusort join --band=-.2:-0.2 -2 2 l r
gpusort join --band=3: -2 2 l r
gpusort join --band :-3 -2 2 l r
gpusort join --lt -2 2 l r | wc -l
gpusort join --le l l | wc -l
gpusort join --gt l l | wc -l
gpusort join --ge l l | wc -l
gpusort join --band=0:0 -a 1 -a 2 -e - -2 2 l r
gpusort join --band=-1:1 -a 1 -a 2 -e - -o auto -2 2 l r
gpusort join --band=-1:1 -v 1 -v 2 -2 2 l r
gpusort join --band=-1:1 -o 2.2,0,1.2,2.1 -2 2 l r
gpusort join --lt --semi -2 2 l r
gpusort join --band=97: --anti -2 2 l r
gpusort join --header --band=0:1 -2 2 h1 h2
gpusort join --header --band=0:0 -1 key -2 key h3 h3
gpusort join --header --band=0:1 -2 2 -o auto -e - h1 empty
gpusort join --lt -a 1 empty empty
gpusort join --lt -a 1 l empty | wc -l
gpusort join --lt -v 2 empty l
gpusort join --le - -2 2 r <l | wc -l
gpusort join --lt l bad
gpusort join --lt bad l
gpusort join --header --lt -2 2 bad r
gpusort join --header --lt -1 2 r bad
gpusort join --skip-bad --lt bad bad
gpusort join --skip-bad --ge -v 1 -v 2 bad bad
gpusort join --lt --le l r
gpusort join --lt --band=1:2 l r
gpusort join --band=1 l r
gpusort join --band=1:x l r
gpusort join --band=y:1 l r
gpusort join --band=2:1 l r
gpusort join --band=9223372036854775808: l r
gpusort join --lt -i l r
gpusort join --skip-bad l r
gpusort join --lt -2 2 l r >/dev/full
gpusort join -z -t '' --band=0:1 nuls nuls
gpusort join -z -t '' --band=0:1 --skip-bad nuls nuls | tr '\0' '!'
gpusort join -t 5 --band=0:0 fives fives
end
# 10000 lines of 3900 bytes on the right, of which memory holds some.
awk 'BEGIN { x = sprintf("%03900d", 7); for (i = 0; i < 10000; i++) print i % 100, i, x }' >wide
seq 0 100 >numbers
for memory in 1M 1G; do
    OUT=got.$memory peak $([ $memory = 1G ] && echo 1100 || echo 65) \
        gpusort join -S $memory --stats=s --band=0:0 -o 1.1,2.2,2.3 numbers wide
    python3 -c 'import json; s = json.load(open("s")); print(s["spill_bytes"] > 0)'
    gpusort join -S $memory --band=0:0 -v 2 -o 2.2 numbers wide
    gpusort join -S $memory --band=50: -v 2 -o 2.2 numbers wide | cksum
done
sort -s -n -k 1,1 wide | cmp - got.1M && cmp got.1M got.1G
awk '$1 < 50 { print $1, $2 }' wide | sort -s -n -k 1,1 | cut -d ' ' -f 2 | cksum
# A million pairs of them, and 50 million.
cut -d ' ' -f 1,2 wide >narrow
OUT=pairs peak 65 gpusort join -S 1M --band=0:0 -o 1.2,2.2 narrow wide
wc -l <pairs
[ -z "$GS_TEST_LONG" ] || peak 65 gpusort join -S 1M --le narrow narrow
# Of these no line has a partner: none of either file is sorted, if the first may be looked
# at before. What is looked at twice must not change in between, in joins of equal keys too.
seq 10 10 3000000 >tens
seq 15 10 3000005 >fives
for first in tens -; do
    gpusort join -S 8M --stats=s --band=0:0 $first fives <tens
    python3 -c 'import json; print(json.load(open("s"))["spill_bytes"] > 0)'
done
size=$(stat -c %s tens)
(until [ -e enough ]; do echo 1; done >>tens) &
until [ "$(stat -c %s tens)" -gt "$size" ]; do sleep 0.01; done # it writes by now
# It is seen before or while the file is read, as it happens; on a busy machine a whole
# join may run in between two writes.
join_changed() {
    local try code
    for try in $(seq 100); do
        gpusort join --output=got "$@" 2>message
        code=$?
        [ $code = 0 ] || break
    done
    sed -e "s/read failed: tens: it was changed/'tens' was changed/" \
        -e "s/tens: somebody is writing to it/'tens' was changed while it was read/" message
    echo "exit $code"
}
join_changed --band=0:0 tens fives
join_changed fives tens
touch enough
wait
mkdir tmp
env --default-signal gpusort join -T tmp -S 1M --output=out --le wide wide &
sleep 1
kill -INT $!
wait $!
echo "exit $?, left: $(ls -A tmp)$(ls -A | grep -c gpusort-)"
ls out 2>&1
