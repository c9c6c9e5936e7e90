#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
#     tests/fake_gpu/run.sh PROGRAM [CASES]
#
# The way through a GPU, with a program of `make FAKE_GPU=1`: a GPU that fails at any step
# costs a warning and nothing else, from files and pipes, to files and pipes, in memory and
# spilled; and the differential test, with chunks so small that most cases spill.
set -u
program=$1 cases=${2:-500}
here=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export TMPDIR=$scratch
export GS_DEVICE_RUNS=text # whatever the cores here could do
failures=0 checks=0

# Few cases: a slow program, under a sanitizer, gets less of everything.
is_few=false is_many=false mega=400000 term_count=100000 values=400000
[ "$cases" -lt 500 ] || is_many=true mega=1000000
[ "$cases" -lt 100 ] && is_few=true mega=200000 term_count=9000 values=160000
"$program" gen lines --bytes=$((6 * mega)) -o in
LC_ALL=C sort in -o want

# expect NAME WARNINGS: `got` is what it should be, and stderr has so many warnings.
expect() {
    checks=$((checks + 1))
    if ! cmp -s "$want" got || [ "$(grep -c 'the CPU sorts instead' err)" != "$2" ]; then
        failures=$((failures + 1))
        echo "FAILED: $1"
        sed 's/^/    /' err
    fi
}

steps=(start:1 upload:1 upload:4 run:1 fetch:1 fetch:3)
spill_steps=(run:1 run:2 fetch:1 fetch:5 run:12 fetch:60)
page_steps=(none:1 run:1 fetch:1 fetch:3 fetch:5)
fifo_steps=(fetch:3 fetch:20)
late_steps=(records:3 records:7)
kept_steps=(piece:1 order:2 order:4 window:5)
piped_steps=(none:1 start:1 piece:1 piece:2 order:1 window:1) # how much comes at once is up to the pipe
# What comes while the device starts goes up as one: of little input there may be no second.
# Nor are there as many of the other steps.
if $is_few; then
    steps=(start:1 upload:1 run:1 fetch:1 fetch:2)
    spill_steps=(run:1 run:2 fetch:1 run:12)
    page_steps=(none:1 run:1 fetch:1 fetch:2)
    fifo_steps=(fetch:2 fetch:6)
    late_steps=(records:2 records:4)
    kept_steps=(piece:1 order:2 window:3)
    piped_steps=(none:1 start:1 piece:2 window:1)
fi

# sort_along WAY: from what to what.
sort_along() {
    want=want
    case $1 in
    'file to file') "$program" "${options[@]}" in -o got 2>err ;;
    'file to pipe') "$program" "${options[@]}" in 2>err | cat >got ;;
    'pipe to file') cat in | "$program" "${options[@]}" -o got 2>err ;;
    'pipe to pipe') cat in | "$program" "${options[@]}" 2>err | cat >got ;;
    *)
        cat in | "$program" "${options[@]}" - in 2>err | cat >got
        want=both
        ;;
    esac
}
LC_ALL=C sort -m want want >both
ways=('file to file' 'file to pipe' 'pipe to file' 'pipe to pipe' 'pipe and file to pipe')
turn=0
failures_by=(call memory limit)
for where in memory spill; do
    options=(--engine gpu -S 200M)
    if [ $where = spill ]; then
        steps=("${spill_steps[@]}")
        export GS_FAKE_GPU_MEMORY=$mega
        options=(--engine gpu -S 2M)
    fi
    for step in none:1 "${steps[@]}"; do
        export GS_FAKE_GPU_FAIL=$step:${failures_by[turn % 3]}
        [ $where = spill ] && export GS_DEVICE_RUNS=text:$((turn % 3 * mega * 2))
        warnings=1
        [ "$step" = none:1 ] && warnings=0
        for way in "${ways[@]}"; do
            turn=$((turn + 1))
            # Unless there are many cases every second: each way meets every other step.
            $is_many || [ $((turn % 2)) = 1 ] || continue
            # How many uploads a short pipe makes is up to its writer ("kept" has many), and
            # with them how many runs ("much" has many).
            [[ "$step $way" == @(upload:4|run:12|fetch:60)\ pipe* ]] && continue
            sort_along "$way"
            expect "$where $step $way" $warnings
        done
    done
done
want=want
export GS_DEVICE_RUNS=text

# A file in memory whose pages are filled: from the landing, by each worker.
in_memory=$(mktemp -d -p /dev/shm 2>/dev/null) || in_memory=
if [ -n "$in_memory" ]; then
    trap 'rm -rf "$scratch" "$in_memory"' EXIT
    unset GS_FAKE_GPU_MEMORY
    for step in "${page_steps[@]}"; do
        for from in in -; do
            rm -f got
            cat in | GS_FAKE_GPU_FAIL=$step "$program" --engine gpu -S 64M --parallel=8 \
                $from -o "$in_memory/got" 2>err
            cp "$in_memory/got" got
            warnings=1
            [ "$step" = none:1 ] && warnings=0
            expect "pages $step from $from" $warnings
        done
    done
    for how in swap drop double byte; do
        GS_FAKE_GPU_WRONG=$how "$program" --engine gpu -S 64M --parallel=8 in \
            -o "$in_memory/got" 2>err
        cp "$in_memory/got" got
        expect "pages $how" 1
    done
