#!/bin/bash
# SPDX-License-Identifier: MIT
# Merges of ranges of terms: each has all documents and its terms, and joined they are what
# one merge gives, byte for byte.
. "$GS_CLI/try.inc"
printf 'd0\tred green\nd1\tgreen\n' >a.tsv
printf 'd2\tgreen blue green\n' >b.tsv
for name in a b; do gpusort index build -o $name --store $name.tsv; done
gpusort index merge -o ab a b
gpusort index merge -o p --to-term=green a b
gpusort index merge -o q --from-term=green a b
gpusort index merge -o r --from-term=green --to-term=red a b
gpusort index merge -o s --from-term=re a b
long=$(printf 'x%.0s' {1..63})
try_lines <<LINES
gpusort index dump p
gpusort index dump q
gpusort index dump r
gpusort index info p | head -n 4
gpusort search r green; gpusort search ab green
gpusort search p green
gpusort index show p d2
gpusort index verify p
gpusort index merge -o m --join-terms p q && diff -r m ab
gpusort index merge -o m --replace --join-terms s r p && diff -r m ab
gpusort index merge -o m --replace --join-terms p && diff -r m p
gpusort index merge -o m --replace --from-term= --to-term= a b && diff -r m ab
gpusort index merge -o m --replace --from-term=x a b && gpusort index info m | sed -n 2,3p
gpusort index merge -o n --join-terms p q r
gpusort index merge -o n --join-terms a b
gpusort index merge -o n --join-terms p a
gpusort index merge -o n --join-terms --doc-ids=shift p q
gpusort index merge -o n --from-term=b --to-term=a a b
gpusort index merge -o n --from-term=b --to-term=b a b
gpusort index merge -o n --to-term=$long a b
gpusort index merge --term-splitters=3 -o n a b
gpusort index merge --term-splitters=0 a b
gpusort index merge --term-splitters=1M a b
gpusort index merge --term-splitters=3
gpusort index merge --term-splitters=3 a nowhere
gpusort index merge --term-splitters=3 a b
gpusort index merge --term-splitters=3 a b >/dev/full
ls -d n
LINES
# Splitters cut random indexes into ranges, which several machines would merge.
merge_by_ranges() { # RANGES [MERGE OPTION]... -- INDEX...
    local ranges=$1 from= to i=0 options=() parts=()
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    gpusort index merge -o one "${options[@]}" "$@"
    while IFS= read -r to; do
        gpusort index merge -o part.$i --from-term="$from" --to-term="$to" "${options[@]}" "$@"
        parts+=(part.$i)
        from=$to i=$((i + 1))
    done < <(gpusort index merge --term-splitters="$ranges" "$@"; echo)
    [ $i -gt 1 ] && [ $i -le "$ranges" ] || echo "$* in $i ranges, not $ranges"
    gpusort index merge -o joined --join-terms --parallel=2 "${parts[@]}" && diff -r joined one
    cat <(for part in "${parts[@]}"; do gpusort index dump $part; done) | cmp - <(gpusort index dump one)
    for part in "${parts[@]}"; do
        [ "$(gpusort index info --json $part | sed 's/.*"postings": //')" != "$(gpusort index info --json one | sed 's/.*"postings": //')" ] || echo "$part is all"
        gpusort index verify $part >/dev/null || echo "$part is bad"
        cmp $part/documents one/documents
    done
    rm -r one joined part.*
}
gpusort gen docs --bytes=600K -o docs
split -n l/3 docs d.
for d in d.??; do
    gpusort index build --format=jsonl --positions -o pos.$d $d
    gpusort index build --format=jsonl --store -o store.$d $d
done
for seed in 1 2 3; do gpusort gen tuples -n 30K --seed=$seed | gpusort index build --format=tuples -o t.$seed; done
merge_by_ranges 5 -- pos.*
merge_by_ranges 2 -- store.*
merge_by_ranges 4 -- t.*
merge_by_ranges 7 --doc-ids=shift -- t.*
