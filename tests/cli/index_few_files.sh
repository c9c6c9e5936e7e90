#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds and merges with as many files as may be open, whatever the number of threads, and
# the bytes are the same; too few are told.
. "$GS_CLI/try.inc"
gpusort gen docs --bytes=2M -o docs.jsonl
mkdir parts
split -n l/40 docs.jsonl parts/
gzip -1 parts/*
first=
same() {
    local sum
    sum=$(cat "$1"/* | cksum)
    [ "${first:=$sum}" = "$sum" ] || echo "$2: other bytes"
    rm -r "$1"
}
for files in 32 64 1024; do
    for size in 1 100; do
        (ulimit -n $files && gpusort index build --positions --parallel=128 -S ${size}M \
            -o i docs.jsonl) || echo "$files files, -S ${size}M"
        same i "$files files"
    done
done
(ulimit -n 64 && gpusort index build --positions --parallel=128 -S 100M --format=jsonl -o i parts/*)
same i 'packed'
# What may be raised is.
(ulimit -Sn 16 && gpusort index build --positions --parallel=128 -S 1G -o i docs.jsonl)
same i 'raised'
gpusort index build -o i docs.jsonl
(ulimit -n 40 && gpusort index merge --parallel=128 -o m i i i i i i i i i i i i i i i) || echo merge
gpusort index verify m
try '(ulimit -n 16 && gpusort index build -o n docs.jsonl 2>&1 | sed "1s/^\(gpusort index build:\) [0-9][0-9]*/\1 N/")'
ls
