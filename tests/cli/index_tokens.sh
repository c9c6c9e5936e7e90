#!/bin/bash
# SPDX-License-Identifier: MIT
# What a word is (--tokenizer), at build and at query time; scripts without spaces.
. "$GS_CLI/try.inc"
printf '%s\n' 'a	東京都の tower' 'b	京都へ行く' 'c	ตากลม ตา' 'd	Don'\''t e-mail me@x.org' 'e	東 京' >docs.tsv
build() {
    gpusort index build --replace -o i "$@" docs.tsv && gpusort index dump i | tr '\n\t' ';:' && echo
}
find() {
    gpusort search --json i "$@" | grep -o '"name": *"[^"]*"' | cut -d '"' -f 4 | tr '\n' ' '
    echo
}
try_lines <<'LINES'
build --positions
find 東京都
find 京都
find +東京 +京都
find '"東京都"'
find '"京都東"'
find '京*'
find '京都へ*'
find ตาก
find tower
build --min-len=3
gpusort index info i | grep tokenizer
gpusort index build -o other --tokenizer=words docs.tsv && gpusort index merge -o both i other
build --tokenizer=words
find 東京都の
find 京都
build --tokenizer=whitespace
find DON\'T
find 'me@x.org'
build --tokenizer=raw --no-fold
gpusort lookup i "Don't e-mail me@x.org"
printf '%s\n' "don't" 東京都の 'E-Mail	me # blanks and a comment' >stop
build --tokenizer=whitespace --stopwords=stop
find "don't" me@x.org
printf '%s\r\n' "DON'T e-mail me@x.org  # whole" 東 'ตากลม ตา' >stop
build --tokenizer=raw --fold --stopwords=stop
printf '%s\n' 'a	say "Hi" a\b\ "' >quotes.tsv && printf '%s\n' '"hi" a\b\' '"' >stop
gpusort index build --replace -o i --tokenizer=whitespace --stopwords=stop quotes.tsv && gpusort index dump i
gpusort index info --json i | python3 -c 'import json, sys; print(json.load(sys.stdin)["tokenizer"]["stopwords"])'
gpusort index append i quotes.tsv && gpusort index append --stopwords=stop i quotes.tsv && gpusort index dump i
printf '\357\273\277the\n' >stop; printf 'a\tthe cat\n' >mark.tsv; gpusort index build --replace --tokenizer=whitespace --no-fold --stopwords=stop -o i mark.tsv; gpusort index dump i
echo the | gpusort index build --replace --stopwords=- -o i mark.tsv && gpusort index dump i
echo the | gpusort index build --replace --format=tsv --stopwords=- -o i
echo the | gpusort index build --replace --format=tsv --stopwords=- -o i mark.tsv -
echo the | gpusort index build --replace --format=tsv --stopwords=- --files0-from=- -o i
echo the | gpusort search --statistics=- i
build --tokenizer=letters
gpusort index build --format=tuples --tokenizer=raw -o i docs.tsv
LINES
