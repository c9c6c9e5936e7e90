#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes every call to the system fail in turn, in every command.

    tests/faults/walk.py --binary PROGRAM [--points N] [--only TEXT] [--json FILE]

PROGRAM is one of `make FAULTS=1` (fault_plan.h). A first run of each command of
fault_commands.py counts its calls of each kind, then one run a call has that call fail, with
each of the errors that it can have. Each run must end in one of two ways: with the result,
all of it and nothing else, or with exit status 2, a message that says what the system said,
and everything as it was before. Nothing may hang, crash or stay behind.

Threads take turns as they like, so that the n-th call is not always the same one, and
sometimes there is none. With --points only so many are walked to, spread over commands,
kinds and errors by --seed.
"""
import collections
import concurrent.futures
import os
import queue
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(sys.path[0], ".."))
import fault_cases as cases  # noqa: E402
import fault_commands as commands  # noqa: E402
import fault_options as options  # noqa: E402
import results  # noqa: E402


def kinds_of(program):
    """In the order in which calls are counted."""
    got = subprocess.run([program], env={"GS_FAULT": "help"}, capture_output=True, text=True)
    kinds = [line.split()[0] for line in got.stdout.splitlines()]
    if got.returncode != 0 or set(kinds) != set(cases.HOWS):
        raise SystemExit(f"{program} is no program of `make FAULTS=1`")
    return kinds


# Calls that only the wrappers make.
LAYER = {"fopencookie", "fork", "kill", "getppid", "usleep", "on_exit", "strerrorname_np",
         "syscall"}
# Calls of the C library that do not fail, or whose failures are what the program was given
# by those that are wrapped: streams read and write through them.
HARMLESS = re.compile(r"""
    (__)?(mem|str|stp|ctype|f?put|v?s?n?printf|f?printf|v?fprintf|vsn|puts|qsort|is|to)\w* |
    __(errno_location|isoc99_\w+|libc_start_main|stack_chk_fail|sched_cpucount|cxa_\w+|
       gmon_start__|fpurge|(mem|snprintf|vsnprintf|fprintf|vfprintf|printf)\w*_chk|
       ctype_\w+|fdelt_chk|longjmp_chk) |
    (XXH|ZSTD|inflate|(__)?io_uring|sb_stemmer|utf8proc|__[atu][bs]?san|__sanitizer)\w* |
    _ITM_\w+ | _?exit | abort | dup | raise | pause | nanosleep | signal |
    sig\w+ | clock_gettime | cos | exp | log(2|10)? | pow | sqrt | f(max|min) | fr?expl? | llround | inet_\w+ |
    ldexpl? | nextafter | free | munmap | mallopt | malloc_usable_size | open_memstream | closedir |
    dirfd | f(close|error|flush|gets|read|write) | get(c|delim|euid|pid|rlimit|rusage) | (secure_)?getenv |
    (f|fun)lockfile | isatty | setlocale | setrlimit | setvbuf | sysconf | umask | uname |
    sched_getaffinity | sched_yield | posix_spawn(attr|_file_actions)_\w+ |
    pthread_(attr|cond|condattr|mutex|cancel|join|setcancelstate|sigmask|self|once|kill)\w* |
    pthread_[gs]etattr_default_np | (__)?environ | __progname\w* | std(out|err|in) | program_invocation_\w+ |
    opt(arg|ind|err|opt) | (new|free)locale | nl_langinfo_l
    """, re.VERBOSE)


def check_calls(program):
    """Every call of the program is wrapped, or known to be harmless."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "wrapped_calls"), encoding="ascii") as f:
        wrapped = set(f.read().split())
    names = subprocess.run(["nm", "-u", program], capture_output=True, text=True, check=True)
    calls = {line.split()[1].split("@")[0] for line in names.stdout.splitlines()}
    unknown = sorted(c for c in calls - wrapped - LAYER if not HARMLESS.fullmatch(c))
    if unknown:
        raise SystemExit(f"calls that never fail here: {' '.join(unknown)}; wrap them "
                         "(wrapped_calls), or call them harmless (walk.py)")


