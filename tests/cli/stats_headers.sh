#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats: which column is meant is what the header of a file says.
. "$GS_CLI/try.inc"

printf 'a,a,b\n1,2,3\n' >twice.csv
printf 'x y x\n1 2 3\n' >twice
try_lines <<'LINES'
gpusort stats quantile --csv -k a twice.csv
gpusort stats freq --csv -k a twice.csv
gpusort stats quantile --csv -k b --phi=0 twice.csv
gpusort stats quantile --csv -k 2 --phi=0 twice.csv
gpusort stats corrsum -k x --sum=y twice
gpusort stats corrsum -k y --sum=x twice
gpusort stats summary --csv -k a twice.csv
LINES
