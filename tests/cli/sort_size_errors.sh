#!/bin/bash
# SPDX-License-Identifier: MIT
# GNU sort: since 9.12
# Numbers and sizes: -S, --parallel, --batch-size.
. "$GS_CLI/try.inc"
make_files
ulimit -n 200
try_lines <<'X'
sort -S 1KB
sort -S ''
sort -S ' '
sort -S x
sort -S -1
sort -S +1 f
sort -S K f
sort -S ' K'
sort -S 1R
sort -S 1Q
sort -S 1q
sort -S 0R f
sort --buffer-size=0Q f
sort -S $'a\nb'
sort -S "it's"
sort --parallel=$'\033'
sort --batch-size='\'
sort -S 1Y
sort -S 1Z
sort -S 16E
sort -S 0Y f
sort -S 10b f
sort -S 10% f
sort -S 10%%
sort -S %
sort -S 1bb
sort -S 99999999999999999999
sort -S 99999999999999999999%
sort -S 99999999999999999999x
sort -S 18014398509481984
sort -S 999999999999999999%
sort -S 1k f
sort -S 1g f
sort -S 1.5M
sort -S 0x10
sort --buffer-size=-1
sort --buffer-size=9x
sort --buffer-size=0 f
sort --buffer-size=1M -S 2M -S 1 f
sort --parallel=0
sort --parallel=x
sort --parallel=1x
sort --parallel=1K
sort --parallel=-1
sort --parallel -1
sort --parallel=
sort --parallel=99999999999999999999 f
sort --parallel=99999999999999999999x f
sort --parallel=3 f
sort --batch-size=0
sort --batch-size=1
sort --batch-size=x
sort --batch-size=-1
sort --batch-size=2x
sort --batch-size=198
sort --batch-size=9999999999
sort --batch-size=99999999999999999999999
sort --batch-size=99999999999999999999999x
sort --batch-size=197 f
sort --batch-size=2 f f f f f
X
