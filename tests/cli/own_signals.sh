#!/bin/bash
# SPDX-License-Identifier: MIT
# A signal leaves nothing behind and shows in the exit status.
for signal in HUP INT TERM PIPE XCPU USR1; do
    mkdir work tmp
    mkfifo pipe
    # Held open by us, so that the input never ends and the sort waits for more.
    exec 9<>pipe
    # bash ignores SIGINT for what it starts behind, and whoever started us may ignore
    # others; env puts that right.
    env --default-signal gpusort -T tmp -S 2M -o work/out pipe 9>&- 2>/dev/null &
    sort=$!
    seq 3000 >&9
    for _ in $(seq 200); do
        [ -n "$(find /proc/$sort/fd -lname '*/pipe')" ] && break
        sleep 0.05
    done
    sleep 0.1
    kill -$signal $sort
    wait $sort
    echo "$signal: exit $?, left: $(ls -A work tmp | tr '\n' ' ')"
    exec 9>&-
    rm -rf work tmp pipe
done 2>/dev/null
seq 1000 >t
(
    trap '' TERM
    (sleep 0.3; cat t) | gpusort -o out &
    sleep 0.1
    kill -TERM $!
    wait $!
    echo "ignored TERM: exit $?, $(wc -l <out) lines"
)
