#!/bin/bash
# SPDX-License-Identifier: MIT
# partition --framed and --unframe: all parts in one stream, and out of it again; and no damage
# of the stream becomes an answer.
. "$GS_CLI/try.inc"
seq 1 9 | sed 's/.*/& &/' >in
printf '3 3\n3 4\n7 7\n' >cuts
printf 'n,t\n3,"a\nb"\n1,"c,d"\n2,e\n' >t.csv
printf '2,"x\ny"\n' >t.cut
: >empty
show() { head -n 100 -- "$@" | sed 's/^==> \(.*\) <==$/\1:/'; rm -f -- "$@"; }
gpusort partition --splitters=cuts --framed -o s in
try_lines <<'LINES'
wc -c <s; head -c 4 s; echo
gpusort partition --unframe -v -o p s; show p.*
gpusort partition --unframe --part=2 s
gpusort partition --unframe --part=1 -v -o one s; show one
gpusort partition --unframe --part=3 <s
gpusort partition --unframe --part=4 s
gpusort partition --splitters=cuts --framed in | cmp - s
gpusort partition --splitters=cuts --framed -v <in 2>&1 >/dev/null | grep ': part '
gpusort partition --splitters=t.cut --csv -k n:n --framed t.csv | gpusort partition --unframe -o p; show p.*
gpusort partition --splitters=t.cut --csv -k n:n --framed t.csv | gpusort partition --unframe --part=1 -
gpusort partition --splitters=cuts --framed empty | gpusort partition --unframe -o p; show p.*
gpusort partition --splitters=cuts --framed in >/dev/full
gpusort partition --splitters=cuts --framed -o no/s in
gpusort partition --splitters=cuts --compress -o p in
gpusort partition --unframe s
gpusort partition --unframe --part=x s
gpusort partition --unframe --splitters=cuts -o p s
gpusort partition --unframe --framed -o p s
gpusort partition --unframe -o p s s
gpusort partition --unframe -o p nofile
gpusort partition --unframe -o p in
gpusort partition --unframe -o p empty
gpusort partition --splitters=cuts --part=1 -o p in
head -c 100 s | gpusort partition --unframe -o p
head -c -48 s | gpusort partition --unframe -o p
cat s s | gpusort partition --unframe -o p
ls p.*
LINES
# Frames of 1 MiB and less, packed or not; all parts, and one of several streams in a merge.
gpusort gen lines --bytes=6M -o a
gpusort gen lines --bytes=3M --seed=2 -o b
gpusort sample --splitters=3 a b -o big.cuts
for f in a b; do
    gpusort partition --splitters=big.cuts --framed -S 4M -o $f.s $f
    gpusort partition --splitters=big.cuts --framed --compress $f >$f.z
    [ $(($(wc -c <$f.z) * 10)) -lt $(($(wc -c <$f.s) * 9)) ] || echo "$f.z is not smaller"
    for stream in $f.s $f.z; do
        gpusort partition --unframe -o p $stream && cat p.* | cmp - <(gpusort sort $f)
        for i in 0 1 2; do gpusort partition --unframe --part=$i $stream | cmp - p.000$i; done
        rm p.*
    done
done
for i in 0 1 2; do
    gpusort sort -m <(gpusort partition --unframe --part=$i a.s) <(gpusort partition --unframe --part=$i b.z)
done | cmp - <(gpusort sort a b)
# Any byte that is another one is found, and nothing is left.
gpusort partition --splitters=cuts --framed --compress -o z <(yes 'the same line' | head -n 400) 
for stream in s z; do
    bytes=$(wc -c <$stream)
    for ((at = 0; at < bytes; at += 7)); do
        cp $stream bad
        printf "\\$(printf %o $(($(od -An -tu1 -j $at -N 1 bad) ^ 1 << at % 8)))" |
            dd of=bad bs=1 seek=$at conv=notrunc status=none
        gpusort partition --unframe -o p bad >/dev/null 2>message && echo "$stream: byte $at goes unnoticed"
        grep -q '^gpusort partition: bad: frame [0-9]*, at byte [0-9]*: ' message || cat message
    done
done
[ -z "$(compgen -G "p.*")" ]
# Packed by any number of threads it is the same stream, of a few large parts, of many small
# ones, and of what does not become smaller.
gpusort gen lines --bytes=6M --dist=zipf -o zipf
head -c 3M /dev/urandom >noise
gpusort sample --splitters=3 zipf -o few.cuts
gpusort sample --splitters=700 zipf -o many.cuts
for cuts in few many; do
    for file in zipf noise; do
        gpusort partition --splitters=$cuts.cuts --framed --compress --parallel=1 $file -o one
        for threads in 2 3 40; do
            gpusort partition --splitters=$cuts.cuts --framed --compress --parallel=$threads $file | cmp - one
        done
        gpusort partition --unframe -o of_one. one
        cat of_one.* | cmp - <(gpusort sort $file)
        [ $file = noise ] || [ "$(wc -c <one)" -lt 4000000 ] || echo "not packed: $(wc -c <one)"
        rm of_one.*
    done
done
