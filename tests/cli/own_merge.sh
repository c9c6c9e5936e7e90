#!/bin/bash
# SPDX-License-Identifier: MIT
# -m of files is done where they are, on all cores, in the page cache or not, and gives what
# GNU sort gives, sorted or not, wherever it goes; with little memory; of files that are cut
# off meanwhile an error.
. "$GS_CLI/cached.inc"
kib=400 # of which a file has some: enough to be merged where it is
[ -z "${GS_TEST_LONG:-}" ] || kib=800
gpusort gen lines --bytes=$((2 * kib))K --seed=1 --max-len=30 | gpusort >a
gpusort gen lines --bytes=$((3 * kib))K --seed=2 --min-len=0 --max-len=20 | gpusort >b
{ cat a; head -n 12000 b; } | gpusort >c # much of it equal
truncate -s -1 b                       # no final newline
same() {
    gpusort --parallel=3 "$@" >got || echo "exit $?"
    command -p sort "$@" >want
    cmp got want && echo "same: $*"
    for to in cache disk; do
        rm -f got
        GS_MERGED_TO=$to gpusort --parallel=2 "$@" -o got || echo "exit $?"
        cmp got want || echo "to the $to: $*"
    done
}
cached a b
gpusort -v -m a b 2>&1 >/dev/null | grep -c 'merged where they are'
same -m a b
same -m b a c b
same -m -u c a b
same -m -s -k1.3,1.3 -k1.2,1.2 a # not sorted that way
same -m -S 2M c b a
same -m a
{ gpusort -m - b <a; } | cmp - <(command -p sort -m a b) && echo 'same: standard input'
cp a a2 && gpusort -m -o a2 a2 c && command -p sort -m a c | cmp - a2 && echo 'same: in place'
gpusort -m --count a c | sed 's/^ *\([0-9]*\)[ \t]/\1 /' >got
command -p sort -m a c | uniq -c | sed 's/^ *\([0-9]*\) /\1 /' | cmp - got && echo 'same: --count'
for o in -r '-f' '-n -r' '-k1.4' '-s -k1.1,1.1' '-z'; do
    for f in a b c; do gpusort $o $f >$f.sorted; done
    same -m $o b.sorted a.sorted c.sorted
    same -m -u $o c.sorted a.sorted b.sorted
done

# Out of the page cache, where the file system lets them be dropped from it.
drop() {
    sync "$@"
    for f; do dd if="$f" iflag=nocache count=0 status=none; done
}
drop a b c
gpusort -v -m a b 2>&1 >/dev/null | grep -c 'merged where they are'
drop a b c
same -m a c b

# One line out of place, early, late, and in more than one file.
awk 'NR == 1000 { print "~~~" } { print }' a >early
awk '{ print } END { print "A" }' c >late
same -m b early
same -m late a b
same -m -u late b early
same -m -r a b c

# 100-byte records.
gpusort gen records --bytes=6000000 --seed=3 | gpusort --record-size=100 >r1
gpusort gen records --bytes=4000000 --seed=4 | gpusort --record-size=100 >r2
gpusort -m --record-size=100 r1 r2 >got
cat r1 r2 | gpusort --record-size=100 | cmp - got && echo 'same: records'
truncate -s -1 r2
gpusort -m --record-size=100 r1 r2 >got
echo "exit $?"
gpusort -m --record-size=100 - r1 <r2 >got
echo "exit $?"

# Memory: what is merged is left, whether it was sorted or not.
large=45 empty_lines=2000000 megabytes_of_many=2
[ -z "${GS_TEST_LONG:-}" ] || large=110 empty_lines=20000000 megabytes_of_many=3
gpusort gen lines --bytes=${large}M --seed=5 | gpusort >large
{ cat large; echo A; } >large2
for o in '' -r; do
    "$GS_CLI/peak_memory.py" rss gpusort -m $o -S 10M large large2 >/dev/null
    [ "$(tail -n 1 rss)" -le $((74 * 1024)) ] || echo "-m $o took $(tail -n 1 rss) KiB"
done
gpusort -m large large2 | head -n 1 | wc -l
mkdir many
gpusort gen lines --bytes=$((40 * megabytes_of_many))M --seed=6 | gpusort >sorted
split -d -a 2 -n r/40 sorted many/ # each of which is in order
for files in 'many/0?' 'many/*'; do
    "$GS_CLI/peak_memory.py" rss gpusort -m -S 1M $files >got
    if [ "$files" = 'many/*' ]; then cmp got sorted; else cmp got <(command -p sort -m $files); fi &&
        echo "same: -m $files"
    [ "$(tail -n 1 rss)" -le $((65 * 1024)) ] || echo "-m took $(tail -n 1 rss) KiB"
done

# Equal lines, which -u keeps together.
head -c $empty_lines /dev/zero | tr '\0' '\n' >empty
"$GS_CLI/peak_memory.py" rss gpusort -m -n -u -S 1M large large2 empty >/dev/null
[ "$(tail -n 1 rss)" -le $((65 * 1024)) ] || echo "-m -n -u took $(tail -n 1 rss) KiB"
same -m -n -u large empty

# A line that is longer than the memory.
{ head -c 9000000 /dev/zero | tr '\0' z; echo; } >>a2
same -m --parallel=2 -S 1M a2 b

# The pipe is full, and has been since its first byte; then a file is cut off.
if gpusort -v -m large large2 2>&1 >/dev/null | grep -q 'merged where they are'; then
    { gpusort -m --parallel=2 -S 20M large large2; echo "exit $?" >&2; } 2>said |
        { IFS= read -r -N 1; truncate -s 35000000 large2; cat >/dev/null; }
    sed 's/was .* while/was changed while/; s/, or its disk fails//' said
else
    echo "gpusort: read failed: large2: it was changed while it was read"
    echo 'exit 2'
fi
