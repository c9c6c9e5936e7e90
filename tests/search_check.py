#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds `gpusort search` against an independent computation of the same answers.

Random queries are made as trees and written down in the many ways that the grammar allows.
What each matches, and the BM25 scores of what it matches, is computed here from what
`gpusort index dump` prints: Boolean answers must be the same documents, ranked ones the
same documents in the same order with the same scores, to the last bit, whatever was
skipped on the way.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

import index_check

# --- the index, as it was dumped -------------------------------------------------------


class Index:
    def __init__(self, binary, folder, documents, stop=(), has_lengths=True,
                 has_impacts=False):
        self.folder, self.documents, self.stop = folder, documents, set(stop)
        self.has_lengths, self.has_impacts = has_lengths, has_impacts
        self.postings = collections.defaultdict(dict)
        info = json.loads(run([binary, "index", "info", "--json", folder]))
        self.has_positions = info["has_positions"]
        arguments = ["--positions"] if self.has_positions else []
        for line in run([binary, "index", "dump"] + arguments + [folder]).splitlines():
            fields = line.split("\t")
            places = ([int(p) for p in fields[3].split(",")] if self.has_positions
                      else range(int(fields[2])))
            self.postings[fields[0]][int(fields[1])] = places
        self.lengths = collections.Counter()
        for postings in self.postings.values():
            for doc, places in postings.items():
                self.lengths[doc] += len(places)
        self.terms = sorted(self.postings, key=lambda t: t.encode())
        self.everything = frozenset(
            range(documents) if has_lengths or has_impacts
            else set().union(*(postings for postings in self.postings.values())))
        self.average = sum(self.lengths.values()) / documents


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout


# --- trees: ("word", w), ("prefix", p), ("phrase", [w]), ("and"|"or", [tree]),
#     ("not", tree), ("group", [(mark, tree)]) with "+", "-" or "" -----------------------

class Maker:
    prefix_share = 0.06  # of the atoms

    def __init__(self, rng, index):
        self.rng, self.index = rng, index
        by_df = sorted(index.terms, key=lambda t: -len(index.postings[t]))
        self.words = [w for w in by_df if len(w) < 12 and w.isascii() and w.isalnum()]
        self.inverted = None

    def word(self):
        rng = self.rng
        r = rng.random()
        if r < 0.03:
            return "zz" + str(rng.randint(0, 99)) + "unknown"
        if r < 0.07 and self.index.stop:
            return rng.choice(sorted(self.index.stop))
        return self.words[int(len(self.words) ** rng.random()) - 1]

    def phrase(self):
        """Words that stand in a row somewhere, mostly."""
        rng = self.rng
        if rng.random() < 0.2:
            return ("phrase", [self.word() for _ in range(rng.randint(1, 3))])
        if self.inverted is None:
            self.inverted = collections.defaultdict(dict)
            for term in self.words:
                for doc, places in self.index.postings[term].items():
                    for place in places:
                        self.inverted[doc][place] = term
        places = self.inverted[rng.choice(list(self.inverted))]
        start, out = rng.choice(list(places)), []
        for place in range(start, start + rng.randint(1, 4)):
            out.append(places.get(place, self.word()))
        return ("phrase", out)

    def prefix(self):
        word = self.word()
        return word[:self.rng.randint(1, len(word))]

    def atom(self):
        r = self.rng.random() - self.prefix_share
        if r < 0:
            return ("prefix", self.prefix())
        if r < 0.14 and self.index.has_positions:
            return self.phrase()
        return ("word", self.word())

    def tree(self, depth):
        rng = self.rng
        r = rng.random()
        if depth == 0 or r < 0.35:
            return self.atom()
        if r < 0.6:
            return (rng.choice(["and", "or"]),
                    [self.tree(depth - 1) for _ in range(rng.randint(2, 4))])
        if r < 0.7:
            return ("not", self.tree(depth - 1))
        return self.group(depth - 1)

    def group(self, depth):
        marks = self.rng.choice([["", "", "", "+", "-"], [""], ["", "+"], ["+", "-"]])
        return ("group", [(self.rng.choice(marks), self.tree(depth))
                          for _ in range(self.rng.randint(1, 5))])

    def words_only(self):
        return ("group", [("", ("word", self.word())) for _ in range(self.rng.randint(1, 6))])


