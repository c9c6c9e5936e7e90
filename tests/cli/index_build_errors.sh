#!/bin/bash
# SPDX-License-Identifier: MIT
# Arguments and inputs that will not do: the message names the place, and nothing is left.
. "$GS_CLI/try.inc"
printf '{"id":1,"contents":"a b"}\n{"id":2,"contents":"b"}\n' >good.jsonl
printf '{"id":1,"contents":"a"}\n\n{"id":2,"contents":5}\n' >bad.jsonl
printf 'a\tx\nno tab here\n' >bad.tsv
printf '<DOC><DOCNO>a</DOCNO>x</DOC>\n<DOC>y</DOC>\n' >bad.trec
printf 'a\t1\nb\t99999999999999\n' >bad.tuples
printf '123456789' >bad.bin
printf 'x\t1\t4294967295\nx\t1\t1\n' >many.tuples
gzip -c good.jsonl | head -c 40 >cut.gz
try_lines <<'LINES'
gpusort index build
gpusort index build -o
gpusort index build -o ''
gpusort index build -o i --nonsense
gpusort index build -o i --format=xml good.jsonl
gpusort index build -o i --method=magic good.jsonl
gpusort index build -o i --engine=magic good.jsonl 2>&1 | sed '/^Engines/d'
gpusort index build -o i --stem=klingon good.jsonl 2>&1 | sed 's/; there are:.*//'
gpusort index build -o i --stopwords=nowhere good.jsonl
gpusort index build -o i --min-len=0 good.jsonl
gpusort index build -o i --min-len=9 --max-len=3 good.jsonl
gpusort index build -o i --parallel=0 good.jsonl
gpusort index build -o i -S 5x good.jsonl
gpusort index build -o i --gpu=x good.jsonl
gpusort index build -o i --format=tuples --positions good.jsonl
gpusort index build -o i --format=tuples --stem=english good.jsonl
gpusort index build -o i nowhere.jsonl
gpusort index build -o i good.jsonl nowhere.jsonl
gpusort index build -o i .
gpusort index build -o i bad.jsonl
gpusort index build -o i good.jsonl bad.jsonl
gpusort index build -o i --text-field=title good.jsonl
gpusort index build -o i --id-field=key good.jsonl
gpusort index build -o i bad.tsv
gpusort index build -o i bad.trec
gpusort index build -o i --format=tuples bad.tuples
gpusort index build -o i --format=tuples-bin bad.bin
gpusort index build -o i --format=tuples many.tuples
gpusort index build -o i --format=tuples --method=bsbi many.tuples
gpusort index build -o i cut.gz
gpusort index build -o i -T nowhere -S 1b --trace=nowhere/x good.jsonl
gpusort index build -o i --stats=nowhere/x good.jsonl
LINES
# Temporary files that cannot be made: only a build that spills needs them.
gpusort gen docs --bytes=3M -o many.jsonl
try 'gpusort index build -o i -T nowhere -S 1b many.jsonl'
try 'gpusort index build -o i -T nowhere many.jsonl'
rm -r i
# A document longer than the memory allows, with its place.
{ printf 'a\t'; head -c 19000000 /dev/zero | tr '\0' x; echo; } >long.tsv
try 'gpusort index build -o i -S 1M --parallel=1 long.tsv'
# What is malformed is left out and told.
try 'gpusort index build -o i --skip-bad good.jsonl bad.jsonl'
rm -r i
yes '{' | head -n 12 | cat good.jsonl - >twelve.jsonl
try 'gpusort index build -o i --skip-bad twelve.jsonl'
rm -r i
ls
