#!/bin/bash
# SPDX-License-Identifier: MIT
# A document of up to 16 MiB, or a quarter of -S, is built whatever -S is, within -S and 64
# MiB; a longer one is refused by name, and with what -S would do.
. "$GS_CLI/try.inc"
gpusort gen docs --bytes=5M -o small.jsonl
tr -c a-z0-9 ' ' <small.jsonl >words
text() {
    cat words words words words | head -c "$1"
}
# One escape in each line of text, so that the texts are the same in all formats.
{
    printf '{"id":"first","contents":"'
    text 6000000 | sed 's/ / \\u0061 /'
    printf '"}\n{"id":"second","contents":"x"}\n{"contents":"'
    text 3000000
    printf '","id":"third"}\n'
} >long.jsonl
{
    printf '<DOC><DOCNO>first</DOCNO>'
    text 6000000 | sed 's/ / <b>a<i> /'
    printf '</DOC>\n<DOC><DOCNO>second</DOCNO>x</DOC><DOC>'
    text 3000000
    printf '<DOCNO>third</DOCNO></DOC>\n'
} >long.trec
first=
# build SIZE INPUT OPTION...: says what is unlike the first, or takes too much.
build() {
    local size=$1 input=$2 peak sum
    shift 2
    rm -rf index
    gpusort index build --positions --engine=cpu -S "${size}M" --stats=stats -o index "$@" \
        "$input" || echo "-S ${size}M $*"
    peak=$(sed -n 's/.*"peak_memory_bytes": \([0-9]*\).*/\1/p' stats)
    [ "$peak" -le $(((size + 64) << 20)) ] || echo "$input ${size}M $*: $((peak >> 20)) MiB"
    sum=$(cat index/* | cksum)
    [ "${first:=$sum}" = "$sum" ] || echo "$input ${size}M $*: other bytes"
}
build 1 long.jsonl --method=spimi --parallel=1
if [ -n "${GS_TEST_LONG:-}" ]; then
    build 16 long.jsonl --method=bsbi --parallel=3
    build 24 long.jsonl --parallel=32
fi
build 8 long.trec --parallel=3
gzip -1 <long.jsonl >packed
build 8 - --format=jsonl --parallel=2 <packed
# A quarter of -S is more than what is there for them without asking.
{
    printf 'wide\t'
    text 19000000
    printf '\nnext\ty\n'
} >wide.tsv
first=
build 80 wide.tsv --method=spimi --parallel=3
[ -z "${GS_TEST_LONG:-}" ] || build 80 wide.tsv --method=bsbi --parallel=2
# A file is a document; many tags, and as many texts between them.
text 6000000 >whole.txt
first=
build 1 whole.txt --parallel=2
{
    printf '<DOC><DOCNO>tags</DOCNO>'
    yes '<b>some<i/>tags' | head -n 100000
    printf '</DOC>\n'
} >tags.trec
yes 'some tags ' | head -n 100000 | tr '\n' ' ' | sed 's/^/tags\t/' >tags.tsv
first=
build 1 tags.trec
build 8 tags.tsv
# Too long.
{
    printf '<DOC><DOCNO>one</DOCNO>x</DOC>\n\n<DOC ><DOCNO> two </DOCNO>'
    text 19000000
    printf '</DOC>\n'
} >wide.trec
wide_json() { # BEFORE BEHIND: what stands beside the contents of the second
    printf '{"id":"one","contents":"x"}\n{%s"contents":"' "$1"
    text 19000000
    printf '"%s}\n{"id":"three","contents":"x"}\n' "$2"
}
wide_json '' ',"id":"behind"' >wide.jsonl
cat wide.tsv >wide.txt
try_lines <<'LINES'
gpusort index build -S 64M -o i wide.tsv
gpusort index build -S 1M -o i wide.trec
gpusort index build -S 1M -o i wide.jsonl
gpusort index build -S 64M -o i wide.txt
gzip -c wide.tsv | gpusort index build -S 1M --format=tsv -o i -
LINES
wide_json '"id":"t\u0077o",' '' >wide.jsonl
try 'gpusort index build -S 1M --skip-bad --parallel=3 -o i wide.jsonl'
ls -d i* 2>/dev/null
