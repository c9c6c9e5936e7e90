#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare gpusort with GNU sort over seeded cases of options x inputs.

Each case is made from (--seed, its number) alone: files, options, and what must come
out. Called through a link named `sort`, gpusort must give the same standard output,
standard error, exit code and files as `LC_ALL=C sort`; its own features must give what
a pipeline of standard tools gives. That is the system's sort or $REFERENCE_SORT; a case
in which it is older than what gpusort follows (tests/reference_sort.py) is left out, and
counted. A failing case is kept in a folder with its files and
a script that shows the difference.

    tests/differential.py --cases 3000 --binary build/gpusort
    tests/differential.py --seed 7 --only spill,merge --extra="--no-uring"
    tests/differential.py --seed 7 --case 1234        # one case again
"""
import argparse
import concurrent.futures
import gzip
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import key_letters
import reference_sort
from reference_sort import ENV

TIMEOUT_S = 120


# --- lines ---------------------------------------------------------------------------
# Each maker gives one line (bytes, no end) from a random source.

def pick(*choices):
    return lambda r: r.choice(choices)


def line_ties(r):
    return bytes(r.choices(b"aabAB \t.-", k=r.randrange(0, 7)))


def line_word(r):
    return bytes(r.choices(b"abcdefghijklmnopqrstuvwxyzABCXYZ0123456789", k=r.randrange(1, 14)))


def line_number(r):
    kind = r.randrange(14)
    sign = r.choice([b"", b"", b"", b"-", b"+", b"--"])
    if kind < 3:
        return sign + b"%d" % r.randrange(0, 10 ** r.randrange(1, 7))
    if kind == 3:
        return sign + b"0" * r.randrange(0, 4) + b"%d" % r.randrange(0, 100)
    if kind == 4:
        return sign + b"%d.%d" % (r.randrange(0, 100), r.randrange(0, 1000))
    if kind == 5:
        return sign + r.choice([b".5", b"5.", b".", b"0.0", b"00.50", b".50", b"-0", b"0", b""])
    if kind == 6:
        return sign + bytes(r.choices(b"0123456789", k=r.choice([r.randrange(1, 6), r.randrange(18, 45)])))
    if kind == 7:
        return sign + b"%de%d" % (r.randrange(0, 100), r.randrange(-20, 320))
    if kind == 8:
        return r.choice([b"inf", b"-inf", b"na", b"INFINITY", b"infx", b"1e5000", b"-1e5000", b"1e-5000", b"0x1F", b"0x1p4", b"1e", b"1e+"])
    if kind == 9:
        return r.choice([b" ", b"\t", b"  "]) + sign + b"%d" % r.randrange(0, 50)
    if kind == 10:
        return sign + b"%d,%03d" % (r.randrange(0, 100), r.randrange(0, 1000))
    if kind == 11:
        return b"%d%s" % (r.randrange(0, 30), r.choice([b" a", b"b", b"x1", b".", b"-", b" "]))
    if kind == 12:
        return b"%.17g" % r.choice([r.gauss(0, 1), r.uniform(-1e9, 1e9), r.random() * 1e-300])
    return line_ties(r)


def line_human(r):
    if r.randrange(8) == 0:
        return line_number(r)
    number = r.choice([b"%d" % r.randrange(0, 2000), b"%.1f" % (r.random() * 100), b"0", b"00", b".5"])
    return (r.choice([b"", b"", b" ", b"-", b"+"]) + number +
            r.choice([b"", b"K", b"k", b"M", b"G", b"T", b"P", b"E", b"Z", b"Y", b"Ki", b"MB", b"m", b"g", b"x",
                      b"B"]))


def line_odd_number(r):
    kind = r.randrange(10)
    if kind < 3:
        return r.choice([b"nan", b"NaN", b"-nan", b"+nan", b"nan(7)", b"-NAN(0x3)", b"nan(", b" -nanx", b"-nan(n"])
    if kind < 5:
        return bytes(r.choices(b"0123456789\x80", k=r.choice([r.randrange(1, 6), r.randrange(18, 45)])))
    return line_number(r)


def line_odd_human(r):
    if r.randrange(2):
        return line_human(r)
    return r.choice([b"", b"-"]) + b"%d" % r.randrange(0, 99) + r.choice([b"R", b"Q", b"r", b"q", b"Y", b"QB", b"\x80K"])


def line_month(r):
    month = r.choice([b"jan", b"FEB", b"Mar", b"apr", b"MAY", b"Jun", b"jul", b"AUG", b"sep", b"Oct", b"NOV", b"dec",
                      b"ja", b"xyz", b"", b"MARCH", b"junk", b"decade", b"m ay"])
    return r.choice([b"", b"", b" ", b"\t "]) + month + r.choice([b"", b"", b" 5", b"x", b"12"])


def line_version(r):
    kind = r.randrange(6)
    if kind == 0:
        return r.choice([b"", b".", b"..", b".a", b"..a", b".profile", b"a", b"a~", b"a~~", b"~", b"1.0~rc1", b"1.0",
                         b"foo.tar.gz", b"foo.tar.Z", b"foo.~1~", b"foo.1.2.txt", b"a.b.c"])
    if kind == 1:
        return line_ties(r)
    text = r.choice([b"", b"v", b"lib-", b"file", b"a.", b"."])
    for _ in range(r.randrange(1, 5)):
        text += b"0" * r.choice([0, 0, 0, 1, 3]) + b"%d" % r.randrange(0, 120)
        text += r.choice([b".", b"-", b"~", b"_", b"beta", b"+", b"", b":"])
    return text + r.choice([b"", b".tar.gz", b".c", b"~", b".5x"])


def line_url(r):
    return (b"https://www.example.org/" + b"section/" * r.randrange(0, 3) +
            b"page-" * r.randrange(0, 4) + b"%d?q=" % r.randrange(0, 300) + line_ties(r))


def line_binary(r):
    return r.randbytes(r.randrange(0, 20)).translate(None, b"\n\x80")


def line_odd_binary(r):
    return r.randbytes(r.randrange(0, 20)).translate(None, b"\n")


def line_high(r):
    return bytes(r.choices(b"\xff\xfe\x81\x00\x01 a\x7f", k=r.randrange(0, 12)))


def line_digits(r):
    return b"%d" % r.randrange(0, 100)


PLAIN_MAKERS = [line_ties, line_word, line_number, line_human, line_month, line_version, line_url,
                line_binary, line_high, line_digits, pick(b"same"), pick(b""), pick(b"a", b"b", b"c", b"")]
# What older versions of GNU sort take otherwise; not in every case, because those are left
# out where the system's sort is one of them.
ODD = {line_number: line_odd_number, line_human: line_odd_human, line_binary: line_odd_binary}
DELIMITERS = [b" ", b"\t", b",", b":", b"  ", b"|", b" \t", b"x", b"\xff", b"\0"]
# What suits an ordering letter, so that it meets what it is for.
SUITED = {"n": line_number, "g": line_number, "h": line_human, "M": line_month, "V": line_version,
          "d": line_ties, "f": line_ties, "i": line_high, "R": line_digits}


class Lines:
    """A recipe for the lines of one case: fields joined by a delimiter, or one maker."""

    def __init__(self, r, letters=""):
        self.delimiter = r.choice(DELIMITERS)
        makers = [r.choice(PLAIN_MAKERS) for _ in range(r.randrange(1, 6))]
        for letter in letters:
            if letter in SUITED and r.random() < 0.8:
                makers[r.randrange(len(makers))] = SUITED[letter]
        self.makers = [ODD.get(maker, maker) for maker in makers] if r.random() < 0.3 else makers
        self.ragged = r.random() < 0.3
        self.crlf = r.random() < 0.07
        self.prefix = r.choice([b""] * 6 + [b"common prefix of some length ", b" ", b"\t\t"])

    def one(self, r):
        makers = self.makers
        if self.ragged:
            makers = makers[:r.randrange(0, len(makers) + 1)]
        line = self.prefix + self.delimiter.join(make(r) for make in makers)
        return line + b"\r" if self.crlf else line

    def many(self, r, count):
        if count <= 400:
            lines = [self.one(r) for _ in range(count)]
        else:  # made of a pool: fast, and with repeats
            pool = [self.one(r) for _ in range(r.choice([3, 100, 700, 1500]))]
            lines = r.choices(pool, k=count)
            if r.random() < 0.75:
                delimiter = self.delimiter
                lines = [a + delimiter + b"%d" % b for a, b in
                         zip(lines, r.choices(range(r.choice([10, 10 ** 5, 10 ** 9])), k=count))]
        order = r.random()
        if order < 0.06:
            lines.sort()
        elif order < 0.09:
            lines.sort(reverse=True)
        elif order < 0.12 and count:
            lines = [lines[0]] * count
        return lines


def join(r, lines, end):
    """The bytes of a file; now and then its last line is not ended."""
    other = b"\n" if end == b"\0" else b"\0"
    data = end.join(line.replace(end, other) for line in lines)
    if lines and not (r.random() < 0.15 and lines[-1]):
        data += end
    return data


def small_count(r):
    return r.choice([0, 1, 2, 3, 5, 10, r.randrange(0, 50), r.randrange(0, 200), r.randrange(0, 200)])


# --- options -------------------------------------------------------------------------

KINDS = ["", "", "", "", "n", "n", "g", "h", "M", "V"]
EXTRAS = (("b", 0.2), ("r", 0.3), ("f", 0.2))       # with how often each comes
TEXT_EXTRAS = (("d", 0.15), ("i", 0.12))            # beside kinds that compare text
LETTERS = KINDS + [letter for letter, _ in EXTRAS + TEXT_EXTRAS]


def letters_of(r):
    """Ordering letters that go together."""
    letters = r.choice(KINDS)
    for extra, chance in EXTRAS:
        if r.random() < chance:
            letters += extra
    if letters == "" or letters[0] not in "nghM":
        for extra, chance in TEXT_EXTRAS:
            if r.random() < chance:
                letters += extra
    text = list(letters)
    r.shuffle(text)
    return "".join(text)


# Past the end of any line, where an address or a count may overflow.
FAR = [2 ** 63 - 1, 2 ** 64 - 2, 2 ** 64 - 1, 2 ** 64, 10 ** 20]


def key_option(r, own_letters=None):
    letters = own_letters if own_letters is not None else (letters_of(r) if r.random() < 0.6 else "")
    text = str(r.randrange(1, 6))
    if r.random() < 0.4:
        text += "." + str(r.choice([1, 1, 2, 3, 5, 9, 40]) if r.random() < 0.97 else r.choice(FAR))
    end = r.random()
    first = letters if end >= 0.7 else "".join(c for c in letters if r.random() < 0.7)
    text += first
    if end < 0.7:
        text += "," + str(r.randrange(1, 7))
        if r.random() < 0.4:
            text += "." + str(r.choice([0, 1, 2, 3, 5, 9, 40]) if r.random() < 0.97 else r.choice(FAR))
        text += "".join(c for c in letters if c not in first)
        if "b" in letters and r.random() < 0.5:
            text += "b"
    return ["-k" + text] if r.random() < 0.5 else ["--key=" + text] if r.random() < 0.5 else ["-k", text]


LONG_NAMES = {"b": "--ignore-leading-blanks", "d": "--dictionary-order", "f": "--ignore-case",
              "g": "--general-numeric-sort", "i": "--ignore-nonprinting", "M": "--month-sort",
              "h": "--human-numeric-sort", "n": "--numeric-sort", "r": "--reverse",
              "V": "--version-sort", "s": "--stable", "u": "--unique", "z": "--zero-terminated",
              "R": "--random-sort"}


def spell(r, letters):
    """Short options apart or clustered, or long ones."""
    if not letters:
        return []
    style = r.random()
    if style < 0.5:
        return ["-" + letters]
    if style < 0.8:
        return ["-" + c for c in letters]
    return [LONG_NAMES[c] for c in letters]


def delimiter_option(r, delimiter):
    if len(delimiter) != 1:
        delimiter = r.choice([b",", b":", b" ", b"\t"])
    text = "\\0" if delimiter == b"\0" else os.fsdecode(delimiter)
    return r.choice([["-t", text], ["-t" + text], ["--field-separator=" + text]])


class Order:
    """Ordering options, and lines that suit them."""

    def __init__(self, r, plain=0.25, no_stable=False):
        self.options, self.end = [], b"\n"
        letters = ""
        if r.random() >= plain:
            letters = letters_of(r)
        self.has_keys = r.random() < 0.5
        all_letters = letters
        keys = []
        if self.has_keys:
            for _ in range(r.choice([1, 1, 1, 2, 2, 3])):
                key = key_option(r)
                keys.append(key)
                all_letters += "".join(c for c in key[-1] if c in SUITED)
        self.lines = Lines(r, all_letters)
        self.options += spell(r, letters)
        for key in keys:
            self.options += key
        if self.has_keys and r.random() < 0.6:
            self.options += delimiter_option(r, self.lines.delimiter)
        extra = ""
        if not no_stable and r.random() < 0.15:
            extra += "s"
        if not no_stable and r.random() < 0.2:
            extra += "u"
        if r.random() < 0.1:
            extra += "z"
            self.end = b"\0"
        self.options += spell(r, extra)
        if r.random() < 0.2:  # any order of options is the same
            at = r.randrange(len(self.options) + 1)
            self.options[at:at] = []


def memory_options(r, small):
    """Options that change how the work is done and not what comes out."""
    options = []
    if small or r.random() < 0.3:
        options += r.choice([["-S", r.choice(["1M", "2M", "3M", "8M"])], ["--buffer-size=2M"], ["-S4096"]])
    if r.random() < 0.25:
        options.append("--parallel=%d" % r.randrange(1, 5))
    if r.random() < 0.2:
        options.append("--batch-size=%d" % r.choice([2, 2, 3, 5, 16]))
    if r.random() < 0.2:
        options += r.choice([["-T", "tmp"], ["--temporary-directory=tmp"]])
    if r.random() < 0.05:
        options += ["--compress-program=gzip"]
    return options


# --- cases ---------------------------------------------------------------------------

class Case:
    def __init__(self):
        self.files = {}        # name: bytes
        self.stdin = None      # name of a file, or None for nothing
        self.pipe = False      # give standard input through a pipe
        self.ours = []         # arguments of gpusort
        self.environment = {}  # beside ENV
        self.called = "sort"   # its argv[0]
        self.reference = []    # commands of the pipeline that says what is right
        self.expected = None   # or the bytes themselves
        self.check_stderr = True
        self.decode = None     # how our output becomes comparable
        self.zeros = False     # -z, for that
        self.header = 0        # lines of the input that go around the reference


def same(case, options, files):
    """Both programs get the same arguments."""
    arguments = options + files
    case.ours = arguments
    case.reference = [["sort"] + arguments]
    return case


def small_files(r, case, order, most=4):
    """One to four files, one of them perhaps standard input; gives the arguments."""
    names = []
    for i in range(r.choice([1, 1, 1, 2, most])):
        name = r.choice(["f%d", "f%d", "file %d", "-f%d"]) % i
        case.files[name] = join(r, order.lines.many(r, small_count(r)), order.end)
        names.append(name)
    arguments = list(names)
    if r.random() < 0.3:
        at = r.randrange(len(names))
        case.stdin = names[at]
        case.pipe = r.random() < 0.5
        arguments[at] = "-"
        if len(names) == 1 and r.random() < 0.5:
            arguments = []
    if any(a.startswith("-") and a != "-" for a in arguments) or r.random() < 0.1:
        arguments = ["--"] + arguments
    return arguments


def case_small(r, case):
    order = Order(r)
    files = small_files(r, case, order)
    options = order.options + memory_options(r, False)
    if files[:1] != ["--"] and r.random() < 0.2:  # options after files
        return same(case, files, options)
    return same(case, options, files)


def big_data(r, order, bytes_most):
    sample = order.lines.many(r, 400)
    average = sum(map(len, sample)) / 400 + 1 + 5
    count = int(min(r.choice([10000, 30000, 100000, 200000]), bytes_most / average))
    return order.lines.many(r, count)


def case_spill(r, case):
    order = Order(r)
    lines = big_data(r, order, 6e6)
    pieces = r.choice([1, 1, 2, 3])
    names = []
    for i in range(pieces):
        name = "f%d" % i
        case.files[name] = join(r, lines[i::pieces], order.end)
        names.append(name)
    if r.random() < 0.2:
        case.stdin, names[0] = names[0], "-"
        case.pipe = r.random() < 0.5
    return same(case, order.options + memory_options(r, True), names)


def run_codecs():
    """The names of what encodes the blocks of runs, from the table: a name that it does not
    have would mean none."""
    source = (pathlib.Path(__file__).resolve().parent.parent / "io/run_block.c").read_text()
    names = re.findall(r'^    \[GS_RUN_CODEC_\w+\] = {"(\w+)",', source, re.M)
    if len(names) < 2 or len(names) != source.count("    [GS_RUN_CODEC_"):
        sys.exit("differential.py cannot read the codecs in io/run_block.c, or not all: %s" % names)
    return names


CODECS = run_codecs()


def case_codec(r, case):
    """Keyed lines, more than the least that a sort takes into memory, so that there are runs."""
    order = Order(r, plain=0)
    lines = big_data(r, order, 6e6)
    times = 1 + int(9e6 / (sum(map(len, lines)) + len(lines) + 1))
    lines *= times
    r.shuffle(lines)
    case.files["f"] = join(r, lines, order.end)
    case.environment = {"GS_SPILL_CODEC": r.choice(CODECS)}
    return same(case, order.options + ["-S1M", "--parallel=%d" % r.choice([1, 2])], ["f"])


def case_buckets(r, case):
    """Plain lines, some MiB of them: builds that are for testing have buckets for all of
    them, which go to temporary files."""
    options = r.choice([[], [], [], ["-r"], ["-s"], ["-u"], ["-z"]])
    end = b"\0" if options == ["-z"] else b"\n"
    lines = Lines(r, "").many(r, 20000)
    bytes_most, data, size = r.choice([6e6, 8e6, 12e6]), [], 0
    while size < bytes_most:
        line = r.choice(lines)
        if r.random() < 0.7:
            line += b"%d" % r.randrange(1 << 24)
        if r.random() < 1e-4:
            line = line * (1 + r.choice([4000, 5000, 9000]) // (len(line) + 1))
        data.append(line)
        size += len(line) + 1
    pieces = r.choice([1, 1, 2])
    for i in range(pieces):
        case.files["f%d" % i] = join(r, data[i::pieces], end)
    options += ["-S", r.choice(["2M", "3M"]), "--parallel=%d" % r.choice([1, 2, 2])]
    return same(case, options, ["f%d" % i for i in range(pieces)])


def sort_now(options, data):
    return subprocess.run(["sort"] + options, executable=reference_sort.PROGRAM, input=data,
                          capture_output=True, env=ENV, check=False).stdout


def case_check(r, case):
    order = Order(r)
    case.files["f"] = join(r, order.lines.many(r, small_count(r)), order.end)
    if r.random() < 0.6:  # in order, or nearly
        data = sort_now(order.options, case.files["f"])
        if r.random() < 0.4 and data:
            lines = data[:-1].split(order.end)
            at = r.randrange(len(lines))
            lines.insert(r.randrange(len(lines) + 1), lines[at])
            data = order.end.join(lines) + order.end
        case.files["f"] = data
    files = ["f"]
    if r.random() < 0.3:
        case.stdin, files = "f", r.choice([[], ["-"]])
    option = r.choice(["-c", "-C", "--check", "--check=quiet", "--check=silent", "--check=diagnose-first"])
    return same(case, [option] + order.options, files)


def sort_unique_or_not(order, data):
    return sort_now([o for o in order.options if o not in ("-u", "--unique")], data)


def case_merge(r, case, in_order=True):
    order = Order(r)
    names = []
    is_big = r.random() < 0.15
    for i in range(r.choice([1, 2, 2, 3, 5, 20 if in_order else 16])):
        count = r.randrange(0, 15000) if is_big else small_count(r)
        data = join(r, order.lines.many(r, count), order.end)
        if in_order:
            data = sort_unique_or_not(order, data)
        case.files["f%d" % i] = data
        names.append("f%d" % i)
    if r.random() < 0.2:
        case.stdin, names[-1] = names[-1], "-"
    options = [r.choice(["-m", "--merge"])] + order.options + memory_options(r, False)
    return same(case, options, names)


def case_merge_unsorted(r, case):
    return case_merge(r, case, in_order=False)


def case_compress(r, case):
    """More than fits into memory or one merge, so that both programs start the compressor."""
    order = Order(r)
    program = r.choice(["gzip", "no-such-program", "nodir/program", "tmp", "f0", ""])
    options = order.options + ["--compress-program=" + program]
    if r.random() < 0.5:
        names = ["f%d" % i for i in range(r.choice([3, 4, 9]))]
        for name in names:
            data = join(r, order.lines.many(r, small_count(r)), order.end)
            case.files[name] = sort_unique_or_not(order, data)
        return same(case, options + ["-m", "--batch-size=2"], names)
    lines = big_data(r, order, 1e6)
    lines += r.choices(lines, k=int(2e6 / (sum(map(len, lines)) / len(lines) + 1)))
    case.files["f0"] = join(r, lines, order.end)
    return same(case, options + ["-S1M"], ["f0"])


def case_random(r, case):
    case.files["seed"] = r.randbytes(r.choice([16, 100, 5000]))
    order = Order(r, plain=1.0)
    key = key_option(r, "R" + r.choice(["", "", "r", "f", "b"])) if r.random() < 0.6 else ["-R"]
    order.lines = Lines(r, "R")
    count = small_count(r) if r.random() < 0.9 else 20000
    case.files["f"] = join(r, order.lines.many(r, count), order.end)
    options = order.options + key + ["--random-source=seed"] + memory_options(r, count > 1000)
    return same(case, options, ["f"])


def case_output(r, case):
    order = Order(r)
    count = small_count(r) if r.random() < 0.8 else 20000
    for name in ("f", "g"):
        case.files[name] = join(r, order.lines.many(r, count), order.end)
    inputs = r.choice([["f"], ["f", "g"], ["g", "f"]])
    options = order.options + memory_options(r, count > 1000)
    target = r.choice(["f", "f", "new", "./f"])  # often in place
    options += r.choice([["-o", target], ["-o" + target], ["--output=" + target]])
    if r.random() < 0.25:
        for name in inputs:
            case.files[name] = sort_unique_or_not(order, case.files[name])
        options.append("-m")
    return same(case, options, inputs)


def case_files(r, case):
    order = Order(r)
    names = []
    for i in range(r.randrange(1, 30)):
        name = "n%d" % i
        case.files[name] = join(r, order.lines.many(r, r.randrange(0, 30)), order.end)
        names.append(name)
    if r.random() < 0.5:
        case.files["list"] = b"".join(name.encode() + b"\0" for name in names)
        if r.random() < 0.3:
            case.files["list"] = case.files["list"][:-1]
        if r.random() < 0.3:
            case.stdin = "list"
            return same(case, order.options + ["--files0-from=-"], [])
        return same(case, order.options + ["--files0-from=list"], [])
    return same(case, order.options + memory_options(r, False), names)


def case_long(r, case):
    order = Order(r)
    lines = order.lines.many(r, r.randrange(1, 40))
    for _ in range(r.randrange(1, 5)):
        length = r.choice([5000, 65535, 65536, 70000, 131072, 300000, 1100000, 2500000])
        if r.random() < 0.5:
            long = bytes(r.choices(b"ab 1.,\t", k=50)) * (length // 50)
        else:
            long = r.choice([b"a", b"1", b" ", b"0", b"\0"]) * length
        if r.random() < 0.5:
            long += order.lines.one(r)
        for _ in range(r.choice([1, 1, 2])):
            lines.insert(r.randrange(len(lines) + 1), long)
    case.files["f"] = join(r, lines, order.end)
    if r.random() < 0.3:
        case.stdin = "f"
        case.pipe = r.random() < 0.5
    options = order.options + memory_options(r, r.random() < 0.5)
    return same(case, options, ["-"] if case.stdin else ["f"])


BAD = [
    ["-n", "-g"], ["-nM"], ["-k1n,1g"], ["-dn"], ["-in"], ["-Rn"], ["-hV"], ["-k0"], ["-k1.0"], ["-k", "1,0"], ["-k"],
    ["-kx"], ["-k1,"], ["-k1x"], ["-k1.x"], ["-k1,2.x"], ["-t", ""], ["-t", "ab"], ["-t", "\\00"],
    ["-t,", "-t:"], ["-t,", "-t,"], ["-S", "x"], ["-S", "12q"], ["-S-1"], ["--parallel=0"], ["--parallel=x"],
    ["--batch-size=1"], ["--batch-size=x"], ["--batch-size=99999999999999999999"], ["--sort=foo"], ["--sort=n"],
    ["--sort=numeric"], ["--sort=m"], ["--check=foo"], ["-c", "-C"], ["-cC"], ["-c", "-o", "x"], ["-C", "-o", "x"],
    ["-c", "f", "g"], ["-C", "f", "g"], ["--nonsense"], ["--re"], ["--ver"], ["--s"], ["-Q"], ["-o"], ["-o", "nodir/x"],
    ["-o", "dir"], ["nofile"], ["dir"], ["nofile", "f"], ["-m", "nofile"], ["-m", "dir"], ["-c", "nofile"], ["-c", "dir"],
    ["-T", "nodir", "-S1M"], ["--files0-from=nofile"], ["--files0-from=f", "g"], ["--files0-from=empty"],
    ["--files0-from=dir"], ["--files0-from=zeros"], ["--random-source=nofile", "-R"], ["--random-source=empty", "-R"],
    ["-o", "a", "-o", "b"], ["--compress-program=gzip", "--compress-program=xz"], ["+1"], ["+1", "-2"], ["+0.x"],
    ["-k1,1", "+1"], ["-S", "0"], ["-S", "1b"], ["-S", "0%"], ["-z0"],
    ["-k99999999999999999999"], ["-k1,99999999999999999999"], ["-y", "3"],
    ["--key"], ["--unique=1"], ["--output"], ["-k1,2,3"], ["-k1nx,2"], ["-k1,2nx"],
    ["--random-source=seed", "--random-source=f"], ["--batch-size=2", "-m", "f", "g", "f"], ["-k-1"], ["-k 1"], ["-k1 "],
    ["-t", "\\0"], ["-t", "\\"], ["-t\\n"], ["-gh"], ["-nR"], ["-Vg"], ["-dV"], ["-fiV"], ["-diM"], ["-k1Mn"],
    ["-k1,1.0"], ["-k1.1,1.0b"], ["-k2,1"], ["-k1.5,1.2"], ["-b"], ["-rs"], ["-us"], ["-mc"], ["-mu"], ["-ru", "-k1,1"],
    ["+0.18446744073709551615"], ["+0.18446744073709551615R", "--random-source=seed"],
    ["+0.18446744073709551614", "-1"], ["+18446744073709551615"], ["-k1.18446744073709551615"],
    ["-k1.9223372036854775807n"], ["-k1,1.18446744073709551615b"], ["-k1b,1.18446744073709551614"],
    ["-k18446744073709551615"], ["-k1,18446744073709551615"], ["-S1Q"], ["-S", "0R"], ["-S1q"], ["-S", "a\tb"],
    ["-S", "it's"], ["--parallel=\\"], ["--batch-size=\x01"], ["--files0-from=minus"],
]


def case_errors(r, case):
    """Mistakes and corners: the messages are GNU's too."""
    order = Order(r)
    case.files = {"f": join(r, order.lines.many(r, 5), b"\n"), "g": b"b\na\n", "empty": b"", "zeros": b"\0\0",
                  "minus": b"-\0",
                  "seed": b"0123456789abcdef", "dir/x": b""}
    arguments = list(r.choice(BAD))
    if r.random() < 0.3:
        arguments += r.choice(BAD)
    if r.random() < 0.3:
        arguments = order.options + arguments
    return same(case, arguments, ["f"] if r.random() < 0.3 else [])


