# SPDX-License-Identifier: MIT
"""The programs that bad_situations.py puts side by side, each called as its manual says, and
what their answers ought to be."""
import json
import os
import re
import subprocess
import tempfile

MIB = 1 << 20
MEMORY = 32  # MiB
DUCKDB_MEMORY = 96  # with less it gives up although nothing is wrong

DUCKDB = """
import duckdb, json, sys
inputs, output, folder = json.loads(sys.argv[1])
c = duckdb.connect()
c.execute("SET threads = 2; SET preserve_insertion_order = false; SET enable_progress_bar = false")
if not %(default)r:
    c.execute("SET memory_limit = '%(memory)dMiB'")
c.execute("SET temp_directory = '%%s'" %% folder)
c.execute("COPY (SELECT * FROM read_csv(%%s, header = false, auto_detect = false, delim = '\\x01', "
          "quote = '', escape = '', max_line_size = 134217728, columns = {'a': 'VARCHAR'}) ORDER BY a) TO '%%s' "
          "(FORMAT csv, HEADER false, DELIMITER '\\x01', QUOTE '')" %% (inputs, output))
"""

TANTIVY = """
import json, os, sys, tantivy
inputs, output, folder = json.loads(sys.argv[1])
os.makedirs(output, exist_ok=True)
schema = tantivy.SchemaBuilder()
schema.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
schema.add_text_field("contents", stored=False, tokenizer_name="default", index_option="freq")
index = tantivy.Index(schema.build(), path=output)
writer = index.writer(heap_size=%(memory)d << 20, num_threads=1)
for name in inputs:
    with open(name, "rb") as lines:
        for line in lines:
            writer.add_json(line.decode())
writer.commit()
writer.wait_merging_threads()
"""

TANTIVY_POSTINGS = """
import json, sys, tantivy
index = tantivy.Index.open(sys.argv[1])
index.reload()
searcher = index.searcher()
for t in json.loads(sys.argv[2]):
    hits = searcher.search(tantivy.Query.term_query(index.schema, "contents", t), 1000000).hits
    print(t, sorted((a.segment_ord, a.doc, score) for score, a in hits))
"""

TANTIVY_COUNTS = """
import json, sys, tantivy
index = tantivy.Index.open(sys.argv[1])
index.reload()
searcher = index.searcher()
print(json.dumps({t: searcher.search(tantivy.Query.term_query(index.schema, "contents", t), 1, count=True).count
                  for t in json.loads(sys.argv[2])}))
"""


class Done:
    def __init__(self, code, err):
        self.code, self.err = code, err


class Program:
    """One column: how it is called, and how its answer is looked at."""
    sorts = True

    def __init__(self, name, options):
        self.name, self.options = name, options
        self.python = options.venv and os.path.join(options.venv, "bin", "python")

    def run(self, place, inputs, output, memory=MEMORY, setup=None, during=None, stdout=None,
            folder=None):
        argv = self.command(inputs, output, folder or place.path("tmp"), memory)
        with tempfile.TemporaryFile() as err:
            child = subprocess.Popen(argv, cwd=place.folder, stdin=subprocess.DEVNULL,
                                     stdout=stdout or subprocess.DEVNULL, stderr=err,
                                     preexec_fn=setup, env=place.environment)
            if during:
                during(child)
            try:
                code = child.wait(120)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                return Done("hangs", "")
            err.seek(0)
            return Done(code, err.read().decode(errors="replace"))


class Lines(Program):
    def is_exact(self, output, inputs):
        with open(output, "rb") as file:
            return file.read() == sorted_text(inputs)


class GpuSort(Lines):
    def command(self, inputs, output, folder, memory):
        size = ["-S", f"{memory}M"] if memory else []
        target = ["-o", output] if output != "/dev/stdout" else []
        return [self.options.binary, *size, "-T", folder, *target, *inputs]


class GnuSort(GpuSort):
    def command(self, inputs, output, folder, memory):
        return [self.options.reference, *super().command(inputs, output, folder, memory)[1:]]


class DuckDB(Lines):
    def command(self, inputs, output, folder, memory):
        script = DUCKDB % {"memory": DUCKDB_MEMORY, "default": not memory}
        return [self.python, "-c", script, json.dumps([inputs, output, folder])]


class GpuIndex(Program):
    sorts = False

    def command(self, inputs, output, folder, memory):
        size = ["-S", f"{memory}M"] if memory else []
        return [self.options.binary, "index", "build", *size, "--format=jsonl", "-T", folder,
                "-o", output, *inputs]

    def counts(self, output, words):
        done = subprocess.run([self.options.binary, "lookup", "--df-only", output, *words],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        return {row[0]: int(row[1]) for row in rows}

    def postings(self, output, words):
        """All that the index says of the words, as text."""
        done = subprocess.run([self.options.binary, "lookup", output, *words],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout

    def is_exact(self, output, inputs):
        want = word_counts(inputs)
        try:
            return self.counts(output, list(want)) == want
        except RuntimeError:
            return False


class Tantivy(GpuIndex):
    def command(self, inputs, output, folder, memory):
        script = TANTIVY % {"memory": memory or 128}
        return [self.python, "-c", script, json.dumps([inputs, output, folder])]

    def counts(self, output, words):
        done = subprocess.run([self.python, "-c", TANTIVY_COUNTS, output, json.dumps(words)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)

    def postings(self, output, words):
        done = subprocess.run([self.python, "-c", TANTIVY_POSTINGS, output, json.dumps(words)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout


def sorted_text(inputs):
    lines = []
    for name in inputs:
        with open(name, "rb") as file:
            text = file.read()
        lines += (text[:-1] if text.endswith(b"\n") else text).split(b"\n") if text else []
    return b"".join(line + b"\n" for line in sorted(lines))


def word_counts(inputs, most=8):
    """In how many documents a few words are: the last documents' too, which a loss takes."""
    documents = []
    for name in inputs:
        with open(name, "rb") as file:
            documents += [set(re.findall(r"[a-z0-9]+", json.loads(line)["contents"].lower()))
                          for line in file]
    words = sorted(documents[0])[:most // 2] + sorted(documents[-1])[:most // 2]
    return {word: sum(word in document for document in documents) for word in words}


def programs_of(options):
    found = [GpuSort("gpusort", options), GnuSort("GNU sort", options)]
    for module, name, kind in (("duckdb", "DuckDB", DuckDB), (None, "gpusort index", GpuIndex),
                               ("tantivy", "Tantivy", Tantivy)):
        if module is None:
            found.append(kind(name, options))
        elif options.venv:
            done = subprocess.run([os.path.join(options.venv, "bin", "python"), "-c",
                                   f"import importlib.metadata as m; print(m.version('{module}'))"],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0:
                found.append(kind(f"{name} {done.stdout.strip()}", options))
    return found