OPERATORS = {"AND", "OR", "NOT"}  # in capitals; otherwise they are words
# Kinds of nodes, as lib/index/query/query.h calls them: what is made of them here.
KINDS = {"TERM": ("word",), "PREFIX": ("prefix",), "PHRASE": ("phrase",),
         "CLAUSES": ("not", "and", "or", "group")}


def check_grammar():
    """All that the parser has is spelled and answered here, too."""
    room = pathlib.Path(__file__).resolve().parent.parent / "lib/index/query"
    enum = re.search(r"typedef enum gs_query_kind \{(.*?)\}", (room / "query.h").read_text(), re.S)
    kinds = set(re.findall(r"^ *GS_QUERY_(\w+),", enum[1], re.M))
    row = re.search(r"#define OPERATORS\(X\)(.*(?:\\\n.*)*)", (room / "query_parser.c").read_text())
    operators = set(re.findall(r"X\((\w+),", row[1]))
    if kinds != set(KINDS) or operators != OPERATORS:
        sys.exit(f"search_check.py knows {sorted(KINDS)} and {sorted(OPERATORS)}, "
                 f"lib/index/query {sorted(kinds)} and {sorted(operators)}")


def terms_at_once():
    """So many terms a query may stand for, or it is a wide one, which
    lib/index/query/wide_query.c answers."""
    header = pathlib.Path(__file__).resolve().parent.parent / "lib/index/query/search_plan.h"
    return int(re.search(r"GS_SEARCH_TERMS_MAX = (\d+)", header.read_text())[1])


SPELLED = set()  # kinds of trees that came in the query that is written down


def spell(rng, tree, inside, exact=False):
    """The tree as text. `inside` is what it stands in: top, clause, chain or part. Words
    are `exact` where no rules make terms of them."""
    kind, rest = tree
    SPELLED.add(kind)
    if kind == "word":
        text = rest if exact else rng.choice([rest, rest, rest.upper(), rest.capitalize(), rest + ",", '"%s"' % rest])
        return rest if text in OPERATORS else text
    if kind == "prefix":
        return rest + "*"
    if kind == "phrase":
        return '"' + rng.choice([" ", ", ", "  "]).join(rest) + '"'
    if kind == "not":
        text = "NOT " + spell(rng, rest, "part", exact)
        return "(" + text + ")" if inside == "part" else text
    if kind in ("and", "or"):
        outer = {"and": ("top", "clause", "or"), "or": ("top", "clause")}[kind]
        text = (" %s " % kind.upper()).join(
            spell(rng, child, "or" if kind == "or" else "and", exact) for child in rest)
        return text if inside in outer and rng.random() < 0.7 else "(" + text + ")"
    if kind != "group":
        raise NotImplementedError(f"spell() of {kind}")
    clauses = []
    for mark, child in rest:
        clauses.append(mark + spell(rng, child, "part" if mark and child[0] == "not"
                                    else "clause", exact))
    text = rng.choice([" ", "  "]).join(clauses)
    return text if inside == "top" else "(" + text + ")"


# --- what they mean ----------------------------------------------------------------------

def lift(tree):
    """What must not match, if the tree says nothing but that; else None."""
    kind, rest = tree
    if kind == "not":
        return rest
    if kind in ("and", "or") and len(rest) == 1:
        return lift(rest[0])
    if kind == "group" and len(rest) == 1:
        mark, child = rest[0]
        return child if mark == "-" else lift(child)
    return None


