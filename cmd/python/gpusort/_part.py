# SPDX-License-Identifier: MIT
"""What is in files, and parts of them: surveys, samples, sorts whose result is in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

from ._library import Path, ffi, filled, lib
from ._sort import Input, Output, PlainSortOptions, SortOptions, _Call

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Survey(NamedTuple):
    """What `gpusort check` tells. The checksum does not depend on the order of the records;
    `first_disorder` is the number, from 1, of the first record that belongs before the one
    before, or 0."""

    records: int
    bytes: int
    checksum: str
    duplicates: int
    disorders: int
    first_disorder: int


class Sample(NamedTuple):
    """How many records there are of a sample, and of how many it was taken."""

    records: int
    seen: int


class Part(NamedTuple):
    records: int
    bytes: int


def survey(input: Input, *, order: bool = True, **options: Unpack[SortOptions]) -> Survey:
    """What is in a file, and whether it is in order; without `order` its records are only
    counted and summed up. Other options are those of sort()."""
    call = _Call(dict(options))
    call.read(input)
    tally = filled("tally")
    flags = 0 if order else lib.GPUSORT_NO_ORDER
    call.job.run(lib.gpusort_survey, call.options, flags, tally)
    checksum = f"{tally.sum_high:016x}{tally.sum_low:016x}"
    counts = tally.duplicates, tally.disorders, tally.first_disorder
    return Survey(tally.records, tally.bytes, checksum, *counts)


def _fill_range(o: Any, range: tuple[int, int] | None) -> None:
    o.has_range = range is not None
    o.range_begin, o.range_end = range or (0, 0)


def sample(
    inputs: Input | Iterable[Input],
    out: Output,
    records: int,
    *,
    seed: int = 1,
    order_seed: bytes | None = None,
    parts: int = 0,
    range: tuple[int, int] | None = None,
    **options: Unpack[PlainSortOptions],
) -> Sample:
    """Writes some records of all inputs to `out`, each with the same chance; or, in order,
    those that cut the inputs into so many `parts`. `range`: only records that begin at these
    bytes of the one input. `order_seed`: what sort() calls its seed, which partition() must be
    given too. Other options are those of sort()."""
    call = _Call({**options, "seed": order_seed})
    call.read(inputs)
    call.write(out)
    o = filled("sample_options")
    o.sort, o.records, o.seed, o.parts = call.options, records, seed, parts
    _fill_range(o, range)
    taken, seen = ffi.new("uint64_t *"), ffi.new("uint64_t *")
    call.job.run(lib.gpusort_sample, o, taken, seen)
    return Sample(taken[0], seen[0])


def _parts(call: _Call, function: Any, *arguments: Any) -> list[Part]:
    out = ffi.gc(ffi.new("gpusort_parts *"), lib.gpusort_parts_free)
    call.job.run(function, *arguments, out)
    return [Part(p.records, p.bytes) for p in out.parts[0 : out.count]]


def partition(
    inputs: Input | Iterable[Input],
    out: Output,
    splitters: Path,
    *,
    parts: int = 0,
    merge: bool = False,
    framed: bool = False,
    packed: bool = False,
    range: tuple[int, int] | None = None,
    **options: Unpack[SortOptions],
) -> list[Part]:
    """Sorts the inputs into parts, each but the first beginning at one of the `splitters`:
    OUT.0000, OUT.0001 ... `framed`: all parts are one stream with checksums, to `out`, which
    unframe() takes apart; `packed`: with zstd. `merge`: each input is in order already. Other
    options are those of sort()."""
    call = _Call(dict(options))
    call.read(inputs)
    call.write(out)
    o = filled("partition_options")
    o.sort, o.splitters, o.parts = call.options, call.job.text(splitters), parts
    o.is_merge, o.is_framed, o.packs = merge, framed, packed
    _fill_range(o, range)
    return _parts(call, lib.gpusort_partition, o)


def unframe(
    stream: Input, out: Output, *, part: int | None = None, **options: Unpack[SortOptions]
) -> list[Part]:
    """The parts of a stream that partition() framed, to files OUT.0000, OUT.0001 ...; or the
    one with the number `part`, to `out` itself. A damaged stream is a FormatError."""
    call = _Call(dict(options))
    call.read(stream)
    call.write(out)
    only = ffi.NULL if part is None else ffi.new("uint64_t *", part)
    return _parts(call, lambda *a: lib.gpusort_unframe(call.options, only, *a))
