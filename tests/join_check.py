#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares gpusort join with join(1), case by case.

    tests/join_check.py --binary PROGRAM [--cases N] [--seed N] [--seconds N]

Each case draws two small files and options from its seed. What `gpusort join` writes of the
files as they are must be, byte by byte, what join(1) writes of copies that `sort -s` has put
in the order of their keys, in the C locale. --semi and --anti, which join(1) lacks, are
compared with the lines of FILE1 that this program finds itself.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

ENV = {**os.environ, "LC_ALL": "C"}
BLANK = b" \t\n"


class Case:
    def __init__(self, seed):
        self.seed = seed
        rng = self.rng = random.Random(seed)
        self.eol = b"\0" if rng.random() < 0.1 else b"\n"
        self.delimiter = rng.choice([None, None, b",", b"\t", b":", b" ", b"", b"a", b"\0"])
        if self.delimiter == b"\0" and self.eol == b"\0":
            self.delimiter = b","
        self.fold = rng.random() < 0.15
        self.header = rng.random() < 0.15
        self.fields = [rng.choice([1, 1, 1, 2, 3, 9]) for _ in range(2)]
        if rng.random() < 0.5:
            self.fields[1] = self.fields[0]
        self.keys = rng.choice([1, 2, 5, 30, 1000])
        self.key_kind = rng.choice(["short", "short", "number", "long", "bytes"])
        self.is_large = rng.random() < 0.05  # more than a tiny -S has room for
        if self.is_large:
            self.keys = rng.choice([300, 3000])
        self.lines = [self.draw_lines() for _ in range(2)]
        self.last_eol = [rng.random() < 0.8 for _ in range(2)]
        self.unpaired = [rng.random() < 0.3 for _ in range(2)]
        self.only = rng.random() < 0.2 and any(self.unpaired)
        self.filler = rng.choice([None, None, b"EMPTY", b"", b"-"])
        self.items = self.draw_items()
        self.is_auto = rng.random() < 0.2 and not self.items

    def draw_key(self):
        rng, n = self.rng, self.rng.randrange(self.keys)
        if self.key_kind == "short":
            return rng.choice([b"k%d", b"%dK", b"x%dy"]) % n
        if self.key_kind == "number":
            return b"%d" % (n * 37)
        if self.key_kind == "long":
            return b"common-prefix-of-many-bytes-" * rng.choice([1, 3]) + b"%d" % n
        return bytes([1 + n % 3, 255 - n % 7, 2])

    def draw_word(self):
        rng = self.rng
        if rng.random() < 0.1:
            return b""
        return bytes(rng.choice(b"abcXYZ019._\x01\xff") for _ in range(rng.randrange(1, 9)))

    def draw_lines(self):
        rng = self.rng
        out = []
        for _ in range(2500 if self.is_large else rng.choice([0, 1, 3, 10, 60, 200])):
            words = [self.draw_key() if rng.random() < 0.6 else self.draw_word()
                     for _ in range(rng.randrange(0, 6))]
            glue = self.delimiter or b" "
            line = words[0] if words else b""
            for word in words[1:]:
                if self.delimiter is None:
                    glue = rng.choice([b" ", b"  ", b"\t", b" \t "])
                line += glue + word
            if self.delimiter is None and rng.random() < 0.2:
                line = b" " + line + b" "
            out.append(line.replace(self.eol, b"?"))
        return out

    def draw_items(self):
        rng = self.rng
        if rng.random() < 0.6:
            return []
        return [rng.choice(["0", f"1.{rng.randrange(1, 5)}", f"2.{rng.randrange(1, 5)}"])
                for _ in range(rng.randrange(1, 7))]

    def options(self):
        out = []
        if self.delimiter is not None:
            out += ["-t", "\\0" if self.delimiter == b"\0" else self.delimiter.decode()]
        if self.eol == b"\0":
            out.append("-z")
        if self.fold:
            out.append("-i")
        if self.header:
            out.append("--header")
        if self.fields[0] == self.fields[1]:
            out += ["-j", str(self.fields[0])] if self.fields[0] > 1 else []
        else:
            out += [f"-1{self.fields[0]}", f"-2{self.fields[1]}"]
        for side in (0, 1):
            if self.unpaired[side]:
                out += ["-v" if self.only else "-a", str(side + 1)]
        if self.filler is not None:
            out += ["-e", self.filler.decode()]
        if self.items:
            out += self.format_options()
        if self.is_auto:
            out += ["-o", "auto"]
        return out

    def format_options(self):
        """-o in the ways there are: one list, several, operands of their own."""
        way = self.rng.choice(["list", "several", "operands", "operands"])
        if way == "list":
            return ["-o", ",".join(self.items)]
        if way == "several":
            return [word for item in self.items for word in ("-o", item)]
        return ["-o", *self.items]

    def key(self, side, line):
        """As join(1) finds it."""
        field = self.fields[side] - 1
        if self.delimiter is None:
            text = line
            for c in BLANK[1:]:
                text = text.replace(bytes([c]), b" ")
            words = text.split()
        elif self.delimiter == b"":
            words = [line]
        else:
            words = line.split(self.delimiter)
        key = words[field] if field < len(words) else b""
        return key.upper() if self.fold else key

    def in_order(self, side):
        lines = self.lines[side]
        head = 1 if self.header else 0
        return lines[:head] + sorted(lines[head:], key=lambda line: self.key(side, line))

    def text(self, lines, side=None):
        text = b"".join(line + self.eol for line in lines)
        is_whole = side is None or self.last_eol[side] or not lines or not lines[-1]
        return text if is_whole else text[:-1]


