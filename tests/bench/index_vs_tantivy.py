#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpusort index build against Tantivy: the same documents, fields and words.

    BENCH_GB=1            size of the input, Zipf documents as JSON lines
    BENCH_INPUT=FILE      this instead: objects with "id" and "contents"
    BENCH_RUNS=3          timed turns of each program
    BENCH_THREADS=N       of every program (default: every core)
    BENCH_MEMORY=64,256,1024   MiB: gpusort's -S, Tantivy's heap
    BENCH_POSITIONS=1     keep positions too
    BENCH_ENGINE=NAME     gpusort's --engine
    BENCH_VENV=DIR        a Python environment with tantivy
    BENCH_DIR=DIR         where inputs and indexes go (default: build/bench)

The programs take turns; before each the input is read once and dirty pages are written, so
that nobody pays for the one before. Peak memory is what the kernel says of the process.
Tantivy keeps the name of each document and merges its segments as it likes; its words are
cut and lower-cased as gpusort's are on these documents, and a sample of the terms must have
the same document frequencies in both. Writes build/bench/index.csv and index.md.
"""
import csv
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TANTIVY = """
import sys, tantivy
source, target, threads, heap, kind = sys.argv[1:]
schema = tantivy.SchemaBuilder()
schema.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
schema.add_text_field("contents", stored=False, tokenizer_name="default", index_option=kind)
index = tantivy.Index(schema.build(), path=target)
writer = index.writer(heap_size=int(heap), num_threads=int(threads))
with open(source, "rb") as lines:
    for line in lines:
        writer.add_json(line.decode())
writer.commit()
writer.wait_merging_threads()
"""

COUNTS = """
import sys, tantivy
index = tantivy.Index.open(sys.argv[1])
index.reload()
searcher = index.searcher()
for term in sys.argv[2:]:
    query = tantivy.Query.term_query(index.schema, "contents", term)
    print(term, searcher.search(query, 1, count=True).count)