class Meaning:
    """Of a tree: which documents, and which terms count for the score."""

    def __init__(self, index, needs_all):
        self.index, self.needs_all = index, needs_all
        self.wanted = []

    def drop(self, tree):
        """Without words of which nothing is left; None if nothing is."""
        kind, rest = tree
        if kind == "word":
            return None if rest in self.index.stop else tree
        if kind == "phrase":
            kept = [(i, w) for i, w in enumerate(rest) if w not in self.index.stop]
            return (kind, kept) if kept else None
        if kind == "prefix":
            return tree
        if kind == "not":
            child = self.drop(rest)
            return (kind, child) if child else None
        if kind == "group":
            kept = [(mark, self.drop(child)) for mark, child in rest]
            kept = [(mark, child) for mark, child in kept if child]
        elif kind in ("and", "or"):
            kept = [child for child in map(self.drop, rest) if child]
        else:
            raise NotImplementedError(f"drop() of {kind}")
        return (kind, kept) if kept else None

    def docs(self, term, counts):
        if counts and term in self.index.postings:
            self.wanted.append(term)
        return set(self.index.postings.get(term, ()))

    def match(self, tree, counts):
        kind, rest = tree
        if kind == "word":
            return self.docs(rest, counts)
        if kind == "prefix":
            out = set()
            for term in self.index.terms:
                if term.encode().startswith(rest.encode()):
                    out |= self.docs(term, counts)
            return out
        if kind == "phrase":
            return self.match_phrase(rest, counts)
        if kind == "and":
            return set.intersection(*[self.match(child, counts) for child in rest])
        if kind == "or":
            return set.union(*[self.match(child, counts) for child in rest])
        if kind == "not":
            return set(self.index.everything) - self.match(rest, False)
        if kind == "group":
            return self.match_group(rest, counts)
        raise NotImplementedError(f"match() of {kind}")

    def match_phrase(self, words, counts):
        docs = set.intersection(*[self.docs(word, counts) for _, word in words])
        if len(words) == 1:
            return docs
        out = set()
        for doc in docs:
            starts = [{p - i for p in self.index.postings[word][doc]} for i, word in words]
            if set.intersection(*starts):
                out.add(doc)
        return out

    def match_group(self, clauses, counts):
        must, should, must_not = [], [], []
        for mark, child in clauses:
            if mark == "" and lift(child) is not None:
                mark, child = "-", lift(child)
            if mark == "-":
                must_not.append(self.match(child, False))
            elif mark == "+" or self.needs_all:
                must.append(self.match(child, counts))
            else:
                should.append(self.match(child, counts))
        if must:
            out = set.intersection(*must)
        elif should:
            out = set.union(*should)
        else:
            out = set(self.index.everything)
        return out.difference(*must_not)

    def rank(self, docs, k1, b):
        index = self.index
        SCORED.add("IMPACTS" if index.has_impacts else "BM25")
        if index.has_impacts:
            return self.rank_impacts(docs, collections.Counter(self.wanted))
        constant, per_length = k1 * (1 - b), k1 * b / index.average
        if not index.has_lengths:
            constant, per_length = k1, 0.0
        weights = {}
        for term, times in collections.Counter(self.wanted).items():
            df = len(index.postings[term])
            weights[term] = times * math.log(1 + (index.documents - df + 0.5) / (df + 0.5))
        scores = dict.fromkeys(docs, 0.0)
        for term in dict.fromkeys(self.wanted):
            for doc, places in index.postings[term].items():
                if doc in scores:
                    tf = float(len(places))
                    length = float(index.lengths[doc])
                    scores[doc] += weights[term] * tf / (tf + (constant + per_length * length))
        return [(doc, -score) for score, doc in sorted((-score, doc) for doc, score in scores.items())]


    def rank_impacts(self, docs, weights):
        scores = dict.fromkeys(docs, 0.0)
        for term in dict.fromkeys(weights):
            for doc, places in self.index.postings[term].items():
                if doc in scores:
                    scores[doc] += weights[term] * float(len(places))
        return [(doc, -score) for score, doc in sorted((-score, doc) for doc, score in scores.items())]


# --- comparing -----------------------------------------------------------------------------

