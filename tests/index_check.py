#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds `gpusort index build` against an independent computation of the same index.

Random documents, plain and awkward, are written in every input format; what their index
must hold is computed here, with Python's json and unicodedata. Every format is built by
both methods with several memories, thread counts and spellings of the input, and what
`gpusort index dump` prints must be exactly the expected lines. All builds of one corpus
must be the same bytes, and so must an index merged of indexes of its parts.
"""
import argparse
import collections
import csv
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unicodedata

import ciff_check
import index_kinds

BOUND_BYTES_MAX = 62  # of a term that ranges are cut at (lib/index/merge/term_merge.h)


# --- the words of a text ---------------------------------------------------------------

IGNORABLE = [
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F),
    (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
]
IGNORED = {chr(c) for first, last in IGNORABLE for c in range(first, last + 1)}


def fold(text):
    """NFKC with cases folded and invisible characters left out."""
    if text.isascii():
        return text.lower()
    while True:
        after = unicodedata.normalize("NFKC", text.casefold())
        after = "".join(c for c in after if c not in IGNORED)
        if after == text:
            return text
        text = after


def is_word(char, known={}):
    if char not in known:
        known[char] = unicodedata.category(char)[0] in "LMN"
    return known[char]


DENSE = [
    (0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007), (0x3041, 0x312F),
    (0x31A0, 0x31BF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F), (0x20000, 0x3FFFF),
]


def is_dense(char):
    """Of a script that has no spaces between words?"""
    return (any(first <= ord(char) <= last for first, last in DENSE) and
            unicodedata.category(char) != "Nd" and unicodedata.category(char)[0] in "LN")


def runs(word):
    """(is dense, characters), a character with its marks where they are dense."""
    out = []
    for char in word:
        if is_dense(char):
            if not out or not out[-1][0]:
                out.append((True, []))
            out[-1][1].append(char)
        elif out and out[-1][0] and unicodedata.category(char)[0] == "M":
            out[-1][1][-1] += char
        else:
            if not out or out[-1][0]:
                out.append((False, []))
            out[-1][1].append(char)
    return out


def cut_word(word):
    """(term, has it a length that is limited): dense characters are cut by two."""
    for dense, chars in runs(word):
        if not dense:
            yield "".join(chars), True
        elif len(chars) == 1:
            yield chars[0], False
        else:
            for pair in zip(chars, chars[1:]):
                yield "".join(pair), False


def words(text, folds, kind="bigrams"):
    """As cut_word."""
    if folds:
        text = fold(text)
    if kind in ("raw", "whitespace"):
        return [(word, True) for word in ([text] if kind == "raw" else text.split()) if word]
    out, word = [], []
    for char in text + " ":
        if is_word(char):
            word.append(char)
        elif word:
            out += cut_word(word) if kind == "bigrams" else [("".join(word), True)]
            word = []
    return out


# --- corpora ---------------------------------------------------------------------------

AWKWARD = [
    "Café", "cafe\u0301", "STRASSE", "Straße", "ﬃ", "Ⅷ", "½", "co\u00adop", "naïve",
    "Ελλάς", "ΣΊΣΥΦΟΣ", "Жизнь", "漢字", "かな", "ｶﾞ", "한국", "हिन्दी", "ไทย", "עברית",
    "العربية", "don't", "e=mc²", "a_b", "x-y", "Å", "𝔘𝔫𝔦", "😀", "A\u0308\u0323", "…",
    "1\u20442", "\u0301odd", "ǅ", "İstanbul", "ŉ", "東京都tower", "か\u3099な文", "ทำ๑ไทย",
]


class Corpus:
    """Documents as (name, [text, ...])."""

    def __init__(self, rng, documents, vocabulary):
        letters = "abcdefghijklmnopqrstuvwxyz"
        common = ["".join(rng.choices(letters, k=rng.randint(1, 9)))
                  for _ in range(vocabulary)]
        self.documents = []
        for i in range(documents):
            texts = []
            for _ in range(rng.randint(1, 2)):
                count = int(rng.expovariate(1 / 60)) if rng.random() < 0.98 else 3000
                parts = []
                for _ in range(count):
                    r = rng.random()
                    word = common[int(vocabulary ** rng.random()) - 1]
                    if r < 0.02:
                        word = rng.choice(AWKWARD)
                    elif r < 0.06:
                        word = word.upper()
                    elif r < 0.062:
                        word = word * rng.randint(20, 300)
                    elif r < 0.08:
                        word = str(rng.randint(0, 10 ** rng.randint(1, 9)))
                    parts.append(word)
                    parts.append(rng.choice([" ", " ", " ", " ", ", ", ". ", "; ", " - "]))
                texts.append("".join(parts))
            self.documents.append((f"doc-{i}", texts))

    def tuples(self, how):
        """{term bytes: {doc: [position, ...]}}"""
        index = collections.defaultdict(dict)
        for doc, (_, texts) in enumerate(self.documents):
            position = 0
            for text in texts:
                for word, is_limited in words(text, how.folds, how.kind):
                    here, position = position, position + 1
                    if not how.keeps(word, is_limited):
                        continue
                    index[word.encode()].setdefault(doc, []).append(here)
        return index


class Words:
    """Which words are kept."""

    def __init__(self, folds=True, least=0, most=0, stop=(), kind="bigrams"):
        self.folds, self.least, self.most, self.kind = folds, least, most, kind
        self.stop = {w for line in stop for w, _ in words(line.rstrip(), folds, kind)}

    def keeps(self, word, is_limited):
        is_short = is_limited and len(word) < self.least
        is_long = is_limited and self.most and len(word) > self.most
        return (len(word.encode()) <= 65535 and not is_short and not is_long and
                word not in self.stop)


def expected_lines(index, positions):
    lines = []
    for term in sorted(index):
        for doc in sorted(index[term]):
            places = index[term][doc]
            tf = places if isinstance(places, int) else len(places)
            line = b"%s\t%d\t%d" % (term, doc, tf)
            if positions:
                line += b"\t" + ",".join(map(str, places)).encode()
            lines.append(line + b"\n")
    return b"".join(lines)


# --- writing them ------------------------------------------------------------------------

def escape_some(rng, text):
    """The text as a JSON string, some characters as escapes that need not be."""
    if rng.random() < 0.5:
        return json.dumps(text, ensure_ascii=rng.random() < 0.5)
    out = ['"']
    for char in text:
        if rng.random() < 0.03 and ord(char) < 0x10000:
            out.append("\\u%04x" % ord(char))
        else:
            out.append(json.dumps(char, ensure_ascii=False)[1:-1])
    return "".join(out) + '"'


def write_jsonl(rng, corpus, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        for name, texts in corpus.documents:
            fields = [f'"id":{escape_some(rng, name)}', '"n":[1,{"x":null}]']
            fields += [f'"t{i}": {escape_some(rng, text)}' for i, text in enumerate(texts)]
            rng.shuffle(fields)
            file.write("{" + rng.choice([",", " , "]).join(fields) + "}\n")
            if rng.random() < 0.01:
                file.write(" \n")
    return ["--text-field=t0", "--text-field=t1"]


def write_tsv(rng, corpus, path):
    del rng
    with open(path, "w", encoding="utf-8", newline="") as file:
        for name, texts in corpus.documents:
            file.write(name + "\t" + "\t".join(texts) + "\n")
    return []


def write_trec(rng, corpus, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        for name, texts in corpus.documents:
            file.write(f"<DOC>\n<DOCNO> {name} </DOCNO>\n")
            for text in texts:
                file.write(f"<TEXT>\n{text}</TEXT>\n")
            file.write("</DOC>" + rng.choice(["\n", "", "\n\n"]))
    return []


def write_text(rng, corpus, path):
    del rng
    os.mkdir(path)
    names = []
    for name, texts in corpus.documents:
        names.append(os.path.join(path, name + ".txt"))
        with open(names[-1], "w", encoding="utf-8", newline="") as file:
            file.write("\n".join(texts))
    return names


def write_json(rng, corpus, path):
    """An array, or objects one after the other, over several lines."""
    objects = [json.dumps({"id": name, "x": [{"y": "]},"}],
                           **{f"t{i}": text for i, text in enumerate(texts)}},
                          indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5)
               for name, texts in corpus.documents]
    with open(path, "w", encoding="utf-8", newline="") as file:
        if rng.random() < 0.5:
            file.write("[" + ",\n".join(objects) + "]\n")
        else:
            file.write("\n".join(objects))
    return ["--text-field=t0", "--text-field=t1"]


def write_csv(rng, corpus, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter=rng.choice(",;|"),
                          lineterminator=rng.choice(["\n", "\r\n"]),
                          quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
        rows.writerow(["t1", "n", "id", "t0"])
        for name, texts in corpus.documents:
            rows.writerow([texts[1] if len(texts) > 1 else "", "5", name, texts[0]])
    return ["--id-field=id", "--text-field=t0", "--text-field=t1"]


def write_warc(rng, corpus, path):
    with open(path, "wb") as file:
        def record(kind, name, content):
            file.write(b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\n"
                       b"Content-Length: %d\r\n\r\n%s\r\n\r\n"
                       % (kind, name.encode(), len(content), content))
        for name, texts in corpus.documents:
            if rng.random() < 0.1:
                record(b"request", name, b"GET / HTTP/1.1\r\n\r\n")
            text = "\n".join(texts).encode()
            if rng.random() < 0.5:
                record(b"conversion", name, text)
            else:
                record(b"response", name,
                       b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + text)
    return []


WRITERS = {"jsonl": write_jsonl, "json": write_json, "tsv": write_tsv, "csv": write_csv,
           "trec": write_trec, "warc": write_warc}
# Built from below by functions of their own; html only by test_html_text.
OTHERS = {"text", "tuples", "tuples-bin", "vectors", "html"}


def check_formats(binary, what, known):
    """Ends the program if `what` does not know each format of documents."""
    told = subprocess.run([binary, "index", "build", "--format=?", "-o", "x", "x"],
                          stderr=subprocess.PIPE, text=True).stderr
    formats = set(re.findall(r"^  - '(.*)'$", told, re.M))
    if formats != known:
        sys.exit(f"{what} has formats {sorted(known)}, the program {sorted(formats)}")


# --- building -------------------------------------------------------------------------------

class Checker:
    def __init__(self, binary, folder, extra):
        self.binary, self.folder = binary, folder
        self.extra = extra
        self.builds = self.runs = 0
        self.failures = []
        self.built, self.merged = index_kinds.Kinds("indexes that are built"), index_kinds.Kinds("merges")
        self.reordered = index_kinds.Kinds("indexes in another order")

    def path(self, name):
        return os.path.join(self.folder, name)

    def build(self, name, arguments, stdin=None):
        out = self.path(name)
        shutil.rmtree(out, ignore_errors=True)
        command = [self.binary, "index", "build", "-o", out, "--stats", "-T", self.folder]
        command += self.extra
        done = subprocess.run(command + arguments, stdin=stdin, capture_output=True)
        self.builds += 1
        if done.returncode != 0:
            self.fail(arguments, done.stderr.decode(errors="replace"))
            return None
        stats = json.loads(done.stderr[done.stderr.index(b"{\n"):])
        self.runs += stats["runs"]
        return out

    def fail(self, arguments, why):
        self.failures.append(" ".join(map(str, arguments))[:300])
        print(f"FAILED: {self.failures[-1]}\n{why[:1500]}", file=sys.stderr)

    def dump(self, folder, positions):
        command = [self.binary, "index", "dump"] + ["--positions"] * positions + [folder]
        return subprocess.run(command, capture_output=True, check=True).stdout

    def verify(self, arguments, folder):
        """Does the program itself find the index sound?"""
        done = subprocess.run([self.binary, "index", "verify", folder], capture_output=True)
        if done.returncode != 0:
            self.fail(arguments, done.stderr.decode(errors="replace"))

    def by_name(self, folder):
        """What an index has of each document, by the name of that: whatever its number is."""
        ask = lambda *words: subprocess.run([self.binary, *words, folder], capture_output=True, check=True).stdout
        _, postings, documents = ciff_check.read_ciff(ask("index", "export", "--ciff"))
        names = [name for name, _ in documents]
        # How what only some indexes have is seen; None: it is in what all have.
        shown = {"has_names": None, "has_impacts": None,
                 "has_positions": lambda: sorted((line.split(b"\t")[0], names[int(line.split(b"\t")[1])], line.split(b"\t")[2:])
                                                 for line in ask("index", "dump", "--positions").splitlines()),
                 "has_texts": lambda: sorted(json.loads(line)["contents"] + json.loads(line)["id"]
                                             for line in ask("index", "show", "--json").splitlines())}
        if set(shown) != set(index_kinds.fields()):
            sys.exit("index_check.py: by_name does not see all that an index may have")
        with open(os.path.join(folder, "header.json"), encoding="utf-8") as file:
            header = json.load(file)
        return [sorted(documents),
                {term: sorted((names[doc], tf) for doc, tf in found) for term, found in postings.items()},
                *(see() for field, see in shown.items() if see and header.get(field))]

    def compare(self, arguments, folder, wanted, positions):
        got = self.dump(folder, positions)
        if got == wanted:
            return
        got_lines, wanted_lines = got.split(b"\n"), wanted.split(b"\n")
        for i, (a, b) in enumerate(zip(got_lines, wanted_lines)):
            if a != b:
                self.fail(arguments, f"line {i + 1}\nwanted {b[:300]!r}\ngot    {a[:300]!r}")
                return
        self.fail(arguments, f"{len(got_lines)} lines and not {len(wanted_lines)}")


def digest(folder):
    """Of all files of an index."""
    sums = hashlib.sha256()
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            with open(os.path.join(root, name), "rb") as file:
                sums.update(name.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return sums.hexdigest()


def variants(rng, count):
    """Of methods with memories, so many of each; the smallest, always there, makes tens of runs."""
    chosen = []
    for method in ("spimi", "bsbi"):
        out = []
        for memory in ("64M", "1b", "3M"):
            for threads in (1, 2, 5):
                options = [f"--method={method}", "-S", memory, f"--parallel={threads}"]
                if rng.random() < 0.3:
                    options.append(f"--batch-size={rng.randint(2, 9)}")
                if rng.random() < 0.2:
                    options.append("--no-uring")
                out.append(options)
        smallest = rng.choice([options for options in out if "1b" in options])
        out.remove(smallest)
        chosen += [smallest] + rng.sample(out, count - 1)
    return chosen


def check_builds(checker, rng, inputs, arguments, wanted, positions, args):
    first = None
    for options in variants(rng, args.variants):
        command = arguments + options + inputs
        folder = checker.build("index", command)
        if folder is None:
            continue
        if first is None:
            checker.compare(command, folder, wanted, positions)
        if first is None:
            first = digest(folder)
            checker.verify(command, folder)
            checker.built.meet(folder)
        elif digest(folder) != first:
            checker.fail(command, "not the same bytes as the first build")


def check_documents(checker, rng, args):
    corpus = Corpus(rng, args.documents, args.documents * 2)
    stop_path = checker.path("stop")
    stop = ["the", "Café # not this", corpus.documents[0][1][0][:40], "don't x-y e=mc²"]
    with open(stop_path, "w", encoding="utf-8") as file:
        file.write("\n".join(stop) + "\n")
    rules = [
        (Words(), []),
        (Words(folds=False), ["--no-fold"]),
        (Words(kind="words"), ["--tokenizer=words"]),
        (Words(kind="whitespace", folds=False), ["--tokenizer=whitespace", "--no-fold"]),
        (Words(kind="whitespace", stop=[s.split("#")[0] for s in stop]),
         ["--tokenizer=whitespace", f"--stopwords={stop_path}"]),
        (Words(least=2, most=12, stop=[s.split("#")[0] for s in stop]),
         ["--min-len=2", "--max-len=12", f"--stopwords={stop_path}"]),
    ]
    for format_name, write in WRITERS.items():
        path = checker.path("corpus")
        extra = write(rng, corpus, path)
        for how, options in rules if args.documents >= 100 else rng.sample(rules, 2):
            positions = rng.random() < 0.5
            wanted = expected_lines(corpus.tuples(how), positions)
            arguments = [f"--format={format_name}"] + extra + options
            if positions:
                arguments.append("--positions")
            check_builds(checker, rng, [path], arguments, wanted, positions, args)
        check_spellings(checker, corpus, path, format_name, extra)


def check_spellings(checker, corpus, path, format_name, extra):
    """Compressed, in two files, from standard input."""
    wanted = expected_lines(corpus.tuples(Words()), False)
    arguments = [f"--format={format_name}"] + extra
    with open(path, "rb") as file:
        data = file.read()
    with gzip.open(path + ".gz", "wb") as file:
        file.write(data)
    subprocess.run(["zstd", "-q", "-f", path], check=True)
    for name in (path + ".gz", path + ".zst"):
        folder = checker.build("index", arguments + [name])
        if folder:
            checker.compare(arguments + [name], folder, wanted, False)
    with open(path + ".zst", "rb") as file:
        folder = checker.build("index", arguments + ["-"], stdin=file)
        if folder:
            checker.compare(arguments + ["- (zstd)"], folder, wanted, False)


def check_text(checker, rng, args):
    corpus = Corpus(rng, min(args.documents, 300), 1000)
    path = checker.path("texts")
    names = write_text(rng, corpus, path)
    wanted = expected_lines(corpus.tuples(Words()), True)
    check_builds(checker, rng, names, ["--format=text", "--positions"], wanted, True, args)
    shutil.rmtree(path)


def check_tuples(checker, rng, args):
    terms = [bytes(rng.choices(b"abc\x00\xff d", k=rng.randint(1, 12))) for _ in range(3000)]
    for ascending in (True, False):
        index = collections.defaultdict(lambda: collections.defaultdict(int))
        path = checker.path("tuples")
        doc = 0
        with open(path, "wb") as file:
            for _ in range(args.documents * 150):
                term = terms[int(len(terms) ** rng.random()) - 1]
                doc = doc + (rng.random() < 0.1) if ascending else rng.randrange(5000)
                if rng.random() < 0.0001:
                    doc += 1 << 33 if not ascending else 0
                tf = rng.randint(1, 3) if rng.random() < 0.3 else 1
                if rng.random() < 0.0005:
                    tf = rng.randrange(1 << 28)
                index[term][doc] += tf
                tail = b"" if tf == 1 and rng.random() < 0.5 else b"\t%d" % tf
                file.write(b"%s\t%d%s\n" % (term, doc, tail))
        wanted = expected_lines(index, False)
        check_builds(checker, rng, [path], ["--format=tuples"], wanted, False, args)

        index = collections.defaultdict(lambda: collections.defaultdict(int))
        with open(path, "wb") as file:
            for i in range(args.documents * 150):
                term = int(20000 ** rng.random())
                doc = i // 10 if ascending else rng.randrange(1 << 32)
                if rng.random() < 0.5:
                    doc %= 1000
                index[b"%d" % term][doc] += 1
                file.write(struct.pack("<II", term, doc))
        wanted = expected_lines(index, False)
        check_builds(checker, rng, [path], ["--format=tuples-bin"], wanted, False, args)


def random_vector(rng, terms):
    """Terms with weights as they are written, each with the impact that it has."""
    vector = {}
    for _ in range(int(rng.lognormvariate(3, 1.2))):
        term = terms[int(len(terms) ** rng.random()) - 1]
        weight = rng.choice([rng.randint(0, 300), rng.randint(1, 9), round(rng.expovariate(0.7), rng.randint(1, 9)),
                             rng.random() * 10 ** rng.randint(-9, 5)])
        vector[term] = weight, weight if isinstance(weight, int) else round(weight * 100.0)
    return vector


def vector_terms(rng):
    letters = "abcdefgh   \t\"\\/'éß日本\U0001f600\x01"
    terms = sorted({"".join(rng.choices(letters, k=rng.randint(1, 12))) for _ in range(3000)})
    rng.shuffle(terms)
    return terms


def check_vectors(checker, rng, args):
    terms = vector_terms(rng)
    for is_array in False, True:
        index = collections.defaultdict(dict)
        path = checker.path("vectors")
        with open(path, "w", encoding="utf-8") as file:
            for doc in range(args.documents):
                vector = random_vector(rng, terms)
                for term, (_, impact) in vector.items():
                    if impact > 0:
                        index[term.encode()][doc] = impact
                record = {"id": f"d{doc}", "vector": {term: weight for term, (weight, _) in vector.items()}}
                if rng.random() < 0.3:
                    record = {"text": "beside", **record, "more": [1, {"vector": {}}]}
                text = json.dumps(record, ensure_ascii=rng.random() < 0.5, indent=1 if is_array else None)
                file.write(("[" if doc == 0 else ",") * is_array + text + "\n")
            file.write("]" * is_array)
        wanted = expected_lines(index, False)
        for arguments in [], ["--format=vectors"]:
            check_builds(checker, rng, [path], arguments, wanted, False, args)


# --- merging --------------------------------------------------------------------------------

def cut(rng, items):
    """2 to 5 parts, empty ones among them."""
    places = sorted(rng.randint(0, len(items)) for _ in range(rng.randint(1, 4)))
    return [items[a:b] for a, b in zip([0] + places, places + [len(items)])]


def merge(checker, rng, folders, arguments=(), name="merged"):
    """Of indexes, with some memory and threads."""
    out = checker.path(name)
    shutil.rmtree(out, ignore_errors=True)
    options = ["-S", rng.choice(["1b", "3M", "1G"]), f"--parallel={rng.choice([1, 2, 5])}"]
    command = [checker.binary, "index", "merge", "-o", out] + options + list(arguments)
    done = subprocess.run(command + folders, capture_output=True)
    checker.builds += 1
    if done.returncode != 0:
        checker.fail(command, done.stderr.decode(errors="replace"))
        return None
    return out


def check_same(checker, rng, parts, write, arguments):
    """Merged of the parts, and built of them together: the same bytes?"""
    folders = []
    for i, part in enumerate(parts):
        folders.append(checker.build(f"part{i}", arguments + write(part)))
    whole = checker.build("whole", arguments + write([x for part in parts for x in part]))
    merged = merge(checker, rng, folders) if whole and all(folders) else None
    if merged and digest(merged) != digest(whole):
        checker.fail(["merge"] + arguments, f"parts {[len(p) for p in parts]} make another index")
    if merged:
        checker.merged.meet(merged)
        check_ranges(checker, rng, folders, whole)
    return merged


def check_reordered(checker, rng, folder):
    """In another order: the same of each document?"""
    out = checker.path("reordered")
    command = [checker.binary, "index", "reorder", "--replace", "-o", out, "-S", rng.choice(["1M", "1G"]), folder]
    done = subprocess.run(command, capture_output=True)
    if done.returncode != 0:
        checker.fail(command, done.stderr.decode(errors="replace"))
    elif checker.by_name(out) != checker.by_name(folder):
        checker.fail(command, "something else of a document")
    else:
        checker.verify(command, out)
        checker.reordered.meet(out)


def check_ranges(checker, rng, folders, whole):
    """Merged by ranges of terms, as on several machines, and these joined: the same bytes?"""
    terms = [line.split(b"\t")[0] for line in checker.dump(whole, False).split(b"\n")[:-1]]
    plain = [term.decode() for term in terms if re.fullmatch(rb"[a-z0-9]{1,%d}" % BOUND_BYTES_MAX, term)]
    if not plain:
        return
    bound, ranges = rng.choice(plain), []
    for name, option in (("low", f"--to-term={bound}"), ("high", f"--from-term={bound}")):
        ranges.append(merge(checker, rng, folders, [option], name))
    joined = merge(checker, rng, ranges, ["--join-terms"], "joined") if all(ranges) else None
    if joined and digest(joined) != digest(whole):
        checker.fail(["merge --join-terms"], f"ranges cut at {bound} make another index")


def check_merge(checker, rng, args):
    path = checker.path("to-merge")

    def write_documents(documents):
        corpus.documents = documents
        return [path] + write_jsonl(rng, corpus, path)

    rounds = 2 if args.documents >= 100 else 1
    for options in [[], ["--positions"], ["--positions", "--min-len=3"], ["--no-fold"]] * rounds:
        corpus = Corpus(rng, rng.choice([30, min(args.documents, 600)]), rng.choice([5, 3000]))
        merged = check_same(checker, rng, cut(rng, corpus.documents), write_documents,
                            ["--format=jsonl"] + options)
        if merged and "--min-len=3" not in options:  # which a length has, and no list
            check_reordered(checker, rng, merged)

    def write_tuples(tuples):
        with open(path, "wb") as file:
            file.writelines(b"%s\t%d\t%d\n" % t for t in tuples)
        return [path]

    for docs in (700, 1 << 39):
        terms = [bytes(rng.choices(b"ab\x00\xff d", k=rng.randint(1, 9))) for _ in range(600)]
        tuples = [(terms[int(len(terms) ** rng.random()) - 1], rng.randrange(docs),
                   rng.randint(1, 9)) for _ in range(args.documents * 20)]
        parts = cut(rng, tuples)
        check_same(checker, rng, parts, write_tuples, ["--format=tuples"])
        if docs < 1 << 32:
            check_shifted(checker, rng, parts, write_tuples)

    def write_vectors(vectors):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps({"id": f"d{i}", "vector": vector}) + "\n" for i, vector in vectors)
        return [path]

    terms = vector_terms(rng)
    vectors = [(i, {term: weight for term, (weight, _) in random_vector(rng, terms).items()})
               for i in range(min(args.documents, 600))]
    merged = check_same(checker, rng, cut(rng, vectors), write_vectors, ["--format=vectors"])
    if merged:
        check_reordered(checker, rng, merged)


def check_texts(checker, rng, args):
    """Stored ones come back, of one build, merged, and in another order."""
    path = checker.path("to-store")
    corpus = Corpus(rng, min(args.documents, 600), 500)
    documents = [(name, texts if rng.random() < 0.95 else [rng.choice(texts) * rng.randint(1, 60)])
                 for name, texts in corpus.documents]

    def write_documents(part):
        corpus.documents = part
        return [path] + write_jsonl(rng, corpus, path)

    def show(folder):
        done = subprocess.run([checker.binary, "index", "show", "--json", folder],
                              capture_output=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    wanted = [{"id": name, "contents": "\n".join(texts)} for name, texts in documents]
    first = None
    for options in variants(rng, 2):
        command = ["--format=jsonl", "--store"] + options + write_documents(documents)
        folder = checker.build("index", command)
        if folder is None:
            continue
        if show(folder) != wanted:
            checker.fail(command, "other texts than were stored")
        checker.built.meet(folder)
        first = first or digest(folder)
        if digest(folder) != first:
            checker.fail(command, "not the same bytes as the first build")
    merged = check_same(checker, rng, cut(rng, documents), write_documents,
                        ["--format=jsonl", "--store"])
    if merged:
        checker.verify(["merge"], merged)
        check_reordered(checker, rng, merged)
    whole = checker.build("index", ["--store", "--reorder"] + write_documents(documents))
    if whole:
        checker.verify(["build --reorder"], whole)
        by_name = lambda document: document["id"]
        if sorted(show(whole), key=by_name) != sorted(wanted, key=by_name):
            checker.fail(["build --store --reorder"], "other texts than were stored")


def check_shifted(checker, rng, parts, write):
    """Tuples whose docIDs are each index's own."""
    index = collections.defaultdict(lambda: collections.defaultdict(int))
    folders, shift = [], 0
    for i, part in enumerate(parts):
        folders.append(checker.build(f"part{i}", ["--format=tuples"] + write(part)))
        for term, doc, tf in part:
            index[term][doc + shift] += tf
        shift += max((doc + 1 for _, doc, _ in part), default=0)
    merged = merge(checker, rng, folders, ["--doc-ids=shift"])
    if merged:
        checker.compare(["merge", "--doc-ids=shift"], merged, expected_lines(index, False), False)
        checker.verify(["merge", "--doc-ids=shift"], merged)


