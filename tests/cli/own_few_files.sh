#!/bin/bash
# SPDX-License-Identifier: MIT
# --compress-program with few open files: its runs have no names, so each holds a
# descriptor, and they are merged before there are too many. The order is stable, equals
# are left out or counted, and too few are told.
. "$GS_CLI/try.inc"
program() {
    printf '#!/bin/bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}
program counted 'echo >>started; exec cat'
program slow 'sleep 0.0$((RANDOM % 3)); exec cat'
long_bytes=6M programs=180
[ -z "${GS_TEST_LONG:-}" ] || long_bytes=16M programs=400
gpusort gen lines --bytes=$long_bytes --seed=5 --min-len=100 --max-len=200 >long
gpusort gen lines --bytes=200K --seed=6 --max-len=20 >short
seq 20000 | gpusort -R --random-source=long | awk '{ print $1 % 500, NR }' >keyed
split -n l/3 keyed part
mkdir pieces
split -n l/80 short pieces/
for f in pieces/*; do gpusort -o $f $f; done
same() { # FILES PROGRAM ARGUMENTS...
    (ulimit -n $1 && gpusort -S 20K --compress-program=$2 "${@:3}") <keyed >got || echo "exit $?"
    gpusort "${@:3}" <keyed >want
    cmp got want && echo "$1 files: ${*:3}"
}
same 16 ./counted long
[ $(wc -l <started) -gt $programs ] || echo "only $(wc -l <started) programs were started"
same 24 ./slow short
[ -z "${GS_TEST_LONG:-}" ] || same 64 ./counted long | grep -v '^64 files: long$'
for files in 16 64; do
    same $files gzip -s -k1,1n part??
    same $files gzip -u -k1,1n --verify -
    same $files gzip -m pieces/* | sed 's/ p.* / /'
done
mkdir many
head -n 30000 long | split -l 1000 - many/
same 40 gzip -r many/* | sed 's/ many.* / /'
same 16 gzip --count -k1,1n --verify keyed
gzip -1 part??
same 16 gzip -s -k1,1n -o /dev/stdout part*
try '(ulimit -n 8 && gpusort -S 20K --compress-program=gzip -o out short 2>&1 | sed "1s/: [0-9][0-9]*/: N/")'
ls

# What merges on the way leave out as equal a witness sees, and what is to be counted stays.
for i in 1 2 3 4 5; do printf 'a\nb\nb\n' >equal$i; done
try_lines <<'X'
gpusort -m -u --verify --batch-size=2 equal?
gpusort -S 20K -u -k1,1n --verify --batch-size=2 --compress-program=gzip keyed | cksum
gpusort -m --count --top=1 --batch-size=2 equal?
X
