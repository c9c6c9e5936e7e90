#!/bin/bash
# SPDX-License-Identifier: MIT
# What is no index, or not the whole of one: the message says which, and verify has 1 for
# what it found broken and 2 for what it could not read.
. "$GS_CLI/try.inc"
printf 'd0\tred green\nd1\tgreen\n' >a.tsv
gpusort index build -o a a.tsv
mkdir empty other
echo >other/notes
lose() {
    rm -rf b && cp -r a b && eval "$1"
}
for damage in ': >b/header.json' 'rm b/header.json' 'truncate -s 9 b/header.json' 'rm b/terms' \
    ': >b/postings' 'truncate -s -1 b/documents' 'rm -r b' 'rm b/terms; mkdir b/terms' \
    'rm b/terms; ln -s terms b/terms'; do
    lose "$damage"
    echo "# $damage"
    try 'gpusort index verify b'
done
try_lines <<'LINES'
gpusort index verify empty
gpusort index verify other
gpusort index verify a.tsv
gpusort index verify a.tsv/x
gpusort index verify ''
gpusort index info nowhere
gpusort index dump a.tsv
gpusort index export --ciff=x empty
gpusort lookup green a
gpusort lookup nowhere green
gpusort search green a
gpusort search a.tsv green
gpusort index build -o - a.tsv
gpusort index merge -o - a
gpusort index import --ciff -o - x
gpusort index build -o ./- a.tsv && gpusort lookup --df-only ./- green
LINES
ls
