#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats summary: every figure of every column against the csv module of Python.
. "$GS_CLI/try.inc"
cat >table.py <<'PY'
import csv, random, sys
random.seed(int(sys.argv[1]))
rows = int(sys.argv[2])
with open(sys.argv[3], "w", newline="") as f:
    out = csv.writer(f, lineterminator=random.choice(["\n", "\r\n"]))
    out.writerow(["id", "price", 'na "me"', "when", "few", "mixed"])
    for i in range(rows):
        row = [i, "%.2f" % random.expovariate(.01), random.choice(["a", 'x, "y"', "two\nlines"]),
               "20%02d-0%d-1%d" % (i % 24, 1 + i % 9, i % 7), random.choice(["", 1, 2, 2, -3e5]),
               random.choice(["", " ", "7", "seven", "1e3", "2024-02-30"])]
        out.writerow(row[:random.choice([4, 6, 6, 6])] if i % 5 == 0 else row)
PY
cat >check.py <<'PY'
import bisect, collections, csv, json, math, re, sys
table = list(csv.reader(open(sys.argv[1], newline="")))
told = json.load(sys.stdin)
eps = told["eps"]
if not float(sys.argv[2]) <= eps <= float(sys.argv[3]): print("eps is", eps)
def bad(*what): print(sys.argv[1], column["column"], *what)
column = {"column": "all"}
if told["n"] != len(table) - 1 or len(told["columns"]) != len(table[0]):
    bad("records", told["n"])
def kind(text):
    if text.strip(" \t\r") == "": return "empty"
    if re.fullmatch(r"[-+]?\d+", text): return "integer"
    try: float(text); return "decimal"
    except ValueError: pass
    m = re.fullmatch(r"\d{4}-(\d\d)-(\d\d)", text)
    return "date" if m and 1 <= int(m[1]) <= 12 and 1 <= int(m[2]) <= (29 if m[1] == "02" else 31) else "text"
for i, column in enumerate(told["columns"]):
    if column["column"] != table[0][i]: bad("is not", table[0][i])
    present = [row[i] for row in table[1:] if len(row) > i]
    kinds = collections.Counter(map(kind, present))
    for name in "empty", "integer", "decimal", "date", "text":
        if column[name] != kinds[name]: bad(name, column[name], kinds[name])
    if column["missing"] != len(table) - 1 - len(present): bad("missing", column["missing"])
    values = [v for v in present if kind(v) != "empty"]
    counts = collections.Counter(values)
    if column["values"] != len(values): bad("values", column["values"])
    if abs(column["distinct"] - len(counts)) > 4 * column["distinct_error"] * len(counts):
        bad("distinct", column["distinct"], len(counts))
    numbers = sorted(float(v) for v in values if kind(v) in ("integer", "decimal"))
    if numbers:
        if (column["min"], column["max"]) != (numbers[0], numbers[-1]): bad("min, max")
        for q in column["quantiles"]:
            rank = math.ceil(q["phi"] * len(numbers))
            low = bisect.bisect_left(numbers, q["value"]) + 1
            high = bisect.bisect_right(numbers, q["value"])
            if high < low or rank > high + eps * len(numbers) or rank < low - eps * len(numbers):
                bad("quantile", q, low, high)
    texts = sorted(v.encode() for v in values if kind(v) in ("date", "text"))
    if texts and (column["first"].encode(), column["last"].encode()) != (texts[0], texts[-1]):
        bad("first, last")
    for t in column["top"]:
        true = counts[t["value"]]
        if not true - column["top_error"] <= t["count"] <= true: bad("top", t, true)
    likely = counts.most_common(1)[0] if counts else ("", 0)
    if likely[1] > 2 * column["top_error"] + 1 and likely[1] not in [t["count"] for t in column["top"]]:
        if likely[0] not in [t["value"] for t in column["top"]]: bad("lacks", likely)
PY
most=8000
[ -z "${GS_TEST_LONG:-}" ] || most=70000
for rows in 0 1 50 3000 $most; do
    python3 table.py $rows $rows t.csv
    gpusort stats summary --eps=0.01 --json t.csv >got
    python3 check.py t.csv 0.01 0.01 <got
    gpusort stats summary --eps=0.01 --json --csv --parallel=1 <t.csv | cmp - got
done
gpusort stats summary --top=3 --json -S 1M t.csv >got
python3 check.py t.csv 0.002 0.05 <got # what has no room is less exact, and says so

