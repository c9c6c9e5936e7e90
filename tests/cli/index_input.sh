#!/bin/bash
# SPDX-License-Identifier: MIT
# Input without options: each file is looked at, and read as what it is; what that is is
# told with -v, and where it surprises. Web archives, tables, arrays, folders.
. "$GS_CLI/try.inc"
build() {
    rm -rf i
    gpusort index build --parallel=1 -o i "$@" 2>&1 | grep -v -e ' method ' -e ' threads, ' || true
    [ "${PIPESTATUS[0]}" = 0 ] || return 2
    gpusort index dump i | tr '\n\t' ';:'
    echo
    gpusort search --boolean --json --plain i "${query-x}" | grep -o '"name": *"[^"]*"' | tr '\n' ' '
    echo
}
printf '{"_id":"a","title":"t","text":"x y","metadata":{}}\n{"_id":"b","title":"","text":"x"}\n' >beir.jsonl
printf '{"id":"a","contents":"x","title":"not this"}\n' >anserini.json
printf '\357\273\277 [\n{"id":1,"contents":"x"},\n {"id":2,\n"contents":"[x],{"} , {"docno":"3","body":"x","text":5}\n]\n\n' >array.json
printf '{\n  "id": 1,\n  "contents": "x"\n}\n{"id": 2, "contents": "x }"} {"id":3,"contents":"x"}' >pretty.json
printf '{"id":1,"contents":"x"} {"id":2,"contents":"x"}\n' >two-in-a-line.jsonl
printf '[{"id":1,"contents":"x"},{"id":2,"con' >cut.json
printf '[{"id":1,"contents":"x"},\n' >cut-at-comma.json
printf '[{"id":1,"contents":"x"}] []' >more.json
printf '[{"id":1,"contents":"x"},,{"id":2,"contents":"x"}]' >gap.json
printf '[]' >none.json
printf '\357\273\277"ID",Title,"te""xt",Text\r\n1,"a, ""b""\r\nc",no,x\r\n\r\n"2",d,,x"y"\n3,"e"f\n' >a.csv
printf 'name;words\nn1;x y\nn2;"x;z"\n' >semicolons.csv
printf 'id,contents\n1,"a, x"\n2,c\n' >quoted-commas
printf 'title|docno|body\nx y|n1\n|n2|x\n' >bars
printf 'Id;Text;more\n1;x\n2;"x\n;";3\n' >ragged
printf 'id, contents\nx, and more\n' >prose-commas
printf 'the id,text and x\nof it\n' >prose-words
printf 'x\nx y\n' >prose-word
printf 'id,text\n1,x\n2,x,3\n3\n"4","x\n5,x\n' >bad.csv
printf 'docid\tnothing\ttext\n7\t"q\tx "r"\n8\t\n' >header.tsv
printf 'id7\tx y\nid8\tz\n' >lines
printf 'all: x\n\tcc x\n' >Makefile
printf '<?xml version="1.0"?><p>x &lt; y</p>\n' >a.xml
printf '{"id":"a","contents":"x"}\n' >odd.txt
printf '{\\rtf x}\n' >braces
gzip -k beir.jsonl
record() { # TYPE URI CONTENT-TYPE, content on standard input
    cat >content
    printf 'WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nContent-Type: %s\r\ncontent-length:  %d\r\n\r\n' "$1" "$2" "$3" "$(wc -c <content)"
    cat content
    printf '\r\n\r\n'
}
http='application/http; msgtype=response'
printf 'software: x\r\n' | record warcinfo '' text/plain >1
printf 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' | record request http://a/ "$http" >2
printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><head><title>T&eacute;a</title><style>no{}</style></head><body a="x>y" b=c><p>f<b>oo</b>bar<br>x&#8217;s<!-- no --><script>if (a<b) no</script>' | record response http://a/ "$http" >3
printf 'HTTP/1.1 404 Not\r\nContent-Type: text/html\r\n\r\nx' | record response http://a/404 "$http" >4
printf 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nx WA\r\n5;q\r\nRC/1.\r\n0\r\n\r\n' | record response '<http://a/chunks>' "$http" >5
printf 'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nx' | record response http://a/png "$http" >6
printf 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/html\r\n\r\nx' | record response http://a/gz "$http" >7
printf 'the text of x\nWARC/1.0\r\nContent-Length: 5\n' | record conversion http://a/wet text/plain >8
cat [1-8] >a.warc
for i in [1-8]; do gzip -c $i; done >members.warc.gz
head -c -30 a.warc >cut.warc
{ cat 3 && echo 'no record' && cat 8; } >bad.warc
mkdir -p folder/sub/.git folder/.hidden folder/sub/empty
printf 'x one\n' >folder/z.txt
printf '\tx two\n' >folder/sub/Makefile
printf 'x\0' >folder/sub/binary
printf '<p>x</p>' >folder/sub/page.html
printf '{"name":"x","version":1}' >folder/package.json
printf '{"id":"doc","contents":"x"}\n{"id":"doc2","contents":"y"}\n' >folder/docs
printf 'a,b\n1,x\n' >folder/data.csv
printf 'no' >folder/.hidden/x
printf 'no' >folder/.x
mkfifo folder/pipe
ln -s z.txt folder/link
: >folder/empty.txt
big() { # x, of as many bytes
    head -c "$1" /dev/zero | tr '\0' x
}
{
    printf '[{"id":"a","contents":"x"},{"id":"b","contents":"'
    big 17000000
    printf '"},{"id":"c","contents":"x"}]'
} >long.json
{
    printf 'text,id\nx,a\n"\n'
    big 17000000
    printf '",b\nx,c\n'
} >long.csv
{
    cat 8
    big 17000000 | record conversion http://b/ text/plain
    cat 8
} >long.wet
{
    printf '{"id":"a","n":"'
    big 100000
    printf '","contents":"x"}\n'
} >long-line
try_lines <<'LINES'
build -S 1M long.json
build -S 1M long.csv
build -S 1M long.wet
build -v long-line
{ printf '{"id":1,"con'; sleep 0.3; printf 'tents":"x"}\n'; } | build -v
build -v beir.jsonl
build -v anserini.json
build -v array.json
build -v pretty.json
build -v two-in-a-line.jsonl
build cut.json
build cut-at-comma.json
build more.json
build gap.json
build --skip-bad gap.json
build none.json
build <array.json
build -v beir.jsonl.gz
build -v a.csv
build -v quoted-commas
build -v <quoted-commas
build -v bars
build -v ragged
build -v prose-commas
build -v prose-words
build -v --id-field=x --text-field=x prose-word
build --format=jsonl quoted-commas
build --id-field=name --text-field=words semicolons.csv
build semicolons.csv
build --text-field=no --text-field=Title a.csv
build --text-field=none a.csv
build --skip-bad bad.csv
build bad.csv
build --format=csv lines
build -v header.tsv
build --format=csv --skip-bad header.tsv
build --id-field=docid --text-field=nothing header.tsv
build --id-field=key lines
build -v lines
build Makefile
build a.xml
build odd.txt
build braces
build -v a.warc
build -v members.warc.gz
build <members.warc.gz
build cut.warc
build --skip-bad bad.warc
build beir.jsonl a.csv lines 8 odd.txt
build -v folder
build --format=text folder/sub
build folder/sub/empty
build nowhere
printf 'beir.jsonl\0folder/sub\0' | build --files0-from=-
build --files0-from=- lines </dev/null
build --files0-from=none
build -v --format=html a.xml
LINES
# Read through pieces of any size, and gone on with after a stop, each file is the same.
# What is gone on with is read through pieces too, but is begun in the middle.
python3 - <<'PY'
import csv, json, random
rng = random.Random(4)
docs = [(f"n{i}", " ".join(f"w{rng.randrange(3000)}" for _ in range(rng.choice([3, 40, 1500])))) for i in range(700)]
text = lambda t: t.replace(" w7 ", '",\n[{" w7 ')
with open("big.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["text", "id"])
    w.writerows([text(t), n] for n, t in docs)
with open("big.json", "w") as f:
    json.dump([{"x": [{"y": ["]"]}], "id": n, "contents": text(t)} for n, t in docs], f, indent=1)
with open("big.jsonl", "w") as f:
    f.writelines(json.dumps({"id": n, "contents": text(t)}) + "\n" for n, t in docs)
with open("big.wet", "w", newline="") as f:
    for n, t in docs:
        t = text(t)
        f.write(f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {n}\r\nContent-Length: {len(t)}\r\n\r\n{t}\r\n\r\n")
PY
gpusort index build --positions -o whole big.jsonl
gzip -k big.json
for file in big.csv big.json big.wet big.json.gz; do
    case $file in
    *.json | *.csv)
        gpusort index build --positions -S 1b --parallel=3 -o i --replace $file
        diff -r whole i
        ;;
    esac
    (trap '' XFSZ; ulimit -f 250; gpusort index build --positions -S 1b --checkpoint=kept -o out $file) 2>/dev/null
    [ $? -ne 0 ] || echo "$file: was not stopped"
    gpusort index build -v --positions -S 1b --checkpoint=kept -o out $file 2>log
    echo "$file: exit $?, $(grep -cE 'behind [1-9]' log) time behind what was done"
    diff -r whole out && rm -r out
done
