#!/bin/bash
# SPDX-License-Identifier: MIT
# --stats, --trace and --progress.
. "$GS_CLI/try.inc"
seq 100 >t
try_lines <<'X'
gpusort --stats=s.json -o o t && grep -E '"(records|input_bytes|output_records|output_bytes|runs)"' s.json
gpusort --stats -o o t 2>&1 | grep -c '"seconds"'
gpusort --trace=t.json -o o t && head -1 t.json && tail -1 t.json
gpusort --progress=never -o o t
gpusort --progress=auto -o o t
gpusort --progress=always -o o t 2>&1 | grep -c '^done  292B'
gpusort --progress -c t 2>&1 | grep -c '^done'
gpusort --stats=/dev/full -o o t
gpusort --trace=/dev/full -o o t
X
