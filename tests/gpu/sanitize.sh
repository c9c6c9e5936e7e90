#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/gpu/sanitize.sh FOLDER SANITIZER
#
# Accesses outside of memory, then races, of the kernels in a build folder's tests: a few
# cases each, since kernels then run tens to hundreds of times slower.
set -u
folder=$(realpath "$1") sanitizer=$2
tests=$folder/tests/gpu log_folder=$folder
. "$(dirname "$0")/../steps.inc"

check() {
    local tool=$1
    shift
    "$sanitizer" --error-exitcode 1 --tool "$tool" "$@" --few
}

for tool in memcheck racecheck; do
    for engine in sample bitonic quick; do
        begin "$tool-$engine" check $tool "$tests/test_engines" --engine $engine
    done
    begin "$tool-text" check $tool "$tests/test_text"
done
begin memcheck-key-search check memcheck "$tests/test_key_search"
settle
finish
