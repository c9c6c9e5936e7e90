#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The work behind sort_vs_gnu.sh, which says what the variables mean.

Every workload: make the input, find GNU sort's best -S of three, then run the programs in
turn (A B A B ...) and compare pair by pair. Before each run its old output is removed, the
input is read once and dirty pages are written, so that nobody pays for the run before. Peak memory is what the
kernel says of the process. The outputs are compared byte by byte once.
"""
import csv
import filecmp
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time

import figures
import results_page

GNU_SIZES = ["256M", "1G", "4G"]
PEERS = {
    "DuckDB": ("duckdb", """
import duckdb, sys
source, target, threads, kind = sys.argv[1:]
c = duckdb.connect()
c.execute("SET threads = %s; SET preserve_insertion_order = false; SET enable_progress_bar = false" % threads)
if kind == "tuples":
    columns, order, mark = "{'a': 'VARCHAR', 'b': 'BIGINT'}", "a, b", "\\t"
else:
    columns, order, mark = "{'a': 'VARCHAR'}", "a", "\\x01"
c.execute("COPY (SELECT * FROM read_csv('%s', header = false, auto_detect = false, delim = '%s', quote = '', "
          "escape = '', columns = %s) ORDER BY %s) TO '%s' (FORMAT csv, HEADER false, DELIMITER '%s')"
          % (source, mark, columns, order, target, mark))
"""),
    "Polars": ("polars", """
import os, sys
source, target, threads, kind = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads
import polars as pl
if kind == "tuples":
    schema, mark = {"a": pl.String, "b": pl.Int64}, "\\t"
else:
    schema, mark = {"a": pl.String}, "\\x01"
