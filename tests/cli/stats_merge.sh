#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats --save and merge: streams in parts, saved with other errors, put together in
# one step and in two, against all values; damaged and other files are refused.
. "$GS_CLI/try.inc"
. "$GS_CLI/told.inc"
cat >check.py <<'PY'
import bisect, collections, functools, json, math
@functools.lru_cache(None)
def read(name): return open(name).read().split("\n")[:-1]
@functools.lru_cache(None)
def numbers_of(name): return sorted(map(float, read(name)))
@functools.lru_cache(None)
def counts_of(name): return collections.Counter(read(name))
@functools.lru_cache(None)
def pairs_of(name): return sorted(tuple(map(float, line.split())) for line in read(name))
def check(told, name, eps, agg, bad):
    n = len(read(name))
    if told["n"] != n: bad(told["n"])
    if told["eps"] != eps: bad("eps", told["eps"])
    if "quantiles" in told:
        numbers = numbers_of(name)
        if told["error_max"] > eps * n: bad("error", told["error_max"])
        for q in told["quantiles"]:
            rank = max(1, math.ceil(q["phi"] * n))
            low, high = bisect.bisect_left(numbers, q["value"]) + 1, bisect.bisect_right(numbers, q["value"])
            if high < low or rank > high + eps * n or rank < low - eps * n: bad(q, low, high)
    elif "values" in told:
        exact, got = counts_of(name), {str(v["value"]): v["count"] for v in told["values"]}
        support = told["support"]
        if told["error_max"] > eps * n: bad("error", told["error_max"])
        for v, c in got.items():
            if not exact[v] - eps * n <= c <= exact[v] or exact[v] < (support - eps) * n: bad(v, c, exact[v])
        for v, c in exact.items():
            if c >= support * n and v not in got: bad(v, "of", c, "is not there")
        if not got and max(exact.values()) >= support * n: bad("nothing")
    else:
        pairs, limit = pairs_of(name), told["limit"]
        true = math.fsum(y for x, y in pairs if x <= limit)
        total = math.fsum(abs(y) for x, y in pairs)
        if agg == "avg" and abs(limit - math.fsum(x for x, y in pairs) / n) > 1e-9 * abs(limit): bad("limit", limit)
        if agg == "quantile":
            xs = [x for x, y in pairs]
            rank, low, high = math.ceil(0.3 * n), bisect.bisect_left(xs, limit) + 1, bisect.bisect_right(xs, limit)
            if rank > high + eps * n or rank < low - eps * n: bad("limit", limit, low, high)
        if not told["least"] - 1e-9 * total <= true <= told["most"] + 1e-9 * total: bad(told, true)
        if abs(told["sum"] - true) > eps * total * 1.000001: bad("sum", told["sum"], true)
for job in open("jobs"):
    answer, name, eps, agg = job.split()
    check(json.load(open(answer)), name, float(eps), agg, functools.partial(print, job[:-1]))
PY
parts() { # COMMAND...: parts a, b and c to saved files, b with another error
    for part in a b c; do
        gpusort stats "$@" --eps=$([ $part = b ] && echo 0.02 || echo 0.003) --save=$part.saved $part >/dev/null
    done
    gpusort stats merge --save=ab.saved a.saved b.saved >/dev/null
}
for shape in gaussian zipf few; do
    gpusort gen u32 -n 24000 --dist=$shape --seed=3 -o n.bin
    od -An -v -w4 -tu4 n.bin | tr -d ' ' >all.$shape
    split -d -n l/3 all.$shape part.
    mv part.00 a; mv part.01 b; mv part.02 c
    parts quantile
    for files in 'a.saved b.saved c.saved' 'ab.saved c.saved' 'c.saved ab.saved'; do
        answer all.$shape 0.02 -
        gpusort stats merge --phi=0,0.1,0.5,0.99,1 --json $files >$told
    done
    for type in text u32; do
        [ $shape = gaussian ] && continue
        parts freq --type=$type --support=0.05
        for files in 'a.saved b.saved c.saved' 'ab.saved c.saved'; do
            answer all.$shape 0.02 -
            gpusort stats merge --support=0.05 --json $files >$told
        done
    done
    awk '{ print $1, ($1 * 7) % 1001 - 300 }' all.$shape >pairs.$shape
    split -d -n l/3 pairs.$shape part.
    mv part.00 a; mv part.01 b; mv part.02 c
    parts corrsum --agg=quantile
    for files in 'a.saved b.saved c.saved' 'ab.saved c.saved'; do
        answer pairs.$shape 0.02 avg
        gpusort stats merge --json $files >$told
        answer pairs.$shape 0.02 quantile
        gpusort stats merge --agg=quantile --phi=0.3 --json $files >$told
    done
done
python3 check.py
# Prefixes: what is printed of parts that were put together, against all of them.
cat >prefixes.py <<'PY'
import collections, ipaddress, json, sys
by, eps = sys.argv[1], float(sys.argv[3])
values = open(sys.argv[2]).read().split("\n")[:-1]
def prefixes(v):
    if by == "ip":
        bits = ipaddress.ip_address(v).max_prefixlen
        return [ipaddress.ip_network((v, b), strict=False) for b in range(8, bits + 1, 8)]
    parts = v.split(".")
    return [".".join(parts[:i + 1]) for i in range(len(parts))]
