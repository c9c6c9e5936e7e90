#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats quantile and freq --window=TIME: of the values whose time is within it, at rates that
# change, with times out of order and times that stand still, against sorted copies.
. "$GS_CLI/try.inc"
. "$GS_CLI/peak.inc"
. "$GS_CLI/told.inc"
cat >make.py <<'PY'
import random, sys
def make(shape, rows, out):
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
        few = min(int(random.expovariate(0.4)), 40) + (i // 3000 * 7 if shape in ("late", "bursts") else 0)
        if shape in ("slower", "faster"): # all are as frequent as is asked for, or nearly
            few = i % 10
        elif random.random() < 0.3:
            few = random.randrange(1000, 30000)
        print(f"{at - late:.3f} {value} {few}", file=out)
for shape in sys.argv[2:]:
    with open(shape, "w") as out: make(shape, int(sys.argv[1]), out)
PY
cat >check.py <<'PY'
import bisect, collections, functools, json, math
@functools.lru_cache(None)
def read(name):
    times, values, fews, latest = [], [], [], -math.inf
    for line in open(name):
        t, v, few = line.split()
        latest = max(latest, float(t))
        times.append(latest)
        values.append(float(v))
        fews.append(few)
    return times, values, fews
@functools.lru_cache(None)
def numbers_of(name, begin, end): return sorted(read(name)[1][begin:end])
@functools.lru_cache(None)
def counts_of(name, begin, end): return collections.Counter(read(name)[2][begin:end])
def check_counts(told, exact, n, eps, bad):
    support, got = told["support"], {str(v["value"]): v["count"] for v in told["values"]}
    for v, c in got.items():
        if not exact[v] - eps * n <= c <= exact[v] or exact[v] - c > told["error_max"]: bad(v, c, exact[v])
        if exact[v] < (support - eps) * n: bad(v, "is there with", exact[v])
    for v, c in exact.items():
        if c >= support * n and v not in got: bad(v, "of", c, "is not there")
def check(told, name, window, eps):
    end, times = told["n"], read(name)[0]
    begin = bisect.bisect_right(times, times[end - 1] - window, 0, end)
    n = end - begin
    def bad(*what): print(name, window, eps, "at", end, "of", n, *what)
    if abs(told["window"] - n) > eps * n: bad("window", told["window"])
    if told["error_max"] > max(eps * n, 1): bad("error", told["error_max"])
    if "values" in told: check_counts(told, counts_of(name, begin, end), n, eps, bad)
    else: numbers = numbers_of(name, begin, end)
    for q in told.get("quantiles", ()):
        rank = max(1, math.ceil(q["phi"] * n))
        low, high = bisect.bisect_left(numbers, q["value"]) + 1, bisect.bisect_right(numbers, q["value"])
        if high < low or rank > high + eps * n or rank < low - eps * n: bad(q, low, high)
for job in open("jobs"):
    answers, name, window, eps = job.split()
    reports = 0
    for line in open(answers):
        check(json.loads(line), name, float(window), float(eps))
        reports += 1
    if reports < 5: print(job, "only", reports, "reports")
PY
rows=12000 every=2201
[ -n "${GS_TEST_LONG:-}" ] && rows=60000 every=11001
shapes=(even bursts slower faster still late)
python3 make.py $rows "${shapes[@]}"
for shape in "${shapes[@]}"; do
    for how in '1s 1 0.05 1M' '10s 10 0.01 40M' '2m 120 0.1 1M' '1h 3600 0.02 40M' '1h 3600 0.05 1M' \
        '30d 2592000 0.005 100M'; do
        set -- $how
        answer $shape $2 $3
        gpusort stats quantile --window=$1 --time-column=1 -k 2 --eps=$3 --phi=0,0.1,0.5,0.99,1 \
            --every=$every --json -S $4 $shape >$told
    done
    types='text u32'
    [ -n "${GS_TEST_LONG:-}" ] || case $shape in bursts | late) ;; [ef]*) types=text ;; *) types=u32 ;; esac
    for how in '10s 10 0.01 64M' '2m 120 0.1 16M' '1h 3600 0.02 40M' '30d 2592000 0.05 16M'; do
        set -- $how
        for type in $types; do
            answer $shape $2 $3
            gpusort stats freq --type=$type --window=$1 --time-column=1 -k 3 --eps=$3 --support=0.1 \
                --every=$every --json -S $4 $shape >$told
        done
    done
    gpusort stats freq --window=10s --time-column=1 -k 3 --eps=0.05 --support=0.1 -S 8M $shape >got
    gpusort stats freq --window=10s --time-column=1 -k 3 --eps=0.05 --support=0.1 -S 8M --parallel=1 <$shape |
        cmp - got
    gpusort stats quantile --window=10s --time-column=1 -k 2 --eps=0.05 -S 1M $shape >got
    gpusort stats quantile --window=10s --time-column=1 -k 2 --eps=0.05 -S 1M --parallel=1 <$shape | cmp - got
