#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares gpusort join --csv and --tsv with Python's csv module, case by case.

    tests/join_csv_check.py --binary PROGRAM [--cases N] [--seed N] [--seconds N]

Each case draws two small tables, with quotes where they must be and where they need not, ends
of lines in fields, CRs and a byte order mark, and options from its seed. This program reads
them by the csv module and joins the values itself; what gpusort writes is read by that module,
and has to be those rows.
"""
import csv
import io
import os
import random
import sys

import join_check


class Case:
    eol = b"\n"

    def __init__(self, seed):
        self.seed = seed
        rng = self.rng = random.Random(seed)
        self.is_tab = rng.random() < 0.3
        self.separator = "\t" if self.is_tab else ","
        self.header = rng.random() < 0.7
        self.keys = rng.choice([1, 3, 30, 1000])
        self.widths = [rng.randrange(1, 6) for _ in range(2)]
        self.fields = [rng.randrange(width) for width in self.widths]
        self.names = [self.draw_names(width) for width in self.widths]
        self.is_large = rng.random() < 0.05
        if self.is_large:
            self.keys = 3000
        self.tables = [self.draw_table(side) for side in (0, 1)]
        self.fold = rng.random() < 0.1
        self.unpaired = [rng.random() < 0.3 for _ in range(2)]
        self.only = rng.random() < 0.2 and any(self.unpaired)
        self.filler = rng.choice([None, "EMPTY", "a,b", 'q"q', "two\nlines"])
        self.items = []
        if rng.random() < 0.6:
            self.items = [rng.choice(["0", (0, rng.randrange(5)), (1, rng.randrange(5))])
                          for _ in range(rng.randrange(1, 6))]
        self.texts = [self.write(side) for side in (0, 1)]

    def draw_names(self, width):
        names = ["id", "name, first", 'the "x"', "a\nb", "long name of a column", "z1"]
        self.rng.shuffle(names)
        return names[:width]

    def draw_value(self):
        rng = self.rng
        return "".join(rng.choice(["a", "B", "7", ",", '"', "\n", "\t", " ", "\r\n", "é", "x" * 70])
                       for _ in range(rng.randrange(0, 6)))

    def draw_table(self, side):
        rng = self.rng
        rows = []
        for _ in range(2500 if self.is_large else rng.choice([0, 1, 5, 40, 150])):
            row = [self.draw_value() for _ in range(self.widths[side])]
            row[self.fields[side]] = rng.choice(["k%d", "%d", 'q"%d', "K%d"]) % rng.randrange(self.keys)
            rows.append(row)
        return rows

    def write_field(self, value):
        must = any(c in value for c in (self.separator, '"', "\n", "\r"))
        if must or self.rng.random() < 0.2:
            return '"%s"' % value.replace('"', '""')
        return value

    def write(self, side):
        rng = self.rng
        rows = ([self.names[side]] if self.header else []) + self.tables[side]
        eol = rng.choice(["\n", "\n", "\r\n"])
        lines = [self.separator.join(map(self.write_field, row)) for row in rows]
        # A row of one empty field is an empty line, which the csv module leaves out.
        lines = [line or '""' for line in lines]
        text = eol.join(lines) + (eol if lines and rng.random() < 0.8 else "")
        mark = "\ufeff" if self.header and rng.random() < 0.2 else ""
        return (mark + text).encode()

    def field_name(self, side, field):
        name = self.names[side][field] if field < self.widths[side] else ""
        plain = self.header and name and not any(c in name for c in ", \n\t")
        return name if plain and self.rng.random() < 0.5 else str(field + 1)

    def options(self):
        out = ["--tsv" if self.is_tab else "--csv"]
        if not self.header:
            out.append("--no-header")
        for side in (0, 1):
            by_name = self.header and self.tables[side] and self.rng.random() < 0.5
            out += ["-%d" % (side + 1),
                    self.names[side][self.fields[side]] if by_name else str(self.fields[side] + 1)]
            if self.unpaired[side]:
                out += ["-v" if self.only else "-a", str(side + 1)]
        if self.fold:
            out.append("-i")
        if self.filler is not None:
            out += ["-e", self.filler]
        if self.items:
            out += ["-o", ",".join(i if i == "0" else "%d.%s" % (i[0] + 1, self.field_name(*i))
                                   for i in self.items)]
        return out

    def fill(self, row, field):
        value = row[field] if row is not None and field < len(row) else ""
        return value or self.filler or ""

    def show(self, left, right):
        rows = (left, right)
        first = 0 if left is not None else 1
        key = self.fill(rows[first], self.fields[first])
        if self.items:
            return [key if i == "0" else self.fill(rows[i[0]], i[1]) for i in self.items]
        out = [key]
        for side in (0, 1):
            if rows[side] is not None:
                out += [self.fill(rows[side], f) for f in range(len(rows[side])) if f != self.fields[side]]
        return out

    def key(self, side, row):
        key = row[self.fields[side]].encode()
        return key.upper() if self.fold else key

    def want(self):
        out = []
        sides = [sorted(self.tables[s], key=lambda row, s=s: self.key(s, row)) for s in (0, 1)]
        if self.header:
            out.append(self.show(*self.names))
        of_key = [{}, {}]
        for s in (0, 1):
            for row in sides[s]:
                of_key[s].setdefault(self.key(s, row), []).append(row)
        for key in sorted(set(of_key[0]) | set(of_key[1])):
            left, right = of_key[0].get(key, []), of_key[1].get(key, [])
            if left and right and not self.only:
                out += [self.show(a, b) for a in left for b in right]
            if not right and self.unpaired[0]:
                out += [self.show(a, None) for a in left]
            if not left and self.unpaired[1]:
                out += [self.show(None, b) for b in right]
        return out


def rows_of(text, separator):
    return list(csv.reader(io.StringIO(text.decode(), newline=""), delimiter=separator, strict=True))


def check_case(binary, case, folder):
    names = [os.path.join(folder, n) for n in ("left", "right")]
    for side in (0, 1):
        join_check.put(names[side], case.texts[side])
        head = 1 if case.header else 0
        read = rows_of(case.texts[side].removeprefix("\ufeff".encode()), case.separator)
        assert read[head:] == case.tables[side], "the table is not what was drawn"
    memory = ["-S", "100b"] if case.is_large else case.rng.choice([[], ["-S", "1M"], ["-S", "100b"]])
    threads = case.rng.choice([[], ["--parallel=1"], ["--parallel=3"]])
    command = [binary, "join", *case.options(), *memory, *threads, *names]
    got = join_check.run(command)
    want = case.want()
    rows = None
    try:
        rows = rows_of(got.stdout, case.separator)
    except csv.Error as error:
        print(error)
    # An empty line is a row of one empty field.
    if got.returncode == 0 and [row or [""] for row in rows or []] == want:
        return True
    print(f"case of seed {case.seed}: {' '.join(map(repr, command))}")
    print("  exit", got.returncode, got.stderr.decode(errors="replace"))
    for i, (x, y) in enumerate(zip((rows or []) + [None], want + [None])):
        if x != y:
            print(f"  row {i + 1}: got {x}, want {y}")
            break
    return False


if __name__ == "__main__":
    sys.exit(join_check.main("join_csv_check", Case, check_case))
