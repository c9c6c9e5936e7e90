#!/bin/bash
# SPDX-License-Identifier: MIT
# GNU sort: since 9.7
# What --debug underlines.
. "$GS_CLI/try.inc"
try_lines <<'X'
printf '1\n' | sort -n --debug
printf '\t1\n' | sort -n --debug
printf ' 1\n' | sort -b --debug
printf ' \n' | sort -b --debug
printf ' 1\n' | sort -n -k2 --debug
printf 'a b\tc d\n' | sort -k2 --debug
printf 'a b\tc d\n' | sort -k2b,2 --debug
printf 'a b\tc d\n' | sort -s -k2,2 --debug
printf 'a b\tc d\n' | sort -u -k2.2,3.1 -k1,1 --debug
printf '2,5\n' | sort -sk1n --debug
printf '2.,,3\n' | sort -sn --debug
printf '2.5K\n' | sort -sh --debug
printf '2.K\n' | sort -sh --debug
printf -- '--2\n' | sort -sn --debug
printf -- '-.5x\n' | sort -sn --debug
printf -- '-\n' | sort -sn --debug
printf -- '.\n' | sort -sn --debug
printf -- '-K\n' | sort -sh --debug
printf -- '-5Kb\n' | sort -sh --debug
printf -- '5k\n' | sort -sh --debug
printf -- '5m\n' | sort -sh --debug
printf '0x10 1e5\n' | sort -sg --debug
printf '0x10 1e5\n' | sort -sk2g --debug
printf 'nanx\n' | sort -sg --debug
printf ' infinity1\n' | sort -sg --debug
printf ' -infi\n' | sort -g --debug
printf ' january x\n' | sort -M --debug
printf ' xjan\n' | sort -M --debug
printf 'jan\n' | sort -sM -k1.2 --debug
printf 'a:jaN:x\n' | sort -t: -k2M,2 --debug
printf '1\0' | sort -z --debug
printf '1\n2\0' | sort -zk1n --debug
printf '\001\002x\200\377y\n' | sort -k1.3 --debug
printf 'a\n\n' | sort --debug
printf '' | sort --debug
printf '1234 5678\n' | sort -k1.2,1.3 -k2.2n,2.3 --debug
printf '1234 5678\n' | sort -k2,1 -k3,3 -k1.10,1.11 --debug
printf 'a  b\n' | sort -k2n,2.0 --debug
printf 'x 5\n' | sort +1n -2 --debug
printf '  5 \n' | sort -n -t ' ' -k 3,3 --debug
printf 'a' | sort --debug
printf 'a\t\tb\n' | sort -t'	' -k2,2 -k3 --debug
printf 'a\nb\n' | sort -m --debug
printf '1 1\n' | sort -k2,2.1b --debug
printf '1 1\n' | sort -k2.1b,2.1b --debug
printf '1 1\n' | sort -k1,2.1 --debug
printf '   x\n' | sort -k1b,1.2 --debug
printf '   x\n' | sort -b -k1.1,1.2 --debug
printf '   7\n' | sort -n -k1.1,1.2 --debug
printf '   7\n' | sort -nb -k1.1,1.2 --debug
printf 'a1.2 b\n' | sort -V -k1,1 --debug
printf 'a1.2 b\n' | sort -R -s -k1,1 --debug
printf 'a1.2 b\n' | sort -di -k1,1 --debug
printf '1,234.5,6\n' | sort -n --debug
printf '+5\n' | sort -n --debug
printf '+5\n' | sort -g --debug
printf '\f5\n' | sort -g --debug
printf '\v\f5\n' | sort -n --debug
printf '1\n\n44\n33\n2\n' | sort -s -k2n --debug
printf '1\n\n44\n33\n2\n' | sort -s -k1.3h --debug
printf '1\n\n44\n33\n2\n' | sort -s -k1g --debug
printf 'FEB\nJAZZ\n\nJAN\n' | sort -s -k1M --debug
printf ' 1\n1\n' | sort -sb --debug
printf ' 1\n1\n' | sort --debug
printf -- '-0\n1\n-2\n--Mi-1\n-3\n-0\n' | sort -s --debug -k1,1h
printf 'A\tchr10\nB\tchr1\n' | sort -s -k2.4b,2.3n --debug
printf '1 2\n1 3\n' | sort -s -k1.2b --debug
printf '\0\ta\n' | sort -s -k2b,2 --debug | tr '\0' '@'
printf 'b\na\nb\n' | sort -u --debug
printf 'b\na\nb\n' | sort -r --debug
printf 'b\n' | sort --debug -S 1M --parallel=1 -t, -k1,1 -k2,2
X
