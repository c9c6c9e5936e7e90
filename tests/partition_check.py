#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds `gpusort sample`, `partition` and `sort -m` together against `LC_ALL=C sort`.

Random lines, records or JSON lines lie in several files, with few keys or many. Each file is
partitioned apart at splitters of all, to files or through a stream, whole or in ranges that
are cut anywhere; its parts, one behind the
other, must be what a sort of it gives. Then parts of one number are merged, and what comes of
that must be what the reference gives of all files together. Where GNU sort does not know the
options that is `gpusort sort`, which other checks hold against what they can. A case that
fails is kept, with what it says.
"""
import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

import reference_sort

LINES = [[], ["-r"], ["-s"], ["-u"], ["-f"], ["-k1,1n"], ["-s", "-k1,1n"], ["-u", "-k1,1n"],
         ["-s", "-r", "-k1,1"], ["-k2,2r", "-k1,1n"], ["-s", "-u", "-k1,1"], ["-z"],
         ["-t", " ", "-k1,1n"], ["-s", "-k2,2V"], ["-k2,2M", "-s", "-r"]]
RECORDS = [["--record-size=7"], ["--record-size=7", "--key-bytes=2:2"],
           ["--record-size=7", "-s", "--key-bytes=2:1"], ["--record-size=7", "-r"],
           ["--record-size=7", "-u", "--key-bytes=2:3"]]
JSON = [["--jsonl-key=.n:n"], ["-s", "--jsonl-key=.n:n"], ["-u", "--jsonl-key=.n:n:r"]]


class Wrong(Exception):
    pass


def run(command, **more):
    done = subprocess.run(command, capture_output=True, **more)
    if done.returncode != 0:
        raise Wrong(f"{shlex.join(command)}: exit {done.returncode}: {done.stderr.decode('latin-1')}")
    return done.stdout


def make_text(rng, kind, count):
    if kind == "records":
        letters = rng.choice([2, 26])
        return bytes(rng.randrange(97, 97 + letters) for _ in range(7 * min(count, 5000)))
    if kind == "json":
        keys = rng.choice([1, 3, 500])
        return b"".join(b'{"n":%d,"z":%d}\n' % (rng.randrange(keys), rng.randrange(9)) for _ in range(count))
    keys, length = rng.choice([1, 2, 10, 10000]), rng.choice([2, 20])
    lines = []
    for _ in range(count):
        tail = bytes(rng.choice(b"abc ") for _ in range(rng.randrange(length)))
        long = b"L" * rng.randrange(100000) if rng.random() < 0.0005 else b""
        lines.append(b"%d %s%s" % (rng.randrange(keys), tail, long))
    return b"\n".join(lines) + (b"\n" if lines and rng.random() < 0.7 else b"")


def partition(rng, binary, order, name, parts, span=None):
    """The parts of a file, or of a range of it, as files."""
    command = [binary, "partition", "--splitters=cuts", f"--parts={parts}", *order,
               *rng.choice([[], ["-S1M"], ["--parallel=1"], ["-S2M", "--parallel=4"], ["--verify"]])]
    prefix = name + ".part"
    if span:
        command.append("--range=" + span)
        prefix += span.replace(":", "-")
    if rng.random() < 0.5:
        run(command + ["-o", prefix, name])
    else:
        stream = run(command + ["--framed", *rng.choice([[], ["--compress"]]), name])
        run([binary, "partition", "--unframe", "-o", prefix], input=stream)
    files = [f"{prefix}.{i:04}" for i in range(parts)]
    if sorted(n for n in os.listdir(".") if n.startswith(prefix + ".")) != files:
        raise Wrong(f"{shlex.join(command)}: other files than {parts} parts")
    return files


def read_all(files):
    content = b""
    for name in files:
        with open(name, "rb") as file:
            content += file.read()
    return content


def partition_ranges(rng, binary, order, name, parts):
    """The parts of ranges of a file that follow each other."""
    size = os.path.getsize(name)
    cuts = sorted(rng.randrange(size + 1) for _ in range(rng.randrange(1, 4)))
    bounds = zip(["", *map(str, cuts)], [*map(str, cuts), ""])
    return [partition(rng, binary, order, name, parts, f"{a}:{b}") for a, b in bounds]


def check_case(rng, binary, reference):
    kind = rng.choice(["lines", "lines", "records", "json"])
    order = rng.choice({"lines": LINES, "records": RECORDS, "json": JSON}[kind])
    parts = rng.choice([1, 2, 3, 7, 40])
    names = [f"in{i}" for i in range(rng.randrange(1, 5))]
    for name in names:
        text = make_text(rng, kind, rng.choice([0, 1, 3, 50, 3000, 20000]))
        with open(name, "wb") as file:
            file.write(text.replace(b"\n", b"\0") if "-z" in order else text)
    sampled = ["--numeric-sort" if option == "-n" else option for option in order if option != "-u"]
    run([binary, "sample", f"--splitters={parts}", *sampled, *names, "-o", "cuts"])
    sort = [reference, *order] if kind == "lines" else [binary, "sort", *order]
    pieces = []
    for name in names:
        if rng.random() < 0.3:
            pieces += partition_ranges(rng, binary, order, name, parts)
            continue
        pieces.append(partition(rng, binary, order, name, parts))
        if read_all(pieces[-1]) != run([*sort, name]):
            raise Wrong(f"the {parts} parts of {name}, {shlex.join(order)}")
    merged = b"".join(run([binary, "sort", "-m", *order, *(piece[i] for piece in pieces)])
                      for i in range(parts))
    if merged != run([*sort, *names]):
        raise Wrong(f"{parts} parts of all, {shlex.join(order)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GS_TEST_SEED", "1")))
    args = parser.parse_args()
    print(f"seed {args.seed}")
    os.environ["LC_ALL"] = "C"
    cases = args.cases // 2  # each is many commands
    folder = tempfile.mkdtemp(prefix="gs-parts-")
    for number in range(cases):
        place = os.path.join(folder, str(number))
        os.mkdir(place)
        os.chdir(place)
        try:
            check_case(random.Random(args.seed * 1000003 + number), args.binary, reference_sort.PROGRAM)
        except Wrong as wrong:
            print(f"FAIL case {number}, kept in {place}: {wrong}")
            sys.exit(1)
        shutil.rmtree(place)
    os.rmdir(folder)
    print(f"{cases} sorts in parts, all as they must be")


if __name__ == "__main__":
    main()
