#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cuts the power, or kills the program, at any moment of the commands that promise to bear it.

    tests/faults/stop.py --binary PROGRAM [--cuts N] [--kills N] [--seed N] [--json FILE]

PROGRAM is one of `make FAULTS=1`. A power cut comes at a call that changes the disk
(power_cut.h): at each of them in turn, or with --cuts at so many, of all commands together.
A kill comes at a random moment, --kills of them. Then the name of the output must stand for
what it stood for before, or for the whole result; where nothing had the name, it may also be
nothing; of several outputs that holds for each. The same command is given again, in part of the cases stopped again, until it ends,
which it must do with the result, and with nothing left beside it but what no next run can
know for its own: a name a sort had given to its output that moment, and an empty folder.
What was done all the same when the power went, and replaces nothing, may say just that.
"""
import collections
import concurrent.futures
import dataclasses
import os
import queue
import random
import re
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(sys.path[0], ".."))
import fault_cases as cases  # noqa: E402
import fault_commands as commands  # noqa: E402
import fault_options as options  # noqa: E402
import results  # noqa: E402
import walk as walks  # noqa: E402

NEVER = 1 << 40
MARK = "/.gpusort-unfinished"   # in an index that has its name it means nothing
FOR_NOBODY = re.compile(r"work/(\.out\.gpusort-\w{6}|out/\.\d+\.gpusort-\w{6}|out\.tmp-\w{6}|ck)$")
STOPS_MAX = 4                   # of one command in a row
TRIES = 8                       # to kill it before it has ended


def of_output(state):
    """The part of a state that has the name of the output."""
    return {path: what for path, what in state.items()
            if (path == "work/out" or path.startswith("work/out/"))
            and not path.endswith(MARK) and not FOR_NOBODY.match(path)}


def are_parts(command, now, before, result):
    """Is each of several outputs as it was, or whole?"""
    return command.has_parts and set(before) <= set(now) and \
        all(what in (before.get(path), result.get(path)) for path, what in now.items())


class Stops:
    """All that is known about one command, and where it runs."""

    def __init__(self, place, command, seed):
        self.place, self.command = place, command
        self.side = os.path.join(place.folder, "side")
        self.rng = random.Random(f"{seed} {command.name}")
        self.was_done = False  # when it was stopped: what replaces nothing will say so

    def run(self, cut, kill_after=None):
        shutil.rmtree(self.side, ignore_errors=True)
        os.makedirs(self.side)
        extra = {"GS_FAULT_SIDE": self.side, "GS_FAULT_SEED": str(self.rng.getrandbits(32))}
        command = self.command
        if self.was_done and command.again:
            command = dataclasses.replace(command, words=command.again)
        return self.place.run(command, f"cut:{cut}" if cut else "", extra.items(),
                              kill_after)

    def measure(self):
        """The reference, how many calls there are to cut at, and how long it takes."""
        self.place.prepare(self.command)
        self.before = self.place.state()
        began = time.monotonic()
        self.result = self.run(None)
        self.seconds = time.monotonic() - began
        self.between = cases.state_between(self.place, self.command, self.result)
        self.place.prepare(self.command)
        self.calls = self.run(NEVER).counts[-1]
        if self.result.code != 0:
            raise SystemExit(f"{self.command.name}: {self.result.err}")
        return self

    def output_of(self, result):
        """Without what a change of an index has left in its folder."""
        return of_output(cases.without_leftovers(self.command, result))

    def wrong_after_stop(self, result):
        now = self.output_of(result)
        if result.ended > 1 and not self.is_repeated(result):
            return f"exit {result.ended - 1}: {result.err}"
        self.was_done = now in (of_output(self.result.state), of_output(self.between))
        if self.was_done:
            return ""
        if result.ended:
            return "it had ended, and its result is not on the disk"
        before = of_output(self.before)
        if now == before or are_parts(self.command, now, before, of_output(self.result.state)):
            return ""
        return f"the output is neither old nor new: {now}"

    def is_repeated(self, result):
        return self.was_done and "File exists" in result.err

    def wrong_at_end(self, result):
        if result.code != 0 and not self.is_repeated(result):
            return f"given again: exit {result.code}: {result.err}"
        state = {path: what for path, what in result.state.items()
                 if not path.endswith(MARK)}
        left = sorted(set(state) - set(self.result.state))
        if of_output(state) != of_output(self.result.state):
            return "given again: another result"
        if any(not FOR_NOBODY.match(path) for path in left):
            return f"given again: {left} stays"
        return ""

    def stop_at(self, cut, kill_after):
        """Until it ends. (what is wrong, how often it was stopped)"""
        self.place.prepare(self.command)
        stops = 0
        result = self.run(cut, kill_after)
        while result.code == -signal.SIGKILL:
            stops += 1
            wrong = self.wrong_after_stop(result)
            if wrong:
                return wrong, stops
            is_again = stops < STOPS_MAX and self.rng.random() < 0.4
            if cut:
                cut = self.rng.randint(1, self.calls) if is_again else None
            elif kill_after:
                kill_after = self.rng.random() * self.seconds if is_again else None
            result = self.run(cut, kill_after)
        if result.code is None:
            return "it hung", stops
        return self.wrong_at_end(result), stops


class Walk:
    def __init__(self, args, scratch):
        self.args, self.scratch = args, scratch
        self.inputs = os.path.join(scratch, "inputs")
        commands.make_inputs(args.binary, self.inputs)
        self.places = queue.SimpleQueue()
        for i in range(args.jobs):
            self.places.put(cases.Place(args.binary, self.inputs,
                                        os.path.join(scratch, f"place-{i}")))
        self.is_over = False  # interrupted: what was done so far is told
        self.counts = collections.defaultdict(collections.Counter)

    def stops_in(self, place, command, measured=None):
        stops = Stops(place, command, self.args.seed)
        if measured is not None:
            stops.before, stops.result = measured.before, measured.result
            stops.between = measured.between
            stops.seconds, stops.calls = measured.seconds, measured.calls
        return stops

    def measure(self, command):
        place = self.places.get()
        try:
            return self.stops_in(place, command).measure()
        finally:
            self.places.put(place)

    def try_one(self, case):
        if self.is_over:
            return
        measured, how, seed, cut, kill_after = case
        place = self.places.get()
        try:
            stops = self.stops_in(place, measured.command, measured)
            stops.rng = random.Random(seed)
            wrong, stopped = stops.stop_at(cut, kill_after)
            for _ in range(TRIES):
                if cut or stopped or wrong:
                    break
                kill_after *= 0.7  # it was done before
                wrong, stopped = stops.stop_at(cut, kill_after)
        finally:
            self.places.put(place)
        if self.is_over:  # which the command may have been told as well
            return
        count = self.counts[measured.command.name, how]
        count["cases"] += 1
        count["stops"] += stopped
        count["gone on"] += stopped > 0 and not wrong
        count["wrong"] += bool(wrong)
        if wrong:
            print(f"FAILED {measured.command.name}, {how} {cut or kill_after}, "
                  f"seed {seed}: {wrong}", flush=True)

    def cases_of(self, cut, killed):
        rng = random.Random(self.args.seed)
        every = [(m, "cut", rng.getrandbits(32), n, None)
                 for m in cut for n in [*range(1, m.calls + 1), NEVER]]
        if self.args.cuts is not None:
            # The last calls of a command are the ones that give names, and then it ends.
            late = [(m, "cut", rng.getrandbits(32), m.calls + rng.randrange(-11, 5), None)
                    for m in cut for _ in range(self.args.cuts // (2 * len(cut)))]
            every = late + rng.sample(every, min(len(every), self.args.cuts - len(late)))
        for i in range(self.args.kills):
            m = killed[i % len(killed)]
            every.append((m, "kill", rng.getrandbits(32), None,
                          rng.random() * 1.1 * m.seconds + 0.001))
        rng.shuffle(every)
        return every

    def run(self):
        wanted = [c for c in commands.KILLED if self.args.only in c.name]
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            measured = list(pool.map(self.measure, wanted))
            durable = [m for m in measured if m.command in commands.DURABLE]
            for _ in pool.map(self.try_one, self.cases_of(durable, measured)):
                pass

    def end(self, *_):
        self.is_over = True

    def print_table(self):
        print(f"{'command':<36} {'stopped by':<10} {'cases':>6} {'stops':>6} "
              f"{'gone on':>7} {'wrong':>5}")
        for (command, how), c in sorted(self.counts.items()):
            print(f"{command:<36} {how:<10} {c['cases']:>6} {c['stops']:>6} "
                  f"{c['gone on']:>7} {c['wrong']:>5}")

    def write_json(self, path):
        rows = [{"command": command, "how": how, "cases": c["cases"], "stops": c["stops"],
                 "resumed": c["gone on"], "wrong": c["wrong"]}
                for (command, how), c in sorted(self.counts.items())]
        results.write(path, "stops", "tests/faults/stop.py", {"rows": rows})


def main():
    parser = options.parser_of(__doc__)
    parser.add_argument("--cuts", type=int, help="so many, not one at every call")
    parser.add_argument("--kills", type=int, default=0)
    args = parser.parse_args()
    walks.kinds_of(args.binary)
    with tempfile.TemporaryDirectory(prefix="gpusort-stops.") as scratch:
        os.makedirs(os.path.join(scratch, "inputs"))
        walk = Walk(args, scratch)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, walk.end)
        walk.run()
    walk.print_table()
    if args.json:
        walk.write_json(args.json)
    totals = sum(walk.counts.values(), collections.Counter())
    print(f"stops: {totals['cases']} cases, {totals['stops']} stops, "
          f"{totals['gone on']} gone on to the result, {totals['wrong']} wrong")
    return 1 if totals["wrong"] or not totals["gone on"] else 0


if __name__ == "__main__":
    sys.exit(main())
