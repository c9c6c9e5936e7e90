#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares gpusort join --binary with gpusort join of the same rows as text, case by case.

    tests/join_tuple_check.py --binary PROGRAM [--cases N] [--seed N] [--seconds N]

Each case draws the fields of two files, rows, and options from its seed. With --text the
lines of a band join must be those of the text join, in its order, and those of a join of
equal keys the same lines, in the order of the numbers; without it the tuples must have what
the lines have, and zeros where a field is missing.
"""
import os
import random
import re
import struct
import sys

import join_check

NUMBERS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
           "f32": "f", "f64": "d"}
MISSING = b"@"


def print_float(value, is_narrow):
    for digits in range(6, 10) if is_narrow else range(15, 18):
        text = "%.*g" % (digits, value)
        back = float(text)
        if (struct.unpack("f", struct.pack("f", back))[0] if is_narrow else back) == value:
            break
    return text.encode()


class Field:
    def __init__(self, name):
        self.name = name
        self.kind = name[0]
        self.is_big = name.endswith("be")
        bare = name[:-2] if self.is_big else name
        self.code = f"{name[1:]}s" if self.kind == "b" else NUMBERS[bare]
        self.code = (">" if self.is_big else "<") + self.code
        self.bytes = struct.calcsize(self.code)

    def draw(self, rng, width, is_key, is_exact):
        if self.kind == "b":
            return bytes(rng.choice(b"ab\x01\xff") for _ in range(self.bytes))
        if self.kind == "f":
            value = rng.randrange(-width, width) / (4 if is_key and is_exact else rng.choice([1, 4, 7, 10]))
            return struct.unpack(self.code, struct.pack(self.code, value))[0]
        least, end = (0, 1 << 8 * self.bytes) if self.kind == "u" else (-1 << 8 * self.bytes - 1, 1 << 8 * self.bytes - 1)
        far = not is_key and rng.random() < 0.3
        return rng.randrange(least, end) if far else rng.randrange(max(least, -width), min(end, width))

    def text(self, value):
        if self.kind == "b":
            return value
        return print_float(value, self.bytes == 4) if self.kind == "f" else b"%d" % value


def draw_key_fields(rng, is_band):
    whole = [n + b for n in NUMBERS if n[0] != "f" for b in ("", "be")]
    floats = [n + b for n in ("f32", "f64") for b in ("", "be")]
    if is_band:
        return [rng.choice(whole + floats) for _ in range(2)]
    kind = rng.random()
    if kind < 0.2:
        return [f"b{rng.choice([1, 2, 5])}"] * 2
    return [rng.choice(whole if kind < 0.8 else floats) for _ in range(2)]


class Case:
    def __init__(self, seed):
        self.seed = seed
        rng = self.rng = random.Random(seed)
        self.eol = b"\n"
        self.is_band = rng.random() < 0.5
        self.is_large = rng.random() < 0.12
        self.width = rng.choice([3, 10, 100])
        keys = draw_key_fields(rng, self.is_band)
        others = ["b3", "u32", "i8", "f64", "u16be", "f32", "b1", "i64be", "u64"]
        self.fields, self.keys = [], []
        for side in range(2):
            names = [rng.choice(others) for _ in range(rng.randrange(4))]
            at = rng.randrange(len(names) + 1)
            self.fields.append([Field(n) for n in names[:at] + [keys[side]] + names[at:]])
            self.keys.append(at)
        self.rows = [self.draw_rows(side) for side in range(2)]
        self.low, self.high = sorted(rng.randrange(-8, 9) / rng.choice([1, 4]) for _ in range(2))
        if self.is_large:
            self.high = self.low
        self.unpaired = [rng.random() < (0.1 if self.is_large else 0.3) for _ in range(2)]
        self.only = rng.random() < 0.3 and any(self.unpaired)
        self.semi = rng.random() < 0.15 and not any(self.unpaired)
        if keys[0] != keys[1] and not self.is_band:
            self.unpaired[1] = False
            self.only = self.only and self.unpaired[0]

    def draw_rows(self, side):
        rng = self.rng
        count = rng.choice([2500, 4000]) if self.is_large else rng.choice([0, 1, 5, 30, 80])
        width = 100000 if self.is_large else self.width
        return [[f.draw(rng, width, i == self.keys[side], not self.is_band) for i, f in enumerate(self.fields[side])]
                for _ in range(count)]

    def binary(self, side):
        return b"".join(struct.pack(f.code, v) for row in self.rows[side] for f, v in zip(self.fields[side], row))

    def text(self, side):
        return b"".join(b",".join(f.text(v) for f, v in zip(self.fields[side], row)) + b"\n" for row in self.rows[side])

    def columns(self):
        """(side, field) of each of the output, in order."""
        pairs = not self.only and not self.semi
        shows = [pairs or self.semi or self.unpaired[0], pairs or self.unpaired[1]]
        out = []
        for side in range(2):
            if self.is_band and shows[side] or not self.is_band and side == 0:
                out.append((side, self.keys[side]))
            out += [(side, f) for f in range(len(self.fields[side])) if shows[side] and f != self.keys[side]]
        return out

    def kind_options(self):
        out = [f"-1{self.keys[0] + 1}", f"-2{self.keys[1] + 1}"]
        if self.is_band:
            out.append(f"--band={self.low}:{self.high}")
        if self.semi:
            out.append("--semi")
        for side in range(2):
            if self.unpaired[side]:
                out += ["-v" if self.only else "-a", str(side + 1)]
        return out

    def said_fields(self):
        names = [",".join(f.name for f in fields) for fields in self.fields]
        return names[0] if names[0] == names[1] and self.rng.random() < 0.5 else ":".join(names)


def key_order(case, lines):
    """Are the keys of lines, which are their first fields, in order?"""
    field = case.fields[0][case.keys[0]]
    keys = [line.split(b",")[0] for line in lines]
    if field.kind != "b":
        keys = [float(k) if field.kind == "f" else int(k) for k in keys]
    return keys == sorted(keys)


def unpack(case, data):
    fields = [case.fields[side][f] for side, f in case.columns()]
    size = sum(f.bytes for f in fields)
    if not size or len(data) % size:
        return [] if not data else None
    out = []
    for at in range(0, len(data), size):
        row, begin = [], at
        for f in fields:
            row.append(f.text(struct.unpack_from(f.code, data, begin)[0]))
            begin += f.bytes
        out.append(row)
    return out


def zeros(case, lines):
    """The lines' fields, with what a zero is where one is missing."""
    zero = {"b": lambda f: b"\0" * f.bytes}
    fields = [case.fields[side][f] for side, f in case.columns()]
    return [[zero.get(f.kind, lambda _: b"0")(f) if word == MISSING else word for f, word in zip(fields, re.split(b",", line))]
            for line in lines]


