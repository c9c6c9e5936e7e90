#!/bin/bash
# SPDX-License-Identifier: MIT
# Every kind and distribution gives what its options say, the same with any threads.
. "$GS_CLI/try.inc"
try_lines <<'LINES'
gpusort gen lines -n 3
gpusort gen lines -n 3 --seed=2
gpusort gen lines -n 4 --min-len=0 --max-len=3 --alphabet=xyz
gpusort gen u32 -n 3 --dist=zipf --distinct=9 --exponent=3 | od -An -tu4 -w4
gpusort gen u32 -n 4 --dist=poisson --mean=5 | od -An -tu4 -w4
gpusort gen u32 -n 20000 --dist=almost --disorder=0 | gpusort -c --record-size=4 --key-bytes=0:4:ule
gpusort gen u64 -n 3 --dist=zipf | od -An -tu8 -w8
gpusort gen tuples -n 3
gpusort gen tuples -n 2 --terms=1
gpusort gen tuples -n 3 --ascending-docs --docs=100
gpusort gen tuples -n 2 --binary | wc -c
gpusort gen records -n 2 -a
gpusort gen records -n 1 --ascii --begin=1
gpusort gen docs -n 1 --doc-words=4
gpusort gen docs -n 1 --doc-words=4 --format=tsv
gpusort gen weblog -n 2
gpusort gen -n 0 lines
gpusort gen lines --bytes=1K | wc -c
gpusort gen u32 --bytes=1KB | wc -c
gpusort gen lines -n 2 --bytes=1G | wc -l
LINES
# Both formats of documents have the same names and texts, cut where the bytes end.
gpusort gen docs --bytes=100K --format=tsv >docs.tsv
gpusort gen docs -n "$(wc -l <docs.tsv)" |
    sed 's/{"id": "\([^"]*\)", "contents": "\(.*\)"}/\1\t\2/' | cmp - docs.tsv && rm docs.tsv
for dist in uniform gaussian zipf poisson sorted reversed almost equal few; do
    one=$(gpusort gen lines -n 200000 --dist=$dist --parallel=1 | cksum)
    four=$(gpusort gen lines -n 200000 --dist=$dist --parallel=4 | cksum)
    [ "$one" = "$four" ] || echo "$dist: threads show"
done
gpusort gen lines -n 1000 --dist=sorted | gpusort -c || echo "not sorted"
gpusort gen lines -n 1000 --dist=reversed | gpusort -rc || echo "not reversed"
gpusort gen tuples -n 1000 --dist=sorted | gpusort -t $'\t' -k1,1 -k2,2n -c || echo "tuples not sorted"
gpusort gen lines -n 1000 --dist=equal | uniq | wc -l
gpusort gen lines -n 1000 --dist=few --distinct=7 | gpusort -u | wc -l
# The corpus is what its README says.
corpus=$GS_CLI/../../corpus
sed -n 's/^| `\([^`]*\)` .* `gpusort \(gen [^`]*\)` |$/\1 \2/p' "$corpus/README.md" | while read -r name command; do
    gpusort $command | cmp - "$corpus/$name" && echo "corpus/$name"
done
