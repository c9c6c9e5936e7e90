#!/bin/bash
# SPDX-License-Identifier: MIT
# Mapped text that is more than -S goes to buckets as it is read, and from there to temporary
# files: forwards and backwards, of several files, with a header, without an end of its last
# line, with long lines, which stay where they are; the memory holds, and nothing is left.
# Where fewer records are wanted there are runs, and a text with a line that is longer than
# any on a list is begun again.
. "$GS_CLI/cached.inc"
mkdir tmp
gpusort gen lines --bytes=84M --seed=3 >a
gpusort gen lines --bytes=60M --seed=4 | head -c -1 >b
{ cat a b && echo; } >all
# Two in three bytes are of lines that are too long for lists, all over the text.
awk 'BEGIN { for (i = 0; i < 9000; i++) x = x "x" }
    { print } NR % 150 == 0 { print $0 substr(x, 1, 3900 + NR % 4700) }' a | head -c 280000000 >long
more=64 # MiB that may be taken beside -S
sort_as() { # NAME MEBIBYTES OPTION...: sorts, and says which way
    local name=$1 most=$2
    shift 2
    cached "$@"
    "$GS_CLI/peak_memory.py" rss gpusort -v --parallel=2 -T tmp -S "${most}M" --stats=stats \
        "$@" -o out 2>log || echo "$name failed"
    [ "$(cat rss)" -le $(((most + more) * 1024)) ] || echo "$name: $(cat rss) KiB"
    echo "$name: $(grep -q 'to temporary files' log && echo files || echo runs)," \
        "$(grep -q 'not like its sample' log && echo begun again || echo to the end)," \
        "$(grep -q '"runs": 0' stats && echo no runs || echo runs)," \
        "$(grep -q '"spill_bytes": 0' stats && echo in memory || echo spilled)," \
        "$(ls -A tmp)"
}
check_as() { # FILE OPTION...: in order, and the same records
    local file=$1
    shift
    gpusort check "$@" --same="$file" out >/dev/null && echo good
}
sort_as 'two files, reversed' 48 -r a b
check_as all -r
sort_as 'with a header, verified' 64 --header=2 --verify all
cmp <(head -n 2 all) <(head -n 2 out)
check_as all --header=2
sort_as compressed 48 --output-compress=zstd all
zstd -dqf <out >plain && mv plain out
check_as all
sort_as 'long lines' 64 long
check_as long
sort_as unique 64 -u a b
cp out unique
sort_as stable 64 -s a b
cmp <(uniq out) unique && check_as all
sort_as 'the first ones' 64 --top=1000 a b
cmp <(head -n 1000 unique | head -c 1000) <(head -c 1000 out)
{ cat a && head -c 17000000 /dev/zero | tr '\0' x && echo && cat b && echo; } >with_long
more=96 # for the line
sort_as 'with a long line' 64 with_long
check_as with_long

# A folder that is not there, and one with too little room for it all.
gpusort -S 48M -T none a b -o out 2>&1 | sed 's/none.*/none/'
