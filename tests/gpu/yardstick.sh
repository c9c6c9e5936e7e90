#!/bin/bash
# SPDX-License-Identifier: MIT
#
# yardstick: Zipf tuples, ours against CUB's radix sort on the bits that vary, in turn in
# one run. Prints each time and the ratio of the medians.
#
#   tests/gpu/yardstick.sh OBJ [ROUNDS]
set -eu
obj=$1
rounds=${2:-3}
median() { sort -n | sed -n "$(((rounds + 1) / 2))p"; }
for power in 28 30; do
    count=$((1 << power))
    ours=() cub=()
    for _ in $(seq "$rounds"); do
        cub+=("$("$obj/tests/gpu/yardstick" $count | grep -oE '[0-9.]+ ms' | head -n 1 | cut -d' ' -f1)")
        ours+=("$("$obj/gpusort" bench --engine=sample --distribution=zipf --size=$count --runs=5 |
            awk '$1 == "u64" {print $5}')")
    done
    a=$(printf '%s\n' "${cub[@]}" | median)
    b=$(printf '%s\n' "${ours[@]}" | median)
    echo "2^$power Zipf tuples: CUB on the varying bits $a ms, sample $b ms: $(awk "BEGIN {printf \"%.2f times\", $a / $b}")"
done
