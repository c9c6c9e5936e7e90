#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds `gpusort index import --ciff` against files as other programs write them.

An index is written by hand as each of them does, with what it does otherwise than the
format says: Anserini's exporter knows the lengths of documents only as Lucene's norms have
them, and may export the lists of some queries; PISA's takes lengths from a file of their
own; pyterrier-ciff has terms in the order in which they first came, and weights for
frequencies. What was met is counted and told, the imported index holds the same postings,
and searches find the same documents with the same scores as in the index that it came
from, or as scores reckoned here where lengths are others.

    tests/ciff_foreign.py --binary build/gpusort
"""
import argparse
import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from ciff_rules import Ciff, as_lucene

WORDS = ["w%d" % i for i in range(400)] + ["café", "naïve", "日本"]


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(command), done.stderr))
    return done


def documents_of(rng, count, lengths):
    return [[WORDS[int(len(WORDS) ** rng.random()) - 1] for _ in range(rng.choice(lengths))] for _ in range(count)]


def build(binary, folder, documents):
    with open("docs.jsonl", "w", encoding="utf-8") as file:
        for i, words in enumerate(documents):
            file.write(json.dumps({"id": "doc-%d" % i, "contents": " ".join(words)}) + "\n")
    run(binary, "index", "build", "--replace", "--tokenizer=words", "-o", folder, "docs.jsonl")


def import_as(binary, what, data, breaks, *options):
    """Imports a file that breaks so many rules, and none silently."""
    with open("foreign.ciff", "wb") as file:
        file.write(data)
    done = run(binary, "index", "import", "--ciff", "--replace", "-o", "imported", *options, "foreign.ciff")
    wanted = "%d break%s of the format's rules" % (breaks, "s" if breaks > 1 else "") if breaks else ""
    if wanted not in done.stderr or bool(breaks) != bool(done.stderr):
        sys.exit("%s: wanted %r, got %r" % (what, wanted, done.stderr))
    run(binary, "index", "verify", "imported")


def same_postings(binary, what, wanted):
    got = run(binary, "index", "dump", "imported").stdout
    if got != wanted:
        sys.exit("%s: other postings than were written" % what)


def answers(binary, folder, queries):
    """Names and scores of each query's best."""
    out = run(binary, "search", "--json", "-k", "20", folder, text="".join(q + "\n" for q in queries)).stdout
    return [[(d["name"], d["score"]) for d in json.loads(line)["documents"]] for line in out.splitlines()]


def questions(rng, count):
    words = [w for w in WORDS if w.isascii()]
    return [" ".join(rng.choice(words) for _ in range(rng.randint(1, 5))) for _ in range(count)]


def anserini(documents, terms=None):
    """As ExportAnseriniLuceneIndex does: lengths from norms, totals from frequencies; with
    a list of terms only those, the totals as before."""
    file = Ciff(documents)
    for document in file.documents:
        document[2] = as_lucene(document[2])
    file.description = "Index built by Anserini."
    if terms is not None:
        file.lists = [one for one in file.lists if one[0] in terms]
        file.header[2] = len(file.lists)
    return file


def check_anserini(binary, rng):
    short = documents_of(rng, 800, range(0, 40)) # which norms know
    build(binary, "short", short)
    import_as(binary, "Anserini", anserini(short).bytes(), 0)
    same_postings(binary, "Anserini", run(binary, "index", "dump", "short").stdout)
    queries = questions(rng, 40)
    if answers(binary, "short", queries) != answers(binary, "imported", queries):
        sys.exit("Anserini: other ranks")
    terms = {"w1", "w2", "w30"}
    some = anserini(short, terms)
    import_as(binary, "Anserini, some terms", some.bytes(), 2) # lists, and what they add up to
    same_postings(binary, "Anserini, some terms", some.dump().decode())
    queries = ["w1", "w2 w30", "w1 w2 w30"]
    if answers(binary, "short", queries) != answers(binary, "imported", queries):
        sys.exit("Anserini, some terms: other ranks")
    print("files as Anserini writes them: the same ranks")


def bm25(file, query, k1=1.2, b=0.75):
    """By the lengths that the file has."""
    lengths = [length for _, _, length in file.documents]
    average = sum(lengths) / len(lengths)
    scores = collections.Counter()
    lists = {term: postings for term, _, _, postings in file.lists}
    for term, times in collections.Counter(query.split()).items():
        df = len(lists.get(term, ()))
        for doc, tf in lists.get(term, ()):
            weight = times * math.log(1 + (len(lengths) - df + 0.5) / (df + 0.5))
            norm = k1 * (1 - b) + k1 * b / average * lengths[doc]
            scores[doc] += weight * tf / (tf + norm)
    return [(file.documents[doc][1], score)
            for doc, score in sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:20]]


