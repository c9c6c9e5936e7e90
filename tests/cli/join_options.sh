#!/bin/bash
# SPDX-License-Identifier: MIT
# What join says to its options, and to what it cannot read or write.
. "$GS_CLI/try.inc"
printf 'b 2\na 1\nc 3\na 9\n' >l
printf 'a x y\nd q\na z\nb w\n' >r
: >empty
printf '\357\273\277c,"a, ""b"""\r\n1,"k ""1"""\r\n2,"k\n2"\r\n3,"k3"\r\n' >t1.csv
printf 'key,v\nk3,2\n"k\n2",4\n"k ""1""",\n' >t2.csv
printf 'a,b\n"x"y,1\n' >broken.csv
printf 'a,a\n1,1\n' >twice.csv
printf 'id,n\n2,b\n1,a' >h1
printf 'key,m\n1,x\n3,z\n' >h2
gzip -c r >r.gz
try_lines <<'end'
gpusort join l r
gpusort join r l
gpusort join -j 2 l r
printf 'x 1\n' >x; printf '1 y\n' | gpusort join -j1 2 x -
printf 'x 1\n' | gpusort join -j1 2 -o 1.1 2.1 -j2 2 - x
gpusort join -j2 l r
gpusort join -j1 2 -j1 1 l r
gpusort join -j1 2 l r r
gpusort join -o 1.1 2.2 1.2 l r
gpusort join -o 1.1 2.2 l r -o 1.2
gpusort join l -o 0 2.2 1.2 -a 1 r
gpusort join -o 1.1 l r -a 1 r
gpusort join -o 1.1 2.x l r
gpusort join -o 1.1 -- 2.2 l r
gpusort join -t, --header -1 id -2 key -o 0,2.m,1.n h1 h2
gpusort join -t, --header -1 id -2 none h1 h2
gpusort join -t, --header -1 id -2 key -o 1.m h1 h2
gpusort join -t, --header -j id h1 - <empty
gpusort join -t, -1 id -2 key h1 h2
gpusort join --header -1 id -1 key h1 h2
gpusort join --header -1 id -1 2 h1 h2
gpusort join -o 1.n l r
gpusort join --csv -1 'a, "b"' -2 key -a 1 -e 'x,y' t1.csv t2.csv
gpusort join --csv -1 'a, "b"' -2 key -o 1.c,2.v t1.csv t2.csv
gpusort join --csv --no-header -1 2 -2 1 t1.csv t2.csv
gpusort join --csv --band=-1:1 -1 c -2 v t1.csv t2.csv
gpusort join --csv --band=-1:1 -1 c -2 1 t1.csv t2.csv
gpusort join --csv -t ';' t1.csv t2.csv
gpusort join --csv t1.csv broken.csv
gpusort join --csv twice.csv -1 a t1.csv
gpusort join --csv --tsv t1.csv t2.csv
gpusort join --csv -t '"' t1.csv t2.csv
gpusort join --csv --header --no-header t1.csv t2.csv
gpusort join --verify l r
gpusort join --checkpoint=x l r
gpusort join --json l r
gpusort join --engine=cpu --semi l r
gpusort join --engine=gpu l r
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
# Temporary files go where they may, with or without io_uring; packed input stays so.
gpusort join -S 100b --no-uring -T . a b | cksum
gpusort join a b | cksum
try 'gpusort join -S 100b --temporary-directory=missing a b'
gpusort join l r.gz | wc -l; gpusort join --no-decompress l r.gz | wc -l
