# SPDX-License-Identifier: MIT
"""What the tasks of a sort do, each with one gpusort; nothing here knows of Ray.

    sample_chunk         a chunk  ->  some of its records
    find_splitters       those of all chunks  ->  what cuts all into even parts
    partition_chunk      a chunk  ->  a piece of every part, in order
    partition_to_files   the same, and pieces stay in the files that gpusort wrote
    merge_part           the pieces of one part  ->  a part file
"""

from __future__ import annotations

import mmap
import os
import pickle
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, NamedTuple

import xxhash

from . import chunks, files, gpusort, records
from .errors import PassingTrouble, Trouble
from .plan import Chunk
from .sort_options import SortOptions

_SPLITTERS_OF_MEMORY = 20
_LOOK_BYTES = 256 << 10
_SAMPLE_DROPS = {"-u", "--unique", "--verify"}


@dataclass(frozen=True)
class Work:
    """What all tasks of a sort are told."""

    options: SortOptions
    parts: int
    header: bytes  # which the output has on top
    memory_bytes: int  # of a gpusort
    cpus: int
    engine: str
    out: str
    version: str  # of gpusort, on all nodes
    seed: bytes = b""  # of a shuffle, which all tasks have to do alike

    def words(self, command: str, folder: str, engine: str = "cpu") -> list[str]:
        """A seed lies in the folder."""
        return [
            gpusort.find_same(self.options.job.gpusort, self.version), command, *self.options.of_tasks(),
            f"-S{self.memory_bytes >> 10}K",
            f"--parallel={self.cpus}", *self.options.job.of_programs,
            *self._seed_in(folder),
        ] + ([] if command == "sample" else [f"--engine={engine}"])  # fmt: skip

    def _seed_in(self, folder: str) -> list[str]:
        if not self.seed:
            return []
        name = os.path.join(folder, ".seed")
        with open(name, "wb") as f:
            f.write(self.seed)
        return [f"--random-source={name}"]


class Piece(NamedTuple):
    """Of a part, what came of one chunk."""

    chunk: int
    part: int
    checksum: str
    data: Any  # bytes, or what holds them; the path of a file of them


class PartitionDone(NamedTuple):
    part_bytes: list[int]
    core_seconds: float
    peak_bytes: int
    pieces: list[Piece] = []  # in files; else they have gone ahead


class PartDone(NamedTuple):
    part: int
    bytes: int
    checksum: str
    core_seconds: float
    peak_bytes: int


def part_name(part: int, parts: int) -> str:
    return f"part-{part:0{max(5, len(str(parts - 1)))}d}"


# --- the tasks --------------------------------------------------------------------------


def sample_chunk(work: Work, number: int, chunk: Chunk, wanted: int) -> bytes:
    o = work.options
    is_remote = not files.is_local(chunk.files[0].url)
    is_plain = not o.is_table and not any(records.is_packed(f, o) for f in chunk.files[:16])
    if is_remote and is_plain:
        return b"".join(_sample_remote(work, number, chunk, wanted))
    with gpusort.scratch(o.job.scratch, chunks.fetched_bytes(chunk)) as folder:
        words = [w for w in work.words("sample", folder) if w not in _SAMPLE_DROPS]
        words += [f"-n{wanted}", f"--seed={number + 1}"]
        if not chunk.is_whole:
            end = chunk.end if chunk.end < chunk.files[0].bytes else ""
            words += [f"--range={chunk.begin}:{end}", files.path_of(chunk.files[0].url)]
        else:
            words += chunks.input_of(chunk, o, folder)[0]
        return gpusort.run(words, folder=folder, locale=o.locale)


