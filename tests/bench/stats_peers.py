#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpusort stats beside what a user would pick instead: DataSketches, DDSketch and DuckDB.

    stats_peers.py [--program FILE] [--values N] [--rounds R] [--eps E]

Needs from PyPI: datasketches, ddsketch, numpy, duckdb; what is not there is left out. All read the
same file, numbers as bytes (DataSketches by numpy.fromfile) or as text (DuckDB by
read_csv), and take turns; a line a contest has the medians of the seconds and their ratio.
Errors are alike for DataSketches; how near DuckDB's answers are it does not say, and
frequent_items and DDSketch, which are fed value by value, get a twentieth of them. DDSketch's
error is a share of the value (here 1 %), not of the rank; the line says what both come to in ranks.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--program", default="build/gpusort")
parser.add_argument("--values", type=int, default=20_000_000)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--eps", type=float, default=0.001)
args = parser.parse_args()


def gpusort(*words):
    return lambda: subprocess.run([args.program, "stats", *words], check=True,
                                  stdout=subprocess.DEVNULL)


def contest(name, ours, theirs):
    times = [], []
    for _ in range(args.rounds):
        for run, to in zip((ours, theirs), times):
            begin = time.perf_counter()
            run()
            to.append(time.perf_counter() - begin)
    a, b = map(statistics.median, times)
    print(f"{name}\tgpusort {a:.3f} s, {args.values / a / 1e6:.0f} M/s"
          f"\tother {b:.3f} s\tratio {b / a:.2f}", flush=True)


def against_datasketches(numbers, zipf):
    import datasketches
    import numpy
    kll = datasketches.kll_doubles_sketch
    numpy.random.default_rng(1).lognormal(0, 2, args.values).tofile(numbers)
    k = 8
    while k < 65535 and kll(k).normalized_rank_error(False) > args.eps:
        k = min(65535, k * 5 // 4 + 1)

    def quantiles():
        sketch = kll(k)
        sketch.update(numpy.fromfile(numbers, dtype=numpy.float64))
        sketch.get_quantiles([0.5, 0.9, 0.99])

    contest(f"quantiles of f64 bytes, KLL k={k}",
            gpusort("quantile", "--binary", f"--eps={args.eps}", numbers), quantiles)

    def frequent():
        # Its error is at most 3.5 / 2^size; numbers are added one by one, as it has no
        # way for arrays.
        size = 3
        while 3.5 / 2 ** size > args.eps:
            size += 1
        sketch = datasketches.frequent_items_sketch(size)
        for value in numpy.fromfile(zipf, dtype=numpy.uint64)[:args.values // 20].tolist():
            sketch.update(value)
        sketch.get_frequent_items(datasketches.frequent_items_error_type.NO_FALSE_NEGATIVES)

    contest("frequencies of u64 bytes, frequent_items of a 20th of them",
            gpusort("freq", "--binary", "--type=u64", "--support=0.01",
                    f"--eps={args.eps}", zipf), frequent)


def against_ddsketch(numbers, zipf):
    import ddsketch
    import numpy
    sorted_values = numpy.sort(numpy.fromfile(numbers, dtype=numpy.float64))
    few = numpy.fromfile(numbers, dtype=numpy.float64)[:args.values // 20]
    shares = [0.5, 0.9, 0.99]
    sketch = ddsketch.DDSketch(0.01)

    def quantiles():
        nonlocal sketch
        sketch = ddsketch.DDSketch(0.01)
        for value in few.tolist():
            sketch.add(value)

    def ranks_off(values, of):
        return max(abs(numpy.searchsorted(of, v) - p * len(of)) / len(of)
                   for p, v in zip(shares, values))

    ours = subprocess.run([args.program, "stats", "quantile", "--binary", f"--eps={args.eps}",
                           "--phi=0.5,0.9,0.99", numbers], capture_output=True, text=True,
                          check=True).stdout
    contest("quantiles of f64 bytes, DDSketch of a 20th of them",
            gpusort("quantile", "--binary", f"--eps={args.eps}", numbers), quantiles)
    print("ranks off, a share: gpusort %.6f, DDSketch %.6f" % (
        ranks_off([float(line.split()[1]) for line in ours.splitlines()], sorted_values),
        ranks_off([sketch.get_quantile_value(p) for p in shares], numpy.sort(few))))


def against_duckdb(text):
    import duckdb
    base = duckdb.connect(config={"threads": 2})

    def ask(sql):
        columns = "header=false, columns={'v': 'DOUBLE'}"
        return lambda: base.execute(f"select {sql} from read_csv('{text}', {columns})").fetchall()

    contest("quantiles of text, DuckDB approx_quantile",
            gpusort("quantile", f"--eps={args.eps}", text),
            ask("approx_quantile(v, [0.5, 0.9, 0.99])"))
    contest("frequencies of text, DuckDB approx_top_k",
            gpusort("freq", "--support=0.01", f"--eps={args.eps}", text),
            ask("approx_top_k(v, 100)"))


with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
    zipf, text = os.path.join(folder, "zipf"), os.path.join(folder, "text")
    numbers = os.path.join(folder, "numbers")
    subprocess.run([args.program, "gen", "u64", "-n", str(args.values), "--dist=zipf",
                    "-o", zipf], check=True)
    with open(zipf, "rb") as f, open(text, "wb") as to:
        od = subprocess.Popen(["od", "-An", "-v", "-w8", "-tu8"], stdin=f, stdout=subprocess.PIPE)
        subprocess.run(["tr", "-d", " "], stdin=od.stdout, stdout=to, check=True)
        od.wait()
    for contests, files in ((against_datasketches, (numbers, zipf)),
                            (against_ddsketch, (numbers, zipf)), (against_duckdb, (text,))):
        try:
            contests(*files)
        except ImportError as missing:
            print("left out:", missing)