exact = collections.Counter(p for v in values for p in prefixes(v))
for answer in sys.argv[4:]:
    told = json.load(open(answer))
    got = {ipaddress.ip_network(p["prefix"]) if by == "ip" else p["prefix"]: p["count"] for p in told["prefixes"]}
    n, support = len(values), told["support"]
    if told["n"] != n or told["eps"] != eps or told["error_max"] > eps * n: print(by, told)
    for p, c in got.items():
        if not exact[p] - eps * n <= c <= exact[p] or exact[p] < (support - eps) * n: print(by, p, c, exact[p])
    for p, c in exact.items():
        if c >= support * n and p not in got: print(by, p, "of", c, "is not there")
    if len(got) < 5: print(by, "only", len(got))
PY
for by in dots ip; do
    python3 - $by <<'PY' >all
import random, sys
random.seed(7)
few = lambda: min(int(random.expovariate(.4)), 30)
for i in range(3000):
    print("2001:db8:%x::%x" % (few(), few()) if sys.argv[1] == "ip" and i % 3 == 0 else
          ".".join(str(few()) for _ in range(4 if sys.argv[1] == "ip" else 1 + i % 4)))
PY
    split -d -n l/3 all part.
    mv part.00 a; mv part.01 b; mv part.02 c
    parts hhh --by=$by --support=0.05
    gpusort stats merge --support=0.05 --json a.saved b.saved c.saved >three
    gpusort stats merge --support=0.05 --json ab.saved c.saved >two
    python3 prefixes.py $by all 0.02 three two
done
gpusort stats hhh --by=ip --step=12 --save=h.saved all >told
gpusort stats merge h.saved | cmp - told
# What was saved and asked alone is what was told.
seq 400 | gpusort stats quantile --save=s.saved >told
gpusort stats merge s.saved | cmp - told
seq 3 | gpusort stats freq --save=f.saved >told
gpusort stats merge f.saved | cmp - told
printf '1 2\n3 4\n' | gpusort stats corrsum --save=c.saved >told
gpusort stats merge c.saved | cmp - told
gpusort stats merge - <c.saved | cmp - told

printf '%s\n' a.b a.b.c .b | gpusort stats hhh --by=domain --save=d.saved >told
gpusort stats merge d.saved | cmp - told

# Each command that saves has parts that are merged here.
for command in $(gpusort stats --help | sed -nE 's/^  ([a-z]+) .*/\1/p'); do
    gpusort stats $command --help | grep -q -- --save= && [ $command != merge ] || continue
    echo "$command" >>saving
    grep -qE "^ +parts $command\b" "$GS_CLI/stats_merge.sh" || echo "no parts of $command are merged here"
done
wc -l <saving

# The bytes of a file count, and its length: more of this in test_saved_summary.
python3 - <<'PY'
import subprocess
def run(data):
    open("damaged", "wb").write(data)
    return subprocess.run(["gpusort", "stats", "merge", "damaged"], capture_output=True)
for name in "f.saved", "c.saved", "d.saved":
    whole = open(name, "rb").read()
    for at in range(0, len(whole), 29):
        for damaged in whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:], whole[:at]:
            done = run(damaged)
            if done.returncode != 2 or done.stdout or b"damaged: " not in done.stderr:
                print(name, at, done)
    if run(whole + b"\0").returncode != 2:
        print(name, "and more")
PY
: >nothing
seq 3 >three
printf '1 2\n3 4\n' >pairs
many() { gpusort stats freq --support=0.001 --eps=0.00001 --save=$1 >told; }
seq 1 200000 | many many.saved # a file that has no room in memory, and two that have none together
seq 1 60000 | many more.saved
seq 60001 120000 | many less.saved
try_lines <<'LINES'
gpusort stats merge s.saved s.saved
gpusort stats merge s.saved s.saved --json
gpusort stats merge f.saved f.saved --support=0.3
gpusort stats merge f.saved f.saved --top=2
gpusort stats merge d.saved d.saved
gpusort stats merge d.saved h.saved
gpusort stats merge d.saved a.saved
gpusort stats hhh --by=ip --step=24 --support=0.9 --save=e.saved all
gpusort stats merge e.saved h.saved
gpusort stats merge h.saved --support=0.0005
gpusort stats hhh --save=e.saved nothing
gpusort stats merge e.saved
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
gpusort stats corrsum --agg=quantile --save=r.saved pairs
gpusort stats merge c.saved r.saved --agg=quantile
gpusort stats merge r.saved c.saved --agg=quantile
gpusort stats merge r.saved r.saved --agg=quantile
gpusort stats merge --save=- many.saved
gpusort stats hhh --by=dots --save=- /dev/null
gpusort stats merge -S 4M many.saved
gpusort stats merge -S 1M more.saved
gpusort stats merge -S 1M more.saved less.saved
LINES
ls *.saved