"""


class Bench:
    def __init__(self):
        env = os.environ.get
        self.gigabytes = float(env("BENCH_GB", "1"))
        self.runs = int(env("BENCH_RUNS", "3"))
        self.threads = int(env("BENCH_THREADS", str(len(os.sched_getaffinity(0)))))
        self.memories = [int(m) for m in env("BENCH_MEMORY", "64,256,1024").split(",")]
        self.positions = env("BENCH_POSITIONS", "") not in ("", "0")
        self.engine = ["--engine=" + env("BENCH_ENGINE")] if env("BENCH_ENGINE") else []
        self.binary = os.path.abspath(env("BENCH_BINARY", "build/gpusort"))
        self.python = self.find_tantivy(env("BENCH_VENV", ""))
        self.results = "build/bench"
        parent = os.path.abspath(env("BENCH_DIR", self.results))
        os.makedirs(parent, exist_ok=True)
        os.makedirs(self.results, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="work-", dir=parent)
        self.input = env("BENCH_INPUT", "")
        self.documents = 0
        self.rows = []

    @staticmethod
    def find_tantivy(venv):
        python = os.path.join(venv, "bin", "python") if venv else sys.executable
        found = subprocess.run([python, "-c", "import tantivy"], stderr=subprocess.DEVNULL)
        return python if found.returncode == 0 else None

    def path(self, name):
        return os.path.join(self.folder, name)

    def prepare(self):
        if not self.input:
            self.input = self.path("docs.jsonl")
            subprocess.run([self.binary, "gen", "docs", "--bytes=%d" % int(self.gigabytes * 1e9),
                            "-o", self.input], check=True)
        with open(self.input, "rb") as file:
            self.documents = sum(1 for _ in file)

    def ours(self, method, memory):
        command = [self.binary, "index", "build", "-o", self.path("gpusort"), "--format=jsonl",
                   "--method=" + method, "-S", "%dM" % memory, "-T", self.folder,
                   "--parallel=%d" % self.threads] + self.engine
        return command + (["--positions"] if self.positions else []) + [self.input]

    def theirs(self, memory):
        return [self.python, "-c", TANTIVY, self.input, self.path("tantivy"), str(self.threads),
                str(memory << 20), "position" if self.positions else "freq"]

    def run(self, target, command):
        """Seconds and peak MiB of one run, and bytes of the index."""
        shutil.rmtree(target, ignore_errors=True)
        if target.endswith("tantivy"):
            os.mkdir(target)
        with open(self.input, "rb") as file:
            while file.read(1 << 24):
                pass
        os.sync()
        started = time.monotonic()
        child = subprocess.Popen(command)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError("failed: " + " ".join(command[:4]))
        size = sum(os.path.getsize(os.path.join(root, name))
                   for root, _, names in os.walk(target) for name in names)
        return seconds, usage.ru_maxrss / 1024, size

    def sample_terms(self):
        """Words of some documents, frequent and rare."""
        words = set()
        with open(self.input, encoding="utf-8") as file:
            for i, line in enumerate(file):
                if i % 997 == 0:
                    text = line.split('"contents": "', 1)[-1].lower()
                    words.update(w for w in text.split() if w.isascii() and w.isalnum())
                if len(words) > 300:
                    break
        return sorted(words)[::10]

    def compare(self):
        """The same document frequencies in both?"""
        terms = self.sample_terms()
        theirs = subprocess.run([self.python, "-c", COUNTS, self.path("tantivy")] + terms,
                                capture_output=True, check=True, text=True).stdout.split("\n")
        ours = subprocess.run([self.binary, "lookup", "--df-only", self.path("gpusort")] + terms,
                              capture_output=True, check=True, text=True).stdout.split("\n")
        for term, a, b in zip(terms, ours, theirs):
            if a.split("\t")[1] != b.split(" ")[1]:
                raise RuntimeError("document frequencies differ: %s, %r and %r" % (term, a, b))
        print("    %d terms have the same document frequencies" % len(terms), flush=True)

    def measure(self, memory):
        programs = {
            "gpusort spimi": (self.path("gpusort"), self.ours("spimi", memory)),
            "gpusort bsbi": (self.path("gpusort"), self.ours("bsbi", memory)),
        }
        if self.python:
            programs["Tantivy"] = (self.path("tantivy"), self.theirs(memory))
        figures = {program: [] for program in programs}
        for turn in range(self.runs):
            for program, (target, command) in programs.items():
                figures[program].append(self.run(target, command))
                print("    %4d MiB  %-14s %7.2f s  %6.0f MiB  %5.1f MB" % (
                    (memory, program) + figures[program][-1][:2] +
                    (figures[program][-1][2] / 1e6,)), flush=True)
            if turn == 0 and self.python:
                self.compare()
        for program, runs in figures.items():
            seconds = statistics.median(r[0] for r in runs)
            self.rows.append({
                "memory_mib": memory, "program": program, "seconds": "%.3f" % seconds,
                "documents_per_second": "%.0f" % (self.documents / seconds),
                "mb_per_second": "%.1f" % (os.path.getsize(self.input) / seconds / 1e6),
                "peak_mib": "%.0f" % max(r[1] for r in runs),
                "index_bytes": runs[0][2],
            })

    def machine(self):
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":")[1].strip()
        return platform.machine()

    def write(self):
        with open(os.path.join(self.results, "index.csv"), "w", newline="") as file:
            out = csv.DictWriter(file, list(self.rows[0]))
            out.writeheader()
            out.writerows(self.rows)
        with open(os.path.join(self.results, "index.md"), "w") as file:
            file.write("%d documents, %.2f GB, %d threads, %s%s; median of %d\n\n" % (
                self.documents, os.path.getsize(self.input) / 1e9, self.threads, self.machine(),
                ", with positions" if self.positions else "", self.runs))
            file.write("| memory | program | seconds | documents/s | MB/s | peak MiB | index MB |\n"
                       "|---|---|---|---|---|---|---|\n")
            for row in self.rows:
                file.write("| %d MiB | %s | %s | %s | %s | %s | %.1f |\n" % (
                    row["memory_mib"], row["program"], row["seconds"],
                    row["documents_per_second"], row["mb_per_second"], row["peak_mib"],
                    row["index_bytes"] / 1e6))

    def all(self):
        try:
            if not self.python:
                print("tantivy is not here (pip install tantivy, BENCH_VENV=DIR): gpusort alone")
            self.prepare()
            for memory in self.memories:
                self.measure(memory)
            self.write()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        with open(os.path.join(self.results, "index.md")) as file:
            print(file.read())


if __name__ == "__main__":
    Bench().all()
