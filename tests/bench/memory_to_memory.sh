#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Sorts on a GPU from memory to memory, on a card whose memory is small, through pipes, of
# real text and on two GPUs, in one run, each beside what it is to be compared with. Writes
# build/bench/memory_to_memory.md, .json (each run's seconds) and the timeline of one sort,
# memory_to_memory_timeline.svg, after every row.
#
#   BENCH_ONLY=a,b        rows, by the names that BENCH_LIST=1 prints
#   BENCH_SECONDS=540     for all together; rows without time left are left out (default: no limit)
#   BENCH_RUN_SECONDS=150 for one run of one program
#   BENCH_RUNS=3          of what runs on the GPU, and of copies
#   BENCH_SLOW_RUNS=1     of the CPU engine and of GNU sort
#   BENCH_SCALE=1         what all sizes are multiplied with, those of memory too
#   BENCH_REAL_GB=2       size of each real text, but of the paths (5.8 GB, times BENCH_SCALE)
#   BENCH_GNU_SIZES=256M,4G  sizes of GNU sort's memory: it has a run with each, the best counts
#   BENCH_DATA=DIR        real text: the files `paths` and `source-lines`, in no order
#   BENCH_DIR=DIR         where inputs and outputs are, in memory (default: /dev/shm)
#   BENCH_DISK=DIR        a folder on the disk (default: build/bench)
#   BENCH_ENGINE=gpu      the engine that is measured
#   BENCH_BINARY=FILE     the program (default: build/gpusort)
#   BENCH_RESULTS=0       leaves tests/bench/RESULTS.md and README.md alone
#   BENCH_PAGE=a.json,b.json  measures nothing: the page of what runs elsewhere have found
set -eu
cd "$(dirname "$0")/../.."
exec python3 tests/bench/memory_to_memory.py "$@"