class Checker:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.queries = 0
        self.operators = set()  # that came in a query
        self.kinds, self.wide_kinds = set(), set()  # of trees that came in one, in a wide one
        self.terms_at_once = terms_at_once()
        self.failures = []

    def fail(self, options, text, why):
        self.failures.append(text)
        if len(self.failures) < 10:
            print(f"FAILED: search {' '.join(options)}\n  {text!r}\n  {why}"[:1200],
                  file=sys.stderr)

    def ask(self, index, texts, options):
        out = run([self.binary, "search", "--json"] + options + [index.folder],
                  input="".join(text + "\n" for text in texts))
        answers = [json.loads(line) for line in out.splitlines()]
        if [a["query"] for a in answers] != texts:
            raise RuntimeError("answers to other queries")
        self.queries += len(texts)
        self.operators |= OPERATORS & set(re.findall(r"\w+", " ".join(texts)))
        return answers

    def spell(self, index, rng, tree):
        SPELLED.clear()
        text = spell(rng, tree, "top", not index.has_lengths)
        self.kinds |= SPELLED
        beginnings = re.findall(r"(\w+)\*", text)
        if sum(term.startswith(b) for b in beginnings for term in index.terms) > self.terms_at_once:
            self.wide_kinds |= SPELLED
        return text

    def check_all_came(self):
        """Maker makes what check_grammar() asks for, and spell() writes it; and both do so
        where other code answers it."""
        kinds = {kind for kinds in KINDS.values() for kind in kinds}
        for what in sorted(kinds - self.kinds):
            self.fail([], what, "Maker made no tree of this kind")
        for what in sorted(kinds - self.wide_kinds):
            self.fail([], what, "WideMaker made no tree of this kind")
        for what in sorted(OPERATORS - self.operators):
            self.fail([], what, "this operator came in no query")
        for what in sorted(scorings() - SCORED):
            self.fail([], what, "rank() has scored nothing so")

    def check(self, index, rng, trees, options, needs_all, k1, b, k):
        texts = [self.spell(index, rng, tree) for tree in trees]
        ranked = self.ask(index, texts, options + [f"--k1={k1!r}", "-k", str(k)] +
                          ([f"--b={b!r}"] if index.has_lengths else []))
        matching = [o for o in options if o == "--all"]
        matched = self.ask(index, texts, matching + ["--boolean"])
        counted = self.ask(index, texts, matching + ["--count"])
        for tree, text, answer, documents, count in zip(trees, texts, ranked, matched, counted):
            meaning = Meaning(index, needs_all)
            kept = meaning.drop(tree)
            docs = meaning.match(kept, True) if kept else set()
            got = [d["doc"] for d in documents["documents"]]
            if got != sorted(docs) or documents["count"] != len(docs):
                self.fail(options + ["--boolean"], text, f"wanted {sorted(docs)[:20]}, got {got[:20]}")
                continue
            if count["count"] != len(docs):
                self.fail(matching + ["--count"], text, f"wanted {len(docs)}, got {count['count']}")
            wanted = meaning.rank(docs, k1, b)[:k]
            got = [(d["doc"], d["score"]) for d in answer["documents"]]
            if got != wanted:
                self.fail(options, text, f"k1 {k1} b {b} k {k}\n  wanted {wanted[:6]}\n  got    {got[:6]}")


def check_index(checker, rng, index, queries):
    maker = Maker(rng, index)
    for options in [], ["--all"], ["--exhaustive"], ["--all", "--exhaustive"], ["--parallel=3"]:
        needs_all = "--all" in options
        for k1, b in (1.2, 0.75), (0.9, 0.4), (rng.uniform(0, 5), rng.random()), (0, 0):
            k = rng.choice([1, 3, 10, 100, 10 ** 6])
            trees = [maker.words_only() for _ in range(queries)]
            trees += [maker.group(rng.randint(0, 3)) for _ in range(queries)]
            trees.append(("group", [("", ("word", maker.word())) for _ in range(200)]))
            # Lists that end with a block have no tail.
            trees += [("group", [("", ("word", term))]) for term in maker.words
                      if len(index.postings[term]) % 128 == 0]
            checker.check(index, rng, trees, options, needs_all, k1, b, k)


def build(checker, name, path, options):
    folder = os.path.join(checker.folder, name)
    run([checker.binary, "index", "build", "-o", folder, path] + options)
    return folder


def write_jsonl(path, documents):
    with open(path, "w", encoding="utf-8") as file:
        for name, text in documents:
            file.write(json.dumps({"id": name, "contents": text}) + "\n")


