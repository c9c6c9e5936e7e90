#!/bin/bash
# SPDX-License-Identifier: MIT
# An output in memory whose pages are filled by many threads: the same bytes, whatever the
# name stands for; a disk that is too full, a file that may grow no more and a signal in the
# middle are what they are with writes, and leave what was there.
. "$GS_CLI/try.inc"
[ "$(id -u)" = 0 ] || exit 77
mkdir disk tmp
mount -t tmpfs -o size=96m tmpfs disk 2>/dev/null || exit 77
trap 'umount disk' EXIT
export TMPDIR=$PWD/tmp
gpusort gen lines --bytes=20000000 -o input
gpusort input -o want
check() {
    "$@" 2>err
    echo "exit $?: $(head -n 1 err)"
}
# Are pages filled? Then there are no writes of megabytes.
if command -v strace >/dev/null; then
    strace -f -e trace=pwrite64,madvise -o calls gpusort --parallel=8 input -o disk/out
    [ "$(grep -c 'pwrite64' calls)" = 0 ] || echo "it writes"
    grep -q 'madvise(.*, \(0x17\|MADV_POPULATE_WRITE\)' calls || echo "it takes no pages"
else
    gpusort --parallel=8 input -o disk/out
fi
cmp want disk/out
echo "of its own name, in place, unique, with keys, spilled:"
cp input disk/both
check gpusort --parallel=8 disk/both -o disk/both
cmp want disk/both
rm disk/both
ln disk/out disk/second
check gpusort --parallel=8 -r input -o disk/second
cmp <(gpusort -r input) disk/out
rm disk/second
check gpusort --parallel=8 -u input -o disk/out
cmp <(gpusort -u input) disk/out
check gpusort --parallel=8 -k1.3 input -o disk/out
cmp <(gpusort -k1.3 input) disk/out
check gpusort --parallel=8 -S 8M -T tmp input -o disk/out
cmp want disk/out
echo "behind what is there, empty, one line, no last eol:"
echo first >disk/out
gpusort --parallel=8 input >>disk/out
cmp <(echo first; cat want) disk/out
: | gpusort --parallel=8 -o disk/out
wc -c <disk/out
echo one | gpusort --parallel=8 -o disk/out
cat disk/out
printf 'b\na' | gpusort --parallel=8 -o disk/out
cat disk/out
echo "full, and no longer than:"
# What a program had there goes away behind it.
for ((i = 0; i < 100; i++)); do
    head -c 85000000 /dev/zero >disk/more 2>/dev/null && break
    sleep 0.1
done
echo old >disk/out
check gpusort --parallel=8 input -o disk/out
cat disk/out
rm disk/more
check sh -c 'ulimit -f 1000; exec gpusort --parallel=8 input -o disk/out'
cat disk/out
echo "ended in the middle:"
for delay in 0.01 0.03 0.06 0.1 0.15; do
    gpusort --parallel=8 input -o disk/out &
    sleep $delay
    kill -TERM $! 2>/dev/null
    wait $!
    { cmp -s disk/out want || [ "$(cat disk/out)" = old ]; } || echo "neither old nor new"
    echo old >disk/out
done 2>/dev/null
ls -A disk tmp
