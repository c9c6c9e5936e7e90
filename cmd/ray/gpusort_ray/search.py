# SPDX-License-Identifier: MIT
"""Queries to all shards of an index, in two rounds: what the shards know of the words, and,
once all is added up, the best of each shard, scored as one index of all would score them.

    query -> each shard: search --gather -> sum -> each shard: search --statistics -> best

A shard is asked where a task of Ray runs, or, without a cluster, by a thread here. One in
a store is fetched once to each node, into a folder beside its temporary files."""

from __future__ import annotations

import heapq
import json
import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

import xxhash

from . import cluster as clusters
from . import files, gpusort
from .arguments import FLAG, VALUE, count_of, scan
from .errors import Trouble, Usage
from .index_work import WHOLE, shard_name
from .job_options import JobOptions
from .manifest import INDEX, INDEX_OF_TERMS, Manifest

_TABLE = {
    **{
        name: FLAG
        for name in """--all --plain --boolean --count --json --snippets --verify
        --exhaustive""".split()
    },
    **{
        name: VALUE
        for name in """-k --top --k1 --b --trec --address --gpusort -T
        --temporary-directory""".split()
    },
}
_BATCH = 1000  # queries


@dataclass
class SearchOptions:
    job: JobOptions = field(default_factory=JobOptions)
    handed_on: list[str] = field(default_factory=list)
    top: int | None = None
    is_boolean: bool = False
    counts: bool = False
    as_json: bool = False
    trec: str = ""

    @property
    def is_scored(self) -> bool:
        return not (self.is_boolean or self.counts)

    @property
    def limit(self) -> int:
        return self.top or (10 if self.is_scored else sys.maxsize)


def parse_search(words: list[str]) -> tuple[SearchOptions, list[str]]:
    found, operands = scan(words, _TABLE)
    o = SearchOptions()
    for name, value in found:
        if name in ("--address", "--gpusort", "-T", "--temporary-directory"):
            o.job.take(name, value)
        elif name in ("-k", "--top"):
            o.top = count_of(value or "", name)
        elif name == "--json":
            o.as_json = True
        elif name == "--trec":
            o.trec = value or ""
        else:
            o.is_boolean |= name == "--boolean"
            o.counts |= name == "--count"
            o.handed_on.append(name if value is None else f"{name}={value}")
    if o.trec and (o.as_json or o.is_boolean or o.counts):
        raise Usage("option '--trec' goes with ranked answers only")
    return o, operands


# --- one shard --------------------------------------------------------------------------


def _fetched(url: str, scratch: str) -> str:
    """Where the shard is on this node. One of a store is fetched if it is not there."""
    if files.is_local(url):
        return files.path_of(url)
    base = scratch or tempfile.gettempdir()
    found = files.expand(url)
    told = "".join(f"{f.url}\0{f.version}\0" for f in found)
    mark = xxhash.xxh3_64_hexdigest(told.encode())
    at = os.path.join(base, f"gpusort-ray-shard.{mark}")
    if os.path.isdir(at):
        return at
    os.makedirs(base, exist_ok=True)
    new = tempfile.mkdtemp(prefix="gpusort-ray-fetch.", dir=base)
    try:
        for f in found:
            with open(os.path.join(new, f.url.rsplit("/", 1)[-1]), "wb") as to:
                files.copy_into(f.url, 0, f.bytes, to.fileno())
        try:
            os.rename(new, at)
        except OSError:
            if not os.path.isdir(at):  # unless another task was faster
                raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return at


def ask_shard(o: SearchOptions, shard: str, queries: bytes, statistics: bytes | None) -> bytes:
    """Answers as JSON, a line a query; or, without statistics of ranked ones, what they
    need. A query that is refused has its line too."""
    words = [gpusort.find(o.job.gpusort), "search", *o.handed_on]
    folder = _fetched(shard, o.job.scratch)
    if o.is_scored and statistics is None:
        words = [w for w in words if w != "--snippets"]
        return gpusort.run([*words, "--gather", folder], _feed(queries), (0, 2))
    words += ["--json"] + ([f"-k{o.top}"] if o.top else [])
    with tempfile.NamedTemporaryFile(prefix="gpusort-ray-statistics.") as known:
        if statistics is not None:
            known.write(statistics)
            known.flush()
            words.append(f"--statistics={known.name}")
        return gpusort.run([*words, folder], _feed(queries), (0, 2))


def _feed(text: bytes) -> Callable[[int], None]:
    return lambda fd: files.write_all(fd, text)


# --- all shards -------------------------------------------------------------------------


