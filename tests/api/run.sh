#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The library as others get it: installed into a folder of its own, found by pkg-config.
# The examples are built against it, shared and static, and do what the command does;
# nothing shows but what gpusort.h says; structures lie as they were promised; every
# function and member has its place in a man page; every function is called by a test.
#
#     tests/api/run.sh PROGRAM [VARIABLE=VALUE]...    as `make library-test` does it
#
# Of a library with sanitizers, as SANITIZER (-fsanitize=...) says, the static one is built
# into examples that have them too: what counts there is what they find.
set -u
program=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
installed=$(mktemp -d)
trap 'rm -rf "$installed"' EXIT
cc=${CC:-gcc}
# Whatever the make that called this was told.
here_only=(DESTDIR= PREFIX="$installed" LIBDIR="$installed/lib")
sanitizer=${SANITIZER-}
kinds='shared static'
[ -z "$sanitizer" ] || kinds=static
# shellcheck disable=SC2206 # words
strict=($sanitizer -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Wpedantic -Werror)
failures=0

fail() {
    printf 'api: %s\n' "$*"
    failures=$((failures + 1))
}

# same WHAT: compares `expected` with `got`.
same() {
    cmp -s "$installed/expected" "$installed/got" && return
    fail "$1: not what the command gives"
    diff "$installed/expected" "$installed/got" | head -5
}

make --no-print-directory -C "$root" "$@" "${here_only[@]}" install-library \
    >"$installed/log" 2>&1 || { cat "$installed/log"; exit 1; }
export PKG_CONFIG_PATH=$installed/lib/pkgconfig
cd "$installed" || exit
header=include/gpusort.h

# --- what shows ---
declared=$(sed -n '/^GPUSORT_API/,/;/p' $header | grep -o '\bgpusort_[a-z0-9_]*(' | tr -d '(' | sort -u)
[ "$(wc -l <<<"$declared")" -ge 20 ] || fail "only found these calls: $declared"
for library in -D\ lib/libgpusort.so lib/libgpusort.a; do
    # shellcheck disable=SC2086 # an option and a name
    [ -z "$sanitizer" ] || break # they add names of their own
    shown=$(nm --defined-only --extern-only $library | awk 'NF == 3 { print $3 }' | sort -u)
    [ "$declared" = "$shown" ] || fail "$library does not show what the header says:
$(diff <(echo "$declared") <(echo "$shown"))"
done
packaged=$(sed -n 's/^ \(gpusort_[a-z0-9_]*\)@.*/\1/p' "$root/cmd/deb/libgpusort0.symbols" | sort -u)
[ "$declared" = "$packaged" ] || fail "cmd/deb/libgpusort0.symbols does not list what the header says:
$(diff <(echo "$declared") <(echo "$packaged"))"
readelf -d lib/libgpusort.so | grep -q 'SONAME.*\[libgpusort\.so\.[0-9]*\]' || fail 'no soname'

# --- what was promised of structures ---
flags=$(pkg-config --cflags gpusort) || fail 'pkg-config does not know it'
# shellcheck disable=SC2086 # words
$cc "${strict[@]}" $flags "$here/layout.c" -o layout && ./layout >got || fail 'layout.c'
cp "$here/layout.txt" expected
same 'layout.txt'
# A member that is new makes its structure larger: in the padding of the one before it a program of yesterday has anything.
# layout_sizes.txt has what each structure has been, the size and how many members, a line each; none is ever changed.
awk '!/\./ && NF == 2 && /^[a-z]/ { name = $1; size[name] = $2 } /^[a-z_]+\./ { count[name]++ }
     /\.reserved / { delete size[name] } # whose new members come out of that
     END { for (n in size) print n, size[n], count[n] }' got | sort >sizes
[ "$(wc -l <sizes)" -ge 35 ] || fail "only found these structures: $(tr '\n' ';' <sizes)"
while read -r name size count; do
    grep -qx "$name $size $count" "$here/layout_sizes.txt" ||
        fail "layout_sizes.txt: $name has $size bytes and $count members: a new line, unless it has $size bytes there with fewer members"
done <sizes
cut -d' ' -f1,2 "$here/layout_sizes.txt" | sort | uniq -d | while read -r twice; do
    echo "api: layout_sizes.txt: twice $twice: what is new there lies in padding"
    exit 1
done || failures=$((failures + 1))
members=$(sed -n '/^typedef struct gpusort_[a-z0-9_]* {/,/^}/p' $header |
    sed '/^}/d; s|/\*.*||; s/\[[0-9]*\];/;/' |
    grep -oE '(\(\*[a-z0-9_]+\)\(|\b[a-z0-9_]+(, [a-z0-9_]+)*;)' | grep -oE '[a-z0-9_]+' | sort -u)
