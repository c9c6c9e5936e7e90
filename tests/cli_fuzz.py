#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random command lines, good and bad, against GNU sort.

    tests/cli_fuzz.py SEED CASES [PROGRAM]

Each case draws options, operands and three small files from SEED and runs both programs
under the name `sort`: standard output, standard error, exit code and the output file must
be the same. What sorts large inputs right is tests/differential.py; this is about options,
messages and --debug. GNU sort is the system's, or $REFERENCE_SORT; cases in which it is
older than what gpusort follows (tests/reference_sort.py) are left out. Exit code 77 if
there is none.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

import key_letters
import reference_sort

WORDS = ["a", "B", "b", "10", "9", "-3", "1.5", "2K", "1M", "JAN", "feb", "x1", "x10", " ",
         "\t", "", "a b", "A,b", "0x1f", "1e3", "-inf", "+5", ".5", "5.", "--1", "\x01z", "\xe9"]
# What an older reference takes otherwise, and so not in every case.
ODD_WORDS = ["nan", "-nan(2)", "3R", "7Q", "1\x802", ".6~.5x"]
LONG = ["--check=q", "--check", "--rev", "--uni", "--sta", "--ign", "--par=2", "--par=0",
        "-S1M", "-S5%", "-Sx", "-S1R", "-S\t", "-S'", "--batch-size=3", "--batch-size=1", "--z", "-y", "-y1",
        "--nosuch", "--s", "--files0-from=nofile", "-ofile", "--debug=1", "--key", "-Q"]

LETTERS = "bdfgiMnrVhn"


class Case:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.arguments = []
        for _ in range(self.random.randint(1, 4)):
            self.arguments += self.option()
        self.environment = {}
        if self.random.random() < 0.1:
            self.environment["POSIXLY_CORRECT"] = "1"
        if self.random.random() < 0.1:
            versions = ["199209", "200112", "200809"]
            self.environment["_POSIX2_VERSION"] = self.random.choice(versions)
        self.words = WORDS + (ODD_WORDS if self.random.random() < 0.2 else [])
        self.files = {name: self.text() for name in ("in", "f1", "f2")}

    def line(self):
        glue = self.random.choice([" ", "\t", ",", "  ", ""])
        return glue.join(self.random.choice(self.words) for _ in range(self.random.randint(0, 4)))

    def text(self):
        eol = "\0" if self.random.random() < 0.1 else "\n"
        text = eol.join(self.line() for _ in range(self.random.randint(0, 6)))
        if text and self.random.random() < 0.8:
            text += eol
        return text.encode("latin1")

    def letters(self):
        count = self.random.choice([0, 0, 1, 1, 1, 2])
        return "".join(self.random.choice(LETTERS) for _ in range(count))

    def position(self):
        text = str(self.random.choice([0, 1, 1, 1, 2, 2, 3, 9]))
        if self.random.random() < 0.3:
            text += "." + self.random.choice(["0", "1", "2", "3", "5", "x"])
        return text + self.letters()

    def old_position(self, sign):
        text = sign + str(self.random.randint(0, 3))
        if self.random.random() < 0.4:
            text += "." + str(self.random.randint(0, 2))
        return text + self.letters()

    def option(self):
        draw = self.random.random()
        choice = self.random.choice
        if draw < 0.35:
            end = "," + self.position() if self.random.random() < 0.6 else ""
            return ["-k" + self.position() + end]
        if draw < 0.45:
            letters = [choice(LETTERS + "suzcCm") for _ in range(self.random.randint(1, 3))]
            return ["-" + "".join(letters)]
        if draw < 0.55:
            return ["-" + choice(LETTERS + "su")]
        if draw < 0.62:
            return ["-t", choice([",", " ", "\t", "a", "\\0", "ab", ""])]
        if draw < 0.67:
            key = [self.old_position("+")]
            return key + ([self.old_position("-")] if self.random.random() < 0.7 else [])
        if draw < 0.72:
            return ["--sort=" + choice(["n", "numeric", "month", "v", "hum", "g", "x"])]
        if draw < 0.84:
            return ["--debug"]
        if draw < 0.90:
            return [choice(LONG)]
        if draw < 0.95:
            return [choice(["f1", "f2", "-", "nofile", "no file", "--"])]
        return choice([["-o", "out"], ["-T."], ["-m"], ["f1", "f2"], ["-m", "f1", "f2"]])

    def run(self, folder, program):
        for name, text in self.files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text)
        out = os.path.join(folder, "out")
        with open(out, "wb") as file:
            file.write(b"as it was\n")
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", **self.environment}
        with open(os.path.join(folder, "in"), "rb") as stdin:
            done = subprocess.run(["sort"] + self.arguments, executable=program,
                                  stdin=stdin, capture_output=True, env=environment,
                                  cwd=folder, timeout=60, check=False)
        with open(out, "rb") as file:
            written = file.read()
        return done.returncode, done.stdout, done.stderr, written


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    here = os.path.dirname(os.path.abspath(__file__))
    program = sys.argv[3] if len(sys.argv) > 3 else os.path.join(here, "../build/gpusort")
    if not reference_sort.PROGRAM:
        print("skipped: no GNU sort here")
        return 77
    key_letters.check_drawn("cli_fuzz.py", LETTERS, left_out="R")  # which is drawn anew each time
    lacking = reference_sort.lacking()
    left_out = 0
    folder = tempfile.mkdtemp(prefix="gpusort-fuzz.")
    failed = 0
    # Command lines that hang would wait for the timeout; the name must be `sort`.
    link = os.path.join(folder, "sort")
    os.symlink(os.path.realpath(program), link)
    try:
        for number in range(count):
            case = Case(seed * 1000003 + number)
            data = b"\n".join(case.files.values())
            if reference_sort.outdated(lacking, case.arguments, data):
                left_out += 1
                continue
            want = case.run(folder, reference_sort.PROGRAM)
            got = case.run(folder, link)
            if want == got:
                continue
            failed += 1
            print(f"seed {seed}, case {number}: {case.arguments} {case.environment}")
            print(f"  files {case.files}\n  GNU   {want}\n  ours  {got}")
            if failed == 10:
                break
    finally:
        shutil.rmtree(folder)
    print(f"cli_fuzz: seed {seed}, {count} cases, {failed} differ")
    if left_out:
        print(f"{left_out} left out: the system's sort is older")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
