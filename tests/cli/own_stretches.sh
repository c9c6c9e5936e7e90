#!/bin/bash
# SPDX-License-Identifier: MIT
# Input that is in order, or some sorted stretches, is merged where it is: the same bytes as
# by GNU sort, in little memory, and no more stretches are seen than there are.
. "$GS_CLI/cached.inc"
export LC_ALL=C
gpusort gen lines --bytes=8M --seed=3 | sort >sorted
gpusort gen tuples --bytes=6M --seed=4 | sort -t $'\t' -k1,1 >one
gpusort gen tuples --bytes=6M --seed=5 | sort -t $'\t' -k1,1 | head -c -1 >two
shuf --random-source=sorted sorted >shuffled
split -n l/10 shuffled part. && for p in part.*; do
    sort -o "$p" "$p" && cat "$p" >>ten
done
sort_as() { # WHAT OPTION... FILE...: the same as GNU sort, and by how many stretches
    local what=$1
    shift
    cached "$@"
    gpusort sort -v --parallel=2 "$@" -o out 2>log || echo "$what failed"
    sort "$@" | cmp - out
    echo "$what: $(grep -o 'sorted stretches of the input: .*' log | cut -d' ' -f6-)"
}
sort_as 'in order' sorted
GS_MERGED_TO=disk sort_as 'in order, past the page cache' sorted
GS_MERGED_TO=cache sort_as 'in order, through it' sorted
sort_as 'in order, unique' -u sorted
awk 'NR == 150000 { print "~" } { print }' sorted >once
sort_as 'one out of place' once
head -c -1 sorted >unended
sort_as 'in order, without its last end' unended
GS_MERGED_TO=disk sort_as 'in order, past it, without its last end' unended
sort_as 'ten' ten
sort_as 'ten, and the whole' -u ten sorted
# Where stretches begin is guessed by some lines. Where that is wrong it begins anew.
tries() {
    echo "tried: $(grep -c 'merged where they are' log)"
}
sort_as 'ten again' ten
tries
for at in 5 100003 217000; do # the first part, the middle of one, somewhere
    awk -v at=$at 'NR == at { print "~" } { print }' ten >eleven
    sort_as 'ten, and a line out of place' eleven
    tries
done
gpusort sort --parallel=2 eleven | cmp - out
tac eleven >nevele
sort_as 'ten, and a line out of place, backwards' -r nevele
tries
gpusort sort --stats=stats eleven -o out
grep -o '"records": [0-9]*\|"passes": [0-9]*' stats
{ head -n 100000 ten && head -c 3000000 /dev/zero | tr '\0' '~' && echo && tail -n +100001 ten; } >ten_long
sort_as 'ten, and a long line' ten_long
sort_as 'shuffled' shuffled
gpusort sort --verify --stats=stats ten -o out && cmp sorted out
grep -o '"verified": "[^"]*"' stats
sort_as 'the other way round' -r sorted
sort -r sorted >backwards
GS_MERGED_TO=disk sort_as 'the other way round, past the page cache' backwards
sort_as 'backwards by -r' -r backwards
sort_as 'from its end, in little memory' -S 32M backwards
sort_as 'from its end, unique' -u backwards
head -c -1 backwards >open
sort_as 'from its end, that is open' open
sort -t $'\t' -k2,2n one two | tac >keyed
sort_as 'from its end, by a key' -t $'\t' -k2,2n keyed
sort_as 'from its end, stable by a key' -s -t $'\t' -k1,1 keyed
{ echo '~' && cat backwards && echo '~'; } >almost
sort_as 'all but its end from its end' almost
gpusort sort --verify --stats=stats backwards -o out && cmp sorted out
grep -o '"verified": "[^"]*"' stats
sort_as 'stable by a key' -s -t $'\t' -k1,1 one two
sort_as 'by a key, unique' -u -t $'\t' -k1,1 one two
sort_as 'with a tail' sorted part.aa
# A line longer than a merge may hold is sorted all the same.
{ cat sorted && head -c 3000000 /dev/zero | tr '\0' '~' && echo; } >with_long
sort_as 'with a long line' with_long
cp ten same && gpusort sort same -o same && cmp sorted same
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat ten; done >many
"$GS_CLI/peak_memory.py" rss gpusort sort --parallel=2 -S 40M many -o out
gpusort check --same=many out >/dev/null || echo "120 stretches"
cat sorted sorted sorted ten ten ten >some
"$GS_CLI/peak_memory.py" rss gpusort sort --parallel=2 -S 40M some -o out
gpusort check --same=some out >/dev/null || echo "33 stretches"
[ "$(cat rss)" -le $(((40 + 64) * 1024)) ] || echo "40 MiB and 64 were not enough: $(cat rss) KiB"
