#!/bin/bash
# SPDX-License-Identifier: MIT
# GNU sort: since 9.9
# What others see of a program named sort: the name it was called by, compressed bytes
# taken as they are, FIFOs read once, and the exit code when nobody hears the message.
. "$GS_CLI/try.inc"
make_files
ln -s "$(command -v sort)" sort
mkfifo fifo
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
printf 'b\na\n' | gzip -n >packed
try_lines <<'X'
./sort -k0 f
./sort --nosuch
../in/sort -k
./sort --help | head -1
sort packed | cmp - <(cat packed; echo) && echo bytes as they are
sort -c packed && echo one line
sort -m - <packed | cmp - <(cat packed; echo) && echo bytes as they are
cat in >fifo & sort -c fifo; wait
cat in >fifo & sort fifo; wait
cat in >fifo & sort -m fifo g; wait
cat in >fifo & sort -o out fifo; wait; cat out
sort socket
sort -m f socket
sort -c socket
sort -c in 2>&-; echo $?
sort -c f 2>&-; echo $?
sort -C in 2>&-; echo $?
sort --debug f 2>/dev/full >out; echo $?; cat out
sort f 2>&-; echo $?
sort <&-
sort 0>out
sort - 0>out
sort -c 0>out
X
