#!/bin/bash
# SPDX-License-Identifier: MIT
# GNU sort: since 9.7
# The warnings of --debug.
. "$GS_CLI/try.inc"
{
cat <<'X'
sort --debug f
sort -n --debug f
sort -b --debug f
sort -u --debug f
sort -s --debug f
sort -r --debug f
sort -rs --debug f
sort -ru --debug f
sort -rM --debug f
sort -rM -k1,1 --debug f
sort -Rr --debug f
sort -s -k2,1 --debug f
sort -s -k2,1n --debug f
sort -s -k1,2n --debug f
sort -s -rRVMhgb -k1,1n --debug f
sort -rRVMhgb -k1,1n --debug f
sort -r -k1,1n --debug f
sort -rs -k1,1n --debug f
sort -ru -k1,1n --debug f
sort -r -k1r --debug f
sort -rb -k1r,1 -k2 --debug f
sort -gbr -k1,1n -k1,1r --debug f
sort -b -k1b,1bn --debug f
sort -b -k1,1bn --debug f
sort -b -k1,1bn -k2b,2 --debug f
sort -b -k1.2 --debug f
sort -bn -k2,2 --debug f
sort -bh -k1,1 -k2b,2 -k3n --debug f
sort -r -k1,1r --debug f
sort -i -k1,1i --debug f
sort -d -k1,1b --debug f
sort -i -k1,1d --debug f
sort -di -k1,1i --debug f
sort -R -r -s -V -d -i -f -k1,1b --debug f
sort -dfiRrsV --debug f
sort -rb -k2n +2.2 -1b --debug f
sort +0 -1 --debug f
sort +0 --debug f
sort +1.2 -3.4 --debug f
sort +1 -0 --debug f
sort +0.1 -0.5n --debug f
sort +1n -2 -b --debug f
sort -M -k1 --debug f
sort -k1.2,1.3 --debug f
sort -k2.2,2.3 --debug f
sort -k2.2b,2.3b --debug f
sort -k2.2b,2.3 --debug f
sort -k2.2n,2.3 --debug f
sort -k2,1 --debug f
sort -k2n,1 --debug f
sort -k2,1 -t, --debug f
sort -nk1 -t, --debug f
sort -nk1 -t. --debug f
sort -nk1 -t- --debug f
sort -gk1 -t+ --debug f
sort -nk1 -t+ --debug f
sort -hk1 -t+ --debug f
sort -hk1 -t. --debug f
sort -gk1 -t. --debug f
sort -t. -n --debug f
sort -t. -k1,1n --debug f
sort -t- -k1n --debug f
sort -k1,1h -t , --debug f
sort -k1,1d -k2,2i -k3,3f -k4,4V -k5,5R --debug f
sort -k 18446744073709551615,1 --debug f
sort -k 1,18446744073709551615n --debug f
sort -n -M -k1,1b --debug f
sort -m --debug f
LC_ALL=missing sort --debug f
LC_ALL=POSIX sort --debug f
sort -dn --debug f
X
} >lines
: >f
try_lines <lines
