#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds an index that grows against one build of what is left.

Random documents are appended, deleted by their names and compacted, in random order and
with random memory; after each change what every reading command prints must be, byte for
byte, what it prints of an index that was built at once of the documents that are left.
A merge of grown indexes, and a compacted one, must be the same files. Some have docIDs from
another number than 0 on, and must go together with the index whose docIDs follow. An
index of vectors only gets smaller.
"""
import argparse
import filecmp
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import index_kinds

WORDS = 700
OPTIONS = ("--positions", "--store", "--stem=english", "--min-len=2")


class Case:
    def __init__(self, binary, seed, number, folder):
        self.binary, self.folder = binary, folder
        self.rng = random.Random(f"{seed}/{number}")
        # The first three cases have one of each kind.
        share = {0: 1, 1: 0}.get(number, 0.5)
        self.has_vectors = number == 2 or number > 2 and self.rng.random() < 0.15
        self.options = [o for o in OPTIONS if self.rng.random() < share and not self.has_vectors]
        self.base = self.rng.choice((0, 0, 1, 1000, 1 << 39))
        self.format = "--format=" + ("vectors" if self.has_vectors else "jsonl")
        self.build = ["index", "build", self.format, *self.options,
                      *([f"--doc-base={self.base}"] if self.base else [])]
        self.left = []        # (name, line), in the order of the index
        self.made = 0
        self.log = []

    def run(self, *arguments, stdin=None, ok=True):
        self.log.append(" ".join(arguments))
        done = subprocess.run([self.binary, *arguments], cwd=self.folder, input=stdin,
                              capture_output=True, check=False)
        if (done.returncode == 0) != ok:
            self.fail(f"exit {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def fail(self, why):
        raise AssertionError("\n  gpusort ".join([why + ", after", *self.log]))

    # --- documents ---------------------------------------------------------------------

    def document(self):
        rng = self.rng
        again = self.left and rng.random() < 0.05
        name = rng.choice(self.left)[0] if again else f"d{self.made}"
        self.made += 1
        words = [f"w{int(rng.paretovariate(0.6)) % WORDS}" for _ in range(rng.choice((0, 3, 30)))]
        if rng.random() < 0.1:
            words.append("often")
        if self.has_vectors:
            return name, json.dumps({"id": name, "vector": {word: rng.randint(1, 300) for word in words}}) + "\n"
        return name, json.dumps({"id": name, "text": " ".join(words)}) + "\n"

    def write(self, file, documents):
        with open(os.path.join(self.folder, file), "w", encoding="utf-8") as out:
            out.writelines(line for _, line in documents)

    def make(self, count):
        return [self.document() for _ in range(count)]

    # --- changes -----------------------------------------------------------------------

    def some_memory(self):
        return self.rng.choice(([], ["-S", "1M"], ["--parallel=3", "-S", "4M"]))

    def append(self):
        new = self.make(self.rng.choice((0, 1, 5, 60, 300)))
        updates = self.rng.random() < 0.3
        if updates:
            names = {name for name, _ in new}
            self.left = [d for d in self.left if d[0] not in names]
        self.write("new", new)
        self.run("index", "append", "grown", self.format, *self.some_memory(),
                 *(["--update"] if updates else []),
                 *self.rng.choice(([], ["--no-merge"], self.options)), "new")
        self.left += new

    def delete(self):
        rng = self.rng
        share = rng.choice((0.01, 0.05, 0.4))
        names = {name for name, _ in self.left if rng.random() < share}
        odd = rng.random() < 0.2
        asked = sorted(names) + (["nobody"] if odd else [])
        rng.shuffle(asked)
        if not asked:
            return
        merge = rng.choice(([], ["--no-merge"]))
        if len(asked) < 20 and rng.random() < 0.5:
            self.run("index", "delete", *merge, "grown", *asked, ok=not odd)
        else:
            self.run("index", "delete", *merge, *self.some_memory(), "grown",
                     stdin=("\n".join(asked) + "\n").encode(), ok=not odd)
        self.left = [d for d in self.left if d[0] not in names]

    def compact(self):
        self.run("index", "compact", *self.some_memory(), "grown")
        self.compare_folders("grown", "once")

    # --- what must be the same -----------------------------------------------------------

    def compare_folders(self, a, b):
        names = sorted(os.listdir(os.path.join(self.folder, a)))
        if names != sorted(os.listdir(os.path.join(self.folder, b))):
            self.fail(f"{a} holds {names}")
        for name in names:
            if not filecmp.cmp(os.path.join(self.folder, a, name),
                               os.path.join(self.folder, b, name), shallow=False):
                self.fail(f"{name} of {a} is not that of {b}")

    def build_once(self):
        self.write("all", self.left)
        self.run(*self.build, "--replace", "-o", "once", "all")
        self.log.pop()

    def queries(self):
        rng = self.rng
        word = lambda: f"w{int(rng.paretovariate(0.6)) % WORDS}"
        queries = [" ".join(word() for _ in range(rng.randint(1, 4))) for _ in range(6)]
        if self.has_vectors:
            return queries + ["often", "unknownword", f"often {word()} often"]
        queries += ["often", "w*", "-often", f"w1* -{word()}", "unknownword"]
        queries += [f"+{word()} +{word()}", f"+often {word()}", f"{word()} -{word()}",
                    f"({word()} OR {word()}) AND {word()}"]
        if "--positions" in self.options:
            queries += [f'"{word()} w1"', '"w1 w1"']
        return queries

    def same(self, *arguments, stdin=None, ok=True):
        at = arguments.index("IDX")
        both = [self.run(*arguments[:at], index, *arguments[at + 1:], stdin=stdin, ok=ok)
                for index in ("grown", "once")]
        self.log = self.log[:-2]
        if both[0] != both[1]:
            self.fail(f"{' '.join(arguments)} of grown is not that of once")

    def compare(self):
        rng = self.rng
        positions = ["--positions"] if "--positions" in self.options else []
        queries = "\n".join(self.queries()).encode() + b"\n"
        terms = "\n".join(f"w{rng.randrange(WORDS)}" for _ in range(30)).encode()
        limit = f"--top={rng.choice((1, 3, 10, 1000))}"
        self.same("index", "dump", *positions, "IDX")
        self.same("lookup", "IDX", stdin=terms)
        self.same("lookup", "--json", "--df-only", "IDX", stdin=terms)
        self.same("lookup", "--prefix", "IDX", "w1", "o")
        self.same("lookup", "--from=w3", "--to=w5", "IDX")
        self.same("search", "--json", limit, "IDX", stdin=queries)
        self.same("search", "--json", "--exhaustive", limit, "IDX", stdin=queries)
        self.same("search", "--boolean", limit, "IDX", stdin=queries)
        self.same("search", "--count", "IDX", stdin=queries)
        self.same("index", "export", "--ciff", "IDX")
        if "--store" in self.options:
            self.same("search", "--json", "--snippets", limit, "IDX", stdin=queries)
            self.same("index", "show", "--json", "IDX")
            if self.left:
                self.same("index", "show", "IDX", rng.choice(self.left)[0])
        self.run("index", "verify", "grown")
        counts = [json.loads(self.run("index", "info", "--json", index))
                  for index in ("grown", "once")]
        self.log = self.log[:-3]
        for count in counts:
            for field in ("bytes", "segments", "deleted"):
                count.pop(field)
        if counts[0] != counts[1]:
            self.fail(f"info: {counts[0]}, but {counts[1]}")

    def compare_rewritten(self):
        """Of what makes another index of it."""
        self.run("index", "merge", "--replace", "-o", "merged", "grown")
        self.compare_folders("merged", "once")
        self.run("index", "reorder", "--replace", "-o", "reordered", "grown")
        self.run("index", "reorder", "--replace", "-o", "reordered2", "once")
        self.compare_folders("reordered", "reordered2")
        self.log = self.log[:-3]
        if self.base:
            self.compare_followed()

    def compare_followed(self):
        """By an index whose docIDs begin where those of this one end."""
        self.write("new", self.make(5))
        self.run("index", "build", self.format, "--replace", *self.options, "-o", "next",
                 f"--doc-base={self.base + len(self.left)}", "new")
        for index in ("grown", "once"):
            self.run("index", "merge", "--replace", "-o", f"{index}.next", index, "next")
        self.compare_folders("grown.next", "once.next")
        self.log = self.log[:-3]

    def go(self, steps, kinds):
        self.left = self.make(self.rng.choice((0, 1, 200, 1000)))
        self.write("new", self.left)
        self.run(*self.build, "-o", "grown", "new")
        kinds.meet(os.path.join(self.folder, "grown"))
        weights = (0, 8, 3) if self.has_vectors else (6, 4, 1)
        for step in range(steps):
            change = self.rng.choices((self.append, self.delete, self.compact), weights)[0]
            if change == self.compact:
                self.build_once()
            change()
            if change != self.compact and (step % 3 == 2 or step == steps - 1):
                self.build_once()
                self.compare()
                if step == steps - 1:
                    self.compare_rewritten()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="only this one")
    args = parser.parse_args()
    numbers = range(args.cases) if args.case is None else [args.case]
    kinds = index_kinds.Kinds("indexes that grow")
    for number in numbers:
        folder = tempfile.mkdtemp(prefix="grow_check.")
        try:
            Case(args.binary, args.seed, number, folder).go(args.steps, kinds)
        except AssertionError as why:
            print(f"grow_check: seed {args.seed}, case {number}: {why}", file=sys.stderr)
            sys.exit(1)
        finally:
            shutil.rmtree(folder)
    # Only what has names can grow.
    lacks = kinds.missing(always=("has_names",)) if len(numbers) >= 3 else []
    if lacks:
        sys.exit("grow_check: " + "; ".join(lacks))
    print(f"grow_check: {len(numbers)} indexes grew, seed {args.seed}")


if __name__ == "__main__":
    main()