def case_debug(r, case):
    order = Order(r, plain=0.1)
    case.files["f"] = join(r, [x[:60] for x in order.lines.many(r, r.randrange(0, 20))], order.end)
    return same(case, ["--debug"] + order.options, ["f"])


def own(case, options, files):
    case.called = "gpusort"
    case.check_stderr = False
    case.ours = ["sort"] + options + files
    return case


def own_input(r, case, order):
    is_big = r.random() < 0.25
    lines = big_data(r, order, 3e6) if is_big else order.lines.many(r, small_count(r))
    case.files["f"] = join(r, lines, order.end)
    return memory_options(r, is_big)


def case_count(r, case):
    order = Order(r, no_stable=True)
    extra = own_input(r, case, order)
    own(case, order.options + ["--count"] + extra, ["f"])
    uniq = ["uniq", "-c"] + (["-z"] if order.end == b"\0" else [])
    case.reference = [["sort"] + order.options + ["f"], uniq]
    return case


def case_top(r, case):
    order = Order(r)
    extra = own_input(r, case, order)
    top = r.choice([0, 1, 2, 10, 100, 5000, 10 ** 6])
    own(case, order.options + ["--top=%d" % top] + extra, ["f"])
    head = ["head", "-n", str(top)] + (["-z"] if order.end == b"\0" else [])
    case.reference = [["sort"] + order.options + ["f"], head]
    return case