class Shards:
    def __init__(self, o: SearchOptions, folder: str) -> None:
        manifest = Manifest.read(folder, INDEX, INDEX_OF_TERMS)
        if not manifest.is_complete:
            raise Trouble(f"{folder}: is not complete: `gpusort-ray index --resume` goes on with it")
        self._o = o
        self._names, self._bases = [files.join(folder, WHOLE)], [0]
        if manifest.kind == INDEX:
            self._names = [files.join(folder, shard_name(i)) for i in range(manifest.parts)]
            for i in range(manifest.parts):
                self._bases.append(self._bases[-1] + manifest.done[i][0])
        self._cluster = None
        if o.job.address or os.environ.get("RAY_ADDRESS"):
            self._cluster = clusters.connect(o.job)

    def _ask_all(self, queries: bytes, statistics: bytes | None) -> list[bytes]:
        if self._cluster is None:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                ask = lambda name: ask_shard(self._o, name, queries, statistics)  # noqa: E731
                return list(pool.map(ask, self._names))
        c = self._cluster
        task = c.ray.remote(num_cpus=1, max_retries=3, scheduling_strategy="SPREAD")(ask_shard)
        said = [task.remote(self._o, n, queries, statistics) for n in self._names]
        return [clusters.get(c.ray, ref) for ref in said]

    def answer(self, queries: list[bytes]) -> Iterator[dict[str, Any]]:
        text = b"".join(q + b"\n" for q in queries)
        statistics = None
        if self._o.is_scored:
            statistics = b"".join(self._ask_all(text, None))
        # A name may hold what Python takes for a line's end, but no newline.
        said = [a.split(b"\n") for a in self._ask_all(text, statistics)]
        for number in range(len(queries)):
            yield self._joined([json.loads(lines[number]) for lines in said])

    def _joined(self, answers: list[dict[str, Any]]) -> dict[str, Any]:
        whole = answers[0]
        refused = [a for a in answers if "error" in a]
        if refused:
            return refused[0]
        if "count" in whole:
            whole["count"] = min(self._o.limit, sum(a["count"] for a in answers))
        if "documents" not in whole:
            return whole
        found = []
        for shard, a in enumerate(answers):
            for d in a["documents"]:
                d["doc"] += self._bases[shard]
                found.append(d)
        best = lambda d: (-d.get("score", 0), d["doc"])  # noqa: E731
        whole["documents"] = heapq.nsmallest(min(self._o.limit, len(found)), found, key=best)
        return whole


# --- what is printed --------------------------------------------------------------------


_ESCAPED = re.compile(r'[\x00-\x1f"\\]')


def _quoted(text: str) -> str:
    escape = lambda m: "\\" + m[0] if m[0] >= " " else f"\\u{ord(m[0]):04x}"  # noqa: E731
    return '"' + _ESCAPED.sub(escape, text) + '"'


def _json(x: Any) -> str:
    """As `gpusort search` prints it: numbers with all digits that tell them apart."""
    if isinstance(x, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {_json(v)}" for k, v in x.items()) + "}"
    if isinstance(x, list):
        return "[" + ", ".join(map(_json, x)) + "]"
    if isinstance(x, str):
        return _quoted(x)
    return f"{x:.17g}" if isinstance(x, float) else json.dumps(x)


def _column(text: str, blank: str = " ") -> str:
    least = " " if blank == " " else "!"
    return "".join(c if c >= least else blank for c in text) or ("_" if blank == "_" else "")


def lines_of(o: SearchOptions, answer: dict[str, Any], has_qids: bool) -> Iterator[str]:
    qid = _column(answer["qid"], "_" if o.trec else " ")
    ahead = f"{qid}\t" if has_qids else ""
    if o.as_json:
        yield _json(answer)
    elif o.counts:
        yield f"{ahead}{answer['count']}"
    elif "error" not in answer:
        for rank, d in enumerate(answer["documents"], 1):
            name = _column(d.get("name", str(d["doc"])), "_" if o.trec else " ")
            snippet = "\t" + d["snippet"] if "snippet" in d else ""
            if o.trec:
                yield f"{qid} Q0 {name} {rank} {d['score']:.6f} {o.trec}"
            elif o.is_boolean:
                yield f"{ahead}{name}{snippet}"
            else:
                yield f"{ahead}{rank}\t{name}\t{d['score']:.6f}{snippet}"


def search(words: list[str]) -> int:
    o, operands = parse_search(words)
    if not operands:
        raise Usage("which index?")
    folder, queries = operands[0], [os.fsencode(q) for q in operands[1:]]
    if files.is_local(folder):
        folder = os.path.abspath(files.path_of(folder))
    from_stdin = queries in ([], [b"-"])
    has_qids = from_stdin or len(queries) > 1
    shards, refused, asked = Shards(o, folder), 0, 0
    for batch in _batches(queries, from_stdin):
        for answer in shards.answer(batch):
            asked += 1
            for line in lines_of(o, answer, has_qids):
                sys.stdout.write(line + "\n")
            if "error" in answer:
                refused += 1
                sys.stdout.flush()
                which = "standard input, line" if from_stdin else "query"
                sys.stderr.write(f"gpusort-ray search: {which} {asked}, {answer['error']}\n")
    sys.stdout.flush()
    return 2 if refused else 0


def _batches(queries: list[bytes], from_stdin: bool) -> Iterator[list[bytes]]:
    """Queries by number unless they have names: what comes behind a tab is one."""
    if not from_stdin:
        yield [b"%d\t%s" % (i, q.replace(b"\n", b" ")) for i, q in enumerate(queries, 1)]
        return
    batch, number = [], 0
    for line in sys.stdin.buffer:
        number += 1
        line = line.rstrip(b"\r\n")
        batch.append(line if b"\t" in line else b"%d\t%s" % (number, line))
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
