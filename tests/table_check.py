#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds `gpusort sort --csv` and `--tsv` against Python's csv module.

Random tables, with everything that quotes may hold, are sorted by random keys, with random
options, from files, pipes and compressed files, in memory and spilled; what must come out
is computed here, by the csv module and Python's own sort. So are broken tables, and what
must be said of them. Tables whose values need no quotes are sorted as GNU sort has their
lines, with quotes around them or not. A case that fails is kept and printed as a command
line.
"""
import argparse
import copy
import csv
import gzip
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

import key_letters
import reference_sort
from mattered import MORE_CASES, Mattered

MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV",
          "DEC"]

# --- what a value is as a key ------------------------------------------------------------

UPPER = bytes.maketrans(bytes(range(97, 123)), bytes(range(65, 91)))
BLANKS = b" \t\n"


def number(text):
    found = re.match(rb"[ \t\n]*(-?)([0-9]*)(?:\.([0-9]*))?", text)
    whole, part = found[2] or b"0", found[3] or b""
    value = Fraction(int(whole + part), 10 ** len(part))
    return -value if found[1] else value


def general(text):
    found = re.match(rb"[ \t\n\r]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", text)
    return (1, Fraction(found[0].decode().strip())) if found else (0, 0)


def human(text):
    value = number(text)
    unit = re.match(rb"[ \t\n]*-?[0-9]*(?:\.[0-9]*)?([KMGTPEZYRQk]?)", text)[1]
    rank = b"KMGTPEZYRQ".index(unit.upper()) + 1 if unit and value else 0
    return (rank if value >= 0 else -rank, value)


def month(text):
    name = text.lstrip(BLANKS)[:3].translate(UPPER).decode("latin-1")
    return MONTHS.index(name) + 1 if name in MONTHS else 0


def text_key(text, letters):
    if "d" in letters:
        text = bytes(c for c in text if chr(c).isalnum() and c < 128 or c in BLANKS)
    elif "i" in letters:
        text = bytes(c for c in text if 32 <= c < 127)
    return text.translate(UPPER) if "f" in letters else text


def value_key(text, letters):
    if "b" in letters:
        text = text.lstrip(BLANKS)
    for letter, make in (("n", number), ("g", general), ("h", human)):
        if letter in letters:
            return make(text)
    text = text_key(text, letters)
    return month(text) if "M" in letters else text


class Turned:
    """Compares the other way round."""
    def __init__(self, key):
        self.key = key

    def __lt__(self, other):
        return other.key < self.key

    def __eq__(self, other):
        return self.key == other.key


# --- tables ------------------------------------------------------------------------------

def cut_records(text, separator):
    """(raw record without its line end, values), by the csv module, from pieces that end
    with a newline."""
    taken = []

    def lines():
        for line in text.split(b"\n")[:-1]:
            taken.append(line + b"\n")
            yield taken[-1].decode("latin-1")

    out = []
    for values in csv.reader(lines(), delimiter=separator, strict=True):
        raw = b"".join(taken)
        taken.clear()
        out.append((raw[:-1], [v.encode("latin-1") for v in values]))
    return out


WORDS = ["", "a", "b", "B", "ab", "Ab", "zebra", "10", "9", "-3", "1.50", "1.5", "007", "1e3",
         "2K", "1G", "jan", "Dec", " x", "  7", "\t8", "ü", "x\x80y", "same", "same", "same"]
HARD = ["a,b", "a\tb", 'say "hi"', '"', '""', "two\nlines", "cr\r\nlf", "\n", ",", "a\n\nb;c",
        ", ,", '","', "x" * 70, "y" * 63 + '"' + "z" * 5, "q" * 61 + '",' + "\n" * 3]


def random_value(rng, hard):
    if rng.random() < hard:
        return rng.choice(HARD) + (rng.choice(HARD) if rng.random() < 0.3 else "")
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(WORDS)
    if kind < 0.75:
        return str(rng.randrange(-50, 2000))
    return "".join(rng.choice("abcABC 12.-") for _ in range(rng.randrange(12)))


def write_field(rng, value, separator):
    must = any(c in value for c in separator + '"\r\n')
    if must or rng.random() < 0.2:
        return '"' + value.replace('"', '""') + '"'
    return value


def write_record(rng, values, separator, end):
    return separator.join(write_field(rng, v, separator) for v in values) + end


def random_name(rng, used):
    while True:
        name = rng.choice(["price", "name", "a b", "2019", "x:y", "n,r", 'in "quotes"', "é",
                           "two\nlines", "id", "P" * 70]) + rng.choice(["", "", "1", "2"])
        if name not in used:
            used.add(name)
            return name


LETTERS = ["", "", "n", "n", "f", "d", "i", "g", "h", "M", "b", "df", "bn"]
TURNS = ["", "", "r"]


# What changes what comes out (mattered.py): of a key what it is without, of a case the attribute.
KEY_PARTS = {"a second column": lambda key: (key[0], key[0], *key[2:]),
             "a first character": lambda key: (*key[:2], 0, *key[3:]),
             "a last character": lambda key: (*key[:3], 0, key[4])}
for _letter in sorted(set("".join(LETTERS + TURNS))):
    KEY_PARTS[_letter] = lambda key, letter=_letter: (*key[:4], key[4].replace(letter, ""))
OPTIONS = {"reverse": False, "stable": False, "unique": False, "count": False, "top": None, "has_header": False}


class Case:
    def __init__(self, rng, folder, big):
        self.rng, self.folder = rng, folder
        self.separator = rng.choice([",", ",", ",", ";", "|", "\t"])
        self.columns = rng.randrange(1, 7)
        self.has_header = rng.random() < 0.75
        self.end = rng.choice(["\n", "\n", "\r\n"])
        self.hard = rng.choice([0, 0.05, 0.3, 0.7])
        self.big = big
        used = set()
        self.names = [random_name(rng, used) for _ in range(self.columns)]
        self.keys = []  # (first column, last, start, end or 0, letters)
        self.args = []
        self.make_files()
        self.make_keys()
        self.make_options()

    def text(self, rows):
        rng, out = self.rng, []
        if self.has_header:
            out.append(write_record(rng, self.names, self.separator, self.end))
            self.header = out[0] = getattr(self, "header", out[0])
        for _ in range(rows):
            count = self.columns if rng.random() < 0.95 else rng.randrange(1, 9)
            values = [random_value(rng, self.hard) for _ in range(count)]
            out.append(write_record(rng, values, self.separator, self.end))
        text = "".join(out).encode("utf-8")
        if rng.random() < 0.2 and text.endswith(b"\n") and rows:
            text = text[:-1] if self.end == "\n" else text[:-2]
        return text

    def make_files(self):
        rng, self.files, self.texts = self.rng, [], []
        for i in range(rng.choice([1, 1, 1, 2, 3])):
            rows = rng.randrange(8000, 20000) if self.big else rng.choice([0, 1, 3, 10, 60, 400])
            text = self.text(rows)
            self.texts.append(text if text.endswith(b"\n") or not text else text + b"\n")
            name = os.path.join(self.folder, f"t{i}.csv")
            with (gzip.open if rng.random() < 0.15 else open)(name, "wb") as file:
                file.write(text)
            self.files.append(name)

    def make_keys(self):
        rng = self.rng
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
            letters = rng.choice(LETTERS) + rng.choice(TURNS)
            column = rng.randrange(self.columns + (not self.has_header))
            if self.has_header and rng.random() < 0.6:
                self.args += ["--key=" + self.spell(column, letters)]
                self.keys.append((column, column, 0, 0, letters))
                continue
            if rng.random() < 0.3:
                self.args += ["-k", f"{column + 1}" + (":" + letters if letters else ":r"[:0])]
                last = column if letters else 10 ** 6
                self.keys.append((column, last, 0, 0, letters))
                continue
            last = rng.choice([column, column, column + 1, 10 ** 6])
            first_char = rng.choice([0, 0, 0, 1, 3])
            last_char = rng.choice([0, 0, 2, 5]) if last < 10 ** 6 else 0
            begin = f"{column + 1}" + (f".{first_char + 1}" if first_char else "")
            end = f",{last + 1}" + (f".{last_char}" if last_char else "")
            both = letters if "b" not in letters else letters + ""
            text = begin + both + (end if last < 10 ** 6 else "")
            if "b" in letters and last < 10 ** 6:
                text += "b"
            self.args += ["-k", text]
            self.keys.append((column, last, first_char, last_char, letters))

    def spell(self, column, letters):
        name = self.names[column]
        if any(c in name for c in ':,"') or name[0].isdigit() or self.rng.random() < 0.2:
            name = '"' + name.replace('"', '""') + '"'
        groups = list(letters) if self.rng.random() < 0.5 else [letters] * bool(letters)
        return name + "".join(self.rng.choice(":,") + g for g in groups)

    def make_options(self):
        rng = self.rng
        if self.separator == "\t" and rng.random() < 0.7:
            self.args.append("--tsv")
        else:
            self.args.append("--csv")
            if self.separator != ",":
                self.args += ["-t", self.separator]
        if not self.has_header:
            self.args.append(rng.choice(["--no-header", "--header=0"]))
        self.reverse = rng.random() < 0.2
        self.stable = rng.random() < 0.25
        self.unique = rng.random() < 0.2
        self.count = not self.unique and rng.random() < 0.15
        self.top = rng.choice([0, 1, 5, 50]) if rng.random() < 0.2 else None
        self.args += ["-r"] * self.reverse + ["-s"] * self.stable + ["-u"] * self.unique
        self.args += ["--count"] * self.count
        self.args += [f"--top={self.top}"] if self.top is not None else []
        self.args += ["--verify"] * (rng.random() < 0.3)
        self.args += rng.choice([[], [], ["--parallel=1"], ["--parallel=4"]])
        if self.big:
            self.args += ["-S", rng.choice(["600K", "1M", "2M"])]
            if rng.random() < 0.15:
                self.args += ["--compress-program=gzip"]

    # -- what it has, and what must come out --

    def properties(self):
        return ([name for name, off in OPTIONS.items() if getattr(self, name) != off] +
                [name for name, change in KEY_PARTS.items() if any(change(key) != key for key in self.keys)])

    def without(self, name):
        other = copy.copy(self)
        if name in OPTIONS:
            setattr(other, name, OPTIONS[name])
        else:
            other.keys = [KEY_PARTS[name](key) for key in self.keys]
        return other

    def part(self, values, key):
        first, last, first_char, last_char, letters = key
        skips = "b" in letters
        def drop(text, n):
            return (text.lstrip(BLANKS) if skips else text)[n:]
        if first >= len(values):
            return b""
        if first == last:
            text = values[first]
            end = len(text)
            if last_char:
                end = min(end, end - len(drop(text, 0)) + last_char)
            start = len(text) - len(drop(text, first_char))
            return text[start:max(start, end)]
        if first > last:
            return b""
        taken = values[first:last + 1]
        start = len(taken[0]) - len(drop(taken[0], first_char))
        if last_char and last < len(values):
            text = taken[-1]
            taken[-1] = text[:len(text) - len(drop(text, 0)) + last_char]
        return self.separator.encode().join([taken[0][start:]] + taken[1:])

    def sort_key(self, record):
        raw, values = record
        parts = []
        for key in self.keys:
            letters = key[4] or ("r" if self.reverse else "")
            made = value_key(self.part(values, key), letters.replace("b", ""))
            parts.append(Turned(made) if "r" in letters else made)
        if not self.keys or not (self.stable or self.unique):
            parts.append(Turned(raw) if self.reverse else raw)
        return parts

    def expected(self):
        records, header = [], b""
        for text in self.texts:
            cut = cut_records(text, self.separator)
            if self.has_header and cut:
                header = header or cut[0][0] + b"\n"
                cut = cut[1:]
            records += cut
        if self.count:
            self.stable = False
        records.sort(key=self.sort_key)
        if self.unique or self.count:
            kept = []
            for record in records:
                if self.count and kept and kept[-1][0][0] == record[0]:
                    kept[-1][1] += 1
                elif self.unique and kept and self.sort_key(kept[-1][0]) == self.sort_key(record):
                    continue
                else:
                    kept.append([record, 1])
            lines = [(b"%7d " % n if self.count else b"") + r[0] for r, n in kept]
        else:
            lines = [r[0] for r in records]
        return header + b"".join(line + b"\n" for line in lines[:self.top])


def run(binary, args, stdin=None):
    return subprocess.run([binary, "sort", "--engine=cpu"] + args, input=stdin,
                          capture_output=True, check=False)


def check_case(case, binary, seen):
    """None, or what is wrong."""
    args = case.args + case.files
    stdin = None
    if len(case.files) == 1 and case.rng.random() < 0.3:
        with open(case.files[0], "rb") as file:
            stdin = file.read()
        args = case.args
    got = run(binary, args, stdin)
    want = case.expected()
    if got.returncode != 0 or got.stdout != want:
        return args, got.stderr.decode("latin-1") or "another output", want
    if not case.big: # which takes long to sort here
        seen.see(case, want)
    if case.count or case.top is not None:
        return None
    return check_sorted(case, binary, want)


def check_sorted(case, binary, want):
    """What is sorted is in order, and is the same when it is merged of its halves."""
    name = os.path.join(case.folder, "sorted.csv")
    with open(name, "wb") as file:
        file.write(want)
    args = [a for a in case.args if a != "--verify"] + ["-c", name]
    got = run(binary, args)
    if got.returncode != 0:
        return args, "not in order: " + got.stderr.decode("latin-1"), b""
    halves = []
    records = cut_records(want, case.separator)
    header = [records.pop(0)] if case.has_header and records else []
    for i in range(2):
        halves.append(os.path.join(case.folder, f"half{i}.csv"))
        with open(halves[-1], "wb") as file:
            file.write(b"".join(r[0] + b"\n" for r in header + records[i::2]))
    if case.has_header and not header:
        return None
    args = case.args + ["-m"] + halves
    got = run(binary, args)
    if case.stable or case.unique or not case.keys:
        same = sorted(got.stdout.split(b"\n")) == sorted(want.split(b"\n"))
    else:
        same = got.stdout == want
    if got.returncode != 0 or not same:
        return args, "merged: " + (got.stderr.decode("latin-1") or "another output"), want
    return None


# --- broken tables -----------------------------------------------------------------------

def check_broken(rng, binary, folder):
    """A record that is broken is named by its line, however much comes before it."""
    rows = rng.choice([0, 1, 5, 3000, 30000])
    good = ["a,b"]
    for i in range(rows):
        good.append(rng.choice([f"{i},x", f'{i},"x ""y"""', f'"{i}\nz",w', f'{i},"x,\r\n"']))
    before = "\r\n".join(good) + "\n"
    line = before.count("\n") + 1
    bad, why, plus = rng.choice([
        ('1,"x"y\n2,z\n', "text behind a closing quote", 0),
        ('1,"x" \n2,z\n', "text behind a closing quote", 0),
        ('1,"p\nq"y,"z"\n2,z\n', "text behind a closing quote", 1),
        ('1,"x"\ry\n2,z\n', "text behind a closing quote", 0),
        ('1,x"y\n2,z\n3,"4"\n', "a quote in a field that does not begin with one", 0),
        ('1, "y"\n2,z\n', "a quote in a field that does not begin with one", 0),
        ('1,"y\n2,z\n', "a quote is not closed", 0),
        ('1,"y', "a quote is not closed", 0),
        ('1,"y""\n', "a quote is not closed", 0),
    ])
    name = os.path.join(folder, "broken.csv")
    with open(name, "w", encoding="utf-8", newline="") as file:
        file.write(before + bad)
    for work in (["-k", "a"], ["-s", "-k", "b:r", "--parallel=1"], ["-S", "1M"], ["-m", "-k1,1"]):
        if work[0] == "-m" and rows > 10:
            continue
        got = run(binary, ["--csv"] + work + [name])
        said = got.stderr.decode("latin-1").split("\n")[0]
        want = f"gpusort sort: {name}: line {line + plus}: {why}"
        want += f", in a record that begins on line {line}" * (plus > 0)
        if got.returncode != 2 or said != want or got.stdout:
            return ["--csv"] + work + [name], f"'{said}' and not '{want}'", b""
    return None