def check_documents(checker, rng, documents, queries):
    """Few words in many documents: long lists, of many blocks."""
    letters = "abcdefgh"
    words = sorted({"".join(rng.choices(letters, k=rng.randint(2, 5))) for _ in range(900)})
    rng.shuffle(words)
    path = os.path.join(checker.folder, "docs.jsonl")
    texts = []
    for i in range(documents):
        text, count = [], int(rng.lognormvariate(3, 1)) + (rng.random() < 0.99)
        while len(text) < count:
            word = words[int(len(words) ** rng.random()) - 1]
            text += [word] * (1 if rng.random() < 0.9 else rng.randint(1, 30))
        text += [f"whole{n}" for n in (1, 2, 3) if i % 5 == n and i < 5 * 128 * n]
        texts.append((f"d{i}", " ".join(text)))
    write_jsonl(path, texts)
    folder = build(checker, "long", path, ["--positions"])
    check_index(checker, rng, Index(checker.binary, folder, documents), queries)
    stop = os.path.join(checker.folder, "stop")
    with open(stop, "w", encoding="utf-8") as file:
        file.write("\n".join(words[:4] + words[40:50]))
    folder = build(checker, "stopped", path, ["--positions", f"--stopwords={stop}"])
    check_index(checker, rng, Index(checker.binary, folder, documents,
                                    words[:4] + words[40:50]), queries)


def check_corpus(checker, rng, queries):
    """Short lists, awkward words, no positions."""
    corpus = index_check.Corpus(rng, 700, 1500)
    path = os.path.join(checker.folder, "corpus.jsonl")
    write_jsonl(path, [(name, " ".join(texts)) for name, texts in corpus.documents])
    folder = build(checker, "short", path, [])
    check_index(checker, rng, Index(checker.binary, folder, 700), queries)


def check_tuples(checker, rng, queries):
    """No words, no names, no lengths; documents are what has a posting, however far apart
    they lie."""
    check_tuples_of(checker, rng, queries, 40000, lambda: rng.randrange(3000))
    far = [rng.randrange(1 << 40) for _ in range(300)] + [(1 << 40) - 1]
    far += [base + i for base in (1 << 39, 7 << 16) for i in range(-40, 3000)]
    check_tuples_of(checker, rng, queries, 9000, lambda: rng.choice(far))


def check_tuples_of(checker, rng, queries, count, pick):
    path = os.path.join(checker.folder, "tuples")
    last = 0
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(count):
            doc = pick()
            last = max(last, doc)
            tf = rng.randint(1, 9) if rng.random() < 0.99 else 1 << rng.randint(0, 24)
            file.write("t%d\t%d\t%d\n" % (int(500 ** rng.random()), doc, tf))
    folder = build(checker, "tuples.index", path, ["--format=tuples", "--replace"])
    index = Index(checker.binary, folder, last + 1, has_lengths=False)
    maker = Maker(rng, index)
    for options in [], ["--all"], ["--exhaustive"]:
        trees = [maker.group(rng.randint(0, 3)) for _ in range(queries)]
        checker.check(index, rng, trees, options, "--all" in options, 1.2, 0, 20)
    for options in [], ["--all"], ["--exhaustive"]:
        trees = [maker.words_only() for _ in range(queries)]
        # Terms are taken as they are: no other spellings.
        texts = [" ".join(child[1] for _, child in tree[1]) for tree in trees]
        for k in 2, 50:
            for tree, text, answer in zip(trees, texts, checker.ask(
                    index, texts, options + ["-k", str(k)])):
                meaning = Meaning(index, "--all" in options)
                docs = meaning.match(tree, True)
                wanted = meaning.rank(docs, 1.2, 0.75)[:k]
                got = [(d["doc"], d["score"]) for d in answer["documents"]]
                if got != wanted:
                    checker.fail(options, text, f"wanted {wanted[:6]}\n  got    {got[:6]}")


class WideMaker(Maker):
    """Of an index of words v0, v1, ... and few others: all trees that Maker makes, with
    beginnings that stand for thousands of terms."""
    prefix_share = 0.4

    def word(self):
        rng = self.rng
        return rng.choice(["c1", "c2", "v1", "v12", "v123", "v%d" % rng.randrange(9000)])

    def prefix(self):
        return self.rng.choice(["v", "v", "v1", "v12", "v123", "c", "none"])

    def phrase(self):
        rng = self.rng
        return ("phrase", [rng.choice(["c1", "c2", "v1%d" % rng.randrange(10)]) for _ in range(2)])

    def trees(self, count):
        rng = self.rng
        every = ("", ("prefix", "v"))  # without it few of them would stand for enough
        return [("group", [every])] + [("group", [every] * rng.randint(0, 1) + self.group(1)[1] +
                                        [(rng.choice("+-"), every[1])] * rng.randint(0, 1))
                                       for _ in range(count)]


