#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds `gpusort sort --jsonl-key` against Python's json module.

Random objects, a line each, with names and strings that are escaped here and not there,
with names that come twice and objects in objects, are sorted by random paths, with random
options, in memory and spilled; what must come out is computed here, by the json module and
Python's own sort. So are lines that are no JSON, and that the first of them is named. A
case that fails is kept and printed as a command line.
"""
import argparse
import copy
import json
import os
import random
import shlex
import shutil
import sys
import tempfile

import key_letters
from mattered import MORE_CASES, Mattered
from table_check import Turned, run, value_key

NAMES = ["a", "b", "c", "price", "x.y", "q:r", "p,q", 'say "x"', "ü", "", "\u00e9\U0001f600", "n" * 80]
WORDS = ["", "a", "B", "ab", "10", "9", "-3", "1.50", "1e3", "2K", "jan", "Dec", " x", "\t8", "ü",
         "two\nlines", 'a "quote"', "back\\slash", "\U0001f600", "\x00z", "same", "same", "/", "x" * 90]


class Raw(str):
    """A number as it is written."""


def write_string(rng, text):
    out = []
    for c in text:
        if c < " " or c in '"\\' or rng.random() < 0.1:
            units = c.encode("utf-16-be")
            out.append(json.dumps(c)[1:-1] if rng.random() < 0.5 else
                       "".join("\\u%04X" % int.from_bytes(units[i:i + 2], "big")
                               for i in range(0, len(units), 2)))
        else:
            out.append(c)
    return '"' + "".join(out) + '"'


def write_value(rng, depth):
    kind = rng.random()
    if kind < 0.4:
        return write_string(rng, rng.choice(WORDS))
    if kind < 0.65:
        return rng.choice(["%d" % rng.randrange(-50, 3000), "%.2f" % rng.uniform(-9, 9), "1e3", "-0", "2.5E-1"])
    if kind < 0.75:
        return rng.choice(["null", "true", "false"])
    if kind < 0.85 or depth == 4:
        return json.dumps(rng.choice([[], [1, 2], {}, {"k": [None, {"l": "m"}]}]), separators=(",", ":"))
    return write_object(rng, depth + 1)


def blanks(rng):
    return rng.choice(["", "", "", " ", "\t ", "\r"])


def write_object(rng, depth):
    fields = [blanks(rng) + write_string(rng, rng.choice(NAMES)) + blanks(rng) + ":" + blanks(rng) +
              write_value(rng, depth) + blanks(rng) for _ in range(rng.randrange(7))]
    return "{" + (",".join(fields) or blanks(rng)) + "}"


def random_path(rng):
    return [rng.choice(NAMES[:9] if rng.random() < 0.9 else NAMES) for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]


def spell(rng, path, letters):
    text = ""
    for name in path:
        quoted = any(c in name for c in '.:,"') or not name or rng.random() < 0.2
        text += "." + ('"' + name.replace('"', '""') + '"' if quoted else name)
    groups = list(letters) if rng.random() < 0.5 else [letters] * bool(letters)
    return text + "".join(rng.choice(":,") + g for g in groups)


def value_of(line, path):
    """The text of the value, as bytes."""
    if not line.strip():
        return b""
    value = json.loads(line, parse_int=Raw, parse_float=Raw)
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return b""
        value = value[name]
    if value is None:
        return b""
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return None  # an object or an array: as it is written


LETTERS = ["", "", "n", "g", "h", "f", "d", "i", "M", "b", "bf"]
TURNS = ["", "r"]
# What changes what comes out (mattered.py): of a key what it is without, of a case the attribute.
KEY_PARTS = {"a second name": lambda path, letters: (path[:1], letters)}
for _letter in sorted(set("".join(LETTERS + TURNS))):
    KEY_PARTS[_letter] = lambda path, letters, letter=_letter: (path, letters.replace(letter, ""))
OPTIONS = "reverse", "stable", "unique"


class Case:
    def __init__(self, rng, folder, big):
        self.rng, self.big = rng, big
        self.end = "\0" if rng.random() < 0.1 else "\n"
        rows = rng.randrange(4000, 9000) if big else rng.choice([0, 1, 3, 20, 200, 600])
        lines = [write_object(rng, 0) if rng.random() < 0.97 else blanks(rng) for _ in range(rows)]
        self.name = os.path.join(folder, "in.jsonl")
        text = self.end.join(lines) + self.end * (not lines or rng.random() < 0.8 or not lines[-1])
        with open(self.name, "wb") as file:
            file.write(text.encode("utf-8") if rows else b"")
        self.lines = lines
        self.keys, self.args = [], []
        for _ in range(rng.choice([1, 1, 2, 3])):
            path = random_path(rng)
            letters = rng.choice(LETTERS) + rng.choice(TURNS)
            self.keys.append((path, letters))
            self.args.append("--jsonl-key=" + spell(rng, path, letters))
        self.reverse = rng.random() < 0.2
        self.stable = rng.random() < 0.3
        self.unique = rng.random() < 0.2
        self.args += ["-r"] * self.reverse + ["-s"] * self.stable + ["-u"] * self.unique
        self.args += ["-z"] * (self.end == "\0") + ["--verify"] * (rng.random() < 0.3)
        self.args += rng.choice([[], ["--parallel=1"], ["--parallel=4"]])
        self.args += ["-S", rng.choice(["600K", "1M"])] if big else []

    def properties(self):
        return ([name for name in OPTIONS if getattr(self, name)] +
                [name for name, change in KEY_PARTS.items() if any(change(*key) != key for key in self.keys)])

    def without(self, name):
        other = copy.copy(self)
        if name in OPTIONS:
            setattr(other, name, False)
        else:
            other.keys = [KEY_PARTS[name](*key) for key in self.keys]
            other.lines = [line for line in self.lines if other.sort_key(line) is not None]
        return other

    def sort_key(self, line):
        parts = []
        for path, letters in self.keys:
            text = value_of(line, path)
            if text is None:
                return None
            letters = letters or "r" * self.reverse
            made = value_key(text, letters)
            parts.append(Turned(made) if "r" in letters else made)
        if not (self.stable or self.unique):
            raw = line.encode("utf-8")
            parts.append(Turned(raw) if self.reverse else raw)
        return parts

    def prune(self):
        """Lines whose key is an object or an array go: what they are is their spelling."""
        self.lines = [line for line in self.lines if self.sort_key(line) is not None]
        with open(self.name, "wb") as file:
            file.write("".join(line + self.end for line in self.lines).encode("utf-8"))

    def expected(self):
        lines = sorted(self.lines, key=self.sort_key)
        if self.unique:
            kept = []
            for line in lines:
                if not kept or self.sort_key(kept[-1]) != self.sort_key(line):
                    kept.append(line)
            lines = kept
        return "".join(line + self.end for line in lines).encode("utf-8")


def check_case(case, binary, seen):
    case.prune()
    want = case.expected()
    args = case.args + [case.name]
    got = run(binary, args)
    if got.returncode != 0 or got.stdout != want:
        return args, got.stderr.decode("latin-1") or "another output", want
    if not case.big: # which takes long to sort here
        seen.see(case, want)
    name = case.name + ".sorted"
    with open(name, "wb") as file:
        file.write(want)
    checked = [a for a in case.args if a != "--verify"]
    args = checked + ["-c", name]
    if run(binary, args).returncode != 0:
        return args, "not in order", want
    args = checked + ["-m", name, name]
    got = run(binary, args)
    case.lines = want.decode("utf-8").split(case.end)[:-1] * 2
    if got.returncode != 0 or got.stdout != case.expected():
        return args, got.stderr.decode("latin-1") or "merged otherwise", want
    return None


def check_containers(rng, binary, folder):
    """A value that is an object or an array is what is written, blanks and all."""
    texts = ["[1, 2]", "[1,2]", '{"b":1}', '{ "b" : [ ] }', "[]", '["a,}"]', '"[0]"', "7"]
    rng.shuffle(texts)
    name = os.path.join(folder, "held.jsonl")
    with open(name, "w", encoding="utf-8") as file:
        file.write("".join('{"z":[{"a":0}],"a":%s ,"y":1}\n' % t for t in texts))
    got = run(binary, ["--jsonl-key=.a", name])
    want = "".join('{"z":[{"a":0}],"a":%s ,"y":1}\n' % t
                   for t in sorted(texts, key=lambda t: t.strip('"') if t[0] == '"' else t)).encode()
    return None if got.stdout == want else (["--jsonl-key=.a", name], "another order", want)


BROKEN = ["{", "[1]", "7", '{"a":}', '{"a":1,}', '{"a":1} x', '{"a":"\t"}', "{'a':1}", '{"a":01}', '{"a":"\\x"}',
          '{"a":tru}', '{"a":[1 2]}', '{"a":"x}', '{"a" 1}', '{"a":"\\ud800"}', '{"b":{"c":[}}', '{"a":1}}',
          '{"a":{"b":1}', '{"a":1 "b":2}', '{"a":+1}', '{"a":.5}', "nul", "{,}"]


def check_broken(rng, binary, folder):
    rows = ['{"a":%d,"t":"%s"}' % (rng.randrange(10 ** 6), "x" * rng.randrange(60))
            for _ in range(rng.choice([0, 10, 90000]))]
    at = rng.randrange(len(rows) + 1)
    rows.insert(at, rng.choice(BROKEN))
    if len(rows) > 100: # others after it
        for _ in range(9):
            rows.insert(rng.randrange(at + 1, len(rows) + 1), rng.choice(BROKEN))
    try:
        if isinstance(json.loads(rows[at]), dict):
            raise AssertionError(rows[at])
    except ValueError:
        pass
    name = os.path.join(folder, "broken.jsonl")
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    for work in (["--parallel=4"], ["-S", "5M", "--parallel=2"], ["-c", "-s"], ["-m"]):
        args = work + ["--jsonl-key=" + (".a" if work[0][1] == "-" else ".b.c"), name]
        got = run(binary, args)
        said = got.stderr.decode("latin-1").split("\n")[0]
        if got.returncode != 2 or not said.startswith(f"gpusort sort: {name}: line {at + 1}: ") or got.stdout:
            return args, f"'{said}' and not of line {at + 1}", b""
    return None


def check_number(number, args, folder, seen):
    rng = random.Random(args.seed * 1000003 + number)
    if number >= args.cases: # for what has not come so far
        case = Case(rng, folder, False)
        return check_case(case, args.binary, seen) if seen.is_news(case) else None
    if number % 15 == 7:
        return check_broken(rng, args.binary, folder)
    if number % 30 == 5:
        return check_containers(rng, args.binary, folder)
    return check_case(Case(rng, folder, number % 25 == 3), args.binary, seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GS_TEST_SEED", "1")))
    args = parser.parse_args()
    key_letters.check_drawn("json_check.py", LETTERS + TURNS, left_out="VR")
    print(f"seed {args.seed}")
    folder = tempfile.mkdtemp(prefix="gs-json-")
    seen = Mattered("json_check.py", [*OPTIONS, *KEY_PARTS])
    for number in range(args.cases + MORE_CASES):
        if number >= args.cases and not seen.lacking:
            break
        wrong = check_number(number, args, folder, seen)
        if wrong is not None:
            command, what, want = wrong
            with open(os.path.join(folder, "want"), "wb") as file:
                file.write(want)
            print(f"FAIL case {number}: {what}\n  gpusort sort {' '.join(map(shlex.quote, command))}\n"
                  f"  want: {folder}/want")
            sys.exit(1)
    shutil.rmtree(folder)
    if seen.tell():
        sys.exit(1)
    print(f"{args.cases} sorts of JSON lines, all as they must be")


if __name__ == "__main__":
    main()