fi
# So many files that they are not mapped are read as pipes are, but again if need be; of
# lines that are longer than a block, a file without an end, and records all goes up too.
fed() { # fed NAME WAYS ARG...: the same by the CPU; WAYS is how often threads read
    checks=$((checks + 1))
    cat in uneven records >/dev/null # a busy machine may have dropped them from its cache
    "$program" --engine cpu "${@:3}" -o wanted
    "$program" --engine gpu -v "${@:3}" -o got 2>err
    cmp -s wanted got && [ "$(grep -c 'in the page cache and read by' err)" = "$2" ] &&
        [ "$(grep -c 'the CPU sorts instead' err)" = $warnings ] || {
        failures=$((failures + 1))
        echo "FAILED: fed with $1"
        sed 's/^/    /' err
    }
}
split -n l/70 in part.
{
    head -c 1500000 in
    head -c 3000000 in | tr '\n' ' '
    echo
    head -c 1500001 in
} >uneven
"$program" gen records --bytes=2000000 -o records
unset GS_FAKE_GPU_FAIL GS_FAKE_GPU_MEMORY
turn=0
for memory in 100000000 $mega; do
    for step in none:1 upload:9 run:1; do
        turn=$((turn + 1))
        $is_few && [ $((turn % 2)) = 0 ] && continue
        export GS_FAKE_GPU_FAIL=$step GS_FAKE_GPU_MEMORY=$memory
        warnings=1
        [ "$step" = none:1 ] && warnings=0
        # Of what was held back while the device started all may go up at once.
        GS_FAKE_GPU_FAIL=${step/:9/:1} \
            fed "70 files, $step of $memory" 0 -S 10M part.*
        fed "uneven files, $step of $memory" 1 -S 10M uneven in uneven
        fed "records, $step of $memory" 1 -S 10M --record-size=100 records records
        fed "headers, $step of $memory" 1 -S 10M --header=2 in in
    done
done
unset GS_FAKE_GPU_FAIL GS_FAKE_GPU_MEMORY
checks=$((checks + 1))
if "$program" --engine gpu --record-size=90 records -o got 2>err ||
    ! grep -q 'records: the last record, at byte .* has .* bytes and not 90' err ||
    grep -q 'the CPU sorts instead' err; then
    failures=$((failures + 1))
    echo 'FAILED: a record that is not whole'
fi
rm -f part.* uneven records wanted

# More from a pipe than -S has room to hold: the rest is kept in a file, and the GPU sorts
# all of it at once. Where it fails the CPU has all of it again, also a batch that was on
# its way.
unset GS_FAKE_GPU_MEMORY
mkdir kept
much=(in in in in in in in in)
$is_few && much+=(in in in in)
LC_ALL=C sort -m "${much[@]/in/want}" >want_much
want=want_much
run_steps=(none:1 upload:1 upload:9 upload:30 run:1 fetch:1 fetch:7)
$is_few && run_steps=(none:1 upload:30 fetch:1)
for step in "${run_steps[@]}"; do
    cat "${much[@]}" | GS_FAKE_GPU_FAIL=$step "$program" --engine gpu -S 1M -T kept \
        --stats=stats 2>err | cat >got
    warnings=1
    [ "$step" = none:1 ] && warnings=0
    expect "kept $step" $warnings
    [ "$step" != none:1 ] || grep -q '"runs": 0,' stats || {
        failures=$((failures + 1))
        echo 'FAILED: what a pipe has beyond -S was spilled'
    }
done
# Nor is it in memory: beside a file's, which can be read again, a pipe's sort holds little
# more than -S.
if ! $is_few; then
    checks=$((checks + 1))
    cat "${much[@]}" "${much[@]}" >long
    bytes=$(stat -c %s long)
    for from in long -; do
        cat long | "$program" --engine gpu -S 1M -T kept --stats=stats $from >got 2>err
        sed -n 's/.*"peak_memory_bytes": \([0-9]*\).*/\1/p' stats
    done >peaks
    { read -r of_file && read -r of_pipe; } <peaks
    [ $((of_pipe - of_file)) -lt $((bytes / 2)) ] || {
        failures=$((failures + 1))
        echo "FAILED: a pipe of $bytes bytes takes $of_pipe of memory, a file $of_file"
    }
    rm long peaks
fi
# Where it cannot be kept, it is said, and the sort goes on; a GPU that then fails cannot be
# forgiven.
keep_little() {
    cat "${much[@]}" | (
        ulimit -f $((mega / 1200))
        GS_FAKE_GPU_FAIL=$1 exec "$program" --engine gpu -S 1M -T kept 2>err
    ) | cat >got
    return "${PIPESTATUS[1]}"
}
checks=$((checks + 3))
keep_little none:1 && cmp -s want_much got && grep -q 'cannot be kept' err || {
    failures=$((failures + 1))
    echo 'FAILED: a file for what is kept that may not grow'
    sed 's/^/    /' err
}
keep_little run:1
[ $? = 2 ] && [ ! -s got ] && grep -q 'run failed as told' err || {
    failures=$((failures + 1))
    echo 'FAILED: text that is lost is no error'
}
[ -z "$(ls -A kept)" ] || {
    failures=$((failures + 1))
    echo 'FAILED: something is left in the folder for what is kept'
}
rm want_much
want=want

