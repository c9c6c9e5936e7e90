#!/bin/bash
# SPDX-License-Identifier: MIT
# A batch of many thousand terms gives what each of them gives alone, on any number of
# threads, with terms that are not there, empty lines and terms with a zero byte; options
# are in the help, the man page and the completions.
root=$GS_CLI/../..
awk '{ print $0 "\t" NR % 700; if (NR % 5 == 0) print $0 "\t" NR % 700 + 3 }' \
    "$root/corpus/words.txt" >tuples
gpusort index build --format=tuples -o idx tuples
# Every 20th word as it is, every 20th with its end changed, an empty line, a long one.
sed -n '1~20p; 7~20s/.$/zz/p' "$root/corpus/words.txt" | shuf --random-source=tuples >some
{ cat some some some; echo; printf 'no\0thing\n'; yes long | tr -d '\n' | head -c 100000; echo; } >terms
cat terms terms terms terms >many
wc -l <many
gpusort lookup --parallel=1 idx <many >one
for threads in 2 5; do
    gpusort lookup --parallel=$threads idx <many | cmp - one
done
gpusort lookup --engine=cpu idx <many | cmp - one
cat many | gpusort lookup idx | cmp - one
# Alone, for some of them; and all of them against the input itself.
sed -n '1~300p' some | while read -r term; do
    gpusort lookup idx "$term"
done >alone
sed -n '1~300p' some | gpusort lookup idx | cmp - alone
awk -F'\t' 'NR == FNR { df[$1]++; docs[$1] = docs[$1] (docs[$1] ? " " : "") $2 ":1"; next }
            { print $1 "\t" df[$1] + 0 "\t" df[$1] + 0 "\t" docs[$1] }' tuples some >want
gpusort lookup idx <some | cmp - want
gpusort lookup --df-only idx <some | cmp - <(cut -f 1-3 want)
tail -n 3 one | cut -c 1-30 | tr '\0' '@'
# The last line may lack its end; nothing is asked of an empty input.
printf 'Africa\nzebra' | gpusort lookup --df-only idx
gpusort lookup idx </dev/null
# Lines that Windows wrote.
printf '\357\273\277Africa\r\n\r\nzebra\r\nzebra\r' | gpusort lookup --df-only idx | cat -A
# Prefixes go the same way.
cut -c 1-4 some | head -n 200 >prefixes
while read -r prefix; do
    gpusort lookup --prefix --df-only idx "$prefix"
done <prefixes >alone
gpusort lookup --prefix --df-only --parallel=3 idx <prefixes | cmp - alone
# What is refused.
gpusort lookup --engine=radix idx a 2>&1
gpusort lookup --parallel=0 idx a 2>&1
gpusort lookup --prefix --from=zygo idx abc 2>&1
gpusort lookup --prefix --to=zygo idx 2>&1
gpusort lookup --from=zygo idx abc 2>&1
head -c 5000000 /dev/zero | gpusort lookup idx >/dev/null
gpusort lookup idx <many >/dev/full
options=$(sed -n 's/^ *{[^",]*, "\([a-z0-9-]*\)",.*/\1/p' "$root/cmd/cmd_lookup.c")
man=$(sed 's/\\-/-/g' "$root/man/gpusort-lookup.1")
help=$(gpusort lookup --help)
for option in $options; do
    grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$help" || echo "help: --$option"
    grep -qE -- "--$option([^a-z0-9-]|$)" <<<"$man" || echo "man page: --$option"
    grep -qE -- "--$option([^a-z0-9-]|$)" "$root/cmd/completions/_gpusort" || echo "zsh: --$option"
    grep '^__gpusort_lookup' "$root/cmd/completions/gpusort.fish" |
        grep -qE -- "-l $option( |$)" || echo "fish: --$option"
done
awk 'length > 88 { print "help, too wide: " $0 }' <<<"$help"
