#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs unit test programs, given as arguments, as many at once as there are cores, each in a
# scratch folder: exit status 0 is a pass, 77 a skip, anything else a failure whose output
# is shown. Tells which take longest.
set -u
. "$(dirname "$0")/longest.inc"
GS_TESTS=$(realpath "$(dirname "$0")") # tests/seed_files.h
export GS_TESTS

passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run_one() {
    local path name
    path=$(realpath "$1") name=$(basename "$1")
    mkdir "$scratch/$name"
    SECONDS=0
    (cd "$scratch/$name" && timeout 300 "$path") >"$scratch/$name.log" 2>&1
    echo $? >"$scratch/$name.status"
    echo "$SECONDS $name" >"$scratch/$name.seconds"
    rm -rf "${scratch:?}/$name"
}

for program in "$@"; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
        wait -n
    done
    run_one "$program" &
done
wait

for program in "$@"; do
    name=$(basename "$program")
    status=$(<"$scratch/$name.status")
    case $status in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *)
        failed=$((failed + 1))
        echo "FAILED $name (exit $status)"
        sed 's/^/    /' "$scratch/$name.log" | tail -n 40
        ;;
    esac
done
tell_longest "$scratch"/*.seconds
echo "unit: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
