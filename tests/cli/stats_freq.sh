#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats freq: counts against those of sort | uniq -c, as texts and as numbers.
. "$GS_CLI/try.inc"
. "$GS_CLI/told.inc"

# All that came S * N times, none of less than (S - eps) * N, and no count is high, or low
# by more than eps * N.
cat >check.py <<'PY'
import collections, functools
@functools.lru_cache(None)
def counts_of(name): return collections.Counter(open(name, "rb").read().split(b"\n")[:-1])
for job in open("jobs"):
    answer, support, eps, name = job.split()
    support, eps, exact = float(support), float(eps), counts_of(name)
    n, got, last = sum(exact.values()), set(), 1 << 64
    for line in open(answer, "rb"):
        value, count = line[:-1].rsplit(b"\t", 1)
        true, count = exact[value], int(count)
        got.add(value)
        if not true - eps * n <= count <= true or true < (support - eps) * n or count > last:
            print("value", value, "has", count, "of", true)
        last = count
    for value, true in exact.items():
        if true >= support * n and value not in got:
            print("value", value, "of", true, "is not there")
PY
seed=3
rows=15000
[ -z "${GS_TEST_LONG:-}" ] || rows=60000
for shape in zipf gaussian sorted few; do
    gpusort gen u32 -n $rows --dist=$shape --seed=$seed -o n.bin
    od -An -v -w4 -tu4 n.bin | tr -d ' ' >$shape
    for errors in '0.2 0.1' '0.01 0.001' '0.001 0.0005' '0.0001 0.000001'; do
        set -- $errors
        answer $1 $2 $shape
        gpusort stats freq --support=$1 --eps=$2 $shape >$told
        gpusort stats freq --support=$1 --eps=$2 --parallel=1 <$shape | cmp - $told
        tail -n 3 $told >>some
        answer $1 $2 $shape
        gpusort stats freq --support=$1 --eps=$2 --type=u32 $shape >$told
        gpusort stats freq --support=$1 --eps=$2 --type=u32 --binary n.bin | cmp - $told
    done
    seed=$((seed + 1))
done
python3 check.py
[ "$(sort -u some | wc -l)" -gt 10 ] || echo 'hardly any answers'

printf 'k,v\n1,"a ""b"""\n2,c\n3,"a ""b"""\n' >t.csv
printf 'a\n\nb\na\n\n\n' >empty_lines
printf 'a b\nc\n' >short
python3 -c 'print("x" * 5000000); print("y"); print("x" * 5000000)' >long
try_lines <<'LINES'
gpusort stats freq --csv -k v t.csv
gpusort stats freq --support=0 t.csv
gpusort stats freq --csv -k v --json t.csv
gpusort stats freq empty_lines
gpusort stats freq --top=1 empty_lines
gpusort stats freq -k 2 short
gpusort stats freq -k 2 --skip-bad short
printf '1.0\n1\n1e0\n' | gpusort stats freq --type=f64
printf '1.0\n1\n1e0\n' | gpusort stats freq
gpusort stats freq /dev/null
gpusort stats freq --json /dev/null
gpusort stats freq --eps=0.1 --support=0.05 short
gpusort stats freq --support=2 short
gpusort stats freq --type=text --binary short
gpusort stats quantile --type=text short
yes | head -n 10 | gpusort stats freq --every=4
seq 100000 | gpusort stats freq --support=0.00001 --eps=0.000001 -S 1M
LINES
gpusort stats freq --support=0.5 long | cksum
