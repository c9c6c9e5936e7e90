#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort bench stats: a line a case, with sensible figures; the same in a file.
. "$GS_CLI/try.inc"
gpusort bench stats --values=300K --eps=0.01,0.001 --runs=1 --engine=cpu --csv=got.csv >got
sed -n '4,$p' got | awk '{ print substr($0, 1, 33), ($(NF - 3) > 0 && $(NF - 2) > 0 && $(NF - 1) <= 100) }'
cut -d , -f 1-4 got.csv
try_lines <<'LINES'
gpusort bench stats --eps=0
gpusort bench stats --eps=0.1,
gpusort bench stats --values=0
gpusort bench stats --runs=100
gpusort bench stats --values=1K --csv=nowhere/x
LINES