class Walk:
    def __init__(self, args, scratch):
        self.args = args
        self.kinds = kinds_of(args.binary)
        self.inputs = os.path.join(scratch, "inputs")
        self.places = queue.SimpleQueue()
        commands.make_inputs(args.binary, self.inputs)
        for i in range(args.jobs):
            self.places.put(cases.Place(args.binary, self.inputs,
                                        os.path.join(scratch, f"place-{i}")))
        self.references = {}
        self.is_over = False  # interrupted: what was walked so far is told
        self.outcomes = collections.defaultdict(collections.Counter)
        self.failures = []

    def in_a_place(self, function, *arguments):
        place = self.places.get()
        try:
            return function(place, *arguments)
        finally:
            self.places.put(place)

    def count_calls(self, pool, wanted):
        assert len({c.name for c in wanted}) == len(wanted), "two commands of one name"
        results = pool.map(lambda c: self.in_a_place(cases.reference_of, c), wanted)
        self.references = dict(zip((c.name for c in wanted), results))

    def points(self, wanted):
        """(command, kind, n, how): all that are to be walked to."""
        groups = []
        for command in wanted:
            for kind, calls in zip(self.kinds, self.references[command.name].result.counts):
                if self.args.kind and kind not in self.args.kind.split(","):
                    continue
                for how in cases.HOWS[kind] if calls else []:
                    groups.append([(command, kind, n, how) for n in range(1, calls + 1)])
        if not self.args.points:
            return [point for group in groups for point in group]
        rng = random.Random(self.args.seed)
        rng.shuffle(groups)
        picked = [rng.choice(group) for group in groups[:self.args.points]]
        rest = [point for group in groups for point in group]
        return picked + rng.sample(rest, min(len(rest), self.args.points - len(picked)))

    def walk_to(self, point):
        if self.is_over:
            return
        command, kind, n, how = point
        verdict = self.in_a_place(cases.walk_to, command, self.references[command.name],
                                  kind, n, how)
        if self.is_over:  # which the command may have been told as well
            return
        self.outcomes[command.name, kind][verdict.outcome] += 1
        if verdict.outcome == "wrong":
            self.failures.append((point, verdict))
            if len(self.failures) <= self.args.show:
                self.show(point, verdict)

    def show(self, point, verdict):
        command, kind, n, how = point
        words = shlex.join(["gpusort", *shlex.split(command.words)])
        print(f"FAILED {command.name}: {verdict.why}\n"
              f"    GS_FAULT={kind}:{n}:{how} {words}"
              f"{' <{in}/' + command.stdin if command.stdin else ''}")
        for line in verdict.err.splitlines()[:6]:
            print(f"    | {line}")
        sys.stdout.flush()

    def run(self, wanted):
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            self.count_calls(pool, wanted)
            points = self.points(wanted)
            random.Random(self.args.seed).shuffle(points)
            for _ in pool.map(self.walk_to, points):
                pass
        return len(points)

    def end(self, *_):
        self.is_over = True

    def print_table(self):
        print(f"{'command':<36} {'kind':<8} {'points':>7} {'exact':>7} {'refused':>7} "
              f"{'unreached':>9} {'wrong':>5}")
        for (command, kind), c in sorted(self.outcomes.items()):
            print(f"{command:<36} {kind:<8} {sum(c.values()):>7} {c['exact']:>7} "
                  f"{c['refused']:>7} {c['unreached']:>9} {c['wrong']:>5}")

    def totals(self):
        return sum(self.outcomes.values(), collections.Counter())

    def write_json(self, path):
        rows = [{"command": command, "kind": kind, "points": sum(c.values()),
                 "exact": c["exact"], "refused": c["refused"], "unreached": c["unreached"],
                 "wrong": c["wrong"]}
                for (command, kind), c in sorted(self.outcomes.items())]
        results.write(path, "faults", "tests/faults/walk.py", {
            "points": sum(self.totals().values()), "wrong": self.totals()["wrong"], "rows": rows})


def main():
    parser = options.parser_of(__doc__)
    parser.add_argument("--points", type=int, default=0, help="so many only")
    parser.add_argument("--kind", default="", help="kinds, with commas between")
    parser.add_argument("--show", type=int, default=30, help="so many failures")
    parser.add_argument("--gpu", action="store_true",
                        help="commands of a pretended GPU (make FAKE_GPU=1 faults)")
    args = parser.parse_args()
    check_calls(args.binary)
    walked = commands.GPU_COMMANDS if args.gpu else commands.COMMANDS
    wanted = [c for c in walked if args.only in c.name]
    with tempfile.TemporaryDirectory(prefix="gpusort-faults.") as scratch:
        os.makedirs(os.path.join(scratch, "inputs"))
        walk = Walk(args, scratch)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, walk.end)
        point_count = walk.run(wanted)
    if not args.points or walk.is_over:
        walk.print_table()
    if args.json:
        walk.write_json(args.json)
    totals = walk.totals()
    print(f"faults: {sum(totals.values())} of {point_count} points in {len(wanted)} commands: "
          f"{totals['exact']} exact, {totals['refused']} refused, "
          f"{totals['unreached']} not reached, {totals['wrong']} wrong")
    return 1 if totals["wrong"] or not totals["refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
