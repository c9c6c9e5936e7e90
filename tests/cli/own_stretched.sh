#!/bin/bash
# SPDX-License-Identifier: MIT
# What fits if pages are given back meanwhile is not spilled; where the rest of the input is
# not like its beginning, it is, and the memory holds all the same.
# It is less text than what goes to buckets as it is read; beginnings in common, of two
# kinds, make the cuts uneven.
# Half of what a long run sorts.
share=2
[ -z "${GS_TEST_LONG:-}" ] || share=1
in_two_ways() {
    paste -d '\0' <(yes $'https://\nftp_://' | head -n "$(wc -l <"$1")") "$1"
}
seq $((8000000 / share)) -1 1 >numbers
in_two_ways numbers >even
{ gpusort gen lines --bytes=$((80 / share))M --seed=1; tail -n $((1700000 / share)) numbers; } >lines
in_two_ways lines >uneven
rm numbers lines
sort_in() { # MEBIBYTES FILE WHAT MEBIBYTES-MORE
    local memory=$(($1 / share))
    "$GS_CLI/peak_memory.py" rss gpusort --parallel=1 -S "${memory}M" --stats=stats "$2" -o out
    runs=$(grep -o '"runs": [0-9]*' stats | grep -o '[0-9]*$')
    gpusort check --same="$2" out | cut -d, -f3,6-
    [ "$(cat rss)" -le $(((memory + $4) * 1024)) ] || echo "$memory MiB and $4 were not enough: $(cat rss) KiB"
    echo "$2 in $3: $([ "$runs" -gt 0 ] && echo spilled || echo 'not spilled')"
}
sort_in 450 even plenty 16 # without pages that are given back it takes 35
sort_in 350 even 'what is not' 64
sort_in 300 uneven less 64
