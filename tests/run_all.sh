#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything that `make test` promises: lint, unit, command line and differential tests,
# then the other ways of building and the sanitizers. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.."

log_folder=build
. tests/steps.inc
jobs=$(nproc)

mk() {
    make --no-print-directory -j"$jobs" WERROR=1 "$@"
}

static_runs() {
    mk STATIC=1 CUDA=0 all && printf 'b\na\n' | build/gpusort | head -n 1 | grep -qx a
}

mkdir -p build
step lint tests/lint.sh
step build mk all
step unit mk unit-test
step cli mk cli-test
begin index mk index-test
begin search mk search-test
settle
step differential mk CASES="${CASES:-1500}" diff-test
step threads-backend env GS_NO_URING=1 make --no-print-directory CASES=150 diff-test
step fake-gpu mk CASES=500 fake-gpu-test
step fake-gpu-asan mk SAN=asan CASES=150 fake-gpu-test
step fake-gpu-tsan mk SAN=tsan CASES=60 fake-gpu-test
step asan-ubsan mk asan
step tsan mk tsan SAN_CASES=80
step fuzz make --no-print-directory fuzz FUZZ_SECONDS="${FUZZ_SECONDS:-60}"
step clang mk CC=clang CUDA=0 all unit-test
step without-liburing mk LIBURING=0 CUDA=0 all unit-test
step static static_runs
mk all >/dev/null 2>&1 # the program that is left is the usual one
finish
