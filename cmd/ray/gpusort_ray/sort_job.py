# SPDX-License-Identifier: MIT
"""A sort from its inputs to its parts: what is asked of Ray, and in which order.

    inputs -> plan -> sample -> splitters -> partition ==pieces==> merge -> parts
                                  (manifest)                         (manifest)

Pieces are Ray's objects: it keeps them in memory, moves them to who merges them, spills
what does not fit, and makes those again that a node took with it. Where there is one node,
or --pieces=files says that all nodes see -T, they stay the files that gpusort wrote, in a
folder of the job, and are not copied at all."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from dataclasses import replace
from typing import Any, Iterator

from . import chunks, cluster as clusters
from . import files, gpusort, out_folder, plan as plans, records, sort_tasks
from .errors import Trouble
from .files import File
from .manifest import NAME, SORT, Manifest
from .plan import Chunk, Plan
from .sort_options import SortOptions
from .sort_tasks import PartDone, PartitionDone, Piece, Work, part_name
from .watch import Watch

_SAMPLES_MIN, _SAMPLES_A_PART = 20_000, 200
_GET_AT_ONCE = 8
_SEED_BYTES = 16  # GS_ORDER_SEED_BYTES


def _piece_source(ray: Any, refs: list[Any]) -> Iterator[Any]:
    """Pieces, a few of them on the node at a time."""
    for i in range(0, len(refs), _GET_AT_ONCE):
        yield from ray.get(refs[i : i + _GET_AT_ONCE])


def _merge_task(work: Work, part: int, part_bytes: int, refs: list[Any]) -> PartDone:
    import ray

    return sort_tasks.merge_part(work, part, part_bytes, _piece_source(ray, refs))


class SortJob:
    def __init__(self, options: SortOptions, inputs: list[str]) -> None:
        self._o = options
        self._inputs = inputs
        self._watch = Watch(options.job.progress, options.job.stats)

    def run(self) -> None:
        o = self._o
        self._look_at_out()
        self._version = gpusort.version_of(gpusort.find(o.job.gpusort))
        inputs = [f for url in self._inputs for f in files.expand(url)]
        header = sort_tasks.check_options(o, self._header(inputs))
        self._seed = self._draw_seed()
        self._cluster = clusters.connect(o.job)
        plan = plans.make(inputs, o, self._cluster.room)
        plan = self._begin(plan, inputs)
        c = self._cluster
        self._work = Work(
            o, plan.parts, header, c.room.memory_bytes, c.cpus, c.engine, o.job.out,
            self._version, self._manifest.seed,
        )  # fmt: skip
        self._watch.begin(plan.bytes, len(plan.chunks), plan.parts)
        if self._manifest.splitters is None:
            parts, splitters = self._find_splitters(plan)
            self._manifest.cut(parts, splitters)
            self._work = replace(self._work, parts=parts)
            plan = replace(plan, parts=parts)
        self._move(plan)
        self._manifest.complete()
        self._watch.end()

    # --- where it goes --------------------------------------------------------------

    def _look_at_out(self) -> None:
        """Nothing is taken away yet: what is asked for may still be refused."""
        o = self._o.job
        found = files.names_in(o.out)
        parts = out_folder.parts_of(found)
        self._goes_on = o.resumes and NAME in found
        if o.resumes and not self._goes_on and parts:
            raise Trouble(f"{o.out}: has parts but no {NAME}: there is nothing to go on from")
        before = [] if self._goes_on else parts + [NAME] * (NAME in found)
        if before and not o.replaces:
            raise Trouble(
                f"{o.out}: has the parts of a sort already; --resume goes on with it, "
                "--replace takes them away"
            )
        left = out_folder.left_of(found) if o.resumes or o.replaces else []
        self._going = before + left

    def _begin(self, plan: Plan, inputs: list[File]) -> Plan:
        o = self._o.job
        out_folder.refuse_lost(inputs, [files.join(o.out, name) for name in self._going])
        if not self._goes_on:
            out_folder.remove(o.out, self._going)
            self._manifest = Manifest.begin(
                o.out, SORT, self._o.told, plan, self._version, self._seed, self._o.syncs
            )
            return plan
        self._manifest = Manifest.read(o.out, SORT, syncs=self._o.syncs)
        self._manifest.check_same(self._o.told, plan, self._version)
        if self._o.random_source and self._manifest.seed != self._seed:
            raise Trouble(f"{files.join(o.out, NAME)}: was begun with another --random-source")
        out_folder.remove(o.out, self._going)
        for part, (size, _) in self._manifest.done.items():
            name = files.join(o.out, part_name(part, self._manifest.parts))
            try:
                is_there = files.look(name).bytes == size
            except Trouble:
                is_there = False
            if not is_there:
                self._manifest.forget(part)
        return self._manifest.plan

    def _draw_seed(self) -> bytes:
        """Of a shuffle: the first bytes of --random-source, as gpusort takes them, or chance.
        A job that goes on takes the one that it was begun with."""
        if not self._o.shuffles:
            return b""
        name = self._o.random_source
        seed = files.read_first(name, _SEED_BYTES) if name else os.urandom(_SEED_BYTES)
        if len(seed) < _SEED_BYTES:
            raise Trouble(f"{name}: has fewer than the {_SEED_BYTES} bytes that a seed has")
        return seed

    def _header(self, inputs: list[File]) -> bytes:
        """Of the first input; of tables, which have one each, of the first that is not empty."""
        if not inputs:
            raise Trouble("there is no input")
        header = b""
        for file in inputs if self._o.is_table else inputs[:1]:
            with closing(chunks.text_of(file, self._o)) as blocks:
                header = records.header_of(blocks, self._o)
            if header or not self._o.header_lines:
                break
        return header + self._o.end if header and not header.endswith(self._o.end) else header

    # --- the tasks ------------------------------------------------------------------

    def _find_splitters(self, plan: Plan) -> tuple[int, bytes]:
        self._watch.phase("sample")
        if plan.parts == 1:
            return 1, b""
        wanted = max(_SAMPLES_MIN, _SAMPLES_A_PART * plan.parts)
        task = self._cluster.task(sort_tasks.sample_chunk, self._o.job.retries)
        work = self._cluster.ray.put(self._work)
        samples: dict[int, bytes] = {}

        def numbered(number: int, chunk: Chunk) -> Any:
            share = -(-wanted * chunk.bytes // max(1, plan.bytes))
            return lambda remote: remote.remote(work, number, chunk, max(1, share))

        tasks = (numbered(i, c) for i, c in enumerate(plan.chunks))
        most = 2 * self._cluster.room.tasks
        for i, text in enumerate(clusters.flow(self._cluster, task, tasks, most)):
            samples[i] = text
            self._watch.step()
        return sort_tasks.find_splitters(self._work, list(samples.values()))

    def _move(self, plan: Plan) -> None:
        done = self._manifest.done
        missing = [p for p in range(plan.parts) if p not in done]
        if not missing:
            return
        if self._keeps_files(plan):
            with gpusort.scratch(self._o.job.scratch, plan.bytes) as folder:
                pieces, sizes = self._partition_to_files(plan, frozenset(done), folder)
                self._merge_files(missing, pieces, sizes)
            return
        refs, sizes = self._partition(plan, frozenset(done))
        self._merge(missing, refs, sizes)

    def _keeps_files(self, plan: Plan) -> bool:
        """Do pieces stay files? They are as much as all inputs, and parts may go to the same
        disk. Where -T has no room for that, Ray may have: it spills to a folder of its own."""
        o = self._o
        if o.pieces != "auto":
            return o.pieces == "files"
        return bool(self._cluster.only_node) and gpusort.room_in(o.job.scratch) >= 2 * plan.bytes

    def _partition(self, plan: Plan, skipped: frozenset[int]) -> tuple[list[list[Any]], list[int]]:
        """References to all pieces, by chunk and part, and how large parts are."""
        self._watch.phase("partition")
        c = self._cluster
        task = c.task(
            sort_tasks.partition_chunk, self._o.job.retries,
            num_returns=plan.parts + 1, num_gpus=c.gpus,
        )  # fmt: skip
        work, cut = c.ray.put(self._work), c.ray.put(self._manifest.splitters)
        pieces: list[list[Any]] = [[] for _ in plan.chunks]
        sizes = [0] * plan.parts

        def numbered(number: int, chunk: Chunk) -> Any:
            def start(remote: Any) -> Any:
                *pieces[number], last = remote.remote(work, number, chunk, cut, skipped)
                return last

            return start

        tasks = (numbered(i, chunk) for i, chunk in enumerate(plan.chunks))
        for one in clusters.flow(c, task, tasks, 2 * c.room.tasks):
            sizes = self._partitioned(one, sizes)
        return pieces, sizes

    def _partition_to_files(
        self, plan: Plan, skipped: frozenset[int], folder: str
    ) -> tuple[list[list[Piece]], list[int]]:
        """The pieces of each part, by chunk, and how large parts are."""
        self._watch.phase("partition")
        c = self._cluster
        task = c.task(
            sort_tasks.partition_to_files, self._o.job.retries, stays=True, num_gpus=c.gpus
        )
        work, cut = c.ray.put(self._work), c.ray.put(self._manifest.splitters)
        pieces: list[list[Piece]] = [[] for _ in range(plan.parts)]
        sizes = [0] * plan.parts
        tasks = (
            (lambda remote, i=i, chunk=chunk: remote.remote(work, i, chunk, cut, skipped, folder))
            for i, chunk in enumerate(plan.chunks)
        )
        for one in clusters.flow(c, task, tasks, 2 * c.room.tasks):
            sizes = self._partitioned(one, sizes)
            for piece in one.pieces:
                pieces[piece.part].append(piece)
        return [sorted(of_part) for of_part in pieces], sizes

    def _partitioned(self, one: PartitionDone, sizes: list[int]) -> list[int]:
        self._watch.step(
            shuffled=sum(one.part_bytes), peak=one.peak_bytes, core_seconds=one.core_seconds
        )
        return [a + b for a, b in zip(sizes, one.part_bytes)]

    def _merged(self, one: PartDone) -> None:
        self._manifest.add(one.part, one.bytes, one.checksum)
        self._watch.step(written=one.bytes, peak=one.peak_bytes, core_seconds=one.core_seconds)

    def _merge_files(
        self, missing: list[int], pieces: list[list[Piece]], sizes: list[int]
    ) -> None:
        self._watch.phase("merge", len(missing))
        c = self._cluster
        task = c.task(sort_tasks.merge_part, self._o.job.retries, stays=True)
        work = c.ray.put(self._work)
        tasks = (
            (lambda remote, p=part: remote.remote(work, p, sizes[p], pieces[p])) for part in missing
        )
        for one in clusters.flow(c, task, tasks, 2 * c.room.tasks):
            self._merged(one)
            for piece in pieces[one.part]:
                os.unlink(piece.data)

    def _merge(self, missing: list[int], pieces: list[list[Any]], sizes: list[int]) -> None:
        self._watch.phase("merge", len(missing))
        c = self._cluster
        task = c.task(_merge_task, self._o.job.retries)
        work = c.ray.put(self._work)

        def numbered(part: int) -> Any:
            def start(remote: Any) -> Any:
                refs = [of_chunk[part] for of_chunk in pieces]
                return remote.remote(work, part, sizes[part], refs)

            return start

        for one in clusters.flow(c, task, map(numbered, missing), 2 * c.room.tasks):
            self._merged(one)
            for of_chunk in pieces:  # Ray lets go of them
                of_chunk[one.part] = None


def check_parts(out: str) -> int:
    """Compares all parts with their checksums; how many there are."""
    import xxhash

    manifest = Manifest.read(out, SORT)
    if not manifest.is_complete:
        raise Trouble(f"{out}: is not complete: --resume goes on with it")
    for part, (size, checksum) in sorted(manifest.done.items()):
        name = files.join(out, part_name(part, manifest.parts))
        sums = xxhash.xxh3_64()
        if files.look(name).bytes == size:
            for block in files.read_blocks(name, 0, size):
                sums.update(block)
        if files.look(name).bytes != size or sums.hexdigest() != checksum:
            raise Trouble(f"{name}: is damaged: it is not the {size} bytes that were written")
    print(f"{out}: {manifest.parts} parts, all as they were written", file=sys.stderr)
    return manifest.parts