[ "$(wc -l <<<"$members")" -ge 60 ] || fail "only found these members: $members"
pages=$(cat share/man/man3/*.3 | sed 's/\\-/-/g')
for name in $members; do
    grep -q "\.$name " "$here/layout.txt" || fail "layout.c lacks the member $name"
    [ "$name" = reserved ] || grep -qE "(^|[^a-z_])$name([^a-z0-9_]|$)" <<<"$pages" ||
        fail "no man page has the member $name"
done
synopses=$(awk '/^\.SH/ { is_in = $2 == "SYNOPSIS" } is_in' share/man/man3/*.3)
for name in $declared; do
    grep -q "\b$name(" <<<"$synopses" || fail "no SYNOPSIS has $name"
    [ -e "share/man/man3/$name.3" ] || fail "no man page of $name"
done
uses=$(cat "$root"/tests/unit/lib/api/*.c "$here"/examples/*.c)
for name in $declared; do # the handlers of the command's signals abandon a job: tests/cli/own_signals.sh
    grep -q "\b$name(" <<<"$uses" || [ "$name" = gpusort_abandon ] ||
        fail "nothing in tests/unit/lib/api and tests/api/examples calls $name"
done
for page in share/man/man3/*.3; do
    name=$(basename "$page" .3)
    [ "$name" = libgpusort ] || grep -qw "$name" include/gpusort.h || fail "a man page of $name, which is nothing"
done
for name in $(grep -oE '^ *GPUSORT_[A-Z0-9_]+( = [0-9]+)?,' $header | grep -oE 'GPUSORT_[A-Z0-9_]+'); do
    grep -q "^$name " "$here/layout.txt" || fail "layout.c lacks the constant $name"
    grep -q "$name" <<<"$pages" || [[ $name = GPUSORT_SAYS_* ]] || fail "no man page has $name"
done

# --- the examples ---
clang -x c++ -std=c++17 -Wall -Wextra -fsyntax-only $header || fail 'the header is not for C++'
"$program" gen lines --count=40000 --seed=5 -o lines
awk '{ print "x" NR % 77, NR * 7919 % 40009 }' lines >numbers
awk 'BEGIN { print "person,what" } { print $1 ",\"" $2 ", or so\"" }' numbers >orders.csv
awk 'BEGIN { print "id,name"; for (i = 70; i >= 0; i--) print "x" i ",n" i % 9 }' >people.csv
for i in $(seq 300); do
    printf '{"id": "d%d", "contents": "cats %s dogs n%d"}\n' "$i" "$(yes bird | head -n $((i % 9)) | tr '\n' ' ')" $((i % 13))
done >documents.jsonl
"$program" index build --positions -o by_command documents.jsonl
head -n 20 documents.jsonl >some.jsonl
printf '{"id": "gone", "contents": "dogs bird cats n1 n5"}\n' >>some.jsonl
tail -n +21 documents.jsonl >others.jsonl
"$program" index build --positions -o by_growing some.jsonl
"$program" index append by_growing others.jsonl
"$program" index delete --no-merge by_growing gone
for kind in $kinds; do
    rm -rf by_library
    libs=$(pkg-config --libs gpusort)
    [ $kind = shared ] || libs="-L$installed/lib -l:libgpusort.a $(pkg-config --static --libs gpusort | sed 's/-lgpusort//')"
    for example in sort_file sort_lines join_tables find quantiles; do
        # shellcheck disable=SC2086 # words
        $cc "${strict[@]}" $flags "$here/examples/$example.c" $libs -pthread -o $example || fail "$example does not build, $kind"
    done
    ldd ./find | grep -q libgpusort && linked=shared || linked=static
    [ $linked = $kind ] || fail "$kind examples are $linked"
    export LD_LIBRARY_PATH=$installed/lib

    "$program" lines -o expected
    ./sort_file lines got 2>progress || fail "sort_file, $kind: $(tail -n 1 progress)"
    same "sort_file, $kind"
    ./sort_file missing got 2>progress && fail "sort_file, $kind: takes what is not there"
    grep -q missing progress || fail "sort_file, $kind: does not name what is not there"

    "$program" -k2,2n numbers -o expected
    ./sort_lines <numbers >got || fail "sort_lines, $kind"
    same "sort_lines, $kind"

    "$program" join --csv -a 1 -1 person -2 id orders.csv people.csv >expected
    ./join_tables orders.csv person people.csv id >got || fail "join_tables, $kind"
    same "join_tables, $kind"
    [ "$(wc -l <got)" -eq 40001 ] || fail "join_tables, $kind: not every row of the first file"
    ./join_tables orders.csv nobody people.csv id 2>got && fail "join_tables, $kind: takes a column that is not there"
    grep -q nobody got || fail "join_tables, $kind: does not name the column that is not there"

    awk '{ print $2 % 50 / 4 }' numbers >quarters
    { "$program" stats quantile quarters; "$program" stats freq --type=f64 --eps=0.001 quarters; } >expected
    ./quantiles <quarters >got || fail "quantiles, $kind"
    same "quantiles, $kind"
    # Of so few that the error allows none.
    head -n 300 quarters | "$program" stats quantile --save=known >/dev/null
    tail -n 300 quarters | ./quantiles known >both
    head -n 3 both >got
    { head -n 300 quarters; tail -n 300 quarters; } | "$program" stats quantile >expected
    same "quantiles, $kind, of some that are known"

    for query in dogs '+bird n5' '"cats dogs" n1'; do
        "$program" search --top=10 by_command "$query" | awk '{ print $2 }' >expected
        ./find documents.jsonl by_library "$query" 2>&1 | awk '{ print $2 }' >got
        [ -s got ] || fail "find, $kind: nothing for $query"
        same "find, $kind: $query"
        ./find nothing by_growing "$query" 2>&1 | awk '{ print $2 }' >got
        same "find, $kind, in an index that has grown: $query"
    done
    unset LD_LIBRARY_PATH
done

# --- and away again ---
make --no-print-directory -C "$root" "$@" "${here_only[@]}" uninstall >log 2>&1 || fail uninstall
left=$(find include lib share -type f -o -type l)
[ -z "$left" ] || fail "uninstall leaves $left"
[ $failures -eq 0 ]
