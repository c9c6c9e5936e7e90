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
gpusort --stats --output-sum -o o t 2>&1 | grep xxh3
gpusort --stats --output-sum -r <t 2>&1 >o | grep xxh3; gpusort --stats=s.json --output-sum -r -o o t && grep xxh3 s.json
gpusort --stats --output-sum -c t 2>&1 | grep -c xxh3
gpusort --stats -o o t 2>&1 | grep -c xxh3
gpusort --output-sum -o o t
gpusort --stats=/dev/full -o o t
gpusort --trace=/dev/full -o o t
gpusort --stats=- t | sed -n '100,101p'; gpusort --stats=- t >/dev/full
gpusort --trace=- t; ls ./-
X
# The same however the bytes are written: past the page cache, or by a pipe.
gpusort gen lines --bytes=9M -o large
for how in '-o o' '-o o --no-uring -S 2M' '-o o --parallel=1'; do gpusort --stats=s.json --output-sum $how large && grep xxh3 s.json; done | uniq -c
gpusort --stats=s.json --output-sum large | cmp - o && grep xxh3 s.json
# Of this program, and not of a larger one that started it.
python3 - <<'PY'
import json, subprocess
large = bytearray(300 << 20)
subprocess.run(["gpusort", "--stats=s.json", "-o", "o", "t"], check=True, close_fds=False)
peak = json.load(open("s.json"))["peak_memory_bytes"]
print("a peak of its own" if 1 << 20 < peak < 200 << 20 else f"a peak of {peak} bytes")
PY
