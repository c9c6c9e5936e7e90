# SPDX-License-Identifier: MIT
"""One random index of a soak: built, merged, asked, exported and imported, and killed on the way.

What it must hold is computed by the code of index_check.py, search_check.py and
ciff_check.py. Whatever interrupts a command, the index is there whole, or as it was.
"""
import collections
import contextlib
import gzip
import io
import json
import os
import random
import re
import shutil
import struct
import subprocess

import ciff_check
import index_check
import search_check
from shrink import Shrinkable, command_line
from situation import Situation
from trial import Trial
from world import tree

MARK = ".gpusort-unfinished"
STEPS = ["rebuild", "merge", "grow", "lookup", "search", "ciff"]
# Of which a case is drawn, as often as it stands here, and those of which none is.
FORMATS = ["jsonl", "jsonl", "jsonl", "json", "tsv", "csv", "trec", "warc", "text", "tuples", "tuples", "tuples-bin"]
NOT_DRAWN = {"html", "vectors"}
# What only some indexes have, and what of a case decides whether its index has it; None: no case does.
DECIDED_BY = {"has_positions": "positions", "has_names": "format", "has_texts": "stores", "has_impacts": None}
SIZES = {"1b": 1, "1M": 1 << 20, "3M": 3 << 20, "20M": 20 << 20, "64M": 64 << 20}


