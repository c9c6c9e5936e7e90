#!/bin/bash
# SPDX-License-Identifier: MIT
# -c and -C: what is said and the exit code.
. "$GS_CLI/try.inc"
make_files
printf 'b\na' >ba
printf 'a\nb\nb\n' >abb
try_lines <<'X'
sort -c in
sort -C in
sort -c f
sort -c <in
sort -c - <in
sort -c empty
sort -cr in
sort -cu abb
sort -Cu abb
sort -c abb
sort -c ba
sort -c 'a b'
sort -c -k2,2n in
sort -c -k2,2nr in
sort -c -s -k1.2,1.2 in
printf 'a\0b\0b\0' | sort -czu | tr '\0' '@'
printf 'b\0a\0' | sort -cz 2>&1 | tr '\0' '@'
printf 'a\n\tb\n' | sort -c
printf '\n\na\n\n' | sort -c
sort -c --parallel=3 -S 1M -T /nonexistent in
sort --check in
sort --check=quiet in
sort --check=silent in
sort --check=diagnose-first in
sort --check=diagnose in
sort -m -c in
X
