#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The work behind end_to_end.sh, which says what the variables mean.

Before each run the old output is removed, dirty pages are written and the page cache is
dropped (as root), so that every byte comes from the disk and goes there. The disk's own
time is a read of the input and then a write of as many bytes, with O_DIRECT in blocks of
16 MiB. The outputs of all programs are the same, by checksum.
"""
import csv
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import figures
import results_page
import slice_digests
import timeline

TUPLES = ["-t", "\t", "-k1,1", "-k2,2n"]
KINDS = {
    "lines": (["lines"], [], "random lines of 10 to 50 bytes"),
    # About 20 bytes a line, as term and docID have in a large collection.
    "tuples": (["tuples", "--docs=1000000000", "--distinct=1000000000", "--exponent=0.7"], TUPLES,
               "term TAB docID, -k1,1 -k2,2n"),
}


class Bench:
    def __init__(self):
        env = os.environ.get
        self.gigabytes = float(env("BENCH_GB", "6"))
        self.runs = int(env("BENCH_RUNS", "3"))
        self.gnu_runs = int(env("BENCH_GNU_RUNS", "1"))
        self.only = [w for w in env("BENCH_ONLY", "").split(",") if w]
        self.binary = os.path.abspath(env("BENCH_BINARY", "build/gpusort"))
        self.threads = len(os.sched_getaffinity(0))
        self.results = "build/bench"
        parent = os.path.abspath(env("BENCH_DIR", "build/bench"))
        os.makedirs(parent, exist_ok=True)
        os.makedirs(self.results, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="work-", dir=parent)
        self.rows = []
        self.table = []  # (workload title, program, options, median s, all s)

    def path(self, name):
        return os.path.join(self.folder, name)

    def cold(self, target):
        if os.path.exists(target):
            os.unlink(target)
        os.sync()
        try:
            with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as f:
                f.write("3")
        except OSError:
            pass
        time.sleep(0.5)

    def run(self, arguments, target):
        self.cold(target)
        environment = dict(os.environ, LC_ALL="C", TMPDIR=self.folder)
        started = time.monotonic()
        subprocess.run(arguments, env=environment, check=True)
        return time.monotonic() - started

    def disk(self, source, target):
        """Read the input, then write as many bytes."""
        size = os.path.getsize(source) >> 24
        read = self.run(["dd", "if=" + source, "of=/dev/null", "bs=16M", "iflag=direct", "status=none"], target)
        return read + self.run(["dd", "if=/dev/zero", "of=" + target, "bs=16M", "oflag=direct", "status=none",
                                "count=%d" % size], target)

    def workload(self, kind, limit):
        name = kind + ("-" + limit if limit else "")
        if self.only and name not in self.only:
            return
        _, order, title = KINDS[kind]
        source, target = self.path(kind), self.path("out")
        memory = ["-S", limit] if limit else []
        ours = [self.binary, "sort", "-T", self.folder, "-o", target] + memory + order + [source]
        programs = {
            "the disk alone": (lambda: self.disk(source, target), self.runs),
            "gpusort --engine gpu": (lambda: self.run(ours + ["--engine=gpu"], target), self.runs),
            "gpusort --engine cpu": (lambda: self.run(ours + ["--engine=cpu"], target), self.runs),
        }
        if self.gnu_runs:
            gnu = ["sort", "--parallel=%d" % self.threads, "-T", self.folder, "-o", target] + (
                memory or ["-S", "60%"]) + order + [source]
            programs["GNU sort"] = (lambda: self.run(gnu, target), self.gnu_runs)
        times = {program: [] for program in programs}
        sums = set()
        for turn in range(max(n for _, n in programs.values())):
            for program, (work, runs) in programs.items():
                if turn >= runs:
                    continue
                times[program].append(work())
                self.rows.append([name, program, "%.3f" % times[program][-1], os.path.getsize(source)])
                print("    %-10s %-22s %7.2f s" % (name, program, times[program][-1]), flush=True)
                if turn == 0 and program != "the disk alone":
                    sums.add(slice_digests.of_file(target, self.threads))
        if len(sums) > 1:
            raise RuntimeError(name + ": the outputs differ")
        for program, seconds in times.items():
            self.table.append((title + (", -S " + limit if limit else ""), program,
                               statistics.median(seconds), seconds))
        os.unlink(target)

    def timeline(self, kind):
        trace = self.path("trace.json")
        _, order, title = KINDS[kind]
        target = self.path("out")
        self.run([self.binary, "sort", "--engine=gpu", "--trace=" + trace, "-o", target] + order + [self.path(kind)],
                 target)
        timeline.draw(trace, self.results + "/end_to_end_timeline.svg",
                      "%g GB of %s, disk to disk" % (self.gigabytes, title))
        os.unlink(target)

    def write(self):
        with open(self.results + "/end_to_end.csv", "w", newline="", encoding="ascii") as f:
            out = csv.writer(f)
            out.writerow(["workload", "program", "seconds", "input_bytes"])
            out.writerows(self.rows)
        lines = ["| %g GB of | program | seconds | GB/s | times GNU sort | of the disk's time |" % self.gigabytes,
                 "|---|---|---:|---:|---:|---:|"]
        median = {(title, program): seconds for title, program, seconds, _ in self.table}
        for title, program, seconds, _ in self.table:
            gnu = median.get((title, "GNU sort"))
            disk = median[(title, "the disk alone")]
            lines.append("| %s | %s | %.2f | %.2f | %s | %.2f |" % (
                title, program, seconds, self.gigabytes / seconds, "%.1f" % (gnu / seconds) if gnu else "",
                seconds / disk))
        text = "Measured %s on: %s; caches dropped before each run; GNU sort %d time(s), the others the median of %d in turn.\n\n" % (
            time.strftime("%Y-%m-%d"), figures.machine_with_gpu(self.binary), self.gnu_runs, self.runs) + "\n".join(lines) + "\n"
        with open(self.results + "/end_to_end.md", "w", encoding="utf-8") as f:
            f.write(text)
        print("\n" + text)
        self.plot(median)
        results_page.update("end-to-end", text, {
            self.results + "/end_to_end.svg": "end_to_end.svg",
            self.results + "/end_to_end_timeline.svg": "end_to_end_timeline.svg"})

    def plot(self, median):
        """Bars, drawn here: no plotting program is needed on the machine with the GPU."""
        programs = ["GNU sort", "gpusort --engine cpu", "gpusort --engine gpu", "the disk alone"]
        colours = dict(zip(programs, ("#9aa5b1", "#6fa8dc", "#2f855a", "#e3b341")))
        titles = list(dict.fromkeys(t for t, _ in median))
        most = max(median.values())
        rows, y = [], 50
        for title in titles:
            rows.append('<text x="20" y="%d" font-weight="bold">%g GB of %s</text>' % (y, self.gigabytes, title))
            y += 10
            for program in programs:
                if (title, program) not in median:
                    continue
                seconds = median[(title, program)]
                width = max(2, 560 * seconds / most)
                rows.append('<rect x="190" y="%d" width="%.1f" height="16" fill="%s"/>' % (y, width, colours[program]))
                rows.append('<text x="182" y="%d" text-anchor="end">%s</text>' % (y + 13, program))
                rows.append('<text x="%.1f" y="%d">%.1f s</text>' % (196 + width, y + 13, seconds))
                y += 20
            y += 24
        with open(self.results + "/end_to_end.svg", "w", encoding="utf-8") as f:
            f.write('<svg xmlns="http://www.w3.org/2000/svg" width="840" height="%d" font-family="sans-serif" '
                    'font-size="13"><rect width="100%%" height="100%%" fill="white"/>'
                    '<text x="420" y="24" text-anchor="middle" font-size="15">Seconds, file to file on the local disk '
                    '(less is better)</text>%s</svg>\n' % (y, "".join(rows)))


def main():
    bench = Bench()
    try:
        for kind, (options, _, _) in KINDS.items():
            if bench.only and kind not in bench.only and kind + "-2G" not in bench.only:
                continue
            subprocess.run([bench.binary, "gen"] + options + ["--bytes=%d" % int(bench.gigabytes * 1e9), "-o",
                                                             bench.path(kind)], check=True)
            for limit in "", "2G":
                bench.workload(kind, limit)
                bench.write()  # what there is so far
            if kind == "tuples":
                bench.timeline(kind)
            os.unlink(bench.path(kind))
    except (RuntimeError, subprocess.CalledProcessError) as trouble:
        sys.exit("end_to_end: %s" % trouble)
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)
    bench.write()


if __name__ == "__main__":
    main()