def case_header(r, case):
    order = Order(r)
    extra = own_input(r, case, order)
    case.header = r.choice([1, 1, 2, 5, 300])
    option = "--header" if case.header == 1 and r.random() < 0.5 else "--header=%d" % case.header
    own(case, order.options + [option] + extra, ["f"])
    parts = case.files["f"].split(order.end)
    head, rest = parts[:case.header], parts[case.header:]
    case.files["head"] = order.end.join(head) + (order.end if rest else b"")
    if not rest and case.files["head"] and not case.files["head"].endswith(order.end):
        case.files["head"] += order.end
    case.files["rest"] = order.end.join(rest)
    case.reference = [["sort"] + order.options + ["rest"]]
    return case


def case_zstd(r, case):
    order = Order(r)
    extra = own_input(r, case, order)
    own(case, order.options + ["--output-compress=zstd"] + extra, ["f"])
    case.decode = "zstd"
    case.zeros = order.end == b"\0"
    case.reference = [["sort"] + order.options + ["f"]]
    return case


def case_compressed(r, case):
    """Compressed copies among the inputs; expected is what the plain ones give, or what they
    themselves do as bytes."""
    order = Order(r)
    plain, names = [], []
    for i in range(r.choice([1, 1, 2, 4])):
        lines = big_data(r, order, 2e6) if r.random() < 0.2 else order.lines.many(r, small_count(r))
        data = join(r, lines, order.end)
        case.files["p%d" % i] = data
        plain.append("p%d" % i)
        how = r.choice(["gz", "gz", "zst", "plain"])
        if how == "gz":
            cut = r.randrange(len(data) + 1) if r.random() < 0.2 else len(data)
            case.files["c%d" % i] = b"".join(gzip.compress(part, 1, mtime=0) for part in (data[:cut], data[cut:])
                                             if part or cut == len(data))
        elif how == "zst" and shutil.which("zstd"):
            case.files["c%d" % i] = subprocess.run(["zstd", "-q", "-1", "-c"], input=data, capture_output=True,
                                                   check=True).stdout
        else:
            case.files["c%d" % i] = data
        names.append("c%d" % i)
    if r.random() < 0.25:
        case.stdin, names[0] = names[0], "-"
        case.pipe = r.random() < 0.5
    if r.random() < 0.1:
        own(case, order.options + ["--no-decompress"] + memory_options(r, False), names)
        case.reference = [["sort"] + order.options + names]
        return case
    own(case, order.options + memory_options(r, False), names)
    case.reference = [["sort"] + order.options + plain]
    return case


