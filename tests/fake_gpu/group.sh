#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/fake_gpu/group.sh PROGRAM [few]
#
# Several GPUs together, with a program of `make FAKE_GPU=1`: an input that they hold
# together comes out as from the cores, whatever its order, its lines and where it goes; what
# they do not hold, or have no room to exchange, they take in turn; a GPU that fails at any
# step, or gives a wrong answer, costs a warning and nothing else. `few`: for a slow program.
set -u
program=$1 bytes=3000000
header=$(realpath "$(dirname "$0")/../../gpu/text/text_sort.h")
[ "${2-}" = few ] && bytes=1200000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export TMPDIR=$scratch
failures=0 checks=0
"$program" gen lines --bytes=$bytes -o in

# together NAME PATTERN WARNINGS ARG...: the same as by the cores; the log has the pattern.
together() {
    checks=$((checks + 1))
    cat in >/dev/null # a busy machine may have dropped it from its cache
    GS_FAKE_GPU_FAIL='' "$program" --engine=cpu "${@:4}" -o wanted
    rm -f got
    "$program" --engine=gpu --gpu=$gpus -v --stats=stats "${@:4}" -o got 2>err
    grep 'share all records out' err >>shared
    cmp -s wanted got && grep -q "$2" err && [ "$(grep -c 'the CPU sorts instead' err)" = "$3" ] || {
        failures=$((failures + 1))
        echo "FAILED: GPUs $gpus together, $1"
        sed 's/^/    /' err
    }
}
both='^gpusort: GPU 1: .* records sorted'
gpus=0,1
: >shared
awk -v lines=$((bytes / 16)) 'BEGIN {
    for (i = 0; i < lines; i++)
        print i * 7919 % 3 ? sprintf("b%020d", i * 7919 % 10007) : "a" i % 30 }' >uneven
yes 'all the same' | head -n 20000 >equal
{
    head -c $((bytes / 2)) in | tr '\n' ' '
    echo
    cat in
    printf 'no end'
} >long
tr '\n' x <in | head -c $((bytes / 20 * 20)) >records
sort in >sorted

together lines "$both" 0 in
grep -q '"runs": 0,' stats || {
    failures=$((failures + 1))
    echo 'FAILED: what they hold together was spilled'
}
together 'lines, little memory' "$both" 0 -S 4M in
together 'lines, many workers' "$both" 0 -S 40M --parallel=8 in in
together backwards "$both" 0 -r in
together 'by a key' "$both" 0 -k1.3,1.5 in
together 'by a key, in the order of the input' "$both" 0 -s -k1.3,1.4 in in
together 'by numbers' "$both" 0 -s -k1.2n uneven uneven
together 'uneven lines' "$both" 0 uneven in
together 'sorted lines' "$both" 0 sorted sorted
together 'equal lines' 'records sorted in' 0 equal
together 'a long line, and no end' "$both" 0 -S 10M long in
together 'a header' "$both" 0 --header=3 in
together 'records' "$both" 0 --record-size=20 records
together 'records by a field' "$both" 0 --record-size=20 --key-bytes=3:2:ule records
# What leaves records out, or counts them: stretch after stretch.
for options in -u --count '--top=7' '--top=50000' '-u --top=9000' '--count --top=11000' '-s -u -k1.2,1.5' \
    '-k1.2n -s --count'; do
    # shellcheck disable=SC2086 # they are several
    together "$options" "$both" 0 $options uneven in
done
gpus=0,1,2
for options in -u "--top=$((bytes / 40))" "-u --top=$((bytes / 60))" '--top=1000000000'; do
    # shellcheck disable=SC2086
    together "three, $options" '^gpusort: GPU 2: .* records sorted' 0 $options in uneven
done
gpus=0,1
checks=$((checks + 1))
"$program" --engine=gpu --gpu=$gpus -v --output-compress=zstd in -o got.zst 2>err
"$program" --engine=cpu in -o wanted
"$program" --engine=cpu got.zst -o got
cmp -s wanted got && grep -q "$both" err || {
    failures=$((failures + 1))
    echo 'FAILED: GPUs together, zstd'
    sed 's/^/    /' err
}
gpus=0,1,2,5
together 'four of them' '^gpusort: GPU 5: .* records sorted' 0 -S 20M in uneven
gpus=0,0
together 'one that is named twice' 'GPU 0: .* records sorted' 0 in
gpus=0,1

