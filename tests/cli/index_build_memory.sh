#!/bin/bash
# SPDX-License-Identifier: MIT
# The whole process stays within -S and 64 MiB, whatever the method and however many runs,
# and the index is the same.
megabytes=5 tuples=240
[ -z "${GS_TEST_LONG:-}" ] || megabytes=16 tuples=800
gpusort gen docs --bytes=${megabytes}M -o docs.jsonl
gpusort gen tuples -n ${tuples}K -o tuples.tsv
# Two words with many positions in each of 40 documents.
yes 'a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b' |
    tr '\n' ' ' | head -c 800000 >text
for name in $(seq 40); do printf '%s\t' "$name" && cat text && echo; done >long.tsv
for input in docs.jsonl tuples.tsv long.tsv; do
    format=jsonl more=--positions sizes='1 200' counts=5
    [ -z "${GS_TEST_LONG:-}" ] || sizes='1 24 200' counts='2 5'
    [ $input = tuples.tsv ] && format=tuples more=
    [ $input = long.tsv ] && format=tsv sizes=1 counts=5
    first=
    for method in spimi bsbi; do
        for size in $sizes; do
            # In a short run each of the two large ones has a method of its own.
            [ -n "${GS_TEST_LONG:-}" ] || case $input,$method,$size in
            docs.jsonl,bsbi,200 | tuples.tsv,spimi,200) continue ;;
            esac
            for threads in $counts; do
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
# What there is of every document is not in memory.
[ -z "${GS_TEST_LONG:-}" ] || {
    gpusort gen docs -n 40M --doc-words=1 |
        gpusort index build -S 64M --parallel=2 --stats=stats -o many || exit 1
    peak=$(sed -n 's/.*"peak_memory_bytes": \([0-9]*\).*/\1/p' stats)
    [ "$peak" -le $((128 << 20)) ] || echo "many documents: $((peak >> 20)) MiB"
}
