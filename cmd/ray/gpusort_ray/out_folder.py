# SPDX-License-Identifier: MIT
"""What lies in --out when a job begins: the parts and the manifest of another one, and files
under temporary names, whose writers were killed. A job takes away what it is asked to, once
all else is known to be in order, and never an input."""

from __future__ import annotations

import re
from typing import Any

from . import files
from .errors import Trouble
from .files import File
from .manifest import NAME

_PART = re.compile(r"part-\d{5,}")
_LEFT = re.compile(rf"\.(part-\d{{5,}}|{re.escape(NAME)})\.[a-z0-9_]{{8}}")


def parts_of(names: list[str]) -> list[str]:
    """Those that a sort wrote. What else begins with "part-" is another program's."""
    return [n for n in names if _PART.fullmatch(n)]


def left_of(names: list[str]) -> list[str]:
    """Those that a writer left that was killed."""
    return [n for n in names if _LEFT.fullmatch(n)]


def refuse_lost(inputs: list[File], going: list[str]) -> None:
    """No input may be what is to go, by whatever name, or lie in it."""
    if not going:
        return
    known: dict[str, Any] = {}
    names = {next(files.places(url, known)): url for url in going}
    for f in inputs:
        for place in files.places(f.url, known):
            if place in names:
                raise Trouble(f"{f.url}: is an input, and --replace would take {names[place]} away")


def remove(out: str, names: list[str]) -> None:
    """The manifest goes first: without it nothing is a sort's."""
    for name in sorted(names, key=lambda n: n != NAME):
        files.remove(files.join(out, name))