done
python3 check.py
python3 -c '
import array
a = array.array("d", [x for line in open("bursts") for x in reversed(list(map(float, line.split()[:2])))])
a.tofile(open("pairs", "wb"))'
gpusort stats quantile --window=2m --time-column=1 -k 2 bursts >got
gpusort stats quantile --window=2m --binary pairs | cmp - got
gpusort stats freq --type=f64 --window=2m --time-column=1 -k 2 bursts >got
gpusort stats freq --window=2m --binary pairs | cmp - got

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
gpusort stats freq --csv -k size --time-column=when --window=3.5s t.csv
printf '[29/Feb/2024:00:00:01] 4\n[29/Feb/2024:00:00:09] 5\n' | gpusort stats freq -k 2 --time-column=1 --window=5s
printf '29/Feb/2024:00:00:01] 4\n' | gpusort stats freq -k 2 --time-column=1 --window=5s
printf '[] 4\n' | gpusort stats freq -k 2 --time-column=1 --window=5s
gpusort stats freq --csv -k size --time-column=when --window=1d --type=i64 --top=2 t.csv
gpusort stats freq --csv -k size --time-column=when --window=1s --every=2 t.csv
printf 'x 1\n2023-02-28 7\n2023-02-28\n' | gpusort stats freq -k 2 --time-column=1 --window=1s --skip-bad
printf '2023-02-28 7\nx 1\n' | gpusort stats freq -k 2 --time-column=1 --window=1s
printf '2023-02-28 7\n2023-02-28\n' | gpusort stats freq -k 2 --time-column=1 --window=1s
printf '"a,""b",1\n"a,""b",2\nc,2\n' | gpusort stats freq --csv --no-header -k 1 --time-column=2 --window=5s
printf ',1\n,2\n' | gpusort stats freq --csv --no-header -k 1 --time-column=2 --window=5s
gpusort stats freq -k 2 --time-column=1 --window=1s --save=x even
gpusort stats freq --binary --time-column=1 --window=1s pairs
gpusort stats freq -k 2 --time-column=1 --window=1s --eps=0.00001 -S 1M even
gpusort stats freq -k 2 --time-column=1 --window=1s /dev/null
gpusort stats corrsum --window=1s even
gpusort stats hhh --window=1s even
gpusort stats hhh --window=100 even
LINES
gpusort gen u64 -n 6000000 -o n.bin # three million pairs, in a window without an end
peak 88 gpusort stats quantile --binary --type=u64 --window=30d --eps=0.05 -S 24M - < <(cat n.bin)
gpusort gen lines --bytes=20M --min-len=6 --max-len=6 -o l # and as many lines as 7 bytes make
awk '{ print NR / 1000 " " substr($0, 1, 3) }' l >l.times
peak 112 gpusort stats freq -k 2 --time-column=1 --window=10m --eps=0.05 --support=0.1 -S 48M - < <(cat l.times)
