#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort stats quantile: the ranks of its answers against sorted copies, columns and
# formats, what is bad, reports and signals.
. "$GS_CLI/try.inc"
. "$GS_CLI/told.inc"

# How far the rank of each answer is from what was asked, against all values, sorted.
cat >check.py <<'PY'
import array, bisect, functools, math
@functools.lru_cache(None)
def numbers_of(name): return sorted(array.array("I", open(name, "rb").read()))
for job in open("jobs"):
    answer, eps, name = job.split()
    eps, values = float(eps), numbers_of(name)
    n = len(values)
    for line in open(answer):
        phi, value = map(float, line.split())
        rank = max(1, math.ceil(phi * n))
        low, high = bisect.bisect_left(values, value) + 1, bisect.bisect_right(values, value)
        if high < low or rank > high + eps * n or rank < low - eps * n:
            print("phi", phi, "has", value, "of ranks", low, high, "and not", rank)
PY
seed=7
rows=40000
[ -z "${GS_TEST_LONG:-}" ] || rows=200000
for shape in gaussian zipf sorted reversed few; do
    gpusort gen u32 -n $rows --dist=$shape --seed=$seed -o $shape
    od -An -v -w4 -tu4 $shape | tr -d ' ' >n.txt
    for eps in 0.1 0.0005 0.000001; do
        phis=0,0.001,0.25,0.5,0.9,0.999,1
        answer $eps $shape
        gpusort stats quantile --eps=$eps --phi=$phis n.txt >$told
        gpusort stats quantile --eps=$eps --phi=$phis --parallel=1 <n.txt | cmp - $told
        gpusort stats quantile --eps=$eps --phi=$phis --type=u32 --binary $shape | cmp - $told
    done
    seed=$((seed + 1))
done
python3 check.py

seq 100 | sed 's/.*/x,"a, ""b""\nc",&/; 1i\u,v,w' >t.csv
seq 100 | sed 's/.*/  x\t&  y/' >t.txt
seq 9 | zstd -q >t.zst
seq 9 | gzip >t.gz
printf '1\n2\nthree\n4\n\n' >bad
printf '1\tx\n2\n3\ty\n' >short
printf '1\n2' >unfinished
printf '12345678123' >cut
: >nothing
printf -- '-0\n-0.5\n9007199254740993\n1e300\n' >odd
try_lines <<'LINES'
gpusort stats quantile --phi=0.5 --csv -k w t.csv
gpusort stats quantile --phi=0.5,1 --csv --header -k 3 t.csv t.csv
gpusort stats quantile --phi=1 -k 2 t.txt
gpusort stats quantile --phi=1 -t '\t' -k 1 t.csv
gpusort stats quantile --csv --header t.csv
gpusort stats quantile --phi=0.5,1 --csv -k 3 t.csv t.csv
gpusort stats quantile --csv --no-header -k 3 t.csv
gpusort stats quantile --csv --no-header -k w t.csv
printf '"1""2"\n' | gpusort stats quantile --csv --no-header
printf 'inf\n-Inf\n' | gpusort stats quantile --phi=0,1 --json
gpusort stats quantile --csv -k nope t.csv
gpusort stats quantile --phi=1 t.zst t.gz
gpusort stats quantile --phi=0.5 bad
gpusort stats quantile --phi=0.5 --skip-bad bad
gpusort stats quantile --phi=0.5 -t '\t' -k 2 short
gpusort stats quantile --phi=0,1 unfinished
gpusort stats quantile --type=u32 --binary cut
gpusort stats quantile nothing
gpusort stats quantile --json nothing
gpusort stats quantile --phi=0,0.5,0.75,1 odd
gpusort stats quantile --type=u64 odd
gpusort stats quantile --phi=1 --parallel=1 --engine=cpu --gpu=0 --gpu-mem=1G -v t.gz
gpusort stats quantile --gpu=x t.gz
gpusort stats quantile --gpu-mem=1Q t.gz
gpusort stats quantile --eps=0 t.gz
gpusort stats quantile --eps=0.6 t.gz
gpusort stats quantile --eps=x t.gz
gpusort stats quantile --phi=0.5,2 t.gz
gpusort stats quantile --phi= t.gz
gpusort stats quantile -k 0 t.gz
gpusort stats quantile -t xx t.gz
gpusort stats quantile --binary -k 2 t.gz
gpusort stats quantile --every=0 t.gz
gpusort stats quantile --every=3x t.gz
gpusort stats quantile nowhere
gpusort stats quantile -S 1M --eps=1e-8 t.gz
seq 10 | gpusort stats quantile --phi=0.5 --every=4
seq 8 | gpusort stats quantile --phi=0.5 --every=4 --json
printf 'nan\n' | gpusort stats quantile
printf '\0\0\0\0\0\0\xf8\x7f' | gpusort stats quantile --binary
LINES

# A pipe that goes on: reports when asked, a last one at the end, and no half of a value.
mkfifo pipe
env --default-signal gpusort stats quantile --phi=1 pipe >live 2>&1 &
reader=$!
exec 7>pipe
has_read() { # VALUES
    for _ in $(seq 100); do
        sleep 0.05
        kill -USR1 $reader
        grep -q "# $1" live && break
    done
}
seq 50 >&7
has_read 50
seq 51 60 >&7
has_read 60
printf 777 >&7
sleep 0.3
kill -INT $reader
wait $reader
echo "exit $?"
exec 7>&-
sort -u live
( seq 5; until [ -s reports ]; do sleep 0.05; done; seq 6 9 ) |
    gpusort stats quantile --phi=1 --every=0.2s >reports
sort -u reports
