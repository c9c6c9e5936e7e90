#!/bin/bash
# SPDX-License-Identifier: MIT
# What fits if pages are given back meanwhile is not spilled; where the rest of the input is
# not like its beginning, it is, and the memory holds all the same.
# It is less than what goes to buckets as it is read; beginnings in common, of two kinds,
# make the cuts uneven.
in_two_ways() {
    paste -d '\0' <(yes $'https://\nftp_://' | head -n "$(wc -l <"$1")") "$1"
}
seq 3200000 -1 1 >numbers
in_two_ways numbers >even
{ gpusort gen lines --bytes=40M --seed=1; tail -n 850000 numbers; } >lines
in_two_ways lines >uneven
rm numbers lines
sort_in() { # MEBIBYTES FILE WHAT MEBIBYTES-MORE
    "$GS_CLI/peak_memory.py" rss gpusort --parallel=1 -S "$1M" --stats=stats "$2" -o out
    runs=$(grep -o '"runs": [0-9]*' stats | grep -o '[0-9]*$')
    gpusort check --same="$2" out | cut -d, -f3,6-
    [ "$(cat rss)" -le $((($1 + $4) * 1024)) ] || echo "$1 MiB and $4 were not enough: $(cat rss) KiB"
    echo "$2 in $3: $([ "$runs" -gt 0 ] && echo spilled || echo 'not spilled')"
}
sort_in 190 even plenty 0 # without pages that are given back it takes 19
sort_in 140 even 'what is not' 64
sort_in 150 uneven less 64
