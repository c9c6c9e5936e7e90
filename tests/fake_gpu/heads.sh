#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/fake_gpu/heads.sh TEST
#
# Heads of posting lists, by test_api_heads of `make FAKE_GPU=1`: by the GPU of tests, which
# must do all that it can, and by one that fails at a step, which costs a warning only.
set -u
test=$1 failures=0 checks=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

check() { # NAME ARGUMENT...
    checks=$((checks + 1))
    "$test" "${@:2}" >log 2>&1 && return
    failures=$((failures + 1))
    echo "FAILED: heads, $1"
    sed 's/^/    /' log
}
check 'a GPU' gpu
for step in lists:1 terms:1 terms:3 heads:1 heads:4; do
    GS_FAKE_GPU_FAIL=$step check $step gpu may
done
echo "$checks checks of heads, $failures failed"
[ $failures -eq 0 ]
