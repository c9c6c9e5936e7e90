#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/gpu/memory.sh PROGRAM [MEGABYTES]
#
# Whole sorts of so many MB in little memory of a GPU: the right output, without the CPU's
# help, and no more of the GPU than --gpu-mem allows, besides the driver's context, which
# is what the program has on it when it sorts a line. Nobody else is to use it meanwhile.
set -u
program=$1 megabytes=${2:-1500}
"$program" device | grep -q '^GPU  *0:' || {
    echo 'skipped: no GPU'
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export TMPDIR=$scratch
# The first that the program sees, which counts them as nvidia-smi does.
export CUDA_DEVICE_ORDER=PCI_BUS_ID
gpu=${CUDA_VISIBLE_DEVICES:-0}
gpu=${gpu%%,*}
failures=0 checks=0

used_mib() {
    nvidia-smi -i "$gpu" --query-gpu=memory.used --format=csv,noheader,nounits
}

# peak_mib COMMAND: what the GPU has at most while it runs, less what it has now.
peak_mib() {
    local before most=0 now child
    before=$(used_mib)
    "$@" 2>err &
    child=$!
    while kill -0 $child 2>/dev/null; do
        now=$(used_mib)
        most=$((now > most ? now : most))
    done
    wait $child || echo "exit $?" >>err
    peak=$((most - before))
}

"$program" gen lines --bytes=4M -o few
peak_mib "$program" --engine gpu --gpu-mem=64M -S 2M few -o got
((peak > 0)) || {
    echo "FAILED: of a sort nothing was seen on GPU $gpu"
    exit 1
}
context=$((peak > 64 ? peak - 64 : peak)) # at least that
"$program" gen tuples --bytes="$megabytes"M -o in
for keys in '' '-k2 -k1' '-k1,1 -k2,2n' '-k1 -k1 -k1 -s'; do
    # shellcheck disable=SC2086  # several options, or none
    "$program" --engine cpu $keys in -o want
    for gpu_memory in 400 1024 2048; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086
        peak_mib "$program" --engine gpu --gpu-mem=${gpu_memory}M $keys in -o got
        printf '%-18s --gpu-mem=%4dM  context and %5d MiB  %s\n' "$keys" $gpu_memory \
            $((peak - context)) "$(cmp want got >/dev/null && echo same)"
        cmp -s want got && [ ! -s err ] || {
            failures=$((failures + 1))
            echo "FAILED: wrong, or not by the GPU"
            sed 's/^/    /' err
        }
        # A context grows by some code with the first large chunks.
        ((peak - context <= gpu_memory + 150)) || {
            failures=$((failures + 1))
            echo "FAILED: $((peak - context)) MiB of $gpu_memory"
        }
    done
done
echo "$checks sorts within a GPU's memory, $failures wrong"
[ $failures -eq 0 ]
