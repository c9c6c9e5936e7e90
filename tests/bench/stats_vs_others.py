#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpusort stats beside what a user would pick instead: DataSketches, DDSketch, DuckDB, and
sort with uniq; and by the error that is asked for, with sorting's share of the work.

Programs take turns on the same files, of which the first time is not counted; how far an
answer is off, as a share of all values, is found from the exact ones. DataSketches gets the
same error, and arrays; frequent_items and DDSketch, which take values one by one, get a
twentieth of them, and DDSketch's error is a share of the value, not of the rank. Real values
are those of this machine: the folders of the files of its packages, and the sizes of its
files, as often as it takes. Writes build/bench/stats.md and stats.svg, and the section of
streams of RESULTS.md (results_page.py).

  BENCH_VALUES=20000000  of each stream; a fifth as many of text
  BENCH_RUNS=5           turns
  BENCH_EPS=0.001        the error
  BENCH_VENV=DIR         a Python environment with datasketches, ddsketch, numpy, duckdb:
                         this is started again with it; what is not there is left out
  BENCH_BINARY=FILE      (default: build/gpusort)
"""
import collections
import csv
import glob
import math
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import results_page

PHIS = [0.5, 0.9, 0.99]
PART = 20  # values that go one by one are a part of all
COLOURS = {"gpusort": "#2f855a", "DataSketches": "#6fa8dc", "DDSketch": "#b08bd0", "DuckDB": "#e3b341",
           "sort": "#9aa5b1", "sort, uniq": "#9aa5b1"}


def optional(module):
    try:
        return __import__(module)
    except ImportError:
        print("left out:", module)
        return None


class Exact:
    """What is true of a stream, to say how far an answer is off."""

    def __init__(self, values):
        self.counts = collections.Counter(values)
        self.n = sum(self.counts.values())
        self.ends, before = {}, 0
        for value in sorted(self.counts):
            before += self.counts[value]
            self.ends[value] = before
        self.values = sorted(self.counts)

    def ranks_off(self, answers):
        import bisect
        most = 0
        for phi, value in zip(PHIS, answers):
            at = bisect.bisect_right(self.values, value)
            high = self.ends[self.values[at - 1]] if at > 0 else 0
            there = at > 0 and self.values[at - 1] == value
            low = high - self.counts[value] + 1 if there else high
            rank = math.ceil(phi * self.n)
            most = max(most, rank - high, low - rank)
        return most / self.n

    def counts_off(self, answers):
        return max(abs(self.counts[value] - count) for value, count in answers) / self.n


def cpu_seconds():
    """Of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def spread(pairs):
    return "%.1f (%.1f to %.1f)" % (statistics.median(pairs), min(pairs), max(pairs))


