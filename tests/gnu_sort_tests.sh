#!/bin/bash
# SPDX-License-Identifier: MIT
#
# gnu_sort_tests: coreutils' own tests of sort, with gpusort under the name `sort`.
#
#   tests/gnu_sort_tests.sh [-p PROGRAM] [-u USER] TREE [TEST]...
#
# TREE is a release of coreutils, unpacked, or a checkout with its gnulib beside it; TEST
# is a name as in TREE/tests/sort, by default all of them. RUN_EXPENSIVE_TESTS=yes and
# RUN_VERY_EXPENSIVE_TESTS=yes run what is skipped otherwise. What has to do with locales
# is skipped: gpusort compares in the C locale.
#
#   -p PROGRAM  test this instead of build/gpusort
#   -u USER     as root: run them as this user; some tests are only for root, some never
#   TOOLS       a folder with the other programs of the same release, for tests that need
#               what the system's do not have yet; not needed
#
# Each line tells the result and the seconds of a test; the log of one that failed
# follows. Exit code 0 if none failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=$here/../build/gpusort
user=
while getopts p:u: option; do
    case $option in
    p) program=$OPTARG ;;
    u) user=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { sed -n '3,20s/^# \{0,1\}//p' "$0"; exit 2; }
source_tree=$1
shift
[ -x "$program" ] || { echo "gnu: $program is not there, run make"; exit 2; }
init=$source_tree/tests/init.sh
[ -e "$init" ] || init=$source_tree/gnulib/tests/init.sh
[ -e "$init" ] || { echo "gnu: $source_tree has no tests/init.sh, which is gnulib's"; exit 2; }

scratch=$(mktemp -d "${TMPDIR:-/tmp}/gpusort-gnu.XXXXXX") || exit 2
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT
tree=$scratch/tree
mkdir -p "$tree/src" "$tree/tests" "$scratch/tmp"
cp -R "$source_tree"/tests/{sort,*.pm,lang-default,envvar-check} "$tree/tests"
cp "$init" "$tree/tests/init.sh"
cp "$source_tree/init.cfg" "$tree"
cp "$program" "$tree/src/sort"
echo '#define HAVE_PTHREAD_T 1' >"$tree/config.h"
# The program of that name in coreutils' own build, as far as these tests ask it.
cat >"$scratch/getlimits.c" <<'X'
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
int main(void)
{
    printf("INT_MAX=%d\nSIZE_MAX=%zu\nUINTMAX_MAX=%ju\n", INT_MAX, SIZE_MAX, UINTMAX_MAX);
    printf("UINTMAX_OFLOW=%ju%ju\n", UINTMAX_MAX / 10, UINTMAX_MAX % 10 + 1);
    printf("SIZE_OFLOW=%zu%zu\n", SIZE_MAX / 10, SIZE_MAX % 10 + 1);
    printf("FLT_MIN=%Le\nFLT_MAX=%Le\nDBL_MIN=%Le\nDBL_MAX=%Le\n", (long double)FLT_MIN,
           (long double)FLT_MAX, (long double)DBL_MIN, (long double)DBL_MAX);
    printf("LDBL_MIN=%Le\nLDBL_MAX=%Le\n", LDBL_MIN, LDBL_MAX);
    return 0;
}
X
"${CC:-cc}" -o "$tree/src/getlimits" "$scratch/getlimits.c" || exit 2
as_user=()
if [ -n "$user" ]; then
    chmod 755 "$scratch" && chown -R "$user" "$scratch"
    as_user=(runuser -u "$user" --)
fi

# run_test NAME: leaves its log and returns its exit code.
run_test() {
    local runner=(bash "tests/sort/$1")
    [[ $1 == *.pl ]] && runner=(perl -w -Itests -MCuSkip -MCoreutils
        -M"CuTmpdir qw(sort-$1)" "tests/sort/$1")
    (cd "$tree" && exec "${as_user[@]}" env -i \
        PATH="$tree/src:${TOOLS:+$TOOLS:}$PATH" HOME="$scratch" TMPDIR="$scratch/tmp" \
        LC_ALL=C LOCALE_FR=none LOCALE_FR_UTF8=none srcdir=. top_srcdir=. VERSION=9 \
        abs_top_builddir="$tree" abs_top_srcdir="$tree" abs_srcdir="$tree" fail=0 \
        built_programs="sort printf ls" CONFIG_HEADER="$tree/config.h" CC="${CC:-cc}" AWK=awk \
        EGREP='grep -E' PERL=perl SHELL=/bin/bash VERBOSE=yes host_os=linux-gnu \
        CU_TEST_NAME="sort,${1%.*}" RUN_EXPENSIVE_TESTS="${RUN_EXPENSIVE_TESTS:-no}" \
        RUN_VERY_EXPENSIVE_TESTS="${RUN_VERY_EXPENSIVE_TESTS:-no}" \
        "${runner[@]}" 9>&2) >"$scratch/log" 2>&1 </dev/null
}

[ $# -gt 0 ] || { cd "$tree/tests/sort" && set -- * && cd - >/dev/null; }
passed=0 failed=0 skipped=0
for name in "$@"; do
    SECONDS=0
    run_test "$name"
    case $? in
    0) passed=$((passed + 1)) && echo "passed  $name, $SECONDS s" ;;
    77)
        skipped=$((skipped + 1))
        echo "skipped $name: $(sed -n 's/^[^+].*: skipped test: //p' "$scratch/log" | head -n 1)"
        ;;
    *)
        failed=$((failed + 1))
        echo "FAILED  $name, $SECONDS s"
        sed 's/^/    /' "$scratch/log" | tail -n 60
        ;;
    esac
done
echo "gnu: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
