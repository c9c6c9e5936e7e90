#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpusort join against DuckDB, Polars, GNU sort with join(1), and two nested loops, on the
same files. 1 M x 10 K lines with 10^-4 of all pairs (equal keys) and 5 x 10^-3 (a band) are
the joins of the paper on bitonic sorting.

Programs take turns; each gets a memory limit where it has one. The outputs of all are the
same lines, which is looked at once. Writes build/bench/join.md, and the section of joins of
RESULTS.md (results_page.py).

  BENCH_LINES=3000000  lines of each side of the first join
  BENCH_RUNS=3         turns
  BENCH_MEMORY=512M    -S, and DuckDB's memory_limit
  BENCH_ONLY=a,b       workloads: some, all, near, band, equal; or large, which is for whoever has
                       some 12 GB of disk and asks for it: two files of BENCH_LARGE lines, once.
                       build/bench/join.md then has the page's rows of others too
  BENCH_LARGE=57000000 lines of each, about 2 GB
  BENCH_VENV=DIR       a Python environment with duckdb or polars
  BENCH_DIR=DIR        where inputs and outputs go (default: build/bench)
"""
import array
import multiprocessing
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import results_page

DUCKDB = """
import duckdb, sys
left, right, target, threads, memory, low, high = sys.argv[1:]
c = duckdb.connect()
c.execute("SET threads = %s; SET memory_limit = '%sB'; SET preserve_insertion_order = false" % (threads, memory))
c.execute("SET temp_directory = '%s.tmp'; SET enable_progress_bar = false" % target)
kind, near = ("BIGINT", "r.k BETWEEN l.k + (%s) AND l.k + (%s)" % (low, high)) if low else ("VARCHAR", "r.k = l.k")
read = "read_csv('%%s', header = false, delim = ',', quote = '', escape = '', columns = {'k': '%s', 'a': 'VARCHAR'})" % kind
shown = "l.k, l.a, r.k, r.a" if low else "l.k, l.a, r.a"
c.execute("COPY (SELECT %s FROM %s l JOIN %s r ON %s) TO '%s' (FORMAT csv, HEADER false, QUOTE '')"
          % (shown, read % left, read % right, near, target))
"""
POLARS = """
import os, sys
left, right, target, threads = sys.argv[1:5]
os.environ["POLARS_MAX_THREADS"] = threads
import polars as pl
def read(path, name):
    return pl.scan_csv(path, has_header=False, quote_char=None, schema={"k": pl.String, name: pl.String})
