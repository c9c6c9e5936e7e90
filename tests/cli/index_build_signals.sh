#!/bin/bash
# SPDX-License-Identifier: MIT
# A signal ends a build with its own exit status and leaves nothing, whatever it is doing.
gpusort gen docs --bytes=30M -o docs.jsonl
mkfifo pipe
for signal in INT TERM HUP; do
    # Waiting for input. A shell starts its background jobs deaf to INT; env undoes that.
    env --default-signal gpusort index build -o index pipe &
    build=$!
    exec 3>pipe
    head -n 100 docs.jsonl >&3
    for _ in $(seq 200); do
        [ -n "$(ls -d index.tmp-* 2>/dev/null)" ] && break
        sleep 0.05
    done
    [ -n "$(ls -d index.tmp-*)" ] || echo "no folder was begun"
    kill -s $signal $build
    wait $build
    echo "$signal: exit $?, left: $(ls -d index* | tr '\n' ' ')"
    exec 3>&-
    # At work, at several times; too late for the last is fine, half an index is not.
    for seconds in 0.05 0.2 0.4; do
        timeout -s $signal $seconds gpusort index build -S 1M -o index docs.jsonl
        [ -d index ] && gpusort index verify index >verified && rm -r index
    done
done 2>/dev/null
ls