def check_wide(checker, rng, queries):
    """More terms begin so than can be open at a time."""
    def word():
        return "c%d" % rng.randint(1, 3) if rng.random() < 0.3 else "v%d" % rng.randrange(9000)

    path = os.path.join(checker.folder, "wide")
    write_jsonl(path, [(f"d{i}", " ".join(word() for _ in range(rng.randint(0, 120))))
                       for i in range(900)])
    folder = build(checker, "wide.index", path, ["--positions"])
    index = Index(checker.binary, folder, 900)
    for options in [], ["--all"], ["--exhaustive"]:
        checker.check(index, rng, WideMaker(rng, index).trees(queries), options,
                      "--all" in options, 1.2, 0.75, rng.choice([3, 50, 1000]))
    last = 0
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(12000):
            doc = rng.choice([rng.randrange(1000), (1 << 39) + rng.randrange(1 << 22)])
            last = max(last, doc)
            file.write(f"{word()}\t{doc}\t{rng.randint(1, 9)}\n")
    folder = build(checker, "wide.index", path, ["--format=tuples", "--replace"])
    index = Index(checker.binary, folder, last + 1, has_lengths=False)
    checker.check(index, rng, WideMaker(rng, index).trees(queries), [], False, 1.2, 0, 20)


def random_vectors(rng, words, count):
    """Impacts of one size in most lists, and few that stand out."""
    vectors = []
    for _ in range(count):
        vector = {}
        for _ in range(int(rng.lognormvariate(2.5, 1))):
            word = words[int(len(words) ** rng.random()) - 1]
            vector[word] = rng.choice([rng.randint(0, 5), rng.randint(1, 255), rng.randint(1, 255),
                                       rng.randint(1, 1 << rng.randint(1, 27))])
        vectors.append(vector)
    return vectors


def same_bytes(checker, folder, other, what):
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as a, open(os.path.join(other, name), "rb") as b:
            if a.read() != b.read():
                checker.fail([], what, f"{name} differs")


def check_weighted_queries(checker, rng, index, options, queries):
    """Weights behind words, and the same as JSON."""
    weighted, texts = [], []
    maker = Maker(rng, index)
    for _ in range(queries):
        words = {maker.word(): rng.choice([1, 2, 0.5, 1.25, 3.1, 1e-3, 7e5]) for _ in range(rng.randint(1, 9))}
        weighted += [words, words]
        texts.append(" ".join(f"{word}^{weight!r}" for word, weight in words.items()))
        texts.append(json.dumps(words))
    k = rng.choice([1, 10, 10 ** 6])
    for words, text, answer in zip(weighted, texts, checker.ask(index, texts, options + ["-k", str(k)])):
        meaning = Meaning(index, "--all" in options)
        known = {word: weight for word, weight in words.items() if word in index.postings}
        docs = [set(index.postings.get(word, ())) for word in words]
        docs = set.intersection(*docs) if "--all" in options else set.union(*docs)
        wanted = meaning.rank_impacts(docs, known)[:k]
        got = [(d["doc"], d["score"]) for d in answer["documents"]]
        if got != wanted:
            checker.fail(options, text, f"wanted {wanted[:6]}\n  got    {got[:6]}")


