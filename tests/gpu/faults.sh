#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/gpu/faults.sh PROGRAM [few]
#
# Whole programs on a GPU that fails (gpu/device/fault.h): whichever GPU call it is, the
# output is right, a warning says that the CPU sorts or builds instead, and nothing is left
# behind. The first calls are failed in turn, then ever fewer, until a run has no more.
#
# A program that leaves all to the CPU, for want of memory say, would pass: each is first
# run on a sound GPU, which has to do the work, in as many runs as are said. `few`: calls
# further apart.
set -u
program=$1
calls_apart=2 # the next call is half as far again
[ "${2-}" = few ] && calls_apart=0
"$program" device | grep -q '^GPU  *0:' || {
    echo 'skipped: no GPU to fail'
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir temp
export TMPDIR=$scratch/temp
declare -A reached=() # the last call of a command that, failed, left all to the CPU
failures=0 checks=0 SECONDS=0

wrong() {
    failures=$((failures + 1))
    echo "FAILED: $1, GS_GPU_FAIL=${GS_GPU_FAIL-}"
    sed 's/^/    /' err
}

# run_once NAME COMMAND...: sets `warnings` to how often it says that the CPU does the work.
run_once() {
    local name=$1
    shift
    rm -rf got stats
    "$@" 2>err || wrong "$name: exit $?"
    diff -rq want got >/dev/null || wrong "$name: wrong output"
    [ -z "$(ls -A temp)" ] || wrong "$name: temporary files stay"
    warnings=$(grep -cE 'the CPU (sorts|builds)' err)
}

# fail_each NAME KIND RUNS COMMAND...: fails call after call of a command, which writes `got`
# and, as `stats`, its figures; `want` is what `got` should be. RUNS is how many runs it
# spills at least; 0: none.
fail_each() {
    local name=$1 kind=$2 least=$3 nth=0 tries=0 unfailed=0 runs
    shift 3
    run_once "$name" "$@"
    runs=$(sed -n 's/^ *"runs": \([0-9]*\),$/\1/p' stats)
    runs=${runs:--1} # it does not say
    if [ "$warnings" != 0 ] || ! grep -q '"engine": "gpu"' stats; then
        wrong "$name: not by the GPU"
        return
    fi
    if ((least == 0 ? runs != 0 : runs < least)); then
        wrong "$name: $runs runs, and not $least"
        return
    fi
    # A GPU that has less memory than it said may do without, and what two together fail
    # at they do one by one: two in turn have no such call, nor has another kind had it.
    while ((unfailed < 2 || nth < ${reached[$name]:-0})); do
        ((calls_apart > 0)) && nth=$((nth + 1 + nth / calls_apart)) || nth=$((nth * 4 + 1))
        tries=$((tries + 1))
        export GS_GPU_FAIL=$kind:$nth
        run_once "$name" "$@"
        ((warnings <= 1)) || wrong "$name: $warnings warnings"
        unfailed=$((warnings == 0 ? unfailed + 1 : 0))
        ((warnings > 0 && nth > ${reached[$name]:-0})) && reached[$name]=$nth
        ((nth < 10000000)) || {
            wrong "$name: no end of calls"
            break
        }
    done
    [ $nth -gt 20 ] || wrong "$name: only $nth calls"
    unset GS_GPU_FAIL
    checks=$((checks + tries))
    printf '%-14s %-6s %3d runs on the disk, %3d tries, to call %5d, after %d s\n' \
        "$name" "$kind" "$runs" $tries $nth $SECONDS
}

sort_in() {
    "$program" --engine gpu --stats=stats "$@" -o got
}

"$program" gen lines --bytes=6M -o in
LC_ALL=C sort in -o want
for kind in memory launch lost; do
    fail_each 'file to file' $kind 0 sort_in in
done
for kind in lost launch; do
    fail_each 'two together' $kind 0 sort_in --gpu 0,0 in
done
pipe() {
    cat in | "$program" --engine gpu --stats=stats | cat >got
    return "${PIPESTATUS[1]}"
}
fail_each 'pipe to pipe' launch 0 pipe
LC_ALL=C sort -t' ' -k1.3n -u in -o want
fail_each 'keys' memory 0 sort_in -t' ' -k1.3n -u in

# One GPU has room for the text but not for 14 bytes a line beside it, nor have two halves.
"$program" gen lines --bytes=60MB -o in
LC_ALL=C sort -S 1G in -o want
for kind in launch lost; do
    fail_each 'spilled' $kind 2 sort_in --gpu-mem 94M -S 2M in
done
fail_each 'two slots' lost 2 sort_in --gpu 0,0 --gpu-mem 96M -S 2M in

build_in() {
    "$program" index build --engine=gpu --stats=stats "$@"
}
"$program" gen docs --bytes=3M -o docs
rm -rf want
"$program" index build -o want --engine=cpu docs
fail_each 'index' launch 2 build_in --method=bsbi -S 2M -o got docs
for kind in launch lost; do
    fail_each 'words' $kind 0 build_in --parallel=2 -o got docs
done
"$program" gen tuples --bytes=1M -o tuples
rm -rf want
"$program" index build -o want --engine=cpu --format=tuples tuples
fail_each 'tuples' launch 0 build_in --parallel=2 --format=tuples -o got tuples
echo "$checks runs with a failing GPU, $failures wrong"
[ $failures -eq 0 ]
