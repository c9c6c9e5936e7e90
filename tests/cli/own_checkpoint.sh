#!/bin/bash
# SPDX-License-Identifier: MIT
# --checkpoint: a sort that was stopped goes on; another one, or of inputs that have changed,
# is refused and the difference named; in the end nothing is left.
. "$GS_CLI/try.inc"
seq 900000 | awk '{print ($1 * 7919) % 900007 "-" $1 % 91}' >in
LC_ALL=C sort -n in >numbers
LC_ALL=C sort in >bytes

# Stopped by a file that may not grow any more, when some runs are there.
stop() {
    (trap '' XFSZ; ulimit -f 3500; gpusort -S 1M --checkpoint cp -o out "$@") 2>/dev/null
    echo "stopped: exit $?, kept: $(ls cp | tr '\n' ' ')"
}

# How many runs it went on behind, in words.
resume() {
    gpusort -v -S 1M --checkpoint cp -o out "$@" 2>log
    echo "exit $?, $(grep -c 'going on behind [1-9]' log) time behind runs, $(ls -d cp 2>&1)"
}

stop in
try 'gpusort -n --checkpoint cp -o out in'
try 'gpusort -k1,1 --checkpoint cp -o out in'
try 'gpusort --checkpoint cp -o out in in'
try 'gpusort --checkpoint cp -o out ./in'
ls out 2>&1
resume in
cmp out bytes

stop -n in
resume -n --parallel 1 --no-uring in
cmp out numbers

# With another memory, in a folder that was there before and stays, onto a pipe.
mkdir cp
stop -u in
gpusort -S 8M -u --checkpoint cp in | cmp - bytes
ls -A cp | wc -l
rmdir cp

# A header, and a compressed file behind a plain one.
(echo head; head -n 400000 in) >one
tail -n +400001 in | gzip >two.gz
stop --header one two.gz
resume --header one two.gz
(echo head; cat bytes) | cmp - out

# Changed since.
stop in
cp -p in kept
echo 1 >>in
try 'gpusort --checkpoint cp -o out in'
cp -p kept in
try 'gpusort --checkpoint cp -o out in'
rm -r cp

# Damaged: what the journal does not hold any more is done again; a run that is damaged is
# an error.
stop kept
python3 - <<'END'
with open('cp/gpusort-journal', 'r+b') as f:
    f.seek(-40, 2)
    byte = f.read(1)
    f.seek(-40, 2)
    f.write(bytes([byte[0] ^ 1]))
END
gpusort -S 1M --checkpoint cp -o out kept 2>&1 | sed 's/[0-9]* bytes/N bytes/'
cmp out bytes
stop kept
python3 - <<'END'
with open('cp/gpusort-runs', 'r+b') as f:
    f.seek(5000)
    byte = f.read(1)
    f.seek(5000)
    f.write(bytes([byte[0] ^ 1]))
END
rm -f out
gpusort -S 1M --checkpoint cp -o out kept 2>&1 | sed 's/ at [0-9]*//'
ls out 2>&1
: >cp/gpusort-runs
gpusort -S 1M --checkpoint cp -o out kept 2>&1 | sed 's/byte [0-9]*/byte N/'
# They go first when a sort has ended, or are not there yet when it has begun.
rm cp/gpusort-runs
gpusort -S 1M --checkpoint cp -o out kept && gpusort -c out && ls cp 2>&1

try_lines <<'END'
gpusort --checkpoint cp -o kept kept
gpusort --checkpoint cp </dev/null
cat kept | gpusort --checkpoint cp
gpusort --checkpoint cp -m kept
gpusort --checkpoint cp -c kept
gpusort --checkpoint cp -R kept
gpusort --checkpoint cp --compress-program gzip kept
gpusort --checkpoint no/cp kept
gpusort --checkpoint kept kept
gpusort --checkpoint cp --checkpoint cp2 kept
END
mkdir cp
echo mine >cp/gpusort-journal
try 'gpusort --checkpoint cp kept'
cat cp/gpusort-journal

# Somebody else's, in a folder that anybody can write to.
rm cp/gpusort-journal
chmod 777 cp
: >cp/gpusort-journal
if [ "$(id -u)" = 0 ]; then
    chown 65534 cp/gpusort-journal
    try 'gpusort --checkpoint cp kept | head -n 1'
else # who is not root cannot give a file away
    printf '%s\n' '$ gpusort --checkpoint cp kept | head -n 1' \
        "gpusort: cp/gpusort-journal: it is somebody else's"
fi
