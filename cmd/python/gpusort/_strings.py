# SPDX-License-Identifier: MIT
"""Arrays of strings: lists of bytes or str, numpy's S and U, Arrow's, Polars'."""

from __future__ import annotations

import importlib.util
from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Iterable, Mapping, TypeVar, overload

from ._library import Array, Job, JobOptions, ffi, lib

if TYPE_CHECKING:
    from typing_extensions import Unpack

String = TypeVar("String", str, bytes)


class StringOptions(JobOptions, total=False):
    """What sorts of strings take."""

    reverse: bool


def is_strings(thing: Any) -> bool:
    """An array of numpy's of strings of a fixed width."""
    return getattr(thing, "__array_interface__", {"typestr": "  "})["typestr"][1] in "SU"


def _encoded_lengths(strings: list[str]) -> Iterable[int]:
    return (len(s if s.isascii() else s.encode("utf-8", "surrogatepass")) for s in strings)


def _of_list(strings: list[Any]) -> tuple[Any, Any]:
    """Text and offsets. The order of UTF-8 is that of code points, as Python's is."""
    lengths: Iterable[int] = map(len, strings)
    if strings and isinstance(strings[0], str):
        joined = "".join(strings)
        text = joined.encode("utf-8", "surrogatepass")
        if len(text) != len(joined):
            lengths = _encoded_lengths(strings)
    else:
        text = b"".join(strings)
    return text, array("Q", accumulate(lengths, initial=0))


def _of_numpy(strings: Any) -> tuple[Any, Any]:
    """Zeros behind a string of numpy's are none of it, and change nothing in the order."""
    import numpy

    if strings.ndim != 1:
        raise ValueError(f"an array of {strings.ndim} dimensions: one is sorted")
    if strings.dtype.kind == "O":
        return _of_list(strings.tolist())
    if strings.dtype.kind not in "SU":
        raise TypeError(f"no strings: {strings.dtype}")
    width = strings.dtype.itemsize
    if strings.dtype.kind == "U":  # code points as the bytes compare
        strings = strings.astype(strings.dtype.newbyteorder(">"))
    text = numpy.ascontiguousarray(strings).view(numpy.uint8) if width else b""
    return text, numpy.arange(len(strings) + 1, dtype=numpy.uint64) * numpy.uint64(width)


def _of_arrow(strings: Any) -> tuple[Any, Any]:
    """The buffers of the array itself, without a copy but of offsets of 32 bits."""
    import numpy
    import pyarrow

    if hasattr(strings, "combine_chunks"):
        strings = strings.combine_chunks()
    if pyarrow.types.is_string_view(strings.type):
        strings = strings.cast(pyarrow.large_string())
    if strings.null_count:
        raise ValueError(f"{strings.null_count} of the strings are null: drop them, or say what they are")
    kind, types = strings.type, pyarrow.types
    is_large = types.is_large_string(kind) or types.is_large_binary(kind)
    if not (is_large or types.is_string(kind) or types.is_binary(kind)):
        raise TypeError(f"no strings: {kind}")
    _, offsets, text = strings.buffers()
    if offsets is None or not len(strings):
        return b"", array("Q", [0])
    width = numpy.int64 if is_large else numpy.int32
    wide = numpy.frombuffer(offsets, dtype=width)[strings.offset : strings.offset + len(strings) + 1]
    return text or b"", wide.view(numpy.uint64) if is_large else wide.astype(numpy.uint64)


def _is_of(module: str, strings: Any) -> bool:
    return type(strings).__module__.partition(".")[0] == module


def _is_arrow(strings: Any) -> bool:
    return _is_of("pyarrow", strings)


def argsort_strings(strings: Any, *, reverse: bool = False, **job_options: Unpack[JobOptions]) -> Any:
    """Where each string comes from in the order of their bytes (of str: of code points): the
    first number is that of the least one. Equal ones stay as they came. `strings` is a list
    of bytes or of str, an array of numpy's (S, U or objects) or of pyarrow's, a Series of
    Polars'; the numbers are
    an array of numpy's where that is there, else an array.array. Options are those of every
    job. On the cores."""
    if _is_arrow(strings) or _is_of("polars", strings):
        text, offsets = _of_arrow(strings if _is_arrow(strings) else strings.to_arrow())
    elif hasattr(strings, "__array_interface__"):
        text, offsets = _of_numpy(strings)
    else:
        text, offsets = _of_list(list(strings))
    count = len(offsets) - 1
    try:
        import numpy

        order: Any = numpy.empty(count, dtype=numpy.uint64)
    except ImportError:
        order = array("Q", bytes(8 * count))
    if count:
        _call(lib.gpusort_sort_strings, text, offsets, reverse, job_options, order)
    return order


