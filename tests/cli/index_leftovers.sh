#!/bin/bash
# SPDX-License-Identifier: MIT
# What a build that was killed leaves goes with the next build of that name, and nothing
# that another build is at work on.
printf 'a\tx\n' >a.tsv
mkfifo pipe slow
# begin FIFO: a build that waits for input; its process is $build.
begin() {
    local count
    count=$(ls -d index.tmp-* 2>/dev/null | wc -l)
    gpusort index build --format=tsv --replace -o index "$1" &
    build=$!
    for _ in $(seq 200); do
        [ "$(ls -d index.tmp-*/.gpusort-unfinished 2>/dev/null | wc -l)" -gt "$count" ] && return
        sleep 0.05
    done
    echo "no folder was begun"
}
# The shell tells of a job that was killed, now or when it is waited for.
end_it() {
    { kill -9 $build && wait $build; } 2>/dev/null
}
left() {
    echo "$1: $(ls -A -d index* | sed 's/-......$/-X/' | tr '\n' ' ')"
}
begin pipe
end_it
left killed
gpusort index build -v -o index a.tsv 2>&1 | grep -c 'removed, a build that was killed'
left 'built again'
gpusort index dump index
begin slow
begun=$build
begin pipe
end_it
left 'one killed, one at work'
gpusort index build --replace -o index a.tsv
left 'built a third time'
printf 'b\ty\n' >slow
wait $begun && echo 'the slow one is done'
gpusort index dump index
left 'in the end'
