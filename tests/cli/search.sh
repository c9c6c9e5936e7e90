#!/bin/bash
# SPDX-License-Identifier: MIT
# Searches: what queries mean, shapes of the output, and what will not do.
. "$GS_CLI/try.inc"
cat >docs.tsv <<'DOCS'
one	the cat sat on the mat
two	The Cats and the dogs
three	a dog's dinner, X-ray of a cat
four	dogs dogs dogs
café	un café à la carte
DOCS
printf 'the\na\non\nof\nand\n' >stop
gpusort index build -o i --positions --stem=english --stopwords=stop docs.tsv
gpusort index build -o plain docs.tsv
printf 'x\t3\ny\t3\t5\nx\t1\ntwo words\t2\n' | gpusort index build -o t --format=tuples -
# Names with control characters of one byte and of two, and with others that begin alike.
printf '{"id":"a\\u0085b\\u007fc\\u009b31m\\u00a0d\\u00c2e\\u0001","contents":"cat"}\n{"id":"\\u00a9\\u00bf\\u00ab long plain name \\u0080","contents":"cat"}\n' | gpusort index build -o controls -
try_lines <<'LINES'
gpusort search i cat
gpusort search i 'CATS dog'
gpusort search i 'cat +dog'
gpusort search i 'dog -cat'
gpusort search --all i 'cat dog'
gpusort search -k 1 i 'cat dog'
gpusort search --top=2 i cat dog
gpusort search -k 99999999999999999999 i dog
gpusort search --k1=0.9 --b=0.4 i dogs
gpusort search --exhaustive i 'CATS dog'
gpusort search i x-ray
gpusort search --parallel=4 i dogs
gpusort search --parallel=4 i cat dog dinner
gpusort search i '"cat sat"' '"cats on dogs"' '"cats the the dogs"'
gpusort search i 'CAFÉ' 'caf*'
gpusort search i '' 'the' 'unknown' 'unknown AND cat'
gpusort search --boolean i 'cat OR dog'
gpusort search --boolean i '(cat OR dog) AND NOT dinner'
gpusort search --boolean i 'NOT cat'
gpusort search --boolean -k 2 i 'cat dog'
gpusort search --boolean --json i 'cat' 'nothing'
gpusort search --count i 'cat dog' 'cat AND dog' 'the'
gpusort search --count --json i 'cat dog'
gpusort search --count -k 1 i 'cat dog'
gpusort search --json i 'dinner "x'
gpusort search --json --plain i 'dinner "x'
gpusort search --trec=run i dinner
gpusort search controls cat | od -An -c
gpusort search --trec=run controls cat | od -An -c
gpusort search --boolean controls cat | od -An -c
printf 'q7\tcat\nq8\tnothing\ndinner\n' | gpusort search --trec=run i
printf 'q7\tcat sat\nq8\tdog\n\ndinner' | gpusort search i
printf 'q7\tcat sat\nq8\tdog\n\ndinner' | gpusort search --parallel=3 i
printf 'cat\n(dog\n' | gpusort search i
printf 'cat\n(dog\n' | gpusort search --parallel=2 i
printf 'q1\tcat\nq2\t(dog\r\nq3\tdogs\r\n' | gpusort search --json -k 1 i
printf 'cat\n(dog\ndogs\n' | gpusort search --count i
printf '\357\273\277cat\r\ndinner\r' | gpusort search i
seq -f '(%g' 12 | gpusort search i
gpusort search i '(cat' 'dog'
gpusort search i 'cat )'
gpusort search i 'cat AND' 
gpusort search i '"cat'
gpusort search i 'é *'
gpusort search i 'cat^2'
gpusort search i 'title:cat' 'cat\^2'
gpusort search --plain --count i 'title:cat~1'
gpusort search plain '"cat sat"'
gpusort search t 'x y'
gpusort search t '"two words"' 'two words'
gpusort search --json t 'x'
gpusort search --b=0 t y
gpusort search --b=0.5 t y
gpusort search
gpusort search i --nonsense
gpusort search -k 0 i cat
gpusort search -k x i cat
gpusort search --k1=-1 i cat
gpusort search --k1=x i cat
gpusort search --b=1.5 i cat
gpusort search --trec=x --json i cat
gpusort search --trec=x --boolean i cat
gpusort search --trec=x --count i cat
gpusort search --parallel=0 i cat
gpusort search nowhere cat
gpusort search i cat >&-
gpusort search i cat >/dev/full
gpusort search i <&-
LINES
# Documents of tuples are those that a posting has, however far apart they lie.
printf 'sp\t3\nfoo\t549755813888\nsp\t7\nfoo\t7\n' |
    gpusort index build -o far --format=tuples -
