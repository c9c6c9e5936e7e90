#!/bin/bash
# SPDX-License-Identifier: MIT
# Inputs in the page cache are sorted where they are, and nobody can tell, unless they are
# cut off meanwhile.
. "$GS_CLI/cached.inc"
gpusort gen lines --bytes=2500K --seed=1 -o a
gpusort gen lines --bytes=1500K --seed=2 -o b
truncate -s -1 b # no final newline
: >empty
command -p sort a b >want
same() {
    "$@" >got || echo "exit $?"
    cmp got want && echo "same: ${*:2}"
}
cached a b
gpusort -v a b 2>said >got
cmp got want && grep -c 'sorted where it is' said
same gpusort a b
same gpusort b a
same gpusort -S 2M a empty b
same gpusort --parallel=1 -S 3M b a
gpusort - b <a >got && cmp got want && echo 'same: standard input'
(gpusort - b - >got; wc -c) <a && cmp got want && echo 'same: standard input, at its end'
cp a a2
gpusort -o a2 a2 b && cmp a2 want && echo 'same: in place'
command -p sort -r a b >want
same gpusort -r a b
command -p sort -u a b a >want
same gpusort -u a b a
command -p sort a b b | uniq -c | sed 's/^ *\([0-9]*\) /\1 /' >want
gpusort --count a b b | sed 's/^ *\([0-9]*\)[ \t]/\1 /' >got && cmp got want && echo 'same: --count'
command -p sort -z a b >want
same gpusort -z a b
{ head -n 3 a; { tail -n +4 a; cat b; echo; } | command -p sort; } >want
same gpusort --header=3 a b

# A line of more bytes than an element can say, among others and at the end.
{ cat a; head -c 17000000 /dev/zero | tr '\0' m; echo; cat b; echo; head -c 17000001 /dev/zero | tr '\0' m; } >long
command -p sort long >want
same gpusort long
same gpusort -S 110M long

gpusort gen records --bytes=6000000 --seed=3 -o r
gpusort --record-size=100 --key-bytes=0:10 r | gpusort check --record-size=100 --key-bytes=0:10 - |
    cut -d, -f1-3
truncate -s -1 r
gpusort --record-size=100 --key-bytes=0:10 r >got
echo "cut off: exit $?, $(wc -c <got) bytes"

# Over itself, in place: read before anything is written, as sort does.
cp a a2
command -p sort a >want
gpusort a2 1<>a2 && cmp a2 want && echo 'same: written over itself'

# Written into or appended to meanwhile, which may have been seen or not.
# What comes first tells that all was looked at, and the pipe has no room for the rest.
first() { IFS= read -r -N 1 byte && printf %s "$byte"; }
slowly() { gpusort --parallel=2 -S 256M "$1" | { first >got; eval "$2"; cat >>got; }; }
gpusort gen lines --bytes=24M --seed=5 -o long
if gpusort -v long 2>&1 >/dev/null | grep -q 'sorted where it is'; then
    slowly long 'dd if=a of=long conv=notrunc bs=1000 count=1 status=none' 2>&1
    slowly long 'echo more >>long' 2>&1
else
    echo "gpusort: read failed: long: it was changed while it was read"
    echo "gpusort: read failed: long: it was changed while it was read"
fi
command -p sort long >want
slowly long 'chmod 600 long; mv long moved; rm moved'
cmp got want && echo 'same: moved and removed'

# The pipe is full long before the text is gathered; then the file is cut off. Which of the
# two is told depends on whether all was read until then: a slow program, or one that keeps
# copies, has it from the file's times.
gpusort gen lines --bytes=24M --seed=4 -o cut
if gpusort -v cut 2>&1 >/dev/null | grep -q 'sorted where it is'; then
    { gpusort --parallel=2 -S 256M cut; echo "exit $?" >&2; } 2>said |
        { first; truncate -s 0 cut; cat; } >/dev/null
    sed 's/was shortened while/was changed while/; s/, or its disk fails//' said
else
    echo "gpusort: read failed: cut: it was changed while it was read"
    echo "exit 2"
fi
