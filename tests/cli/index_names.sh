#!/bin/bash
# SPDX-License-Identifier: MIT
# Names and terms of any bytes: a line stays a line, a column a column, JSON stays JSON.
. "$GS_CLI/try.inc"
{
    printf '{"id":"tab\\tline\\nzero\\u0000end\\r","contents":"x"}\n'
    printf '{"id":"two  words","contents":"x"}\n{"id":" ","contents":"x"}\n'
    printf '{"id":"\\"\\\\\\u00e9\\ud83d\\ude00","contents":"x"}\n'
} >docs.jsonl
gpusort index build -o i docs.jsonl
printf 'sound\tx\nbro\377ken\302\tx\n\303(\355\240\200\tx\n' | gpusort index build -o bytes --format=tsv -
printf 'a\377b\t1\n"\\\t2\t3\n\303\251\t1\n\033\177\t4\n' |
    gpusort index build -o t --format=tuples -
try_lines <<'LINES'
gpusort search i x | cat -A
gpusort search --boolean i x | cat -A
gpusort search --trec=run i x | cat -A
printf 'q 1\tx\n\tx\n' | gpusort search -k 1 --trec=run i
gpusort search --trec='my run' i x
gpusort search --trec= i x
gpusort search --json i x
gpusort search bytes x | cat -A
gpusort search --json bytes x
printf 'q\377\tx\300\n' | gpusort search --json bytes
gpusort lookup --json --prefix t ''
gpusort lookup --json --df-only t $'a\377b' $'\303\251' none
gpusort lookup --df-only --json t none
gpusort lookup --df-only t $'a\377b' | cat -A
gpusort index info -- t i
gpusort index export --ciff=x t i
gpusort index export --ciff=x -- t i
gpusort index info -- t | head -n 1
LINES
# A parser of JSON that is not ours reads every line, and the same names and terms.
{ gpusort search --json i x; gpusort search --json bytes x; gpusort lookup --json --prefix t ''; } |
    python3 -c '
import json, sys
for line in sys.stdin.buffer:
    answer = json.loads(line.decode("utf-8"))
    print(ascii([d["name"] for d in answer.get("documents", [])] or answer["term"]))'
mv i $'new\nline'
try "gpusort index verify \$'new\\nline'"
try "gpusort index info \$'new\\nline' | head -n 1"