def check_broken_amid(rng, binary, folder):
    """Of a large table the first record that is broken is named, though from there on all
    that is between quotes seems not to be, and the other way round, to every thread."""
    rows = ['%d,"%s,\n%d"\n' % (rng.randrange(10 ** 6), "x" * rng.randrange(40), i)
            for i in range(120000)]
    at = rng.randrange(2000, 50000)
    rows[at] = '17,x"y\n'
    name = os.path.join(folder, "amid.csv")
    with open(name, "w", encoding="utf-8") as file:
        file.write("a,b\n" + "".join(rows))
    want = f"gpusort sort: {name}: line {2 * at + 2}: a quote in a field that does not begin with one"
    for work in (["--parallel=4", "-k", "b"], ["--parallel=2", "-S", "5M", "-k3"],
                 ["--parallel=4", "-S", "5M", "-k3"], ["-c", "-s", "-k3"], ["-m", "-s", "-k3"]):
        got = run(binary, ["--csv"] + work + [name])
        said = got.stderr.decode("latin-1").split("\n")[0]
        if got.returncode != 2 or said != want:
            return ["--csv"] + work + [name], f"'{said}' and not '{want}'", b""
    return None


# --- lines that are tables, too ----------------------------------------------------------

def quote_fields(rng, line, separator):
    return separator.join(b'"%s"' % f if rng.random() < 0.5 else f for f in line.split(separator))


