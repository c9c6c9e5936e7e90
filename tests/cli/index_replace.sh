#!/bin/bash
# SPDX-License-Identifier: MIT
# --replace: an index takes another's place, through links too, and nothing else is lost.
. "$GS_CLI/try.inc"
printf 'a\tx\n' >a.tsv
printf 'b\ty\n' >b.tsv
gpusort index build -o i a.tsv
ln -s i link
ln -s nowhere dangling
mkdir empty
cp -r i mixed
echo mine >mixed/notes
try_lines <<'LINES'
gpusort index build -o i b.tsv
gpusort index build --replace -o i/ b.tsv && gpusort index dump i
gpusort index build -o link a.tsv
gpusort index build --replace -o link a.tsv && gpusort index dump i
gpusort index build --replace -o link/ b.tsv && gpusort index dump i
gpusort index merge --replace -o link i link && gpusort index dump i
gpusort index build --replace -o dangling a.tsv
gpusort index build --replace -o empty a.tsv
gpusort index build --replace -o a.tsv b.tsv
gpusort index build --replace -o mixed b.tsv
cat mixed/notes && gpusort index dump mixed
gpusort index build --replace -o . a.tsv
LINES
readlink link
ls
