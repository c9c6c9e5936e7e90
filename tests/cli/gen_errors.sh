#!/bin/bash
# SPDX-License-Identifier: MIT
# Bad options, and outputs that cannot be written.
. "$GS_CLI/try.inc"
try_lines <<'LINES'
gpusort gen
gpusort gen lines
gpusort gen lines u32 -n 1
gpusort gen nonsense -n 1
gpusort gen lines -n x
gpusort gen lines -n 99999999999999999999
gpusort gen lines -n 18446744073709551615
gpusort gen lines -n 18446744073709552KB
gpusort gen lines -n 99999999999999999999x
gpusort gen lines --bytes=18446744073709551615
gpusort gen lines --bytes=16777216T
gpusort gen lines --bytes=1Q
gpusort gen lines -n 1 --dist=normal
gpusort gen docs -n 1 --format=xml
gpusort gen lines -n 1 --nonsense
gpusort gen lines -n 1 --min-len=5 --max-len=4
gpusort gen lines -n 1 --alphabet=aa
gpusort gen lines -n 1 --dist=zipf --exponent=0
gpusort gen lines -n 1 --dist=zipf --exponent=x
gpusort gen lines -n 1 --parallel=0
gpusort gen lines -n 1 -o nodir/x
gpusort gen lines -n 1 -o /dev/full
gpusort gen lines --bytes=1M > /dev/full
gpusort gen lines -n 1 >&-
LINES
echo kept >old
(ulimit -f 100; trap '' XFSZ; gpusort gen lines --bytes=1M -o old) 2>&1
echo "exit $?"
cat old
ls
