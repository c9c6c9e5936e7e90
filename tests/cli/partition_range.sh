#!/bin/bash
# SPDX-License-Identifier: MIT
# partition --range: of one file the records that begin at some bytes, from wherever they are
# read; ranges that follow each other have each record once.
. "$GS_CLI/try.inc"
printf 'd\nbb\na\nc' >in
printf '%s' ddbbaacc >records
printf 'd\0b\0' >zeros
: >empty
gzip -nc in >in.gz
mkfifo pipe
cuts() { gpusort partition --splitters=empty --parts=1 --framed -o stream "$@" && gpusort partition --unframe --part=0 stream; }
try_lines <<'LINES'
cuts --range=: in
cuts --range=0:1 in
cuts --range=1:2 in
cuts --range=1:3 in
cuts --range=2: in
cuts --range=5:7 in
cuts --range=8:90 in
cuts --range=0:0 in
cuts --range=90: in
cuts --range=: empty
cuts --range=1: -z zeros | tr '\0' '@'
cuts --range=1:5 --record-size=2 records; echo
cuts --range=1: --record-size=3 records
cuts --range=0:1 --no-decompress in.gz | wc -l
cuts --range=0:1 in.gz
cuts --range=0:1 pipe
cuts --range=0:1 - <in
cuts --range=0:1 .
cuts --range=0:1 nofile
cuts --range=0:1 in in
cuts --range=2:1 in
cuts --range=2 in
cuts --range=1K: in
cuts --range=: -m in
cuts --range=: --header in
cuts --range=: --csv -k 1 in
gpusort partition --unframe --part=0 --range=: in
gpusort partition --splitters=empty --parts=1 --framed --range=1: -S1M <(cat in)
LINES
# Larger ones: mapped, read from the page cache, and from the disk where that has O_DIRECT.
gpusort gen lines --bytes=20M -o large
gpusort sample --splitters=3 large -o large.cuts
sync large
in_ranges() { # FROM-TO... [OPTION]...
    local at=0 n=0 to
    rm -f part.*
    for to in 1 7000001 7000002 16777216 20971521; do
        gpusort partition --splitters=large.cuts --range=$at:$to -o part.$((n++)) "$@" large || echo "exit $?"
        at=$to
    done
    for p in 0 1 2; do gpusort sort -m part.*.000$p; done | cmp - sorted
}
gpusort sort large -o sorted
in_ranges
in_ranges -S 3M --stats=stats && sed -n 's/^  "input_bytes": \([0-9]*\),$/\1/p' stats
in_ranges --no-uring --parallel=1
dd if=large iflag=nocache count=0 status=none
in_ranges -S 8M
