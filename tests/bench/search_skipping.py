#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What skipping saves in `gpusort search`: the same queries with and without it.

    tests/bench/search_skipping.py [--binary build/gpusort] [--megabytes 1000]

Builds an index of generated documents, asks queries of two to five words, either words as
they come in the documents or with frequencies spread evenly over the magnitudes, and
prints a table of processor time (the median of three in turn), postings scored and blocks
read. The answers of both ways must be the same to the last bit.
"""
import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import tempfile

QUERIES = 1000
ROUNDS = 3


def words_of_text(rng, path):
    lines = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            lines.append(re.findall(r"\w+", json.loads(line)["contents"].lower()))
            if len(lines) == 3000:
                break
    return lambda: rng.choice(rng.choice(lines))


def words_of_every_frequency(rng, binary, index):
    out = subprocess.run([binary, "lookup", "--df-only", "--prefix", index, ""],
                         capture_output=True, text=True, check=True).stdout
    terms = [line.split("\t") for line in out.splitlines()]
    terms.sort(key=lambda fields: -int(fields[1]))
    return lambda: terms[int(len(terms) ** rng.random()) - 1][0]


def ask(binary, index, queries, options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([binary, "search", "-v", "--json"] + options + [index],
                          input=queries, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shares = re.findall(r"\(([\d.]+) %\)", done.stderr)
    return after.ru_utime - before.ru_utime, shares, done.stdout


def compare(binary, index, name, queries, mode):
    times = {"": [], "--exhaustive": []}
    answers, shares = {}, {}
    for _ in range(ROUNDS):
        for way in times:
            options = [o for o in (mode, way) if o]
            seconds, shares[way], answers[way] = ask(binary, index, queries, options)
            times[way].append(seconds)
    if answers[""] != answers["--exhaustive"]:
        raise SystemExit(f"{name}: the answers differ")
    fast = statistics.median(times[""])
    slow = statistics.median(times["--exhaustive"])
    print(f"| {name} | {mode or 'any'} | {slow / QUERIES * 1e3:.2f} | {fast / QUERIES * 1e3:.2f} "
          f"| {slow / fast:.1f} | {shares[''][0]} | {shares[''][1]} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default="build/gpusort")
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    binary = os.path.abspath(args.binary)
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory(prefix="gpusort-bench-") as folder:
        path, index = os.path.join(folder, "docs.jsonl"), os.path.join(folder, "index")
        subprocess.run([binary, "gen", "docs", f"--bytes={args.megabytes}MB", "-o", path],
                       check=True)
        subprocess.run([binary, "index", "build", "-o", index, path], check=True)
        sources = {"words as in the text": words_of_text(rng, path),
                   "words of every frequency": words_of_every_frequency(rng, binary, index)}
        print(f"{QUERIES} queries of 2 to 5 words, 10 best, {args.megabytes} MB of documents\n")
        print("| words | match | ms a query, all scored | ms, skipping | times | % of postings "
              "scored | % of blocks read |\n|---|---|---:|---:|---:|---:|---:|")
        for name, word in sources.items():
            queries = "".join(" ".join(word() for _ in range(rng.randint(2, 5))) + "\n"
                              for _ in range(QUERIES))
            for mode in "", "--all":
                compare(binary, index, name, queries, mode)


if __name__ == "__main__":
    main()
