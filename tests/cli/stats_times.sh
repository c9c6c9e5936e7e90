#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats quantile --window=TIME: of the values whose time is within it, at rates that
# change, with times out of order and times that stand still, against sorted copies.
. "$GS_CLI/try.inc"
. "$GS_CLI/peak.inc"
cat >make.py <<'PY'
import random, sys
shape, rows = sys.argv[1], int(sys.argv[2])
random.seed(shape)
at = 1.7e9
for i in range(rows):
    if shape == "bursts":
        at += 60 * random.random() if random.random() < 0.001 else 0.001
    elif shape == "slower":
        at += i / rows * 0.01
    elif shape == "faster":
        at += (rows - i) / rows * 0.01
    elif shape == "still":
        at += 50 if i % 9000 == 0 else 0
    else:
        at += 0.01
    late = random.random() * 20 if shape == "late" and random.random() < 0.3 else 0
    value = {"late": i, "slower": -i}.get(shape, random.gauss(0, 1000))
    print(f"{at - late:.3f} {value}")
PY
cat >check.py <<'PY'
import bisect, json, math, sys
name, window, eps = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
times, values, latest = [], [], -math.inf
for line in open(name):
    t, v = map(float, line.split())
    latest = max(latest, t)
    times.append(latest)
    values.append(v)
reports = 0
for line in sys.stdin:
    told = json.loads(line)
    reports += 1
    end = told["n"]
    begin = bisect.bisect_right(times, times[end - 1] - window, 0, end)
    numbers = sorted(values[begin:end])
    n = len(numbers)
    def bad(*what): print(name, window, eps, "at", end, "of", n, *what)
    if abs(told["window"] - n) > eps * n: bad("window", told["window"])
    if told["error_max"] > max(eps * n, 1): bad("error", told["error_max"])
    for q in told["quantiles"]:
        rank = max(1, math.ceil(q["phi"] * n))
        low, high = bisect.bisect_left(numbers, q["value"]) + 1, bisect.bisect_right(numbers, q["value"])
        if high < low or rank > high + eps * n or rank < low - eps * n: bad(q, low, high)
if reports < 5: print("only", reports, "reports")
PY
rows=25000 every=4501
[ -n "${GS_TEST_LONG:-}" ] && rows=60000 every=11001
for shape in even bursts slower faster still late; do
    python3 make.py $shape $rows >$shape
    for how in '1s 1 0.05 1M' '10s 10 0.01 40M' '2m 120 0.1 1M' '1h 3600 0.02 40M' '1h 3600 0.05 1M' \
        '30d 2592000 0.005 100M'; do
        set -- $how
        gpusort stats quantile --window=$1 --time-column=1 -k 2 --eps=$3 --phi=0,0.1,0.5,0.99,1 \
            --every=$every --json -S $4 $shape | python3 check.py $shape $2 $3
    done
    gpusort stats quantile --window=10s --time-column=1 -k 2 --eps=0.05 -S 1M $shape >got
    gpusort stats quantile --window=10s --time-column=1 -k 2 --eps=0.05 -S 1M --parallel=1 <$shape | cmp - got
done
python3 -c '
import array
a = array.array("d", [x for line in open("bursts") for x in reversed(list(map(float, line.split())))])
a.tofile(open("pairs", "wb"))'
gpusort stats quantile --window=2m --time-column=1 -k 2 bursts >got
gpusort stats quantile --window=2m --binary pairs | cmp - got

cat >t.csv <<'CSV'
when,size
2024-02-28T23:59:50Z,1
2024-02-28 23:59:59.5,2
2024-02-29T01:00:00+01:00,3
1709164801,4
[29/Feb/2024:00:00:02,5
2024-02-29T00:00:03.25,6
CSV
try_lines <<'LINES'
gpusort stats quantile --csv -k size --time-column=when --window=1s --phi=0,1 --every=1 t.csv
gpusort stats quantile --csv -k size --time-column=when --window=3.5s --phi=0,1 t.csv
gpusort stats quantile --csv -k size --time-column=when --window=1d --phi=0,1 t.csv
printf '2023-02-29 1\n' | gpusort stats quantile -k 2 --time-column=1 --window=1s
printf '2023-02-28T24:00:00 1\n' | gpusort stats quantile -k 2 --time-column=1 --window=1s
printf 'inf 1\n' | gpusort stats quantile -k 2 --time-column=1 --window=1s
printf 'x 1\n2023-02-28 7\n' | gpusort stats quantile -k 2 --time-column=1 --window=1s --skip-bad
printf '1\n' | gpusort stats quantile -k 2 --time-column=1 --window=1s
gpusort stats quantile -k 2 --time-column=1 --window=1s /dev/null
gpusort stats quantile --window=1s t.csv
gpusort stats quantile --time-column=1 --window=1s t.csv
gpusort stats quantile --time-column=1 t.csv
gpusort stats quantile --window=0s t.csv
gpusort stats quantile --window=xs t.csv
gpusort stats quantile --binary --time-column=1 --window=1s pairs
gpusort stats quantile --exact -k 2 --time-column=1 --window=1s even
gpusort stats freq --window=1s even
LINES
gpusort gen u64 -n 6000000 -o n.bin # three million pairs, in a window without an end
peak 88 gpusort stats quantile --binary --type=u64 --window=30d --eps=0.05 -S 24M - < <(cat n.bin)