LINE_LETTERS = ["V", "V", "R", "n", "g", "h", "M", "f", "d", "i", ""]
LINE_TURNS = ["", "r"]


def check_lines(rng, binary, folder, lacking, seen, wanted=None):
    """What needs no quotes is sorted as GNU sort has it, by all kinds of keys, or by the wanted one."""
    separator = rng.choice([b",", b";"])
    easy = [w.encode("latin-1") for w in WORDS] + [b"v1.9", b"v1.10", b"v1.2~rc", b"1e-3", b"inf",
                                                  b"12M", b"0x1f", b"-7.5", b"FEB", b" Mar"]
    lines = [separator.join(rng.choice(easy) if rng.random() < 0.6 else b"%d" % rng.randrange(3000)
                            for _ in range(4)) for _ in range(rng.choice([20, 300] if wanted else [20, 300, 60000]))]
    source = os.path.join(folder, "source")
    with open(source, "wb") as file:
        file.write(bytes(rng.randrange(256) for _ in range(64)))
    column = rng.randrange(4)
    letters = wanted or rng.choice(LINE_LETTERS) + rng.choice(LINE_TURNS)
    stable = rng.choice([["-s"], ["-u"], ["-s", "-r"], []])

    def by(letters):
        return ["-k", f"{column + 1},{column + 1}{letters}", "--random-source=" + source, *stable,
                "-t", separator.decode()]

    args = by(letters)
    text = b"".join(line + b"\n" for line in lines)
    if reference_sort.outdated(lacking, args, text):
        seen.note(wanted or "", lambda letter: True)
        return None
    want = reference_sort.run(args, text)
    seen.note(letters, lambda letter: reference_sort.run(by(letters.replace(letter, "")), text) != want)
    bodies = {"--csv": b"".join(quote_fields(rng, line, separator) + b"\n" for line in lines),
              "--no-quotes": text}
    if not stable: # the order of equals is by bytes that have quotes or not
        del bodies["--csv"]
    for how, body in bodies.items():
        name = os.path.join(folder, "lines.csv")
        with open(name, "wb") as file:
            file.write(b"a;b,c\n" + body)
        command = args + ["--csv", how, name] + rng.choice([[], ["-S", "1M"], ["--verify"]])
        got = run(binary, command)
        cut = cut_records(got.stdout, separator.decode()) if how == "--csv" else []
        out = b"".join(separator.join(values) + b"\n" for _, values in cut[1:])
        if how != "--csv":
            out = got.stdout[6:]
        if got.returncode != 0 or got.stdout[:6] != b"a;b,c\n" or out != want:
            return command, got.stderr.decode("latin-1") or "another order than GNU sort's", want
    name = os.path.join(folder, "sorted.csv")
    with open(name, "wb") as file:
        file.write(b"a;b,c\n" + want)
    got = run(binary, args + ["--csv", "--no-quotes", "-m", name, name])
    if got.returncode != 0 or got.stdout != b"a;b,c\n" + reference_sort.run(args, want + want):
        return args + ["--csv", "--no-quotes", "-m", name, name], "merged otherwise", b""
    return None


