# SPDX-License-Identifier: MIT
"""Two inputs joined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, Sequence, Union, overload

from ._library import Job, Path, ffi, filled, lib
from ._order import ByteKey
from ._sort import Input, Output, SortOptions, _Call, _records_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

Field = Union[int, str]
Number = Union[int, float, str, None]

_LEFT, _RIGHT = 0, 1
# What is written: the sides whose lines without a partner are, and whether pairs are not.
_ways: dict[str, tuple[tuple[int, ...], bool]] = {
    "inner": ((), False),
    "left": ((_LEFT,), False),
    "right": ((_RIGHT,), False),
    "outer": ((_LEFT, _RIGHT), False),
    "semi": ((), False),
    "anti": ((_LEFT,), True),
    "right_anti": ((_RIGHT,), True),
}
_matches = ("equal", "less", "at_most", "greater", "at_least")
# Those that an argument of join() asks for, which says more about them.
_matches_by_argument = {"in_band": "band"}


class JoinOptions(SortOptions, total=False):
    """What join() takes."""

    on: Field | tuple[Field, Field]
    how: str
    match: str
    band: tuple[Number, Number] | None
    fields: str | Iterable[str] | None
    filler: Path | None
    ignore_case: bool
    skip_bad: bool
    tuples: tuple[Sequence[ByteKey], Sequence[ByteKey]] | None
    tuple_sizes: tuple[int, int] | None
    text: bool


def _chosen(value: str, known: Iterable[str], what: str) -> str:
    if value not in known:
        raise ValueError(f"no {what}: {value!r}")
    return value


def _fill_keys(o: Any, job: Job, on: Any) -> None:
    both = on if isinstance(on, tuple) else (on, on)
    if len(both) != 2:
        raise ValueError("a key of each of two sides")
    for side, key in enumerate(both):
        if isinstance(key, str):
            o.key_names[side] = job.text(key)
        elif key < 1:
            raise ValueError(f"fields count from 1: {key}")
        else:
            o.key_fields[side] = key


def _fill_fields(o: Any, job: Job, fields: str | Iterable[str] | None) -> None:
    if fields == "auto":
        o.is_auto = True
        return
    given = fields.split(",") if isinstance(fields, str) else list(fields or ())
    array = job.keep(ffi.new("gpusort_join_field[]", len(given)))
    for i, text in enumerate(given):
        side, _, field = text.partition(".")
        if text == "0":
            continue
        if side not in ("1", "2") or not field or (field.isdecimal() and int(field) < 1):
            raise ValueError(f"no field of the output: {text!r}")
        array[i].side = getattr(lib, "GPUSORT_LEFT" if side == "1" else "GPUSORT_RIGHT")
        if field.isdecimal():
            array[i].number = int(field)
        else:
            array[i].name = job.text(field)
    o.fields, o.field_count = array, len(given)


def _fill_match(o: Any, job: Job, match: str, band: tuple[Number, Number] | None) -> None:
    o.match = getattr(lib, "GPUSORT_" + _chosen(match, _matches, "way to match").upper())
    if band is not None:
        if match != "equal":
            raise ValueError("a band says how keys match")
        o.match = lib.GPUSORT_IN_BAND
        o.band = job.text(":".join("" if end is None else str(end) for end in band))


def _fill_tuples(
    o: Any, job: Job, tuples: Sequence[Sequence[ByteKey]], sizes: Sequence[int] | None
) -> None:
    if len(tuples) != 2 or (sizes is not None and len(sizes) != 2):
        raise ValueError("fields of two sides")
    for side, fields in zip((_LEFT, _RIGHT), tuples):
        array = job.keep(ffi.new("gpusort_byte_key[]", len(fields)))
        for field, to in zip(fields, array):
            field.fill(to)
        least = max(field.offset + field.length for field in fields)
        o.tuples[side].bytes = least if sizes is None else sizes[side]
        o.tuples[side].fields, o.tuples[side].field_count = array, len(fields)


@overload
def join(left: Input, right: Input, out: Output, **options: Unpack[JoinOptions]) -> None: ...
@overload
def join(left: Input, right: Input, out: None = None, **options: Unpack[JoinOptions]) -> Iterator[bytes]: ...
def join(
    left: Input,
    right: Input,
    out: Output | None = None,
    *,
    on: Field | tuple[Field, Field] = 1,
    how: str = "inner",
    match: str = "equal",
    band: tuple[Number, Number] | None = None,
    fields: str | Iterable[str] | None = None,
    filler: Path | None = None,
    ignore_case: bool = False,
    skip_bad: bool = False,
    tuples: tuple[Sequence[ByteKey], Sequence[ByteKey]] | None = None,
    tuple_sizes: tuple[int, int] | None = None,
    text: bool = False,
    **options: Any,
) -> Iterator[bytes] | None:
    """Lines of two files or descriptors that have the same key, in one, in the order of
    the keys; they need not be sorted, nor fit in memory. Into `out`, as sort() has it, or
    without one an iterator of lines.

    on          the field that is the key, counted from 1, or its name in the header; or
                two of these, of the left and of the right side
    how         "inner", "left", "right" and "outer" (lines without a partner too),
                "semi" (left lines with one, each once), "anti", "right_anti" (lines
                without one, and no pairs)
    match       "equal", or for keys that are numbers "less", "at_most", "greater" or
                "at_least": what the key of the left line is
    band        (low, high): instead, the key of the right line less that of the left one
                is from low to high; None: no bound
    fields      of the output, as `gpusort join -o`: "0,1.2,2.name", or "auto"
    filler      stands where a field is missing or empty
    ignore_case     keys are compared as capital letters
    skip_bad    lines whose key is no number are left out, and no error
    tuples      both are binary tuples: two lists of ByteKeys, their fields; with `text`
                lines come out, else tuples, for which there is an `out`
    tuple_sizes of how many bytes these are, if there is padding behind the last field

    form ("csv", "table"), header, delimiter, zero_terminated and all of the job are those
    of sort(). See gpusort_join(3)."""
    call = _Call(dict(options))
    o = filled("join_options")
    o.sort = call.options
    sides, o.hides_pairs = _ways[_chosen(how, _ways, "kind of join")]
    o.is_semi = how == "semi"
    for side in sides:
        o.shows_unpaired[side] = True
    _fill_keys(o, call.job, on)
    _fill_match(o, call.job, match, band)
    _fill_fields(o, call.job, fields)
    o.filler = call.job.text(filler)
    o.folds_case, o.skips_bad, o.prints_text = ignore_case, skip_bad, text
    if tuples is not None:
        _fill_tuples(o, call.job, tuples, tuple_sizes)
    if out is None and tuples is not None and not text:
        raise TypeError("tuples are written to a file or a function")
    call.read([left, right])
    if out is None:
        end = b"\0" if options.get("zero_terminated") else b"\n"
        return _records_of(lambda _options, error: lib.gpusort_join(o, error), call, 0, end)
    call.write(out)
    call.job.run(lib.gpusort_join, o)
    return None
