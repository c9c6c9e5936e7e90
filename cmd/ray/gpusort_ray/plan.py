# SPDX-License-Identifier: MIT
"""What a job does: its inputs cut into chunks, and how many parts come out.

A chunk is what one task sorts: a range of a large file, from a record's beginning to
another's, or some whole files that lie beside each other. Chunks are in the order of the
inputs, which -s and -u need."""

from __future__ import annotations

import math
from dataclasses import dataclass

from . import records
from .errors import Trouble
from .files import File
from .records import Form
from .sort_options import SortOptions

PIECES_MAX = 1_000_000  # chunks times parts: Ray keeps some KB for each
FILES_MAX = 10_000  # of a chunk


@dataclass(frozen=True)
class Chunk:
    files: tuple[File, ...]
    begin: int = 0  # of the one file: what begins from here on
    end: int = 0  # up to here
    is_whole: bool = True  # all of every file

    @property
    def bytes(self) -> int:
        return sum(f.bytes for f in self.files) if self.is_whole else self.end - self.begin


@dataclass(frozen=True)
class Plan:
    chunks: tuple[Chunk, ...]
    parts: int
    header_bytes: int  # of the first input, which are in no chunk; tables have theirs in each

    @property
    def bytes(self) -> int:
        return sum(c.bytes for c in self.chunks)


@dataclass(frozen=True)
class Room:
    """What a cluster offers to tasks."""

    tasks: int  # at a time
    memory_bytes: int  # of each


def chunk_bytes_for(total: int, room: Room, asked: int) -> int:
    """As large as is sorted in memory, but so that every task has something to do."""
    if asked:
        return asked
    most = max(16 << 20, room.memory_bytes // 3)
    share = max(64 << 20, -(-total // (2 * room.tasks)))
    return min(most, share, 4 << 30)


def make(inputs: list[File], o: SortOptions, room: Room) -> Plan:
    for file in inputs:
        if o.record_bytes and file.bytes % o.record_bytes and not records.is_packed(file, o):
            raise Trouble(
                f"{file.url}: its {file.bytes} bytes are not a multiple of {o.record_bytes}"
            )
    total = sum(f.bytes for f in inputs)
    size = chunk_bytes_for(total, room, o.job.chunk_bytes)
    header = 0 if o.is_table else records.header_bytes(inputs[0], o)
    chunks = cut(inputs, size, header, o)
    parts = o.job.parts or max(1, math.ceil(total / size))
    if len(chunks) * parts > PIECES_MAX:
        raise Trouble(
            f"{len(chunks)} chunks times {parts} parts are more than {PIECES_MAX} pieces: "
            f"say a larger --chunk (it is {size >> 20}M) or fewer --parts"
        )
    return Plan(tuple(chunks), parts, header)


def cut(inputs: list[File], size: int, header: int, o: Form) -> list[Chunk]:
    chunks: list[Chunk] = []
    group: list[File] = []
    grouped = 0

    def close() -> None:
        if group:
            chunks.append(Chunk(tuple(group)))
            group.clear()

    for i, file in enumerate(inputs):
        skip = header if i == 0 else 0
        if file.bytes == 0:
            continue
        if skip and o.decompresses and records.is_packed(file, o):
            raise Trouble(f"{file.url}: the header of a packed file cannot be taken off; unpack it")
        is_large = file.bytes - skip > size + size // 4
        if is_large and o.splits(file) and not records.is_packed(file, o):
            close()
            chunks += _ranges(file, skip, size, o)
        elif skip:
            chunks.append(Chunk((file,), skip, file.bytes, False))
        else:
            if group and (grouped + file.bytes > size or len(group) >= FILES_MAX):
                close()
            grouped = grouped + file.bytes if group else file.bytes
            group.append(file)
    close()
    return chunks or [Chunk((inputs[0],))]


def _ranges(file: File, begin: int, size: int, o: Form) -> list[Chunk]:
    """Where a range begins is known here to the byte of records of one size; of lines the
    task looks for it, and so does the one that ends there."""
    count = -(-(file.bytes - begin) // size)
    step = -(-(file.bytes - begin) // count)
    if o.record_bytes:
        step += -step % o.record_bytes
    cuts = [min(file.bytes, begin + i * step) for i in range(count)] + [file.bytes]
    return [Chunk((file,), a, b, False) for a, b in zip(cuts, cuts[1:]) if a < b]
