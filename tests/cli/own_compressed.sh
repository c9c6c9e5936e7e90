#!/bin/bash
# SPDX-License-Identifier: MIT
# Many compressed inputs, decoded at once: what is sorted is what they hold, and where the
# order of equal lines shows, it is that of the files.
command -v zstd >/dev/null || exit 77
level=-19
for i in 1 2 3 4 5 6 7; do
    gpusort gen lines --bytes=1M --seed=$i -o l$i
    seq 60000 | awk -v i=$i '{ printf "%d %d.%d\n", $1 * 7 % 50, i, $1 }' >k$i
    if [ $((i % 2)) = 0 ]; then gzip -c l$i >l$i.z; zstd -q k$i -o k$i.z
    else zstd -q $level l$i -o l$i.z; gzip -c k$i >k$i.z; fi
    [ -n "${GS_TEST_LONG:-}" ] || level=-3
done
gzip -c </dev/null >l4.z && : >l4
printf 'head\n' | gzip -c >head.z
same() { cmp "$1" "$2" && echo "same: $3"; }
cat l[1-7] | gpusort -o want
cat k[1-7] | sort -s -n -k1,1 >stable
cat k[1-7] | sort -u -n -k1,1 >unique
for how in '-S 4M --parallel=1' '-S 4M --parallel=5' '-S 1G --parallel=2'; do
    gpusort $how -o got l[1-7].z && same got want "lines $how"
    gpusort $how -o got l1.z l2.z l3 l4.z l5.z l6 l7.z && same got want "mixed $how"
    gpusort $how -s -n -k1,1 -o got k[1-7].z && same got stable "stable $how"
    gpusort $how -u -n -k1,1 -o got k[1-7].z && same got unique "unique $how"
    gpusort $how --header -o got head.z l[1-7].z
    same <(tail -n +2 got) want "header $how, $(head -n 1 got)"
done
head -c 70000 l6.z >cut.z
gpusort -o got l1.z l2.z cut.z l7.z 2>&1 | grep -o "cut.z: damaged gzip data (cut off)"
echo "exit ${PIPESTATUS[0]}"
gpusort -o got l1.z l2.z not-there.z 2>&1
echo "exit ${PIPESTATUS[0]}"
# A level that would take more memory than there is takes what there is.
. "$GS_CLI/peak.inc"
awk 'BEGIN { for (i = 0; i < 800000; i++) print "line number " i * 7919 % 5 " of these is so long" }' >five
for how in '-S 8M --parallel=1' '-S 24M --parallel=16'; do
    limit=${how#-S }
    OUT=five.zst peak $((${limit%%M*} + 64)) gpusort $how --output-compress=zstd:22 five
    zstd -dc five.zst | cmp - <(LC_ALL=C sort five) && echo "level 22, $how"
done
