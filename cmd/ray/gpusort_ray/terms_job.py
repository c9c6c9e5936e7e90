# SPDX-License-Identifier: MIT
"""One index of the shards of a job: merged by ranges of its terms, a task each, and joined.

    shards -> index merge --term-splitters -> terms             (manifest)
           -> index merge --from-term --to-term -> range-00000 ...  (manifest)
           -> index merge --join-terms -> index                     (manifest: complete)

It is byte for byte what one `gpusort index build` of all inputs makes. Each task reads all
shards, which lie in --out: on a file system of all nodes where they are, from a store into
its own temporary folder."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from . import cluster as clusters
from . import files, gpusort
from .cluster import Cluster
from .index_work import WHOLE, IndexWork, range_name, remove_pieces, send_index, shard_name
from .manifest import Manifest
from .watch import Watch


class RangeDone(NamedTuple):
    number: int
    bytes: int
    core_seconds: float
    peak_bytes: int


def _there(urls: list[str], folder: str) -> list[str]:
    """Paths of indexes: their own, or those of copies in the folder."""
    if all(map(files.is_local, urls)):
        return [files.path_of(url) for url in urls]
    paths = []
    for url in urls:
        paths.append(os.path.join(folder, url.rsplit("/", 1)[-1]))
        os.mkdir(paths[-1])
        for f in files.expand(url):
            with open(os.path.join(paths[-1], f.url.rsplit("/", 1)[-1]), "wb") as to:
                files.copy_into(f.url, 0, f.bytes, to.fileno())
    return paths


def _stored_bytes(urls: list[str]) -> int:
    """Of indexes that have to be fetched."""
    return sum(f.bytes for url in urls if not files.is_local(url) for f in files.expand(url))


def _merge(work: IndexWork, urls: list[str], name: str, words: list[str]) -> int:
    """How much memory it took."""
    target = files.join(work.out, name)
    is_local, stored = files.is_local(target), _stored_bytes(urls)
    # The result of a merge is no larger than what it is of, nor is what it keeps beside.
    with gpusort.scratch(work.options.job.scratch, stored if is_local else 3 * stored) as folder:
        made = files.path_of(target) if is_local else os.path.join(folder, "made")
        stats = gpusort.measured(
            [
                gpusort.find_same(work.options.job.gpusort, work.version),
                "index", "merge", *words, "--replace",
                f"-S{work.memory_bytes >> 10}K", f"--parallel={work.cpus}", "-o", made,
                *_there(urls, folder),
            ],
            folder,
        )  # fmt: skip
        if not is_local:
            send_index(made, target)
    return int(stats["peak_memory_bytes"])


def _shards(work: IndexWork, count: int) -> list[str]:
    return [files.join(work.out, shard_name(i)) for i in range(count)]


def find_terms(work: IndexWork, shards: int, ranges: int) -> bytes:
    """What cuts the merge of all into ranges, or fewer of them; a line each."""
    urls = _shards(work, shards)
    program = gpusort.find_same(work.options.job.gpusort, work.version)
    with gpusort.scratch(work.options.job.scratch, _stored_bytes(urls)) as folder:
        words = [f"--term-splitters={ranges}", f"-S{work.memory_bytes >> 10}K"]
        return gpusort.run([program, "index", "merge", *words, *_there(urls, folder)])


def cuts_of(text: bytes) -> list[bytes]:
    """A line each: they ascend, and have no line's end inside."""
    return text.split(b"\n")[:-1]


def merge_range(work: IndexWork, shards: int, number: int, name: str, cut: bytes) -> RangeDone:
    began = gpusort.used_seconds()
    terms = [b"", *cuts_of(cut), b""]
    words = [
        f"--from-term={os.fsdecode(terms[number])}", f"--to-term={os.fsdecode(terms[number + 1])}",
        *["--unique-ids"] * work.options.unique_ids,
    ]  # fmt: skip
    peak = _merge(work, _shards(work, shards), name, words)
    return _done(work, number, name, began, peak)


def join_ranges(work: IndexWork, ranges: int) -> RangeDone:
    began = gpusort.used_seconds()
    urls = [files.join(work.out, range_name(i)) for i in range(ranges)]
    peak = _merge(work, urls, WHOLE, ["--join-terms"])
    return _done(work, ranges, WHOLE, began, peak)


def _done(work: IndexWork, number: int, name: str, began: float, peak: int) -> RangeDone:
    size = sum(f.bytes for f in files.expand(files.join(work.out, name)))
    return RangeDone(number, size, gpusort.used_seconds() - began, peak)


class TermsJob:
    def __init__(self, cluster: Cluster, work: IndexWork, manifest: Manifest, watch: Watch) -> None:
        self._cluster, self._work, self._manifest, self._watch = cluster, work, manifest, watch
        self._retries = work.options.job.retries

    def run(self) -> None:
        """Goes on from what the manifest knows; at the end the index is there."""
        m, c = self._manifest, self._cluster
        if not m.is_complete:
            shared = c.ray.put(self._work)
            if m.splitters is None:
                self._watch.phase("cut", 1)
                task = c.task(find_terms, self._retries)
                cut = clusters.one(c, task, shared, m.parts, self._work.options.ranges)
                m.cut(m.parts, cut)
            self._make_ranges(shared, m.splitters or b"")
            m.complete()
        remove_pieces(self._work.out)

    def _make_ranges(self, shared: Any, cut: bytes) -> None:
        m, c = self._manifest, self._cluster
        ranges = len(cuts_of(cut)) + 1
        self._watch.phase("merge", ranges)
        task = c.task(merge_range, self._retries)
        names = [range_name(i) for i in range(ranges)] if ranges > 1 else [WHOLE]
        tasks = (
            (lambda remote, i=i: remote.remote(shared, m.parts, i, names[i], cut))
            for i in range(ranges)
            if i not in m.ranges
        )
        for one in clusters.flow(c, task, tasks, 2 * c.room.tasks):
            m.add_range(one.number)
            self._tell(one)
        if ranges > 1:
            self._watch.phase("join", 1)
            join = c.task(join_ranges, self._retries)
            self._tell(clusters.one(c, join, shared, ranges))

    def _tell(self, one: RangeDone) -> None:
        self._watch.step(written=one.bytes, peak=one.peak_bytes, core_seconds=one.core_seconds)
