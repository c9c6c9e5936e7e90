#!/bin/bash
# SPDX-License-Identifier: MIT
# Lines longer than -S take what they need, and no more of it the more of them there are;
# many empty lines fit too, where a part of the input makes many records.
millions=(4 2 2 2 3) many=40 empty_lines=1000000 short_memory=34 short_more=4
[ -z "${GS_TEST_LONG:-}" ] ||
    millions=(30 12 3 12 25) many=90 empty_lines=20000000 short_memory=100 short_more=64
line() { # LETTER MILLIONS
    head -c "$2000000" /dev/zero | tr '\0' "$1"
    echo "$2"
}
{
    line c "${millions[0]}"; seq 20000; line a "${millions[1]}"; line b "${millions[2]}"
    seq 9; line a "${millions[3]}"; line c "${millions[4]}"
} >long
for i in $(seq $many); do line "$(printf "\\x$((41 + i % 20))")" $((2 + i % 2)); done >many
truncate -s -1 long
same() { # OPTION... FILE
    command -p sort "${@}" >want
    gpusort -S 1M --parallel=2 "$@" >got || echo "exit $?"
    cmp got want && echo "same: $*"
    cat "${@: -1}" | gpusort -S 1M --parallel=2 "${@:1:$#-1}" | cmp - want &&
        echo 'same: through a pipe'
}
for o in '' -r -u -n '-k1.2,1.9 -s' '-f -k1.2'; do same $o long; done
same --compress-program=gzip long
gpusort -S 1M --count long | cmp - <(command -p sort long | uniq -c) && echo 'same: --count'
gpusort -S 1M --top=3 long | cmp - <(gpusort long | head -n 3) && echo 'same: --top'
gpusort long >sorted
gpusort -S 1M -c long 2>&1 | cut -c 1-40
gpusort -S 1M -c sorted && gpusort -S 1M -c - <sorted && echo 'in order'
gpusort check -S 1M --same=long sorted | cut -d, -f3
gpusort -m -S 1M sorted - <sorted | cmp - <(command -p sort -m sorted sorted) && echo 'same: -m'

# As many as there are, each run has a few: they are merged a few at a time, in the same
# memory whatever -S is, if that is less than all of them.
for o in '' '-k1.2,1.9 -s'; do
    command -p sort $o many >want
    for S in 1 20; do
        # In a short run each of the two with one of them.
        [ -n "${GS_TEST_LONG:-}" ] || [ "$S$o" = 1 ] || [ "$S${o:+k}" = 20k ] || continue
        "$GS_CLI/peak_memory.py" rss gpusort -S ${S}M $o many |
            cmp - want || echo "-S ${S}M $o: other bytes"
        [ "$(tail -n 1 rss)" -le $((84 * 1024)) ] ||
            echo "-S ${S}M $o took $(tail -n 1 rss) KiB"
    done
done

# As many records as there are bytes.
head -c $empty_lines /dev/zero | tr '\0' '\n' >empty
for o in '' -n '-k1,1n -k2,2 -k3,3V -k4,4r'; do same $o empty; done
{ cat empty; sed 's/$/pppppppp/' empty; cat empty; } >short
for o in -V '-t, -k1,1n -k3,3g'; do
    "$GS_CLI/peak_memory.py" rss gpusort -S ${short_memory}M --parallel=5 $o short >/dev/null
    [ "$(tail -n 1 rss)" -le $(((short_memory + short_more) * 1024)) ] || echo "$o took $(tail -n 1 rss) KiB"
done

# Where addresses are short there is an end to it, with its place. A sanitizer needs more.
line c 30 >long
program_kib=$(($(stat -Lc %s "$(command -v gpusort)") / 1024))
if { (ulimit -v 1000000 && gpusort /dev/null); } 2>/dev/null; then
    (
        ulimit -v $((program_kib + 150000))
        gpusort -S 1M --parallel=2 long -o got
        echo "exit $?"
    ) 2>&1 | sed 's/([0-9]* bytes)/(N bytes)/'
else
    echo 'gpusort: long: the line at byte 0 is longer than the memory limit allows (N bytes)'
    echo 'gpusort: give more memory with -S and more address space with ulimit -v'
    echo 'exit 2'
fi