# A GPU that gives a wrong answer is found out, whatever is asked of it: the CPU sorts
# instead, or, where wrong text has left, there is an error.
unset GS_FAKE_GPU_FAIL
wrongly() { # wrongly NAME ARG...: prints what the program says; its output goes to `got`
    checks=$((checks + 1))
    "$program" --engine gpu "${@:2}" in -o got 2>err
    cmp -s wanted got && grep -q 'verify: .*the CPU sorts instead' err || {
        failures=$((failures + 1))
        echo "FAILED: wrong answer not found: $1"
        sed 's/^/    /' err
    }
}
hows=(swap drop double byte)
turn=0
for options in '' '-r' '-k1.3' '-s -k1.3,1.5' '--count' '-u'; do
    "$program" --engine cpu $options in -o wanted
    turn=$((turn + 1))
    for how in "${hows[@]}"; do
        # Of few cases every second: each way to be wrong meets every other option.
        turn=$((turn + 1))
        $is_few && [ $((turn % 2)) = 1 ] && continue
        # What is alike by its keys may stand in any order, and be left out, to nobody's harm.
        [[ $options = -s* && $how = swap ]] && continue
        export GS_FAKE_GPU_WRONG=$how
        unset GS_FAKE_GPU_MEMORY
        wrongly "$how '$options' in memory" $options -S 200M
        export GS_FAKE_GPU_MEMORY=$mega
        wrongly "$how '$options' spilled" $options -S 2M
    done
done
# Runs of records depend on what the GPU says of them; those of text are sorted again, of
# which every answer may be wrong too: then the cores merge the runs, which are right.
export GS_FAKE_GPU_WRONG=shared
"$program" --engine cpu -u in -o wanted
GS_DEVICE_RUNS=records wrongly 'shared spilled' -u -S 2M
"$program" --engine cpu in -o wanted
for how in "${hows[@]}"; do
    for run in 4 12; do
        GS_FAKE_GPU_WRONG=$how:$run wrongly "$how in run $run" -S 2M
    done
done
"$program" --engine cpu -u in -o wanted
for how in "${hows[@]}"; do
    GS_FAKE_GPU_WRONG=$how:16 wrongly "$how in run 16, -u" -S 2M -u
done
unset GS_FAKE_GPU_MEMORY
for how in swap drop double byte; do
    checks=$((checks + 1))
    GS_FAKE_GPU_WRONG=$how "$program" --engine gpu -S 200M in 2>err | cat >got
    codes=("${PIPESTATUS[@]}")
    { [ "${codes[0]}" = 2 ] && grep -q 'verify: ' err; } ||
        { [ "${codes[0]}" = 0 ] && cmp -s want got; } || {
        failures=$((failures + 1))
        echo "FAILED: wrong answer not found: $how to a pipe, exit ${codes[0]}"
    }
done
unset GS_FAKE_GPU_WRONG

# What is left out of runs is in records, and so is what is left out of the result.
export GS_FAKE_GPU_MEMORY=$mega
# How many times records of a pipe come down is up to how much of it there was at once.
for step in records:1 records:5; do
    for options in -u --top=50000; do
        checks=$((checks + 1))
        "$program" --engine cpu $options in -o wanted
        cat in | GS_FAKE_GPU_FAIL=${step/5/2} "$program" --engine gpu -S 2M $options -o got 2>err
        cmp -s wanted got && grep -q 'the CPU sorts instead' err || {
            failures=$((failures + 1))
            echo "FAILED: $step $options"
            sed 's/^/    /' err
        }
    done
    checks=$((checks + 1))
    "$program" --engine cpu -u in -o wanted
    GS_DEVICE_RUNS=records GS_FAKE_GPU_FAIL=$step "$program" --engine gpu -S 2M -u in -o got 2>err
    cmp -s wanted got && grep -q 'the CPU sorts instead' err || {
        failures=$((failures + 1))
        echo "FAILED: $step -u, runs of records"
        sed 's/^/    /' err
    }
done

# Runs of text are in memory, in files, or in both, and are sorted again by ranges. A range
# that the GPU has no room for, since its lines are short, is merged by the cores.
awk -v lines=$((mega * 6 / 16)) 'BEGIN {
    for (i = 0; i < lines; i++)
        print i * 7919 % 3 ? sprintf("b%020d", i * 7919 % 100003) : "a" i % 30 }' >uneven
again() { # again NAME PATTERN ARG...: the same as by the CPU, and the log has the pattern
    checks=$((checks + 1))
    "$program" --engine cpu "${@:3}" -o wanted
    "$program" --engine gpu -v --stats=stats "${@:3}" -o got 2>err
    cmp -s wanted got && grep -q "$2" err && ! grep -q 'the CPU sorts instead' err || {
        failures=$((failures + 1))
        echo "FAILED: sorted again, $1"
        sed 's/^/    /' err
    }
}
cat in in | tr '\n' x | head -c $((mega * 10)) >records
yes 'all the same, and so long that there are not too many' | head -n 30000 >equal
export GS_FAKE_GPU_MEMORY=$mega
for memory in 2M 100M; do
    # Of the first what is in files is half of it.
    [ $memory = 100M ] || export GS_DEVICE_RUNS=text:$((mega * 3))
    again "-S $memory" 'runs are sorted again on the GPU' -S $memory in
    again "-S $memory -r" 'runs are sorted again on the GPU' -S $memory -r in
    again "-S $memory by keys" 'runs are sorted again on the GPU' -S $memory -s -k1.2,1.3 in
    again "-S $memory, a header" 'runs are sorted again on the GPU' -S $memory --header=3 in
    again "-S $memory, equal lines" 'runs are sorted again on the GPU' -S $memory equal equal
    again "-S $memory -u" 'runs are sorted again on the GPU' -S $memory -u in in
    again "-S $memory -u by a key" 'runs are sorted again on the GPU' -S $memory -s -u -k1.2,1.4 in
    again "-S $memory --count" 'runs are sorted again on the GPU' -S $memory --count -r in uneven
    again "-S $memory -u, equal lines" 'which is too much for a GPU' -S $memory -u equal equal in
    again "-S $memory --count, equal lines" 'which is too much for a GPU' -S $memory --count equal in equal
    export GS_DEVICE_RUNS=text