f = pl.read_csv(source, has_header=False, separator=mark, quote_char=None, schema=schema)
f.sort(list(schema)).write_csv(target, include_header=False, separator=mark, quote_style="never")
"""),
}


class Bench:
    def __init__(self):
        env = os.environ.get
        self.gigabytes = float(env("BENCH_GB", "1"))
        self.max_gigabytes = float(env("BENCH_MAX_GB", "1"))
        self.runs = int(env("BENCH_RUNS", "3"))
        self.threads = int(env("BENCH_THREADS", str(len(os.sched_getaffinity(0)))))
        self.only = [w for w in env("BENCH_ONLY", "").split(",") if w]
        self.venv = env("BENCH_VENV", "")
        parent = os.path.abspath(env("BENCH_DIR", "build/bench"))
        self.results = "build/bench"
        self.binary = os.path.abspath(env("BENCH_BINARY", "build/gpusort"))
        self.engine = ["--engine=" + env("BENCH_ENGINE")] if env("BENCH_ENGINE") else []
        self.rows = []       # of the CSV file
        self.table = []      # (workload, program, options, seconds, peak MiB, ratio text)
        self.scaling = []    # (gigabytes, seconds, GNU's seconds or None)
        os.makedirs(parent, exist_ok=True)
        os.makedirs(self.results, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="work-", dir=parent)  # ours, so it may go at the end

    # --- one run ---------------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, workload, program, arguments, sources, target, keep_row=True):
        """Seconds and peak MiB of one run; raises if it fails."""
        if os.path.exists(target):
            os.unlink(target)
        for source in sources:
            with open(source, "rb") as f:
                while f.read(1 << 24):
                    pass
        os.sync()
        environment = dict(os.environ, LC_ALL="C", TMPDIR=self.folder)
        started = time.monotonic()
        child = subprocess.Popen(arguments, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError("%s failed: %s" % (program, " ".join(arguments)))
        peak = usage.ru_maxrss / 1024
        if keep_row:
            self.rows.append([workload, program, "%.3f" % seconds, "%.1f" % peak, sum(map(os.path.getsize, sources))])
        return seconds, peak

    def gnu(self, options, sources, target):
        return ["sort", "--parallel=%d" % self.threads, "-T", self.folder, "-o", target] + options + sources

    def ours(self, options, sources, target):
        return [self.binary, "sort", "--parallel=%d" % self.threads, "-T", self.folder, "-o", target
                ] + self.engine + options + sources

    # --- one workload ----------------------------------------------------------------

    def generate(self, name, kind, gigabytes):
        target = self.path(name)
        subprocess.run([self.binary, "gen"] + kind + ["--bytes=%d" % int(gigabytes * 1e9), "-o", target], check=True)
        return target

    def generate_sorted(self, kind, gigabytes, count):
        """As many files, each sorted, and each of other data."""
        names = []
        for i in range(count):
            name = self.generate("input%d" % i, kind + ["--seed=%d" % (i + 1)], gigabytes / count)
            subprocess.run([self.binary, "sort", "-o", name, name], check=True)
            names.append(name)
        return names

    def best_gnu_size(self, name, options, sources, target):
        times = {}
        for size in GNU_SIZES:
            times[size], _ = self.run(name, "GNU sort", self.gnu(options + ["-S", size], sources, target), sources, target,
                                      False)
            print("    GNU sort -S %s: %.2f s" % (size, times[size]), flush=True)
        return min(times, key=times.get)

    def peers(self, kind):
        found = {}
        if not self.venv or kind not in ("lines", "tuples"):
            return found
        python = os.path.join(self.venv, "bin", "python")
        for name, (module, script) in PEERS.items():
            if subprocess.run([python, "-c", "import " + module], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                found[name] = lambda source, target, script=script: [
                    python, "-c", script, source, target, str(self.threads), kind]
        return found

    def workload(self, name, title, kind, gnu_options, our_options, gnu_size=None, sorted_files=0):
        if self.only and name not in self.only:
            return
        print("%s: %g GB of %s" % (name, self.gigabytes, title), flush=True)
        sources = (self.generate_sorted(kind, self.gigabytes, sorted_files) if sorted_files else
                   [self.generate("input", kind, self.gigabytes)])
        theirs, mine, peers = self.path("gnu.out"), self.path("gpusort.out"), self.path("peer.out")
        targets = {"GNU sort": theirs, "gpusort": mine}
        size = gnu_size or self.best_gnu_size(name, gnu_options, sources, theirs)
        programs = {
            "GNU sort": self.gnu(gnu_options + ["-S", size], sources, theirs),
            "gpusort": self.ours(our_options, sources, mine),
        }
        for peer, command in self.peers(name).items():
            programs[peer] = command(sources[0], peers)
        figures = {program: [] for program in programs}
        for turn in range(self.runs):
            for program, arguments in programs.items():
                figures[program].append(self.run(name, program, arguments, sources,
                                                 targets.get(program, peers)))
                print("    %-9s %6.2f s  %6.0f MiB" % ((program,) + figures[program][-1]), flush=True)
                if program not in ("GNU sort", "gpusort"):
                    self.compare(name, program, theirs, peers, turn)
            self.compare(name, "gpusort", theirs, mine, turn)
        self.add_to_table(title, size, figures, our_options)
        for file in sources + [theirs, mine, peers]:
            if os.path.exists(file):
                os.unlink(file)

    def compare(self, name, program, expected, got, turn):
        if turn == 0 and not filecmp.cmp(expected, got, shallow=False):
            raise RuntimeError("%s: the outputs of GNU sort and %s differ" % (name, program))

    def add_to_table(self, title, size, figures, our_options):
        mine = [seconds for seconds, _ in figures["gpusort"]]
        for program, runs in figures.items():
            seconds = [s for s, _ in runs]
            ratios = [s / m for s, m in zip(seconds, mine)]
            ratio = "" if program == "gpusort" else "%.2f (%.2f to %.2f)" % (
                statistics.median(ratios), min(ratios), max(ratios))
            options = {"GNU sort": "-S " + size, "gpusort": " ".join(o for o in our_options if "S" in o or "128M" in o)}
            self.table.append((title, program, options.get(program, ""), statistics.median(seconds),
                               max(peak for _, peak in runs), ratio))

    def scale(self):
        if self.only and "scaling" not in self.only:
            return
        for gigabytes in (0.1, 0.3, 1, 3, 10):
            if gigabytes > self.max_gigabytes:
                break
            free = shutil.disk_usage(self.folder).free / 1e9
            if free < 3.2 * gigabytes + 1:
                print("scaling stops at %g GB: %.0f GB of disk are free" % (gigabytes, free))
                break
            source, target = self.generate("input", ["lines"], gigabytes), self.path("gpusort.out")
            runs = [self.run("scaling %g GB" % gigabytes, "gpusort", self.ours([], [source], target), [source],
                             target) for _ in range(self.runs)]
            seconds = statistics.median(s for s, _ in runs)
            print("scaling: %g GB in %.2f s" % (gigabytes, seconds), flush=True)
            self.scaling.append((gigabytes, seconds, max(p for _, p in runs)))
            os.unlink(source)
            os.unlink(target)

    # --- what is shown ---------------------------------------------------------------

    def machine(self):
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2 ** 30
        version = subprocess.run(["sort", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
        return "%s, %d cores, %.0f GiB, Linux %s; %s; %d threads each; median of %d runs in turn" % (
            figures.cpu_name(), len(os.sched_getaffinity(0)), memory, platform.release().split("-")[0], version, self.threads,
            self.runs)

    def write(self):
        with open(self.results + "/sort.csv", "w", newline="", encoding="ascii") as f:
            out = csv.writer(f)
            out.writerow(["workload", "program", "seconds", "peak_rss_mib", "input_bytes"])
            out.writerows(self.rows)
        lines = ["Measured %s on: %s." % (time.strftime("%Y-%m-%d"), self.machine()), ""]
        if self.table:
            lines += ["| input | program | options | seconds | MB/s | peak MiB | gpusort is faster by (min to max) |",
                      "|---|---|---|---:|---:|---:|---:|"]
            for title, program, options, seconds, peak, ratio in self.table:
                lines.append("| %g GB of %s | %s | %s | %.2f | %.0f | %.0f | %s |" % (
                    self.gigabytes, title, program, options, seconds, self.gigabytes * 1000 / seconds, peak, ratio))
        if self.scaling:
            lines += ["", "| lines, gpusort | seconds | seconds a GB | peak MiB |", "|---:|---:|---:|---:|"]
            lines += ["| %g GB | %.2f | %.2f | %.0f |" % (g, s, s / g, peak) for g, s, peak in self.scaling]
        text = "\n".join(lines) + "\n"
        with open(self.results + "/sort.md", "w", encoding="utf-8") as f:
            f.write(text)
        print("\n" + text)
        self.plot()
        results_page.update("sort", text, {self.results + "/sort.svg": "sort_vs_gnu.svg"})

    def plot(self):
        """Seconds of each program for each input, as bars."""
        if not self.table or not shutil.which("gnuplot"):
            return
        programs = [p for p in ("GNU sort", "DuckDB", "Polars", "gpusort") if any(row[1] == p for row in self.table)]
        titles = list(dict.fromkeys(row[0] for row in self.table))
        found = {(row[0], row[1]): row[3] for row in self.table}
        data = self.results + "/sort.dat"
        with open(data, "w", encoding="utf-8") as f:
            for title in titles:
                values = [found.get((title, p)) for p in programs]
                label = "\\n".join(textwrap.wrap(title, 18))
                f.write('"%s" %s\n' % (label, " ".join("%.3f" % v if v else "NaN" for v in values)))
        colours = {"GNU sort": "#9aa5b1", "DuckDB": "#e3b341", "Polars": "#6fa8dc", "gpusort": "#2f855a"}
        script = """
