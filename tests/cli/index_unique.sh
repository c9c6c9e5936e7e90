#!/bin/bash
# SPDX-License-Identifier: MIT
# --unique-ids: two documents with one name are an error, and nothing is left of the index;
# an index that was there stays.
. "$GS_CLI/try.inc"
printf '{"id":"a","contents":"x"}\n{"id":"b","contents":"y"}\n' >two.jsonl
printf '{"id":"c","contents":"x"}\n{"id":"d","contents":"z"}\n' >more.jsonl
printf '{"id":"b","contents":"z"}\n' >again.jsonl
seq 200000 | sed 's/$/\tword/' >many.tsv
(cat many.tsv; printf '77777\tother\n') >twice.tsv
printf 'a\t1\na\t1\n' >tuples.tsv
try_lines <<'LINES'
gpusort index build -o i --unique-ids two.jsonl more.jsonl
gpusort search i x
gpusort index build -o bad --unique-ids two.jsonl more.jsonl again.jsonl
gpusort index build -o i --replace --unique-ids two.jsonl again.jsonl
gpusort search i x
gpusort index build -o again again.jsonl
gpusort index merge -o bad --unique-ids i again
gpusort index merge -o both i again
gpusort index build -o bad --unique-ids --format=tsv twice.tsv
gpusort index build -o bad --unique-ids --reorder --format=tsv twice.tsv
gpusort index build -o many --unique-ids --format=tsv many.tsv
gpusort index export --ciff=both.ciff both && gpusort index import --ciff --unique-ids -o bad both.ciff
gpusort index build -o tuples --unique-ids --format=tuples tuples.tsv
gpusort index build -o tuples --format=tuples tuples.tsv
gpusort index merge -o bad --unique-ids tuples tuples
ls
LINES
