#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python package beside numpy, Polars, pyarrow and Python's own sort: what is in memory as
a program in Python has it, sorted as it would write it; and a file of lines.

Programs take turns in one process; what each gets is made anew before its turn, and is not
timed. The results of all are compared once. Writes build/bench/python.md, and the section of
RESULTS.md (results_page.py). Needs `make wheel`.

  BENCH_VENV=DIR        a Python environment with cffi, numpy and what is there of polars, pyarrow
  BENCH_NUMBERS=100000000   numbers
  BENCH_STRINGS=10000000    strings: random ones of 10 to 50 bytes, and paths
  BENCH_RUNS=5          turns
  BENCH_ONLY=a,b        workloads: u8, i8, f8, u4 (numbers of numpy); list, numpy, arrow, polars,
                        file: all or those of random strings (list-random) or paths (list-paths)
  BENCH_DATA=DIR        where paths are kept (default: build/bench/real, see real_inputs.py)
  BENCH_DIR=DIR         where files go (default: build/bench)
"""
import importlib
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import results_page
from real_inputs import RealInputs

TYPES = ("u8", "i8", "f8", "u4")


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Bench:
    def __init__(self):
        env = os.environ.get
        self.runs = int(env("BENCH_RUNS", "5"))
        self.numbers, self.strings = int(env("BENCH_NUMBERS", "100000000")), int(env("BENCH_STRINGS", "10000000"))
        self.only = [w for w in env("BENCH_ONLY", "").split(",") if w]
        parent = os.path.abspath(env("BENCH_DIR", "build/bench"))
        os.makedirs(parent, exist_ok=True)
        os.makedirs("build/bench", exist_ok=True)
        self.real = RealInputs(env("BENCH_DATA", os.path.join(parent, "real")))
        self.folder = tempfile.mkdtemp(prefix="work-", dir=parent)
        self.threads = len(os.sched_getaffinity(0))
        self.table = []

    def measure(self, title, programs, make, as_list=list):
        """`programs`: what each does with what make() gives it. The first is ours."""
        runs = {name: [] for name in programs}
        results = {}
        for turn in range(self.runs):
            for name, work in programs.items():
                given = make()
                begin, cpu = time.perf_counter(), time.process_time()
                result = work(given)
                runs[name].append((time.perf_counter() - begin, time.process_time() - cpu))
                if turn == 0:
                    results[name] = hash(tuple(as_list(result)))
                del given, result
        if len(set(results.values())) != 1:
            raise SystemExit("python_vs_others: %s: the results differ: %s" % (title, results))
        ours = runs["gpusort"]
        for name, measured in runs.items():
            seconds, cpu = (statistics.median(run[i] for run in measured) for i in (0, 1))
            ratios = ""
            if name != "gpusort":
                ratios = [sorted(a[i] / b[i] for a, b in zip(measured, ours)) for i in (0, 1)]
                ratios = ["%.2f (%.2f to %.2f)" % (statistics.median(r), r[0], r[-1]) for r in ratios]
            self.table.append((title, name, "%.2f" % seconds, "%.2f" % cpu, *(ratios or ("", ""))))
            print(*self.table[-1], sep=" | ", flush=True)

    def wants(self, name):
        return not self.only or name in self.only or name.partition("-")[0] in self.only

    # --- what is sorted

    def random_lines(self):
        """Of 10 to 50 bytes."""
        path = os.path.join(self.folder, "random")
        if not os.path.exists(path):
            gpusort.generate("lines", path, records=self.strings, seed=1)
        return path

    def lines_of(self, path):
        """The first ones, made as many as are asked for by taking them again."""
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = [line for line, _ in zip(file, range(self.strings))]
        text = [line.rstrip("\n").encode("utf-8", "surrogateescape").decode("latin-1") for line in text]
        while len(text) < self.strings:
            text += text[: self.strings - len(text)]
        return text

    def measure_numbers(self):
        random = numpy.random.default_rng(1)
        for kind in filter(self.wants, TYPES):
            if kind[0] == "f":
                numbers = random.standard_normal(self.numbers)
            else:
                info = numpy.iinfo(kind)
                numbers = random.integers(info.min, info.max, self.numbers, dtype=kind, endpoint=True)
            programs = {"gpusort": gpusort.sort, "numpy": lambda a: a.sort() or a}
            if polars:
                programs["Polars"] = lambda a: polars.Series(a).sort().to_numpy()
            self.measure("%g M %s in numpy" % (self.numbers / 1e6, numpy.dtype(kind).name), programs, numbers.copy,
                         lambda a: [a.tobytes()])

    def measure_strings(self, kind, what, text):
        what = "%g M %s" % (len(text) / 1e6, what)
        if self.wants("list-" + kind):
            programs = {"gpusort": gpusort.sort_strings, "Python": sorted}
            if polars:
                programs["Polars"] = lambda s: polars.Series(s).sort().to_list()
            self.measure(what + ", list of str", programs, lambda: text)
        if self.wants("numpy-" + kind):
            array = numpy.array([s.encode("latin-1") for s in text])
            programs = {"gpusort": gpusort.sort, "numpy": lambda a: a.sort() or a}
            self.measure(what + ", numpy S", programs, array.copy, lambda a: [a.tobytes()])
            del array
        if pyarrow and self.wants("arrow-" + kind):
            array = pyarrow.array(text, type=pyarrow.large_string())
            programs = {"gpusort": gpusort.sort_strings,
                        "pyarrow": lambda a: a.take(pyarrow.compute.array_sort_indices(a))}
            if polars:
                programs["Polars"] = lambda a: polars.Series(a).sort().to_arrow()
            self.measure(what + ", pyarrow", programs, lambda: array, lambda a: a.to_pylist())
            del array
        if polars and self.wants("polars-" + kind):
            series = polars.Series(text)
            programs = {"gpusort": gpusort.sort_strings, "Polars": lambda s: s.sort()}
            self.measure(what + ", Polars", programs, lambda: series, lambda s: s.to_list())

    def measure_file(self, what, source):
        out = os.path.join(self.folder, "out")

        def by_gpusort(path):
            gpusort.sort(path, out)
            return out

        def by_polars(path):
            read = polars.scan_csv(path, has_header=False, quote_char=None, separator="\x01", schema={"line": polars.String},
                                   encoding="utf8-lossy")
            read.sort("line").sink_csv(out, include_header=False, quote_style="never")
            return out

        programs = {"gpusort": by_gpusort, "Polars": by_polars}
        self.measure("%.3g GB of %s, file" % (os.path.getsize(source) / 1e9, what), programs, lambda: source,
                     lambda path: [Path(path).read_bytes()])

    def measure_all(self):
        self.measure_numbers()
        for kind, what, path in (("random", "random strings", self.random_lines),
                                 ("paths", "paths of Debian's files", self.real.paths)):
            if any(self.wants("%s-%s" % (form, kind)) for form in ("list", "numpy", "arrow", "polars")):
                self.measure_strings(kind, what, self.lines_of(path()))
            if polars and self.wants("file-" + kind):
                self.measure_file(what, path())

    def text(self):
        versions = ["Python " + platform.python_version()]
        versions += ["%s %s" % (m.__name__, m.__version__) for m in (numpy, polars, pyarrow) if m]
        lines = ["Measured %s on: %d cores, %s; %s; %d runs each, in turns." % (
            time.strftime("%Y-%m-%d"), self.threads, platform.machine(), ", ".join(versions), self.runs), "",
            "| what | program | s | cpu s | times gpusort's time | times its cpu time |", "|---|---|--:|--:|--:|--:|"]
        lines += ["| " + " | ".join(row) + " |" for row in self.table]
        return "\n".join(lines) + "\n"


def main():
    bench = Bench()
    try:
        bench.measure_all()
    finally:
        shutil.rmtree(bench.folder)
    with open("build/bench/python.md", "w", encoding="utf-8") as page:
        page.write(bench.text())
    print(bench.text())
    results_page.update("python", bench.text(), {})


if __name__ == "__main__":
    python = os.path.join(os.environ.get("BENCH_VENV", ""), "bin", "python")
    here = os.path.abspath(__file__)
    if os.environ.get("BENCH_VENV") and sys.prefix != os.path.abspath(os.environ["BENCH_VENV"]):
        os.execv(python, [python, here, *sys.argv[1:]])
    os.chdir(os.path.join(os.path.dirname(here), "..", ".."))
    with tempfile.TemporaryDirectory() as package:
        zipfile.ZipFile(next(Path("build/wheel").glob("*.whl"))).extractall(package)
        sys.path.insert(0, package)
        import gpusort
        import numpy
        polars, pyarrow = optional("polars"), optional("pyarrow")
        if pyarrow:
            import pyarrow.compute
        main()
