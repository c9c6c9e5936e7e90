#!/bin/bash
# SPDX-License-Identifier: MIT
# Stored texts: what is kept of each format, what `index show' prints of it, and what does
# not go together.
. "$GS_CLI/try.inc"
printf 'd0\tred green\nd1\t\nd2\tblue  \nd0\tagain\n' >a.tsv
printf '{"id": "j", "title": "A \\u201cquoted\\u201d title", "text": "two\\nlines\\n"}\n' >b.jsonl
printf '<p>one <b>bold</b> &amp; two\n' >c.html
printf 'bytes \377\303\n' >d.txt
printf 'x\t3\n' >t.tuples
gpusort index build --store -o a a.tsv 2>&1
gpusort index build --store -o b b.jsonl
gpusort index build --store -o c c.html
gpusort index build --store -o d d.txt
gpusort index build -o plain b.jsonl
gpusort index build --format=tuples -o t t.tuples
try_lines <<'LINES'
gpusort index show a
gpusort index show a d2 d0 d1
gpusort index show --docids a 3 0
gpusort index show --json a
gpusort index show b
gpusort index show --json b j
gpusort index show c | tr -s ' '
gpusort index show --json d
gpusort index show a nobody d2 else
gpusort index show --docids a 4 1 x
gpusort index show plain
gpusort index show t
gpusort index show
gpusort index show nowhere
gpusort index show --nonsense a
gpusort index verify a && gpusort index verify b
gpusort index info b | grep -c texts
gpusort index info --json a | grep -o '"has_texts": [a-z]*'
gpusort index info --json plain | grep -o '"has_texts": [a-z]*'
gpusort index merge -o m b c d && gpusort index show --json m
gpusort index merge --replace -o m b plain
gpusort index merge --replace -o m plain b
gpusort index reorder -o r m && gpusort index show r j
gpusort index merge --replace -o m c b
gpusort index show --json m | gpusort index build --store -o again && cmp m/texts again/texts
gpusort index build --store --format=tuples -o n t.tuples
gpusort index build --store --checkpoint=ck -o n a.tsv
LINES
# An index without texts is one of the format before, which older programs read.
grep -c '"version": 4' plain/header.json
grep -c '"version": 5' b/header.json
# Damage is found where it is read, and by its checksum.
printf '\377' | dd of=a/texts bs=1 seek=70 conv=notrunc status=none
try 'gpusort index show a d2'
try 'gpusort index verify a'
try 'gpusort search a red'
rm b/texts
try 'gpusort index show b'
