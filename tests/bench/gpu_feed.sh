#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# make feed-bench: how fast files in memory go to a GPU. First the host alone, without one
# (tests/bench/gpu_feed.c): lines of 10 to 50 bytes, lines of term and docID, records of
# 100 bytes. Then, if the program finds a GPU, whole sorts of each to /dev/null: seconds in
# all and until all was read, of the run with the median, and what the threads that read
# did in it: how many, how long each was at work on the average, the rate of all.
#
#   BENCH_GB=4              size of each input
#   BENCH_RUNS=5            sorts of each
#   BENCH_DIR=DIR           where inputs go (default: /dev/shm)
#   BENCH_THREADS="1 4 16"  of the host alone (default: 1, 2, 4, ... all cores)
#   BENCH_BLOCK=BYTES       blocks of the host alone (default: as sorts have them)
#   BENCH_SORT="..."        more options of the sorts
set -eu
[ $# -eq 2 ] || { echo "usage: tests/bench/gpu_feed.sh PROGRAM GPU_FEED" >&2; exit 2; }
program=$1 feed=$2
folder=$(mktemp -d "${BENCH_DIR:-/dev/shm}/feed-XXXXXX")
trap 'rm -rf "$folder"' EXIT
bytes=$(awk -v gb="${BENCH_GB:-4}" 'BEGIN { printf "%.0f", gb * 1e9 }')

whole_sorts() { # whole_sorts NAME FILE OPTION...
    python3 - "$program" "$folder" "${BENCH_RUNS:-5}" "$@" <<'PYTHON'
import json, os, re, subprocess, sys
program, folder, runs, name, file, *options = sys.argv[1:]
options += os.environ.get("BENCH_SORT", "").split()
done = []
for _ in range(int(runs)):
    trace = folder + "/trace.json"
    r = subprocess.run([program, "sort", "--engine=gpu", "--stats", "--trace=" + trace, *options,
                        file, "-o", "/dev/null"], stderr=subprocess.PIPE, text=True, check=True)
    if "the CPU sorts instead" in r.stderr:
        print("no GPU:", r.stderr.splitlines()[0])
        sys.exit(0)
    stats = json.loads(r.stderr[r.stderr.index("{"):])
    spans, open_at = [], {}
    for e in json.load(open(trace))["traceEvents"]:
        if e.get("name") != "read and count" or e["ph"] not in "XBE":
            continue
        key = (e["pid"], e["tid"])
        if e["ph"] == "X":
            spans.append((e["tid"], e["ts"], e["ts"] + e["dur"]))
        elif e["ph"] == "B":
            open_at[key] = e["ts"]
        else:
            spans.append((e["tid"], open_at.pop(key), e["ts"]))
    done.append((stats["seconds"]["total"], stats, spans))
total, stats, spans = sorted(done, key=lambda d: d[0])[len(done) // 2]
threads = len({s[0] for s in spans})
busy = sum(e - b for _, b, e in spans) / 1e6
first, last = (min(s[1] for s in spans), max(s[2] for s in spans)) if spans else (0, 0)
took = (last - first) / 1e6
rate = stats["input_bytes"] / took / 1e9 if took else 0
print(f"| {name} | {total:.2f} | {stats['seconds']['read']:.2f} | {threads} | "
      f"{busy / max(threads, 1):.2f} of {took:.2f} | {rate:.1f} |")
PYTHON
}


"$program" gen lines --bytes="$bytes" -o "$folder/lines"
"$program" gen tuples --docs=1000000000 --distinct=1000000000 --exponent=0.7 \
    --bytes="$bytes" -o "$folder/tuples"
"$program" gen records --bytes="$bytes" -o "$folder/records"
for kind in lines tuples records; do
    printf '\n%s: ' $kind
    of=()
    [ $kind != records ] || of=(-r 100)
    [ -z "${BENCH_BLOCK:-}" ] || of+=(-b "$BENCH_BLOCK")
    # shellcheck disable=SC2086 # several numbers
    "$feed" "$folder/$kind" "${of[@]}" ${BENCH_THREADS:-}
done
printf '\n| whole sort | s | until all was read | threads that read | s at work | GB/s |\n'
echo '|---|---|---|---|---|---|'
whole_sorts lines "$folder/lines"
whole_sorts tuples "$folder/tuples" -t $'\t' -k1,1 -k2,2n
whole_sorts records "$folder/records" --record-size=100
