# SPDX-License-Identifier: MIT
"""How records are compared: keys as `sort -k` writes them, or as objects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Iterable, TypedDict, Union, cast

from ._library import Job, ffi, lib, name_of

_kinds = {
    "n": "GPUSORT_NUMERIC",
    "g": "GPUSORT_GENERAL",
    "h": "GPUSORT_HUMAN",
    "M": "GPUSORT_MONTH",
    "V": "GPUSORT_VERSION",
    "R": "GPUSORT_RANDOM",
}
_flags = {
    "r": "GPUSORT_REVERSE",
    "f": "GPUSORT_FOLD",
    "d": "GPUSORT_DICTIONARY",
    "i": "GPUSORT_IGNORE_NONPRINTING",
}
_forms = ("lines", "csv", "table", "json")
_numbers = ("raw", "unsigned", "signed", "float")
_letters = "b" + "".join(name for name in (*_flags, *_kinds) if len(name) == 1)
_position = rf"(\d+)(?:\.(\d+))?([{_letters}]*)"
_spec = re.compile(rf"{_position}(?:,{_position})?", re.ASCII)


@dataclass(frozen=True)
class Key:
    """A part of a line. Fields and characters count from 1; 0 is what -k takes if nothing
    is said. `options` are letters of `sort -k`: b, d, f, g, i, M, h, n, r, R, V. In a table
    `path` is the name of a column, in JSON the names down to a value: ("size", "bytes")."""

    start_field: int = 1
    start_char: int = 0
    end_field: int = 0
    end_char: int = 0
    options: str = ""
    end_options: str = ""
    path: str | tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Key:
        """From what stands behind -k: "2,2n", "1.3,1.5r"."""
        found = _spec.fullmatch(text)
        if not found:
            raise ValueError(f"no key: {text!r}")
        field, char, end_field, end_char = (int(found[i] or 0) for i in (1, 2, 4, 5))
        if field == 0 or found[2] == "0" or found[4] == "0":
            raise ValueError(f"no key: {text!r}: fields and characters count from 1")
        return cls(field, char, end_field, end_char, found[3] or "", found[6] or "")

    def names(self) -> list[str]:
        return [self.path] if isinstance(self.path, str) else list(self.path)

    def fill(self, key: Any) -> None:
        letters = set(self.options + self.end_options)
        kinds = {letter for letter in letters if letter in _kinds}
        if len(kinds) > 1:
            raise ValueError(f"a key is compared in one way, and not {sorted(kinds)}")
        if letters - set(_letters):
            raise ValueError(f"no options of a key: {self.options + self.end_options!r}")
        key.start_field, key.start_char = self.start_field, self.start_char
        key.end_field, key.end_char = self.end_field, self.end_char
        key.kind = getattr(lib, _kinds[kinds.pop()] if kinds else "GPUSORT_BYTES")
        key.flags = sum(getattr(lib, name) for letter, name in _flags.items() if letter in letters)
        if "b" in self.options:
            key.flags |= lib.GPUSORT_SKIP_START_BLANKS
        if "b" in self.end_options:
            key.flags |= lib.GPUSORT_SKIP_END_BLANKS


@dataclass(frozen=True)
class ByteKey:
    """A part of a record of a fixed size. `number` is "raw" (bytes), "unsigned", "signed"
    or "float"."""

    offset: int
    length: int
    number: str = "raw"
    little_endian: bool = True
    reverse: bool = False

    def fill(self, key: Any) -> None:
        if self.number not in _numbers:
            raise ValueError(f"no kind of number: {self.number!r}")
        key.offset, key.length = self.offset, self.length
        key.number = getattr(lib, "GPUSORT_" + self.number.upper())
        key.is_little_endian = self.little_endian
        key.flags = lib.GPUSORT_REVERSE if self.reverse else 0


Keys = Union[str, Key, ByteKey, Iterable[Union[str, Key, ByteKey]], None]


class PlainOrderOptions(TypedDict, total=False):
    """How records are compared."""

    keys: Keys
    delimiter: str | bytes | None
    stable: bool
    unique: bool
    reverse: bool
    zero_terminated: bool
    record_bytes: int
    form: str
    locale: bool


class OrderOptions(PlainOrderOptions, total=False):
    """What fill_order() takes."""

    seed: bytes | None


def _fill_paths(order: Any, job: Job, keys: list[Key]) -> None:
    paths = job.keep(ffi.new("gpusort_path[]", len(keys)))
    for i, k in enumerate(keys):
        names = k.names()
        if names:
            paths[i].names = job.keep(ffi.new("char[]", b"".join(name_of(n) + b"\0" for n in names)))
        paths[i].depth = len(names)
    if any(k.names() for k in keys):
        order.paths = paths


def fill_order(
    order: Any,
    job: Job,
    keys: Keys = None,
    delimiter: str | bytes | None = None,
    stable: bool = False,
    unique: bool = False,
    reverse: bool = False,
    zero_terminated: bool = False,
    record_bytes: int = 0,
    form: str = "lines",
    locale: bool = False,
    seed: bytes | None = None,
) -> None:
    one = isinstance(keys, (str, Key, ByteKey))
    given: list[Any] = [keys] if one else list(cast("Iterable[Any]", keys or ()))
    parsed = [Key.parse(k) if isinstance(k, str) else k for k in given]
    wanted: type = ByteKey if record_bytes else Key
    for k in parsed:
        if not isinstance(k, wanted):
            raise ValueError("keys of records of a fixed size are ByteKeys, and no others")
    array = job.keep(ffi.new("gpusort_byte_key[]" if record_bytes else "gpusort_key[]", len(parsed)))
    for i, k in enumerate(parsed):
        k.fill(array[i])
    if record_bytes:
        order.byte_keys, order.byte_key_count = array, len(parsed)
    else:
        order.keys, order.key_count = array, len(parsed)
        _fill_paths(order, job, parsed)
    if form not in _forms:
        raise ValueError(f"no form of records: {form!r}")
    order.form = getattr(lib, "GPUSORT_" + form.upper())
    order.follows_locale = locale
    if seed is not None:
        if len(seed) != lib.GPUSORT_SEED_BYTES:
            raise ValueError(f"a seed has {lib.GPUSORT_SEED_BYTES} bytes, and not {len(seed)}")
        order.random_seed = job.keep(ffi.new("unsigned char[]", bytes(seed)))
    if delimiter is not None:
        byte = delimiter.encode() if isinstance(delimiter, str) else bytes(delimiter)
        if len(byte) != 1:
            raise ValueError(f"a delimiter is one byte, and not {delimiter!r}")
        order.delimiter = byte[0]
        order.has_nul_delimiter = byte == b"\0"
    order.is_stable, order.is_unique, order.is_reverse = stable, unique, reverse
    order.ends_with_nul = zero_terminated
    order.record_bytes = record_bytes
