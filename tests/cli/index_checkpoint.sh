#!/bin/bash
# SPDX-License-Identifier: MIT
# --checkpoint of `index build' and `index merge': what was stopped goes on to the same
# bytes; another job is refused; in the end nothing is left.
. "$GS_CLI/try.inc"
gpusort gen -n 12000 docs -o docs
gpusort index build --positions -o whole --format jsonl docs

# Stopped by files that may not grow beyond so many KiB.
stop() {
    local kib=$1
    shift
    (trap '' XFSZ; ulimit -f "$kib"; gpusort index "$@" --checkpoint cp -o out) 2>/dev/null
    echo "stopped: exit $?, out: $(ls -d out 2>/dev/null), kept: $(ls cp | sed 's/-[0-9]*-/-N-/' |
        sort -u | tr '\n' ' ')"
}

# Goes on; how often it says that it does so behind something.
resume() {
    gpusort index "$@" -v --checkpoint cp -o out 2>log
    echo "exit $?, $(grep -cE 'behind [1-9]|[1-9] of [0-9]* parts' log) time behind what was done," \
        "$(ls -d cp 2>&1)"
    rm -f log
}

for method in spimi bsbi; do
    echo "-- $method"
    build=(build --format jsonl --positions --method $method docs)
    stop 3000 "${build[@]}" -S 2M
    try 'gpusort index build --format jsonl --checkpoint cp -o out docs'
    try 'gpusort index build --format jsonl --positions --stem english --checkpoint cp -o out docs'
    resume "${build[@]}" -S 5M --parallel 1
    diff -r whole out && rm -r out
done

echo '-- packed, malformed, several files'
(head -n 5000 docs; echo bad) | gzip >a.gz
tail -n +5001 docs >b
many=(build --format jsonl --positions --skip-bad a.gz b)
stop 3000 "${many[@]}" -S 2M
resume "${many[@]}" -S 2M
diff -r whole out && rm -r out

echo '-- tuples'
gpusort gen -n 400000 tuples -o tuples
gpusort index build --format tuples -o all tuples
stop 1500 build --format tuples tuples -S 2M
resume build --format tuples tuples -S 2M
diff -r all out && rm -r out

echo '-- damaged names of documents'
stop 3000 build --format jsonl --positions docs -S 2M
python3 - <<'END'
with open('cp/gpusort-documents', 'r+b') as f:
    f.seek(10)
    f.write(b'!')
END
try 'gpusort index build --format jsonl --positions docs --checkpoint cp -o out'
rm -r cp

echo '-- merge'
for i in 1 2 3; do
    sed -n "$((i * 4000 - 3999)),$((i * 4000))p" docs >part
    gpusort index build --format jsonl --positions -o m$i part
done
stop 1000 merge m1 m2 m3
resume merge m1 m2 m3
diff -r whole out && rm -r out
stop 1000 merge m1 m2 m3
try 'gpusort index merge --checkpoint cp -o out m1 m3 m2 2>&1 | sed "s/sum [0-9a-f]*/sum N/g"'
try 'gpusort index merge --checkpoint cp2 --replace -o m1 m1 m2'
try 'cat docs | gpusort index build --checkpoint cp2 -o out'
try 'gpusort index merge --checkpoint cp2 -o m1 m2 m3; ls cp2'
