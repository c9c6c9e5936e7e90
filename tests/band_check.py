#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares gpusort join --band, --lt, --le, --gt and --ge with SQLite, case by case.

    tests/band_check.py --binary PROGRAM [--cases N] [--seed N] [--seconds N]

Each case draws two small files and options from its seed. SQLite finds the pairs, over keys
that are millionths in whole numbers, and puts them in order; this program makes the lines
of them.
"""
import decimal
import os
import random
import re
import sqlite3
import sys

import join_check

SCALE = 10**6
FAR = 10**18
# Options by what lib/gpusort.h calls their matches; that of equal keys is join_check.py's.
KINDS = {"GPUSORT_IN_BAND": "band", "GPUSORT_LESS": "lt", "GPUSORT_AT_MOST": "le",
         "GPUSORT_GREATER": "gt", "GPUSORT_AT_LEAST": "ge"}


def matches_without_case():
    header = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib", "gpusort.h")
    with open(header, encoding="ascii") as file:
        known = re.search(r"typedef enum gpusort_match \{(.*?)\} gpusort_match;", file.read(), re.S)
    return set(re.findall(r"^ +(GPUSORT_\w+),", known[1], re.M)) ^ {"GPUSORT_EQUAL", *KINDS}


class Case:
    def __init__(self, seed):
        self.seed = seed
        rng = self.rng = random.Random(seed)
        self.eol = b"\n"
        self.delimiter = rng.choice([None, b",", b"\t"])
        self.header = rng.random() < 0.2
        self.fields = [rng.choice([1, 1, 2]) for _ in range(2)]
        self.width = rng.choice([2, 10, 1000, 10**6, 10**11])
        self.has_parts = rng.random() < 0.5  # some keys are not whole
        self.is_large = rng.random() < 0.06  # more than a tiny -S has room for
        self.skips = rng.random() < 0.25
        self.lines = [self.draw_lines(side) for side in (0, 1)]
        self.kind = rng.choice(["band", "band", *KINDS.values()])
        if self.is_large:
            self.kind = "band"
            self.width = 10**6
            self.lines = [self.draw_lines(side) for side in (0, 1)]
        ends = sorted(self.draw_key() // rng.choice([1, 4]) for _ in range(2))
        if self.is_large:
            ends = [-5 * SCALE, 300 * SCALE]
        self.low, self.high = {"lt": (1, FAR), "le": (0, FAR), "gt": (-FAR, -1),
                               "ge": (-FAR, 0)}.get(self.kind, ends)
        self.draw_output()

    def draw_output(self):
        rng = self.rng
        self.semi = rng.random() < 0.15
        self.unpaired = [rng.random() < 0.3 and not self.semi for _ in range(2)]
        self.only = rng.random() < 0.3 and any(self.unpaired)
        self.filler = rng.choice([None, b"EMPTY"])
        self.items = []
        if rng.random() < 0.4:
            self.items = [rng.choice(["0", f"1.{rng.randrange(1, 4)}", f"2.{rng.randrange(1, 4)}"])
                          for _ in range(rng.randrange(1, 5))]

    def draw_key(self):
        """In millionths."""
        rng = self.rng
        key = rng.randrange(-self.width, self.width + 1) * SCALE
        if self.has_parts and rng.random() < 0.5:
            key += rng.choice([1, 100000, 250000, 999999])
        return key

    def write_key(self, key):
        rng = self.rng
        text = str(decimal.Decimal(key) / SCALE)
        choice = rng.random()
        if choice < 0.1:
            text = f"{decimal.Decimal(key):E}e".replace("E", "e").split("e")
            text = f"{text[0]}e{int(text[1]) - 6}"
        elif choice < 0.2:
            text = ("-" if key < 0 else "+") + "000" + text.lstrip("-")
        elif choice < 0.3 and "." not in text and "E" not in text:
            text += rng.choice([".", ".0", ".000000000000000000000"])
        return text.encode()

    def draw_lines(self, side):
        """(key or None, fields) of each line."""
        rng = self.rng
        out = []
        side_field = self.fields[side]
        count = 4000 if self.is_large else rng.choice([0, 1, 3, 10, 60, 150])
        for _ in range(count):
            key = self.draw_key()
            words = [b"w%d" % rng.randrange(99) for _ in range(rng.randrange(side_field, 5))]
            if self.skips and rng.random() < 0.1:
                key = None
                words[side_field - 1] = rng.choice([b"x", b"1x", b"--1", b"1e", b"9223372036854775808"])
            else:
                words[side_field - 1] = self.write_key(key)
            out.append((key, words))
        return out

    def options(self):
        out = [f"--{self.kind}"]
        if self.kind == "band":
            out = [f"--band={decimal.Decimal(self.low) / SCALE}:{decimal.Decimal(self.high) / SCALE}"]
        if self.delimiter is not None:
            out += ["-t", self.delimiter.decode()]
        if self.header:
            out.append("--header")
        if self.skips:
            out.append("--skip-bad")
        if self.semi:
            out.append("--semi")
        out += [f"-1{self.fields[0]}", f"-2{self.fields[1]}"]
        for side in (0, 1):
            if self.unpaired[side]:
                out += ["-v" if self.only else "-a", str(side + 1)]
        if self.filler is not None:
            out += ["-e", self.filler.decode()]
        if self.items:
            out += ["-o", ",".join(self.items)]
        return out

    def glue(self):
        return self.delimiter or b" "

    def body(self, side):
        return self.lines[side][1:] if self.header else self.lines[side]

    def text(self, side):
        return b"".join(self.glue().join(words) + b"\n" for _, words in self.lines[side])

    def one(self, words, side, field):
        """A field of a side, numbered from 1, which may be missing."""
        text = words[side][field - 1] if words[side] and field <= len(words[side]) else b""
        return text or self.filler or b""

    def show(self, left, right):
        """The line of a pair, or of one line; the other is None."""
        words = [left, right]
        out = []
        for item in self.items:
            if item == "0":
                side = 0 if left is not None else 1
                out.append(self.one(words, side, self.fields[side]))
            else:
                out.append(self.one(words, int(item[0]) - 1, int(item[2:])))
        if not self.items:
            for side in (0, 1):
                if words[side] is None:
                    continue
                key = self.fields[side]
                out.append(self.one(words, side, key))
                out += [self.one(words, side, f + 1) for f in range(len(words[side]))
                        if f + 1 != key]
        return self.glue().join(out) + b"\n"

    def want(self):
        left, right = self.body(0), self.body(1)
        out = []
        if self.header and (self.lines[0] or self.lines[1]):
            out.append(self.show(*(s[0][1] if s else None for s in self.lines)))
        base = sqlite3.connect(":memory:")
        for name, lines in (("l", left), ("r", right)):
            base.execute(f"create table {name} (k integer, i integer)")
            base.executemany(f"insert into {name} values (?, ?)",
                             [(k, i) for i, (k, _) in enumerate(lines) if k is not None])
            base.execute(f"create index by_{name} on {name} (k)")
        rows = base.execute("select l.i, r.i from l left join r "
                            f"on r.k between l.k + ({self.low}) and l.k + ({self.high}) "
                            "order by l.k, l.i, r.k, r.i").fetchall()
        last = None
        for i, j in rows:
            if self.semi:
                if j is not None and i != last:
                    out.append(self.show(left[i][1], None))
            elif j is None and self.unpaired[0]:
                out.append(self.show(left[i][1], None))
            elif j is not None and not self.only:
                out.append(self.show(left[i][1], right[j][1]))
            last = i
        if self.unpaired[1]:
            rows = base.execute("select r.i from r where not exists (select 1 from l where "
                                f"l.k between r.k - ({self.high}) and r.k - ({self.low})) order by r.k, r.i").fetchall()
            out += [self.show(None, right[j][1]) for j, in rows]
        base.close()
        return b"".join(out)


def check_case(binary, case, folder):
    names = [os.path.join(folder, n) for n in ("left", "right")]
    for side in (0, 1):
        join_check.put(names[side], case.text(side))
    memory = case.rng.choice([[], [], ["-S", "1M"], ["-S", "100b"]])
    if case.is_large:
        memory = ["-S", "100b"]
    threads = case.rng.choice([[], ["--parallel=1"], ["--parallel=3"]])
    command = [binary, "join", *case.options(), *memory, *threads, *names]
    got = join_check.run(command)
    want = case.want()
    skipped = sum(k is None for side in (0, 1) for k, _ in case.body(side))
    says = b"key is no number: %d\n" % skipped
    good = got.returncode == 0 and got.stdout == want
    good = good and (got.stderr.endswith(says) if skipped else got.stderr == b"")
    if not good:
        join_check.say_case(case, command, got, want)
    return good


if __name__ == "__main__":
    if matches_without_case():
        sys.exit(f"band_check: without a case, or not in lib/gpusort.h: {sorted(matches_without_case())}")
    sys.exit(join_check.main("band_check", Case, check_case))
