#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpusort index build against Tantivy: the same documents, fields and words.

    BENCH_INDEX_GB=0.1,0.3,1   sizes of the inputs, Zipf documents as JSON lines
    BENCH_INPUT=FILE           this instead: objects with "id" and "contents"
    BENCH_MEMORY=4096,64       MiB for each program: gpusort's -S, Tantivy's heap
    BENCH_RUNS=3               timed turns of each program
    BENCH_THREADS=N            of every program (default: every core)
    BENCH_POSITIONS=1          keep positions too
    BENCH_ENGINE=gpu           gpusort alone, on CPU cores and on the GPU, of ready tuples too
    BENCH_VENV=DIR             a Python environment with tantivy (pip install tantivy)
    BENCH_DIR=DIR              where inputs and indexes go (default: build/bench)
    BENCH_RESULTS=0            leaves tests/bench/RESULTS.md and README.md alone
    BENCH_FROM=DIR             measures nothing, and shows the index.csv and index.md there

The programs take turns, and ratios are of one turn; before each run the input is read once
and dirty pages are written, so that nobody pays for the one before. Peak memory is what
the kernel says of the process. Tantivy gets the number of indexing threads that suits it
best, of one less to one more than gpusort's (a thread of its own parses the JSON), keeps no
text but the name of each document, and merges its segments as it likes; gpusort makes one
index.
Tantivy's words are cut and lower-cased as gpusort's are on these documents, and a sample of
the terms must have the same document frequencies in both.
Writes build/bench/index.csv, index.md and index.svg.
"""
import csv
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import figures
import results_page

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

SPIMI, BSBI, PEER = "gpusort", "gpusort --method=bsbi", "Tantivy"
BSBI_GPU, SPIMI_CORES = "gpusort --method=bsbi --engine=gpu", "gpusort --engine=cpu"
PEER_HEAP_MAX = 4293967294  # bytes, a thread
COLOURS = {SPIMI: "#2f855a", BSBI: "#93c5a8", BSBI_GPU: "#dd8452", SPIMI_CORES: "#4c72b0", PEER: "#9aa5b1"}


class Bench:
    def __init__(self):
        env = os.environ.get
        self.sizes = [float(s) for s in env("BENCH_INDEX_GB", "0.1,0.3,1").split(",")]
        self.runs = int(env("BENCH_RUNS", "3"))
        self.threads = int(env("BENCH_THREADS", str(len(os.sched_getaffinity(0)))))
        self.memories = [int(m) for m in env("BENCH_MEMORY", "4096,64").split(",")]
        self.has_positions = env("BENCH_POSITIONS", "") not in ("", "0")
        self.with_gpu = env("BENCH_ENGINE", "") == "gpu"
        self.binary = os.path.abspath(env("BENCH_BINARY", "build/gpusort"))
        self.python = None if self.with_gpu else self.find_tantivy(env("BENCH_VENV", ""))
        self.results = "build/bench"
        parent = os.path.abspath(env("BENCH_DIR", self.results))
        os.makedirs(parent, exist_ok=True)
        os.makedirs(self.results, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="work-", dir=parent)  # ours, so it may go at the end
        self.rows = []

    @staticmethod
    def find_tantivy(venv):
        python = os.path.join(venv, "bin", "python") if venv else sys.executable
        try:
            found = subprocess.run([python, "-c", "import tantivy"], stderr=subprocess.DEVNULL, check=False)
        except OSError:
            return None
        return python if found.returncode == 0 else None

    def path(self, name):
        return os.path.join(self.folder, name)

    # --- one run ---------------------------------------------------------------------

    def ours(self, source, memory, *options):
        kind = "tuples" if source.endswith(".tsv") else "jsonl"
        command = [self.binary, "index", "build", "-o", self.path("gpusort"), "--format=" + kind,
                   *options, "-S", "%dM" % memory, "-T", self.folder,
                   "--parallel=%d" % self.threads, "--stats=" + self.path("stats")]
        return command + (["--positions"] if self.has_positions else []) + [source]

    def theirs(self, source, memory, threads):
        heap = min(memory << 20, threads * PEER_HEAP_MAX)
        return [self.python, "-c", TANTIVY, source, self.path("tantivy"), str(threads), str(heap),
                "position" if self.has_positions else "freq"]

    def run(self, source, target, command):
        """Seconds and peak MiB of one run, and bytes of the index."""
        shutil.rmtree(target, ignore_errors=True)
        if target.endswith("tantivy"):
            os.mkdir(target)
        with open(source, "rb") as file:
            while file.read(1 << 24):
                pass
        os.sync()
        started = time.monotonic()
        child = subprocess.Popen(command)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError("failed: " + " ".join(c for c in command if "\n" not in c))
        size = sum(os.path.getsize(os.path.join(root, name))
                   for root, _, names in os.walk(target) for name in names)
        return seconds, usage.ru_maxrss / 1024, size

    def run_count(self):
        with open(self.path("stats"), encoding="ascii") as file:
            return json.load(file)["runs"]

    def best_peer_threads(self, source, memory):
        times = {}
        for threads in (max(1, self.threads - 1), self.threads, self.threads + 1):
            times[threads], _, _ = self.run(source, self.path("tantivy"), self.theirs(source, memory, threads))
            print("    Tantivy with %d indexing threads: %.2f s" % (threads, times[threads]), flush=True)
        return min(times, key=times.get)

    # --- are the indexes the same? ---------------------------------------------------

    @staticmethod
    def sample_terms(source):
        """Words of some documents, frequent and rare."""
        words = set()
        with open(source, encoding="utf-8") as file:
            for i, line in enumerate(file):
                if i % 997 == 0:
                    text = json.loads(line)["contents"].lower()
                    words.update(w for w in text.split() if w.isascii() and w.isalnum())
                if len(words) > 300:
                    break
        return sorted(words)[::10]

    def compare(self, source):
        """The same document frequencies in both?"""
        terms = self.sample_terms(source)
        theirs = subprocess.run([self.python, "-c", COUNTS, self.path("tantivy")] + terms,
                                capture_output=True, check=True, text=True).stdout.split("\n")
        ours = subprocess.run([self.binary, "lookup", "--df-only", self.path("gpusort")] + terms,
                              capture_output=True, check=True, text=True).stdout.split("\n")
        for term, a, b in zip(terms, ours, theirs):
            if a.split("\t")[1] != b.split(" ")[1]:
                raise RuntimeError("document frequencies differ: %s, %r and %r" % (term, a, b))
        print("    %d terms have the same document frequencies" % len(terms), flush=True)

    # --- one input -------------------------------------------------------------------

    def measure(self, source, title, memory):
        threads = {SPIMI: self.threads, BSBI: self.threads}
        programs = {
            SPIMI: (self.path("gpusort"), self.ours(source, memory)),
            BSBI: (self.path("gpusort"), self.ours(source, memory, "--method=bsbi")),
        }
        if self.with_gpu: # which the first of them takes then
            threads[BSBI_GPU] = threads[SPIMI_CORES] = self.threads
            programs[SPIMI_CORES] = (self.path("gpusort"), self.ours(source, memory, "--engine=cpu"))
            programs[BSBI_GPU] = (self.path("gpusort"), self.ours(source, memory, "--method=bsbi", "--engine=gpu"))
        if self.python:
            threads[PEER] = self.best_peer_threads(source, memory)
            programs[PEER] = (self.path("tantivy"), self.theirs(source, memory, threads[PEER]))
        found = {program: [] for program in programs}
        spilled = {}
        for turn in range(self.runs):
            for program, (target, command) in programs.items():
                found[program].append(self.run(source, target, command))
                if program != PEER:
                    spilled[program] = self.run_count()
                print("    %4d MiB  %-21s %7.2f s  %6.0f MiB  %6.1f MB" % (
                    (memory, program) + found[program][-1][:2] + (found[program][-1][2] / 1e6,)), flush=True)
            if turn == 0 and self.python:
                self.compare(source)
        with open(source, "rb") as file:
            documents = sum(1 for _ in file)
        for program, runs in found.items():
            seconds = statistics.median(r[0] for r in runs)
            ratios = [r[0] / o[0] for r, o in zip(runs, found[SPIMI])]
            self.rows.append({
                "input": title, "memory_mib": memory, "program": program, "threads": threads[program],
                "seconds": "%.3f" % seconds,
                "documents_per_second": "%.0f" % (documents / seconds),
                "mb_per_second": "%.1f" % (os.path.getsize(source) / seconds / 1e6),
                "peak_mib": "%.0f" % max(r[1] for r in runs),
                "index_bytes": runs[0][2],
                "runs_spilled": spilled.get(program, ""),
                "ratio": "" if program == SPIMI else "%.2f (%.2f to %.2f)" % (
                    statistics.median(ratios), min(ratios), max(ratios)),
            })

    # --- what is shown ---------------------------------------------------------------

    def machine(self):
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2 ** 30
        version = subprocess.run([self.python, "-c", "import tantivy; print(tantivy.__version__)"],
                                 capture_output=True, text=True, check=True).stdout.strip() if self.python else ""
        peer = "; %s" % version.split(",")[0] if version else ""
        return "%s, %d cores, %.0f GiB%s, Linux %s; %d threads%s; %smedian of %d runs in turn" % (
            figures.cpu_name(), len(os.sched_getaffinity(0)), memory, self.gpu(), platform.release().split("-")[0],
            self.threads, peer, "with positions; " if self.has_positions else "", self.runs)

    def gpu(self):
        if not self.with_gpu:
            return ""
        names = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                               capture_output=True, text=True, check=True).stdout.splitlines()
        return ", " + names[0]

    def table(self):
        lines = ["Measured %s on: %s." % (time.strftime("%Y-%m-%d"), self.machine()), "",
                 "| documents | memory | program | seconds | documents/s | MB/s | peak MiB | index MB | runs spilled "
                 "| gpusort is faster by (min to max) |",
                 "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|"]
        for row in self.rows:
            threads = ", %d indexing threads" % row["threads"] if row["program"] == PEER else ""
            lines.append("| %s | %d MiB | %s%s | %s | %s | %s | %s | %.1f | %s | %s |" % (
                row["input"], row["memory_mib"], row["program"], threads, row["seconds"],
                row["documents_per_second"], row["mb_per_second"], row["peak_mib"], row["index_bytes"] / 1e6, row["runs_spilled"], row["ratio"]))
        return "\n".join(lines) + "\n"

    def write(self):
        with open(os.path.join(self.results, "index.csv"), "w", newline="", encoding="ascii") as file:
            out = csv.DictWriter(file, list(self.rows[0]))
            out.writeheader()
            out.writerows(self.rows)
        with open(os.path.join(self.results, "index.md"), "w", encoding="utf-8") as file:
            file.write(self.table())
        self.show(self.results)

    def show(self, folder):
        with open(os.path.join(folder, "index.csv"), encoding="ascii") as file:
            self.rows = [dict(row, memory_mib=int(row["memory_mib"])) for row in csv.DictReader(file)]
        with open(os.path.join(folder, "index.md"), encoding="utf-8") as file:
            text = file.read()
        print("\n" + text)
        self.plot()
        name = "index-gpu" if self.with_gpu else "index"
        results_page.update(name, text, {
            self.results + "/index.svg": name.replace("-", "_") + "_build.svg"})

    def plot(self):
        """MB/s of each program for each input, a panel a memory."""
        if not shutil.which("gnuplot"):
            return
        programs = [p for p in COLOURS if any(row["program"] == p for row in self.rows)]
        titles = list(dict.fromkeys(row["input"] for row in self.rows))
        found = {(r["input"], r["memory_mib"], r["program"]): float(r["mb_per_second"]) for r in self.rows}
        panels = []
        for memory in self.memories:
            data = "%s/index-%d.dat" % (self.results, memory)
            with open(data, "w", encoding="utf-8") as file:
                for title in titles:
                    values = [found[title, memory, p] for p in programs]
                    short = title.replace(" of Zipf documents", "").replace(" of ready", "")
                    file.write('"%s" %s\n' % (short, " ".join("%.1f" % v for v in values)))
            panels.append('set title "-S %dM"\n%s' % (memory, figures.bars(data, programs, COLOURS, "%.0f")))
        script = """
