#!/bin/bash
# SPDX-License-Identifier: MIT
# --jsonl-key: what a path is, what it finds, what is wrong; json_check.py tries the rest.
said() {
    "$@" 2>&1 >out
    echo "exit $?, $(wc -c <out) bytes"
}
cat >t.jsonl <<'EOF'
{"id":1,"price":10.5,"user":{"name":"Smith","a.b":2},"tags":["x"]}
{"id":2,"price":"9","user":{"name":"\u004fNeil"},"ok":true}
{"id":3, "price": 1e2, "user": {"name": "abel", "a.b": 1}}

{"id":4,"price":null,"user":"none","ok":false}
EOF
echo '-- values'
gpusort --jsonl-key=.price:g:r t.jsonl
gpusort --jsonl-key=.price:n t.jsonl | tail -n 1
gpusort --jsonl-key=.user.name:f t.jsonl | tail -n 3
gpusort --jsonl-key='.user."a.b",nr' --top=1 t.jsonl
gpusort -r --jsonl-key .ok --jsonl-key .id:n t.jsonl | head -n 2
gpusort --jsonl-key=.user --jsonl-key=.user.name --jsonl-key=.user.name.x t.jsonl | tail -n 2
gpusort --jsonl-key=.tags -u t.jsonl | wc -l
gpusort --jsonl-key=.id:n:r <t.jsonl | head -n 1
tr '\n' '\0' <t.jsonl | gpusort -z --jsonl-key=.id:n:r | tr '\0' '\n' | head -n 1
gpusort --header --jsonl-key=.id:nr t.jsonl | head -n 2
gpusort --jsonl-key=.id:nr t.jsonl -o t2 && gpusort -m --jsonl-key=.id:nr t2 t2 | wc -l
gpusort -c --jsonl-key=.id:nr t2 && said gpusort -c --jsonl-key=.id:n t2

echo '-- what is wrong'
said gpusort --jsonl-key=price t.jsonl
said gpusort --jsonl-key=. t.jsonl
said gpusort --jsonl-key=.a..b t.jsonl
said gpusort --jsonl-key='."a' t.jsonl
said gpusort --jsonl-key=.a:q t.jsonl
said gpusort --jsonl-key=.a:nV t.jsonl
said gpusort --jsonl-key=".$(printf '%300s' x)" t.jsonl
said gpusort --jsonl-key="$(printf '.a%.0s' {1..33})" t.jsonl
said gpusort $(printf -- '--jsonl-key=.a %.0s' {1..33}) t.jsonl
said gpusort --jsonl-key=.a -k 2 t.jsonl
said gpusort --jsonl-key=.a --csv t.jsonl
said gpusort --jsonl-key=.a --record-size=8 t.jsonl
said gpusort --jsonl-key=.a -t , t.jsonl
said gpusort --jsonl-key=.a --debug t.jsonl
printf '{"a":1}\n\n{"a":1]\n' >bad.jsonl
for work in '' -c -m -C; do said gpusort $work --jsonl-key=.b bad.jsonl; done

echo '-- goes on from where it was'
seq 30000 | awk '{ printf "{\"t\":\"a\\u%04x\",\"n\":{\"x\":%d}}\n", $1 % 999 + 32, $1 * 7919 % 30011 }' >big
gpusort --jsonl-key=.n.x:n big -o want
gpusort --jsonl-key=.n.x:n -S 1M --checkpoint=ck --verify big | cmp - want && echo 'with a checkpoint'
gpusort --jsonl-key=.n.x:n -S 1M --parallel=3 big big | uniq | cmp - want && echo spilled
