#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make demo: the main jobs on the corpus, an index of texts, and a race against the system's sort.
#   corpus/demo.sh PROGRAM
set -eu
program=$(realpath "${1:-build/gpusort}")
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tab=$(printf '\t')

bold='' plain=''
if [ -t 1 ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
show() {
    printf '  $ %s\n' "$1"
    bash -c "$1" 2>&1 | sed 's/^/    /'
}
export PATH="$(dirname "$program"):$PATH" scratch tab

say 'This machine'
show 'gpusort device'

say 'The pages of a web log by how often they were asked for'
show "sed 's/.*\"GET \\([^ ]*\\) .*/\\1/' weblog.txt | gpusort --count | gpusort -rn --top=8"

say 'term TAB docID, in the order an index is built from'
show 'gpusort -t "$tab" -k1,1 -k2,2n -u tuples.tsv | head -n 6'

say 'Binary records by their first ten bytes; the same multiset, in order'
show 'gpusort --record-size=100 --key-bytes=0:10 records.bin -o "$scratch/sorted.bin"
    gpusort check --record-size=100 --key-bytes=0:10 --same=records.bin "$scratch/sorted.bin"'

say 'One sort in two places: each cuts what it has at the same splitters; parts of one number are merged'
show 'split -n l/2 weblog.txt "$scratch/log."
    gpusort sample --splitters=3 -k1,1 weblog.txt -o "$scratch/cuts"
    for f in aa ab; do gpusort partition -v --splitters="$scratch/cuts" -k1,1 -o "$scratch/part.$f" "$scratch/log.$f"; done
    for i in 0000 0001 0002; do gpusort sort -m -k1,1 "$scratch"/part.*.$i; done |
        cmp - <(gpusort sort -k1,1 weblog.txt) && echo "as one sort of all"'

say 'A stream of numbers: the median and the last percent, in bounded memory'
show 'gpusort gen u64 -n 5M | gpusort stats quantile --binary --type=u64 --phi=0,0.5,0.99,1'

say 'And what comes most often in one'
show 'gpusort gen u64 -n 5M --dist=zipf | gpusort stats freq --binary --type=u64 --support=0.02'

say 'What is in a file: its seventh column, the bytes of answers'
show 'gpusort stats summary -k 7 --histogram weblog.txt'

say 'Where its visitors come from: prefixes of addresses that many have, and how many have no longer one'
show 'gpusort stats hhh --by=ip -k 1 --support=0.06 weblog.txt'

say 'How answers ended in its last two minutes'
show 'gpusort stats freq -k 6 --window=2m --time-column=2 --support=0.1 weblog.txt'

say 'The bytes of all answers that are no longer than the average one: the sum, and between what it lies'
show 'gpusort stats corrsum -k 7 --sum=7 --agg=avg weblog.txt'

say 'Two streams, looked at apart and asked together'
show 'head -n 1000 weblog.txt | gpusort stats quantile -k 7 --save="$scratch/monday" >"$scratch/first"
    tail -n 2500 weblog.txt | gpusort stats quantile -k 7 --save="$scratch/tuesday" >"$scratch/second"
    gpusort stats merge --phi=0.5,0.99 "$scratch/monday" "$scratch/tuesday"'

say 'Pages that were there at one time and not at another, by how often: a join of two lists in no order'
show "gpusort join --semi <(awk '\$6 == 404 { print \$4 }' weblog.txt) <(awk '\$6 == 200 { print \$4 }' weblog.txt) |
    gpusort --count | gpusort -rn --top=4"

say 'Answers whose length is within 2 bytes of a round one'
show "gpusort join --band=-2:2 -2 7 -o 1.1,2.7,2.4 <(seq 10000 10000 60000) weblog.txt | head -n 4"

say 'Real text: an index of all articles of free dictionaries, from Debian'
# Kept for the next time: they need not be fetched again.
export texts=../build/corpus index=$scratch/index
./fetch.sh "$texts" 2>&1 | sed 's/^/  /'
show 'wc -lc "$texts"/*.jsonl'
show 'time -p gpusort index build --positions --store "$texts"/*.jsonl -o "$index"'
show 'gpusort index info "$index" | head -n 6'

say 'Terms: in how many articles, how often, and where most often'
show 'gpusort lookup --df-only "$index" love money politician computer quicksort'
show 'gpusort lookup "$index" politician | cut -f4 | tr " " "\n" | gpusort -t: -k2,2nr -k1,1n --top=4 |
    while IFS=: read -r doc times; do
        printf "%2d times  %.70s\n" "$times" "$(gpusort index show --docids "$index" "$doc" | tr "\n" " ")"
    done'

say 'Questions: the best articles, by BM25'
ask() {
    show "gpusort search -k 4 --snippets \"\$index\" '$1' | sed 's/\t/\n        /3' | cut -c 1-110"
}
ask 'what is love'
ask '"human race"'
if [ -e "$texts/jargon.jsonl" ]; then
    ask 'sorting algorithm that divides and conquers'
    ask '+python +language'
fi

say "A race: 250 MB of random lines, gpusort and this system's sort, each with every core"
gpusort gen lines --bytes=250MB -o "$scratch/lines"
race() {
    local begin end
    begin=$(date +%s%N)
    "$@"
    end=$(date +%s%N)
    echo $(((end - begin) / 1000000))
}
export LC_ALL=C
cores=$(nproc)
theirs=$(race sort --parallel="$cores" -S 1G -o "$scratch/theirs" "$scratch/lines")
ours=$(race gpusort --parallel="$cores" -o "$scratch/ours" "$scratch/lines")
small=$(race gpusort --parallel="$cores" -S 64M -o "$scratch/small" "$scratch/lines")
bar() {
    local width=$(($2 * 60 / theirs + 1))
    printf '  %-24s %6d ms  %s\n' "$1" "$2" "$(printf '#%.0s' $(seq "$width"))"
}
bar 'sort' "$theirs"
bar 'gpusort' "$ours"
bar 'gpusort -S 64M (spills)' "$small"
if cmp -s "$scratch/theirs" "$scratch/ours" && cmp -s "$scratch/theirs" "$scratch/small"; then
    echo '  All three outputs are the same, byte for byte.'
else
    echo '  The outputs differ: this is a bug.' >&2
    exit 1
fi
