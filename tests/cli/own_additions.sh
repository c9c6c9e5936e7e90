#!/bin/bash
# SPDX-License-Identifier: MIT
# --header, --count, --top, compressed files; names of files from a disk that fails.
. "$GS_CLI/try.inc"
printf 'name n\nb 2\na 10\nb 2\na 9\n' >t
printf 'name n\nc 3\n' >u
try_lines <<'X'
gpusort --header t
gpusort --header=2 -k2,2n t
gpusort --header=0 t
gpusort --header=9 t
gpusort --header -r -k2,2n -o t2 t; cat t2
gpusort --header t u
gpusort --header=9 u t
gpusort --header /dev/null u
cat u | gpusort --header=9 - t
printf 'only' | gpusort --header
gpusort --header /dev/null
gpusort -c --header t
gpusort --count t
gpusort --count -r t
gpusort --count -k1,1 t
gpusort --header --count t
gpusort --top=2 t
gpusort --top=0 t
gpusort --top=9 t
gpusort --top=2 -rk2,2n t
gpusort --top=1 -u -k1,1 t
gpusort --count --top=2 t
gpusort --header --top=1 t
gzip -c t >t.gz; gpusort t.gz
gzip -c t | gpusort
gzip -c t >t.gz; gpusort t.gz u t.gz | tail -3
gzip -nc t >t.gz; gpusort --no-decompress t.gz | cmp - <(sort --no-decompress t.gz) && echo same
gpusort --sync -o s t && tail -1 s
gpusort --no-uring t | head -1
gpusort --engine=cpu t | head -1
gpusort --engine=auto t | head -1
gpusort --files0-from=/proc/self/mem
X
