#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs of --compress-program that end well and lose what they were given: GNU sort
# writes what is left, gpusort fails.
. "$GS_CLI/try.inc"
program() {
    printf '#!/bin/bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}
seq 50000 | tac >in
program swallows 'cat >/dev/null'
program short 'if [ $# = 0 ]; then cat; else head -c 1000; fi'
program long 'cat; [ $# = 0 ] || echo more'
try_lines <<'X'
sort -S 20K --compress-program=./swallows in 2>&1 | sed 's/where [0-9]*/where N/'; echo ${PIPESTATUS[0]}
sort -S 20K --compress-program=./short -o out in 2>&1 | sed 's/where [0-9]*/where N/'; echo ${PIPESTATUS[0]}
sort -S 20K --compress-program=./long -o out in 2>&1 | sed 's/[0-9]\+/N/g'; echo ${PIPESTATUS[0]}; ls out
gpusort -S 20K --compress-program=missing in -o out; tail -n 1 out
X