class IndexCase(Shrinkable):
    kind = "index"

    def __init__(self):
        self.format = "jsonl"
        self.documents = []      # (name, [text, ...]), or tuples: (term, document, how often)
        self.rules = []          # groups of options that say what the terms are
        self.positions = self.stores = False
        self.works = []          # options of each build that change nothing, and -S in bytes
        self.spelling = "plain"  # or gz, zst, stdin, pipe, many
        self.replaces = False
        self.steps = []
        self.seed = 0            # of what is written, cut and asked
        self.trouble = Situation()

    # --- making ----------------------------------------------------------------------

    @classmethod
    def random(cls, r, world):
        self = cls()
        self.seed = r.randrange(1 << 30)
        self.format = r.choice(FORMATS)
        count = r.choice([1 if self.format == "text" else 0, 1, 2, 10, 50, 50, 200, 200, 600])
        if self.format.startswith("tuples"):
            self.draw_tuples(r, count * r.choice([1, 20, 100]))
        else:
            self.documents = index_check.Corpus(r, min(count, 60) if self.format == "text" else count,
                                                r.choice([5, 300, 3000])).documents
            self.positions = r.random() < 0.4
            self.stores = r.random() < 0.3
            self.rules = r.choice([[], [], ["--no-fold"], ["--min-len=3"], ["--min-len=2", "--max-len=9"]])
        self.works = [self.draw_work(r) for _ in range(3)]
        if self.format != "text":
            self.spelling = r.choice(["plain", "plain", "plain", "gz", "zst", "stdin", "pipe", "many"])
            if self.spelling == "zst" and not shutil.which("zstd"):
                self.spelling = "gz"
        self.replaces = r.random() < 0.4
        self.steps = [step for step in STEPS if r.random() < 0.35]
        can_resume = "index build" in world.can_resume and self.spelling in ("plain", "gz", "zst", "many")
        self.trouble = Situation.random(r, self.input_bytes(), 0.3 if can_resume else 0)
        if self.trouble.is_resumed:
            self.stores = False  # stored texts are not kept by a checkpoint
        return self

    def draw_tuples(self, r, count):
        if self.format == "tuples-bin":
            docs = r.choice([10, 1000, 1 << 32])
            self.documents = [(b"%d" % int(20000 ** r.random()), r.randrange(docs), 1) for _ in range(count)]
            return
        alphabet = r.choice([b"abc", b"abc\x00\xff d"])
        terms = [bytes(r.choices(alphabet, k=r.randint(1, 12))) for _ in range(r.choice([3, 300, 3000]))]
        docs = r.choice([10, 1000, 100000, 1 << 40])
        self.documents = [(terms[int(len(terms) ** r.random()) - 1], r.randrange(docs),
                           r.choice([1, 1, 1, 2, 7, 1 << 14])) for _ in range(count)]
        if r.random() < 0.4:
            self.documents.sort(key=lambda one: one[1])

    @staticmethod
    def draw_work(r):
        word = r.choice(list(SIZES))
        options = ["-S", word, "--method=" + r.choice(["spimi", "bsbi", "auto"]),
                   "--parallel=%d" % r.choice([1, 2, 3, 5])]
        if r.random() < 0.3:
            options.append("--batch-size=%d" % r.randint(2, 9))
        if r.random() < 0.2:
            options.append("--no-uring")
        if r.random() < 0.4:
            options += ["-T", "tmp"]
        return options, SIZES[word]

    def input_bytes(self):
        if self.format.startswith("tuples"):
            return 12 * len(self.documents)
        return sum(len(name) + sum(map(len, texts)) for name, texts in self.documents)

    # --- its files and commands ------------------------------------------------------

    def write(self, folder, documents, name):
        """Writes the input; returns what names it: options and files."""
        rng = random.Random(self.seed)
        path = os.path.join(folder, name)
        if self.format == "tuples":
            with open(path, "wb") as file:
                file.writelines(b"%s\t%d%s\n" % (term, doc, b"\t%d" % tf if tf > 1 else b"")
                                for term, doc, tf in documents)
        elif self.format == "tuples-bin":
            with open(path, "wb") as file:
                file.writelines(struct.pack("<II", int(term), doc) for term, doc, _ in documents)
        elif self.format == "text":
            names = index_check.write_text(rng, FakeCorpus(documents), path)
            return ["--format=text"], [os.path.relpath(one, folder) for one in names]
        else:
            options = index_check.WRITERS[self.format](rng, FakeCorpus(documents), path)
            return ["--format=" + self.format] + options, [name]
        return ["--format=" + self.format], [name]

    def write_spelt(self, folder):
        """(options, files, how standard input is given) of the whole input."""
        if self.spelling == "many" and len(self.documents) > 1:
            files = []
            for i, part in enumerate(self.parts()):
                options, names = self.write(folder, part, "in%d" % i)
                files += names
            return options, files, {}
        options, files = self.write(folder, self.documents, "in")
        path = os.path.join(folder, files[0]) if files else None
        if self.spelling in ("stdin", "pipe"):
            return options, ["-"], {"stdin": "in", "piece": 5000 if self.spelling == "pipe" else 0}
        if self.spelling == "gz":
            with open(path, "rb") as file:
                data = gzip.compress(file.read(), 1, mtime=0)
            with open(path, "wb") as file:
                file.write(data)
        elif self.spelling == "zst":
            subprocess.run(["zstd", "-q", "-1", "--rm", path, "-o", path + ".packed"], check=True)
            os.rename(path + ".packed", path)
        return options, files, {}

    def parts(self):
        return index_check.cut(random.Random(self.seed + 1), self.documents)

    def build_words(self, named, work, out="out/index"):
        options, files = named[:2]
        words = ["index", "build", "-o", out] + work[0] + options + self.rules
        if self.positions:
            words.append("--positions")
        if self.stores:
            words.append("--store")
        if self.replaces:
            words.append("--replace")
        return words + files

    # --- what is right ---------------------------------------------------------------

    def postings(self):
        if self.format.startswith("tuples"):
            index = collections.defaultdict(collections.Counter)
            for term, doc, tf in self.documents:
                index[term][doc] += tf
            return index
        number = re.compile(r"=(\d+)")
        lengths = {rule[:9]: int(number.search(rule).group(1)) for rule in self.rules if "len" in rule}
        how = index_check.Words("--no-fold" not in self.rules, lengths.get("--min-len", 0), lengths.get("--max-len", 0))
        return index_check.Corpus.tuples(FakeCorpus(self.documents), how)

    # --- running ---------------------------------------------------------------------

    def check(self, world):
        with world.case_folder(self.trouble) as folder:
            try:
                named = self.write_spelt(folder)
                if self.replaces:
                    IndexCase().build_old(world, folder)
            except OSError:  # the disk of the case is too small for what is there before
                return None
            return Steps(self, world, folder).problem(named)

    def build_old(self, world, folder):
        """What is replaced: an index of two documents."""
        with open(os.path.join(folder, "old.tsv"), "w", encoding="utf-8") as file:
            file.write("a\tsome words\nb\tother words\n")
        done = world.run(["index", "build", "-o", "out/index", "old.tsv"], folder)
        if done.status != 0:
            raise OSError(done.err)

    # --- for a person ----------------------------------------------------------------

    def save(self, folder, world):
        del world
        os.mkdir(os.path.join(folder, "out"))
        self.write_spelt(folder)
        with open(os.path.join(folder, "expected"), "wb") as file:
            file.write(index_check.expected_lines(self.postings(), self.positions))

    def commands(self):
        options, files, how = [], ["in"], {"stdin": "in"} if self.spelling in ("stdin", "pipe") else {}
        if self.format in index_check.WRITERS:
            options = index_check.WRITERS[self.format](random.Random(0), FakeCorpus([]), os.devnull)
        if how:
            files = ["-"]
        elif self.format == "text":
            files = ["in/%s.txt" % name for name, _ in self.documents]
        elif self.spelling == "many" and len(self.documents) > 1:
            files = ["in%d" % i for i in range(len(self.parts()))]
        words = self.build_words((["--format=" + self.format] + options, files), self.works[0])
        if self.trouble.is_resumed:
            words[2:2] = ["--checkpoint", "kept"]
        yield command_line(self, ["gpusort"] + words, how.get("stdin"), self.spelling == "pipe")
        yield "# then %s" % ", ".join(["verify", "dump"] + self.steps)

    # --- smaller ones ----------------------------------------------------------------

    def reductions(self):
        for trouble in self.trouble.milder():
            yield self.but(trouble=trouble)
        for step in self.steps:
            yield self.but(steps=[other for other in self.steps if other != step])
        for name, value in (("spelling", "plain"), ("replaces", False), ("positions", False), ("stores", False), ("rules", [])):
            if getattr(self, name) != value:
                yield self.but(**{name: value})
        documents = self.documents
        for parts in (2, 4, 16):
            step = len(documents) // parts
            if step and len(documents) - step >= (self.format == "text"):
                for i in range(0, len(documents), step):
                    yield self.but(documents=documents[:i] + documents[i + step:])
        if len(documents) <= 30 and not self.format.startswith("tuples"):
            for i, (name, texts) in enumerate(documents):
                if len(texts[0]) > 20:
                    shorter = (name, [text[:len(text) // 2] for text in texts])
                    yield self.but(documents=documents[:i] + [shorter] + documents[i + 1:])


class FakeCorpus(index_check.Corpus):
    """Documents that are there already."""

    def __init__(self, documents):  # pylint: disable=super-init-not-called
        self.documents = documents


class Steps(Trial):
    def __init__(self, case, world, folder):
        super().__init__(world, folder, case.trouble, case.input_bytes())
        self.case = case
        self.rng = random.Random(case.seed + 2)
        self.leftovers = set()  # of builds that were killed: the next one that is done takes them away

    def problem(self, named):
        case = self.case
        built, problem = self.attempt(case.build_words(named, case.works[0]), "out/index", case.works[0][1], named[2],
                                      can_resume="index build" in self.world.can_resume)
        if problem or built is None:
            return problem
        problem = self.look_into("out/index")
        for step in case.steps:
            problem = problem or getattr(self, "do_" + step)(named, built)
        return problem

    def attempt(self, words, target, size=None, how=None, can_resume=False):
        """Runs a command that makes `target`, whole and then with the kills of the case.

        Returns (what is in it, problem); (None, None) if a limit was in the way."""
        how = how or {}
        before = self.tree_of(target)
        others = self.others(target)
        outcome = self.run(words, **how)
        problem = self.judge(outcome, target, before, None, others, size)
        if problem or outcome.status != 0:
            return None, problem and "%s: %s" % (" ".join(words[:2]), problem)
        made = self.tree_of(target)
        resumes = can_resume and self.trouble.is_resumed
        for kill in self.moments(outcome.seconds) + [None]:
            if not resumes or outcome.status == 0:
                self.restore(target, before)
            extra = ["--checkpoint", "kept"] if resumes else []
            self.world.counts["resumes"] += bool(resumes and self.has_kept())
            self.world.counts["kills of what may be resumed"] += bool(resumes and kill)
            was_done = resumes and before is None and self.tree_of(target) == made
            outcome = self.run(words[:2] + extra + words[2:], kill, **how)
            if was_done and outcome.status == 2 and b"File exists" in outcome.err and self.tree_of(target) == made:
                # Stopped when the index had its name: it is there, and what replaces nothing says so.
                outcome = outcome._replace(status=0)
            problem = self.judge(outcome, target, before, made, others, size, resumes)
            if problem:
                return None, "%s%s: %s" % (" ".join(words[:2]), " with SIG%s after %.4f s" % kill if kill else
                                           " after these kills", problem)
        return (made, None) if outcome.status == 0 else (None, None)

    def has_kept(self):
        path = os.path.join(self.folder, "kept")
        return os.path.isdir(path) and os.listdir(path)

    def restore(self, target, before):
        path = os.path.join(self.folder, target)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.unlink(path)
        if before and target == "out/index":
            self.case.build_old(self.world, self.folder)

    def tree_of(self, target):
        path = os.path.join(self.folder, target)
        if os.path.isdir(path):
            return {name: data for name, data in tree(path).items() if name != MARK}
        if os.path.exists(path):
            return tree(os.path.dirname(path))[os.path.basename(target)]
        return None

    def others(self, target):
        return {path: data for path, data in tree(self.folder).items()
                if path != target and not path.startswith(target + "/")}

    def judge(self, outcome, target, before, made, others, size, keeps=False):
        """`made` is what must be in the target when it is there, if that is known already."""
        problem = self.judge_status(outcome)
        if problem:
            return problem
        if size is not None:
            problem = self.world.note_resident(outcome, size)
            if problem:
                return problem
        now = self.tree_of(target)
        if outcome.status == 0 and now is None:
            return "there is no %s" % target
        if outcome.status == 0 and made is not None and now != made:
            return "%s is not the same bytes as before" % target
        if outcome.status != 0 and now not in (before, made):
            return "status %d, %s is neither as it was nor whole" % (outcome.status, target)
        if outcome.status not in (0, -9) and not outcome.is_killed and now != before:
            return "status %d, %s has changed" % (outcome.status, target)
        return self.judge_others(outcome, target, others, keeps)

    def judge_others(self, outcome, target, others, keeps):
        after = self.others(target)
        for path in sorted(set(others) | set(after)):
            if others.get(path) == after.get(path):
                continue
            if path.split("/")[0] == "kept" and (keeps and (outcome.status != 0 or b"File exists" in outcome.err)
                                                 or path == "kept/"):
                continue
            if re.match(r"out/\.[^/]*\.gpusort-......$", path) and outcome.status == -9:
                self.world.counts["outputs beside their name after SIGKILL"] += 1
                os.unlink(os.path.join(self.folder, path))
                continue
            leftover = re.match(re.escape(target) + r"\.(tmp|old)-....../", path)
            if leftover and self.may_be_left(leftover.group(), outcome):
                continue
            return "status %d, %s %s" % (outcome.status, path, "is gone or has changed" if path in others else "was left")
        return None

    def may_be_left(self, folder, outcome):
        if outcome.status == -9 and folder not in self.leftovers:
            self.leftovers.add(folder)
            self.world.counts["leftovers of SIGKILL"] += 1
        # What was killed before it had marked its folder leaves that, since it might be anybody's.
        is_empty = not os.listdir(os.path.join(self.folder, folder))
        return folder in self.leftovers and (outcome.status != 0 or is_empty)

    # --- steps -----------------------------------------------------------------------

    def plain(self, words, **how):
        """Without troubles: a command that looks."""
        return self.world.run(words, self.folder, **how)

    def look_into(self, index):
        """Are its postings those of the documents?"""
        wanted = index_check.expected_lines(self.case.postings(), self.case.positions)
        done = self.plain(["index", "verify", index])
        if done.status != 0:
            return "verify: %r" % done.err[:300]
        done = self.plain(["index", "dump"] + ["--positions"] * self.case.positions + [index])
        if done.status != 0 or done.out != wanted:
            got, right = done.out.split(b"\n"), wanted.split(b"\n")
            for i, (a, b) in enumerate(zip(got, right)):
                if a != b:
                    return "dump, line %d: expected %r, got %r" % (i + 1, b[:200], a[:200])
            return "dump: %d lines instead of %d; %r" % (len(got), len(right), done.err[:200])
        return self.look_at_texts(index) if self.case.stores and self.case.format in ("jsonl", "json") else None

    def look_at_texts(self, index):
        """Are the texts that it stores those of the documents?"""
        done = self.plain(["index", "show", "--json", index])
        shown = [json.loads(line) for line in done.out.splitlines()] if done.status == 0 else None
        if shown == [{"id": name, "contents": "\n".join(texts)} for name, texts in self.case.documents]:
            return None
        return "show: status %d, other texts than were stored; %r" % (done.status, done.err[:200])

    def do_rebuild(self, named, built):
        """By another method, in other memory: the same bytes."""
        words = self.case.but(replaces=False).build_words(named, self.case.works[1], "out/again")
        again, problem = self.attempt(words, "out/again", self.case.works[1][1], named[2])
        if not problem and again not in (None, built):
            return "%s: not the bytes of the first build" % " ".join(words)
        return problem

    def do_merge(self, named, built):
        """Of indexes of its parts: the same bytes."""
        del named
        case, folders = self.case, []
        for i, part in enumerate(case.parts()):
            if case.format == "text":  # their paths are their names
                parts = ["--format=text"], [os.path.join("in", name + ".txt") for name, _ in part]
            else:
                parts = case.write(self.folder, part, "part%d" % i)
            if not parts[1]:
                return None  # no files: no index of texts
            folders.append("out/part%d.index" % i)
            words = case.but(replaces=False).build_words(parts, case.works[2], folders[-1])
            done = self.plain(words)
            if done.status != 0 and not self.trouble.disk:
                return "building a part: %r" % done.err[:300]
        memory = self.rng.choice(list(SIZES))
        words = ["index", "merge", "-o", "out/merged", "-S", memory, "--parallel=%d" % self.rng.choice([1, 2, 5])]
        merged, problem = self.attempt(words + folders, "out/merged", SIZES[memory],
                                       can_resume="index merge" in self.world.can_resume)
        if not problem and merged not in (None, built):
            return "%s: not the bytes of one build" % " ".join(words)
        return problem

    def do_grow(self, named, built):
        """Part after part appended, some deleted again, compacted: the same bytes, whatever was killed."""
        del named, built
        case = self.case
        if case.format.startswith("tuples") or case.format == "text" or len(case.documents) < 2:
            return None
        parts = case.parts()
        first = case.but(replaces=False).build_words(case.write(self.folder, parts[0], "part0"), case.works[2], "out/grown")
        built = self.plain(first)
        if built.status != 0:
            return None if self.trouble.disk else "building a part: %r" % built.err[:300]
        left, seconds = list(parts[0]), built.seconds
        for i, part in enumerate(parts[1:], 1):
            options, files = case.write(self.folder, part, "part%d" % i)
            words = ["index", "append", "out/grown", "-S", self.rng.choice(list(SIZES))] + options + files
            problem = self.change(words, left, left + part, seconds)
            if problem is not None:
                return problem or None
            left = left + part
            if left and self.rng.random() < 0.3:
                gone = set(self.rng.sample([name for name, _ in left], min(len(left), self.rng.choice([1, 2, 9]))))
                after = [one for one in left if one[0] not in gone]
                problem = self.change(["index", "delete", "out/grown", "--"] + sorted(gone), left, after, seconds)
                if problem is not None:
                    return problem or None
                left = after
        problem = self.change(["index", "compact", "out/grown", "-S", self.rng.choice(list(SIZES))], left, left, seconds)
        if problem is not None:
            return problem or None
        rest = case.but(documents=left, replaces=False)
        done = self.plain(rest.build_words(case.write(self.folder, left, "rest"), case.works[1], "out/rest"))
        if done.status == 0 and self.tree_of("out/rest") != self.tree_of("out/grown"):
            return "compacted, not the bytes of one build"
        return None if done.status == 0 or self.trouble.disk else "building the rest: %r" % done.err[:300]

    def change(self, words, before, after, seconds):
        """An index that grows, changed by a command that is killed and asked again until it is done.

        None: it is; "": a limit was in the way; else what is wrong."""
        for kill in self.moments(seconds) + [None]:
            outcome = self.run(words, kill)
            problem = self.judge_status(outcome)
            if problem:
                return "%s: %s" % (" ".join(words[:2]), problem)
            self.world.counts["changes of an index that grows"] += 1
            wrong = self.holds(after)
            if outcome.status == 0 or wrong is None and after != before:
                return wrong and "%s, done: %s" % (" ".join(words[:2]), wrong)
            wrong = self.holds(before)
            if wrong:
                return "%s, status %d: neither as it was nor done: %s" % (" ".join(words[:2]), outcome.status, wrong)
        return ""

    def holds(self, documents):
        """What tells that the growing index is not one of these documents."""
        wanted = index_check.expected_lines(self.case.but(documents=documents).postings(), self.case.positions)
        done = self.plain(["index", "verify", "out/grown"])
        if done.status != 0:
            return "verify: %r" % done.err[:300]
        done = self.plain(["index", "dump"] + ["--positions"] * self.case.positions + ["out/grown"])
        return None if done.status == 0 and done.out == wanted else "dump: %d bytes of %d, %r" % (
            len(done.out), len(wanted), done.err[:200])

    def do_lookup(self, named, built):
        del named, built
        postings = self.case.postings()
        terms = [term for term in postings if b"\n" not in term and not term.endswith(b"\r")]
        terms = self.rng.sample(terms, min(len(terms), 40)) + [b"surely not there"]
        with open(os.path.join(self.folder, "terms"), "wb") as file:
            file.writelines(term + b"\n" for term in terms)
        done = self.plain(["lookup", "out/index"], stdin="terms")
        os.unlink(os.path.join(self.folder, "terms"))
        wanted = []
        for term in terms:
            docs = {doc: tf if isinstance(tf, int) else len(tf) for doc, tf in postings.get(term, {}).items()}
            line = [term, b"%d" % len(docs), b"%d" % sum(docs.values())]
            line.append(b" ".join(b"%d:%d" % (doc, docs[doc]) for doc in sorted(docs)))
            wanted.append(b"\t".join(line))
        got = done.out.split(b"\n")[:-1]
        for a, b in zip(got, wanted):
            if a != b:
                return "lookup: expected %r, got %r" % (b[:200], a[:200])
        return None if len(got) == len(wanted) else "lookup: %d lines instead of %d" % (len(got), len(wanted))

    def do_search(self, named, built):
        del named, built
        case = self.case
        if case.format.startswith("tuples") or not case.documents or set(case.rules) - {"--min-len=3"}:
            return None
        folder = os.path.join(self.folder, "out/index")
        index = search_check.Index(self.world.links["gpusort"], folder, len(case.documents))
        maker = search_check.Maker(self.rng, index)
        if not maker.words:
            return None
        checker = search_check.Checker(self.world.links["gpusort"], self.folder)
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            for options in self.rng.sample([[], ["--all"], ["--exhaustive"], ["--parallel=3"]], 2):
                trees = [maker.words_only() for _ in range(3)] + [maker.group(self.rng.randint(0, 3)) for _ in range(3)]
                checker.check(index, self.rng, trees, options, "--all" in options, 1.2, 0.75, self.rng.choice([1, 10, 1000]))
        self.world.counts["queries"] += checker.queries
        return told.getvalue() if checker.failures else None

    def do_ciff(self, named, built):
        """Out, read by other code, in again and out again."""
        del named, built
        case = self.case
        if case.format.startswith("tuples"):
            return None
        exported, problem = self.attempt(["index", "export", "--ciff=out/all.ciff", "out/index"], "out/all.ciff")
        if problem or exported is None:
            return problem
        with open(os.path.join(self.folder, "out/all.ciff"), "rb") as file:
            _, terms, documents = ciff_check.read_ciff(file.read())
        wanted = {term.decode(): [(doc, len(places)) for doc, places in sorted(docs.items())]
                  for term, docs in case.postings().items()}
        if terms != wanted or [name for name, _ in documents] != self.names():
            return "export: other postings or names"
        memory = self.rng.choice(list(SIZES))
        words = ["index", "import", "--ciff", "-o", "out/back", "-S", memory, "out/all.ciff"]
        back, problem = self.attempt(words, "out/back", SIZES[memory])
        if problem or back is None:
            return problem
        done = self.plain(["index", "export", "--ciff=out/again.ciff", "out/back"])
        if done.status != 0 and not self.trouble.disk:
            return "export of an import: %r" % done.err[:300]
        return None if done.status != 0 or self.tree_of("out/again.ciff") == exported else "exported again, another file"

    def names(self):
        if self.case.format == "text":
            return [os.path.join("in", name + ".txt") for name, _ in self.case.documents]
        return [name for name, _ in self.case.documents]