done
grep -q '"spill_bytes": 0,' stats || {
    failures=$((failures + 1))
    echo 'FAILED: runs that fit in memory were spilled'
}
again 'records' 'runs are sorted again on the GPU' -S 2M --record-size=20 records
# Where packed runs cost less, or are asked for, the cores merge them.
GS_DEVICE_RUNS=records again 'records for cores' 'records sorted in' -S 2M in
! grep -q 'sorted again' err || {
    failures=$((failures + 1))
    echo 'FAILED: runs of records are no text'
}
env -u GS_DEVICE_RUNS "$program" --engine gpu -v -S 2M in -o got 2>err
cmp -s got want && grep -q 'runs: [0-9.]* ns a byte as text for the GPU, [0-9.]* as records' err || {
    failures=$((failures + 1))
    echo 'FAILED: it is not chosen what runs are to be'
}
GS_FAKE_GPU_LINES=$((mega / 10)) again 'too many lines' 'which is too much for a GPU' -S 2M uneven
# Of a pipe nothing can be read again: wherever it fails, the runs are not lost.
LC_ALL=C sort -m want want want want want want >want_much
want=want_much
for step in run:3 run:14; do
    cat in in in in in in | GS_FAKE_GPU_FAIL=$step GS_DEVICE_RUNS=text:$((mega * 12)) \
        "$program" --engine gpu -S 2M 2>err | cat >got
    expect "much from a pipe, $step" 1
done
want=want
rm -f uneven records equal stats want_much

unset GS_FAKE_GPU_MEMORY
# A FIFO is one for its reader, whoever writes to it, and does not end in between.
mkfifo fifo
for step in "${fifo_steps[@]}"; do
    cat fifo >got &
    GS_FAKE_GPU_FAIL=$step timeout 60 "$program" --engine gpu -S 2M in -o fifo 2>err ||
        echo "exit $?" >>err
    wait
    expect "$step file to FIFO" 1
done
rm fifo

# Frames of zstd that have left cannot be taken back: either all is right or it is said.
told=0
for step in records:1 records:4 records:7 records:20; do
    for from in in -; do
        checks=$((checks + 1))
        cat in | GS_FAKE_GPU_FAIL=$step "$program" --engine gpu -S 2M \
            --output-compress=zstd $from 2>err | cat >got.zst
        if [ "${PIPESTATUS[1]}" = 0 ]; then
            GS_FAKE_GPU_FAIL= "$program" --engine cpu got.zst -o got
        else
            told=$((told + 1))
            cp want got
            grep -q 'cannot be taken back' err
        fi && cmp -s want got || {
            failures=$((failures + 1))
            echo "FAILED: $step, zstd from $from"
            sed 's/^/    /' err
        }
    done
done
[ $told -gt 0 ] || {
    failures=$((failures + 1))
    echo 'FAILED: zstd: no step was late enough'
}
# To a file all is made again; counts are text, which goes on where it stopped.
unset GS_FAKE_GPU_FAIL
"$program" --engine cpu --count in -o counted
for step in "${late_steps[@]}"; do
    checks=$((checks + 1))
    export GS_FAKE_GPU_FAIL=$step
    "$program" --engine gpu -S 2M --output-compress=zstd in -o got.zst 2>err
    "$program" --engine cpu got.zst -o got
    expect "$step zstd to a file" 1
    "$program" --engine gpu -S 2M --count in 2>err | cat >got
    cmp -s counted got && grep -q 'the CPU sorts instead' err || {
        failures=$((failures + 1))
        echo "FAILED: $step, counts to a pipe"
    }
done

# Lines whose keys might be too long for the device are for the CPU.
{
    cat in
    head -c 400000 in | tr '\n' '\1'
    echo
    head -n 10 in
} >long
"$program" --engine cpu -k1,1 -k1,1 long -o want_long
for from in long -; do
    checks=$((checks + 1))
    cat long | GS_FAKE_GPU_FAIL= GS_FAKE_GPU_STRING_MAX=1000000 "$program" --engine gpu \
        -S 2M -k1,1 -k1,1 $from -o got 2>err
    cmp -s want_long got && [ "$(grep -c 'too long for it; the CPU' err)" = 1 ] || {
        failures=$((failures + 1))
        echo "FAILED: long keys from $from"
        sed 's/^/    /' err
    }
done
rm long want_long

# So are numbers by -g that the device cannot round.
{
    seq 3000 -7 1
    echo 268625875208.877616040408611297607421875
    seq 1 3000
} >long
"$program" --engine cpu -g long -o want_long
for from in long -; do
    checks=$((checks + 1))
    cat long | GS_FAKE_GPU_FAIL= "$program" --engine gpu -g $from -o got 2>err
    cmp -s want_long got && [ "$(grep -c 'half way between two.*; the CPU' err)" = 1 ] || {
        failures=$((failures + 1))
        echo "FAILED: a number that only the CPU can round, from $from"
        sed 's/^/    /' err
    }
done
rm long want_long

