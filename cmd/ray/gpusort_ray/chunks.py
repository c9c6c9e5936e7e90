# SPDX-License-Identifier: MIT
"""A chunk of the input, as a task gives it to gpusort: by the names of files, which of a
store are fetched first, or as the records of a range on its standard input."""

from __future__ import annotations

import os
from typing import Any, Generator

from . import files, gpusort, records
from .errors import Trouble
from .files import File
from .plan import Chunk
from .records import Form
from .sort_options import SortOptions


def check_unchanged(chunk: Chunk) -> None:
    for f in chunk.files:
        if files.look(f.url) != f:
            raise Trouble(f"{f.url}: was changed while it was read")


def bounds(chunk: Chunk, o: Form) -> tuple[int, int]:
    """Where the records of a range begin and end."""
    file = chunk.files[0]
    return records.first_from(file, chunk.begin, o), records.first_from(file, chunk.end, o)


def text_of(file: File, o: SortOptions) -> Generator[bytes, None, None]:
    """What gpusort reads of a file, unpacked by it, from the beginning on and as far as is
    wanted."""
    if not records.is_packed(file, o):
        yield from files.read_blocks(file.url, 0, file.bytes)
        return
    is_local = files.is_local(file.url)
    words = [gpusort.find(o.job.gpusort), "sort", "-m", "-S64M"]  # lines of one input, as they are
    feed = None if is_local else lambda fd: files.copy_into(file.url, 0, file.bytes, fd)
    with gpusort.Run([*words, files.path_of(file.url) if is_local else "-"], feed) as child:
        yield from child.blocks()
        child.finish()


def names(paths: list[str], folder: str) -> str:
    name = os.path.join(folder, ".names")
    with open(name, "wb") as f:
        f.write(b"".join(os.fsencode(p) + b"\0" for p in paths))
    return f"--files0-from={name}"


def _fetch(file: File, folder: str, below: str) -> str:
    """The path of a file: its own, or from `folder` on that of a copy there, in `below`. What
    a store holds under several names may have one name there: s3://b/a//k is not s3://b/a/k."""
    if files.is_local(file.url):
        return files.path_of(file.url)
    name = os.path.normpath(file.url.partition("://")[2])
    if name.startswith(("../", "/")):
        raise Trouble(f"{file.url}: has a name that cannot be that of a file")
    name = os.path.join(below, name)
    path = os.path.join(folder, name)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as f:
            files.copy_into(file.url, 0, file.bytes, f.fileno())
    except (FileExistsError, NotADirectoryError) as e:
        raise Trouble(
            f"{file.url}: there is another input whose copy has the same name, {name}: "
            "as documents may be called by it, put them into different shards"
        ) from e
    return name


def input_of(
    chunk: Chunk, o: Form, folder: str, takes_ranges: bool = False, keeps_names: bool = False
) -> tuple[list[str], Any]:
    """What a gpusort in `folder` is to read: words that say so, and what feeds it. One that
    knows --range finds the records of a file by itself, and sorts them where it is mapped.
    Copies of files of a store are each in a folder of their own, unless they are documents,
    whose names are those of the store."""
    if chunk.is_whole:
        below = ("" if keeps_names else f"{i:05d}" for i in range(len(chunk.files)))
        return [names([_fetch(f, folder, b) for f, b in zip(chunk.files, below)], folder)], None
    if takes_ranges and files.is_local(chunk.files[0].url):
        return [f"--range={chunk.begin}:{chunk.end}", files.path_of(chunk.files[0].url)], None
    begin, end = bounds(chunk, o)
    url = chunk.files[0].url
    return ["-"], lambda fd: files.copy_into(url, begin, end, fd)


def fetched_bytes(chunk: Chunk) -> int:
    if not chunk.is_whole:
        return 0
    return sum(f.bytes for f in chunk.files if not files.is_local(f.url))
