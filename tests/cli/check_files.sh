#!/bin/bash
# SPDX-License-Identifier: MIT
# check: order, counts, checksums, and the exit code for each.
. "$GS_CLI/try.inc"
printf 'a\nb\nb\nc\n' >good
printf 'c\na\nb\nb' >mixed
printf '1 x\n10 y\n9 z\n' >numbers
: >empty
gpusort gen u64 -n 100000 --dist=sorted -o sorted.u64
try_lines <<'LINES'
gpusort check good
gpusort check < good
gpusort check mixed
gpusort check good mixed empty
gpusort check -u good
gpusort check -r good
gpusort check numbers
gpusort check -n numbers
gpusort check -k1,1n -k2 numbers
gpusort check --no-order mixed
gpusort check --same=mixed good
gpusort check --same mixed good
gpusort check --same=numbers good
gpusort check --expect=00000000000000000000000000000000 empty
gpusort check --expect=00000000000000000000000000000000 good
gpusort check --json good mixed
gpusort check --json --no-order --same=good mixed
gpusort check --record-size=8 --key-bytes=0:8:ule sorted.u64
gpusort check --record-size=8 --key-bytes=0:8:ube sorted.u64
gpusort check --header good
gzip -c good > good.gz; gpusort check --same=good good.gz
gpusort check nofile
gpusort check --same=nofile good
gpusort check --expect=12 good
gpusort check --expect
gpusort check --expect=00000000000000000000000000000000 --same=good good
gpusort check -c good
gpusort check -o x good
gpusort check --nonsense
gpusort check good > /dev/full
LINES
gpusort gen lines -n 300000 -o in
gpusort -S 1M -o out in
gpusort check --same=in out | cut -d, -f2-
gpusort check --same=in out --parallel=3 | cut -d, -f2-
cp good "$(printf 'n\351\t"\303\251')" # a byte that is no UTF-8, and a letter that is
gpusort check --json "$(printf 'n\351\t"\303\251')" | cut -d, -f1
