#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort bench, as far as it goes without a GPU: the C library's sort, files, errors.
. "$GS_CLI/try.inc"
export CUDA_VISIBLE_DEVICES=
quick='gpusort bench --engine=qsort --runs=1'
try_lines <<X
$quick --size=1000,2^10 --type=all --distribution=zipf,equal --csv=c --svg=s >out
cut -d, -f1-6 c
grep -v '^gpu' out | cut -c1-43 | head -4
grep -c '<polyline' s; grep -o '>u128, equal<' s
python3 -c 'import xml.dom.minidom as x; x.parse("s")'
$quick --size=1,2,3 --distribution=all --csv=c >out; wc -l <c
$quick --size=2^10+3 | grep -c 1027
gpusort bench --list | grep -A3 qsort
$quick --papers --size-max=2M --csv=c --svg=s | grep -E '^(gauss|uniform +1)' | tr -s ' ' | sed 's/ - [0-9]* - /TIME/'
wc -l <c
$quick --size=2^40 --distribution=few | grep -v ^gpu | sed 's/needed.*/needed/'
gpusort bench --engine=nosuch
gpusort bench --engine=qsort --distribution=uniform,nosuch
gpusort bench --engine=qsort --type=u8
gpusort bench --engine=qsort --size=
gpusort bench --engine=qsort --size=0
gpusort bench --engine=qsort --size=3^4
gpusort bench --engine=qsort --size=2^41
gpusort bench --engine=qsort --size=99999999999999999999
gpusort bench --engine=qsort --size=10T
gpusort bench --engine=qsort --size=5-3
gpusort bench --engine=qsort --runs=0
gpusort bench --engine=qsort --runs=1x
gpusort bench --engine=qsort --gpu=x
gpusort bench --engine=qsort --gpu=
gpusort bench --engine=qsort --place=moon
gpusort bench --engine=qsort --size-max=5
gpusort bench --engine=qsort extra
gpusort bench --engine=qsort --size=5 --csv=no/such
gpusort bench --engine=qsort --size=5 --svg=/dev/full >out
$quick --size=5 >/dev/full
X