# Every type of key is for the GPU, alone and beside others.
unset GS_FAKE_GPU_FAIL
head -n 1000 in >few
for keys in -M -h -g -V -R '-k1.1,1.3M -k1.4,1.9h' '-k1.2g -k1.1,1.1nr' '-s -k1.2Vr' \
    '-u -k1.5,1.8R -k1.1,1.1M'; do
    # shellcheck disable=SC2086 # they are several
    "$program" --engine cpu --random-source=in $keys few -o want
    # shellcheck disable=SC2086
    "$program" --engine gpu --random-source=in -v $keys few -o got 2>err
    expect "$keys" 0
    grep -q 'GPU: 1000 records sorted' err || {
        echo "FAILED: $keys is not for the GPU"
        failures=$((failures + 1))
    }
done

# What has no kernel is for the CPU, quietly; -v says why.
seq 1000 >few
LC_ALL=C sort few -o want
"$program" --engine gpu --csv -k1,1 -v few -o got 2>err
expect "--csv" 0
grep -q 'the CPU sorts this: there is no kernel' err || {
    echo "FAILED: -v does not say why the CPU sorts"
    failures=$((failures + 1))
}
rm -f in both got got.zst counted want

# A test of functions, which is told that there is a GPU.
unit_test() { # TEST, what it is about
    checks=$((checks + 1))
    "$(dirname "$program")/tests/unit/lib/$1" gpu >log 2>&1 || {
        failures=$((failures + 1))
        echo "FAILED: $2"
        sed 's/^/    /' log
    }
}
# Nothing is lost if the host runs short of memory, or a file cannot be read, on the way.
GS_FAKE_GPU_MEMORY=200000 unit_test sort/test_sort_failures 'calls of the host that fail beside a GPU'

# Nor is it believed what somebody wrote into a file while it went up.
unit_test sort/test_changed_input 'files that are changed on their way to a GPU'

# Where nobody asks for it, it is taken for what is large enough.
unit_test sort/device/test_device_choice 'the choice of a GPU by size'

# What a function was given does not come again.
GS_FAKE_GPU_FAIL=fetch:20 unit_test api/test_api_output 'output that goes to a function'

# Arrays of programs.
unit_test api/test_number_device 'arrays of numbers'

# A GPU that cannot help is not woken up.
asleep() {
    checks=$((checks + 1))
    GS_FAKE_GPU_ASLEEP=1 "$@" >/dev/null 2>err </dev/null || {
        echo "FAILED: $*: exit $?"
        failures=$((failures + 1))
        sed 's/^/    /' err
    }
}
"$program" gen docs --bytes=300000 -o docs
asleep "$program" few -o got
asleep "$program" -m got got
asleep "$program" -c got
asleep "$program" --engine cpu few
asleep "$program" check got
asleep "$program" gen lines --bytes=1000 -o got
for method in auto spimi bsbi; do
    rm -rf index
    asleep "$program" index build --method=$method -o index docs
done
asleep "$program" index verify index
asleep "$program" lookup index a
asleep "$program" search index a
asleep "$program" sort --help
asleep "$program" index build --help
asleep "$program" bench --help
# Nor is one looked for below so much input a thread (zeros are in no word).
truncate -s 128M docs
rm -rf index
asleep "$program" index build --parallel=5 --format=text -o index docs
checks=$((checks + 1))
(ulimit -c 0
 GS_FAKE_GPU_ASLEEP=1 "$program" index build --parallel=4 --format=text -o woken docs 2>err
 true) 2>/dev/null
grep -q 'woken up: gs_word_block_new' err && [ ! -e woken ] || {
    failures=$((failures + 1))
    echo 'FAILED: index, a GPU is not looked for'
}
rm -rf index got docs few

GS_FAKE_GPU_MEMORY=200000 python3 "$here/tests/differential.py" --binary "$program" \
    --extra=--engine=gpu --cases "$cases" --by-engine gpu --least-percent 50 || failures=$((failures + 1))

