#!/bin/bash
# SPDX-License-Identifier: MIT
# GNU sort: since 9.10
# Closed and full standard files, and SIGPIPE ignored.
. "$GS_CLI/try.inc"
make_files
try_lines <<'X'
sort <&-
sort - <&-
sort -c <&-
sort -c - <&-
sort -m <&-
sort f >&-
sort empty >&-
sort -m f >&-
sort f >/dev/full
sort -m f >/dev/full
sort -o /dev/full f
seq 20000 | sort >/dev/full
seq 20000 | sort -o /dev/full
sort --debug f >/dev/full
sort --help >/dev/full
sort --version >/dev/full
sort --help >&-
sort --version >&-
sort f 2>&-
sort -k0 2>&-
sort nofile 2>&-
trap '' PIPE; seq 300000 | sort | :; echo ${PIPESTATUS[1]}
seq 300000 | env --default-signal=PIPE sort | :; echo ${PIPESTATUS[1]}
X
