#!/bin/bash
# SPDX-License-Identifier: MIT
# Keys and delimiters that do not parse.
. "$GS_CLI/try.inc"
make_files
try_lines <<'X'
sort -k0
sort -k1,0
sort -k1.0
sort -k1.1,0
sort -k1,1.0 f
sort -kx
sort -k ''
sort -k ' '
sort -k ' 1' f
sort -k -1
sort -k +1 f
sort -k1x
sort -k1,x
sort -k1,
sort -k1.
sort -k 2.,3
sort -k1.x
sort -k1,2.x
sort -k1,2.
sort -k1.1,-k0
sort -k1,2,3
sort -k1nx f
sort -k1,1nx f
sort -k1n.2 f
sort -k1b,1bx f
sort -k $'1\n2'
sort -k $'1\303\251'
sort -k "1'\\"
sort -k 1,2.$'\t'
sort -k 99999999999999999999999 in
sort -k 18446744073709551615,1 in
sort -txx
sort -t ''
sort -t '\0' f
sort -t '\00' f
sort -t '\' f
sort -t $'\303\251' f
sort -t $'\351' f
X