def check_skipping(checker, rng):
    """Malformed lines among good ones, left out."""
    path = checker.path("bad")
    corpus = Corpus(rng, 400, 500)
    good = iter(corpus.documents)
    bad_lines = [b"{", b"x", b'{"id":1}', b'{"id":"a","t0":"\xff"}', b'{"id":"a","t0":"\\ud800"}']
    with open(path, "wb") as file:
        for name, texts in good:
            while file.tell() > 0 and rng.random() < 0.2: # the first tells the format
                file.write(rng.choice(bad_lines) + b"\n")
            file.write(json.dumps({"id": name, "t0": " ".join(texts)}).encode() + b"\n")
    corpus.documents = [(name, [" ".join(texts)]) for name, texts in corpus.documents]
    wanted = expected_lines(corpus.tuples(Words()), False)
    arguments = ["--text-field=t0", "--skip-bad", path]
    folder = checker.build("index", arguments)
    if folder:
        checker.compare(arguments, folder, wanted, False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--documents", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--variants", type=int, default=4, choices=range(1, 10),
                        help="builds of each input, by each of the methods")
    parser.add_argument("--extra", action="append", default=[], help="for every build")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else int(os.environ.get("GS_TEST_SEED", "1"))
    print(f"seed {seed}")
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="gpusort-index-") as folder:
        checker = Checker(os.path.abspath(args.binary), folder, args.extra)
        check_formats(checker.binary, "index_check.py", set(WRITERS) | OTHERS)
        check_documents(checker, rng, args)
        check_text(checker, rng, args)
        check_tuples(checker, rng, args)
        check_vectors(checker, rng, args)
        check_skipping(checker, rng)
        check_merge(checker, rng, args)
        check_texts(checker, rng, args)
        # Tuples have no documents to be put in another order.
        for lack in checker.built.missing() + checker.merged.missing() + checker.reordered.missing(always=("has_names",)):
            checker.fail(["all indexes"], lack)
        if checker.runs < (50 if args.documents >= 100 else 30):
            checker.fail(["all builds"], f"only {checker.runs} runs were made")
        print(f"{checker.builds} builds, {checker.runs} runs, "
              f"{len(checker.failures)} failures")
        sys.exit(1 if checker.failures else 0)


if __name__ == "__main__":
    main()
