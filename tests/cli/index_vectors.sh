#!/bin/bash
# SPDX-License-Identifier: MIT
# Documents with weights of their terms: found by looking, weights become impacts, scores
# are sums of those; and what is no vector, or does not go with others, is told.
. "$GS_CLI/try.inc"
cat >whole.jsonl <<'LINES'
{"id": "a", "contents": "not looked at", "vector": {"fish": 3, "chips": 40}}
{"id": "b", "vector": {"fish": 5, "new york": 7, "##s": 1, "Fish": 2}}
{"id": "c", "vector": {}}
LINES
cat >decimal.jsonl <<'LINES'
{"id": "d", "vector": {"fish": 2.314, "chips": 0.5, "peas": 0.004, "none": 0.0}}
{"_id": "e", "vector": {"f\u0069sh": 1e0, "\"": 0.25}}
LINES
(cat decimal.jsonl; echo '{"id":"f","vector":{"fish":2}}') >mixed.jsonl
cat >bad.jsonl <<'LINES'
{"id": "good", "vector": {"a": 1}}
{"id": "minus", "vector": {"a": -1}}
{"id": "nan", "vector": {"a": NaN}}
{"id": "inf", "vector": {"a": 1e999}}
{"id": "large", "vector": {"a": 4294967296}}
{"id": "sum", "vector": {"a": 4294967295, "b": 1}}
{"id": "nested", "vector": {"a": {"b": 1}}}
{"id": "list", "vector": [0.5, 0.25]}
{"id": "text", "vector": {"a": "1"}}
{"id": "twice", "vector": {"a": 1, "\u0061": 2}}
{"id": "again", "vector": {"a": 1}, "vector": {"b": 1}}
{"id": "empty", "vector": {"": 1}}
{"id": "open", "vector": {"a": 1}
{"vector": {"a": 1}}
{"id": "none"}
LINES
printf '{"id":"t","contents":"fish"}\n' >text.jsonl
printf '{"id":1,"contents":"x","vector":[1.5,2.5]}\n' >dense.jsonl
: >nothing.jsonl
printf '[{"id": 1, "vector": {"a": 1}},\n {"id": 2,\n  "vector": {"a": 2, "b": 3}}]\n' >array.json
printf '{\n  "id": 1, "vector": {"a": 1,\n "b": 2}}\n{"id": 2, "vector": {}}' >pretty.json
mkdir folder
cp whole.jsonl folder/1.jsonl
cp decimal.jsonl folder/2.jsonl
build() {
    rm -rf i
    gpusort index build -o i "$@" || return
    gpusort index dump i | tr '\n\t' ';:'
    echo
}
try_lines <<'LINES'
build whole.jsonl
grep impacts i/header.json
gpusort index info i | sed -n '2,8p'
gpusort index info --json i | tr , '\n' | grep -A2 impacts
gpusort index verify i
gpusort search i fish
gpusort search i 'fish chips^0.5'
gpusort search i '"new york"^2 Fish' '##s' '{"fish": 2, "chips": 0.1}'
gpusort search --exhaustive i '"new york"^2 Fish'
gpusort search --plain i 'fish fish chips'
gpusort search --all i '{"fish": 2, "chips": 0.1}'
gpusort search --boolean i 'NOT fish' 'f* -chips'
gpusort search i 'fish^0' '{"fish": -1}' '"fish'
gpusort lookup i fish 'new york'
build -v whole.jsonl 2>&1 | grep 'read as'
build <decimal.jsonl
grep scale i/header.json
build --weight-scale=10 decimal.jsonl
grep scale i/header.json
build --weight-scale=2.5 whole.jsonl
build nothing.jsonl whole.jsonl nothing.jsonl
build mixed.jsonl
build --weight-scale=100 mixed.jsonl
build folder
build array.json
build pretty.json
build --format=vectors array.json pretty.json whole.jsonl
build -v array.json 2>&1 | grep 'read as'
build dense.jsonl
build bad.jsonl
build --skip-bad bad.jsonl
build whole.jsonl text.jsonl
build text.jsonl whole.jsonl
build --format=vectors text.jsonl
build --positions whole.jsonl
build --stem=english whole.jsonl
build --format=vectors --positions whole.jsonl
build --format=vectors --stopwords=x whole.jsonl
build --format=tsv --weight-scale=2 whole.jsonl
build --weight-scale=0 whole.jsonl
build --weight-scale=2 text.jsonl
build --store whole.jsonl
gpusort index show i a
gpusort search --snippets i fish
gpusort index build -o w whole.jsonl
gpusort index build -o d decimal.jsonl
gpusort index build -o x --weight-scale=10 decimal.jsonl
gpusort index build -o t text.jsonl
gpusort index merge -o m w d && gpusort search m fish
gpusort index merge -o m w x
gpusort index merge -o m w t
gpusort index merge -o m t w
gpusort index export --ciff=w.ciff w && gpusort index import --ciff --strict -o back w.ciff
gpusort search back 'fish chips^0.5'
cmp w/postings back/postings && grep impacts back/header.json
gpusort index export --ciff back | cmp - w.ciff
gpusort index export --ciff=t.ciff t && gpusort index import --ciff --impacts -o ti t.ciff && gpusort search ti fish
gpusort index merge -o m2 back d
gpusort index reorder -o r w && gpusort search r fish
gpusort index append w whole.jsonl
gpusort index append t whole.jsonl
LINES