def key_of_record(record, key):
    offset, length, kind, order, reverse = key
    part = record[offset:offset + length]
    if kind == "u":
        number = int.from_bytes(part, "little" if order == "le" else "big")
    elif kind == "i":
        number = int.from_bytes(part, "little" if order == "le" else "big", signed=True)
    elif kind == "f":  # the total order of IEEE 754
        bits = int.from_bytes(part, "little" if order == "le" else "big")
        top = 1 << (8 * length - 1)
        number = ~bits + 2 * top if bits & top else bits + top
    else:
        number = int.from_bytes(part, "big")
    return -number if reverse else number


def records_in_order(data, options, size, keys):
    """`keys` are (offset, length, kind, byte order, turned round)."""
    if "-r" in options:  # turns every key round that is not turned already
        keys = [key[:4] + (True,) for key in keys]
    records = [data[i:i + size] for i in range(0, len(data), size)]
    backwards = "-r" in options
    last_resort = "-s" not in options and "-u" not in options

    def all_keys(record):
        whole = int.from_bytes(record, "big") * (-1 if backwards else 1)
        values = tuple(key_of_record(record, key) for key in keys) if keys else (whole,)
        return values + (whole,) if last_resort else values

    records.sort(key=all_keys)
    if "-u" in options:
        seen, kept = object(), []
        for record in records:
            now = all_keys(record)
            if now != seen:
                kept.append(record)
            seen = now
        records = kept
    return b"".join(records)


