#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random commands under random troubles for as long as asked: a sort or an index is right,
or an error says why not, and nothing is lost, half-written or left behind.

A case is made of (--seed, its number) alone: inputs, options, limits of resources, a small
disk, a user without rights, signals at random moments. Sorts are compared with GNU sort,
indexes with what other code computes (index_check.py, search_check.py, ciff_check.py). A
case that fails is made smaller, printed as a command line, and kept with its files.

    tests/soak.py --minutes 10 --jobs 2
    tests/soak.py --cases 100 --seed 7 --only sort
    tests/soak.py --seed 7 --case 1234                # one case again
"""
import argparse
import collections
import multiprocessing
import os
import queue
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "soak"))

# pylint: disable=wrong-import-position
import index_check
import index_kinds
import reference_sort
import results
import shrink
from index_case import DECIDED_BY, FORMATS, NOT_DRAWN, IndexCase
from sort_case import SortCase
from world import RESIDENT_BEYOND_S, World

KINDS = {"sort": (SortCase, 70), "index": (IndexCase, 30)}
SHRINK_SECONDS = 120
REPORT_SECONDS = 60


def make_case(seed, number, only, world):
    r = random.Random("%s:%s" % (seed, number))
    names = [name for name in KINDS if not only or name in only]
    name = r.choices(names, [KINDS[n][1] for n in names])[0]
    return KINDS[name][0].random(r, world)


def do_case(number, world, options):
    """None, or the text about a case that failed."""
    case = make_case(options.seed, number, options.only, world)
    world.counts["cases of " + case.kind] += 1
    problem = case.check(world)
    if not problem:
        return None
    counts, first = world.counts.copy(), problem
    case, problem = shrink.shrink(case, problem, world, options.shrink_seconds)
    world.counts = counts
    folder = os.path.join(options.keep, "seed-%s-case-%d" % (options.seed, number))
    shrink.keep(case, problem, folder, options.seed, number, world)
    lines = ["case %d (%s): %s" % (number, case.kind, first)] + ["    " + command for command in case.commands()]
    lines += ["    # " + remark for remark in case.trouble.remarks()]
    lines += ["    made smaller: " + problem, "    kept in " + folder,
              "    again: tests/soak.py --seed %s --case %d" % (options.seed, number)]
    return "\n".join(lines).encode("ascii", "backslashreplace").decode()


def work(worker, options, numbers, until, answers):
    """Takes the next number until there is none, or no time."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # who started us tells when it is time
    parent = os.getppid()
    try:
        world = World(options.binary, worker, options)
        world.lacking = options.lacking
        while time.monotonic() < until.value and os.getppid() == parent:
            with numbers.get_lock():
                number = numbers.value
                numbers.value += 1
            if options.last is not None and number > options.last:
                break
            try:
                text = do_case(number, world, options)
            except Exception:  # pylint: disable=broad-except
                text = "case %d: the soak itself failed\n%s" % (number, traceback.format_exc())
            if text:
                answers.put(("failed", text))
            answers.put(("case", worker, world.counts, world.over_s_most))
        world.close()
    except Exception:  # pylint: disable=broad-except
        answers.put(("failed", "worker %d: %s" % (worker, traceback.format_exc())))
    answers.put(("end", worker))


class Tally:
    """What the workers have told."""

    def __init__(self):
        self.of_worker, self.over_s, self.failures, self.cases = {}, {}, [], 0

    def take(self, answer):
        if answer[0] == "failed":
            self.failures.append(answer[1])
            print(answer[1], flush=True)
        elif answer[0] == "case":
            self.cases += 1
            self.of_worker[answer[1]] = answer[2]
            self.over_s[answer[1]] = answer[3]

    def counts(self):
        return sum(self.of_worker.values(), collections.Counter())

    def over_s_most(self):
        return max((over for over in self.over_s.values() if over is not None), default=None)

    def line(self, seconds):
        counts, over = self.counts(), self.over_s_most()
        text = "%d cases in %.0f s: %d runs, %d kills, %d resumes, %d limits hit" % (
            self.cases, seconds, counts["runs"], counts["kills"], counts["resumes"],
            sum(n for name, n in counts.items() if name.startswith("limits hit")))
        if over is not None:
            text += ", resident at most S %+.1f MiB (%.0f allowed)" % (over / 2 ** 20, RESIDENT_BEYOND_S / 2 ** 20)
        return text + ", %d failed" % len(self.failures)


