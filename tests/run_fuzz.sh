#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs fuzzers: run_fuzz.sh [--json FILE] SECONDS PROGRAM...
#
# As many run at once as there are cores; of short runs at least eight, so that the whole is
# not long on a small machine. FILE gets how often each was run (tests/results.py).
#
# What they learn stays in build/fuzz/NAME and starts the next run; the first starts from
# tests/fuzz_seeds/NAME. An input that fails is kept there as crash-*, leak-* or
# timeout-*, and `PROGRAM FILE` shows the failure again.
set -u
cd "$(dirname "$0")/.."
json=
if [ "$1" = --json ]; then
    json=$2
    shift 2
fi
seconds=$1
shift
export ASAN_OPTIONS=detect_leaks=1

run_one() {
    local program=$1 name learnt seeds=()
    name=$(basename "$program")
    learnt=build/fuzz/$name
    mkdir -p "$learnt"
    [ -d "tests/fuzz_seeds/$name" ] && seeds=("tests/fuzz_seeds/$name")
    if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -malloc_limit_mb=4096 -max_len=4096 -print_final_stats=1 -artifact_prefix="$learnt/" \
        "$learnt" "${seeds[@]}" >"$learnt.log" 2>&1; then
        echo "ok      $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$learnt.log") runs"
    else
        echo "FAILED  $name"
        tail -n 40 "$learnt.log"
        return 1
    fi
}

mkdir -p build/fuzz
failed=0 running=0
at_once=$(nproc)
[ "$at_once" -ge 8 ] || [ "$seconds" -ge 60 ] || at_once=8
for program in "$@"; do
    if [ "$running" -ge "$at_once" ]; then
        wait -n || failed=1
        running=$((running - 1))
    fi
    run_one "$program" &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
[ -z "$json" ] || python3 tests/fuzz_results.py "$json" "$seconds" "$@" || failed=1
exit $failed
