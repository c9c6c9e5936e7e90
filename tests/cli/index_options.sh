#!/bin/bash
# SPDX-License-Identifier: MIT
# Options that say how the commands of an index work change nothing of what they make, and
# --verify sees what a lookup of another term does not.
. "$GS_CLI/try.inc"
gpusort gen docs -n 3000 --format=tsv >docs.tsv
gpusort index build -o one --format=tsv docs.tsv
gpusort index export --ciff=c one
head -n 1000 docs.tsv >half.tsv
gpusort index build -o half --format=tsv half.tsv
tail -n +1001 docs.tsv | head -n 999 | cut -f1 >names
gpusort index append --format=tsv --no-merge half <(tail -n +1001 docs.tsv)
# WHAT OPTION...: of the same as without them
is_same() {
    rm -rf i j
    for into in i j; do
        case $1 in
        build) gpusort index build -o $into --format=tsv "${@:2}" docs.tsv ;;
        delete) cp -r half $into && gpusort index delete "${@:2}" $into <names ;;
        compact) cp -r half $into && gpusort index compact "${@:2}" $into ;;
        reorder) gpusort index reorder -o $into "${@:2}" one ;;
        import) gpusort index import --ciff=c -o $into "${@:2}" ;;
        esac 2>"said-$into" || cat "said-$into"
        set -- "$1" # the second time without
    done
    diff -rq i j && gpusort index dump i | cmp - <(gpusort index dump j) && echo "$1"
}
is_same build --docnames
is_same build --method=bsbi -S 300K --batch-size=2
is_same build --engine=cpu --gpu-mem=1G
is_same delete -S 8M --parallel=1
is_same delete --buffer-size=8M --parallel=3
is_same compact -S 8M --parallel=1
is_same compact -S 1M --parallel=3
is_same reorder -v
is_same import -S 1M --parallel=3 -v
try_lines <<'LINES'
gpusort index build -v --method=bsbi -S 300K --batch-size=2 --format=tsv -o b docs.tsv 2>&1 | sed -n 's/[0-9]* runs/N runs/p'
gpusort index build --batch-size=1 --format=tsv -o c docs.tsv
gpusort index build --gpu-mem=x --format=tsv -o c docs.tsv
gpusort index delete -S 8M --parallel=0 half doc
gpusort index compact -S x half
gpusort index reorder -v -o r one 2>&1 | cut -d, -f1
gpusort index import --ciff=c -S 1M --parallel=x -o k
gpusort lookup --df-only one aaaai
gpusort lookup --verify -v --df-only one aaaai
LINES
# A byte in the middle of what other terms have.
printf '\377' | dd of=one/postings bs=1 seek=200000 conv=notrunc status=none
try 'gpusort lookup --df-only one aaaai'
try 'gpusort lookup --verify --df-only one aaaai'
