#!/bin/bash
# SPDX-License-Identifier: MIT
# --verify: good answers pass, whatever the options; files that are merged and were not
# sorted are told of; also behind a checkpoint.
. "$GS_CLI/try.inc"
seq 60000 | awk '{print ($1 * 7919) % 60013 % 5000 "\t" $1 % 91}' >in
split -n l/3 in part.
for p in part.a?; do LC_ALL=C sort "$p" -o "$p"; done
LC_ALL=C sort -n part.aa -o part.num

# same OPTION...: is it the same as without, and what was verified?
same() {
    LC_ALL=C sort "$@" >want 2>/dev/null || gpusort "$@" >want
    gpusort --verify --stats=stats "$@" >got && cmp want got &&
        echo "$*:$(sed -n 's/.*"verified"://p' stats)"
    gpusort --verify -S 1M "$@" | cmp want - || echo "$*: spilled"
}
same in
same -r in
same -n in
same -k2,2n -k1,1 in
same -s -k2,2 in
same -u in
same -u -k2,2 in
same -z in
same --count in
same --count -k2,2n in
same --top=100 in
same --top=100 -u -n in
same --header=3 in
head -c 70000 in >records
same --record-size=7 --key-bytes=0:4 records
same -m part.aa part.ab part.ac
same -m -u part.aa part.ab part.ac
same -m --count part.aa part.aa
same -m --batch-size=2 part.aa part.ab part.ac
for top in 1 5000 25000; do same -m --top=$top part.aa part.ab; done
same -n -m --top=100 part.num
same --record-size=7 -m --top=1 records
same --compress-program=gzip in
gpusort --stats=stats in -o got && grep verified stats
gpusort --verify --output-compress=zstd in | gpusort --verify | cmp - <(LC_ALL=C sort in)
cat in | gpusort --verify | cmp - <(LC_ALL=C sort in)
printf 'b\na' | gpusort --verify
: | gpusort --verify

# -m believes what it is told; --verify does not.
try 'gpusort -m in part.aa >/dev/null'
try 'gpusort -m --verify in part.aa >/dev/null'
try 'gpusort -m --verify -r part.aa part.ab -o out'
try 'gpusort -m --verify -n part.num part.num | wc -l'
ls out 2>&1

# A sort that goes on knows what it read before.
seq 900000 | awk '{print ($1 * 7919) % 900007}' >in
for options in --verify '--verify -u' '--verify -n'; do
    (trap '' XFSZ; ulimit -f 3500; gpusort -S 1M --checkpoint cp -o out $options in) 2>/dev/null
    echo "stopped: exit $?"
    gpusort -v -S 1M --checkpoint cp --stats=stats -o out $options in 2>log
    echo "exit $?, $(grep -c 'going on behind [1-9]' log) time behind runs,$(sed -n 's/.*"verified"://p' stats)"
done
