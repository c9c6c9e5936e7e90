# SPDX-License-Identifier: MIT
"""Rows of a table, each of programs that take turns, within a time limit for all together.

A row that cannot be measured here, fails or has no time left is left out with a word, and
the others go on. What a program writes is proved once: all proofs of a row are the same.
"""
import os
import signal
import statistics
import subprocess
import threading
import time
from collections import namedtuple

Run = namedtuple("Run", "seconds peak")  # peak: resident MiB
# work() gives a Run; proof() says, after the first of them, what was written, or is None.
Program = namedtuple("Program", "name work runs proof")
Line = namedtuple("Line", "row title bytes program seconds peak output")

FALLBACK = "the CPU sorts instead"
DIFFERENT = "DIFFERS"


class LeftOut(Exception):
    """Why a row is not measured, or not to its end."""


class TimedRows:
    def __init__(self, seconds, run_seconds, only):
        self.end = time.monotonic() + seconds if seconds else float("inf")
        self.run_seconds = run_seconds
        self.only = only
        self.lines = []
        self.left_out = []  # (row, why)

    def seconds_left(self):
        return self.end - time.monotonic()

    # --- one run ---------------------------------------------------------------------

    def run(self, commands, stdout=subprocess.DEVNULL, environment=None, measured=0, errors="/dev/null"):
        """Commands as a pipe; the peak is of the one at `measured`. Raises if one fails."""
        limit = min(self.run_seconds, self.seconds_left())
        if limit <= 0:
            raise LeftOut("no time left")
        children, source = [], None
        is_late = threading.Event()

        def stop():
            is_late.set()
            for child in children:
                kill(child)

        timer = threading.Timer(limit, stop)
        with open(errors, "wb") as said:
            started = time.monotonic()
            try:
                for i, arguments in enumerate(commands):
                    is_last = i + 1 == len(commands)
                    child = subprocess.Popen(arguments, stdin=source or subprocess.DEVNULL, stderr=said,
                                             stdout=stdout if is_last else subprocess.PIPE, env=environment,
                                             start_new_session=True)
                    if source:
                        source.close()
                    source = child.stdout
                    children.append(child)
                timer.start()
                peaks = []
                for child in children:
                    _, status, usage = os.wait4(child.pid, 0)
                    child.returncode = os.waitstatus_to_exitcode(status)
                    peaks.append(usage.ru_maxrss / 1024)
                seconds = time.monotonic() - started
            finally:
                timer.cancel()
                for child in children:
                    if child.returncode is None:
                        kill(child)
                        child.wait()
        if is_late.is_set():
            raise LeftOut("stopped after %.0f s" % limit)
        for child, arguments in zip(children, commands):
            if child.returncode != 0:
                raise RuntimeError("%s: exit %d: %s" % (os.path.basename(arguments[0]), child.returncode, last_line(errors)))
        if FALLBACK in last_line(errors):
            raise RuntimeError(last_line(errors))
        return Run(seconds, peaks[measured])

    # --- one row ---------------------------------------------------------------------

    def measure(self, row, title, size, programs, expected=None):
        """Adds a line for each program that ran. `expected`: gives the proof that those of the
        programs are compared with; it is made last, since it may take long."""
        runs = {p.name: [] for p in programs}
        proofs = {}
        try:
            for turn in range(max(p.runs for p in programs)):
                for p in programs:
                    if turn >= p.runs:
                        continue
                    run = p.work()
                    runs[p.name].append(run)
                    print("    %-26s %8.3f s  %7.0f MiB" % (p.name, *run), flush=True)
                    if turn == 0 and p.proof:
                        proofs[p.name] = p.proof()
            if expected:
                proofs["expected"] = expected()
        finally:
            output = compared(proofs)
            self.lines += [Line(row, title, size, name, [r.seconds for r in found], max(r.peak for r in found), output)
                           for name, found in runs.items() if found]
        if output == DIFFERENT:
            raise RuntimeError("the outputs differ: %s" % ", ".join(proofs))

    def all(self, rows, seconds_min, after_each):
        """`rows`: name to what measures it."""
        for name in self.only:
            if name not in rows:
                self.left_out.append((name, "there is no such row"))
        for name, measure in rows.items():
            if self.only and name not in self.only:
                continue
            if self.seconds_left() < seconds_min:
                self.left_out.append((name, "no time left"))
                continue
            left = self.seconds_left()
            print("%s%s" % (name, " (%.0f s left)" % left if left < float("inf") else ""), flush=True)
            try:
                measure(name)
            except LeftOut as why:
                self.left_out.append((name, str(why)))
            except Exception as trouble:  # whatever it is, the others are measured
                self.left_out.append((name, "failed: %s: %s" % (type(trouble).__name__, trouble)))
            if self.left_out and self.left_out[-1][0] == name:
                print("    left out: " + self.left_out[-1][1], flush=True)
            after_each()

    # --- what is shown ---------------------------------------------------------------

    def table(self):
        """The first program of each row is what the others are compared with."""
        found = ["| what | program | seconds (min to max) | GB/s | peak MiB | the first is faster by | output |",
                 "|---|---|---:|---:|---:|---:|---|"]
        first = {}
        for line in self.lines:
            seconds = statistics.median(line.seconds)
            ours = first.setdefault(line.row, seconds)
            ratio = "" if line.program == self.first_program(line.row) else "%.2f" % (seconds / ours)
            found.append("| %s | %s | %.3f (%.3f to %.3f) | %s | %.0f | %s | %s |" % (
                line.title, line.program, seconds, min(line.seconds), max(line.seconds),
                "%.2f" % (line.bytes / 1e9 / seconds) if line.bytes else "", line.peak, ratio, line.output))
        return found

    def first_program(self, row):
        return next(line.program for line in self.lines if line.row == row)


def compared(proofs):
    if len(proofs) < 2:
        return "not compared"
    return "same" if len(set(proofs.values())) == 1 else DIFFERENT


def kill(child):
    """With what a shell has started."""
    if child.returncode is None:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def last_line(path):
    """Of what a program said, with a GPU's failure before all else."""
    if path == "/dev/null":
        return ""
    with open(path, encoding="utf-8", errors="replace") as f:
        said = [line.strip() for line in f if line.strip()]
    return next((line for line in said if FALLBACK in line), said[-1] if said else "")
