#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/gpu/run.sh FOLDER [CASES [ENGINE]...]
#     tests/gpu/run.sh FOLDER few
#
# All tests of what runs on a GPU, with the programs of a build folder. Every engine, or
# those that are named, for itself, side by side, since their references are made on the
# CPU; then each past 2^32 keys, which takes most of the device's memory; then the
# differential test through the GPU, where one chunk holds the input and where small ones
# spill; then faults. `few`: what takes a minute or two.
set -u
folder=$(realpath "$1") cases=${2:-400} # each starts the driver, which takes a quarter of a second
here=$(cd "$(dirname "$0")" && pwd)
gpusort=$folder/gpusort tests=$folder/tests/gpu log_folder=$folder
. "$here/../steps.inc"
"$gpusort" device | grep -q '^GPU  *0:' || {
    echo 'skipped: no GPU to test'
    exit 0
}
step starts "$here/starts.sh" "$gpusort"
if [ "$cases" = few ]; then
    step text "$tests/test_text"
    step exchange "$tests/test_exchange" --few
    step words "$tests/test_words"
    step lists "$tests/test_lists" --few
    step engines "$tests/test_engines" --quick
    step order "$tests/test_order" --few
    step faults "$tests/test_faults" --quick
    step memory "$here/memory.sh" "$gpusort"
    step whole-faults "$here/faults.sh" "$gpusort" few
    finish
fi
past_32_bits=$(((1 << 32) + 1))
past_large_tiles=$(((1 << 26) + 12345)) # GS_SCATTER_LARGE
engines=${*:3}
engines=${engines:-$("$tests/test_engines" --list)}

for engine in $engines; do
    begin "engine-$engine" "$tests/test_engines" --engine "$engine"
done
begin order "$tests/test_order"
begin text "$tests/test_text"
begin exchange "$tests/test_exchange"
begin words "$tests/test_words"
begin key-search "$tests/test_key_search"
settle
step lists "$tests/test_lists" # no others: it asks for little memory
step faults "$tests/test_faults" # no others: it looks at how much memory is free
for engine in $engines; do
    step "large-$engine" "$tests/test_engines" --engine "$engine" --large $past_large_tiles
    step "huge-$engine" "$tests/test_engines" --engine "$engine" --large $past_32_bits
done
# differential NAME MEMORY PERCENT ARGUMENT...: so many of the cases are the GPU's, at
# least; the rest are merged, checked, in error or, some, of pipes. With 35M it has no room
# for 12 MB of lines at once.
differential() {
    begin "differential-$1" python3 "$here/../differential.py" --binary "$gpusort" \
        "--extra=--engine=gpu --gpu-mem=$2" --by-engine gpu --least-percent "$3" "${@:4}"
}
differential all 0 55 --cases "$cases"
differential little 64M 55 --cases "$cases" # with less than that it is the CPU's
differential spilled 35M 90 --only buckets,codec --cases $((cases / 16))
settle
step memory "$here/memory.sh" "$gpusort"
step whole-faults "$here/faults.sh" "$gpusort"
finish
