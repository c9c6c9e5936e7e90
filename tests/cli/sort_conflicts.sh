#!/bin/bash
# SPDX-License-Identifier: MIT
# Options that contradict each other.
. "$GS_CLI/try.inc"
make_files
try_lines <<'X'
sort -c -C
sort -C -c
sort --check=silent -c
sort -cC f
sort -c -o x
sort -C -o x
sort -c --debug
sort -C --debug
sort -o x --debug
sort -c --debug -o x f
sort -c f g
sort -C f g
sort -c f 'a b'
sort -dn
sort -in
sort -nR
sort -dfgiMnR
sort -dg
sort -iM
sort -nh
sort -hn
sort -gn
sort -Mg
sort -nV
sort -bnrM
sort --sort=random -n
sort --sort=version --sort=month
sort -k1nd
sort -k1n,1M
sort -hM -k2nd
sort -n -M -k1b f
sort -n -M -k1r f
sort -nM -k1f f
sort -n -k1M f
sort -di f
sort -fiR f
sort -Vd f
sort -RVd f
sort -bn f
sort -fn f
sort -o a -o b
sort -o out -o ./out f
sort -o out -o out f
sort -ta -tb
sort -ta -ta f
sort --compress-program=a --compress-program=b
sort --compress-program=cat --compress-program=cat f
sort --random-source=a --random-source=b
sort -k1,1n,2 f
sort -k1.1n,1.1n -c -o f f g
X