def check_case(binary, case, folder):
    names = [os.path.join(folder, n) for n in ("left", "right", "left.txt", "right.txt")]
    for side in (0, 1):
        join_check.put(names[side], case.binary(side))
        join_check.put(names[side + 2], case.text(side))
    rng = case.rng
    memory = ["-S", "100b"] if case.is_large else rng.choice([[], ["-S", "1M"]])
    threads = rng.choice([[], ["--parallel=1"], ["--parallel=3"]])
    common = case.kind_options() + memory + threads
    # Without the list a line that has no partner would have fewer fields.
    items = ",".join("0" if not case.is_band and i == 0 else f"{side + 1}.{f + 1}"
                     for i, (side, f) in enumerate(case.columns()))
    want = join_check.run([binary, "join", "-t,", *common, "-o", items, "-e", MISSING.decode(), *names[2:]])
    said = [binary, "join", f"--binary={case.said_fields()}", *common]
    command = [*said, "--text", "-t,", "-o", items, "-e", MISSING.decode(), *names[:2]]
    text = join_check.run(command)
    lines, wanted = text.stdout.splitlines(), want.stdout.splitlines()
    good = want.returncode == 0 and text.returncode == 0 and text.stderr == b"" and wanted == lines
    if not case.is_band:
        good = text.returncode == 0 and sorted(wanted) == sorted(lines) and key_order(case, lines)
    if not good:
        join_check.say_case(case, command, text, want.stdout)
        return False
    tuples = join_check.run([*said, *names[:2]])
    rows = unpack(case, tuples.stdout)
    good = tuples.returncode == 0 and rows == zeros(case, lines)
    if not good:
        join_check.say_case(case, [*said, *names[:2]], tuples, b"\n".join(b",".join(row) for row in zeros(case, lines)))
    return good


if __name__ == "__main__":
    sys.exit(join_check.main("join_tuple_check", Case, check_case))
