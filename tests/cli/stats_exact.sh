#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats quantile --exact: the values of sorted copies, in memory and by temporary
# files, of which nothing stays; whenever there is a report, and with what else was asked.
. "$GS_CLI/try.inc"
. "$GS_CLI/peak.inc"
cat >check.py <<'PY'
import array, functools, json, math, sys
values = array.array("I", open("n.bin", "rb").read())
@functools.lru_cache(None)
def numbers_of(n): return sorted(values[:n])
for answers in sys.argv[1:]:
    for line in open(answers):
        told = json.loads(line)
        n = told["n"]
        numbers = numbers_of(n)
        for q in told["quantiles"]:
            rank = min(n, max(1, math.ceil(q["phi"] * n)))
            if q["value"] != numbers[rank - 1]:
                print(answers, n, q, "and not", numbers[rank - 1])
        if told["error_max"] != 0 or told["eps"] != 0:
            print(told)
    print("spilled" if told["spilled_bytes"] > 0 else "in memory", told["n"])
PY
mkdir spill
for shape in gaussian zipf sorted reversed few; do
    gpusort gen u32 -n 400000 --dist=$shape --seed=11 -o n.bin
    od -An -v -w4 -tu4 n.bin | tr -d ' ' >n.txt
    for memory in 100M 1M; do
        gpusort stats quantile --exact -S $memory --phi=0,0.001,0.25,0.5,0.9,0.999,1 --json \
            -T spill --every=250001 n.txt >told.$memory
    done
    python3 check.py told.100M told.1M
    gpusort stats quantile --exact --type=u32 --binary --phi=0,0.3,1 n.bin >got
    gpusort stats quantile --exact --parallel=1 -S 1M --phi=0,0.3,1 <n.txt | cmp - got
done
ls spill
gpusort gen u32 -n 10000000 --dist=gaussian -o n.bin
peak 88 gpusort stats quantile --exact --binary --type=u32 -S 24M -T spill - < <(cat n.bin)
ls spill
try_lines <<'LINES'
seq 10 | gpusort stats quantile --exact --phi=0,0.31,1
seq 10 | gpusort stats quantile --exact --phi=0.5 --every=4
gpusort stats quantile --exact /dev/null
gpusort stats quantile --exact --json /dev/null
seq 3 | gpusort stats quantile --exact --eps=0.1
seq 3 | gpusort stats quantile --exact --window=2
seq 2000000 | gpusort stats quantile --exact -S 24M -T nowhere
LINES
