#!/bin/bash
# SPDX-License-Identifier: MIT
# Documents in several indexes, scored as one index of all scores them, to the last bit.
. "$GS_CLI/try.inc"
gpusort gen docs --format=tsv -n 3000 --terms=400 --seed=5 >docs.tsv
split -n l/3 -d docs.tsv piece
for i in 0 1 2; do
    gpusort index build --positions -o "i$i" --format=tsv "piece0$i"
done
gpusort index build --positions -o all --format=tsv docs.tsv
cut -f 2 docs.tsv | tr -s ' ' '\n' | LC_ALL=C sort -u >words
{
    awk 'NR % 9 == 1' words
    awk 'NR % 7 == 0 { printf "%s ", $1; if (++n % 3 == 0) print "" }' words
    awk 'NR % 11 == 0 { printf "+%s ", $1; if (++n % 2 == 0) print "" }' words
    awk 'NR % 13 == 0 { print substr($1, 1, 2) "* " $1 " " $1 }' words
    awk 'NR % 17 == 0 { print "\"" last " " $1 "\" " last; last = $1 } { last = $1 }' words
} >queries
for i in 0 1 2; do
    gpusort search --gather "i$i" <queries
done >statistics
cat >merge.py <<'PYTHON'
import json
for lines in zip(*(open(f"answers{i}") for i in range(3))):
    answers = [json.loads(line) for line in lines]
    found = [(-d["score"], i, d["doc"], d) for i, a in enumerate(answers) for d in a["documents"]]
    best = [(d["name"], d["score"]) for *_, d in sorted(found, key=lambda x: x[:3])[:20]]
    print(answers[0]["query"], best)
PYTHON
cat >plain.py <<'PYTHON'
import json
for line in open("one"):
    a = json.loads(line)
    print(a["query"], [(d["name"], d["score"]) for d in a["documents"]])
PYTHON
# as_one OPTION...: of all documents, by options that decide scores
as_one() {
    local i
    for i in 0 1 2; do
        gpusort search --json --statistics=statistics -k 20 "$@" "i$i" <queries >"answers$i"
    done
    gpusort search --json -k 20 "$@" all <queries >one
    python3 merge.py >merged
    python3 plain.py >whole
    cmp merged whole
}
as_one --k1=0.4
as_one --b=0.2
as_one
try 'wc -l <queries; test $(wc -c <whole) -gt 100000 && cmp merged whole && echo same'

printf 'one\tthe cat sat\ntwo\tThe Cats\tand \\ dogs\n' >few.tsv
gpusort index build -o few few.tsv
printf '{"id": 1, "text": "a\\nb\\\\c"}\n' | gpusort index build --tokenizer=raw -o raw -
try_lines <<'LINES'
gpusort search --gather few 'cat dogs cat' 'ca*' 'unknown'
gpusort search --gather few '(cat' 'cats'
printf 'cat\nq\tsat\n' | gpusort search --gather few
gpusort search --gather --plain raw $'a\nb\\c' | tee s
gpusort search --statistics=s --plain raw $'a\nb\\c'
gpusort search --gather few cat >s; gpusort search --statistics=s few cat 'cat sat' 'unknown'
gpusort search --json --statistics=s few 'cat sat'
cat s s >twice; gpusort search --statistics=twice few cat
gpusort search --statistics=none few cat
printf 'documents\t3\n\n' >bad; gpusort search --statistics=bad few cat
printf 'documents\t3\ndf\t4\tcat\n' >bad; gpusort search --statistics=bad few cat
printf 'documents\t18446744073709551615\ndocuments\t1\n' >bad; gpusort search --statistics=bad few cat
printf 'documents\t3\ndf\t1\tc\\at\n' >bad; gpusort search --statistics=bad few cat
printf 'documents\t3\ndf\t1\tcat' >bad; gpusort search --statistics=bad few cat
printf 'length\t3\n' >bad; gpusort search --statistics=bad few cat
gpusort search --gather --json few cat
gpusort search --gather --trec=a few cat
gpusort search --gather --statistics=s few cat
gpusort search --statistics=s --count few cat
gpusort search --statistics=s --boolean few cat
LINES
# Terms that only deleted documents have: an index that still keeps them answers as one of
# what is left, and says nothing of them.
{
    printf 'big\t%s\n' "$(seq -f w%.0f 1 5000 | tr '\n' ' ')"
    printf 'small\tw1 w2 fish\nother\tfish w3\n'
} >words.tsv
gpusort index build --positions -o deleted words.tsv
gpusort index delete --no-merge deleted big
cp -r deleted left
gpusort index compact left
printf '%s\n' 'w*' 'w1* fish' 'w4 w5 w1' '+w4 fish' '"w4 w5" fish' 'fish -w*' 'NOT w1*' 'fish AND w4' >words
for query in gather 'json --exhaustive' json boolean count; do
    gpusort search --$query deleted <words >of.deleted
    gpusort search --$query left <words | cmp - of.deleted
done
gpusort search --gather left <words >words.statistics
gpusort search --json --statistics=words.statistics deleted <words >of.deleted
gpusort search --json --statistics=words.statistics left <words | cmp - of.deleted
try "gpusort search --gather deleted 'w*' w4"
try "gpusort search --gather deleted 'w*' >s; gpusort search --statistics=s deleted 'w*' w4"