class Bench:
    def __init__(self):
        env = os.environ.get
        self.values = int(env("BENCH_VALUES", "20000000"))
        self.runs = int(env("BENCH_RUNS", "5"))
        self.eps = float(env("BENCH_EPS", "0.001"))
        self.binary = os.path.abspath(env("BENCH_BINARY", "build/gpusort"))
        self.threads = str(len(os.sched_getaffinity(0)))
        os.makedirs("build/bench", exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="work-", dir="build/bench")
        self.table = []
        self.errors = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def stats(self, *words):
        done = subprocess.run([self.binary, "stats", *words], check=True, capture_output=True, text=True)
        return [line.rsplit("\t", 1) for line in done.stdout.splitlines()]

    def quantiles(self, *words):
        return lambda: [float(value) for _, value in
                        self.stats("quantile", "--phi=%s" % ",".join(map(str, PHIS)), "--eps=%g" % self.eps, *words)]

    def frequent(self, kind, *words):
        return lambda: [(kind(value), int(count)) for value, count in
                        self.stats("freq", "--support=0.01", "--eps=%g" % self.eps, *words)]

    def contest(self, title, values, programs, off):
        """`programs`: name to what runs it, and which part of the values it gets."""
        times, cpu = {name: [] for name in programs}, {name: [] for name in programs}
        errors = {}
        for turn in range(self.runs + 1):
            for name, (run, _) in programs.items():
                begin, before = time.perf_counter(), cpu_seconds()
                answers = run()
                if turn > 0:
                    times[name].append(time.perf_counter() - begin)
                    cpu[name].append(cpu_seconds() - before)
                elif answers and (off.__name__ == "ranks_off" or isinstance(answers[0], tuple)):
                    errors[name] = off(answers)
        ours = programs["gpusort"][1]
        for name, (_, part) in programs.items():
            rate = values / part / statistics.median(times[name]) / 1e6
            ratios = ["" if name == "gpusort" else spread([t * part / (o * ours) for t, o in zip(of[name], of["gpusort"])])
                      for of in (times, cpu)]
            error = "%.6f" % errors[name] if name in errors else ""
            self.table.append((title, name, "%.2f" % rate if rate < 10 else "%.0f" % rate, error, *ratios))
            print("\t".join(self.table[-1]), flush=True)

    # --- numbers as bytes ---

    def bytes_of_numbers(self):
        numpy, datasketches, ddsketch = map(optional, ("numpy", "datasketches", "ddsketch"))
        if numpy is None:
            return
        numbers, zipf = self.path("numbers"), self.path("zipf")
        values = numpy.random.default_rng(1).lognormal(0, 2, self.values)
        values.tofile(numbers)
        few = values[:self.values // PART]
        ordered = numpy.sort(values)

        def ranks_off(answers):
            of = ordered
            return max(max(0, math.ceil(phi * len(of)) - numpy.searchsorted(of, value, "right"),
                           numpy.searchsorted(of, value) + 1 - math.ceil(phi * len(of))) / len(of)
                       for phi, value in zip(PHIS, answers))

        programs = {"gpusort": (self.quantiles("--binary", numbers), 1)}
        if datasketches:
            kll, k = datasketches.kll_doubles_sketch, 8
            while k < 65535 and kll(k).normalized_rank_error(False) > self.eps:
                k = min(65535, k * 5 // 4 + 1)

            def by_kll():
                sketch = kll(k)
                sketch.update(numpy.fromfile(numbers, dtype=numpy.float64))
                return list(sketch.get_quantiles(PHIS))
            programs["DataSketches"] = (by_kll, 1)
        if ddsketch:
            def by_ddsketch():
                sketch = ddsketch.DDSketch(0.01)
                for value in few.tolist():
                    sketch.add(value)
                return [sketch.get_quantile_value(phi) for phi in PHIS]
            programs["DDSketch"] = (by_ddsketch, PART)
        self.contest("quantiles, f64 as bytes", self.values, programs, ranks_off)
        subprocess.run([self.binary, "gen", "u64", "-n", str(self.values), "--dist=zipf", "-o", zipf], check=True)
        exact = Exact(numpy.fromfile(zipf, dtype=numpy.uint64).tolist())
        programs = {"gpusort": (self.frequent(int, "--binary", "--type=u64", zipf), 1)}
        if datasketches:
            size = 3
            while 3.5 / 2 ** size > self.eps:
                size += 1

            def by_items():
                sketch = datasketches.frequent_items_sketch(size)
                for value in numpy.fromfile(zipf, dtype=numpy.uint64)[:self.values // PART].tolist():
                    sketch.update(value)
                return [found[0] for found in sketch.get_frequent_items(
                    datasketches.frequent_items_error_type.NO_FALSE_NEGATIVES)]
            programs["DataSketches"] = (by_items, PART)
        self.contest("frequencies, u64 as bytes, Zipf", self.values, programs, exact.counts_off)

    # --- text ---

    def ask_duckdb(self, duckdb, name, kind, what):
        base = duckdb.connect(config={"threads": int(self.threads)})
        sql = "SELECT %s FROM read_csv('%s', header = false, auto_detect = false, delim = '\\x01', quote = '', " \
              "escape = '', columns = {'v': '%s'})" % (what, name, kind)
        return lambda: base.execute(sql).fetchall()[0][0]

    def texts(self, title, name, is_number):
        """Quantiles of numbers, or frequent texts."""
        with open(name, encoding="utf-8", errors="surrogateescape") as lines:
            exact = Exact(float(line) if is_number else line[:-1] for line in lines)
        duckdb = optional("duckdb")
        env = {**os.environ, "LC_ALL": "C"}
        if is_number:
            programs = {"gpusort": (self.quantiles(name), 1)}
            if duckdb:
                programs["DuckDB"] = (self.ask_duckdb(duckdb, name, "DOUBLE", "approx_quantile(v, %s)" % PHIS), 1)
            at = ";".join("%dp" % math.ceil(phi * exact.n) for phi in PHIS)
            command = "sort -g -S 1G --parallel=%s %s | sed -n '%s'" % (self.threads, name, at)
            programs["sort"] = (lambda: [float(v) for v in subprocess.run(
                command, shell=True, env=env, check=True, capture_output=True).stdout.split()], 1)
            self.contest(title, exact.n, programs, exact.ranks_off)
            return
        programs = {"gpusort": (self.frequent(str, name), 1)}
        if duckdb:
            programs["DuckDB"] = (self.ask_duckdb(duckdb, name, "VARCHAR", "approx_top_k(v, 100)"), 1)
        command = "sort -S 1G --parallel=%s %s | uniq -c | sort -rn | head -n 100" % (self.threads, name)
        lines = lambda: [line.lstrip(" ").split(" ", 1) for line in subprocess.run(
            command, shell=True, env=env, check=True, capture_output=True, text=True).stdout.splitlines()]
        programs["sort, uniq"] = (lambda: [(value, int(count)) for count, value in lines()], 1)
        self.contest(title, exact.n, programs, exact.counts_off)

    def generated_texts(self):
        count = self.values // 5
        raw, name = self.path("raw"), self.path("text")
        subprocess.run([self.binary, "gen", "u64", "-n", str(count), "--dist=gaussian", "-o", raw], check=True)
        subprocess.run("od -An -v -w8 -tu8 %s | tr -d ' ' >%s" % (raw, name), shell=True, check=True)
        self.texts("quantiles, numbers as text", name, True)
        subprocess.run([self.binary, "gen", "u64", "-n", str(count), "--dist=zipf", "-o", raw], check=True)
        subprocess.run("od -An -v -w8 -tu8 %s | tr -d ' ' >%s" % (raw, name), shell=True, check=True)
        self.texts("frequencies, text, Zipf", name, False)

    def repeat(self, name, values):
        """Real values over and over, until there are enough."""
        values = list(values)
        text = "".join(value + "\n" for value in values)
        with open(self.path(name), "w", encoding="utf-8", errors="surrogateescape") as out:
            for _ in range(max(1, self.values // 5 // len(values))):
                out.write(text)
        return self.path(name)

    def real_texts(self):
        folders, sizes = [], []
        for listing in sorted(glob.glob("/var/lib/dpkg/info/*.list")):
            with open(listing, encoding="utf-8", errors="surrogateescape") as lines:
                folders += [os.path.dirname(line[:-1]) for line in lines]
        for top in "/usr/share", "/usr/lib":
            for folder, _, names in os.walk(top):
                sizes += [str(os.lstat(os.path.join(folder, name)).st_size) for name in names]
        if sizes:
            self.texts("quantiles, sizes of real files", self.repeat("sizes", sizes), True)
        if folders:
            self.texts("frequencies, folders of real files", self.repeat("folders", folders), False)

    # --- errors ---

    def by_error(self):
        found = self.path("errors.csv")
        subprocess.run([self.binary, "bench", "stats", "--values=%d" % self.values, "--runs=%d" % min(self.runs, 3),
                        "--engine=cpu", "--csv=" + found], check=True, stdout=subprocess.DEVNULL)
        with open(found, encoding="utf-8") as rows:
            self.errors = [(row["problem"], float(row["eps"]), int(row["values"]) / float(row["seconds"]) / 1e6,
                            float(row["sorting_percent"])) for row in csv.DictReader(rows)]

    # --- what was found ---

    def text(self):
        lines = ["Measured %s on: %s cores, %s; %g M values, a fifth of that as text; error %g; %d runs each, in turns." % (
            time.strftime("%Y-%m-%d"), self.threads, platform.machine(), self.values / 1e6, self.eps, self.runs), "",
            "| what | program | M values/s | off by, of all | times gpusort's time | and CPU time |", "|---|---|--:|--:|--:|--:|"]
        lines += ["| " + " | ".join(row) + " |" for row in self.table]
        lines += ["", "| in memory | error | M values/s | sorting, % |", "|---|--:|--:|--:|"]
        lines += ["| %s | %g | %.1f | %.0f |" % row for row in self.errors]
        return "\n".join(lines) + "\n"

    def picture(self):
        titles = list(dict.fromkeys(row[0] for row in self.table))
        out, y = [], 56
        rates = {(row[0], row[1]): float(row[2]) for row in self.table}
        most = math.log10(max(rates.values()) * 10)
        for title in titles:
            out.append('<text x="16" y="%d" font-weight="bold">%s</text>' % (y, title))
            y += 8
            for name in [row[1] for row in self.table if row[0] == title]:
                width = 220 * math.log10(rates[title, name] * 10) / most
                out.append('<rect x="120" y="%d" width="%.1f" height="15" fill="%s"/>' % (y, max(2, width), COLOURS[name]))
                out.append('<text x="112" y="%d" text-anchor="end">%s</text>' % (y + 12, name))
                out.append('<text x="%.1f" y="%d">%.3g</text>' % (126 + max(2, width), y + 12, rates[title, name]))
                y += 18
            y += 22
        height = max(y, 420)
        out += self.curves(450, 56, 450, height - 130)
        return ('<svg xmlns="http://www.w3.org/2000/svg" width="920" height="%d" font-family="sans-serif" font-size="13">'
                '<rect width="100%%" height="100%%" fill="white"/>'
                '<text x="16" y="26" font-size="15">M values a second from a file, error %g (log scale)</text>'
                '<text x="450" y="26" font-size="15">M values a second in memory, by error (log scale)</text>%s</svg>\n'
                % (height, self.eps, "".join(out)))

    def curves(self, left, top, width, height):
        """Rates by the error that is asked for, with both axes in decades."""
        if not self.errors:
            return []
        colours = {"quantile": "#2f855a", "freq": "#b7791f", "freq of last 1M": "#c53030"}
        decades = [math.floor(math.log10(min(r for _, _, r, _ in self.errors))),
                   math.ceil(math.log10(max(r for _, _, r, _ in self.errors)))]
        errors = sorted({eps for _, eps, _, _ in self.errors}, reverse=True)
        px = lambda eps: left + 40 + (width - 70) * errors.index(eps) / max(1, len(errors) - 1)
        py = lambda rate: top + height * (decades[1] - math.log10(rate)) / (decades[1] - decades[0])
        out = []
        for power in range(decades[0], decades[1] + 1):
            y = py(10.0 ** power)
            out.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#dddddd"/>' % (left + 40, left + width - 30, y, y))
            out.append('<text x="%d" y="%.1f" text-anchor="end">%g</text>' % (left + 34, y + 4, 10.0 ** power))
        for eps in errors:
            out.append('<text x="%.1f" y="%d" text-anchor="middle">%g</text>' % (px(eps), top + height + 20, eps))
        for at, (problem, colour) in enumerate(colours.items()):
            points = [(px(eps), py(rate)) for name, eps, rate, _ in self.errors if name == problem]
            if not points:
                continue
            out.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>' % (
                colour, " ".join("%.1f,%.1f" % point for point in points)))
            out += ['<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>' % (x, y, colour) for x, y in points]
            out.append('<rect x="%d" y="%d" width="12" height="12" fill="%s"/><text x="%d" y="%d">%s</text>' % (
                left + 40 + 110 * at, top + height + 38, colour, left + 57 + 110 * at, top + height + 49, problem))
        return out


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    python = os.path.join(os.environ.get("BENCH_VENV", ""), "bin", "python")
    if os.environ.get("BENCH_VENV") and os.path.realpath(sys.prefix) != os.path.realpath(os.environ["BENCH_VENV"]):
        os.execv(python, [python, __file__ if os.path.isabs(__file__) else os.path.join("tests/bench", os.path.basename(__file__))])
    bench = Bench()
    try:
        bench.bytes_of_numbers()
        bench.generated_texts()
        bench.real_texts()
        bench.by_error()
    finally:
        shutil.rmtree(bench.folder)
    for name, text in (("md", bench.text()), ("svg", bench.picture())):
        with open("build/bench/stats." + name, "w", encoding="utf-8") as page:
            page.write(text)
    print("\n" + bench.text())
    results_page.update("stats", bench.text(), {"build/bench/stats.svg": "stats.svg"})


if __name__ == "__main__":
    main()
