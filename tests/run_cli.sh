#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run_cli: run the tests of the command line, all at once.
#
#   tests/run_cli.sh [-g] [-u] [-p PROGRAM] [NAME]...
#
# Each tests/cli/NAME.sh runs in a scratch folder of its own, in which `gpusort` and
# `sort` (a link to it) come first in PATH. What it prints and its exit code must be what
# NAME.stdout, NAME.stderr and NAME.exit say; a missing file means nothing, or 0. Exit
# code 77 skips.
#
#   -p PROGRAM  test this instead of build/gpusort
#   -g          run the tests named sort_* with GNU sort instead, the system's or
#               $REFERENCE_SORT: what they expect is what it does, and this shows it.
#               A test with a line "# GNU sort: since N" is skipped if it is older
#   -u          write what came out as what is expected; look at the changes afterwards
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/longest.inc"
program=$here/../build/gpusort
use_gnu=0
update=0
while getopts gup: option; do
    case $option in
    g) use_gnu=1 ;;
    u) update=1 ;;
    p) program=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))

# A test has the three descriptors that everyone has: some let a program open few more, and
# make passes on its own.
for fd in /proc/self/fd/*; do
    fd=${fd##*/}
    [ "$fd" -le 2 ] || [ "$fd" -eq 255 ] || eval "exec $fd>&-"
done

export GS_CLI=$here/cli
export LC_ALL=C TZ=UTC
unset POSIXLY_CORRECT _POSIX2_VERSION TMPDIR GS_PROGRAM
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gpusort-cli.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
if [ $use_gnu = 1 ]; then
    reference=$(command -v "${REFERENCE_SORT:-sort}")
    gnu_version=$("$reference" --version | sed -n '1s/^sort (GNU coreutils) //p')
    [ -n "$gnu_version" ] || { echo "cli: no GNU sort here"; exit 77; }
    ln -s "$(realpath "$reference")" "$scratch/bin/sort"
    pattern='sort_*'
else
    [ -x "$program" ] || { echo "cli: $program is not there, run make"; exit 2; }
    ln -s "$(realpath "$program")" "$scratch/bin/gpusort"
    ln -s gpusort "$scratch/bin/sort"
    pattern='*'
fi
export PATH=$scratch/bin:$PATH

# is_outdated NAME: is the GNU sort in use older than what the test is about?
is_outdated() {
    local since
    since=$(sed -n 's/^# GNU sort: since //p' "$GS_CLI/$1.sh")
    [ $use_gnu = 1 ] && [ -n "$since" ] &&
        ! printf '%s\n' "$since" "$gnu_version" | sort -CV
}

# run_one NAME: leaves `passed`, `failed` or `skipped` in the result file.
run_one() {
    local name=$1 work=$scratch/$1 result=failed code want=0 what
    mkdir -p "$work/in"
    if is_outdated "$name"; then
        echo skipped >"$work/result"
        return
    fi
    SECONDS=0
    (cd "$work/in" && exec timeout -k 5 600 bash "$GS_CLI/$name.sh") \
        >"$work/stdout" 2>"$work/stderr" </dev/null
    code=$?
    echo "$SECONDS $name" >"$work/seconds"
    if [ $update = 1 ]; then
        for what in stdout stderr; do
            rm -f "$GS_CLI/$name.$what"
            [ -s "$work/$what" ] && cp "$work/$what" "$GS_CLI/$name.$what"
        done
        rm -f "$GS_CLI/$name.exit"
        [ $code = 0 ] || echo $code >"$GS_CLI/$name.exit"
    fi
    [ -e "$GS_CLI/$name.exit" ] && want=$(<"$GS_CLI/$name.exit")
    if [ $code = 77 ] && [ "$want" != 77 ]; then
        result=skipped
    elif [ "$code" = "$want" ]; then
        result=passed
    else
        echo "exit code $code, not $want" >>"$work/report"
    fi
    for what in stdout stderr; do
        [ $result = skipped ] && break
        local expected=/dev/null
        [ -e "$GS_CLI/$name.$what" ] && expected=$GS_CLI/$name.$what
        cmp -s "$expected" "$work/$what" && continue
        result=failed
        diff -a -U 2 --label "$name.$what expected" --label "$name.$what" "$expected" \
            "$work/$what" | head -40 >>"$work/report"
    done
    echo $result >"$work/result"
    rm -rf "$work/in"
}

names=("$@")
if [ ${#names[@]} = 0 ]; then
    for script in "$GS_CLI"/$pattern.sh; do
        name=${script##*/}
        names+=("${name%.sh}")
    done
fi
jobs_max=$(nproc 2>/dev/null || echo 2)
for name in "${names[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge $((2 * jobs_max)) ]; do
        wait -n
    done
    run_one "$name" &
done
wait

passed=0 failed=0 skipped=0
for name in "${names[@]}"; do
    result=$(<"$scratch/$name/result")
    case $result in
    passed) passed=$((passed + 1)) ;;
    skipped) skipped=$((skipped + 1)) && echo "skipped $name" ;;
    *)
        failed=$((failed + 1))
        echo "FAILED $name"
        cat "$scratch/$name/report"
        ;;
    esac
done
tell_longest "$scratch"/*/seconds
echo "cli: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
