#!/bin/bash
# SPDX-License-Identifier: MIT
# Pages as they come from the web and from other programs: nothing of their text is lost
# without a word, and nothing that is no text becomes words.
. "$GS_CLI/try.inc"
build() {
    rm -rf i
    gpusort index build --parallel=1 -o i "$@" || return
    gpusort index dump i | tr '\n\t' ';:'
    echo
}
record() { # TYPE URI CONTENT-TYPE, content on standard input
    cat >content
    printf 'WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n' "$1" "$2" "$3" "$(wc -c <content)"
    cat content
    printf '\r\n\r\n'
}
answer() { # URI HEADERS BODY, as printf has them
    printf "HTTP/1.1 200 OK\r\n$2\r\n\r\n$3" | record response "$1" 'application/http; msgtype=response'
}
# Elements without content, in XML and in HTML.
printf '<?xml version="1.0"?><r><style/>words <script src="a.js" />here</r>' >a.xml
printf '<r><style/>words here</r>' >b.xml
printf '<html><script src="a.js"/>no</script>words here</html>' >a.html
answer u 'Content-Type: application/xhtml+xml; charset=utf-8' '<script src="a.js"/>words here' >xhtml.warc
answer u 'Content-Type: text/html' '<?xml version="1.0"?><script src="a.js"/>no</script>words here' >html.warc
# Answers in a packed form, in chunks, and in chunks that were put together.
junk='\037\213\010\000JUNK'
answer u 'Content-Type: text/plain\r\nTransfer-Encoding: gzip, chunked' "a\r\n${junk}xy\r\n0\r\n\r\n" >packed.warc
answer u 'Content-Type: text/plain\r\nTransfer-Encoding: gzip\r\ntransfer-encoding: Chunked' "a\r\n${junk}xy\r\n0\r\n\r\n" >packed-lines.warc
answer u 'Content-Type: text/plain\r\nContent-Encoding: identity, gzip' "$junk" >packed-content.warc
answer u 'Content-Type: text/plain\r\nTransfer-Encoding: identity,chunked;a=b' '4 ;x\r\nsome\r\n6\r\n words\r\n0\r\n\r\n' >chunks.warc
answer u 'Content-Type: text/plain\r\nTransfer-Encoding: chunked' 'ff\r\nhere it is cut' >cut-chunk.warc
answer u 'Content-Type: text/plain\r\nTransfer-Encoding: chunked' '0\r\n\r\n' >empty-chunks.warc
answer u 'Content-Type: text/plain\r\nTransfer-Encoding: chunked' 'bad words\nin here' >joined.warc
answer u 'Content-Type: text/plain\r\nTransfer-Encoding: chunked' '7\nwords\nin here\n' >joined-number.warc
answer u 'Content-Type: text/plain\r\nTransfer-Encoding: chunked' '' >joined-empty.warc
answer u 'Content-Type: text/plain\r\nTransfer-Encoding: chunked' '2024\nwas a year' >joined-year.warc
# Lines of headers that go on in the next one.
printf 'WARC/1.0\r\nWARC-Type:\r\n\tconversion\r\nWARC-Target-URI:\r\n u4\r\nContent-Type: text/plain;\r\n charset=utf-8\r\nContent-Length:\r\n \r\n  5\r\nX: y\r\n WARC-Type: request\r\n\r\nwords\r\n\r\n' >lines.warc
printf 'WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: u\r\n\t5\r\nContent-Length: 4\r\n\t1\r\n\r\nhere\r\n\r\nno record\r\n\r\n' >>lines.warc
answer u 'Content-Type:\r\n text/html\r\nTransfer-Encoding: identity,\r\n gzip' "$junk" >packed-next.warc
# A byte order mark at the beginning is no text, one within it is.
mark='\357\273\277'
printf "${mark}Abc ${mark}def" >mark.txt
printf "${mark}<html>Abc" >mark.html
answer u 'Content-Type: text/plain' "${mark}Abc" >mark.warc
answer u 'X: y' "${mark}<b>Abc</b>" >mark-html.warc
printf "${mark}Abc" | record resource u text/plain >>mark.warc
# What ends a comment in browsers, numbers with zeros, and names that HTML 4 does not have.
printf "<html>x<!-- c --!> here <p>more&#00000000233;&nbsp;&check;" >comment.html
# Comments of TREC: tags in them are none, and one that does not end hides no documents.
printf '<!-- <DOC><DOCNO>no</DOCNO>no</DOC> -->\n<DOC><DOCNO>a</DOCNO>words <!-- </DOC> -->here</DOC>\n' >comments.trec
printf '<DOC><DOCNO>a</DOCNO>words <!-- here</DOC>\n<DOC><DOCNO>b</DOCNO>and here</DOC>\n' >open-comment.trec
printf '<!-- no end\n<DOC><DOCNO>a</DOCNO>words</DOC>\n' >lost-comment.trec
try_lines <<'LINES'
build a.xml
build b.xml
build a.html
build xhtml.warc
build html.warc
build -v packed.warc 2>&1 | grep -v -e ' method ' -e ' threads, '
build packed-lines.warc
build packed-content.warc
build chunks.warc
build cut-chunk.warc
build empty-chunks.warc
build joined.warc
build joined-number.warc
build joined-year.warc
build joined-empty.warc
build lines.warc
build --skip-bad lines.warc && gpusort search --boolean i "words OR here" | od -c | sed 's/^[0-9]* *//'
build packed-next.warc
build --tokenizer=whitespace --no-fold mark.txt | od -c | sed 's/^[0-9]* *//'
build --tokenizer=whitespace --no-fold mark.html
build --tokenizer=whitespace --no-fold mark.warc
build --tokenizer=whitespace --no-fold mark-html.warc
build --tokenizer=whitespace --no-fold comment.html
build comments.trec
build open-comment.trec
build lost-comment.trec
mkdir folder; printf 'id|text\nprose without bars\n' >folder/README; printf 'id,text\nshopping list\n' >folder/note; build folder
yes "$(printf '<?page?>\n <DOC>\n <DOCNO>d</DOCNO>\n%01000d\n </DOC>' 7)" | head -n 150000 >indented.trec; rm -r i; gpusort index build -S 4M -o i indented.trec 2>/dev/null; gpusort index info i | grep "^documents *[0-9]*$"
LINES