def case_records(r, case):
    """Fixed-size binary records against Python's stable sort."""
    import struct
    size = r.choice([1, 4, 8, 12, 16, 100, r.randrange(1, 64)])
    count = r.choice([0, 1, 2, 50, 200, 200, 30000])
    alphabet = r.choice([b"\0\1\xff", b"ab", bytes(range(256))])
    data = bytes(r.choices(alphabet, k=min(size * count, 1500000) // size * size))
    case.files["f"] = data
    options, keys = ["--record-size=%d" % size], []
    for _ in range(r.choice([0, 1, 1, 2, 3])):
        kind = r.choice(["", "", "bytes", "u", "i", "f"])
        lengths = {"f": [4, 8], "u": [1, 2, 4, 8], "i": [1, 2, 4, 8]}.get(kind) or [r.randrange(1, size + 1)]
        lengths = [n for n in lengths if n <= size]
        if not lengths:
            continue
        length = r.choice(lengths)
        offset = r.randrange(0, size - length + 1)
        text, order, reverse = "--key-bytes=%d:%d" % (offset, length), "", r.random() < 0.3
        if kind in ("u", "i", "f"):
            order = r.choice(["le", "be"])
        if kind:
            text += ":" + kind + order
        if reverse and kind:
            text += ":r"
        options.append(text)
        keys.append((offset, length, kind, order, reverse and kind != ""))

    options += r.choice([[], [], ["-s"], ["-r"], ["-u"], ["-s", "-r"]])
    own(case, options + memory_options(r, count > 1000), ["f"])
    case.record_options, case.record_rules = options, (size, keys)
    case.expected = records_in_order(data, options, size, keys)
    return case


# Name: (maker, how many in a thousand).
CLASSES = {
    "small": (case_small, 330), "spill": (case_spill, 90), "buckets": (case_buckets, 10), "codec": (case_codec, 10), "check": (case_check, 70), "merge": (case_merge, 70),
    "merge-unsorted": (case_merge_unsorted, 20), "compress": (case_compress, 12), "random": (case_random, 25), "output": (case_output, 60),
    "files": (case_files, 30), "long": (case_long, 25), "errors": (case_errors, 80), "debug": (case_debug, 30),
    "count": (case_count, 30), "top": (case_top, 35), "header": (case_header, 25), "zstd": (case_zstd, 15),
    "compressed": (case_compressed, 30), "records": (case_records, 25),
}


def make_case(seed, number, only):
    r = random.Random("%s:%s" % (seed, number))
    names = [name for name in CLASSES if not only or name in only]
    name = r.choices(names, [CLASSES[n][1] for n in names])[0]
    case = Case()
    case.name = name
    CLASSES[name][0](r, case)
    return case


# --- running -------------------------------------------------------------------------

def write_files(folder, files):
    os.makedirs(os.path.join(folder, "tmp"))
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)


def read_files(folder):
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = f.read()
    return found


def run(arguments, executable, folder, case, data=None):
    environment = dict(ENV, **case.environment, TMPDIR=os.path.join(folder, "tmp"))
    source, stdin = None, subprocess.DEVNULL
    if data is None and case.stdin is not None:
        if case.pipe:
            data = case.files[case.stdin]
        else:
            source = open(os.path.join(folder, case.stdin), "rb")
            stdin = source
    try:
        extra = {"input": data} if data is not None else {"stdin": stdin}
        done = subprocess.run(arguments, executable=executable, cwd=folder, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S,
                              check=False, **extra)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return "more than %d s" % TIMEOUT_S, b"", b""
    finally:
        if source:
            source.close()


def reference_result(case, folder):
    if case.expected is not None:
        return 0, case.expected, b""
    code, out, err = run(case.reference[0], reference_sort.PROGRAM, folder, case)
    for command in case.reference[1:]:
        _, out, _ = run(command, None, folder, case, out)
    if case.header:
        out = case.files["head"] + out
    return code, out, err


def our_result(case, folder, setup, more):
    arguments = [case.called] + case.ours
    at = 2 if case.called == "gpusort" else 1
    arguments[at:at] = setup["extra"] + more
    code, out, err = run(arguments, setup["links"][case.called], folder, case)
    if case.decode == "zstd" and code == 0:
        if shutil.which("zstd"):
            command, program = ["zstd", "-dc"], None
        else:  # merging one file passes it through
            zeros = ["-z"] if case.zeros else []
            command, program = ["gpusort", "sort", "-m", "-s"] + zeros, setup["links"]["gpusort"]
        decoded, out, trouble = run(command, program, folder, case, out)
        if decoded != 0:
            return decoded, out, trouble
    return code, out, err


def is_by_engine(name, stats):
    """Does --stats say so? What sorts nothing has none."""
    if not os.path.exists(stats):
        return False
    with open(stats, encoding="utf-8") as f:
        return '"engine": "%s"' % name in f.read()


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    begin = max(0, at - 30)
    return "byte %d of %d and %d: expected ...%r, got ...%r" % (
        at, len(a), len(b), a[begin:at + 30], b[begin:at + 30])


def is_kept_whole(case, name, theirs, their_files, our_files):
    """GNU sort may have emptied its output by the time it fails; we leave it as it was."""
    return theirs[0] == 2 and their_files[name] == b"" and our_files[name] == case.files.get(name)


def compare(case, theirs, ours, their_files, our_files):
    problems = []
    if theirs[0] != ours[0]:
        problems.append("exit code: expected %s, got %s (%r)" % (theirs[0], ours[0], ours[2][:300]))
    if theirs[1] != ours[1]:
        problems.append("output: " + first_difference(theirs[1], ours[1]))
    if case.check_stderr and theirs[2] != ours[2]:
        problems.append("messages: expected %r, got %r" % (theirs[2][:400], ours[2][:400]))
    for name in sorted(set(their_files) | set(our_files)):
        if name not in our_files:
            problems.append("file %s is missing" % name)
        elif name not in their_files:
            problems.append("file %s was left" % name)
        elif is_kept_whole(case, name, theirs, their_files, our_files):
            continue
        elif their_files[name] != our_files[name]:
            problems.append("file %s: %s" % (name, first_difference(their_files[name], our_files[name])))
    return problems


def quote(argument):
    if argument.isprintable() and argument.isascii():
        return shlex.quote(argument)
    return "$'" + "".join(chr(b) if 32 < b < 127 and b not in b"\\'" else "\\x%02x" % b
                          for b in os.fsencode(argument)) + "'"


def command_line(arguments, case):
    text = " ".join(quote(a) for a in arguments)
    if case.stdin is not None:
        name = quote(case.stdin if not case.stdin.startswith("-") else "./" + case.stdin)
        text = "cat %s | %s" % (name, text) if case.pipe else "%s < %s" % (text, name)
    return text


def keep(case, number, setup, theirs, problems):
    """A folder with the files of the case and a script that runs it again."""
    folder = os.path.join(setup["keep"], "seed-%s-case-%d" % (setup["seed"], number))
    shutil.rmtree(folder, ignore_errors=True)
    write_files(folder, case.files)
    with open(os.path.join(folder, "expected.stdout"), "wb") as f:
        f.write(theirs[1])
    arguments = [case.called] + case.ours
    at = 2 if case.called == "gpusort" else 1
    arguments[at:at] = setup["extra"]
    with open(os.path.join(folder, "again.sh"), "w", encoding="ascii", errors="backslashreplace") as f:
        f.write("#!/bin/bash\n# In a copy of this folder; the program is called `%s'.\n" % case.called)
        for problem in problems:
            f.write("# %s\n" % problem)
        f.write("export LC_ALL=C TMPDIR=$PWD/tmp%s\nmkdir -p bin && ln -sf %s bin/%s\n" %
                ("".join(" %s=%s" % pair for pair in case.environment.items()), shlex.quote(setup["binary"]), case.called))
        f.write("%s > got.stdout; echo \"exit code $? (expected %s)\"\n" %
                (command_line(["bin/" + arguments[0]] + arguments[1:], case), theirs[0]))
        f.write("cmp expected.stdout got.stdout && echo same output\n")
    return folder


LEFT_OUT = "left out: "


def run_case(number, setup):
    case = make_case(setup["seed"], number, setup["only"])
    outdated = reference_sort.outdated(setup["lacking"], case.ours, b"\n".join(case.files.values()))
    if outdated:
        return number, LEFT_OUT + outdated, None, (0, 0), False
    with tempfile.TemporaryDirectory(prefix="gs-diff-", dir=setup["scratch"]) as scratch:
        left, right = os.path.join(scratch, "left"), os.path.join(scratch, "right")
        write_files(left, case.files)
        write_files(right, case.files)
        started = time.monotonic()
        theirs = reference_result(case, left)
        middle = time.monotonic()
        stats = os.path.join(scratch, "stats")
        more = ["--stats=" + stats] if setup["by_engine"] else []
        ours = our_result(case, right, setup, more)
        seconds = (middle - started, time.monotonic() - middle)
        problems = compare(case, theirs, ours, read_files(left), read_files(right))
        is_by_it = is_by_engine(setup["by_engine"], stats)
    if not problems:
        return number, case.name, None, seconds, is_by_it
    folder = keep(case, number, setup, theirs, problems)
    text = "case %d (%s): %s\n    %s\n    kept in %s" % (
        number, case.name, " ".join(["%s=%s" % pair for pair in case.environment.items()] +
                                    [command_line([case.called] + case.ours, case)]), "\n    ".join(problems), folder)
    return number, case.name, text.encode("ascii", "backslashreplace").decode(), seconds, is_by_it


def run_some(numbers, setup):
    return [run_case(number, setup) for number in numbers]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--case", type=int, help="only this one")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--binary", default="build/gpusort")
    parser.add_argument("--extra", default="", help="options that only gpusort gets")
    parser.add_argument("--by-engine", default="", metavar="NAME", help="count the cases that --stats says are its")
    parser.add_argument("--least-percent", type=int, default=1, help="of the cases; fewer are a failure")
    parser.add_argument("--only", default="", metavar="CLASS,...", help=", ".join(CLASSES))
    parser.add_argument("--keep", default="build/differential", help="folder of failing cases")
    parser.add_argument("--most-failures", type=int, default=50, help="stop after so many")
    options = parser.parse_args()
    key_letters.check_drawn("differential.py", LETTERS + ["R"])  # case_random() draws that
    only = [name for name in options.only.split(",") if name]
    for name in only:
        if name not in CLASSES:
            parser.error("no class '%s'; there are: %s" % (name, ", ".join(CLASSES)))
    if not reference_sort.PROGRAM:
        parser.error("no GNU sort here; REFERENCE_SORT names one")
    binary = os.path.abspath(options.binary)
    if not os.access(binary, os.X_OK):
        parser.error("no program '%s'" % binary)
    with tempfile.TemporaryDirectory(prefix="gs-diff-") as scratch:
        os.mkdir(os.path.join(scratch, "bin"))
        links = {}
        for name in ("sort", "gpusort"):
            links[name] = os.path.join(scratch, "bin", name)
            os.symlink(binary, links[name])
        setup = {"seed": options.seed, "only": only, "links": links, "scratch": scratch, "binary": binary,
                 "extra": shlex.split(options.extra), "keep": os.path.abspath(options.keep),
                 "lacking": reference_sort.lacking(), "by_engine": options.by_engine}
        numbers = [options.case] if options.case is not None else range(options.cases)
        return run_all(numbers, options, setup)


