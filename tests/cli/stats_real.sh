#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats on files of this machine: the paths of its packages, sizes of its files, the
# words of its texts, the fields of its lists of packages; what is told against what sort and
# uniq count, and by how much it may be off.
. "$GS_CLI/try.inc"
shopt -s nullglob
lists=(/var/lib/dpkg/info/*.list)
[ ${#lists[@]} -gt 20 ] || exit 77
cat "${lists[@]}" | head -n 60000 >paths
sed 's|/[^/]*$||' paths >folders
find /usr/share /usr/lib -xdev -type f -printf '%s\n' 2>/dev/null | head -n 50000 >sizes
zcat /usr/share/doc/*/changelog*.gz 2>/dev/null | head -c 4M | tr -cs 'A-Za-z' '\n' | head -n 200000 >words
sed -n 's/^Section: //p; s/^Maintainer: //p; s/^Depends: //p' /var/lib/dpkg/status >fields
cat >check.py <<'PY'
import bisect, json, math, sys
kind, told = sys.argv[1], json.load(sys.stdin)
exact = {}
for line in open(sys.argv[2], errors="surrogateescape"): # of uniq -c
    count, value = line.lstrip(" ").rstrip("\n").split(" ", 1)
    exact[value] = int(count)
n = told["n"]
def bad(*what): print(*sys.argv[1:], *what)
def check_counts(got, most_off, support, eps):
    if not got and max(exact.values()) >= support * n: bad("nothing")
    for v, c in got.items():
        true = exact.get(v, 0)
        if not true - most_off <= c <= true or true < (support - eps) * n: bad(v, c, true)
    for v, c in exact.items():
        if c >= support * n and v not in got: bad(v, "of", c, "is not there")
if kind != "hhh" and sum(exact.values()) != n: bad("n", n, sum(exact.values()))
if kind in ("freq", "hhh"):
    rows = told["values"] if kind == "freq" else told["prefixes"]
    if told["error_max"] > told["eps"] * n: bad("error", told["error_max"])
    check_counts({str(r.get("value", r.get("prefix"))): r["count"] for r in rows}, told["error_max"],
                 told["support"], told["eps"])
def check_quantiles(rows, eps):
    numbers, ends, sum_ = sorted(exact, key=float), [], 0
    for v in numbers: ends.append(sum_ := sum_ + exact[v])
    keys = list(map(float, numbers))
    for q in rows:
        at = bisect.bisect_left(keys, q["value"])
        rank = max(1, math.ceil(q["phi"] * n))
        if at == len(keys) or keys[at] != q["value"]: bad(q, "never came")
        elif rank > ends[at] + eps * n or rank < ends[at] - exact[numbers[at]] + 1 - eps * n: bad(q, ends[at])
if kind == "quantile":
    if told["error_max"] > told["eps"] * n: bad("error", told["error_max"])
    check_quantiles(told["quantiles"], told["eps"])
if kind == "summary":
    c = told["columns"][0]
    present = [v for v in exact if v.strip()]
    if abs(c["distinct"] - len(present)) > 4 * c["distinct_error"] * len(present): bad(c["distinct"], len(present))
    check_counts({t["value"]: t["count"] for t in c["top"]}, c["top_error"], 1.1, 1.1)
    if c["text"] == 0:
        check_quantiles(c["quantiles"], told["eps"])
        if [c["min"], c["max"]] != [min(map(float, exact)), max(map(float, exact))]: bad("min, max")
PY
count() { sort "$1" | uniq -c >"$1.exact"; }
for file in paths folders words sizes fields; do
    count $file
    gpusort stats summary --json $file | python3 check.py summary $file.exact
done
for file in folders words fields; do
    for how in '0.01 0.001' '0.002 0.001'; do
        set -- $how
        gpusort stats freq --support=$1 --eps=$2 --json $file | python3 check.py freq $file.exact
    done
done
gpusort stats freq --type=u64 --support=0.002 --eps=0.001 --json sizes | python3 check.py freq sizes.exact
for eps in 0.01 0.0002; do
    gpusort stats quantile --eps=$eps --phi=0,0.001,0.25,0.5,0.75,0.999,1 --json sizes |
        python3 check.py quantile sizes.exact
done
awk -F/ '{ p = ""; for (i = 2; i <= NF; i++) if ((p = p "/" $i) != "/") print p }' paths >prefixes
count prefixes
gpusort stats hhh --by=slash --support=0.01 --eps=0.005 --json paths | python3 check.py hhh prefixes.exact
