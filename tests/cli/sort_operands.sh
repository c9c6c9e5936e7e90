#!/bin/bash
# SPDX-License-Identifier: MIT
# Options and files in any order, --, -, -y, POSIXLY_CORRECT.
. "$GS_CLI/try.inc"
make_files
try_lines <<'X'
sort f g
sort f -r g
sort -r f -- g
sort f -- -r
sort -- f -r
sort -
sort - <f
sort f - <g
sort - - <f
sort <f
sort ./-
sort -o - f; cat ./-
sort -y f
sort -y0 f
sort -y 1 f
sort -y 1x f
sort -y '' f
sort -y
sort -ry0 f g
sort -zu f
sort -ro out f g; cat out
sort -roout2 f g; cat out2
sort -t, -k2,2 -k1,1 f
sort -t,k f
POSIXLY_CORRECT=1 sort f -r
POSIXLY_CORRECT=1 sort -r f g
POSIXLY_CORRECT=1 sort f -o out3; cat out3
POSIXLY_CORRECT=1 sort f -oout4; cat out4
POSIXLY_CORRECT=1 sort f g -o out5; cat out5
POSIXLY_CORRECT=1 sort f g -r
POSIXLY_CORRECT=1 sort f -o
POSIXLY_CORRECT=1 sort -c f -o out
_POSIX2_VERSION=200112 POSIXLY_CORRECT=1 sort f -o out
X
