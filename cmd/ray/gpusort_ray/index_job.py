# SPDX-License-Identifier: MIT
"""An index in shards: each task builds one of the documents of a chunk.

    inputs -> plan -> index build -> shard-00000, shard-00001, ...   (manifest)

Documents of a shard come behind those of the ones before it: the number of a document among
all is its number in the shard and how many documents those have."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import NamedTuple

from . import chunks, cluster as clusters, files, gpusort
from . import plan as plans
from .errors import Trouble
from .index_options import IndexOptions
from .manifest import INDEX, NAME, Manifest
from .plan import Chunk, Plan, Room
from .watch import Watch

_SHARD_MIN, _SHARD_MAX = 64 << 20, 16 << 30
_TEMPORARY = 2  # times the input, about: runs, and the index itself


@dataclass(frozen=True)
class IndexWork:
    options: IndexOptions
    memory_bytes: int
    cpus: int
    engine: str
    out: str


class ShardDone(NamedTuple):
    shard: int
    documents: int
    bytes: int
    core_seconds: float
    peak_bytes: int


def shard_name(number: int) -> str:
    return f"shard-{number:05d}"


def _send(folder: str, target: str) -> None:
    """The files of an index to a store; the header comes last, and says that it is whole."""
    names = sorted(os.listdir(folder), key=lambda name: (name == "header.json", name))
    for name in names:
        path = os.path.join(folder, name)
        with files.Writer(files.join(target, name)) as to:
            for block in files.read_blocks(path, 0, os.path.getsize(path)):
                to.write(block)
            to.commit()


def build_shard(work: IndexWork, number: int, chunk: Chunk) -> ShardDone:
    o, began = work.options, gpusort.used_seconds()
    chunks.check_unchanged(chunk)
    target = files.join(work.out, shard_name(number))
    needed = _TEMPORARY * chunk.bytes + chunks.fetched_bytes(chunk)
    program = gpusort.find(o.job.gpusort)
    with gpusort.scratch(o.job.scratch, needed) as folder:
        words, feed = chunks.input_of(chunk, o, folder)
        if feed is not None and not o.format:
            words.append(f"--format={o.format_of(chunk.files[0])}")
        built = files.path_of(target) if files.is_local(target) else os.path.join(folder, "index")
        gpusort.run(
            [
                program, "index", "build", *o.handed_on, f"-S{work.memory_bytes >> 10}K",
                f"--parallel={work.cpus}", f"--engine={work.engine}", *o.job.of_programs, f"-T{folder}",
                "--replace", "-o", built, *words,
            ],
            feed,
            folder=folder,
        )  # fmt: skip
        chunks.check_unchanged(chunk)
        info = json.loads(gpusort.run([program, "index", "info", "--json", built]))
        if built != target and not files.is_local(target):
            _send(built, target)
    peak = gpusort.largest_child_bytes()
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
        if not goes_on and not o.replaces and (NAME in found or shard_name(0) in found):
            raise Trouble(
                f"{o.out}: has shards already; --resume goes on with them, --replace takes their place"
            )
        inputs = [f for url in self._inputs for f in files.expand(url)]
        if not inputs:
            raise Trouble("there is no input")
        self._cluster = clusters.connect(o)
        plan = self._plan(inputs, self._cluster.room)
        if goes_on:
            manifest = Manifest.read(o.out, INDEX)
            manifest.check_same(self._o.handed_on, plan)
            plan = manifest.plan
        else:
            manifest = Manifest.begin(o.out, INDEX, self._o.handed_on, plan)
        self._watch.begin(plan.bytes, len(plan.chunks), plan.parts)
        self._build(plan, manifest)
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

    def _build(self, plan: Plan, manifest: Manifest) -> None:
        self._watch.phase("build")
        c, done = self._cluster, manifest.done
        work = c.ray.put(
            IndexWork(self._o, c.room.memory_bytes, c.cpus, c.engine, self._o.job.out)
        )
        task = c.task(build_shard, self._o.job.retries, num_gpus=c.gpus)
        tasks = (
            (lambda remote, i=i, chunk=chunk: remote.remote(work, i, chunk))
            for i, chunk in enumerate(plan.chunks)
            if i not in done
        )
        for one in clusters.flow(c, task, tasks, 2 * c.room.tasks):
            manifest.add(one.shard, one.documents, "")
            self._watch.step(written=one.bytes, peak=one.peak_bytes, core_seconds=one.core_seconds)
