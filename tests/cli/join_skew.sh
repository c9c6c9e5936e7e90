#!/bin/bash
# SPDX-License-Identifier: MIT
# A key that every line has: memory stays within bounds, with the lines of the key in
# memory and in a file; so it does with keys longer than the memory for them. A signal and
# a reader that goes away end it at once, and nothing stays behind.
. "$GS_CLI/peak.inc"
awk 'BEGIN { for (i = 0; i < 10000; i++) print "k left" i }' >l
awk 'BEGIN { for (i = 0; i < 10000; i++) print "k right" i }' >r
[ -n "$GS_TEST_LONG" ] || { head -n 1000 l >few && mv few l; }
peak 65 gpusort join -S 1M l r
gpusort join -S 1M l r | cksum
join l r | cksum
# Right lines that the memory for one key does not hold.
awk 'BEGIN { x = sprintf("%0900d", 7); for (i = 0; i < 6000; i++) print "k " i x }' >wide
printf 'k one\nk two\nj\n' >two
OUT=got peak 69 gpusort join -S 5M --stats=s -a 1 two wide
join <(sort two) wide | cmp - <(sed 1d got)
head -n 1 got
OUT=got peak 69 gpusort join -S 5M -o 2.1,1.2 -v 2 wide two
wc -c got
: >empty
OUT=got peak 69 gpusort join -S 5M -v 1 wide empty
sort -s -k1,1 wide | cmp - got
# Keys of 3 MB.
for i in 3 1 2 2; do printf '%s%d x\n' "$(head -c 3000000 /dev/zero | tr '\0' k)" $i; done >keys
gpusort join -S 1M keys keys | cksum
sort -s -k 1,1 keys >sorted
join sorted sorted | cksum
# The reader of a pipe goes away; the disk is full; a signal.
mkdir tmp
gpusort join -T tmp -S 1M r r | head -n 1
echo "${PIPESTATUS[0]}"
gpusort join -T tmp -S 1M l r 2>&1 >/dev/full
env --default-signal gpusort join -T tmp -S 1M --output=out wide wide &
sleep 1
kill -INT $!
wait $!
echo "exit $?, left: $(ls -A tmp)$(ls -A | grep -c gpusort-)"
ls out 2>&1