def run(command, **more):
    return subprocess.run(command, capture_output=True, env=ENV, **more)


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)


def say_case(case, command, got, want):
    print(f"case of seed {case.seed}: {' '.join(map(repr, command))}")
    print("  exit", got.returncode, got.stderr.decode(errors="replace"))
    a, b = got.stdout.split(case.eol), want.split(case.eol)
    for i, (x, y) in enumerate(zip(a + [None], b + [None])):
        if x != y:
            print(f"  line {i + 1}: got {x}, want {y}")
            break


def check_case(binary, case, folder):
    names = [os.path.join(folder, n) for n in ("left", "right")]
    sorted_names = [name + ".sorted" for name in names]
    for side in (0, 1):
        put(names[side], case.text(case.lines[side], side))
        put(sorted_names[side], case.text(case.in_order(side)))
    options = case.options()
    want = run(["join", "--nocheck-order", *options, *sorted_names])
    if want.returncode != 0:
        raise SystemExit(f"join_check: seed {case.seed}: join(1) failed: {want.stderr}")
    memory = case.rng.choice([[], [], ["-S", "1M"], ["-S", "100b"]])
    if case.is_large:
        memory = ["-S", "100b"]
    threads = case.rng.choice([[], ["--parallel=1"], ["--parallel=3"]])
    command = [binary, "join", *options, *memory, *threads, *names]
    if case.rng.random() < 0.1:
        with open(names[0], "rb") as f:
            command[-2] = "-"
            got = run(command, stdin=f)
    else:
        got = run(command)
    good = got.returncode == 0 and got.stdout == want.stdout
    if not good:
        say_case(case, command, got, want.stdout)
    return check_semi(binary, case, names) and good


def check_semi(binary, case, names):
    """Of lines as fields that are the line: what comes out is the line itself."""
    if case.header or case.delimiter is None or case.fold:
        return True
    keys = {case.key(1, line) for line in case.lines[1]}
    for option, wanted in (("--semi", True), ("--anti", False)):
        want = [line for line in case.in_order(0) if (case.key(0, line) in keys) == wanted]
        if case.delimiter == b"" or case.fields[0] != 1:
            continue
        command = [binary, "join", option, "-t",
                   "\\0" if case.delimiter == b"\0" else case.delimiter.decode(),
                   f"-2{case.fields[1]}", *(["-z"] if case.eol == b"\0" else []), *names]
        got = run(command)
        if got.returncode != 0 or got.stdout != case.text(want):
            say_case(case, command, got, case.text(want))
            return False
    return True


def main(name, draw, check):
    """`check` of (binary, the case that `draw` makes of its seed, folder), many times."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0, help="0: as long as it takes")
    args = parser.parse_args()
    binary = os.path.abspath(args.binary)
    end = time.monotonic() + args.seconds if args.seconds else float("inf")
    failed = done = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + args.cases):
            if time.monotonic() > end:
                break
            failed += not check(binary, draw(seed), folder)
            done += 1
            if failed >= 5:
                break
    print(f"{name}: {done} cases from seed {args.seed}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main("join_check", Case, check_case))
