#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The whole sort on a machine with a GPU, file to file on the local disk, against GNU sort,
# the CPU engine and the disk itself, in one run; memory_to_memory.sh has the rows without
# the disk. Writes build/bench/end_to_end.csv, .md, .svg and the timeline of one sort,
# end_to_end_timeline.svg.
#
#   BENCH_GB=6          size of each input
#   BENCH_RUNS=3        runs of each program but GNU sort
#   BENCH_GNU_RUNS=1    of GNU sort (0: leave it out; it takes minutes)
#   BENCH_ONLY=a,b      of lines, lines-2G, tuples, tuples-2G
#   BENCH_DIR=DIR       where inputs and outputs go (default: build/bench)
#   BENCH_RESULTS=0     leaves tests/bench/RESULTS.md and README.md alone
#   BENCH_BINARY=FILE   the program (default: build/gpusort)
set -eu
cd "$(dirname "$0")/../.."
exec python3 tests/bench/end_to_end.py "$@"
