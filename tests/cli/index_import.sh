#!/bin/bash
# SPDX-License-Identifier: MIT
# Importing: from a file, packed, from a pipe; arguments that will not do; nothing is left
# of what fails. The format's rules are in tests/ciff_rules.py.
. "$GS_CLI/try.inc"
printf 'd0\tred green\nd1\tgreen\n' >a.tsv
gpusort index build -o a a.tsv
gpusort index export --ciff=a.ciff a
zstd -q a.ciff
head -c 40 a.ciff >cut.ciff
head -c 40 a.ciff.zst >cut.zst
printf 'hello\n' >text
: >empty
try_lines <<'LINES'
gpusort index import --ciff -o i a.ciff && gpusort index dump i
gpusort index import --ciff -o i a.ciff
gpusort index import --ciff -o i --replace a.ciff.zst && gpusort index dump i
gpusort index import --ciff -o i --replace --no-uring <a.ciff && gpusort index dump i
gpusort index import --ciff=a.ciff -o i --replace && gpusort index dump i
gpusort index export --ciff -o b.ciff a && cmp b.ciff a.ciff && rm b.ciff
gpusort index export --ciff a | cmp - a.ciff
(printf abc; gpusort index export --ciff a; printf def) >beside; cmp beside <(printf abc; cat a.ciff; printf def) && rm beside
gpusort index export a
gpusort index export --ciff
gpusort index export --ciff=x -o y a
gpusort index export --ciff= a
gpusort index export --ciff -o nowhere/x a
gpusort index import --ciff=a.ciff -o j a.ciff
gpusort index export --ciff=- a | gpusort index import --ciff --replace -o i -
gpusort index export --ciff=- i | cmp - a.ciff
gpusort index import --ciff --replace -o i --stats a.ciff 2>&1 | grep -E '"(method|terms|tokens|records|output_records)"'
gpusort index merge -o m i i && gpusort index dump m
gpusort index merge -o n a i
rm -r i m
gpusort index import
gpusort index import -o i a.ciff
gpusort index import --ciff a.ciff
gpusort index import --ciff -o '' a.ciff
gpusort index import --ciff -o i a.ciff b.ciff
gpusort index import --ciff -o i --nonsense a.ciff
gpusort index import --ciff -o i nowhere
gpusort index import --ciff -o i .
gpusort index import --ciff -o a.tsv --replace a.ciff
gpusort index import --ciff -o i cut.ciff
gpusort index import --ciff -o i cut.zst
gpusort index import --ciff -o i text
gpusort index import --ciff -o i empty
gpusort index import --ciff -o i a.ciff a.ciff
LINES
# Lengths that do not add up, as other programs write them.
head -c -1 a.ciff >odd.ciff
printf '\7' >>odd.ciff
try 'gpusort index import --ciff --strict -o i odd.ciff'
try 'gpusort index import --ciff -o i odd.ciff && gpusort index dump i && rm -r i'
try 'gpusort index import --ciff --strict -o i a.ciff && rm -r i'
rm odd.ciff
# What the format cannot hold is named, and not written.
printf 'd\377\tx\n' >odd.tsv
gpusort index build -o odd odd.tsv
try 'gpusort index export --ciff=odd.ciff odd'
printf '{"id":"one","contents":"x"}\n{"id":"a\\nb","contents":"x"}\n' |
    gpusort index build -o lines -
try 'gpusort index export --ciff=odd.ciff lines'
ls
# Frequencies that fit, and their sum, which does not; a sum over documents may be larger.
for term in a b c; do printf '%s\t0\t2147483647\n' $term; done |
    gpusort index build -o long --format=tuples -
try 'gpusort index export --ciff=odd.ciff long'
for doc in 0 1 2; do printf 'a\t%s\t2147483647\n' $doc; done |
    gpusort index build -o wide --format=tuples -
try 'gpusort index export --ciff=wide.ciff wide'
try 'gpusort index import --ciff -o wider wide.ciff && gpusort lookup wider a'
try 'printf "a\t0\t2147483648\n" | gpusort index build -o odd2 --format=tuples - && gpusort index export --ciff=odd.ciff odd2'
try 'printf "a\t2147483647\n" | gpusort index build -o odd3 --format=tuples - && gpusort index export --ciff=odd.ciff odd3'
ls odd.ciff 2>&1
