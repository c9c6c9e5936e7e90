# SPDX-License-Identifier: MIT
"""A command line, taken apart as getopt_long does it: letters may be put together, values
follow or are attached, operands stand anywhere, long names may be cut short where only
one is meant, and `--` ends the options."""

from __future__ import annotations

import re
from typing import Mapping

from .errors import Usage

FLAG, VALUE, OPTIONAL = "flag", "value", "optional"
Table = Mapping[str, str]  # "-k" or "--key" to one of the three


def scan(words: list[str], table: Table) -> tuple[list[tuple[str, str | None]], list[str]]:
    """Options as they came, with their values, and operands."""
    options: list[tuple[str, str | None]] = []
    operands: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            operands.extend(rest)
        elif word.startswith("--"):
            name, mark, value = word.partition("=")
            name = _whole_name(name, table)
            if table[name] == FLAG and mark:
                raise Usage(f"option '{name}' doesn't allow an argument")
            if table[name] == VALUE and not mark:
                value = _next(rest, name)
            options.append((name, value if mark or table[name] == VALUE else None))
        elif word.startswith("-") and word != "-":
            _take_letters(word[1:], rest, table, options)
        else:
            operands.append(word)
    return options, operands


def _next(rest, name: str) -> str:
    for value in rest:
        return value
    raise Usage(f"option '{name}' requires an argument")


def _take_letters(letters: str, rest, table: Table, options) -> None:
    while letters:
        name, letters = "-" + letters[0], letters[1:]
        if name not in table:
            raise Usage(f"invalid option -- '{name[1]}'")
        if table[name] == FLAG:
            options.append((name, None))
            continue
        options.append((name, letters or _next(rest, name)))
        return


def _whole_name(name: str, table: Table) -> str:
    if name in table:
        return name
    meant = [known for known in table if known.startswith(name)]
    if len(meant) == 1:
        return meant[0]
    raise Usage(f"option '{name}' is ambiguous" if meant else f"unrecognized option '{name}'")


_UNITS = {"": 1, "b": 512, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}


def size_of(text: str, option: str, bare_unit: int = 1) -> int:
    """"512M" in bytes; a number alone is in `bare_unit`."""
    found = re.fullmatch(r"([0-9]+)([bKMGTPk]?)(?:i?B)?", text)
    if not found:
        raise Usage(f"invalid {option} argument '{text}'")
    unit = found[2].upper() if found[2] == "k" else found[2]
    return int(found[1]) * (_UNITS[unit] if unit else bare_unit)


def count_of(text: str, option: str, least: int = 1) -> int:
    if not re.fullmatch(r"[0-9]+", text) or int(text) < least:
        raise Usage(f"invalid {option} argument '{text}': it is a number from {least} on")
    return int(text)
