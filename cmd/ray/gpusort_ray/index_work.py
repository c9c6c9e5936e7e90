# SPDX-License-Identifier: MIT
"""What tasks of an index are told, and what lies in --out: a folder for each shard, and,
while they are merged by ranges of terms, for each range."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from . import files
from .index_options import IndexOptions

WHOLE = "index"  # what is made of all shards


@dataclass(frozen=True)
class IndexWork:
    options: IndexOptions
    memory_bytes: int
    cpus: int
    engine: str
    out: str
    version: str  # of gpusort, on all nodes


def shard_name(number: int) -> str:
    return f"shard-{number:05d}"


def range_name(number: int) -> str:
    return f"range-{number:05d}"


def pieces_of(names: list[str]) -> list[str]:
    """All shards and ranges."""
    return [n for n in names if re.fullmatch(r"(shard|range)-\d{5,}", n)]


def remove_pieces(out: str) -> None:
    for name in pieces_of(files.names_in(out)):
        files.remove_folder(files.join(out, name))


def send_index(folder: str, target: str) -> None:
    """The files of an index to a store; the header comes last, and says that it is whole."""
    names = sorted(os.listdir(folder), key=lambda name: (name == "header.json", name))
    for name in names:
        path = os.path.join(folder, name)
        with files.Writer(files.join(target, name)) as to:
            for block in files.read_blocks(path, 0, os.path.getsize(path)):
                to.write(block)
            to.commit()
