# SPDX-License-Identifier: MIT
"""How programs that sort are measured beside each other: sort_vs_gnu.py and real_vs_gnu.py
say what they sort. sort_vs_gnu.sh says what the variables mean.

Of every workload find the best -S of three for GNU sort and those like it, then run the programs
(sort_peers.py) in turn (A B A B ...) and compare pair by pair. Before each run its old output is
removed, the input is read once and dirty pages are written, so that nobody pays for the run
before. Peak memory and processor time are what the kernel says of the process. The outputs are
compared byte by byte once, those of tables by the ids of their records; another program that fails
or whose output differs is left out.
"""
import csv
import filecmp
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
import textwrap
import time
import typing

import figures
import results_page
import sort_peers

PLOT_ROW = 6  # inputs beside each other, as many as a page shows
GNU_SIZES = os.environ.get("BENCH_GNU_SIZES", "256M,1G,4G").split(",")
COLOURS = {"GNU sort": "#9aa5b1", "rust-coreutils": "#c98b6b", "DuckDB": "#e3b341", "Polars": "#6fa8dc"}


class Run(typing.NamedTuple):
    seconds: float
    cpu: float  # of all its threads
    peak: float  # MiB


class Bench:
    """Workloads of one section of RESULTS.md, which is also the name of what is left in
    build/bench."""

    def __init__(self, section):
        env = os.environ.get
        self.section = section
        self.gigabytes = float(env("BENCH_GB", "1"))
        self.max_gigabytes = float(env("BENCH_MAX_GB", "1"))
        self.runs = int(env("BENCH_RUNS", "3"))
        self.threads = int(env("BENCH_THREADS", str(len(os.sched_getaffinity(0)))))
        self.only = [w for w in env("BENCH_ONLY", "").split(",") if w]
        self.venv = env("BENCH_VENV", "")
        self.parent = os.path.abspath(env("BENCH_DIR", "build/bench"))
        self.results = "build/bench"
        self.binary = os.path.abspath(env("BENCH_BINARY", "build/gpusort"))
        self.engine = ["--engine=" + env("BENCH_ENGINE")] if env("BENCH_ENGINE") else []
        self.rows = []       # of the CSV file
        self.table = []      # (workload, program, options, bytes, [Run], times GNU's, and by CPU time)
        self.left_out = []   # (program, workload)
        self.scaling = []    # (gigabytes, seconds, peak MiB)
        os.makedirs(self.parent, exist_ok=True)
        os.makedirs(self.results, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="work-", dir=self.parent)  # ours, so it may go at the end

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def require_program(self):
        if not os.access(self.binary, os.X_OK):
            raise RuntimeError("no program '%s'; run make first" % self.binary)

    # --- one run ---------------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, workload, program, arguments, sources, target, keep_row=True):
        """One run of a program; raises if it fails."""
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
        run = Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
        if keep_row:
            self.rows.append([workload, program, "%.3f" % run.seconds, "%.3f" % run.cpu, "%.1f" % run.peak,
                              sum(map(os.path.getsize, sources))])
        return run

    def like_gnu(self, program, size, options, sources, target):
        return [program, "--parallel=%d" % self.threads, "-T", self.folder, "-S", size, "-o", target] + options + sources

    def ours(self, options, sources, target):
        return [self.binary, "sort", "--parallel=%d" % self.threads, "-T", self.folder, "-o", target
                ] + self.engine + options + sources

    # --- one workload ----------------------------------------------------------------

    def is_wanted(self, name):
        return not self.only or name in self.only

    def best_size(self, name, peer, program, options, sources, target):
        times = {}
        for size in GNU_SIZES if len(GNU_SIZES) > 1 else []:
            try:
                run = self.run(name, peer, self.like_gnu(program, size, options, sources, target), sources, target, False)
            except RuntimeError:
                continue
            times[size] = run.seconds
            print("    %s -S %s: %.2f s" % (peer, size, times[size]), flush=True)
        return min(times, key=times.get, default=GNU_SIZES[0])

    def programs(self, name, sources, options, our_options, memory, peers_of, has_gnu, with_copy):
        """What runs in turn, gpusort behind those like GNU sort: (program, command, target, options shown)."""
        found = []
        small = ["-S", "%dM" % memory] if memory else []
        for peer, program in sort_peers.like_gnu().items() if has_gnu else []:
            target = self.path("gnu.out" if peer == "GNU sort" else "peer.out")
            size = small[1] if memory else self.best_size(name, peer, program, options, sources, target)
            found.append((peer, self.like_gnu(program, size, options, sources, target), target, "-S " + size))
        target = self.path("gpusort.out")
        mine = small + (options if our_options is None else our_options)
        found.append(("gpusort", self.ours(mine, sources, target), target, " ".join(small)))
        target = self.path("peer.out")
        for peer, command in sort_peers.in_python(self.venv, peers_of, self.threads, memory).items():
            found.append((peer, command(sources[0], target), target, "%d MiB" % memory if memory else ""))
        if with_copy:
            found.append(("cp", ["cp", sources[0], target], target, ""))
        return found

    def workload(self, name, title, sources, options, our_options=None, memory=0, peers_of=None, has_gnu=True,
                 with_copy=False):
        """`our_options`: those of gpusort, if they are not GNU sort's; `memory`: MiB that each program has,
        if it is little; `peers_of`: kind of data that other programs can sort too; `with_copy`: how long cp
        takes is told."""
        print("%s: %s" % (name, title), flush=True)
        programs = self.programs(name, sources, options, our_options, memory, peers_of, has_gnu, with_copy)
        (expected, _, expected_file, _) = programs[0]
        figures_of = {program: [] for program, *_ in programs}
        for turn in range(self.runs):
            for program, arguments, target, _ in programs:
                if program not in figures_of:
                    continue
                try:
                    run = self.run(name, program, arguments, sources, target)
                    if turn == 0 and program not in (expected, "cp") and not is_same(expected_file, target, peers_of):
                        raise RuntimeError("%s: what %s wrote differs" % (name, program))
                except RuntimeError as trouble:
                    if program in (expected, "gpusort", "cp"):
                        raise
                    print("    left out: " + str(trouble).splitlines()[0], flush=True)
                    self.left_out.append((program, title))
                    del figures_of[program]
                    continue
                figures_of[program].append(run)
                print("    %-14s %6.2f s  %6.2f cpu s  %6.0f MiB" % (program, *run), flush=True)
        shown = {program: options for program, _, _, options in programs}
        self.add_to_table(title, shown, sum(map(os.path.getsize, sources)), figures_of)
        for file in {target for _, _, target, _ in programs}:
            if os.path.exists(file):
                os.unlink(file)

    def add_to_table(self, title, options, size, figures_of):
        mine = figures_of["gpusort"]
        for program, runs in figures_of.items():
            ratios = [[getattr(r, what) / getattr(m, what) for r, m in zip(runs, mine)] for what in ("seconds", "cpu")]
            texts = ["" if program == "gpusort" else "%.2f (%.2f to %.2f)" % (statistics.median(r), min(r), max(r))
                     for r in ratios]
            self.table.append((title, program, options.get(program, ""), size, runs, *texts))

    # --- what is shown ---------------------------------------------------------------

    def machine(self):
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2 ** 30
        version = subprocess.run(["sort", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
        return "%s, %d cores, %.0f GiB, Linux %s; %s; %d threads each; median of %d runs in turn" % (
            figures.cpu_name(), len(os.sched_getaffinity(0)), memory, platform.release().split("-")[0], version, self.threads,
            self.runs)

    def table_lines(self):
        lines = ["| input | program | options | seconds | MB/s | peak MiB | gpusort is faster by (min to max) | and by CPU time |",
                 "|---|---|---|---:|---:|---:|---:|---:|"]
        for title, program, options, size, runs, ratio, cpu_ratio in self.table:
            seconds = statistics.median(r.seconds for r in runs)
            lines.append("| %.3g GB of %s | %s | %s | %.2f | %.0f | %.0f | %s | %s |" % (
                size / 1e9, title, program, options, seconds, size / 1e6 / seconds, max(r.peak for r in runs), ratio,
                cpu_ratio))
        return lines

    def write(self):
        with open("%s/%s.csv" % (self.results, self.section), "w", newline="", encoding="ascii") as f:
            out = csv.writer(f)
            out.writerow(["workload", "program", "seconds", "cpu_seconds", "peak_rss_mib", "input_bytes"])
            out.writerows(self.rows)
        lines = ["Measured %s on: %s." % (time.strftime("%Y-%m-%d"), self.machine()), ""]
        if self.table:
            lines += self.table_lines()
        if self.left_out:
            lines += ["", "Failed, or wrote something else: %s." % "; ".join("%s (%s)" % pair for pair in self.left_out)]
        if self.scaling:
            lines += ["", "| lines, gpusort | seconds | seconds a GB | peak MiB |", "|---:|---:|---:|---:|"]
            lines += ["| %g GB | %.2f | %.2f | %.0f |" % (g, s, s / g, peak) for g, s, peak in self.scaling]
        text = "\n".join(lines) + "\n"
        with open("%s/%s.md" % (self.results, self.section), "w", encoding="utf-8") as f:
            f.write(text)
        print("\n" + text)
        picture = "%s/%s.svg" % (self.results, self.section)
        self.plot(picture)
        results_page.update(self.section, text, {picture: self.section.replace("-", "_") + "_vs_gnu.svg"})

    def plot(self, picture):
        """How many times gpusort's time each of the others takes for each input, as bars."""
        if not self.table or not shutil.which("gnuplot"):
            return
        programs = [p for p in COLOURS if any(row[1] == p for row in self.table)]
        titles = list(dict.fromkeys(row[0] for row in self.table))
        found = {(row[0], row[1]): float(row[5].split()[0]) for row in self.table if row[5]}
        rows = -(-len(titles) // PLOT_ROW)
        width = -(-len(titles) // rows)
        panels = []
        for row in range(rows):
            data = "%s/%s-%d.dat" % (self.results, self.section, row)
            shown = titles[row * width:(row + 1) * width]
            there = [p for p in programs if any((title, p) in found for title in shown)]
            with open(data, "w", encoding="utf-8") as f:
                for title in shown:
                    values = [found.get((title, p)) for p in there]
                    label = "\\n".join(textwrap.wrap(title, 14))
                    f.write('"%s" %s\n' % (label, " ".join("%.3f" % v if v else "NaN" for v in values)))
            panels.append(figures.bars(data, there, COLOURS, "%.1f") + "\nunset key")
        script = """
set terminal svg size %d,%d font "sans-serif,13" background "white"
set output "%s"
set multiplot layout %d,1 title "times as long as gpusort takes, which is the green line; %d threads"
set style data histograms
set style histogram clustered gap 1
set style fill solid border -1
set boxwidth 1
set grid ytics linecolor rgb "#dddddd"
set yrange [0:%g]
set key top left horizontal
set bmargin 5.5
set arrow from graph 0, first 1 to graph 1, first 1 nohead linewidth 2 linecolor rgb "#2f855a"
%s
unset multiplot
""" % (max(700, 36 * (len(programs) + 1) * width), 40 + 290 * rows, picture, rows, self.threads, 1.25 * max(found.values()), "\n".join(panels))
        subprocess.run(["gnuplot"], input=script, text=True, check=False)


def is_same(expected, got, kind):
    """Are both files what sorting such data gives?"""
    if kind == "table":
        return ids_of(expected) == ids_of(got)
    return filecmp.cmp(expected, got, shallow=False)


def ids_of(path):
    """The first column of a table."""
    with open(path, newline="", encoding="utf-8") as f:
        return [row[0] for row in csv.reader(f)]
