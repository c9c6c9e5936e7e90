#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rows behind memory_to_memory.sh, which says what the variables mean.

Outputs are compared byte for byte where they are files, by digests, and by their XXH3-64
where nothing is kept of them; that of the CPU engine is what is expected. `the disk` is
what it takes to write and to read what the sort spilled, with O_DIRECT and four at a time.
"""
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import figures
import results_page
import slice_digests
import timeline
from end_to_end import KINDS, TUPLES
from memory_inputs import MemoryInputs
from timed_rows import DIFFERENT, LeftOut, Line, Program, Run, TimedRows

COPY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "parallel_copy.py")
DISK_WRITERS = 4
GIGABYTE = 10 ** 9
ROWS_NEED_SECONDS = 10


def name_of_file(line):
    """Of a path with its package; not one that begins with a dot (real_inputs.py says why)."""
    name = line.rsplit(None, 1)[0].rstrip().rsplit(b"/", 1)[-1]
    return b"" if name.startswith(b".") else name + b"\n"


def table_row(line):
    """A path and its package as CSV: package, length of the path, path."""
    parts = line.rsplit(None, 1)
    if len(parts) < 2 or b"," in line or b'"' in line:
        return b""
    path = parts[0].rstrip()
    return b"%s,%d,%s\n" % (parts[1], len(path), path)


def size_text(count):
    """As -S and --gpu-mem take it."""
    return "%dK" % (count >> 10)


class Bench:
    def __init__(self):
        env = os.environ.get
        self.runs = int(env("BENCH_RUNS", "3"))
        self.slow_runs = int(env("BENCH_SLOW_RUNS", "1"))
        self.scale = float(env("BENCH_SCALE", "1"))
        self.real_bytes = int(float(env("BENCH_REAL_GB", "2")) * GIGABYTE)
        self.gnu_sizes = env("BENCH_GNU_SIZES", "256M,4G").split(",")
        self.binary = os.path.abspath(env("BENCH_BINARY", "build/gpusort"))
        self.engine = env("BENCH_ENGINE", "gpu")
        self.threads = len(os.sched_getaffinity(0))
        self.results = "build/bench"
        os.makedirs(self.results, exist_ok=True)
        self.rows = TimedRows(float(env("BENCH_SECONDS", "0")), float(env("BENCH_RUN_SECONDS", "150")),
                              [w for w in env("BENCH_ONLY", "").split(",") if w])
        self.memory = tempfile.mkdtemp(prefix="memory-", dir=os.path.abspath(env("BENCH_DIR", "/dev/shm")))
        self.disk = tempfile.mkdtemp(prefix="memory-", dir=os.path.abspath(env("BENCH_DISK", self.results)))
        os.mkdir(self.memory + "/inputs")
        os.mkdir(self.memory + "/temporary")
        self.temporary, self.output = self.memory + "/temporary", self.memory + "/output"
        self.errors, self.stats = self.disk + "/errors", self.disk + "/stats"
        self.inputs = MemoryInputs(self.memory + "/inputs", self.binary, env("BENCH_DATA", ""), self.scale)
        os.mkdir(self.disk + "/inputs")
        self.disk_inputs = MemoryInputs(self.disk + "/inputs", self.binary, "", self.scale, in_memory=False)
        self.figures = {}  # (engine, options, source) to what --stats said
        self.name = ""     # of the row

    def close(self):
        for folder in self.memory, self.disk:
            shutil.rmtree(folder, ignore_errors=True)

    def bytes(self, gigabytes):
        return int(gigabytes * GIGABYTE * self.scale)

    # --- programs ------------------------------------------------------------------------

    def run(self, commands, **more):
        if os.path.exists(self.output):
            os.unlink(self.output)
        environment = dict(os.environ, LC_ALL="C", TMPDIR=self.temporary)
        return self.rows.run(commands, environment=environment, errors=self.errors, **more)

    def sort(self, engine, options, source, target="/dev/null"):
        folder = [] if "-T" in options else ["-T", self.temporary]  # of several all are used
        return [self.binary, "sort", "--engine=" + engine, "-o", target] + folder + options + [source]

    def figures_of(self, engine, options, source):
        """What --stats says of a sort to nowhere, with the sum of its output."""
        key = (engine, tuple(options), os.path.basename(source))
        if key not in self.figures:
            self.run([self.sort(engine, options + ["--stats=" + self.stats, "--output-sum"], source)])
            with open(self.stats, encoding="utf-8") as f:
                self.figures[key] = json.load(f)
        return self.figures[key]

    def sum_of(self, engine, options, source):
        return self.figures_of(engine, options, source)["output_xxh3"]

    def expected_sum(self, order, source):
        print("    what is expected, by the CPU engine", flush=True)
        return self.sum_of("cpu", order, source)

    def to_nowhere(self, name, engine, options, source, runs=0):
        """A program that sorts to /dev/null; what the GPU sorts is proved by another run."""
        proof = None if engine == "cpu" else lambda: self.sum_of(engine, options, source)
        return Program(name, lambda: self.run([self.sort(engine, options, source)]),
                       runs or (self.slow_runs if engine == "cpu" else self.runs), proof)

    def to_file(self, name, engine, options, source):
        return Program(name, lambda: self.run([self.sort(engine, options, source, self.output)]),
                       self.slow_runs if engine == "cpu" else self.runs,
                       lambda: slice_digests.of_file(self.output, self.threads))

    def gnu_sort(self, order, source):
        """The best of some sizes of memory."""
        def work():
            found = []
            for size in self.gnu_sizes:
                found.append(self.run([["sort", "--parallel=%d" % self.threads, "-S", size, "-T", self.temporary,
                                        "-o", self.output] + order + [source]]))
                print("    GNU sort -S %-14s %8.3f s" % (size, found[-1].seconds), flush=True)
            return min(found)
        return Program("GNU sort", work, self.slow_runs, lambda: slice_digests.of_file(self.output, self.threads))

    def copy(self, source):
        arguments = [sys.executable, COPY, source, self.output, "8"]
        return Program("copy, 8 threads, mapped", lambda: self.run([arguments]), self.runs, None)

    # --- rows ----------------------------------------------------------------------------

    def measure(self, title, source, programs, order=None):
        """`order`: the outputs are those of the CPU engine by these options."""
        self.rows.measure(self.name, title, os.path.getsize(source), programs,
                          None if order is None else lambda: self.expected_sum(order, source))

    def lines(self, gigabytes, room=0.0):
        return self.inputs.generated("lines", KINDS["lines"][0], self.bytes(gigabytes), self.bytes(room))

    def scaled(self):
        """What is said behind sizes of memory that are not as they are told."""
        return "" if self.scale == 1 else " (times %g)" % self.scale

    def title(self, gigabytes, text):
        return "%.3g GB of %s" % (self.bytes(gigabytes) / 1e9, text)

    def nowhere(self, kind, gigabytes, order, title, has_cores=True):
        size = self.bytes(gigabytes)  # and room for runs: of many GB the CPU engine spills, to memory too
        source = self.inputs.generated(kind, KINDS[kind][0], size, size)
        programs = [self.to_nowhere("gpusort --engine " + self.engine, self.engine, order, source)]
        if has_cores:
            programs.append(self.to_nowhere("gpusort --engine cpu", "cpu", order, source))
        self.measure(self.title(gigabytes, title + ", to /dev/null"), source, programs, order)
        return source

    def lines_nowhere(self):
        source = self.nowhere("lines", 20, [], "lines")
        trace = self.disk + "/trace"
        self.run([self.sort(self.engine, ["--trace=" + trace], source)])
        timeline.draw(trace, self.results + "/memory_to_memory_timeline.svg",
                      self.title(20, "lines, /dev/shm to /dev/null"))

    def lines_to_memory(self):
        source = self.lines(20, 30)
        self.measure(self.title(20, "lines, to /dev/shm"), source, [
            self.to_file("gpusort --engine " + self.engine, self.engine, [], source),
            self.copy(source),
            self.to_file("gpusort --engine cpu", "cpu", [], source)])

    def small_card(self, place, folder):
        source = self.lines(20, 8 if folder == self.disk else 30)
        memory = ["-S", size_text(int(8 * self.scale * 2 ** 30)), "-T", folder]
        small = memory + ["--gpu-mem", size_text(int(24 * self.scale * 2 ** 30))]
        programs = [self.to_nowhere("gpusort --engine " + self.engine, self.engine, small, source),
                    self.to_nowhere("gpusort --engine cpu", "cpu", memory, source)]
        if folder == self.disk:
            spilled = self.figures_of(self.engine, small, source)["spill_bytes"]
            print("    spilled: %.2f GB" % (spilled / 1e9), flush=True)
            if spilled:
                programs.insert(1, Program("the disk", lambda: self.disk_run(spilled, spilled), min(self.runs, 2), None))
        self.measure(self.title(20, "lines, -S 8G --gpu-mem 24G%s, -T %s" % (self.scaled(), place)), source,
                     programs, [])

    def small_merge(self, order, title):
        """What a small card leaves to the cores to merge."""
        source = self.lines(20, 30)
        memory = ["-S", size_text(int(8 * self.scale * 2 ** 30)), "-T", self.temporary] + order
        small = memory + ["--gpu-mem", size_text(int(24 * self.scale * 2 ** 30))]
        self.measure(self.title(20, "lines, %s, -S 8G --gpu-mem 24G%s" % (title, self.scaled())), source, [
            self.to_nowhere("gpusort --engine " + self.engine, self.engine, small, source),
            self.to_nowhere("gpusort --engine cpu", "cpu", memory, source)], order)

    def disk_to_disk(self):
        """Nothing of the input is in the page cache before, and all of the output is on the
        disk at the end."""
        size = self.bytes(60)
        source = self.disk_inputs.generated("lines", KINDS["lines"][0], size, 2 * size)
        output = self.disk + "/output"
        memory = ["-S", size_text(int(16 * self.scale * 2 ** 30)), "-T", self.disk]
        spilled = []

        def sort():
            subprocess.run(["dd", "of=" + source, "oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none"],
                           check=True)
            command = self.sort(self.engine, memory + ["--stats=" + self.stats], source, output)
            found = self.run([["sh", "-c", '"$@" && sync "$0"', output] + command])
            with open(self.stats, encoding="utf-8") as f:
                spilled.append(json.load(f)["spill_bytes"])
            print("    spilled: %.2f GB" % (spilled[-1] / 1e9), flush=True)
            return found

        def order_of_output():
            subprocess.run([self.binary, "sort", "-c", output], check=True)
            return str(os.path.getsize(output) == os.path.getsize(source))

        try:
            self.rows.measure(self.name, self.title(60, "lines, -S 16G%s, disk to disk" % self.scaled()), size, [
                Program("gpusort --engine " + self.engine, sort, 1, order_of_output),
                Program("the disk", lambda: self.disk_run(spilled[-1] + size, spilled[-1] + size, [output]), 1, None)],
                lambda: "True")
        finally:
            for file in (output, source):
                if os.path.exists(file):
                    os.unlink(file)

    def disk_run(self, written, read, gone=()):
        """The disk's own time to write so many bytes and to read them; what is `gone` makes
        room."""
        for file in gone:
            os.unlink(file)
        files = ["%s/blocks-%d" % (self.disk, i) for i in range(DISK_WRITERS)]
        ways = (("if=/dev/zero of=%s oflag=direct", written), ("if=%s of=/dev/null iflag=direct", read))
        try:
            found = [self.run([["sh", "-c", "set -e; " + " ".join(
                "dd bs=4M count=%d status=none %s & p%d=$!;" % (max(1, (size // DISK_WRITERS) >> 22), way % file, i)
                for i, file in enumerate(files)) + " ".join("wait $p%d;" % i for i in range(DISK_WRITERS))]])
                     for way, size in ways]
        finally:
            for file in files:
                if os.path.exists(file):
                    os.unlink(file)
        return Run(sum(r.seconds for r in found), max(r.peak for r in found))

    def pipe(self):
        source = self.lines(10, 14)
        memory = ["-S", size_text(int(4 * self.scale * 2 ** 30))]

        def through(engine, more=()):
            sort = [self.binary, "sort", "--engine=" + engine, "-T", self.temporary] + memory + list(more)
            return self.run([["cat", source], sort, ["cat"]], measured=1)

        def proof():
            through(self.engine, ["--output-sum", "--stats=" + self.stats])
            with open(self.stats, encoding="utf-8") as f:
                return json.load(f)["output_xxh3"]

        self.measure(self.title(10, "lines, pipe to pipe, -S 4G%s" % self.scaled()), source, [
            Program("gpusort --engine " + self.engine, lambda: through(self.engine), self.runs, proof),
            Program("cat to cat", lambda: self.run([["cat", source], ["cat"]]), self.runs, None),
            Program("gpusort --engine cpu", lambda: through("cpu"), self.slow_runs, None)], [])

    def text(self, title, make, size, order):
        """Real text to a file in memory, beside GNU sort, which wants room for its runs too."""
        source = make(size, 3 * size)
        self.measure("%.3g GB of %s" % (os.path.getsize(source) / 1e9, title), source, [
            self.to_file("gpusort --engine " + self.engine, self.engine, order, source),
            self.to_file("gpusort --engine cpu", "cpu", order, source),
            self.gnu_sort(order, source)])

    def real(self, title, name, order, size=0, **more):
        self.text(title, lambda size, room: self.inputs.copies(name, size, room, **more), size or self.real_bytes, order)

    def weblog(self):
        self.text("a web log by path and size, -k4,4 -k7,7nr",
                  lambda size, room: self.inputs.generated("weblog", ["weblog"], size, room), self.real_bytes,
                  ["-k4,4", "-k7,7nr"])

    def require_two_gpus(self):
        if len(figures.gpus(self.binary)) < 2:
            raise LeftOut("there are not two GPUs")

    def two_gpus_lines(self):
        self.require_two_gpus()
        source = self.lines(40, 10)
        self.measure(self.title(40, "lines, to /dev/null"), source, [
            self.to_nowhere("--gpu 0,1", self.engine, ["--gpu=0,1"], source),
            self.to_nowhere("--gpu 0", self.engine, ["--gpu=0"], source)], [])

    def two_gpus_keys(self):
        """What the engines take of the device alone; `gpusort bench` compares their results."""
        self.require_two_gpus()
        found = self.disk + "/keys.csv"
        count = int(2 ** 31 * self.scale)
        self.run([[self.binary, "bench", "--engine=sample", "--distribution=uniform", "--type=u64", "--size=%d" % count,
                   "--runs=%d" % self.runs, "--gpu=0,1", "--gpu=0", "--csv=" + found]])
        with open(found, newline="", encoding="ascii") as f:
            for point in csv.DictReader(f):
                self.rows.lines.append(Line(self.name, "%d u64 on the device, the copies left out" % count, count * 8,
                                            "bench " + point["engine"], [float(point["ms"]) / 1000], 0, "same"))

    def every_row(self):
        rows = {
            "lines": self.lines_nowhere,
            "lines-memory": self.lines_to_memory,
            "pipe": self.pipe,
            "small-memory": lambda: self.small_card("/dev/shm", self.temporary),
            "tuples": lambda: self.nowhere("tuples", 12, [], "term TAB docID"),
            "tuples-keys": lambda: self.nowhere("tuples", 12, TUPLES, "term TAB docID, -k1,1 -k2,2n"),
            "paths": lambda: self.real("paths of Debian's files", "paths", [], self.bytes(5.8)),
            "lines-40": lambda: self.nowhere("lines", 40, [], "lines", False),
            "weblog": self.weblog,
            "sources": lambda: self.real("lines of Linux", "source-lines", []),
            "unique": lambda: self.real("lines of Linux, over and over, -u", "source-lines", ["-u"], tells_copies=False),
            "table": lambda: self.real("CSV by its first column and a number, -t, -k1,1 -k2,2n", "paths",
                                       ["-t", ",", "-k1,1", "-k2,2n"], change=table_row),
            "versions": lambda: self.real("names of files, -V", "paths", ["-V"], change=name_of_file),
            "two-lines": self.two_gpus_lines,
            "two-keys": self.two_gpus_keys,
            "small-disk": lambda: self.small_card("on the disk", self.disk),
            "small-unique": lambda: self.small_merge(["-u"], "-u"),
            "small-top": lambda: self.small_merge(["--top=1000"], "--top=1000"),
            "disk": self.disk_to_disk,
        }

        def named(measure):
            def one(name):
                self.name = name
                measure()
            return one
        return {name: named(measure) for name, measure in rows.items()}

    # --- what is shown ---------------------------------------------------------------------

    def after_row(self):
        for path in (self.output, self.stats):
            if os.path.exists(path):
                os.unlink(path)
        self.save()

    def save(self):
        machine = figures.machine_with_gpu(self.binary)
        with open(self.results + "/memory_to_memory.json", "w", encoding="utf-8") as f:
            json.dump({"machine": "Measured %s on: %s" % (time.strftime("%Y-%m-%d"), machine),
                       "lines": [line._asdict() for line in self.rows.lines], "left_out": self.rows.left_out}, f, indent=1)
        with open(self.results + "/memory_to_memory.md", "w", encoding="utf-8") as f:
            f.write(page([self.results + "/memory_to_memory.json"]))


def page(names):
    """The section of what some runs found, of the rows that several have of the last."""
    rows, left_out, machine = {}, {}, ""
    for name in names:
        with open(name, encoding="utf-8") as f:
            found = json.load(f)
        machine = found["machine"]
        left_out.update(found["left_out"])
        lines = [Line(**line) for line in found["lines"]]
        for row in dict.fromkeys(line.row for line in lines):
            rows[row] = [line for line in lines if line.row == row]
    shown = TimedRows(0, 0, [])
    shown.lines = [line for lines in rows.values() for line in lines]
    text = machine + "; medians of runs in turn.\n\n" + "\n".join(shown.table()) + "\n"
    whys = ["%s (%s)" % (row, re.sub(r"[|\s]+", " ", why)[:120]) for row, why in left_out.items() if row not in rows]
    return text + ("\nLeft out: %s.\n" % "; ".join(whys) if whys else "")


def publish(text):
    """Not of a machine without a GPU."""
    if "| gpusort " in text and "no GPU" not in text:
        results_page.update("memory-gpu", text, {
            "build/bench/memory_to_memory_timeline.svg": "memory_to_memory_timeline.svg"})


def main():
    if os.environ.get("BENCH_PAGE"):
        publish(page(os.environ["BENCH_PAGE"].split(",")))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("memory_to_memory: stopped"))
    bench = Bench()
    try:
        rows = bench.every_row()
        if os.environ.get("BENCH_LIST"):
            print("\n".join(rows))
            return
        bench.rows.all(rows, ROWS_NEED_SECONDS, bench.after_row)
        bench.save()
    finally:
        bench.close()
    with open(bench.results + "/memory_to_memory.md", encoding="utf-8") as f:
        text = f.read()
    print("\n" + text, flush=True)
    publish(text)
    if any(line.output == DIFFERENT for line in bench.rows.lines) or any("failed" in why for _, why in bench.rows.left_out):
        sys.exit(1)


if __name__ == "__main__":
    main()