set terminal svg size 900,420 font "sans-serif,13" background "white"
set output "%s/sort.svg"
set style data histograms
set style histogram clustered gap 1
set style fill solid border -1
set boxwidth 1
set grid ytics linecolor rgb "#dddddd"
set ylabel "seconds (less is better)"
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set key top right
set bmargin 5
set title "%g GB each, %d threads" noenhanced
%s
""" % (self.results, self.gigabytes, self.threads, figures.bars(data, programs, colours, "%.1f"))
        subprocess.run(["gnuplot"], input=script, text=True, check=False)


def main():
    bench = Bench()
    tuples = ["-t", "\t", "-k1,1", "-k2,2n"]
    records = ["--record-size=100", "--key-bytes=0:10"]
    try:
        if not os.access(bench.binary, os.X_OK):
            raise RuntimeError("no program '%s'; run make first" % bench.binary)
        bench.workload("lines", "random lines of 10 to 50 bytes", ["lines"], [], [])
        bench.workload("tuples", "term TAB docID, -k1,1 -k2,2n", ["tuples"], tuples, tuples)
        bench.workload("records", "100-byte records by 10-byte key", ["records", "-a"], [], records)
        bench.workload("spill", "random lines, -S 128M for both", ["lines"], [], ["-S", "128M"], "128M")
        bench.workload("merge", "lines in four sorted files, -m", ["lines"], ["-m"], ["-m"], "256M", sorted_files=4)
        bench.scale()
    except (RuntimeError, subprocess.CalledProcessError) as trouble:
        sys.exit("sort_vs_gnu: %s" % trouble)
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)
    bench.write()


if __name__ == "__main__":
    main()
