# SPDX-License-Identifier: MIT
"""One random sort, merge or check of a soak, and what must be true however it ends.

A case says what is asked for and what is in the way. `check` runs it and returns None or
what is wrong; `reductions` gives smaller cases, for shrinking.
"""
import gzip
import itertools
import os
import re
import shutil
import subprocess

import differential
import inputs
import key_letters
import reference_sort
from shrink import Shrinkable, command_line
from situation import Situation
from trial import Trial
from world import tree

TAKES_VALUE = {"-k", "-t", "-S", "-T", "-o"}
SIZES = {"1M": 1 << 20, "2M": 2 << 20, "4096": 4096 * 1024, "5M": 5 << 20, "16M": 16 << 20, "100M": 100 << 20}


def groups(options):
    """A flat list of options as a list of what belongs together."""
    out, i = [], 0
    while i < len(options):
        size = 2 if options[i] in TAKES_VALUE else 1
        out.append(options[i:i + size])
        i += size
    return out


def flat(some):
    return [word for group in some for word in group]


def ends_lines(option):
    """-z alone or in a cluster; not behind a key."""
    return option == "--zero-terminated" or re.fullmatch("-[su%s]*z[a-zA-Z]*" % "".join(key_letters.every_letter()), option) is not None


class SortCase(Shrinkable):
    kind = "sort"

    def __init__(self):
        self.called = "gpusort"
        self.mode = "sort"        # or merge, check
        self.order = []           # groups of options that say what is right
        self.work = []            # and of those that do not
        self.size = None          # -S, in bytes
        self.feature = None       # ("count" | "header" | "top" | "zstd", number)
        self.records = None       # (size, keys) of binary records
        self.end = b"\n"
        self.files = {}           # name: bytes, unpacked
        self.packed = {}          # name: "gz" or "zst"
        self.stdin = None         # the file that is standard input
        self.piece = 0            # bytes at a time, through a pipe
        self.output = None        # path; None is standard output
        self.old = None           # what the output has before
        self.has_other_name = False  # a hard link to the output
        self.trouble = Situation()
        self.is_long = False      # much input and little memory, to be stopped and gone on with

    # --- making ----------------------------------------------------------------------

    @classmethod
    def random(cls, r, world):
        self = cls()
        self.is_long = r.random() < 0.12
        if r.random() < 0.1:
            self.draw_records(r)
        else:
            self.draw_lines(r)
        self.draw_work(r)
        self.draw_output(r)
        can_resume = "sort" in world.can_resume and self.can_resume()
        self.trouble = Situation.random(r, self.input_bytes(), 0.9 if self.is_long else 0.2 if can_resume else 0)
        self.trouble.is_resumed &= can_resume
        if self.output is None and self.mode != "check" and not self.trouble.is_resumed and r.random() < 0.15:
            self.trouble.take = r.choice([0, 1, 100, 70000, r.randrange(1, 2 * self.input_bytes() + 2)])
        return self

    def draw_lines(self, r):
        self.mode = "sort" if self.is_long else r.choice(["sort"] * 8 + ["merge", "merge", "check"])
        if self.mode == "sort" and r.random() < 0.2:
            self.feature = r.choice([("count", 0), ("top", r.choice([0, 1, 10, 1000, 10 ** 6])),
                                     ("header", r.choice([1, 2, 50]))]
                                    + [("zstd", r.choice([1, 3, 9]))] * bool(shutil.which("zstd")))
        order = differential.Order(r, no_stable=self.feature is not None)
        self.order, self.end = groups(order.options), order.end
        lines = inputs.draw_lines(r, order, self.is_long)
        pieces = [lines] if self.mode == "check" else inputs.cut(r, lines)
        copies = r.choice([30, 60, 90]) if self.is_long else r.choice(inputs.COPIES)
        for i, piece in enumerate(pieces):
            data = inputs.join(r, piece, self.end)
            if copies > 1 and data.endswith(self.end):
                data = inputs.grown(r, data, copies)
            self.files["f%d" % i] = data
        self.called = "gpusort" if self.feature else r.choice(["sort", "gpusort"])
        if self.called == "gpusort" and r.random() < 0.2:
            for name in self.files:
                if r.random() < 0.6 and not (self.mode == "check" and name == "f0"):
                    self.packed[name] = r.choice(["gz", "zst"] if shutil.which("zstd") else ["gz"])
        if r.random() < 0.25 and not self.is_long:
            self.stdin = r.choice(list(self.files))
            self.piece = r.choice([0, 65536, 65536, 4096, 100 + len(self.files[self.stdin]) // 50])

    def draw_records(self, r):
        case = differential.case_records(r, differential.Case())
        self.records = case.record_rules
        self.order = [[word] for word in case.record_options]
        self.files = {"f0": case.files["f"] * r.choice([1, 1, 1, 3, 40])}

    def draw_work(self, r):
        options = self.work
        if self.is_long or r.random() < 0.7:
            word = r.choice(list(SIZES)[:3] if self.input_bytes() > 1000000 else list(SIZES))
            self.size = SIZES[word]
            options.append(["-S", word])
        if r.random() < 0.3:
            options.append(["--parallel=%d" % r.choice([1, 2, 3, 4, 8, 30])])
        if r.random() < 0.2:
            options.append(["--batch-size=%d" % r.choice([2, 2, 3, 16])])
        if r.random() < 0.4:
            options.append(["-T", "tmp"])
        if r.random() < 0.08:
            options.append(["--compress-program=" + r.choice(["gzip", "no-such-program"])])
        if self.called == "gpusort":
            for option, chance in (("--no-uring", 0.1), ("--engine=cpu", 0.2), ("--sync", 0.1), ("--progress=never", 0.1)):
                if r.random() < chance:
                    options.append([option])

    def draw_output(self, r):
        if self.mode == "check" or r.random() < 0.3:
            return
        self.output = r.choice(["out/new", "out/new", "out/old", "f0"])
        if self.output == "out/old":
            self.old = r.choice([b"", b"what was there before\n" * r.choice([1, 30000])])
            self.has_other_name = r.random() < 0.2
        if self.output in self.packed or self.output == self.stdin:
            self.output = "out/new"

    def can_resume(self):
        """Checkpoints are for sorts of files that stay as they are."""
        return (self.mode == "sort" and self.called == "gpusort" and self.output != "f0" and self.stdin is None
                and not any(group[0].startswith("--compress-program") for group in self.work))

    def input_bytes(self):
        return sum(map(len, self.files.values()))

    # --- what is right ---------------------------------------------------------------

    def operands(self):
        return [("-" if name == self.stdin else name) for name in self.files]

    def reference_arguments(self):
        mode = {"sort": [], "merge": ["-m"], "check": ["-c"]}[self.mode]
        return mode + flat(self.order) + self.operands()

    def arguments(self):
        features = {"count": ["--count"], "header": ["--header=%d"], "top": ["--top=%d"],
                    "zstd": ["--output-compress=zstd:%d"]}
        own = ["sort"] if self.called == "gpusort" else []
        if self.feature:
            own += [word % self.feature[1] if "%" in word else word for word in features[self.feature[0]]]
        if self.output:
            own += ["-o", self.output]
        return own + flat(self.work) + self.reference_arguments()

    def in_order(self):
        """The files as a merge wants them."""
        options = [g for g in self.order if g not in (["-u"], ["--unique"])]
        return {name: differential.sort_now(flat(options), data) for name, data in self.files.items()}

    def split(self, data):
        lines = data.split(self.end)
        return lines[:-1] if lines[-1] == b"" else lines

    def wanted(self, folder, plain):
        """(exit code, output, messages or None)"""
        if self.records:
            data = differential.records_in_order(b"".join(plain.values()), flat(self.order), *self.records)
            return 0, data, None
        head = b""
        if self.feature and self.feature[0] == "header":
            first = next(iter(plain))
            lines = self.split(plain[first])
            head = b"".join(line + self.end for line in lines[:self.feature[1]])
            plain = {**plain, first: b"".join(line + self.end for line in lines[self.feature[1]:])}
        for name, data in plain.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        source = open(os.path.join(folder, self.stdin), "rb") if self.stdin else subprocess.DEVNULL
        done = subprocess.run(["sort"] + self.reference_arguments(), executable=reference_sort.PROGRAM, cwd=folder,
                              stdin=source, capture_output=True, env=reference_sort.ENV, check=False)
        if self.stdin:
            source.close()
        if done.returncode > 1:
            raise RuntimeError("the reference says %r to %r" % (done.stderr, self.reference_arguments()))
        return done.returncode, self.apart(head + done.stdout), done.stderr

    def apart(self, data):
        """What an option of our own makes of what is in order."""
        kind, number = self.feature or (None, 0)
        if kind == "count":
            return b"".join(b"%7d %s%s" % (len(list(same)), line, self.end)
                            for line, same in itertools.groupby(self.split(data)))
        if kind == "top":
            return b"".join(line + self.end for line in self.split(data)[:number])
        return data

    # --- running ---------------------------------------------------------------------

    def check(self, world):
        lacking = reference_sort.outdated(world.lacking, self.reference_arguments(), b"\n".join(self.files.values()))
        if lacking and not self.records:
            world.counts["left out: the system's sort is older (%s)" % lacking] += 1
            return None
        plain = self.in_order() if self.mode == "merge" and not self.records else self.files
        with world.case_folder(Situation()) as folder:
            self.right = self.wanted(folder, plain)
        with world.case_folder(self.trouble) as folder:
            try:
                self.write(folder, plain)
            except OSError:  # the disk of the case is too small for the old output
                self.old = None
                return None
            return Attempts(self, world, folder).problem()

    def write(self, folder, plain):
        for name, data in plain.items():
            if self.packed.get(name) == "gz":
                data = gzip.compress(data, 1, mtime=0)
            elif self.packed.get(name) == "zst":
                data = subprocess.run(["zstd", "-q", "-1", "-c"], input=data, capture_output=True, check=True).stdout
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        if self.output == "f0":
            self.old = plain["f0"]
        self.restore(folder)

    def restore(self, folder):
        """The output as it was before."""
        if not self.output:
            return
        path = os.path.join(folder, self.output)
        for name in (path, path + ".link"):
            if os.path.exists(name):
                os.unlink(name)
        if self.old is not None:
            with open(path, "wb") as file:
                file.write(self.old)
            if self.has_other_name:
                os.link(path, path + ".link")

    def longest_line(self):
        return max((max(map(len, data.split(self.end))) for data in self.files.values()), default=0)

    def is_resident_bounded(self):
        """A line of more than a twentieth of -S takes what it needs beyond that."""
        return self.size is not None and (self.records or self.longest_line() <= self.size // 20)

    # --- for a person ----------------------------------------------------------------

    def save(self, folder, world):
        del world
        os.mkdir(os.path.join(folder, "out"))
        self.write(folder, self.in_order() if self.mode == "merge" and not self.records else self.files)
        with open(os.path.join(folder, "expected"), "wb") as file:
            file.write(self.right[1])

    def commands(self):
        words = (["gpusort"] if self.called == "gpusort" else ["sort"]) + self.arguments()
        if self.trouble.is_resumed:
            words[2:2] = ["--checkpoint", "kept"]
        yield command_line(self, words, self.stdin, self.piece > 0)

    # --- smaller ones ----------------------------------------------------------------

    def reductions(self):
        for trouble in self.trouble.milder():
            yield self.but(trouble=trouble)
        for name, value in (("feature", None), ("packed", {}), ("piece", 0), ("stdin", None), ("has_other_name", False)):
            if getattr(self, name):
                yield self.but(**{name: value})
        if self.output in ("out/old", "f0"):
            yield self.but(output="out/new", old=None, has_other_name=False)
        for i, group in enumerate(self.work):
            yield self.but(work=self.work[:i] + self.work[i + 1:], size=None if group[0] == "-S" else self.size)
        for name in self.files:
            if len(self.files) > 1 and not (name == "f0" and self.output == "f0"):
                files = {other: data for other, data in self.files.items() if other != name}
                yield self.but(files=files, stdin=None if self.stdin == name else self.stdin)
        if self.records:
            yield from self.fewer_records()
            return
        for i in range(len(self.order)):
            if not ends_lines(self.order[i][0]):
                yield self.but(order=self.order[:i] + self.order[i + 1:])
        yield from self.fewer_lines()

    def fewer_records(self):
        size = self.records[0]
        for name, data in self.files.items():
            half = len(data) // size // 2 * size
            if half:
                yield self.but(files={**self.files, name: data[:half]})
                yield self.but(files={**self.files, name: data[half:]})

    def fewer_lines(self):
        for name, data in self.files.items():
            lines = self.split(data)
            ends = [line + self.end for line in lines]
            if lines and not data.endswith(self.end):
                ends[-1] = lines[-1]
            pieces = []
            for parts in (2, 4, 16):
                step = len(ends) // parts
                if step:
                    pieces += [ends[:i] + ends[i + step:] for i in range(0, len(ends), step)]
            if 1 < len(ends) <= 40:
                pieces += [ends[:i] + ends[i + 1:] for i in range(len(ends))]
            for i, line in enumerate(ends[:40]):
                if len(line) > 8:
                    pieces.append(ends[:i] + [line[:len(line) // 2] + self.end] + ends[i + 1:])
            for piece in pieces:
                yield self.but(files={**self.files, name: b"".join(piece)})


class Attempts(Trial):
    """The runs of one case: a whole one, then some that are killed, or resumed until they are done."""

    def __init__(self, case, world, folder):
        super().__init__(world, folder, case.trouble, case.input_bytes())
        self.case = case
        self.before = tree(folder)
        self.code, self.out, self.err = case.right
        self.is_bounded = case.is_resident_bounded()
        self.beside = False   # is the whole output there, under another name?
        self.was_there = None  # what the output held before the last run

    def problem(self):
        case = self.case
        outcome = self.attempt()
        problem = self.judge(outcome)
        if problem or outcome.status not in (0, 1):
            return problem
        if case.trouble.is_resumed:
            return self.resume(self.moments(outcome.seconds))
        for kill in self.moments(outcome.seconds):
            case.restore(self.folder)
            problem = self.judge(self.attempt(kill))
            if problem:
                return "with SIG%s after %.4f s: %s" % (*kill, problem)
        return None

    def resume(self, kills):
        """Killed, and asked again the same, until it is done; then nothing of it may be left."""
        self.case.restore(self.folder)
        kept = os.path.join(self.folder, "kept")
        for number, kill in enumerate(kills + [None]):
            if os.path.isdir(kept) and os.listdir(kept):
                self.world.counts["resumes"] += 1
            self.world.counts["kills of what may be resumed"] += kill is not None
            outcome = self.attempt(kill, ["--checkpoint", "kept"])
            problem = self.judge(outcome, keeps=outcome.status != 0)
            if problem:
                return "run %d with --checkpoint: %s" % (number + 1, problem)
            if outcome.status == 0:
                self.case.restore(self.folder)
        return None

    def attempt(self, kill=None, extra=()):
        case = self.case
        self.was_there = self.written()
        arguments = case.arguments()
        arguments[1:1] = extra
        return self.run(arguments, kill, stdin=case.stdin, piece=case.piece, called=case.called)

    def judge(self, outcome, keeps=False):
        """What is wrong with a run that ended in whatever way; `keeps`: a checkpoint may be there."""
        case = self.case
        problem = self.judge_status(outcome, self.code)
        if problem:
            return problem
        if (case.mode == "check" and case.called == "sort" and self.is_done(outcome) and outcome.err != self.err):
            return "messages: expected %r, got %r" % (self.err, outcome.err)
        if self.is_bounded:
            problem = self.world.note_resident(outcome, case.size)
            if problem:
                return problem
        return self.judge_files(outcome, keeps) or self.judge_output(outcome)

    def is_done(self, outcome):
        return outcome.status == self.code

    def judge_output(self, outcome):
        """Whole or as it was; in a pipe, the beginning of it."""
        case = self.case
        if case.output is None:
            got = self.decode(outcome.out)
            if case.trouble.take is not None and not (case.feature and case.feature[0] == "zstd"):
                if self.is_done(outcome) or outcome.status == -13:
                    if got != self.out[:case.trouble.take]:
                        return "the pipe: " + differential.first_difference(self.out[:case.trouble.take], got)
            elif self.is_done(outcome) and case.trouble.take is None and got != self.out:
                return "output: " + differential.first_difference(self.out, got)
            return None
        got = self.written()
        if got == self.was_there and not self.is_done(outcome):
            return None  # as it was, or whole of the run before, which was killed when all was done
        if got is None:
            return "there is no output"
        may_be_whole = self.is_done(outcome) or outcome.is_killed
        if may_be_whole and self.decode(got) == self.out:
            return None
        if case.has_other_name and outcome.status == -9 and self.beside:
            return None  # ended amid the copy: all of it is beside, as judge_files has seen
        return "status %d, output: %s" % (outcome.status, differential.first_difference(self.out, self.decode(got)))

    def written(self):
        """What the output holds; None: it is standard output, or there is none."""
        path = self.case.output and os.path.join(self.folder, self.case.output)
        if path is None or not os.path.exists(path):
            return None
        with open(path, "rb") as file:
            return file.read()

    def decode(self, data):
        if self.case.feature and self.case.feature[0] == "zstd":
            done = subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=False)
            return done.stdout if done.returncode == 0 else b"not a zstd file"
        return data

    def judge_files(self, outcome, keeps):
        """Nothing changed and nothing left; only SIGKILL may leave the output under a name for the time being."""
        case, after = self.case, tree(self.folder)
        self.beside = False
        for path in sorted(set(self.before) | set(after)):
            if path in (case.output, (case.output or "") + ".link") or self.before.get(path) == after.get(path):
                continue
            if path.split("/")[0] == "kept" and keeps:
                continue
            if path not in after:
                return "%s is gone" % path
            if path in self.before:
                return "%s has changed" % path
            if path != "kept/" and not (outcome.status == -9 and self.is_unnamed_output(path)):
                return "status %d, %s was left" % (outcome.status, path)
        return None

    def is_unnamed_output(self, path):
        """.NAME.gpusort-XXXXXX, with all of the output in it; it goes, for the next run."""
        folder, name = os.path.split(os.path.join(self.folder, path))
        wanted = ".%s.gpusort-" % os.path.basename(self.case.output or "\0")
        if not name.startswith(wanted):
            return False
        with open(os.path.join(folder, name), "rb") as file:
            is_whole = self.decode(file.read()) == self.out
        os.unlink(os.path.join(folder, name))
        self.beside = is_whole
        self.world.counts["outputs beside their name after SIGKILL"] += 1
        return is_whole
