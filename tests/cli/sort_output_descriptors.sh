#!/bin/bash
# SPDX-License-Identifier: MIT
# -o to names of descriptors, through chains of links, and over its own input by another
# name: nothing is emptied before it was read, nor by a sort that fails.
. "$GS_CLI/try.inc"
[ -e /proc/self/fd/0 ] && [ -e /dev/fd/0 ] || exit 77
mkdir work
cd work || exit
# Makes the files anew, runs a command, and shows what the files hold.
run() {
    rm -rf ../work/*
    printf 'c\na\nb\n' >f
    printf 'b\nd\n' >g
    try "$1" </dev/null
    for name in f g out missing; do
        [ -f $name ] && echo "$name: $(tr '\n' ' ' <$name)"
    done
    for name in la lb; do
        [ -L $name ] && echo "$name -> $(readlink $name)"
    done
}
shared=/dev/shm/gpusort-test-$$
if [ -d /dev/shm ] && : >$shared; then
    trap 'rm -f $shared' EXIT
    printf 'b\na\n' >$shared
    sort $shared -o $shared
    [ "$(tr '\n' ' ' <$shared)" = 'a b ' ] || echo "a file of /dev/shm was lost"
fi
while IFS= read -r line; do
    run "$line"
done <<'X'
sort f -o /dev/stdout >>f
sort f -o /dev/stdout 1<>f
sort f -o /dev/fd/3 3<>f
sort f -o /proc/self/fd/3 3>>f
sort f -o /dev/fd/3 3<>g
sort -m g f -o /dev/fd/3 3<>g
sort <f -o f
sort -m g f 1<>g
sort -m g f >>g
sort f g >>f
sort f 1<>f
ln f h; sort h -o f; cat h
ln f h; sort -m g h -o f; cat h
ln -s lb la; ln -s missing lb; sort f -o la
mkdir d e; ln -s ../e/x d/la; ln -s ../missing e/x; sort f -o d/la
ln -s /dev/stdout la; sort f -o la | cat
ln -s /dev/fd/3 la; sort f -o la 3<>g
sort missing -o /dev/stdout 1<>g
sort f missing -o /dev/fd/3 3<>g
sort -k0 f -o /dev/fd/3 3<>g
exec 3<>g; rm g; sort f -o /dev/fd/3; cat /dev/fd/3; exec 3>&-
(echo head; sort f; echo tail) >out
(echo head; sort f -o /dev/stdout; echo tail) >out
(echo head; sort f -o /dev/stdout; echo tail) >>g
(echo head; sort -m g f; echo tail) 1<>g
X
rm -rf ../work/*
# Messages of GNU sort have no second line.
for name in loop folder gone /dev/fd/x /dev/nosuch/x; do
    ln -sf loop2 loop
    ln -sf loop loop2
    ln -sfn d/ folder
    ln -sf no/where gone
    sort -o $name </dev/null 2>&1 | head -n 1
done
# More than is on its way at a time: the merge must not read what it has written.
seq -w 600000 >f
seq -w 1 2 600000 >g
sort -m f g >want
(ulimit -f 40000 && sort -m f g 1<>f)
cmp f want