# To a pipe, and to a file in memory whose pages are filled.
checks=$((checks + 2))
"$program" --engine=cpu in -o wanted
"$program" --engine=gpu --gpu=$gpus -S 4M in 2>err | cmp -s wanted - || {
    failures=$((failures + 1))
    echo 'FAILED: GPUs together to a pipe'
}
in_memory=$(mktemp -d -p /dev/shm 2>/dev/null) || in_memory=$scratch
trap 'rm -rf "$scratch" "$in_memory"' EXIT
"$program" --engine=gpu --gpu=$gpus -S 64M --parallel=8 in -o "$in_memory/got" 2>err
cmp -s wanted "$in_memory/got" || {
    failures=$((failures + 1))
    echo 'FAILED: GPUs together to pages in memory'
}

# What is not for them together they take in turn.
in_turn='GPUs take chunks in turn'
GS_FAKE_GPU_EXCHANGE=refuse together 'no room to exchange' "$in_turn" 0 in
GS_FAKE_GPU_MEMORY=$((bytes / 3)) together 'more than they hold' "$in_turn" 0 -S 2M in
GS_FAKE_GPU_MEMORY=$((bytes / 3)) together 'more, with a header' "$in_turn" 0 -S 2M --header=2 in
head -n 10 in >ten
together 'ten lines' 'GPU: 10 records sorted' 0 ten
: >none
together 'no line' '' 0 none

# A failure at every step, of either GPU; and answers that are wrong. One that does not start
# leaves the others to take turns.
for step in upload:1 upload:6 exchange:1 run:1 run:2 fetch:1 fetch:2 fetch:9 fetch:20; do
    GS_FAKE_GPU_FAIL=$step together "$step" '' 1 -S 4M in
done
for step in start:1 start:2; do
    GS_FAKE_GPU_FAIL=$step together "$step" "$in_turn" 0 in
done
# Where all have too little memory, one may still have enough; what one cannot, none can.
# Once they sort it is too late for that.
for step in upload:1 exchange:1; do
    GS_FAKE_GPU_FAIL=$step:memory together "$step, no memory" "$in_turn" 0 in
    GS_FAKE_GPU_FAIL=$step:limit together "$step, a limit" '' 1 in
done
GS_FAKE_GPU_FAIL=run:2:memory together 'run:2, no memory' '' 1 in
for step in exchange:1 run:2 fetch:5; do
    checks=$((checks + 1))
    GS_FAKE_GPU_FAIL=$step "$program" --engine=gpu --gpu=$gpus -S 4M in 2>err | cmp -s wanted - &&
        [ "$(grep -c 'the CPU sorts instead' err)" = 1 ] || {
        failures=$((failures + 1))
        echo "FAILED: GPUs together to a pipe, $step"
    }
done
for step in exchange:1 run:1 run:2 records:1 records:2; do
    GS_FAKE_GPU_FAIL=$step together "-u, $step" '' 1 -S 4M -u in
done
for how in swap drop double byte; do
    GS_FAKE_GPU_WRONG=$how together "-u, $how" 'verify: .*the CPU sorts instead' 1 -u in
    GS_FAKE_GPU_WRONG=$how together "$how" 'verify: .*the CPU sorts instead' 1 in
done
GS_FAKE_GPU_EXCHANGE=wrong together 'a record of the other' 'verify: .*the CPU sorts instead' 1 in

# Each way to share records out is taken by some of these.
ways=$(sed -n '/^typedef enum gs_text_sharing/,/^}/s/^ *GS_SHARE_\([A-Z_]*\),.*/\1/p' "$header" | tr 'A-Z_' 'a-z ')
[ "$(wc -l <<<"$ways")" -ge 2 ] || {
    failures=$((failures + 1))
    echo "FAILED: only found these ways to share records out: $ways"
}
while read -r way; do
    checks=$((checks + 1))
    grep -q "out: $way, [1-9]" shared || {
        failures=$((failures + 1))
        echo "FAILED: no sort of these shares records out: $way"
    }
done <<<"$ways"

# Nothing is lost if the host runs short of memory, or a file cannot be read; nor is it
# believed what somebody wrote into a file while it went up.
for test in sort_failures changed_input; do
    checks=$((checks + 1))
    "$(dirname "$program")/tests/unit/lib/sort/test_$test" gpus >log 2>&1 || {
        failures=$((failures + 1))
        echo "FAILED: test_$test gpus"
        sed 's/^/    /' log
    }
done
echo "$checks checks of several GPUs, $failures failed"
[ $failures -eq 0 ]
