#!/bin/bash
# SPDX-License-Identifier: MIT
# GNU sort: since 9.9
# Programs of --compress-program: missing, not to be run, ended too soon, killed.
. "$GS_CLI/try.inc"
program() {
    printf '#!/bin/bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}
seq 25000 | tac >in
seq 25000 | LC_ALL=C sort >expected
for i in 1 2 3 4; do seq $i 4 400 | LC_ALL=C sort >part$i; done
mkdir folder folder/tool
echo 'no magic number' >text
cp text script && chmod +x script
program gone 'exit 0'
program refuses 'exit 3'
program killed 'kill -9 $$'
program no-decoder '[ $# = 0 ] || exit 1; cat'
program named 'echo "$0" >>names; cat'
program hangs 'exec sleep 9'
cp named folder/tool/named
try_lines <<'X'
sort -S 20K --compress-program=missing in | cmp - expected && echo sorted
sort -S 20K --compress-program=./missing in | cmp - expected && echo sorted
sort -S 20K --compress-program= in | cmp - expected && echo sorted
sort -S 20K --compress-program=./folder in | cmp - expected && echo sorted
sort -S 20K --compress-program=./text in | cmp - expected && echo sorted
sort -S 20K --compress-program=./script in | cmp - expected && echo sorted
sort -S 20K --compress-program=text/x in | cmp - expected && echo sorted
sort -S 20K --compress-program="it's missing" in | cmp - expected && echo sorted
PATH=$PWD/text:$PATH sort -S 20K --compress-program=missing in | cmp - expected && echo sorted
PATH=$PWD:$PATH sort -S 20K --compress-program=text in | cmp - expected && echo sorted
sort --compress-program=missing part1 | cksum
sort -m --compress-program=missing part* | cksum
sort -m --batch-size=2 --compress-program=missing part* | cksum
sort -m --batch-size=2 --compress-program=missing expected expected expected expected expected | cksum
sort -u --batch-size=2 -S 20K --compress-program=missing in in | cmp - expected && echo sorted
sort -S 20K --compress-program=missing -T no/such in
sort -S 20K --compress-program=./refuses in 2>/dev/null
sort -S 20K --compress-program=./gone in 2>/dev/null
sort -S 20K --compress-program=./killed in 2>/dev/null
sort -S 20K --compress-program=./no-decoder in
PATH=$PWD/folder/tool:$PATH sort -S 20K --compress-program=named in | cmp - expected && sort -u names | sed "s|$PWD|.|"; rm names
PATH=folder/tool::$PATH sort -S 20K --compress-program=named in | cmp - expected && sort -u names; rm names
trap '' CHLD; sort -S 20K --compress-program=./named in | cmp - expected && echo sorted
((sleep 0.2; exec false) & exec sort -S 20K --compress-program=./named in >out); cmp out expected && echo sorted
timeout 0.5 sort -S 20K --compress-program=./hangs in
seq 200000 | env --default-signal=PIPE sort -S 20K --compress-program=./named | head -n 1; echo ${PIPESTATUS[1]}
trap '' PIPE; (until [ -e closed ]; do sleep 0.05; done; seq 25000) | sort -S 20K --compress-program=./named | (exec <&-; : >closed); echo ${PIPESTATUS[1]}
X
