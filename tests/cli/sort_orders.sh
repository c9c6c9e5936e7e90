#!/bin/bash
# SPDX-License-Identifier: MIT
# GNU sort: since 9.8
# Orders and keys that older versions of GNU sort take otherwise.
. "$GS_CLI/try.inc"
printf '%s\n' 1Q 2 1R 9Y 1r 1q -1Q -1R -2 0Q 3Ri 2RB 1K >sizes
printf '%s\n' nan 1 -nan inf 'nan(9)' x '-NaN(3)' +nan -inf 0 'nan(3)' 'nan(' >nans
printf '%s\n' .a .6~.5x .. . .A .0 a.b a a~ .b~ .b.c .~ a.tar.gz >versions
printf '%s\n' $'1\200' $'7' $'1\2002' $'\2009' 2 10 >high
printf ' b c\n\na b c\n' >fields
try_lines <<'X'
sort -h sizes | paste -sd ' '
sort -hf sizes | paste -sd ' '
sort -hr sizes | paste -sd ' '
sort -sh sizes | paste -sd ' '
sort -h --debug sizes
sort -g nans | paste -sd ' '
sort -gs nans | paste -sd ' '
sort -gr nans | paste -sd ' '
sort -gu nans | paste -sd ' '
sort -V versions | paste -sd ' '
sort -Vr versions | paste -sd ' '
sort -Vs versions | paste -sd ' '
sort -n high | od -c
sort -h high | od -c
sort -sn --debug high | od -c
sort -k2b,1.1 --debug -s fields
sort -k2n,1 --debug -s fields
sort +0.18446744073709551615R --random-source=sizes fields
sort +0.18446744073709551615 -1 fields
sort +1 -1.18446744073709551615R --random-source=sizes fields
sort +18446744073709551615 fields
sort -k1.18446744073709551615 --debug -s fields
sort -k1.18446744073709551614b,2.18446744073709551615b --debug -s fields
sort -k18446744073709551615,18446744073709551616 fields
sort -t ' ' -k2.9223372036854775807n fields
X
