#!/bin/bash
# SPDX-License-Identifier: MIT
# --doc-base: docIDs that begin at another number, wherever they are shown or asked for, and
# that stay what they are when indexes are merged.
. "$GS_CLI/try.inc"
printf 'd0\tred green\nd1\tgreen\n' >a.tsv
printf 'd2\tgreen blue green\n' >b.tsv
printf 'd3\tblue\nd4\tred\n' >c.tsv
: >none.tsv
printf 'x\t3\n' >t.tuples
build() { gpusort index build --store -o "$1" "${@:2}"; }
build a a.tsv
build b --doc-base=2 b.tsv
build c --doc-base=3 c.tsv
build far --doc-base=1K b.tsv
build none --doc-base=7 none.tsv
build all <(cat a.tsv b.tsv c.tsv) --format=tsv
build high --doc-base=100 a.tsv
build higher --doc-base=102 b.tsv
try_lines <<'LINES'
gpusort index dump b
gpusort index dump far
gpusort lookup far green blue none
gpusort lookup --json far green
gpusort search --json far green
gpusort search far green
gpusort search --count far green
gpusort index show far d2
gpusort index show --docids far 1024
gpusort index show --docids far 0
gpusort index show --docids far 1025
gpusort index info far | grep doc
gpusort index info --json b | grep -o '"doc_base": [0-9]*'
gpusort index verify far
sed -n 2p b/header.json
sed -n 2p a/header.json
grep doc_base a/header.json
gpusort index merge -o m a b c && diff -r m all
gpusort index merge -o m --replace --doc-ids=keep none a b none c && diff -r m all
gpusort index merge -o m --replace high higher && gpusort index dump m
gpusort index merge -o m --replace --doc-ids=shift higher c && gpusort index dump m
gpusort index merge -o m --replace far && diff -r m far
gpusort index merge -o n a c
gpusort index merge -o n b a
gpusort index merge -o n b b
gpusort index merge -o n a a b
gpusort index merge -o n --doc-ids=keep a a
gpusort index reorder -o r high && gpusort index dump r && gpusort index info r | grep base
gpusort index build --reorder -o r2 --doc-base=100 a.tsv && gpusort index dump r2 | cmp - <(gpusort index dump r)
gpusort index build -o n --doc-base=x a.tsv
gpusort index build -o n --doc-base=-1 a.tsv
gpusort index build -o n --doc-base=1T a.tsv
gpusort index build -o n --doc-base=1099511627775 a.tsv
gpusort index build -o n --doc-base=1099511627775 b.tsv && gpusort index dump n
gpusort index build -o n --doc-base=1 --format=tuples t.tuples
ls -d n
LINES
# Of equal names the numbers are told that show and search take.
printf 'd5\tpink\nd6\tgrey\nd5\tgold\n' >equal.tsv
build equal --doc-base=500 equal.tsv 2>/dev/null
try_lines <<'LINES'
gpusort index build --store -o n --replace --doc-base=1000 equal.tsv && gpusort index show --docids n 1000 1002
gpusort index build --store -o n --replace --doc-base=1000 --unique-ids equal.tsv
gpusort index merge -o n --replace equal
gpusort index merge -o n --replace --unique-ids equal
LINES
gpusort index export --ciff -o far.ciff far && gpusort index build -o plain b.tsv && gpusort index export --ciff -o b.ciff plain && cmp far.ciff b.ciff
# Only the header tells them apart; a base goes on with its own checkpoint only.
build zero b.tsv && diff -rq zero far
# Shards of random documents are what one build of all gives.
gpusort gen docs --bytes=300K -o docs
lines=$(wc -l <docs) shards=()
for ((at = 0; at < lines; at += 37)); do
    tail -n +$((at + 1)) docs | head -n 37 | gpusort index build --positions --doc-base=$at --format=jsonl -o s.$at
    shards+=("s.$at")
    [ $at -lt 300 ] || break
done
head -n $((at + 37)) docs | gpusort index build --positions --format=jsonl -o whole
gpusort index merge -o merged "${shards[@]}" && diff -r merged whole
cat <(for s in "${shards[@]}"; do gpusort index dump "$s"; done) | gpusort sort -t $'\t' -k1,1 -k2,2n |
    cmp - <(gpusort index dump whole)
# What changes an index leaves its first docID, whichever segment is the first by then.
for i in 1 2 3; do printf 'd%d\tw%d fish\n' $i $i >d$i.tsv; done
build d1 --doc-base=1000 d1.tsv
build d1-end --doc-base=$(((1 << 40) - 2)) d1.tsv
build d2 --doc-base=1000 d2.tsv
build d3 --doc-base=1001 d3.tsv
build empty --doc-base=1000 none.tsv
grown() { rm -rf g && cp -r "$1" g; }
left() { gpusort index dump g && gpusort index verify g && gpusort index info --json g | grep -o '"doc_base": [0-9]*'; }
try_lines <<'LINES'
grown d1; gpusort index append g d2.tsv && gpusort index delete g d1 && left
gpusort index merge -o m --replace g d3 && gpusort index dump m
gpusort index compact g && diff -r g d2
grown d1; gpusort index append --no-merge g d2.tsv && gpusort index delete --no-merge g d1 && left
gpusort index compact g && diff -r g d2
grown d1; gpusort index append --update g d1.tsv && left
grown d1; gpusort index delete g d1 && left
gpusort index append g d2.tsv && left
gpusort index compact g && diff -r g d2
grown empty; gpusort index append g d2.tsv && left
gpusort index append g d3.tsv && gpusort index delete g d2 && left
gpusort index reorder -o r --replace g && gpusort index dump r
grown d1-end; gpusort index append g d2.tsv && left
gpusort index append g d3.tsv
gpusort index append --update g d2.tsv && left
gpusort index delete g d1 && gpusort index append g d3.tsv && left
LINES