def run_workers(options):
    context = multiprocessing.get_context("fork")
    numbers = context.Value("q", options.first)
    until = context.Value("d", time.monotonic() + options.seconds)
    answers = context.Queue()
    tally, started = Tally(), time.monotonic()
    workers = [context.Process(target=work, args=(i, options, numbers, until, answers)) for i in range(options.jobs)]
    for worker in workers:
        worker.start()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, signal.default_int_handler)
    ended, told = 0, started
    while ended < len(workers):
        try:
            answer = answers.get(timeout=5)
            ended += answer[0] == "end"
            tally.take(answer)
        except queue.Empty:
            if not any(worker.is_alive() for worker in workers):
                tally.take(("failed", "a worker died"))
                break
        except KeyboardInterrupt:
            until.value = 0
        if len(tally.failures) >= options.most_failures:
            until.value = 0
        if time.monotonic() - told > REPORT_SECONDS:
            told = time.monotonic()
            print(tally.line(told - started), flush=True)
    for worker in workers:
        worker.join()
    return tally, time.monotonic() - started


def report(options, tally, seconds):
    counts = tally.counts()
    for name, count in sorted(counts.items()):
        if name not in ("runs", "kills", "resumes"):
            print("%8d %s" % (count, name))
    print("soak: seed %s; %s" % (options.seed, tally.line(seconds)))
    if options.json:
        asked = "--cases %d" % (options.last + 1) if options.last is not None else "--minutes %g" % (options.seconds / 60)
        only = " --only " + ",".join(options.only) if options.only else ""
        results.write(options.json, "soak", "tests/soak.py %s --jobs %d%s" % (asked, options.jobs, only), {
            "seed": options.seed, "seconds": round(seconds, 1), "jobs": options.jobs, "cases": tally.cases,
            "failed": len(tally.failures), "counts": dict(sorted(counts.items())),
            "resident_over_s_most_bytes": tally.over_s_most(), "resident_over_s_allowed_bytes": RESIDENT_BEYOND_S})


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, help="how long; 10 unless --cases or --case is given")
    parser.add_argument("--cases", type=int, help="how many, and no more")
    parser.add_argument("--case", type=int, help="only this one")
    parser.add_argument("--seed", help="a number or a word; drawn unless given")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--binary", default="build/gpusort")
    parser.add_argument("--only", default="", metavar="KIND,...", help=", ".join(KINDS))
    parser.add_argument("--keep", default="build/soak", help="folder of failing cases")
    parser.add_argument("--scratch", help="folder to work in; a new one, in $TMPDIR, unless given")
    parser.add_argument("--json", help="write the counts to this file")
    parser.add_argument("--without-rss", action="store_true", help="do not hold -S against what was resident")
    parser.add_argument("--most-failures", type=int, default=5, help="stop after so many")
    parser.add_argument("--shrink-seconds", type=float, default=SHRINK_SECONDS, help="to make a case smaller")
    options = parser.parse_args()
    options.only = [name for name in options.only.split(",") if name]
    for name in options.only:
        if name not in KINDS:
            parser.error("no kind '%s'; there are: %s" % (name, ", ".join(KINDS)))
    options.binary = os.path.abspath(options.binary)
    if not os.access(options.binary, os.X_OK):
        parser.error("no program '%s'" % options.binary)
    if not reference_sort.PROGRAM:
        parser.error("no GNU sort here; REFERENCE_SORT names one")
    options.keep = os.path.abspath(options.keep)
    options.seed = options.seed or str(random.SystemRandom().randrange(10 ** 9))
    options.first, options.last = 0, None
    if options.case is not None:
        options.first = options.last = options.case
        options.jobs = 1
    elif options.cases is not None:
        options.last = options.cases - 1
    is_counted = options.last is not None and options.minutes is None
    options.seconds = 10 ** 9 if is_counted else 60 * (10 if options.minutes is None else options.minutes)
    return options


def main():
    options = parse()
    print("soak: seed %s, %d processes" % (options.seed, options.jobs), flush=True)
    index_check.check_formats(options.binary, "soak/index_case.py", {*FORMATS, *NOT_DRAWN})
    if set(index_kinds.fields()) != set(DECIDED_BY):
        sys.exit("soak/index_case.py: DECIDED_BY is not of what lib/index/format/index_header.h has")
    options.lacking = reference_sort.lacking()
    own = options.scratch is None
    options.scratch = os.path.abspath(options.scratch or tempfile.mkdtemp(prefix="gs-soak-"))
    os.chmod(options.scratch, 0o755)
    try:
        tally, seconds = run_workers(options)
    finally:
        if own:
            shutil.rmtree(options.scratch, ignore_errors=True)
    report(options, tally, seconds)
    return 1 if tally.failures or not tally.cases else 0


if __name__ == "__main__":
    sys.exit(main())