def check_weights(checker, rng, documents, queries):
    """Documents that come with weights: what postings hold and scores are is computed from
    those; and the same index comes of them otherwise."""
    words = ["w%d" % i for i in range(400)] + ["v%d" % i for i in range(5000)]
    vectors = random_vectors(rng, words, documents)
    vectors[7], vectors[8] = {}, {f"v{i}": 1 for i in range(5000)}
    path = os.path.join(checker.folder, "vectors")
    for name, part in ("", vectors), (".1", vectors[:documents // 3]), (".2", vectors[documents // 3:]):
        start = documents - len(part) if name == ".2" else 0
        with open(path + name, "w", encoding="utf-8") as file:
            for i, vector in enumerate(part):
                file.write(json.dumps({"id": f"d{start + i}", "contents": "no matter", "vector": vector}) + "\n")
    folder = build(checker, "vectors.index", path, [])
    index = Index(checker.binary, folder, documents, has_lengths=False, has_impacts=True)
    held = {term: {doc: len(impact) for doc, impact in docs.items()} for term, docs in index.postings.items()}
    wanted = collections.defaultdict(dict)
    for doc, vector in enumerate(vectors):
        for term, weight in vector.items():
            if weight > 0:
                wanted[term][doc] = weight
    if held != wanted:
        checker.fail([], "vectors", "the index holds other impacts")
    for options in ["--method=bsbi"], ["-S", "12M", "--parallel=3"], ["--format=vectors", "--weight-scale=1"]:
        other = build(checker, "vectors.other", path, options + ["--replace"])
        if "--weight-scale=1" not in options:  # the header has it
            same_bytes(checker, folder, other, "build " + " ".join(options))
    parts = [build(checker, f"part{n}", f"{path}.{n}", []) for n in (1, 2)]
    run([checker.binary, "index", "merge", "-o", os.path.join(checker.folder, "merged")] + parts)
    same_bytes(checker, folder, os.path.join(checker.folder, "merged"), "merge")
    run([checker.binary, "index", "verify", folder])
    maker = Maker(rng, index)
    for options in [], ["--all"], ["--exhaustive"], ["--all", "--exhaustive"], ["--parallel=3"]:
        trees = [maker.words_only() for _ in range(queries)]
        trees += [maker.group(rng.randint(0, 3)) for _ in range(queries)]
        trees.append(("group", [("", ("word", maker.word())) for _ in range(200)]))
        checker.check(index, rng, trees, options, "--all" in options, 1.2, 0.75,
                      rng.choice([1, 3, 10, 10 ** 6]))
        check_weighted_queries(checker, rng, index, options, queries)
    checker.check(index, rng, WideMaker(rng, index).trees(queries), [], False, 1.2, 0, 20)


def seconds_of(command):
    """User time, the least of three."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run(command)
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return min(times)


def check_many_terms(checker, rng):
    """Ranking what has one of 4000 terms takes about as long as finding it, and not 4000
    steps a document."""
    path = os.path.join(checker.folder, "many")
    with open(path, "w", encoding="utf-8") as file:
        for doc in range(100000):
            file.write("s%d\t%d\ns%d\t%d\n" % (rng.randrange(4000), doc, rng.randrange(4000), doc))
    folder = build(checker, "many.index", path, ["--format=tuples"])
    count = seconds_of([checker.binary, "search", "--count", folder, "s*"])
    rank = seconds_of([checker.binary, "search", folder, "s*"])
    if rank > 0.3 + 6 * count:
        checker.fail([], "s*", f"{rank:.3f} s to rank, {count:.3f} s to find")


SCORED = set()  # the ways to score that rank() had


def scorings():
    """As the program has them; each has its reference in rank()."""
    header = (pathlib.Path(__file__).resolve().parent.parent / "lib/index/read/scoring.h").read_text()
    enum = re.search(r"typedef enum gs_scoring_kind {(.*?)}", header, re.DOTALL).group(1)
    kinds = set(re.findall(r"^ *GS_SCORING_(\w+)", enum, re.MULTILINE))
    if not kinds >= {"BM25", "IMPACTS"}:
        sys.exit(f"search_check.py only found these ways to score in scoring.h: {kinds}")
    return kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--documents", type=int, default=6000)
    parser.add_argument("--queries", type=int, default=25, help="of each kind")
    parser.add_argument("--seed", type=int, default=None)
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else int(os.environ.get("GS_TEST_SEED", "1"))
    print(f"seed {seed}")
    check_grammar()
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="gpusort-search-") as folder:
        checker = Checker(os.path.abspath(args.binary), folder)
        check_documents(checker, rng, args.documents, args.queries)
        check_corpus(checker, rng, args.queries)
        check_tuples(checker, rng, args.queries)
        check_many_terms(checker, rng)
        check_wide(checker, rng, args.queries)
        check_weights(checker, rng, args.documents, args.queries)
        checker.check_all_came()
        print(f"{checker.queries} queries, {len(checker.failures)} failures")
        sys.exit(1 if checker.failures else 0)


if __name__ == "__main__":
    main()