def check_number(number_of_case, args, folder, lacking, seen, seen_lines):
    rng = random.Random(args.seed * 1000003 + number_of_case)
    if number_of_case >= args.cases: # for what has not come so far
        if seen_lines.lacking and number_of_case % 2:
            wanted = rng.choice(sorted(seen_lines.lacking))
            return check_lines(rng, args.binary, folder, lacking, seen_lines, wanted)
        case = Case(rng, folder, False)
        return check_case(case, args.binary, seen) if seen.is_news(case) else None
    if number_of_case % 15 == 7:
        return check_broken(rng, args.binary, folder)
    if number_of_case % 20 == 9:
        return check_broken_amid(rng, args.binary, folder)
    if number_of_case % 5 == 1:
        return check_lines(rng, args.binary, folder, lacking, seen_lines)
    return check_case(Case(rng, folder, number_of_case % 25 == 3), args.binary, seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GS_TEST_SEED", "1")))
    args = parser.parse_args()
    key_letters.check_drawn("value_key() of table_check.py", LETTERS + TURNS, left_out="VR")
    key_letters.check_drawn("check_lines() of table_check.py", LINE_LETTERS + LINE_TURNS, left_out="b")
    csv.field_size_limit(1 << 30)
    print(f"seed {args.seed}")
    folder = tempfile.mkdtemp(prefix="gs-table-")
    lacking = reference_sort.lacking()
    seen = Mattered("table_check.py", [*OPTIONS, *KEY_PARTS])
    seen_lines = Mattered("check_lines() of table_check.py", "".join(LINE_LETTERS + LINE_TURNS))
    for number_of_case in range(args.cases + MORE_CASES):
        if number_of_case >= args.cases and not seen.lacking and not seen_lines.lacking:
            break
        wrong = check_number(number_of_case, args, folder, lacking, seen, seen_lines)
        if wrong is not None:
            command, what, want = wrong
            with open(os.path.join(folder, "want"), "wb") as file:
                file.write(want)
            print(f"FAIL case {number_of_case}: {what}\n  gpusort sort "
                  f"{' '.join(map(shlex.quote, command))}\n  want: {folder}/want")
            sys.exit(1)
    shutil.rmtree(folder)
    if seen.tell() or seen_lines.tell():
        sys.exit(1)
    print(f"{args.cases} tables, all as they must be")


if __name__ == "__main__":
    main()