def _call(function: Any, text: Any, offsets: Any, reverse: bool, job_options: Mapping[str, Any], *results: Any) -> None:
    job = Job(**job_options)
    options = ffi.new("gpusort_job *")
    job.fill(options)
    flags = lib.GPUSORT_REVERSE if reverse else 0
    taken = _memory(job, text), _memory(job, offsets)
    given = [_memory(job, result, is_written=True) for result in results]
    job.run(function, *taken, len(offsets) - 1, flags, *given, options)


def _sorted_text(text: Any, offsets: Any, reverse: bool, job_options: Mapping[str, Any]) -> tuple[Any, Any]:
    """Text and offsets of the strings in order, as arrays of numpy's."""
    import numpy

    sorted_text = numpy.empty(int(offsets[-1]) - int(offsets[0]), dtype=numpy.uint8)
    sorted_offsets = numpy.zeros(len(offsets), dtype=numpy.uint64)
    _call(lib.gpusort_sorted_strings, text, offsets, reverse, job_options, sorted_text, sorted_offsets)
    return sorted_text, sorted_offsets


def _sort_whole(strings: list[Any], reverse: bool, job_options: Mapping[str, Any]) -> list[Any] | None:
    """Of a list without zeros, which end its strings then and change nothing in their order:
    new ones are cut from the sorted text, which takes half as long as to get at the old ones, all
    over memory. None: it is no such list, or there is no numpy."""
    kinds = set(map(type, strings))
    zero: Any = "\0" if kinds == {str} else b"\0" if kinds == {bytes} else None
    if zero is None or importlib.util.find_spec("numpy") is None:
        return None
    joined = zero.join(strings) + zero
    if joined.count(zero) != len(strings):
        return None
    text = joined.encode("utf-8", "surrogatepass") if zero == "\0" else joined
    lengths: Iterable[int] = map(len, strings)
    if len(text) != len(joined):
        lengths = _encoded_lengths(strings)
    offsets = array("Q", accumulate((n + 1 for n in lengths), initial=0))
    del joined
    sorted_text: Any = _sorted_text(text, offsets, reverse, job_options)[0].tobytes()
    if zero == "\0":
        sorted_text = sorted_text.decode("utf-8", "surrogatepass")
    found: list[Any] = sorted_text.split(zero)
    found.pop()  # what is behind the last zero
    return found


def _sort_arrow(strings: Any, reverse: bool, job_options: Mapping[str, Any]) -> Any:
    import numpy
    import pyarrow

    kind, types = strings.type, pyarrow.types
    if types.is_string_view(kind):
        kind = pyarrow.large_string()
    text, offsets = _sorted_text(*_of_arrow(strings), reverse, job_options)
    width = numpy.int64 if types.is_large_string(kind) or types.is_large_binary(kind) else numpy.int32
    places = offsets.view(numpy.int64) if width is numpy.int64 else offsets.astype(width)
    buffers = [None, pyarrow.py_buffer(places), pyarrow.py_buffer(text)]
    whole = pyarrow.Array.from_buffers(kind, len(places) - 1, buffers)
    return pyarrow.chunked_array([whole], kind) if hasattr(strings, "combine_chunks") else whole


def _memory(job: Job, thing: Any, is_written: bool = False) -> Any:
    view = memoryview(thing)
    return job.borrow(view, "uint64_t[]" if view.itemsize == 8 else "char[]", is_written)


@overload
def sort_strings(strings: Array, **options: Unpack[StringOptions]) -> Array: ...
@overload
def sort_strings(strings: Iterable[String], **options: Unpack[StringOptions]) -> list[String]: ...
def sort_strings(strings: Any, *, reverse: bool = False, **job_options: Any) -> Any:
    """The strings in order, as argsort_strings() has it: a new list, or a new array of the
    same kind."""
    if _is_of("polars", strings):
        return type(strings)(strings.name, _sort_arrow(strings.to_arrow(), reverse, job_options))
    if not (_is_arrow(strings) or hasattr(strings, "__array_interface__")):
        strings = list(strings)
        whole = _sort_whole(strings, reverse, job_options)
        if whole is not None:
            return whole
        order = argsort_strings(strings, reverse=reverse, **job_options)
        return list(map(strings.__getitem__, order.tolist()))
    if _is_arrow(strings):
        return _sort_arrow(strings, reverse, job_options)
    if strings.dtype.kind == "S" and strings.dtype.itemsize and len(strings):
        text, _ = _sorted_text(*_of_numpy(strings), reverse, job_options)
        return text.view(strings.dtype)
    order = argsort_strings(strings, reverse=reverse, **job_options)
    return strings.take(order.astype("int64"))  # which old versions of numpy want


def sort_strings_in_place(array_of_strings: Any, **job_options: Any) -> Any:
    array_of_strings[...] = sort_strings(array_of_strings, **job_options)
    return array_of_strings