set terminal svg size 900,400 font "sans-serif,13" background "white"
set output "%s/index.svg"
set multiplot layout 1,%d
set style data histograms
set style histogram clustered gap 1
set style fill solid border -1
set boxwidth 1
set grid ytics linecolor rgb "#dddddd"
set ylabel "MB/s (more is better)"
set yrange [0:%d]
set key top left reverse Left
%s
unset multiplot
""" % (self.results, len(panels), int(1.45 * max(found.values())), "\n".join(panels))
        subprocess.run(["gnuplot"], input=script, text=True, check=False)

    def all(self):
        given = os.environ.get("BENCH_INPUT", "")
        try:
            if not self.python:
                print("tantivy is not here (pip install tantivy, BENCH_VENV=DIR): gpusort alone")
            for size in [0] if given else self.sizes:
                source, title = given, os.path.basename(given)
                if not given:
                    source, title = self.path("docs.jsonl"), "%g GB of Zipf documents" % size
                    subprocess.run([self.binary, "gen", "docs", "--bytes=%d" % int(size * 1e9), "-o", source],
                                   check=True)
                print(title, flush=True)
                for memory in self.memories:
                    self.measure(source, title, memory)
                if self.with_gpu and not given:
                    os.remove(source)
                    source, title = self.path("tuples.tsv"), "%g GB of ready tuples" % size
                    subprocess.run([self.binary, "gen", "tuples", "--bytes=%d" % int(size * 1e9), "-o", source],
                                   check=True)
                    for memory in self.memories:
                        self.measure(source, title, memory)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.write()


if __name__ == "__main__":
    try:
        shown = os.environ.get("BENCH_FROM", "")
        if shown:
            Bench().show(shown)
        else:
            Bench().all()
    except (RuntimeError, subprocess.CalledProcessError) as trouble:
        sys.exit("index_vs_tantivy: %s" % trouble)
