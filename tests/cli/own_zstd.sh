#!/bin/bash
# SPDX-License-Identifier: MIT
# zstd in and out.
. "$GS_CLI/try.inc"
command -v zstd >/dev/null || exit 77
seq 1000 | sort -R --random-source=/dev/zero >t
try_lines <<'X'
gpusort -n --output-compress=zstd t | zstd -dc | cmp - <(seq 1000) && echo same
gpusort -n --output-compress=zstd:19 t -o o.zst && zstd -dc o.zst | cmp - <(seq 1000) && echo same
zstd -qc t >t.zst; gpusort -n t.zst | cmp - <(seq 1000) && echo same
zstd -qc t | gpusort -n | cmp - <(seq 1000) && echo same
gpusort -n --output-compress=zstd t | gpusort -nr | head -1
zstd -qc t | head -c 100 >cut.zst; gpusort cut.zst | head -0
X
