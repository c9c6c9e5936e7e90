#!/bin/bash
# SPDX-License-Identifier: MIT
# Merging indexes: what comes out, what does not go together, and that nothing is left
# when it fails.
. "$GS_CLI/try.inc"
. "$GS_CLI/peak.inc"
printf 'd0\tred green\nd1\tgreen\n' >a.tsv
printf 'd2\tgreen blue green\n' >b.tsv
: >none.tsv
printf 'x\t3\nx\t5\t2\n' >t.tuples
printf 'x\t5\ny\t0\n' >u.tuples
for name in a b none; do gpusort index build -o $name $name.tsv; done
gpusort index build -o ap --positions a.tsv
gpusort index build -o bp --positions b.tsv
gpusort index build -o as --stem=english a.tsv
for name in t u; do gpusort index build -o $name --format=tuples $name.tuples; done
cat a.tsv b.tsv >ab.tsv
gpusort index build -o ab ab.tsv
gpusort index build -o abp --positions ab.tsv
try_lines <<'LINES'
gpusort index merge -o m a b
diff -r m ab
gpusort index merge -o m b
gpusort index merge -o m --replace none a none b none && diff -r m ab
gpusort index merge -o m --replace ap bp && diff -r m abp
gpusort index merge --replace -o m none && gpusort index info m | head -n 3
gpusort index merge --replace --output=m --parallel=3 -S 1b -v a b
gpusort index merge --replace -o m m b && gpusort index dump m
gpusort index merge --replace -o m t u && gpusort index dump m
gpusort index merge --replace -o m --doc-ids=keep u t && gpusort index dump m
gpusort index merge --replace -o m --doc-ids=shift t u && gpusort index dump m
gpusort index merge --replace -o m a a && gpusort index dump m
rm -r m
gpusort index merge
gpusort index merge -o m
gpusort index merge a b
gpusort index merge -o '' a b
gpusort index merge -o m --nonsense a b
gpusort index merge -o m --doc-ids=some a b
gpusort index merge -o m --doc-ids=keep a b
gpusort index merge -o m -S 5x a b
gpusort index merge -o m a nowhere
gpusort index merge -o m a .
gpusort index merge -o nowhere/m a b
gpusort index merge -o a.tsv --replace a b
gpusort index merge -o m a bp
gpusort index merge -o m ap b
gpusort index merge -o m a as
gpusort index merge -o m a t
gpusort index merge -o m t a
gpusort index merge -o m --stats=nowhere/s a b
LINES
# Any file with a damaged byte is found by its checksum.
for file in terms postings documents header.json; do
    rm -rf c
    cp -r b c
    printf '\377' | dd of=c/$file bs=1 seek=9 conv=notrunc status=none
    try 'gpusort index merge -o m a c'
done
rm -rf c && cp -r bp c && truncate -s -1 c/positions
try 'gpusort index merge -o m ap c'
rm -rf c && cp -r b c && rm c/terms
try 'gpusort index merge -o m a c'
try 'gpusort index merge --stats -o m a b 2>&1 | grep -E "\"(method|terms|tokens|records|output_records)\""'
rm -r m
# All of them have their files open at the same time.
(ulimit -Sn 64 && gpusort index merge -o m a{,}{,}{,}{,}{,}) &&
    gpusort index info m | grep '^documents *[0-9]*$'
rm -r m
ls
# Terms of more bytes than a merge may have: where it is cut is asked of all of them.
python3 - <<'end' >long.tsv
import random
r = random.Random(1)
for i in range(3000):
    print(f"d{i}\t" + " ".join(f"{r.getrandbits(100):x}" * 80 for _ in range(25)))
end
gpusort index build -S 64M -o long long.tsv
peak 80 gpusort index merge -S 16M --parallel=2 -o m long
gpusort index info m | grep '^terms *[0-9]*$'