read(left, "a").join(read(right, "b"), on="k").sink_csv(target, include_header=False, quote_style="never")
"""
GNU = "sort -S {m} --parallel={t} -s -t, -k1,1 {l} >{o}.l && sort -S {m} --parallel={t} -s -t, -k1,1 {r} >{o}.r && " \
      "join -t, {o}.l {o}.r >{o} && rm {o}.l {o}.r"


LARGE = 500 << 20  # bytes of output
AT_MOST = 200  # seconds of a program in the large join


class Bench:
    def __init__(self):
        env = os.environ.get
        self.lines = int(env("BENCH_LINES", "3000000"))
        self.runs = int(env("BENCH_RUNS", "3"))
        self.memory = env("BENCH_MEMORY", "512M")
        self.only = [w for w in env("BENCH_ONLY", "").split(",") if w]
        self.python = os.path.join(env("BENCH_VENV"), "bin", "python") if env("BENCH_VENV") else sys.executable
        self.threads = str(len(os.sched_getaffinity(0)))
        parent = os.path.abspath(env("BENCH_DIR", "build/bench"))
        os.makedirs(parent, exist_ok=True)
        os.makedirs("build/bench", exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="work-", dir=parent)
        self.table = []
        self.kept = []  # rows of workloads that are not measured now

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name, count, keys):
        rng = random.Random(name)
        with open(self.path(name), "w", encoding="ascii") as f:
            f.writelines("%d,%024x\n" % (rng.randrange(keys), rng.getrandbits(96)) for _ in range(count))
        return self.path(name)

    def make_fast(self, name, count, keys):
        """The same, but other numbers of the same kind, in a third of the time."""
        rng = random.Random(name)
        with open(self.path(name), "w", encoding="ascii") as f:
            while count > 0:
                n = min(count, 100000)
                numbers = array.array("Q", rng.randbytes(8 * n))
                text = rng.randbytes(12 * n).hex()
                f.writelines(["%d,%s\n" % (k % keys, text[24 * i : 24 * i + 24]) for i, k in enumerate(numbers)])
                count -= n
        return self.path(name)

    def has(self, module):
        return subprocess.run([self.python, "-c", "import " + module], capture_output=True, check=False).returncode == 0

    def nested_loops(self):
        """Built when it is first needed; None without a compiler."""
        program = self.path("nested_join")
        if not os.path.exists(program):
            if not shutil.which("cc"):
                return None
            subprocess.run(["cc", "-O3", "-march=native", "-o", program, "tests/bench/nested_join.c"], check=True)
        return program

    def commands(self, left, right, band, has_loops):
        binary = os.path.abspath(os.environ.get("BENCH_BINARY", "build/gpusort"))
        ours = [binary, "join", "-t,", "-S", self.memory, "--output=" + self.path("gpusort")]
        out = {"gpusort": ours + (["--band=%d:%d" % band] if band else []) + [left, right]}
        low, high = band or ("", "")
        if self.has("duckdb"):
            out["DuckDB"] = [self.python, "-c", DUCKDB, left, right, self.path("DuckDB"), self.threads, self.memory,
                             str(low), str(high)]
        if has_loops and self.nested_loops():
            ends = [str(end) for end in band] if band else ["=", "="]
            out["nested loops"] = ["sh", "-c", 'exec "$@" >"$0"', self.path("nested loops"), self.nested_loops(),
                                   left, right, *ends]
        if band:
            return out
        if self.has("polars"):
            out["Polars"] = [self.python, "-c", POLARS, left, right, self.path("Polars"), self.threads]
        out["GNU sort, join"] = ["sh", "-c", GNU.format(m=self.memory, t=self.threads, l=left, r=right,
                                                        o=self.path("'GNU sort, join'"))]
        return out

    def run(self, command):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit("join_vs_others: %s: status %d" % (command[0], status))
        return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10

    def measure_once(self, title, left, right):
        """Programs that fail, or take too long, are said to, with why."""
        alive = []
        commands = self.commands(left, right, None, False)
        commands.pop("GNU sort, join")
        base = None
        for program, command in commands.items():
            begin = time.monotonic()
            with open(self.path("said"), "w+b") as said:
                process = subprocess.Popen(["timeout", str(AT_MOST), *command], stdout=subprocess.DEVNULL, stderr=said)
                _, status, usage = os.wait4(process.pid, 0)
                said.seek(0)
                why = said.read().decode(errors="replace").strip().split("\n")[-1][:100]
            seconds = time.monotonic() - begin
            cpu, peak = "%.2f" % (usage.ru_utime + usage.ru_stime), str(usage.ru_maxrss >> 10)
            if status != 0:
                why = why or ("stopped after %d s" % AT_MOST if status >> 8 == 124 else "status %d" % status)
                self.table.append((title, program, "fails after %.0f: %s" % (seconds, why.replace("|", "/")), cpu, peak, ""))
                continue
            alive.append(program)
            base = base or seconds
            ratio = "" if program == "gpusort" else "%.1f" % (seconds / base)
            self.table.append((title, program, "%.2f" % seconds, cpu, peak, ratio))
        self.check_same(alive)

    def check_same(self, programs):
        """All outputs have the same lines, or as many if there are very many."""
        is_large = os.path.getsize(self.path("gpusort")) > LARGE
        how, end = ("wc -lc <", "") if is_large else ("LC_ALL=C sort -S 1G", "| cksum")
        sums = {}
        for program in programs:
            sort = subprocess.run("%s '%s' %s" % (how, self.path(program), end), shell=True,
                                  capture_output=True, check=True)
            sums[program] = sort.stdout
        if len(set(sums.values())) != 1:
            raise SystemExit("join_vs_others: the outputs differ: %s" % sums)

    def measure(self, title, left, right, band=None, has_loops=False):
        commands = self.commands(left, right, band, has_loops)
        rows = {program: [] for program in commands}
        for _ in range(self.runs):
            for program, command in commands.items():
                if os.path.exists(self.path(program)):
                    os.unlink(self.path(program))
                rows[program].append(self.run(command))
        self.check_same(commands)
        for program, runs in rows.items():
            seconds, cpu = (statistics.median(run[i] for run in runs) for i in (0, 1))
            pairs = sorted(run[0] / ours[0] for run, ours in zip(runs, rows["gpusort"]))
            ratio = "" if program == "gpusort" else "%.1f (%.1f to %.1f)" % (statistics.median(pairs), pairs[0], pairs[-1])
            self.table.append((title, program, "%.2f" % seconds, "%.2f" % cpu, str(max(run[2] for run in runs)), ratio))

    def wants(self, name):
        return not self.only or name in self.only

    def measure_all(self):
        n = self.lines
        if self.wants("some"):
            self.measure("%g M x %g M lines, one in seven with a partner" % (n / 1e6, n / 1e6),
                         self.make("left", n, 7 * n), self.make("right", n, 7 * n))
        if self.wants("all"):
            self.measure("%g M lines, each with one of %g K" % (n / 1e6, n / 1e4),
                         self.make("many", n, n // 10), self.every(n // 10))
        if self.wants("near"):
            left, right = self.make("near", n, 10**9), self.make("nearby", n, 10**9)
            for width in (2, 20, 200):
                self.measure("%g M x %g M numbers, each near %.2g of them" % (n / 1e6, n / 1e6, (2 * width + 1) * n / 1e9),
                             left, right, (-width, width))
        if self.wants("band"):
            left, right = self.make("points", 1000000, 10**9), self.make("bands", 10000, 10**9)
            for width in (2500, 2500000):
                self.measure("1 M x 10 K numbers, each near %g of them" % (2 * width / 1e5), left, right,
                             (-width, width), has_loops=True)
        if self.wants("equal"):
            self.measure("1 M lines, each with one of 10 K", self.make("outer", 10**6, 10**4), self.every(10**4),
                         has_loops=True)

        if "large" in self.only:
            n = int(os.environ.get("BENCH_LARGE", "57000000"))
            names = ["large left", "large right"]
            with multiprocessing.Pool(2) as pool:
                left, right = pool.starmap(self.make_fast, [(name, n, 7 * n) for name in names])
            size = (os.path.getsize(left) + os.path.getsize(right)) / 2e9
            self.measure_once("2 x %.1f GB, one in seven with a partner" % size, left, right)

    def every(self, keys):
        rng = random.Random(keys)
        numbers = list(range(keys))
        rng.shuffle(numbers)
        with open(self.path("every"), "w", encoding="ascii") as f:
            f.writelines("%d,%024x\n" % (k, rng.getrandbits(96)) for k in numbers)
        return self.path("every")

    def text(self):
        lines = ["Measured %s on: %s cores, %s; -S %s and a limit as large for DuckDB; %d runs each, in turns." % (
            time.strftime("%Y-%m-%d"), self.threads, platform.machine(), self.memory, self.runs), "",
            "| what | program | s | cpu s | peak MiB | times gpusort's time |", "|---|---|--:|--:|--:|--:|"]
        measured = set(row[0] for row in self.table)
        kept = [row for row in self.kept if row[0] not in measured]
        if kept:
            lines[0] += " Rows of " + "; ".join(sorted(measured)) + "; others before."
        lines += ["| " + " | ".join(row) + " |" for row in kept + self.table]
        return "\n".join(lines) + "\n"


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    bench = Bench()
    try:
        bench.measure_all()
    finally:
        shutil.rmtree(bench.folder)
    if bench.only:
        bench.kept = results_page.rows(results_page.measured_so_far()["join"])
    with open("build/bench/join.md", "w", encoding="utf-8") as page:
        page.write(bench.text())
    print(bench.text())
    results_page.update("join", bench.text(), {})


if __name__ == "__main__":
    main()
