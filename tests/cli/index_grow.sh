#!/bin/bash
# SPDX-License-Identifier: MIT
# An index that grows: documents are appended and deleted, its segments are merged, and what
# reads it sees one index, as one build of what is left.
line() { printf '{"id": "%s", "text": "%s"}\n' "$1" "$2"; }
try() { "$@" || echo "exit $?"; }

{ line one 'fish and chips'; line two 'peas'; line three 'fish pie'; } >first
{ line four 'chips and peas'; line five 'a fish called two'; } >second
gpusort index build --stem=english --store --positions -o idx first
gpusort index append idx second
line six 'more fish' | gpusort index append idx
ls idx
gpusort lookup idx fish chip
gpusort search idx 'fish +chips'
gpusort index dump idx | head -n 3
gpusort index show idx five
gpusort index info idx | head -n 3

echo '--- deleted'
try gpusort index delete idx three nobody
printf 'one\nnothing\n' | try gpusort index delete -v --no-merge idx
gpusort lookup idx fish chip
gpusort lookup --prefix idx p
gpusort search --boolean idx fish
gpusort search --json idx fish | sed 's/"score": [0-9.]*/S/g'
try gpusort index show idx one
gpusort index info --json idx | grep -o '"documents": [0-9]*\|"segments.*'
gpusort index verify idx

echo '--- as one build'
{ line two 'peas'; cat second; line six 'more fish'; } >left
gpusort index build --stem=english --store --positions -o once left
gpusort index merge -o merged idx && diff -r merged once
gpusort index export --ciff idx | cmp - <(gpusort index export --ciff once)
gpusort index reorder -o smaller idx && gpusort index reorder -o smaller2 once && diff -r smaller smaller2
gpusort index compact idx && diff -r idx once
gpusort index compact -v idx

echo '--- merged on the way'
for i in 1 2 3 4 5 6 7 8 9; do line "n$i" "word$i" | gpusort index append idx; done
printf "%s\n" idx/segment-* | wc -l
gpusort index info idx | sed -n '2,3p'
gpusort index delete idx n1 n2 n3 n4 n5 n6 n7
gpusort index info idx | sed -n '2,3p'
seq 9 | sed 's/^/n/' | try gpusort index delete idx
seq 30 | sed 's/^/none/' | gpusort index delete idx 2>&1 | tail -n 2

echo '--- updated'
printf '{"id": "two", "text": "beans"}\n{"id": "new", "text": "beans"}\n' | gpusort index append --update --no-merge idx
gpusort lookup idx pea bean
gpusort search --boolean idx beans
printf '{"id": "two", "text": "peas"}\n' | gpusort index append -v --update idx 2>&1 | grep replaced
gpusort search --boolean idx 'peas OR beans'

echo '--- what does not go'
try gpusort index append --stem=german idx second
try gpusort index append --stem=english --store idx second && gpusort index append --no-fold idx second
try gpusort index append --min-len=3 --tokenizer=words idx second
try gpusort index append --min-len=3 idx second
echo and >stop && try gpusort index append --stopwords=stop idx second
gpusort index build -o plain first
try gpusort index append --positions plain second
try gpusort index append --store plain second
try gpusort index append --format=tuples plain second
try gpusort index append -o other plain second
try gpusort index append nowhere second
try gpusort index append first second
try gpusort index append
printf 'a\t1\n' | gpusort index build --format=tuples -o tuples
try gpusort index append tuples second
try gpusort index delete tuples a
gpusort index compact -v tuples && ls tuples
try gpusort index compact nowhere
echo '{"id": 1}' | try gpusort index append plain
ls plain

echo '--- leftovers and damage'
mkdir idx/segment-77 idx/segment-78.tmp-abcdef && cp once/* idx/segment-77 && touch idx/deleted-5 idx/manifest.json.tmp-abcdef
gpusort index append --format=jsonl idx /dev/null 2>/dev/null
for file in idx/segment-7[78]* idx/deleted-5 idx/*tmp*; do [ -e "$file" ] && echo "$file"; done
line seven 'a word' | gpusort index append --no-merge idx && cp -r idx bad
gpusort index build --replace -o idx first && ls idx
sed -i 's/"deleted": 0/"deleted": 1/' bad/manifest.json
try gpusort search bad fish
rm bad/manifest.json bad/header.json 2>/dev/null
try gpusort index verify bad
gpusort index export --ciff once >ciff && gpusort index import --ciff -o imported ciff
try gpusort index append imported second