printf 'a\tb\n1\t2\n3\n4\t5\t6\n' >t.tsv
printf '1 2\n3 4\n-1 4\n' >plain
gzip -k t.tsv
printf '"two\nlines"\n"two\nlines"\n' >quoted
try_lines <<'LINES'
gpusort stats summary t.tsv
gpusort stats summary -k b t.tsv.gz
gpusort stats summary -k c t.tsv
gpusort stats summary plain
gpusort stats summary -k 2 --histogram plain
gpusort stats summary -k 2 --json --histogram plain
gpusort stats summary --csv --no-header quoted
gpusort stats summary --csv quoted
gpusort stats summary --no-header t.tsv
gpusort stats summary /dev/null
gpusort stats summary --json /dev/null
gpusort stats summary --binary plain
gpusort stats summary --type=u64 plain
gpusort stats summary --every=2 --top=1 -k 1 plain
LINES

# Binary numbers are told of as their texts are.
gpusort gen u32 -n 30000 --dist=zipf --seed=9 -o zipf.csv
od -An -v -w4 -tu4 zipf.csv | tr -d ' ' >zipf
python3 -c '
import array
a = array.array("d", [i * 0.37 - 1e-300 * i for i in range(-40000, 40000)] + [1e300, float("inf")])
a.tofile(open("doubles", "wb"))
print("\n".join(map(repr, a)))' >doubles.txt
gpusort stats summary zipf >want
gpusort stats summary --binary --type=u32 zipf.csv | diff want -
gpusort stats summary --binary --type=u32 --parallel=1 --every=10000 - <zipf.csv | tail -n "$(wc -l <want)" | diff want -
gpusort stats summary --top=1 doubles.txt | sed 's/\.0$//' >want
gpusort stats summary --top=1 --binary doubles | diff want -
try_lines <<'LINES'
printf '12345678\0\0\0\0\0\0\370\177' | gpusort stats summary --binary
printf '12345678\0\0\0\0\0\0\370\177' | gpusort stats summary --binary --skip-bad
printf '\0\0\0\0\0\0\370\177\0\0\0\0\0\0\360\77\0\0\0\0\0\0\0\100' | gpusort stats summary --binary --skip-bad
printf '12345678' | gpusort stats summary --binary --type=u64
printf '123' | gpusort stats summary --binary --type=u32
gpusort stats summary --type=u32 zipf
gpusort stats summary --binary --csv zipf
gpusort stats summary --binary /dev/null
LINES

# Histograms: what is in their parts, of one width and of growing ones.
cat >bins.py <<'PY'
import bisect, sys
numbers = sorted(map(float, open(sys.argv[1])))
bins = [line[:-1].split("\t")[2:] for line in sys.stdin if line.split("\t")[1] == "histogram"]
ends = [float(b[0].split(" .. ")[0]) for b in bins] + [float(bins[-1][0].split(" .. ")[1])]
if len(bins) != 10 or sum(int(b[1]) for b in bins) != len(numbers): print(sys.argv[1], "is not all", bins)
for b, low, high in zip(bins, ends, ends[1:]):
    true = [bisect.bisect_right(numbers, x * (1 + k)) for x in (low, high) for k in (-1e-5, 1e-5)]
    most, least = true[3] - (0 if low == ends[0] else true[0]), true[2] - true[1]
    if not least - 0.004 * len(numbers) <= int(b[1]) <= most + 0.004 * len(numbers): print(sys.argv[1], b, least, most)
    if abs(len(b[2]) - 40 * int(b[1]) / max(int(b[1]) for b in bins)) > 0.5: print(sys.argv[1], b)
steps = [b - a for a, b in zip(ends, ends[1:])]
if (max(steps[1:]) > 1.01 * min(steps[1:])) != (sys.argv[2] == "growing"): print(sys.argv[1], "is not", sys.argv[2])
PY
seq -500 2 50000 >even
seq 30000 | awk '{ print $1 * $1 * $1 % 1000003 + $1 }' >mixed
seq 20000 | awk '{ print int(1.0007 ^ $1) }' >skewed
seq 20000 | awk '{ print $1 % 3 ? 0 : 1.0007 ^ $1 / 1000 }' >zeros
for file in even:level mixed:level skewed:growing zeros:growing; do
    gpusort stats summary --histogram ${file%:*} | python3 bins.py ${file%:*} ${file#*:}
done
try_lines <<'LINES'
seq 3000 | awk '{ print $1 ^ 3 }' | gpusort stats summary --histogram --top=1
(seq 10 | sed 's/.*/0/'; echo 5) | gpusort stats summary --histogram
printf '%s\n' 1e-200 1e-200 1e-200 1e200 | gpusort stats summary --histogram
LINES
