# SPDX-License-Identifier: MIT
"""Where records begin: to cut a file between two of them, wherever the cut is wanted, and
to take some of them out of blocks here and there."""

from __future__ import annotations

import random
from typing import Iterable, Protocol

from . import files
from .errors import Trouble
from .files import File


class Form(Protocol):
    """What a record is."""

    end: bytes  # of a record
    record_bytes: int  # of records without an end; else 0
    header_lines: int
    has_quotes: bool  # in the header
    decompresses: bool

    def splits(self, file: File) -> bool:
        """Can it be seen from the bytes around where a record of the file begins?"""


_LOOK_BYTES = 64 << 10


def first_from(file: File, at: int, o: Form) -> int:
    """The first byte from `at` on where a record begins, or the end."""
    if at <= 0 or at >= file.bytes:
        return max(0, min(at, file.bytes))
    if o.record_bytes:
        rest = at % o.record_bytes
        return min(file.bytes, at + (o.record_bytes - rest if rest else 0))
    look, count = at - 1, _LOOK_BYTES
    while look < file.bytes:
        block = files.read_at(file.url, look, count)
        if not block:
            raise Trouble(f"{file.url}: ends at byte {look}, before {file.bytes}: it was changed")
        found = block.find(o.end)
        if found >= 0:
            return look + found + 1
        look += len(block)
        count = min(2 * count, files.BLOCK_BYTES)
    return file.bytes


def header_of(blocks: Iterable[bytes], o: Form) -> bytes:
    """The header on top of a file, of which `blocks` are the beginning and as much more as is
    looked at. A quote in it may hold a line's end."""
    text, quotes, lines = bytearray(), False, 0
    if not o.header_lines:
        return b""
    for block in blocks:
        looked = len(text)
        text += block
        for i in range(looked, len(text)):
            byte = text[i : i + 1]
            if o.has_quotes and byte == b'"':
                quotes = not quotes
            elif byte == o.end and not quotes:
                lines += 1
                if lines == o.header_lines:
                    return bytes(text[: i + 1])
    return bytes(text)


def header_bytes(file: File, o: Form) -> int:
    """How long the header on top of a plain file is."""
    return len(header_of(files.read_blocks(file.url, 0, file.bytes, _LOOK_BYTES), o))


def is_packed(file: File, o: Form) -> bool:
    """Does gpusort unpack it? Then nothing can be said of its records from outside."""
    head = files.read_at(file.url, 0, 4) if o.decompresses else b""
    return head[:2] == b"\x1f\x8b" or head == b"\x28\xb5\x2f\xfd"


def sample(file: File, begin: int, end: int, wanted: int, o: Form, seed: int) -> list[bytes]:
    """About `wanted` records of a plain file, of blocks at even distances, with their ends.
    Of each block those that begin in it are taken."""
    block_bytes = max(8 << 10, 2 * o.record_bytes)
    blocks = max(1, min((end - begin) // block_bytes, wanted // 16))
    each = -(-wanted // blocks)
    chance = random.Random(seed)
    taken: list[bytes] = []
    for i in range(blocks):
        low = begin + (end - begin) * i // blocks
        high = begin + (end - begin) * (i + 1) // blocks
        at = low + chance.randrange(max(1, high - low - block_bytes))
        start = first_from(File(file.url, end, file.version), at, o)
        if start >= end:
            continue
        stop = first_from(File(file.url, end, file.version), start + block_bytes, o)
        records = split(files.read_at(file.url, start, stop - start), o)
        taken += chance.sample(records, min(each, len(records)))
    return taken


def split(text: bytes, o: Form) -> list[bytes]:
    if o.record_bytes:
        return [text[i : i + o.record_bytes] for i in range(0, len(text), o.record_bytes)]
    records = text.split(o.end)
    last = records.pop()
    return [r + o.end for r in records] + ([last + o.end] if last else [])
