#!/bin/bash
# SPDX-License-Identifier: MIT
# What join says to its options, and to what it cannot read or write.
. "$GS_CLI/try.inc"
printf 'b 2\na 1\nc 3\na 9\n' >l
printf 'a x y\nd q\na z\nb w\n' >r
: >empty
printf 'id,n\n2,b\n1,a' >h1
printf 'key,m\n1,x\n3,z\n' >h2
gzip -c r >r.gz
try_lines <<'end'
gpusort join l r
gpusort join r l
gpusort join -j 2 l r
gpusort join -1 1 -2 1 -o 0,2.2,1.2 l r
gpusort join -a 1 -a 2 -e - -o '0 1.2 2.2' -o 2.3 l r
gpusort join -v 1 l r
gpusort join -v 2 -v 1 l r
gpusort join --semi l r
gpusort join --anti l r
gpusort join -t , --header -o auto -a 1 -a 2 -e x h1 h2
gpusort join -t, --header h1 empty
gpusort join l empty
gpusort join empty empty
gpusort join -a 2 empty r
gpusort join l - <r.gz
gpusort join --check-order l r
gpusort join --nocheck-order --output=out l r && cat out
gpusort join --output=l --output-compress=zstd l r && zstd -dcq l
cp r l; gpusort join --output=l -j1 l r; cat l
gpusort join
gpusort join l
gpusort join l r r
gpusort join - -
gpusort join l missing
gpusort join . l
gpusort join -1 0 l r
gpusort join -1 x l r
gpusort join -1 2 -j 1 l r
gpusort join -a 3 l r
gpusort join -v x l r
gpusort join -t ab l r
gpusort join -t a -t b l r
gpusort join -o 3.1 l r
gpusort join -o 1 l r
gpusort join -o 1.0 l r
gpusort join -o '' l r
gpusort join -e a -e b l r
gpusort join --semi --anti l r
gpusort join --semi -a 1 l r
gpusort join --bogus l r
gpusort join -S x l r
gpusort join --output=missing/out l r
gpusort join l r >/dev/full
gpusort join --stats=missing/file l r
end
# Figures of a run.
seq 600000 >a
seq 500000 800000 >b
gpusort join -S 100b --stats=s a b | tail -n 2
python3 -c 'import json; s = json.load(open("s")); print(s["records"], s["output_records"], s["runs"] > 0, s["spill_bytes"] > 0)'
