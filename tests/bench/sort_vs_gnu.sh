#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make bench: gpusort against GNU sort, and rust-coreutils, DuckDB and Polars where they are, on
# the same files in one run. Writes build/bench/sort.csv, sort.md and sort.svg, and its
# section of tests/bench/RESULTS.md, unless only a part was measured (BENCH_ONLY).
#
#   BENCH_GB=1          size of the inputs
#   BENCH_MAX_GB=1      the largest input of the scaling table
#   BENCH_RUNS=3        timed pairs of each workload
#   BENCH_GNU_SIZES=... -S of GNU sort and rust-coreutils, of which each has its best (256M,1G,4G)
#   BENCH_THREADS=N     of every program (default: every core)
#   BENCH_ENGINE=NAME   gpusort's --engine
#   BENCH_ONLY=a,b      workloads: lines, tuples, records, spill, merge, scaling
#   BENCH_VENV=DIR      a Python environment with duckdb or polars
#   BENCH_RUST_SORT=PROGRAM  sort of rust-coreutils (default: where Debian's package has it)
#   BENCH_DIR=DIR       where inputs and outputs go (default: build/bench)
#   BENCH_RESULTS=0     leaves tests/bench/RESULTS.md and README.md alone
set -eu
cd "$(dirname "$0")/../.."
exec python3 tests/bench/sort_vs_gnu.py "$@"
