#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# make codec-bench: the codes that posting lists could have, on Zipf documents and on the
# texts of corpus/: bytes a posting, and how fast they are written and read
# (tests/bench/posting_codec.c). StreamVByte takes part if libstreamvbyte-dev is there.
#
#   BENCH_GB=1      size of the Zipf documents
#   BENCH_DIR=DIR   where they go for the time being (default: build/bench)
set -eu
cd "$(dirname "$0")/../.."
[ $# -eq 1 ] || { echo "usage: tests/bench/posting_codec.sh PROGRAM" >&2; exit 2; }
program=$1
parent=${BENCH_DIR:-build/bench}
mkdir -p "$parent"
folder=$(mktemp -d "$parent/codec-XXXXXX")
trap 'rm -rf "$folder"' EXIT

measure() {
    local title=$1
    shift
    build/gpusort index build --format=jsonl --replace -o "$folder/index" "$@"
    printf '%s\n\n' "$title"
    "$program" "$folder/index"
    echo
}

bytes=$(awk -v gb="${BENCH_GB:-1}" 'BEGIN { printf "%.0f", gb * 1e9 }')
build/gpusort gen docs --bytes="$bytes" -o "$folder/docs.jsonl"
measure "Zipf documents, ${BENCH_GB:-1} GB" "$folder/docs.jsonl"
corpus/fetch.sh "$folder/texts" >&2
measure 'The texts of corpus/' "$folder"/texts/*.jsonl
