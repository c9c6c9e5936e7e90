#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything that `make test` promises: lint, unit, command line and differential tests,
# fuzzers, then the other ways of building and the sanitizers. With --long, of
# `make test-long`, the same checks with many more cases. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.."

jobs=$(nproc)
log_folder=build steps_at_once=$((jobs / 2 + 2)) # some wait more than they work
. tests/steps.inc
# What runs behind a script does not hear of Ctrl-C by itself.
trap 'trap "" TERM; kill -TERM 0; exit 130' INT

cases=500 few_cases=60 fake_cases=120 searched='--documents=2000 --queries=8'
indexed='--documents=150 --variants=2' tabled='--cases=30'
asan_cases=80 tsan_cases=40 fake_san_cases=(40 14) san_searched='--documents=800 --queries=2'
san_indexed='--documents=60 --variants=1' san_tabled='--cases=9'
joined='--cases=100' san_joined='--cases=40'
fuzz_seconds=2 fault_points=60 stops='--cuts 12 --kills 6' soaked=(SOAK_CASES=30 SOAK_SEED=1)
flipped='FLIPS=20 RESUMES=24'
unset GS_TEST_LONG
if [ "${1:-}" = --long ]; then
    export GS_TEST_LONG=1 # for the unit and the command line tests
    cases=6000 few_cases=600 fake_cases=1000 searched='--documents=6000 --queries=25'
    indexed='--documents=1500 --variants=9' tabled='--cases=3000'
    asan_cases=400 tsan_cases=150 fake_san_cases=(300 200) san_searched='--documents=3000 --queries=6'
    san_indexed='--documents=300 --variants=4' san_tabled='--cases=300'
    joined='--cases=6000' san_joined='--cases=500'
    fuzz_seconds=120 fault_points=0 stops='--kills 300' soaked=(SOAK_MINUTES=10)
    flipped='FLIPS=12000 RESUMES=600'
fi

# One architecture shows as well as all whether the kernels compile and link: those of the
# release are compiled by `make`, and looked at where it was called before.
arch=(CUDA_ARCH=own)
if [ -n "${GS_TEST_LONG:-}" ] || [ -x "$(make -s print-program)" ]; then
    arch=()
fi

mk() {
    make --no-print-directory -j"$jobs" WERROR=1 "${arch[@]}" "$@"
}

# The same objects are linked without CUDA too: by the tests of faults and GPUs, for example.
build_programs() {
    mk all programs && mk CUDA=0 "$(make -s CUDA=0 print-program)"
}

# The fuzzers' objects are for the address sanitizer's tests too, and clang makes those of the
# thread sanitizer without liburing, which it could not look into.
mk_asan() {
    mk CC=clang SAN=fuzz CUDA=0 "$@"
}

mk_tsan() {
    mk CC=clang SAN=tsan LIBURING=0 CUDA=0 "$@"
}

mk_without_uring() {
    GS_NO_URING=1 mk "$@"
}

static_runs() {
    local program
    program=$(mk STATIC=1 CUDA=0 print-program) && mk STATIC=1 CUDA=0 hardened-test &&
        printf 'b\na\n' | "$program" | head -n 1 | grep -qx a
}

# In one folder, and so one after the other.
fault_walks() {
    mk FAULT_POINTS="$fault_points" faults && mk STOP_ARGS="$stops" stops
}

# Both build the same.
fake_gpu_tests() {
    mk CASES="$fake_cases" fake-gpu-test && mk plugin-test
}

soak_a_little() {
    mk "${soaked[@]}" soak
}

# under_sanitizer NAME CASES SEED: all that is not a unit test, a step each.
under_sanitizer() {
    local san=$1 cases=$2 seed=$3 # of indexes: each sanitizer looks at others
    begin "$san-differential" "mk_$san" CASES="$cases" diff-test
    begin "$san-tables" "mk_$san" TABLE_TEST_ARGS="$san_tabled" table-test
    begin "$san-index" "mk_$san" INDEX_TEST_ARGS="$san_indexed --seed=$seed" index-test
    begin "$san-join" "mk_$san" JOIN_TEST_ARGS="$san_joined" join-test
    begin "$san-library" "mk_$san" library-test
    begin "$san-search" "mk_$san" SEARCH_TEST_ARGS="$san_searched" search-test
}

# Steps that build in one folder never run beside each other.
# Locales that a test has made, for the others.
export GS_TEST_LOCALES=$PWD/build/locales
rm -rf "$GS_TEST_LOCALES"
mkdir -p "$GS_TEST_LOCALES"
begin lint tests/lint.sh
begin build build_programs
begin build-asan mk_asan programs library

after build
begin tables mk TABLE_TEST_ARGS="$tabled" table-test
begin cli mk cli-test
begin hardened mk hardened-test
begin library mk library-test
begin python mk python-test
begin ray mk ray-plain-test
begin limits mk LIMITS_TEST_ARGS="--json=$PWD/build/results/limits.json" limits-test
begin build-tsan mk_tsan programs library
begin unit mk unit-test
begin index mk INDEX_TEST_ARGS="$indexed" index-test
begin differential mk CASES="${CASES:-$cases}" diff-test
begin search mk SEARCH_TEST_ARGS="$searched" search-test
# shellcheck disable=SC2086 # two words
begin join mk JOIN_TEST_ARGS="$joined" join-test
begin flips mk $flipped FLIPS_JSON= flips
begin faults fault_walks
begin soak soak_a_little
begin threads-backend mk_without_uring CASES="$few_cases" diff-test

after build-asan
begin asan-unit mk_asan unit-test
under_sanitizer asan "$asan_cases" 1
# What does one thing at a time for long is not for the end.
after unit asan-unit
begin fake-gpu fake_gpu_tests
begin fake-gpu-asan mk_asan CASES="${fake_san_cases[0]}" fake-gpu-test
after build-tsan
begin tsan-unit mk_tsan unit-test
begin fuzz mk fuzz FUZZ_SECONDS="${FUZZ_SECONDS:-$fuzz_seconds}" FUZZ_JSON=build/fuzz.json
after tsan-unit
begin fake-gpu-tsan mk_tsan CASES="${fake_san_cases[1]}" fake-gpu-test
under_sanitizer tsan "$tsan_cases" 2
if [ -n "${GS_TEST_LONG:-}" ]; then
    begin clang-without-uring mk CC=clang LIBURING=0 CUDA=0 unit-test
fi
after fake-gpu
begin static static_runs
finish