def _sample_remote(work: Work, number: int, chunk: Chunk, wanted: int) -> list[bytes]:
    o = work.options
    if not chunk.is_whole:
        begin, end = chunks.bounds(chunk, o)
        return records.sample(chunk.files[0], begin, end, wanted, o, number)
    some = chunk.files[:: max(1, len(chunk.files) // 64)]
    taken: list[bytes] = []
    for i, f in enumerate(some):
        found = records.sample(f, 0, f.bytes, -(-wanted // len(some)), o, number + i)
        taken += [r if o.record_bytes or r.endswith(o.end) else r + o.end for r in found]
    return taken


def check_options(o: SortOptions, header: bytes) -> bytes:
    """A sort of nothing: says what is wrong with options before anything is begun. The header
    as it will be on top; of a table as gpusort writes it."""
    words = [gpusort.find(o.job.gpusort), "sort", *o.of_tasks(), *o.job.of_programs, "--engine=cpu", "-"]
    text = header if o.is_table else b""
    feed = lambda fd: files.write_all(fd, text)  # noqa: E731
    return gpusort.run(words, feed, locale=o.locale) or header


def find_splitters(work: Work, samples: list[bytes]) -> tuple[int, bytes]:
    """What cuts all into so many parts; fewer where records are so long that each task's
    memory would fill with splitters."""
    o, parts = work.options, work.parts
    count = sum(len(records.split(s, o)) for s in samples)
    with gpusort.scratch(o.job.scratch, 2 * sum(map(len, samples))) as folder:
        words = [w for w in work.words("sample", folder) if w not in _SAMPLE_DROPS]
        name = os.path.join(folder, "samples")
        with open(name, "wb") as f:
            f.write(work.header if o.is_table else b"")
            f.writelines(samples)
        while parts > 1:
            wanted = [f"--splitters={parts}", f"-n{max(count + 1, parts)}"]
            found = gpusort.run([*words, *wanted, name], locale=o.locale)
            if len(found) <= work.memory_bytes // _SPLITTERS_OF_MEMORY:
                return parts, found
            parts = max(1, parts // 2)
    return 1, b""


def partition_chunk(
    work: Work, number: int, chunk: Chunk, splitters: bytes, skipped: frozenset[int]
) -> Iterator[Piece | PartitionDone]:
    """A piece of every part, and at last what it took. Of parts that are not wanted any
    more the piece is empty."""
    began = gpusort.used_seconds()
    with gpusort.scratch(work.options.job.scratch, _needed(work, chunk) + chunk.bytes) as folder:
        sizes = []
        peak, paths = _partition(work, chunk, splitters, folder, folder)
        for part, path in enumerate(paths):
            data = b"" if part in skipped else _mapped(path)
            sizes.append(len(data))
            yield Piece(number, part, xxhash.xxh3_64_hexdigest(data), _as_object(data))
            os.unlink(path)
    yield PartitionDone(sizes, gpusort.used_seconds() - began, peak)


def partition_to_files(
    work: Work, number: int, chunk: Chunk, splitters: bytes, skipped: frozenset[int], base: str
) -> PartitionDone:
    """Into a new folder in `base`, whose files are the caller's."""
    began = gpusort.used_seconds()
    pieces: list[Piece] = []
    sizes = []
    with gpusort.scratch(work.options.job.scratch, _needed(work, chunk)) as folder:
        with _kept_folder(base, number) as target:
            peak, paths = _partition(work, chunk, splitters, folder, target)
            for part, path in enumerate(paths):
                size, checksum = _checked(path)
                if part in skipped or size == 0:
                    os.unlink(path)
                    size = 0
                else:
                    pieces.append(Piece(number, part, checksum, path))
                sizes.append(size)
    used = gpusort.used_seconds() - began
    return PartitionDone(sizes, used, peak, pieces)


@contextmanager
def _kept_folder(base: str, number: int) -> Iterator[str]:
    """Of a task that fails nothing stays."""
    try:
        folder = tempfile.mkdtemp(prefix=f"{number:07d}.", dir=base)
    except OSError as e:
        raise PassingTrouble(f"{base} on {os.uname().nodename}: {e}") from e
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _needed(work: Work, chunk: Chunk) -> int:
    """Of the disk, beside pieces."""
    spills = chunk.bytes if 2 * chunk.bytes > work.memory_bytes else 0
    return spills + chunks.fetched_bytes(chunk) + (1 << 20)


def _partition(
    work: Work, chunk: Chunk, splitters: bytes, folder: str, target: str
) -> tuple[int, list[str]]:
    """How much memory it took; and the files in `target`, one a part, that have the pieces."""
    chunks.check_unchanged(chunk)
    cut = os.path.join(folder, "splitters")
    with open(cut, "wb") as f:
        f.write(splitters)
    words, feed = chunks.input_of(chunk, work.options, folder, True)
    stats = gpusort.measured(
        [
            *work.words("partition", folder, work.engine), f"-T{folder}", f"--splitters={cut}",
            f"--parts={work.parts}", "-o", os.path.join(target, "piece"), *words,
        ],
        folder, feed, work.options.locale,
    )  # fmt: skip
    chunks.check_unchanged(chunk)
    digits = max(4, len(str(work.parts - 1)))
    paths = [os.path.join(target, f"piece.{part:0{digits}d}") for part in range(work.parts)]
    return stats["peak_memory_bytes"], paths


def _mapped(path: str) -> Any:
    """A file's bytes, which are copied once: to where others get them from."""
    with open(path, "rb") as f:
        size = os.fstat(f.fileno()).st_size
        return mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) if size > 1 << 16 else f.read()


def _as_object(data: Any) -> Any:
    return pickle.PickleBuffer(data) if isinstance(data, mmap.mmap) else data


def merge_part(work: Work, part: int, part_bytes: int, pieces: Iterable[Piece]) -> PartDone:
    """Pieces come in the order of their chunks. Of tables each has the header on top."""
    began = gpusort.used_seconds()
    o = work.options
    with gpusort.scratch(o.job.scratch, part_bytes + (1 << 20)) as folder:
        peak = 0  # if it is not known
        paths = [_keep(p, part, folder) for p in pieces]
        paths = [p for p in paths if os.path.getsize(p)]  # of an empty table there is no header
        target = files.join(work.out, part_name(part, work.parts))
        words = [*work.words("sort", folder), f"-T{folder}", "-m", chunks.names(paths, folder)]
        is_direct = files.is_local(target) and not work.header and paths
        if is_direct:
            words += [*["--sync"] * o.syncs, "--output-sum", "-o", files.path_of(target)]
            stats = gpusort.measured(words, folder, locale=o.locale)
            peak = stats["peak_memory_bytes"]
            done = stats["output_bytes"], stats["output_xxh3"]
        else:
            done = _write(work, part, target, words if paths else None)
    return PartDone(part, *done, gpusort.used_seconds() - began, peak)


def _keep(piece: Piece, part: int, folder: str) -> str:
    """The file of a piece: its own, or one in the folder."""
    is_file = isinstance(piece.data, str)
    data = memoryview(b"" if is_file else piece.data)
    size, checksum = len(data), xxhash.xxh3_64_hexdigest(data)
    if is_file:
        try:
            size, checksum = _checked(piece.data)
        except OSError as e:
            raise Trouble(f"part {part}: what came of chunk {piece.chunk} has gone: {e}") from e
    if piece.part != part or checksum != piece.checksum:
        raise Trouble(
            f"part {part}: what came of chunk {piece.chunk} is damaged: {size} bytes "
            f"whose checksum is not {piece.checksum} (on {os.uname().nodename})"
        )
    if is_file:
        return str(piece.data)
    path = os.path.join(folder, f"from.{piece.chunk:07d}")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        files.write_all(fd, data)
    finally:
        os.close(fd)
    return path


def _checked(path: str) -> tuple[int, str]:
    """By a block that stays in the cache: pages are not worth being mapped for one look."""
    size, sums, block = 0, xxhash.xxh3_64(), memoryview(bytearray(_LOOK_BYTES))
    with open(path, "rb", buffering=0) as f:
        while count := f.readinto(block):
            sums.update(block[:count])
            size += count
    return size, sums.hexdigest()


def _write(work: Work, part: int, target: str, words: list[str] | None) -> tuple[int, str]:
    """A part by way of this process: to a store, or with its header seen to. The output
    has the header once, on top of the first part."""
    size, sums = 0, xxhash.xxh3_64()
    skip = len(work.header) if work.options.is_table and part > 0 else 0
    with files.Writer(target, work.options.syncs) as to:

        def put(block: Any) -> None:
            nonlocal size
            to.write(block)
            sums.update(block)
            size += len(block)

        if work.header and part == 0 and (not work.options.is_table or words is None):
            put(work.header)
        if words is not None:
            with gpusort.Run(words, locale=work.options.locale) as child:
                for block in child.blocks():
                    put(memoryview(block)[skip:])
                    skip = max(0, skip - len(block))
                child.finish()
        to.commit()
    return size, sums.hexdigest()