# Streams: windows that a GPU sorts, or begins to, or has no memory for, give the same.
"$program" gen u32 -n $values --dist=zipf --seed=5 -o n.bin
stream() { # ARGUMENT...: of stats
    local what="stats $*" step memory warnings late=submit:3
    $is_few && late=submit:2
    "$program" stats "$@" --engine=cpu n.bin >want 2>err
    for step in none:1 engine:1 submit:1 "$late" wait:2; do
        for memory in $((values / 20)) 100000000; do
            turn=$((turn + 1))
            $is_few && [ $((turn % 2)) = 0 ] && continue
            warnings=1
            [ $step = none:1 ] && warnings=0
            GS_FAKE_GPU_FAIL=${step#none:1} GS_FAKE_GPU_MEMORY=$memory \
                "$program" stats "$@" --engine=gpu n.bin >got 2>err
            checks=$((checks + 1))
            if ! cmp -s want got || [ "$(grep -c 'the CPU sorts instead' err)" -gt $warnings ] ||
                { [ $memory = 100000000 ] && [ "$(grep -c 'the CPU sorts instead' err)" != $warnings ]; }; then
                failures=$((failures + 1))
                echo "FAILED: $what, $step, $memory"
                sed 's/^/    /' err
            fi
        done
        turn=$((turn + 1)) # each step meets the other memory in the next turn
    done
}
turn=0
stream quantile --binary --type=u32
stream quantile --binary --type=u32 --exact --phi=0,0.3,1 -S 1M
stream quantile --binary --type=u32 --window=$((values / 8)) --eps=0.05
stream quantile --binary --type=u32 --window=1d --eps=0.05 -S 60M
stream freq --binary --type=u32 --window=$((values / 8))
stream freq --binary --type=u32
stream corrsum --binary --type=u32
stream corrsum --binary --type=u32 --window=$((values / 8)) --eps=0.05
rm -f n.bin want got

# Indexes: a device of any size makes the same, and one that fails costs a warning.
memories=(20000)
$is_few && memories=()
documents=40
$is_many && memories+=(100000000) documents=100
for memory in "${memories[@]}"; do
    GS_FAKE_GPU_MEMORY=$memory python3 "$here/tests/index_check.py" --binary "$program" \
        --documents "$documents" --variants 1 --extra=--engine=gpu || failures=$((failures + 1))
done
"$program" gen docs --bytes=$((3 * mega)) -o docs
"$program" index build -o want --engine=cpu docs
unset GS_FAKE_GPU_MEMORY
for step in engine:1 submit:1 submit:3 wait:2; do
    checks=$((checks + 1))
    rm -rf got
    GS_FAKE_GPU_FAIL=$step "$program" index build --method=bsbi --engine=gpu -S $((2 * mega / 1024))K -o got docs 2>err
    diff -r want got && [ "$(grep -c 'the CPU sorts instead' err)" = 1 ] || {
        failures=$((failures + 1))
        echo "FAILED: index, $step"
        sed 's/^/    /' err
    }
done

# Words on a device: text of every script, cut where pieces end; documents larger than a
# piece, words too long, names that are told; a device that fails or is wrong costs one
# warning, and what is said of the input is said once.
python3 - "$here" $mega >texts.jsonl <<'EOF'
import json, pathlib, random, sys
chosen, size = random.Random(7), int(sys.argv[2])
files = sorted(pathlib.Path(sys.argv[1], "corpus").rglob("*.t*t"))
texts = [file.read_text("utf-8", "replace") for file in files]
marks = ["e\u0301", " \u0301", "\u00bd", "\ufb01", "\u6771\u4eac\u90fd 2020", "\u0e01\u0e02",
         "\u1100\u1161", "\u00a0"]
for number in range(60):
    text = chosen.choice(texts)
    begin = chosen.randrange(max(1, len(text)))
    parts = [text[begin:begin + chosen.choice([0, 9, 300, 5000])]]
    parts += [chosen.choice(marks) + chosen.choice(["", " ", "x"])
              for _ in range(chosen.choice([0, 3, 200]))]
    if number % 20 == 7:
        parts += ["word " * (size // 5), "w" * 70000, "\u0436" * 40000, " behind"]
    if number % 20 == 9:
        parts = ["w" * 600000 + " \u00e9" + "v" * 65535]
    chosen.shuffle(parts)
    print("{oh" if number == 30 else json.dumps(
        {"id": f"d{number}", "text": "".join(parts)}, ensure_ascii=number % 2 == 0))
# Terms of more than a full block of postings, some of which end with one.
for number in range(700):
    words = ["often"] * chosen.choice([1, 1, 1, 2, 9])
    words += ["even"] * (number % 2) + ["block"] * (number < 384) + [f"w{number % 9}", "x"]
    chosen.shuffle(words)
    print(json.dumps({"id": f"e{number}", "text": " ".join(words)}))
EOF
want_words() { # OPTION...: what words are to be made to
    word_options=("$@")
    rm -rf want_words
    "$program" index build --engine=cpu --skip-bad "$@" -o want_words texts.jsonl 2>wanted_err
}
# Behind what a checkpoint has, long words are counted anew.
said() {
    grep -v -e 'the CPU builds instead' -e "$uncounted" err
}
words() { # WARNINGS ARGUMENT...: the same index and messages as by the CPU
    local method=device uncounted='^$'
    [[ "$*" != *--checkpoint* ]] || uncounted=' words of more than '
    grep -v -e "$uncounted" wanted_err >wanted_said
    checks=$((checks + 1))
    rm -rf got
    [ "$1" = 0 ] || method=spimi
    "$program" index build --engine=gpu --skip-bad --stats=stats "${word_options[@]}" "${@:2}" \
        -o got texts.jsonl 2>err
    diff -r want_words got && said | cmp wanted_said - &&
        [ "$(grep -c 'the CPU builds instead' err)" = "$1" ] && grep -q "\"$method\"" stats || {
        failures=$((failures + 1))
        echo "FAILED: words, $GS_FAKE_GPU_MEMORY $GS_FAKE_GPU_FAIL $GS_FAKE_GPU_WRONG ${*:2}"
        sed 's/^/    /' err
    }
}
export GS_FAKE_GPU_MEMORY GS_FAKE_GPU_FAIL='' GS_FAKE_GPU_WRONG=''
# Stop words, some with what is not ASCII, limits and stems, by distinct form.
printf 'The\nof # and\nan and in\nd\u00e9j\u00e0\n\ufb01\nx\nword\n' >stop
want_words --positions --stem=english --stopwords=stop --min-len=2 --max-len=12
for GS_FAKE_GPU_MEMORY in 1000 100000000; do
    words 0
    words 0 -S 4M --parallel=3
    words 0 -S 16M --gpu=0,1,2 # which share terms out
done
for GS_FAKE_GPU_FAIL in leave:1 piece:1 items:1 terms:1 join:1 order:1 firsts:1; do
    words 1
done
GS_FAKE_GPU_MEMORY=1000
for GS_FAKE_GPU_FAIL in reset:1 join:2; do
    words 1 -S 4M
done
GS_FAKE_GPU_FAIL=''
want_words --positions
for GS_FAKE_GPU_MEMORY in 1000 100000000; do
    words 0
    words 0 -S 4M --parallel=3
    words 0 -S 4M --parallel=3 --gpu=0,1 # which take batches in turn
    words 0 -S 16M --gpu=0,1
    GS_FAKE_GPU_EXCHANGE=refuse words 0 -S 16M --gpu=0,1
done
said_of_terms() { # TEXT ARGUMENT...: how the GPUs of a build share its terms out
    checks=$((checks + 1))
    rm -rf got
    "$program" index build --engine=gpu --skip-bad "${word_options[@]}" -S 16M "${@:2}" -v \
        -o got texts.jsonl 2>err
    grep -q "GPUs: each $1" err && diff -r want_words got || {
        failures=$((failures + 1))
        echo "FAILED: words, each $1"
    }
}
said_of_terms 'has all postings of its terms' --gpu=0,1
GS_FAKE_GPU_EXCHANGE=refuse said_of_terms 'keeps the words it has met' --gpu=0,1
for GS_FAKE_GPU_FAIL in join:1 join:2 weigh:1 weigh:2 exchange:1 order:2 encode:2; do
    words 1 -S 16M --gpu=0,1
done
GS_FAKE_GPU_FAIL=''
for GS_FAKE_GPU_FAIL in start:2 reset:2 order:2 window:3; do
    words 1 -S 4M --gpu=1,0
done
for GS_FAKE_GPU_FAIL in start:1 piece:1 piece:2 order:1 terms:1 window:1 window:2 place:1 place:3; do
    words 1
done
GS_FAKE_GPU_MEMORY=100000000
for GS_FAKE_GPU_FAIL in encode:1 stored:1 tails:1; do
    words 1
done
GS_FAKE_GPU_FAIL=''
for GS_FAKE_GPU_WRONG in stored tails; do
    words 1
done
GS_FAKE_GPU_WRONG=''
GS_FAKE_GPU_NO_TAILS=1 words 0
GS_FAKE_GPU_MEMORY=1000
for GS_FAKE_GPU_FAIL in reset:1 order:2 window:3; do
    words 1 -S 4M
done
# With a checkpoint, behind which the cores go on, and so does a GPU after a stop.
for GS_FAKE_GPU_FAIL in "${kept_steps[@]}"; do
    words 1 -S 4M --checkpoint=kept_build
done
checks=$((checks + 1))
GS_FAKE_GPU_FAIL=''
build=("$program" index build --engine=gpu --skip-bad --positions --checkpoint=kept_build -S 4M)
rm -rf got
(trap '' XFSZ; ulimit -f 80; "${build[@]}" --parallel=1 -o got texts.jsonl) 2>/dev/null
ls kept_build >kept_files
"${build[@]}" -v -o got texts.jsonl 2>err
grep -q journal kept_files && grep -q 'behind [1-9]' err && grep -q 'method device' err &&
    diff -r want_words got && [ ! -e kept_build ] || {
    failures=$((failures + 1))
    echo 'FAILED: words, going on from a checkpoint'
    sed 's/^/    /' err
}

# What came through pipes is kept for the cores: plain and compressed ones, a file at its
# end as standard input, one that is gone on with; and without room, no index.
piped() { # NAME WARNINGS ARGUMENT...: of the index, from what the function from_pipe gives
    checks=$((checks + 1))
    rm -rf got
    from_pipe "$program" index build --engine=gpu --skip-bad "${word_options[@]}" --stats=stats \
        --format=jsonl --id-field=id -o got "${@:3}" 2>err
    diff -r want_words got && [ "$(grep -c 'the CPU builds instead' err)" = "$2" ] &&
        { [ "$2" != 0 ] || grep -q '"device"' stats; } || {
        failures=$((failures + 1))
        echo "FAILED: words of pipes, $1, $GS_FAKE_GPU_FAIL"
        sed 's/^/    /' err
    }
}
lines=$(wc -l <texts.jsonl)
for GS_FAKE_GPU_FAIL in "${piped_steps[@]}"; do
    warnings=1
    [ $GS_FAKE_GPU_FAIL = none:1 ] && warnings=0
    from_pipe() { gzip -c texts.jsonl | "$@"; }
    piped gzip $warnings -
    from_pipe() { "$@" <texts.jsonl; }
    piped file $warnings -
    from_pipe() { "$@" <(head -n 20 texts.jsonl) <(tail -n +21 texts.jsonl | head -n 15) \
        <(tail -n +36 texts.jsonl); }
    piped several $warnings
done
checks=$((checks + 1))
rm -rf got
GS_FAKE_GPU_FAIL=piece:1
if cat texts.jsonl | "$program" index build --engine=gpu --skip-bad -T /nowhere -o got 2>err ||
    ! grep -q 'piece failed as told' err || ! grep -q 'could not be kept' err || [ -e got ]; then
    failures=$((failures + 1))
    echo 'FAILED: words of a pipe that is not kept'
    sed 's/^/    /' err
fi
GS_FAKE_GPU_FAIL=''
for GS_FAKE_GPU_WRONG in documents terms tokens places firsts; do
    words 1
done
unset GS_FAKE_GPU_MEMORY GS_FAKE_GPU_FAIL GS_FAKE_GPU_WRONG
rm -rf want_words stop

# Ready tuples on a device: lines of which some are for the cores, frequencies, and pairs;
# the same index and messages; frequencies and docIDs that are too large cost a warning.
python3 - $((mega / 10)) <<'EOF'
import random, struct, sys
chosen, lines = random.Random(5), int(sys.argv[1])
terms = ["".join(chosen.choices("abcde", k=chosen.randint(1, 9))) for _ in range(900)]
terms += ["\u0436\u0443\u043a", "two words", "x" * 300, "w" * 65535]
odd = ["", "no tab", "\t7", "a\t12x", "b\t" + "0" * 70 + "5", " \t ", "c\t5\t0", "d\t6\r"]
def line(kind):
    term = chosen.choice(terms[:900] if chosen.random() < 0.998 else terms)
    tf = f"\t{chosen.choice([1, 2, 70000])}" if kind != "once" and chosen.random() < 0.5 else ""
    return f"{term}\t{chosen.randrange(5000)}{tf}"
for kind in "once", "often", "odd":
    with open(f"{kind}.tsv", "w") as out:
        for i in range(lines):
            is_odd = kind == "odd" and i % 2000 == 1999
            out.write((chosen.choice(odd) if is_odd else line(kind)) + "\n")
        if kind == "odd":
            out.write("last\t3")
with open("huge.tsv", "w") as out:
    out.write("a\t1\t4294967295\nb\t1\t4294967295\n")
with open("far.tsv", "w") as out:
    out.write("a\t1\nb\t5000000000\n")
with open("pairs", "wb") as out:
    for i in range(lines):
        out.write(struct.pack("<II", int(chosen.paretovariate(0.5)) % 4000000000,
                              chosen.randrange(1 << (32 if i % 50 == 0 else 10))))
EOF
tuples() { # WARNINGS FILE ARGUMENT...
    local method=device format=tuples
    checks=$((checks + 1))
    [ "$1" = 0 ] || method=spimi
    [ "$2" != pairs ] || format=tuples-bin
    rm -rf got want_tuples
    "$program" index build --engine=cpu --format=$format --skip-bad -o want_tuples "$2" \
        2>wanted_err
    "$program" index build --engine=gpu --format=$format --skip-bad --stats=stats "${@:3}" \
        -o got "$2" 2>err
    diff -r want_tuples got && grep -v 'the CPU builds instead' err | cmp wanted_err - &&
        [ "$(grep -c 'the CPU builds instead' err)" = "$1" ] && grep -q "\"$method\"" stats || {
        failures=$((failures + 1))
        echo "FAILED: tuples, $GS_FAKE_GPU_MEMORY $GS_FAKE_GPU_FAIL $GS_FAKE_GPU_WRONG ${*:2}"
        sed 's/^/    /' err
    }
}
export GS_FAKE_GPU_MEMORY GS_FAKE_GPU_FAIL='' GS_FAKE_GPU_WRONG=''
for GS_FAKE_GPU_MEMORY in 1000 100000000; do
    for file in once.tsv often.tsv odd.tsv pairs; do
        tuples 0 $file -S 4M --parallel=3
        tuples 0 $file -S 4M --gpu=0,1,2
        tuples 0 $file -S 16M --gpu=0,1,2
        GS_FAKE_GPU_EXCHANGE=refuse tuples 0 $file -S 16M --gpu=0,1
    done
    tuples 1 huge.tsv
    tuples 1 far.tsv
done
for GS_FAKE_GPU_FAIL in start:1 piece:2 order:1 terms:1 window:1; do
    tuples 1 odd.tsv
done
GS_FAKE_GPU_FAIL=''
for GS_FAKE_GPU_WRONG in documents terms tokens refused; do
    tuples 1 often.tsv
done
tuples 1 pairs
unset GS_FAKE_GPU_MEMORY GS_FAKE_GPU_FAIL GS_FAKE_GPU_WRONG
# What ends a build is told as it is by the cores.
checks=$((checks + 1))
rm -rf got
"$program" index build --engine=cpu --format=tuples -o got odd.tsv 2>wanted_err
"$program" index build --engine=gpu --format=tuples -o got odd.tsv 2>err
cmp wanted_err err && grep -q 'odd.tsv:2000: ' err && [ ! -e got ] || {
    failures=$((failures + 1))
    echo 'FAILED: a line that is no tuple'
}
rm -rf want_tuples once.tsv often.tsv odd.tsv huge.tsv far.tsv pairs

# Where there are many cores, a large file in memory is read by several threads.
if $is_many; then
    checks=$((checks + 1))
    rm -rf got
    "$program" gen docs --bytes=9M -o large
    "$program" index build --engine=cpu -o want_large large
    "$program" index build --engine=gpu --parallel=6 -o got large
    diff -r want_large got || {
        failures=$((failures + 1))
        echo 'FAILED: words of a large file'
    }
    rm -rf want_large large
fi

# Lookups: the same lines from a device, and from one that fails, which costs a warning.
"$program" index dump want | cut -f 1 | shuf -r -n $term_count --random-source=<(yes) >terms
sed -n '1~3s/..$/x/p' terms >>terms
"$program" lookup --engine=cpu want <terms >wanted
steps=(none:1 keys:1 queries:1 ranks:1)
$is_few || steps+=(queries:2 ranks:3) # which take more than one batch
for step in "${steps[@]}"; do
    checks=$((checks + 1))
    warnings=1
    [ "$step" = none:1 ] && warnings=0
    GS_FAKE_GPU_FAIL=$step "$program" lookup --engine=gpu want <terms >got_terms 2>err
    cmp -s wanted got_terms &&
        [ "$(grep -c 'the CPU searches instead' err)" = $warnings ] || {
        failures=$((failures + 1))
        echo "FAILED: lookup, $step"
        sed 's/^/    /' err
    }
done
echo "$checks checks of failing GPUs, $failures failed"
[ $failures -eq 0 ]
