#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/gpu/sanitize.sh FOLDER SANITIZER [ENGINE]...
#
# Accesses outside of memory, then races, of the kernels in a build folder's tests: a few
# cases each, since kernels then run tens to hundreds of times slower. Races one program
# after the other, and those between several GPUs with the first engine only: where two
# threads of a program launch at a time, racecheck (CUDA 13.0) has been seen to stand still.
set -u
STEP_SECONDS=150 # a step that takes so long has failed
folder=$(realpath "$1") sanitizer=$2
shift 2
engines=${*:-sample bitonic quick}
# Only when named: auto leaves each batch to one of the others, radix and merge are CUB's,
# fss and ssort have the kernels of quick, and pbsn is for `gpusort bench` alone.
# left out: auto radix merge fss ssort pbsn
tests=$folder/tests/gpu log_folder=$folder
. "$(dirname "$0")/../steps.inc"

check() {
    local tool=$1
    shift
    timeout "$STEP_SECONDS" "$sanitizer" --error-exitcode 1 --tool "$tool" "$@" --few
}

# check_all HOW TOOL: by begin, side by side, or by step.
check_all() {
    local how=$1 tool=$2 engine limit=
    for engine in $engines; do
        # shellcheck disable=SC2086  # none or one
        "$how" "$tool-$engine" check "$tool" "$tests/test_engines" --engine $engine $limit
        [ "$tool" = racecheck ] && limit=--one-gpu
    done
    "$how" "$tool-order" check "$tool" "$tests/test_order"
    "$how" "$tool-text" check "$tool" "$tests/test_text"
    "$how" "$tool-words" check "$tool" "$tests/test_words"
}

check_all begin memcheck
begin memcheck-key-search check memcheck "$tests/test_key_search"
begin memcheck-lists check memcheck "$tests/test_lists" --few
begin memcheck-exchange check memcheck "$tests/test_exchange"
settle
check_all step racecheck
finish
