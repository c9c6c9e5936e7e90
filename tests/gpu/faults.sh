#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/gpu/faults.sh PROGRAM [SECONDS]
#
# Whole programs on a GPU that fails (gpu/device/fault.h): whichever GPU call it is, the output is
# right, a warning says that the CPU sorts or builds instead, and nothing is left behind. The first
# calls are failed in turn, then ever fewer, until a run has no more; not longer than
# SECONDS.
set -u
program=$1 seconds=${2:-100}
"$program" device | grep -q '^GPU  *0:' || {
    echo 'skipped: no GPU to fail'
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir temp
export TMPDIR=$scratch/temp
failures=0 checks=0 SECONDS=0

wrong() {
    failures=$((failures + 1))
    echo "FAILED: $1, GS_GPU_FAIL=${GS_GPU_FAIL-}"
    sed 's/^/    /' err
}

# Fails call after call of one command, which writes `got`; `want` is what it should be.
fail_each() {
    local name=$1 kind=$2 nth=0 runs=0 warnings
    shift 2
    while ((SECONDS < seconds)); do
        nth=$((nth + 1 + nth / 2))
        runs=$((runs + 1))
        export GS_GPU_FAIL=$kind:$nth
        rm -rf got
        "$@" 2>err || wrong "$name: exit $?"
        diff -rq want got >/dev/null || wrong "$name: wrong output"
        [ -z "$(ls -A temp)" ] || wrong "$name: temporary files stay"
        warnings=$(grep -cE 'the CPU (sorts|builds)' err)
        [ "$warnings" = 0 ] && break # there are no so many calls
        [ "$warnings" = 1 ] || wrong "$name: $warnings warnings"
    done
    [ $nth -gt 20 ] || ((SECONDS >= seconds)) || wrong "$name: only $nth calls"
    unset GS_GPU_FAIL
    checks=$((checks + runs))
    echo "$name, $kind: $runs runs, to call $nth, after $SECONDS s"
}

"$program" gen lines --bytes=6M -o in
LC_ALL=C sort in -o want
for kind in memory launch lost; do
    fail_each 'file to file' $kind "$program" --engine gpu in -o got
done
fail_each 'spilled' launch "$program" --engine gpu --gpu-mem 24M -S 2M in -o got
fail_each 'two slots' lost "$program" --engine gpu --gpu 0,0 --gpu-mem 24M -S 2M in -o got
for kind in launch lost; do
    fail_each 'two together' $kind "$program" --engine gpu --gpu 0,0 in -o got
done
pipe() {
    cat in | "$program" --engine gpu | cat >got
    return "${PIPESTATUS[1]}"
}
fail_each 'pipe to pipe' launch pipe
LC_ALL=C sort -t' ' -k1.3n -u in -o want
fail_each 'keys' memory "$program" --engine gpu -t' ' -k1.3n -u in -o got
"$program" gen docs --bytes=3M -o docs
rm -rf want
"$program" index build -o want --engine=cpu docs
fail_each 'index' launch \
    "$program" index build --method=bsbi --engine=gpu -S 2M -o got docs
for kind in launch lost; do
    fail_each 'words' $kind "$program" index build --engine=gpu --parallel=2 -o got docs
done
"$program" gen tuples --bytes=1M -o tuples
rm -rf want
"$program" index build -o want --engine=cpu --format=tuples tuples
fail_each 'tuples' launch \
    "$program" index build --engine=gpu --parallel=2 --format=tuples -o got tuples
echo "$checks runs with a failing GPU, $failures wrong"
[ $failures -eq 0 ]
