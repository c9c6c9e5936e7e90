#!/bin/bash
# SPDX-License-Identifier: MIT
# Inputs and outputs that cannot be read or written.
. "$GS_CLI/try.inc"
make_files
try_lines <<'X'
sort nofile
sort f nofile
sort -m nofile f
sort -c nofile
sort -C nofile
sort ''
sort dir
sort f dir
sort -c dir
sort -m dir
sort -o dir f
sort -o '' f
sort -o no/such/file f
sort -o no/such/file nofile
sort -o out nofile; ls out
sort -mo out nofile; ls out
sort -R --random-source=nofile f
sort -R --random-source=f f
sort -R --random-source=dir f
sort --random-source=nofile f
sort -T no/such -m f g
seq -w 200000 | sort -S 1M -T no/such
TMPDIR=/no/such sort in
seq 50000 | sort -S 20K --compress-program=cat -T $'no\nsuch'
seq 50000 | sort -S 20K --compress-program=cat -T "it's"
seq 50000 | sort -S 20K --compress-program=cat -T in
sort f/x
sort /dev/null
sort -c /dev/null
X
