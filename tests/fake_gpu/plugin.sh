#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/fake_gpu/plugin.sh PROGRAM PLUGIN
#
# A program without CUDA and a GPU of a library of its own, here the fake one: it is used
# where it is named, its failures cost a warning, one of another build is refused, and a
# machine without a GPU never looks for it.
set -u
program=$1 plugin=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
sorts() { # NAME ARGUMENT...: gives the right answer
    local name=$1
    shift
    "$program" sort -v "$@" in -o got 2>err && cmp -s want got || fail "$name: $(tail -n 1 err)"
}

"$program" gen lines --bytes=2M -o in
LC_ALL=C sort in -o want

export GPUSORT_GPU_LIBRARY=$plugin
sorts 'by the plugin' --engine gpu
grep -q 'records sorted in' err || fail "not on the GPU: $(cat err)"
GS_FAKE_GPU_FAIL=run:1 sorts 'a GPU that fails' --engine gpu
[ "$(grep -c 'the CPU sorts instead' err)" = 1 ] || fail "no warning: $(cat err)"

GPUSORT_GPU_LIBRARY=$scratch/nothing sorts 'one that is not there'
GPUSORT_GPU_LIBRARY=$scratch/nothing "$program" sort --engine gpu in -o got 2>err
[ $? = 2 ] && grep -q "$scratch/nothing: cannot open" err || fail "does not say what is missing: $(cat err)"
# The version stands in it once, as text.
sed 's/\x000\.[0-9]*\.[0-9]*\x00/\x009.9.9\x00/g' "$plugin" >other
cmp -s other "$plugin" && fail 'no version found in the plugin'
GPUSORT_GPU_LIBRARY=$scratch/other "$program" sort --engine gpu in -o got 2>err
[ $? = 2 ] && grep -q 'is not of this build' err || fail "takes that of another build: $(cat err)"

unset GPUSORT_GPU_LIBRARY
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
    LD_DEBUG=libs "$program" sort in -o got 2>err
    grep -q gpusort-gpu err && fail 'looks for a plugin without a GPU'
fi
[ $failures -eq 0 ]