try 'timeout 20 gpusort search --boolean far -- -foo -sp "NOT none" "sp OR NOT foo"'
try 'timeout 20 gpusort search --count far "NOT sp" "NOT foo AND NOT sp" "sp AND NOT foo"'
try 'timeout 20 gpusort search far "NOT foo"'
# More terms than can be open at a time, and more words than are allowed.
seq 5000 | sed 's/^/n/' | tr '\n' ' ' | sed 's/^/x\t/' >many.tsv
printf 'y\tn12 z\n' >>many.tsv
gpusort index build -o many many.tsv
try 'gpusort search --count many n*'
try 'gpusort search --count many "n* -z" "z -n*" "+n* +n2*" "NOT n*"'
try 'gpusort search many "n12* -n*" "n* z" | cut -f 1-3'
seq 5000 | tr '\n' ' ' >words
try 'gpusort search --count many - <words'
try 'gpusort search --count many n12*'
# Checksums are looked at before the first query where that is asked for.
cp -r plain bad
printf '\377' | dd of=bad/postings bs=1 seek=3 conv=notrunc status=none
try 'gpusort search --verify plain dogs'
try 'gpusort search --verify bad dogs'
# What was done is told, but not how fast it was.
try 'gpusort search -v i "cat dog" 2>&1 >/dev/null | sed "s/in [0-9.]* s.*/in so long/"'
# Many queries are answered in their order, on any number of threads; who waits for an
# answer before asking more gets it.
seq 3000 | sed 's/^/n/; s/7$/7 n7/' >queries
gpusort search --parallel=1 many <queries >one
gpusort search many <queries | cmp - one
gpusort search --parallel=5 many <queries | cmp - one
cat queries | gpusort search many | cmp - one
mapfile -t asked <queries
gpusort search many "${asked[@]}" | cmp - one
for command in 'search -k 1' 'lookup --df-only'; do
    coproc answers { gpusort $command many; }
    for word in n12 n34; do
        echo $word >&"${answers[1]}"
        read -r -t 20 -u "${answers[0]}" line && cut -f 1,2 <<<"$line"
    done
    eval "exec ${answers[1]}>&-"
    wait "$answers_PID"
done
# A header that is not what was written.
cp -r i old
sed -i 's/"version": 4/"version": 1/' old/header.json
try 'gpusort search old cat'
# One of the format before: the whole of it as it was written then.
cat >old/header.json <<'END'
{
  "format": "gpusort index", "version": 3,
  "documents": 1,
  "terms": 1,
  "postings": 1,
  "tokens": 1,
  "length_sum": 1,
  "has_positions": false,
  "has_names": true,
  "tokenizer": {"words": "unicode", "fold": true, "stem": null, "min_len": 0, "max_len": 0, "stopwords": []},
  "files": [
    {"name": "terms", "bytes": 136, "xxh3": "96763360e8977006"},
    {"name": "postings", "bytes": 17, "xxh3": "a5950f9c4c7a9188"},
    {"name": "documents", "bytes": 98, "xxh3": "5ace6256e75424af"},
    {"name": "sums", "bytes": 28, "xxh3": "aab02b2a8ed17373"}
  ],
  "header_xxh3": "9b33c144fefd95c7"
}
END
try 'gpusort search old cat'
