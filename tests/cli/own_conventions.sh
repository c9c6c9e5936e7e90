#!/bin/bash
# SPDX-License-Identifier: MIT
# What holds for every command: help and version under the same names, and the nearest
# name beside one that is unknown.
. "$GS_CLI/try.inc"
root=$GS_CLI/../..
. "$GS_CLI/commands.inc"
mapfile -t every < <(every_command | grep -v '^sort$') # whose words are GNU sort's
for command in "${every[@]}" 'bench lookup'; do
    help=$(gpusort $command --help) || echo "$command --help: exit $?"
    [[ $help == "Usage: gpusort $command"* ]] || echo "$command: odd help"
    awk 'length > 88 { print "too wide: " $0 }' <<<"$help"
    for word in --help --version; do
        grep -q -e "$word" <<<"$help" || echo "$command: help does not tell of $word"
    done
    [ "$(gpusort $command --version)" = "$(gpusort --version)" ] || echo "$command --version"
    [[ $command = @(check|sample|partition) ]] && continue # -h orders sizes there, as it does in sort
    [ "$(gpusort $command -h)" = "$help" ] || echo "$command -h"
    [ "$(gpusort help $command)" = "$help" ] || [ "$command" = 'bench lookup' ] ||
        echo "help $command"
    gpusort $command --helpp 2>&1 | grep -q "^gpusort $command: did you mean '--help'?$" ||
        echo "$command --helpp"
done
for page in "$root"/man/*.[17]; do
    [ "$page" = "$root/man/gpusort.7" ] || grep -q '^.BR gpusort (7)' "$page" || echo "$page"
    [ "${page##*.}" = 7 ] || grep -q "^.BR ${page##*/}" <(sed 's/\\-/-/g; s/ (\([17]\))/.\1/' "$root/man/gpusort.7") ||
        echo "gpusort.7 does not name $page"
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww -z "$page" 2>&1
    fi
done
touch serhc
try_lines <<'LINES'
gpusort help serch
gpusort help index bild
gpusort index bild
gpusort index zzz
gpusort serch i q
gpusort serhc
gpusort sort serch
sort serch
gpusort nothing.txt
gpusort index build -o i --formt=tsv
gpusort search --jsn i q
gpusort lookup --ver
gpusort index build -o i -S 1.5G f
gpusort index build -o i -S '64 M' f
gpusort search -k 5x i q
gpusort -S 1.5G f
gpusort gen lines --dist=u
gpusort gen lines --dist=even -n 1
gpusort lookup i -- -x --y
gpusort device -- extra
printf 'd\tone two\n' | gpusort index build --format=tsv -o t - && printf 'two\n' | gpusort lookup --df-only t -
printf 'two\nthree' | gpusort search t -
gpusort search t -hacker
gpusort search --count t -- -hacker
gpusort index build --format=tsv -o nothing <serhc && gpusort index info nothing | sed -n 2p
gpusort help help | head -n 1
sort --numric f
gpusort sort --numric f
LINES
