#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs unit test programs, given as arguments, each in a scratch folder: exit status 0 is a
# pass, 77 a skip, anything else a failure whose output is shown.
set -u

passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for program in "$@"; do
    name=$(basename "$program")
    path=$(realpath "$program")
    mkdir "$scratch/$name"
    (cd "$scratch/$name" && timeout 300 "$path") >"$scratch/$name.log" 2>&1
    status=$?
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
echo "unit: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
