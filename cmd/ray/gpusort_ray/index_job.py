# SPDX-License-Identifier: MIT
"""An index in shards: each task builds one of the documents of a chunk.

    inputs -> plan -> index build -> shard-00000, shard-00001, ...   (manifest)
                                     and by --by-terms one index of them: terms_job.py

Documents of a shard come behind those of the ones before it: the number of a document among
all is its number in the shard and how many documents those have."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from . import chunks, cluster as clusters, files, gpusort, out_folder
from . import plan as plans
from .errors import Trouble
from .index_options import IndexOptions
from .index_work import WHOLE, IndexWork, pieces_of, send_index, shard_name
from .manifest import INDEX, INDEX_OF_TERMS, NAME, Manifest
from .plan import Chunk, Plan, Room
from .terms_job import TermsJob
from .watch import Watch

_SHARD_MIN, _SHARD_MAX = 64 << 20, 16 << 30
_TEMPORARY = 2  # times the input, about: runs, and the index itself


class ShardDone(NamedTuple):
    shard: int
    documents: int
    bytes: int
    core_seconds: float
    peak_bytes: int


def build_shard(work: IndexWork, number: int, chunk: Chunk) -> ShardDone:
    o, began = work.options, gpusort.used_seconds()
    chunks.check_unchanged(chunk)
    target = files.join(work.out, shard_name(number))
    needed = _TEMPORARY * chunk.bytes + chunks.fetched_bytes(chunk)
    program = gpusort.find_same(o.job.gpusort, work.version)
    with gpusort.scratch(o.job.scratch, needed) as folder:
        words, feed = chunks.input_of(chunk, o, folder, keeps_names=True)
        if feed is not None and not o.format:
            words.append(f"--format={o.format_of(chunk.files[0])}")
        built = files.path_of(target) if files.is_local(target) else os.path.join(folder, ".index")
        stats = gpusort.measured(
            [
                program, "index", "build", *o.handed_on, f"-S{work.memory_bytes >> 10}K",
                f"--parallel={work.cpus}", f"--engine={work.engine}", *o.job.of_programs, f"-T{folder}",
                "--replace", "-o", built, *words,
            ],
            folder,
            feed,
        )  # fmt: skip
        chunks.check_unchanged(chunk)
        info = json.loads(gpusort.run([program, "index", "info", "--json", built]))
        if built != target and not files.is_local(target):
            send_index(built, target)
    peak = stats["peak_memory_bytes"]
    size = sum(info["bytes"].values())
    return ShardDone(number, info["documents"], size, gpusort.used_seconds() - began, peak)


class IndexJob:
    def __init__(self, options: IndexOptions, inputs: list[str]) -> None:
        self._o = options
        self._inputs = inputs
        self._watch = Watch(options.job.progress, options.job.stats)

    def run(self) -> None:
        o = self._o.job
        found = files.names_in(o.out)
        goes_on = o.resumes and NAME in found
        in_the_way = {NAME, shard_name(0), *[WHOLE] * bool(self._o.ranges)}.intersection(found)
        if in_the_way and not goes_on and not o.replaces:
            raise Trouble(
                f"{o.out}: has shards or an index already; --resume goes on with them, --replace "
                "takes their place"
            )
        inputs = [f for url in self._inputs for f in files.expand(url)]
        if not inputs:
            raise Trouble("there is no input")
        self._cluster = clusters.connect(o)
        plan = self._plan(inputs, self._cluster.room)
        version = gpusort.version_of(gpusort.find(o.gpusort))
        kind = INDEX_OF_TERMS if self._o.ranges else INDEX
        if goes_on:
            manifest = Manifest.read(o.out, kind)
            manifest.check_same(self._o.told, plan, version)
            plan = manifest.plan
        else:
            self._clear(found, inputs)
            manifest = Manifest.begin(o.out, kind, self._o.told, plan, version)
        if o.resumes or o.replaces:
            out_folder.remove(o.out, out_folder.left_of(found))
        self._watch.begin(plan.bytes, len(plan.chunks), plan.parts)
        c = self._cluster
        work = IndexWork(self._o, c.room.memory_bytes, c.cpus, c.engine, o.out, version)
        if not manifest.is_complete:
            self._build(plan, manifest, c.ray.put(work))
        if self._o.ranges:
            TermsJob(c, work, manifest, self._watch).run()
        else:
            manifest.complete()
        self._watch.end()

    def _plan(self, inputs: list[files.File], room: Room) -> Plan:
        total = sum(f.bytes for f in inputs)
        share = -(-total // (self._o.job.parts or room.tasks))
        size = self._o.job.chunk_bytes or share
        if not self._o.job.chunk_bytes and not self._o.job.parts:
            size = min(_SHARD_MAX, max(_SHARD_MIN, share))
        made = plans.cut(inputs, max(1, size), 0, self._o)
        return Plan(tuple(made), len(made), 0)

    def _clear(self, found: list[str], inputs: list[files.File]) -> None:
        """Of what another job has left, the manifest goes first: without it nothing is an
        index."""
        out = self._o.job.out
        if NAME not in found:
            return
        is_whole = Manifest.read(out, INDEX, INDEX_OF_TERMS).kind == INDEX_OF_TERMS
        whole = [files.join(out, WHOLE)] * (is_whole and WHOLE in found)
        pieces = [files.join(out, name) for name in pieces_of(found)]
        out_folder.refuse_lost(inputs, [files.join(out, NAME), *whole, *pieces])
        out_folder.remove(out, [NAME])
        for url in whole + pieces:
            files.remove_folder(url)

    def _build(self, plan: Plan, manifest: Manifest, work: Any) -> None:
        self._watch.phase("build")
        c, done = self._cluster, manifest.done
        task = c.task(build_shard, self._o.job.retries, num_gpus=c.gpus)
        tasks = (
            (lambda remote, i=i, chunk=chunk: remote.remote(work, i, chunk))
            for i, chunk in enumerate(plan.chunks)
            if i not in done
        )
        for one in clusters.flow(c, task, tasks, 2 * c.room.tasks):
            manifest.add(one.shard, one.documents, "")
            self._watch.step(written=one.bytes, peak=one.peak_bytes, core_seconds=one.core_seconds)
