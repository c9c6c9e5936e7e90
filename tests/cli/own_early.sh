#!/bin/bash
# SPDX-License-Identifier: MIT
# Mapped text goes to buckets as it is read if it has 128 MiB or more, or so many lines: of
# several files, with a header, without an end of its last line, in little memory; and what
# turns out not to be for that is sorted all the same.
. "$GS_CLI/cached.inc"
gpusort gen lines --bytes=84M --seed=3 >a
gpusort gen lines --bytes=46M --seed=4 | head -c -1 >b
{ cat a b && echo; } >all
sort_as() { # NAME OPTION...: sorts, and says which way
    local name=$1
    shift
    cached "$@"
    "$GS_CLI/peak_memory.py" rss gpusort -v --parallel=2 "$@" -o out 2>log || echo "$name failed"
    echo "$name: $(grep -q 'buckets as they are read' log && echo early || echo late)," \
        "$(grep -q 'not like its sample' log && echo begun again || echo to the end)"
}
check_as() { # FILE OPTION...: in order, and the same records
    local file=$1
    shift
    gpusort check "$@" --same="$file" out >/dev/null && echo good
}
head -n 9000 a >again
sort_as 'three files, reversed, unique' -r -u a b again
check_as all -r
[ "$(wc -l <out)" = "$(wc -l <all)" ] || echo 'equal lines are left'
rm again
head -c 135000000 all >records
sort_as records --record-size=40 records
check_as records --record-size=40
{ cat all && head -c 17000000 /dev/zero | tr '\0' x && echo && head -n 90000 a; } >with_long
sort_as 'with a long line' with_long
check_as with_long
sort_as 'with a header, in little memory' -S 236M --header=2 all
[ "$(cat rss)" -le $(((236 + 64) * 1024)) ] || echo "236 MiB and 64 were not enough: $(cat rss) KiB"
cmp <(head -n 2 all) <(head -n 2 out)
check_as all --header=2
awk 'BEGIN { srand(7); for (i = 0; i < 5000000; i++) print int(rand() * 3000) "K" }' >sizes
sort_as 'few sizes, often' -h sizes
check_as sizes -h
