#!/bin/bash
# SPDX-License-Identifier: MIT
# Input of another format than it is read as, or with other fields: the message says what
# it looks like, or has, and which option is meant. What is odd but may be meant is told.
. "$GS_CLI/try.inc"
printf '{"_id":"a","title":"x","text":"y z","metadata":{"url":"u"}}\n' >beir.jsonl
printf '{"id":1,"contents":"x"}\n' >one.jsonl
printf 'a\tx\n' >two.tsv
printf 'WARC/1.0\r\nWARC-Type: warcinfo\r\n' >a.warc
printf '[{"id":1,"contents":"x"},\n{"id":2,"contents":"y"}]\n' >array.json
printf '{\n  "id": 1,\n  "contents": "x"\n}\n' >pretty.json
printf 'id,text\n1,hello\n2,you\n' >a.csv
printf '<html>\n<b>x</b></html>\n' >a.html
printf '\n<DOC>\n<DOCNO>a</DOCNO>x</DOC>\n' >docs.x
printf '\377\376{\0"\0' >utf16.jsonl
printf 'a\0b\n' >binary
printf 'term\t5\nterm\t7\t2\n' >pairs
printf 'name\tsome text\n' >columns
printf 'just some\nprose, here\n' >prose
seq 20 >notes.txt
seq 3 >short.txt
printf '{"id":"","contents":"x"}\n' >unnamed.jsonl
printf '\tx\n' >unnamed.tsv
printf '<DOC><DOCNO></DOCNO>x</DOC>\n' >unnamed.trec
printf '\357\273\277a\tx\r\n\n \t \r\n\t\nb\ty' >blank.tsv
printf '\nt\t1\n \t\n\r\nu\t2\t3\r\n\n' >blank.tuples
printf '\n{"id":1,"contents":"x"}\n \t\r\n' >blank.jsonl
build() {
    rm -rf i
    gpusort index build -o i "$@" || return
    gpusort index dump i | tr '\n\t' ';:'
    echo
}
try_lines <<'LINES'
build beir.jsonl
build --text-field=title --text-field=text beir.jsonl
build --text-field=title --text-field=text beir.jsonl && gpusort search i y
build --id-field=id --text-field=text beir.jsonl
build --text-field=body one.jsonl
build --text-field=body --text-field=title one.jsonl
build --skip-bad --text-field=text one.jsonl beir.jsonl
build a.warc
build array.json
build pretty.json
build a.csv
build a.html
build docs.x
build utf16.jsonl
build binary
build pairs
build columns
build prose
build prose <prose -
build --format=tsv one.jsonl
build --format=tsv prose
build --format=trec a.html
build --format=trec one.jsonl
build --format=tuples prose
build --format=tuples columns
build --format=tuples one.jsonl
build one.jsonl two.tsv
build prose two.tsv one.jsonl.gz
build --format=text one.jsonl two.tsv
build notes.txt
build --format=text notes.txt
build short.txt
build notes.txt short.txt
build unnamed.jsonl
build unnamed.tsv
build unnamed.trec
build blank.tsv
build blank.jsonl
build --format=tuples blank.tuples
LINES
# What is told of a line is not changed by the escapes of those before it.
printf '{"id":"1","contents":"a\\nb\\nc \\"q\\""}\n{"id":"2","abstract":"te\\nxt","ti\\"t":"x"}\n' >escapes.jsonl
try 'gpusort index build -o escapes escapes.jsonl'
# Names that come again, in a build, a merge and an import.
printf 'a\tx\nb\ty\na\tz\nb\tx\na\tx\n' >names.tsv
try 'gpusort index build -o names names.tsv && gpusort lookup names x'
try 'gpusort index build -o one one.jsonl && gpusort index merge -o twice one one'
gpusort index export --ciff -o names.ciff names
try 'gpusort index import --ciff -o again names.ciff && gpusort index export --ciff again | cmp - names.ciff'
# Words that are too long: how many, and where, on any number of threads.
long=$(yes xyz | tr -d '\n' | head -c 70000)
{
    gpusort gen docs -n 12000 --format=tsv
    printf 'first\t%s and %s\nthen\t%s\n' "$long" "$long" "${long}é"
    gpusort gen docs -n 12000 --seed=2 --format=tsv | sed 's/^/2/'
    printf 'last\t%s\n' "$long"
} >long.tsv
for threads in 1 2 5; do
    try "gpusort index build --replace --parallel=$threads -o long long.tsv"
done
