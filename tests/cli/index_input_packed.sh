#!/bin/bash
# SPDX-License-Identifier: MIT
# Pairs whose first termID reads as the beginning of a gzip or zstd file.
. "$GS_CLI/try.inc"
printf '\037\213\010\0\002\0\0\0' >gzip.bin
printf '\050\265\057\375\001\0\0\0' >zstd.bin
try_lines <<'LINES'
gpusort index build -o i --format=tuples-bin gzip.bin
gpusort index build -o i --format=tuples-bin --no-decompress gzip.bin zstd.bin && gpusort index dump i
gpusort index import --ciff -o c gzip.bin
gpusort index import --ciff --no-decompress -o c gzip.bin
LINES
cat zstd.bin gzip.bin | gpusort index build -o j --format=tuples-bin --no-decompress - && gpusort index dump j
gzip -c gzip.bin | gpusort index build -o k --format=tuples-bin --no-decompress - 2>/dev/null
echo "exit $?"
