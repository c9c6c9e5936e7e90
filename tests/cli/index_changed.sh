#!/bin/bash
# SPDX-License-Identifier: MIT
# An index that is written to or cut off while it is open: an error that names the file,
# and no answer that was made of it. Replaced by another, the one that was opened answers.
make_docs() {
    awk -v "seed=$1" 'BEGIN {
        srand(seed)
        for (i = 0; i < 6000; i++) {
            printf "{\"id\": \"name%d\", \"contents\": \"every", i
            for (k = 0; k < 12; k++)
                printf " w%d", int(rand() * 1000)
            print "\"}"
        }
    }' >docs.jsonl
}
make_docs 1
gpusort index build --positions -o kept docs.jsonl
make_docs 2
gpusort index build --positions -o other docs.jsonl

is_open() { # PID FILE
    until grep -q "$2" "/proc/$1/maps" 2>/dev/null; do
        kill -0 "$1" 2>/dev/null || return
        sleep 0.01
    done
}

# Does it read its standard input, so that all is open? Where that cannot be asked, it does
# by now.
reads_input() { # PID
    local call fd
    is_open "$1" idx/postings
    for _ in $(seq 500); do
        read -r call fd _ 2>/dev/null <"/proc/$1/syscall" || { sleep 0.3 && return; }
        [ "$call $fd" = '0 0x0' ] && return
        sleep 0.01
    done
}

# The terms or queries come once the index is open, and the change has been made: in one
# write, since who has read the first one may end before there is a second.
mkfifo asked
printf 'every\nw1\n' >words
while_open() { # CHANGE COMMAND...
    local change=$1
    shift
    rm -rf idx && cp -r kept idx
    "$@" <asked >got 2>said &
    local pid=$!
    exec 7>asked
    reads_input $pid
    eval "$change"
    cat words >&7
    exec 7>&-
    wait $pid
    echo "exit $?, $(wc -l <got) lines"
    cat said
}
write_byte='printf x | dd of=idx/postings bs=1 seek=2000 conv=notrunc status=none'
for command in lookup search; do
    while_open : gpusort $command idx
    while_open 'truncate -s 0 idx/postings' gpusort $command idx
    while_open "$write_byte" gpusort $command idx
    while_open "touch -r idx/postings was; $write_byte; touch -r was idx/postings" \
        gpusort $command idx
    while_open 'echo more >>idx/terms' gpusort $command idx
    while_open 'chmod 600 idx/terms; mv idx moved; rm -r moved' gpusort $command idx
    cp got got.removed
    gpusort $command kept <words | cmp - got.removed && echo "same: $command"
done
while_open 'truncate -s 0 idx/terms' gpusort lookup --prefix idx
while_open 'truncate -s 0 idx/documents' gpusort search --count idx

# A merge that waits to say what it has opened.
mkfifo said.fifo
exec 7<>said.fifo
rm -rf idx && cp -r kept idx
blocks=$(dd if=/dev/zero of=said.fifo oflag=nonblock bs=4096 count=512 2>&1 |
    sed -n 's/+.* out$//p')
gpusort index merge -v --parallel=2 -o merged idx other 2>said.fifo &
pid=$!
is_open $pid other/postings
truncate -s 0 idx/positions
head -c $((blocks * 4096)) <&7 >/dev/null
wait $pid
echo "exit $?"
dd if=said.fifo iflag=nonblock bs=4096 2>/dev/null | grep failed
ls -d merged* 2>/dev/null
exit 0
