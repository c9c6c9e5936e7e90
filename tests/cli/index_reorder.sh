#!/bin/bash
# SPDX-License-Identifier: MIT
# An index in another order of documents: what it says of them by name stays, of whatever
# memory and threads it is made; what is refused; and that nothing is left when it fails.
. "$GS_CLI/try.inc"
awk 'function draw() { return (x = x * 16807 % 2147483647) / 2147483647 }
BEGIN {
    x = 5
    for (d = 0; d < 3000; d++) {
        printf "doc%d\t", d
        for (w = 0; w < 40; w++)
            printf "%s ", draw() < 0.6 ? "t" d % 7 "w" int(draw() * 60) : "c" int(draw() * 200)
        print d % 11 ? "end" : "odd end"
    }
}' >docs.tsv
printf 'x\t3\nx\t5\t2\n' >t.tuples
gpusort index build -o i --positions docs.tsv
gpusort index build -o t --format=tuples t.tuples
gpusort index reorder -o r i
# Every posting, by the name of its document instead of its number; and every document.
by_name() {
    gpusort search --boolean -k 99999 "$1" 'end' | awk '{ print NR - 1, $1 }' >names
    gpusort index dump --positions "$1" |
        awk 'NR == FNR { name[$1] = $2; next } { $2 = name[$2]; print }' names - | sort
}
by_name i >i.names
by_name r >r.names
cmp i.names r.names && wc -l <i.names
cmp -s <(gpusort index dump i) <(gpusort index dump r) && echo 'the order is the same'
# Searches: the same scores for the same names, as far as scores differ.
printf '%s\n' 't3w5 t3w9' 'c7 c9 c11 odd' '+t1w3 +c3' '"odd end"' 't2* -c5' >queries
for index in i r; do
    gpusort search -k 3000 $index <queries | sort -k1,1n -k4,4nr -k3,3 |
        awk '{ print $1, $3, $4 }' >$index.found
done
cmp i.found r.found && wc -l <i.found
size() { cat "$1/postings" "$1/positions" | wc -c; }
[ $(($(size r) * 100)) -lt $(($(size i) * 97)) ] || echo "not smaller: $(size i), $(size r)"
try_lines <<'LINES'
gpusort index verify r
gpusort index build --positions --reorder -o b docs.tsv && diff -r b r
gpusort index reorder -o s --parallel=3 -S 64M i && diff -r s r
cp -r i own && gpusort index reorder -o own --replace own && diff -r own r
gpusort index reorder
gpusort index reorder i
gpusort index reorder -o x
gpusort index reorder -o x i r
gpusort index reorder -o x nowhere
gpusort index reorder -o r i
gpusort index reorder -o x t
gpusort index build --reorder --format=tuples -o x t.tuples
gpusort index build --reorder --checkpoint=c -o x docs.tsv
LINES
rm -rf damaged && cp -r i damaged
printf '\377\377\377' | dd of=damaged/postings bs=1 seek=2000 conv=notrunc status=none
try 'gpusort index reorder -o x damaged'
printf 'a\tone\n' | gpusort index build --format=tsv --reorder -o one -
: | gpusort index build --format=tsv --reorder -o none - 2>&1
try 'gpusort index verify one && gpusort index verify none'
ls -d x* *.tmp-* 2>/dev/null || true
. "$GS_CLI/peak.inc"
gpusort gen docs --bytes=16M -o large.jsonl
gpusort index build --engine=cpu --positions -o large large.jsonl
peak 68 gpusort index reorder -S 4M -o large.reordered large
