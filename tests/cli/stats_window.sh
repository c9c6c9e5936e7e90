#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats quantile and freq --window: of the last values, windows smaller and larger
# than the stream, against sorted and counted copies of them, whenever there is a report.
. "$GS_CLI/try.inc"
. "$GS_CLI/told.inc"
cat >check.py <<'PY'
import bisect, collections, functools, json, math
@functools.lru_cache(None)
def read(name): return open(name).read().split("\n")[:-1]
@functools.lru_cache(None)
def numbers_of(name, begin, end): return sorted(map(float, read(name)[begin:end]))
@functools.lru_cache(None)
def counts_of(name, begin, end): return collections.Counter(read(name)[begin:end])
def check(told, name, window, eps, support):
    end = told["n"]
    begin = max(0, end - window)
    n = end - begin
    def bad(*what): print(name, window, eps, "at", end, *what)
    if told["window"] != n or told["error_max"] > eps * n: bad("bounds", told["window"], told["error_max"])
    if "quantiles" in told:
        numbers = numbers_of(name, begin, end)
        for q in told["quantiles"]:
            rank = max(1, math.ceil(q["phi"] * n))
            low, high = bisect.bisect_left(numbers, q["value"]) + 1, bisect.bisect_right(numbers, q["value"])
            if high < low or rank > high + eps * n or rank < low - eps * n: bad(q, low, high)
    else:
        exact = counts_of(name, begin, end)
        got = {str(v["value"]): v["count"] for v in told["values"]}
        for v, c in got.items():
            if not exact[v] - eps * n <= c <= exact[v] or exact[v] < (support - eps) * n: bad(v, c, exact[v])
        for v, c in exact.items():
            if c >= support * n and v not in got: bad(v, "of", c, "is not there")
for job in open("jobs"):
    answers, name, window, eps, support = job.split()
    reports = 0
    for line in open(answers):
        check(json.loads(line), name, int(window), float(eps), float(support))
        reports += 1
    if reports != 4: print(name, window, "only", reports, "reports")
PY
for shape in zipf sorted; do
    gpusort gen u32 -n 12000 --dist=$shape --seed=5 -o n.bin
    od -An -v -w4 -tu4 n.bin | tr -d ' ' >$shape
    for how in '50000 0.02 0.04' '5000 0.1 0.2' '5001 0.005 0.01' '300 0.01 0.02'; do
        set -- $how
        answer $shape $1 $2 0
        gpusort stats quantile --window=$1 --eps=$2 --phi=0,0.1,0.5,0.99,1 --every=3001 --json $shape >$told
        for type in text u32; do
            answer $shape $1 $2 $3
            gpusort stats freq --window=$1 --eps=$2 --support=$3 --type=$type --every=3001 --json \
                $shape >$told
        done
    done
    gpusort stats quantile --window=4999 --eps=0.01 $shape >got
    gpusort stats quantile --window=4999 --eps=0.01 --parallel=1 <$shape | cmp - got
done
python3 check.py
rm jobs

# Sums: of the pairs that are said to count, which are all but eps W / 4 of the last W.
cat >sums.py <<'PY'
import json, math
pairs = [tuple(map(float, line.split())) for line in open("pairs")]
def check(told, window, eps, agg):
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
for job in open("jobs"):
    answers, window, eps, agg = job.split()
    reports = 0
    for line in open(answers):
        check(json.loads(line), int(window), float(eps), agg)
        reports += 1
    if reports != 4: print(job, "only", reports, "reports")
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
        answer $1 $2 $agg
        gpusort stats corrsum --window=$1 --eps=$2 --agg=$agg --times=0.5 --plus=3 --every=3001 --json pairs >$told
    done
    answer $1 $2 quantile
    gpusort stats corrsum --window=$1 --eps=$2 --agg=quantile --phi=0.25 --every=3001 --json pairs >$told
done
python3 sums.py
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
