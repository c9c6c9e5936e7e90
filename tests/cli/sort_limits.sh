#!/bin/bash
# SPDX-License-Identifier: MIT
# Little address space, small stacks and few open files: slower, and right.
. "$GS_CLI/try.inc"
(ulimit -v 1000000; sort /dev/null) 2>/dev/null || exit 77 # a sanitizer maps far more
seq 700000 -1 1 >numbers
for i in $(seq 40); do
    sed -n "$i~40p" numbers | sort -o part$i
done
# KIB of address space besides the program, which is large with kernels in it.
program_kib=$(($(stat -Lc %s "$(command -v sort)") / 1024))
space() {
    ulimit -v $((program_kib + $1))
}
try_lines <<'X'
space 30000; sort numbers | cksum
space 50000; sort -n --parallel=8 numbers | cksum
space 100000; cat numbers | sort --parallel=64 | cksum
space 50000; sort -S 1G -k1.2,1.4n -u numbers | cksum
space 50000; sort -m part* | cksum
space 50000; sort -c part1
space 50000; sort -S 1M -o out numbers numbers; cksum out
ulimit -d 30000; sort -r numbers | cksum
ulimit -s 256; sort numbers | cksum
ulimit -n 7; sort -S 1M numbers | cksum
ulimit -n 7; sort -m part* | cksum
ulimit -f 2000; seq 2000000 | sort -S 1M -T . -o out
ulimit -f 2000; seq 2000000 | sort -S 1G -T . -o out
X
