#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every bit of what is kept, flipped in turn; of large files a sample.

    tests/flips.py --binary PROGRAM --unit test_flips [--flips N] [--resumes N] [--seed N]
                   [--json FILE]

Blocks of runs, indexes and packed inputs are flipped by test_flips, N bits of each. Here
come folders of checkpoints: a job is stopped, a bit of what it kept is flipped, and the
job goes on. Each flip must be noticed, by an error that names the folder, or make no
difference to the result, as where something is done again. A wrong result, a crash or a
hang is a failure; exit 1.
"""
import argparse
import hashlib
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import results

LIMIT_SECONDS = 120


class Checkpoint:
    """A job that was stopped: how to prepare and stop it, how it goes on, what it gives."""

    def __init__(self, name, prepare, job, stop_kib):
        self.name, self.prepare, self.job, self.stop_kib = name, prepare, job, stop_kib
        self.kept = {}
        self.answer = None

    def shell(self, folder, command):
        return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True,
                              errors="replace", timeout=LIMIT_SECONDS, check=False)

    def make(self, folder):
        """Makes the inputs and the answer, stops the job, and keeps what it has kept."""
        done = self.shell(folder, f"set -e; {self.prepare}; {self.job} -o right")
        if done.returncode != 0:
            sys.exit(f"{self.name}: cannot be prepared: {done.stderr}")
        self.answer = digest(os.path.join(folder, "right"))
        self.shell(folder, f"rm -rf right; trap '' XFSZ; ulimit -f {self.stop_kib}; "
                           f"{self.job} --checkpoint cp -o out")
        for name in sorted(os.listdir(os.path.join(folder, "cp"))):
            with open(os.path.join(folder, "cp", name), "rb") as file:
                self.kept[name] = file.read()
        if not any(len(data) > 1000 for data in self.kept.values()):
            sys.exit(f"{self.name}: nothing was kept: {list(self.kept)}")

    def groups(self):
        """Names of files of one kind, which differ by a number."""
        kinds = {}
        for name, data in self.kept.items():
            if data:
                kinds.setdefault(re.sub(r"-\d+", "-N", name), []).append(name)
        return kinds

    def resume(self, folder, flipped, bit):
        """Goes on behind a flip: "noticed", "harmless", or what is wrong."""
        kept = os.path.join(folder, "cp")
        for path in (kept, os.path.join(folder, "out")):
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.unlink(path)
        os.mkdir(kept)
        for name, data in self.kept.items():
            if name == flipped:
                data = bytearray(data)
                data[bit // 8] ^= 1 << bit % 8
            with open(os.path.join(kept, name), "wb") as file:
                file.write(data)
        try:
            done = self.shell(folder, f"{self.job} --checkpoint cp -o out")
        except subprocess.TimeoutExpired:
            return "hangs"
        if done.returncode == 0:
            return "harmless" if digest(os.path.join(folder, "out")) == self.answer else "wrong result"
        if done.returncode == 2 and "cp" in done.stderr:
            return "noticed"
        return f"exit {done.returncode}: {done.stderr.strip()[:200]}"


def digest(path):
    """Of a file, or of all files of a folder with their names."""
    names = sorted(os.listdir(path)) if os.path.isdir(path) else [""]
    sums = hashlib.sha256()
    for name in names:
        with open(os.path.join(path, name) if name else path, "rb") as file:
            sums.update(name.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return sums.hexdigest()


def checkpoints(program):
    p = shlex.quote(program)
    docs = f"{p} gen -n 3000 docs -o docs"
    return [
        Checkpoint("sort", "seq 500000 | awk '{print ($1 * 7919) % 900007}' >in",
                   f"{p} sort -S 1M in", 1600),
        Checkpoint("index build", docs,
                   f"{p} index build --format jsonl --positions -S 1M docs", 900),
        Checkpoint("index merge", f"{docs}; for i in 1 2 3; do sed -n \"$((i * 1000 - 999)),$((i * 1000))p\" "
                   f"docs >part; {p} index build --format jsonl --positions -o m$i part; done",
                   f"{p} index merge m1 m2 m3", 300),
    ]


def flip_checkpoint(job, place, flips, seed, jobs):
    """Rows of the table: one for each kind of file that is kept."""
    first = os.path.join(place, "0")
    os.mkdir(first)
    job.make(first)
    folders = [first] + [shutil.copytree(first, os.path.join(place, str(i + 1))) for i in range(jobs - 1)]
    rows, faults = [], []
    chosen = random.Random(seed)
    groups = job.groups()
    with ThreadPoolExecutor(jobs) as pool:
        for kind, names in groups.items():
            wanted = choose(chosen, [(name, 8 * len(job.kept[name])) for name in names], flips // len(groups))
            shares = [wanted[i::jobs] for i in range(jobs)]
            told = [r for part in pool.map(
                lambda pair: [(name, bit, job.resume(pair[0], name, bit)) for name, bit in pair[1]],
                zip(folders, shares)) for r in part]
            counts = {k: sum(r == k for _, _, r in told) for k in ("noticed", "harmless")}
            wrong = [t for t in told if t[2] not in counts]
            rows.append((f"checkpoint of {job.name}, {kind}", len(told), counts["noticed"],
                         counts["harmless"], len(wrong)))
            faults += [f"{job.name}, {name}, bit {bit}: {r}" for name, bit, r in wrong]
    return rows, faults


def choose(chosen, files, flips):
    """So many (name, bit), or all there are, of files one after the other."""
    every = sum(bits for _, bits in files)
    places = range(every) if every <= flips else sorted(chosen.sample(range(every), max(1, flips)))
    found, begin, at = [], 0, 0
    for place in places:
        while place >= begin + files[at][1]:
            begin += files[at][1]
            at += 1
        found.append((files[at][0], place - begin))
    return found


def flip_by_unit(unit, flips, seed, place):
    done = subprocess.run([unit, str(flips), str(seed)], cwd=place, capture_output=True, text=True, check=False)
    rows = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 4]
    faults = done.stderr.splitlines() if done.returncode != 0 else []
    if done.returncode != 0 and not faults:
        faults = [f"{unit}: exit {done.returncode}"]
    return [(row[0], *map(int, row[1:])) for row in rows], faults


def print_table(rows):
    width = max(len(row[0]) for row in rows)
    print(f"{'':{width}} {'flips':>8} {'noticed':>8} {'harmless':>8} {'wrong':>6}")
    for name, *counts in rows:
        print(f"{name:{width}} {counts[0]:8} {counts[1]:8} {counts[2]:8} {counts[3]:6}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--unit", required=True)
    parser.add_argument("--flips", type=int, default=8000, help="of each file, in one process")
    parser.add_argument("--resumes", type=int, default=400, help="of each kind of checkpoint")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", default="")
    args = parser.parse_args()
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    jobs = os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="gpusort-flips.", dir=base) as place:
        rows, faults = flip_by_unit(os.path.realpath(args.unit), args.flips, args.seed, place)
        for job in checkpoints(os.path.realpath(args.binary)) if args.resumes > 0 else []:
            folder = tempfile.mkdtemp(dir=place)
            more, bad = flip_checkpoint(job, folder, args.resumes, args.seed, jobs)
            rows, faults = rows + more, faults + bad
            shutil.rmtree(folder)
    print_table(rows)
    totals = [sum(row[i] for row in rows) for i in range(1, 5)]
    print(f"seed {args.seed}: {totals[0]} flips, {totals[1]} noticed, {totals[2]} without a difference, "
          f"{totals[3]} wrong")
    for fault in faults:
        print("FAILED:", fault)
    if args.json:
        kinds = [dict(zip(("kind", "flips", "noticed", "harmless", "wrong"), row)) for row in rows]
        results.write(args.json, "flipped bits", [sys.argv[0]] + sys.argv[1:],
                      {"seed": args.seed, "flips": totals[0], "noticed": totals[1], "harmless": totals[2],
                       "wrong": totals[3], "kinds": kinds, "failures": faults})
    return 1 if faults or totals[3] > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
