#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats --save and merge: streams in parts, saved with other errors, put together in
# one step and in two, against all values; damaged and other files are refused.
. "$GS_CLI/try.inc"
cat >check.py <<'PY'
import bisect, collections, json, math, sys
told, eps = json.load(sys.stdin), float(sys.argv[2])
lines = open(sys.argv[1]).read().split("\n")[:-1]
n = len(lines)
def bad(*what): print(*sys.argv[1:], *what)
if told["n"] != n: bad(told["n"])
if told["eps"] != eps: bad("eps", told["eps"])
if "quantiles" in told:
    numbers = sorted(map(float, lines))
    if told["error_max"] > eps * n: bad("error", told["error_max"])
    for q in told["quantiles"]:
        rank = max(1, math.ceil(q["phi"] * n))
        low, high = bisect.bisect_left(numbers, q["value"]) + 1, bisect.bisect_right(numbers, q["value"])
        if high < low or rank > high + eps * n or rank < low - eps * n: bad(q, low, high)
elif "values" in told:
    exact, got = collections.Counter(lines), {str(v["value"]): v["count"] for v in told["values"]}
    support = told["support"]
    if told["error_max"] > eps * n: bad("error", told["error_max"])
    for v, c in got.items():
        if not exact[v] - eps * n <= c <= exact[v] or exact[v] < (support - eps) * n: bad(v, c, exact[v])
    for v, c in exact.items():
        if c >= support * n and v not in got: bad(v, "of", c, "is not there")
    if not got and max(exact.values()) >= support * n: bad("nothing")
else:
    pairs = sorted(tuple(map(float, l.split())) for l in lines)
    limit = told["limit"]
    true = math.fsum(y for x, y in pairs if x <= limit)
    total = math.fsum(abs(y) for x, y in pairs)
    if sys.argv[3] == "avg" and abs(limit - math.fsum(x for x, y in pairs) / n) > 1e-9 * abs(limit): bad("limit", limit)
    if sys.argv[3] == "quantile":
        xs = [x for x, y in pairs]
        rank, low, high = math.ceil(0.3 * n), bisect.bisect_left(xs, limit) + 1, bisect.bisect_right(xs, limit)
        if rank > high + eps * n or rank < low - eps * n: bad("limit", limit, low, high)
    if not told["least"] - 1e-9 * total <= true <= told["most"] + 1e-9 * total: bad(told, true)
    if abs(told["sum"] - true) > eps * total * 1.000001: bad("sum", told["sum"], true)
PY
parts() { # COMMAND...: parts a, b and c to saved files, b with another error
    for part in a b c; do
        gpusort stats "$@" --eps=$([ $part = b ] && echo 0.02 || echo 0.003) --save=$part.saved $part >/dev/null
    done
    gpusort stats merge --save=ab.saved a.saved b.saved >/dev/null
}
for shape in gaussian zipf few; do
    gpusort gen u32 -n 60000 --dist=$shape --seed=3 -o n.bin
    od -An -v -w4 -tu4 n.bin | tr -d ' ' >all
    split -d -n l/3 all part.
    mv part.00 a; mv part.01 b; mv part.02 c
    parts quantile
    for files in 'a.saved b.saved c.saved' 'ab.saved c.saved' 'c.saved ab.saved'; do
        gpusort stats merge --phi=0,0.1,0.5,0.99,1 --json $files | python3 check.py all 0.02
    done
    for type in text u32; do
        [ $shape = gaussian ] && continue
        parts freq --type=$type --support=0.05
        for files in 'a.saved b.saved c.saved' 'ab.saved c.saved'; do
            gpusort stats merge --support=0.05 --json $files | python3 check.py all 0.02
        done
    done
    awk '{ print $1, ($1 * 7) % 1001 - 300 }' all >pairs && mv pairs all
    split -d -n l/3 all part.
    mv part.00 a; mv part.01 b; mv part.02 c
    parts corrsum --agg=quantile
    for files in 'a.saved b.saved c.saved' 'ab.saved c.saved'; do
        gpusort stats merge --json $files | python3 check.py all 0.02 avg
        gpusort stats merge --agg=quantile --phi=0.3 --json $files | python3 check.py all 0.02 quantile
    done
done
# What was saved and asked alone is what was told.
seq 400 | gpusort stats quantile --save=s.saved >told
gpusort stats merge s.saved | cmp - told
seq 3 | gpusort stats freq --save=f.saved >told
gpusort stats merge f.saved | cmp - told
printf '1 2\n3 4\n' | gpusort stats corrsum --save=c.saved >told
gpusort stats merge c.saved | cmp - told

# The bytes of a file count, and its length: more of this in test_saved_summary.
python3 - <<'PY'
import subprocess
def run(data):
    open("damaged", "wb").write(data)
    return subprocess.run(["gpusort", "stats", "merge", "damaged"], capture_output=True)
for name in "f.saved", "c.saved":
    whole = open(name, "rb").read()
    for at in range(0, len(whole), 7):
        for damaged in whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:], whole[:at]:
            done = run(damaged)
            if done.returncode != 2 or done.stdout or b"damaged: " not in done.stderr:
                print(name, at, done)
    if run(whole + b"\0").returncode != 2:
        print(name, "and more")
PY
: >nothing
seq 3 >three
try_lines <<'LINES'
gpusort stats merge s.saved s.saved
gpusort stats merge s.saved s.saved --json
gpusort stats merge f.saved f.saved --support=0.3
gpusort stats merge c.saved --agg=max
gpusort stats merge c.saved --agg=quantile
gpusort stats merge s.saved f.saved
seq 3 | gpusort stats quantile --type=i64 --save=i.saved
gpusort stats merge s.saved i.saved
gpusort stats merge f.saved --support=0.0001
gpusort stats merge three
gpusort stats merge nothing
gpusort stats merge nowhere
gpusort stats merge
gpusort stats quantile --save=e.saved nothing
gpusort stats merge e.saved e.saved
gpusort stats merge e.saved s.saved --phi=1
gpusort stats corrsum --save=e.saved nothing
gpusort stats merge e.saved c.saved
gpusort stats freq --save=e.saved nothing
gpusort stats quantile --save=x.saved --window=5 three
gpusort stats quantile --save=nowhere/x.saved three
gpusort stats quantile --save=s.saved nowhere
gpusort stats merge s.saved
gpusort stats merge s.saved -S 1K
LINES
ls *.saved