def run_all(numbers, options, setup):
    passed, failed, times, by_it = {}, {}, [0.0, 0.0], 0
    chunks = [list(numbers[i:i + 10]) for i in range(0, len(numbers), 10)]
    with concurrent.futures.ProcessPoolExecutor(max_workers=options.jobs) as pool:
        futures = [pool.submit(run_some, chunk, setup) for chunk in chunks]
        for future in concurrent.futures.as_completed(futures):
            if future.cancelled():
                continue
            for _, name, problem, seconds, is_by_it in future.result():
                by_it += is_by_it
                times[0] += seconds[0]
                times[1] += seconds[1]
                counter = failed if problem else passed
                counter[name] = counter.get(name, 0) + 1
                if problem:
                    print(problem, flush=True)
            if sum(failed.values()) >= options.most_failures:
                print("stopping: too many failures")
                for other in futures:
                    other.cancel()
                break
    print("seed %s; classes: %s" % (options.seed, ", ".join(
        "%s %d%s" % (name, passed.get(name, 0), " (%d failed)" % failed[name] if name in failed else "")
        for name in CLASSES if name in passed or name in failed)))
    left_out = {name[len(LEFT_OUT):]: passed.pop(name) for name in list(passed) if name.startswith(LEFT_OUT)}
    reference_sort.report_left_out(left_out)
    print("seconds in the reference %.1f, in gpusort %.1f" % tuple(times))
    count = sum(passed.values())
    is_enough = not options.by_engine or by_it >= count * options.least_percent / 100
    if options.by_engine:
        print("engine %s: %d of them, %s %d %%" % (
            options.by_engine, by_it, "at least" if is_enough else "FAILED: less than", options.least_percent))
    print("%d passed, %d failed" % (count, sum(failed.values())))
    return 0 if is_enough and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