def check_rough_lengths(binary, rng):
    long = documents_of(rng, 300, [0, 5, 80, 200, 700])
    file = anserini(long)
    import_as(binary, "Anserini, long documents", file.bytes(), 1)
    queries = questions(rng, 40)
    for query, got in zip(queries, answers(binary, "imported", queries)):
        wanted = bm25(file, query)
        # Ties of scores that differ by rounding may swap.
        if len(got) != len(wanted) or any(abs(a[1] - b[1]) > 1e-9 for a, b in zip(got, wanted)):
            sys.exit("Anserini, long documents: %s: wanted %s, got %s" % (query, wanted[:5], got[:5]))
    print("lengths as norms have them: scores by those")


def check_pisa(binary, rng):
    """As pisa2ciff does: all of it from .docs, .freqs, .sizes and two lists of lines. Of no
    documents the average is not a number."""
    documents = documents_of(rng, 500, range(0, 120))
    build(binary, "plain", documents)
    file = Ciff(documents)
    file.description = ""
    import_as(binary, "PISA", file.bytes(), 0)
    dump = run(binary, "index", "dump", "plain").stdout
    same_postings(binary, "PISA", dump)
    queries = questions(rng, 40)
    if answers(binary, "plain", queries) != answers(binary, "imported", queries):
        sys.exit("PISA: other ranks")
    empty = Ciff([])
    empty.average = float("nan")
    import_as(binary, "PISA, of nothing", empty.bytes(), 1)
    same_postings(binary, "PISA, of nothing", "")
    print("files as PISA writes them: the same ranks")


def check_pyterrier(binary, rng):
    """As pyterrier-ciff does: terms as they first came, weights times 100."""
    vectors = []
    for _ in range(600):
        words = sorted({WORDS[int(len(WORDS) ** rng.random()) - 1] for _ in range(rng.randint(0, 25))},
                       key=lambda _: rng.random())
        vectors.append({word: rng.randint(1, 16) / 4 for word in words})
    with open("vectors.jsonl", "w", encoding="utf-8") as out:
        for i, vector in enumerate(vectors):
            out.write(json.dumps({"id": "doc-%d" % i, "vector": vector}) + "\n")
    run(binary, "index", "build", "--replace", "-o", "vectors", "vectors.jsonl")
    impacts = [{word: int(100 * weight) for word, weight in vector.items()} for vector in vectors]
    file = Ciff([[word for word, n in vector.items() for _ in range(n)] for vector in impacts])
    first = list(dict.fromkeys(word for vector in impacts for word in vector))
    lists = {one[0]: one for one in file.lists}
    file.lists = [lists[word] for word in first]
    file.description = "pyterrier-ciff"
    breaks = sum(a.encode() > b.encode() for a, b in zip(first, first[1:]))
    dump = run(binary, "index", "dump", "vectors").stdout
    for options in ([], ["--parallel=3"], ["-S", "1M", "--parallel=1"]):
        import_as(binary, "pyterrier-ciff", file.bytes(), breaks, "--impacts", *options)
        same_postings(binary, "pyterrier-ciff", dump)
        for name in ("terms", "postings", "documents"):
            with open("vectors/" + name, "rb") as a, open("imported/" + name, "rb") as b:
                if a.read() != b.read():
                    sys.exit("pyterrier-ciff: another index: %s" % name)
    queries = questions(rng, 40) + ["w1^2.5 w2 w3^0.25", '{"w1": 1.5, "日本": 2}']
    if answers(binary, "vectors", queries) != answers(binary, "imported", queries):
        sys.exit("pyterrier-ciff: other ranks")
    print("files as pyterrier-ciff writes them: the same index, %d lists of %d out of order" % (breaks, len(first)))


def check_many_lists(binary, rng):
    """More lists out of order than a small memory holds a directory of are refused, with
    more memory they are taken; nothing is left of those that are refused."""
    count = 60000
    names = ["term%07d" % i + "x" * 190 for i in range(count)]
    file = Ciff([names[i::30] for i in range(30)])
    dump = file.dump().decode()
    rng.shuffle(file.lists)
    with open("many.ciff", "wb") as out:
        out.write(file.bytes())
    command = [binary, "index", "import", "--ciff", "-o", "many", "many.ciff"]
    done = subprocess.run(command + ["-S", "1M"], capture_output=True, text=True, check=False)
    wanted = "many.ciff: 60000 posting lists are not in the order of their terms: to sort them takes 13 MiB"
    if done.returncode != 2 or wanted not in done.stderr or [x for x in os.listdir(".") if x.startswith("many") and x != "many.ciff"]:
        sys.exit("many lists, little memory: exit %d\n%s" % (done.returncode, done.stderr))
    run(*command, "-S", "50M")
    if run(binary, "index", "dump", "many").stdout != dump:
        sys.exit("many lists: other postings")
    print("%d lists in any order" % count)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GS_TEST_SEED", "1")))
    args = parser.parse_args()
    print("seed %d" % args.seed)
    rng = random.Random(args.seed)
    binary = os.path.abspath(args.binary)
    with tempfile.TemporaryDirectory(prefix="gpusort-foreign-") as folder:
        os.chdir(folder)
        check_anserini(binary, rng)
        check_rough_lengths(binary, rng)
        check_pisa(binary, rng)
        check_pyterrier(binary, rng)
        check_many_lists(binary, rng)


if __name__ == "__main__":
    main()
