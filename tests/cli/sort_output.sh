#!/bin/bash
# SPDX-License-Identifier: MIT
# -o: new, in place, to devices.
. "$GS_CLI/try.inc"
make_files
ln in hard
ln -s in soft
try_lines <<'X'
sort -o out in; cat out
sort -o in in; cat in
cat hard soft
sort -r -o soft in; cat in; test -L soft && echo link
sort -mo f f g; cat f
sort -o /dev/stdout g | cat
sort -o /dev/null g
printf 'z\ny\n' | sort -o p; cat p
printf 'z\ny\n' >>p; sort -o p p; cat p
chmod 640 p; sort -ro p p; stat -c %a p
sort -o q p >&-; cat q
umask 027; sort -o r p; stat -c %a r
sort -o new/ p
sort -o p/ p
sort -o p/x p
sort -o no/x/ p
sort -o dir/ p
X
ls
