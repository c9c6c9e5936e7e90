#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats corrsum: sums against those of all pairs, for every figure of x.
. "$GS_CLI/try.inc"
cat >make.py <<'PY'
import array, random, sys
shape, rows = sys.argv[1], int(sys.argv[2])
random.seed(shape)
out = array.array("d")
for i in range(rows):
    x = {"random": random.gauss(0, 100), "sorted": i, "reversed": -i, "few": random.randrange(7),
         "adversary": i if i % 2 else 2 * rows - i}[shape]
    y = random.choice([1, -2, random.paretovariate(0.7), 0, 1e6 if i % 999 == 0 else 3])
    out.extend((x, y))
out.tofile(open("pairs", "wb"))
PY
cat >check.py <<'PY'
import array, bisect, json, math, sys
import itertools
pairs = array.array("d")
pairs.frombytes(open("pairs", "rb").read())
xy = sorted(zip(pairs[::2], pairs[1::2]))
xs = [x for x, y in xy]
sums = [0.0] + list(itertools.accumulate(y for x, y in xy))
total, n = math.fsum(abs(y) for x, y in xy), len(xs)
for line in sys.stdin:
    agg, times, plus, told = line.split("\t")
    told, times, plus = json.loads(told), float(times), float(plus)
    eps, limit, rounding = told["eps"], told["limit"], 1e-12 * total
    if agg == "quantile":
        figure = (limit - plus) / times
        low, high = bisect.bisect_left(xs, figure) + 1, bisect.bisect_right(xs, figure)
        if abs(plus) + abs(times - 1) == 0 and not low - eps * n <= n // 2 <= high + eps * n:
            print(agg, limit, "of ranks", low, high)
    else:
        true = {"avg": math.fsum(xs) / n, "min": xs[0], "max": xs[-1]}[agg] * times + plus
        if abs(limit - true) > 1e-9 * (1 + abs(true)):
            print(agg, "limit", limit, true)
    true = sums[bisect.bisect_right(xs, limit)]
    if told["n"] != n or not told["least"] - rounding <= true <= told["most"] + rounding:
        print(agg, "least", told["least"], "most", told["most"], "of", true)
    if abs(told["sum"] - true) > eps * total + rounding:
        print(agg, "sum", told["sum"], "of", true, "eps", eps)
PY
for shape in random sorted reversed few adversary; do
    rows=20000
    [ $shape != random ] || rows=60000
    [ -z "${GS_TEST_LONG:-}" ] || rows=120000
    python3 make.py $shape $rows
    for eps in 0.1 0.003 0.00001; do
        for how in 'avg 1 0' 'max 0.5 -3' 'min 1 0' 'quantile 1 0' 'quantile -1 5.5' 'avg 0 1e300'; do
            set -- $how
            printf '%s\t%s\t%s\t' $how
            gpusort stats corrsum --binary --eps=$eps --agg=$1 --times=$2 --plus=$3 --json pairs
        done
    done >told
    python3 check.py <told
    gpusort stats corrsum --binary --eps=0.003 --agg=max --times=0.5 pairs >all_threads
    gpusort stats corrsum --binary --eps=0.003 --agg=max --times=0.5 --parallel=1 <pairs |
        cmp - all_threads
done
# Integers, and most of memory is bounded: a hundredth of what the pairs take.
python3 -c 'print("".join("%d,x,%d\n" % (i * 7919 % 100003, i) for i in range(100000)), end="")' >t.csv
gpusort stats corrsum --csv --no-header --sum=3 --type=i64 --eps=0.05 --json t.csv |
    python3 -c 'import json, sys; t = json.load(sys.stdin); print(t["n"], t["summary_bytes"] < 160000)'

printf 'size,price\n1,10\n2,20\n3,30.5\n' >p.csv
try_lines <<'LINES'
gpusort stats corrsum --csv -k size --sum=price p.csv
gpusort stats corrsum --csv --header -k 1 --sum 2 --agg=quantile --phi=1 p.csv
gpusort stats corrsum --csv --header --agg=max --times=-1 p.csv
printf '1 2\n3\n' | gpusort stats corrsum
printf '1 inf\n' | gpusort stats corrsum
printf -- '-inf 1\ninf 1\n' | gpusort stats corrsum
printf '1 1e308\n2 1e308\n' | gpusort stats corrsum
printf '1e308 1\n1e308 1\n1 5\n' | gpusort stats corrsum --json
printf -- '1e308 1\n1e308 1\n-1e308 1\n-1e308 1\n' | gpusort stats corrsum
printf '1e308 1\n1e308 1\n1 5\n' | gpusort stats corrsum --agg=max --times=0.5
printf '1e308 1\ninf 1\n1e308 5\n' | gpusort stats corrsum --json | grep -o '"limit": "inf"'
printf '1 2\n3 -4\n' | gpusort stats corrsum --agg=max --every=1
gpusort stats corrsum /dev/null
gpusort stats corrsum --json /dev/null
gpusort stats corrsum --agg=sum p.csv
gpusort stats corrsum --times=x p.csv
gpusort stats corrsum --binary --sum=2 p.csv
LINES

# Sums of X that are too large only together.
echo '1.5e308 1' | gpusort stats corrsum --save=one
echo '1e308 1' | gpusort stats corrsum --save=two
try 'gpusort stats merge one two'
try 'gpusort stats merge --agg=min one two'
