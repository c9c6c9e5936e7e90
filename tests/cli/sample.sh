#!/bin/bash
# SPDX-License-Identifier: MIT
# sample: which records, from what kinds of input, and what cuts them into even parts.
. "$GS_CLI/try.inc"
seq 1 20000 | sed 's/.*/& &/' >in
printf 'b\na\nc' >three
: >empty
printf 'h1\nh2\nx 3\ny 1\nz 2\n' >table
printf 'n,t\n3,"a\nb"\n1,"c,d"\n2,e\n' >t.csv
printf '{"n":3}\n{"n":1}\n{"n":2}\n' >rows
printf '{"n":3}\nno object\n' >bad
printf 'aab%sbbaab' c >records
try_lines <<'LINES'
gpusort sample -n 3 in
gpusort sample -n 3 --seed=2 in
gpusort sample -n3 --seed=2 < in
gpusort sample --records=2 three
gpusort sample -n 9 three
gpusort sample -n 9 empty three empty
gpusort sample -n 9 - < three
gpusort sample -n 9 --header=2 table
gpusort sample -n 9 --header=2 table table
gpusort sample -n 9 --csv t.csv
gpusort sample -n 9 --splitters=3 --csv -k n:n t.csv
gpusort sample --splitters=3 --jsonl-key=.n:n rows
gpusort sample -n 9 bad
gpusort sample --splitters=3 --jsonl-key=.n:n bad
gpusort sample -n 9 --record-size=3 records | od -c
gpusort sample --splitters=3 -r --record-size=3 --key-bytes=2:1 records | od -c
gpusort sample -n 9 --record-size=4 records
gpusort sample -n 9 --range=2:4 three
gpusort sample -n 9 --range=:2 three
gpusort sample -n 9 --range=4: three
gpusort sample -n 9 --range=4 three
gpusort sample -n 9 --range=9:4 three
gpusort sample -n 9 --range=0:4 three three
gpusort sample --splitters=4 -k2,2n in
gpusort sample --splitters=4 -r three
gpusort sample --splitters=4 empty
gpusort sample --splitters=1 three
gpusort sample -n 2 --splitters=4 three
gpusort sample three
gpusort sample -n 0 three
gpusort sample -n x three
gpusort sample -n
gpusort sample --seed
gpusort sample -n 1 nofile
gpusort sample -n 1 -c three
gpusort sample -n 1 --count three
gpusort sample -n 1 three > /dev/full
gpusort sample -n 1 three -o three; cat three
gpusort sample -n 2K -v in 2>&1 >/dev/null | tail -n 1
LINES
# A file that is read whole is read as a pipe is.
gpusort gen lines -n 30000 -o lines
gpusort sample -n 29999 lines | cmp - <(cat lines | gpusort sample -n 29999)
gzip -k lines
gpusort sample -n 500 lines.gz | cmp - <(gpusort sample -n 500 <(cat lines))
# Ranges that follow each other have each record once.
for ((at = 0; at < 1000000; at += 70000)); do
    gpusort sample -n 1M --range=$at:$((at + 70000)) lines
done | cmp - lines
for size in 40 100 7000; do # also where a record is longer than what is read at once
    head -c 700000 lines >blocks
    for ((at = 0; at < 700000; at += 33333)); do
        gpusort sample -n 1M --record-size=$size --range=$at:$((at + 33333)) blocks
    done | cmp - blocks
done
# Long lines among short ones, and one that is longer than most blocks.
{ head -n 300 lines; head -c 300000 /dev/zero | tr '\0' x; echo; tail -n 300 lines; } >long
gpusort sample -n 1000 long | cmp - long
gpusort sample -n 100 -S 4M long | grep -vxFf long
# Of a large file few blocks are read.
seq 1 600000 >large
gpusort sample -n 100 -v large 2>&1 >/dev/null | tail -n 1
# Splitters cut into parts of much the same size.
cut_evenly() { # FILE [OPTION]...: parts by GNU sort
    local file=$1 parts=8
    shift
    gpusort sample --splitters=$parts "$@" "$file" >cuts
    [ "$(wc -l <cuts)" = $((parts - 1)) ] || echo "$file $*: $(wc -l <cuts) splitters"
    LC_ALL=C sort -c "$@" cuts
    { sed 's/$/ cut/' cuts; cat "$file"; } | LC_ALL=C sort -s "$@" |
        awk -v what="$*" -v parts=$parts -v all="$(wc -l <"$file")" '
            / cut$/ { check(); n = 0; next } { n++ } END { check() }
            function check() { if (n < 0.9 * all / parts || n > 1.1 * all / parts) print what ": a part of " n }'
}
cut_evenly large --numeric-sort
cut_evenly large
cut_evenly in -k2,2nr
# What does not fit into the memory is said.
gpusort sample -n 1M -S 1M large 2>&1 | sed 's/[0-9][0-9]* records of the sample take more than the [0-9]* bytes/N records of the sample take more than the M bytes/'
