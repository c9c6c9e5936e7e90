#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats quantile and freq --window: of the last values, windows smaller and larger
# than the stream, against sorted and counted copies of them, whenever there is a report.
. "$GS_CLI/try.inc"
cat >check.py <<'PY'
import bisect, collections, json, math, sys
name, window, eps, support = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
values = open(name).read().split("\n")[:-1]
reports = 0
for line in sys.stdin:
    told = json.loads(line)
    reports += 1
    last = values[max(0, told["n"] - window):told["n"]]
    n = len(last)
    def bad(*what): print(name, window, eps, "at", told["n"], *what)
    if told["window"] != n or told["error_max"] > eps * n: bad("bounds", told["window"], told["error_max"])
    if "quantiles" in told:
        numbers = sorted(map(float, last))
        for q in told["quantiles"]:
            rank = max(1, math.ceil(q["phi"] * n))
            low, high = bisect.bisect_left(numbers, q["value"]) + 1, bisect.bisect_right(numbers, q["value"])
            if high < low or rank > high + eps * n or rank < low - eps * n: bad(q, low, high)
    else:
        exact = collections.Counter(last)
        got = {str(v["value"]): v["count"] for v in told["values"]}
        for v, c in got.items():
            if not exact[v] - eps * n <= c <= exact[v] or exact[v] < (support - eps) * n: bad(v, c, exact[v])
        for v, c in exact.items():
            if c >= support * n and v not in got: bad(v, "of", c, "is not there")
if reports != 4: print(name, window, "only", reports, "reports")
PY
for shape in zipf sorted; do
    gpusort gen u32 -n 12000 --dist=$shape --seed=5 -o n.bin
    od -An -v -w4 -tu4 n.bin | tr -d ' ' >$shape
    for how in '50000 0.02' '5000 0.1' '5001 0.005' '300 0.01'; do
        set -- $how
        gpusort stats quantile --window=$1 --eps=$2 --phi=0,0.1,0.5,0.99,1 --every=3001 --json $shape >got
        python3 check.py $shape $1 $2 0 <got
        support=$(awk "BEGIN { print 2 * $2 }")
        for type in text u32; do
            gpusort stats freq --window=$1 --eps=$2 --support=$support --type=$type --every=3001 --json \
                $shape >got
            python3 check.py $shape $1 $2 $support <got
        done
    done
    gpusort stats quantile --window=4999 --eps=0.01 $shape >got
    gpusort stats quantile --window=4999 --eps=0.01 --parallel=1 <$shape | cmp - got
done

# Sums: of the pairs that are said to count, which are all but eps W / 4 of the last W.
cat >sums.py <<'PY'
import json, math, sys
window, eps, agg = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
pairs = [tuple(map(float, line.split())) for line in open("pairs")]
reports = 0
for line in sys.stdin:
    told = json.loads(line)
    reports += 1
    whole, n = min(window, told["n"]), told["window"]
    def bad(*what): print(window, eps, agg, "at", told["n"], *what)
    if not whole - eps * window / 4 <= n <= whole: bad("window", n)
    last = pairs[told["n"] - n:told["n"]]
    xs, limit = sorted(x for x, y in last), told["limit"]
    if agg == "quantile":
        low, high = sum(x < limit for x in xs) + 1, sum(x <= limit for x in xs)
        if not low - eps * n <= math.ceil(n / 4) <= high + eps * n: bad("limit", limit, low, high)
    else:
        true = {"avg": math.fsum(xs) / n, "max": xs[-1], "min": xs[0]}[agg] / 2 + 3
        if abs(limit - true) > 1e-9 * (1 + abs(true)): bad("limit", limit, true)
    total = math.fsum(abs(y) for x, y in last)
    true = math.fsum(y for x, y in last if x <= limit)
    if not told["least"] - 1e-9 * total <= true <= told["most"] + 1e-9 * total: bad(told, true)
    if abs(told["sum"] - true) > eps * total * 1.000001: bad("sum", told["sum"], true)
if reports != 4: print("only", reports, "reports")
PY
# Now and then a y is as much as all others together.
python3 -c '
import random
random.seed(8)
for i in range(12000):
    print(random.choice([i, 12000 - i, random.gauss(0, 3000)]), 1e7 if i % 997 == 0 else random.gauss(0, 1))' >pairs
for how in '50000 0.02' '5000 0.1' '5001 0.01' '300 0.02'; do
    set -- $how
    for agg in avg min max; do
        gpusort stats corrsum --window=$1 --eps=$2 --agg=$agg --times=0.5 --plus=3 --every=3001 --json pairs |
            python3 sums.py $1 $2 $agg
    done
    gpusort stats corrsum --window=$1 --eps=$2 --agg=quantile --phi=0.25 --every=3001 --json pairs |
        python3 sums.py $1 $2 quantile
done
gpusort stats corrsum --window=3000 --eps=0.01 pairs >got
gpusort stats corrsum --window=3000 --eps=0.01 --parallel=1 <pairs | cmp - got

try_lines <<'LINES'
seq 6 | sed 's/.*/& &/' | gpusort stats corrsum --window=2 --agg=max --every=4
gpusort stats corrsum --window=2 /dev/null
gpusort stats corrsum --window=2 --save=x pairs
seq 100 | gpusort stats quantile --window=10 --phi=0,0.5,1 --every=50
seq 100 | gpusort stats freq --window=3
gpusort stats quantile --window=5 /dev/null
gpusort stats freq --window=5 /dev/null
gpusort stats freq --window=0 /dev/null
gpusort stats quantile --window=x /dev/null
seq 300000 | gpusort stats quantile --window=100M --eps=0.0000001 -S 1M
LINES
