#!/bin/bash
# SPDX-License-Identifier: MIT
# gpusort bench lookup: its tables and its CSV have a row for every way, all ranks are
# right, and options that make no sense are refused.
root=$GS_CLI/../..
gpusort bench lookup --keys=70K --queries=16,1K,3 --runs=3 --parallel=2 --csv=rows.csv >table
grep -E '^(Response|Throughput|Speed|binary CPU)' table | tr -s ' 0-9.' ' '
head -n 1 rows.csv
# On every processor there is binary search and groups, with one thread and with two.
grep -E '^cpu,(binary|groups),[12],70000,(16|1000|3),[0-9]' rows.csv | cut -d , -f 1-5
gpusort bench lookup --keys=1 --queries=1 --runs=1 --parallel=1 >/dev/null
for wrong in --keys=0 --keys=5000M --keys=x --queries=16,,1 --queries=16, --queries=1,2,3,4,5,6,7,8,9 \
    --runs=0 --runs=1K,2 --gpu=-1 --gpu=a operand --csv=no/such/folder; do
    gpusort bench lookup --keys=10 --queries=1 --runs=1 --parallel=1 "$wrong" 2>&1 >/dev/null |
        grep -v '^Try'
done
# Of an index: the rows, of terms drawn in two ways.
for i in $(seq 300); do printf '%s\t%d\n' "t$((i % 7))" "$i"; done >tuples
gpusort index build --format=tuples -o idx tuples
gpusort bench lookup --index=idx --heads=3 --queries=1K --runs=1 --parallel=2 | grep -A 9 '^1000 ' |
    sed 's/ [0-9.]*\.[0-9]*\( .*\)*$/ MS/; s/ GPU *ratio$//; s/  *$//' | tr -s ' '
gpusort bench lookup --index=idx --heads=5K 2>&1 >/dev/null
gpusort bench lookup --index=nothing --queries=1 2>&1 >/dev/null
gpusort bench lookup --index=idx --csv=x 2>&1 >/dev/null
options=$(sed -n 's/^ *{[^",]*, "\([a-z0-9-]*\)",.*/\1/p' "$root/cmd/bench_lookup.c")
man=$(sed 's/\\-/-/g' "$root/man/gpusort-bench.1")
help=$(gpusort bench lookup --help)
for option in $options; do
    grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$help" || echo "help: --$option"
    grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$man" || echo "man page: --$option"
    grep -qE -- "--$option([^a-z0-9-]|$)" "$root/cmd/completions/_gpusort" || echo "zsh: --$option"
    grep '^__gpusort_bench_lookup' "$root/cmd/completions/gpusort.fish" |
        grep -qE -- "-l $option( |$)" || echo "fish: --$option"
done
awk 'length > 88 { print "help, too wide: " $0 }' <<<"$help"
