#!/bin/bash
# SPDX-License-Identifier: MIT
# The whole process stays within -S and 64 MiB, whatever the method and however many runs,
# and the index is the same.
gpusort gen docs --bytes=16M -o docs.jsonl
gpusort gen tuples -n 800K -o tuples.tsv
for input in docs.jsonl tuples.tsv; do
    format=jsonl more=--positions
    [ $input = tuples.tsv ] && format=tuples more=
    first=
    for method in spimi bsbi; do
        for size in 1 24 200; do
            for threads in 2 5; do
                rm -rf index
                gpusort index build --format=$format $more --method=$method -S ${size}M \
                    --parallel=$threads --engine=cpu --stats=stats -o index $input || exit 1
                peak=$(sed -n 's/.*"peak_memory_bytes": \([0-9]*\).*/\1/p' stats)
                [ "$peak" -le $(((size + 64) << 20)) ] ||
                    echo "$input $method ${size}M, $threads threads: $((peak >> 20)) MiB"
                sum=$(cat index/* | cksum)
                [ "${first:=$sum}" = "$sum" ] || echo "$input $method ${size}M: other bytes"
            done
        done
    done
done
