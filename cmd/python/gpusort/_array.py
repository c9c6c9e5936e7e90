# SPDX-License-Identifier: MIT
"""Arrays of numbers, sorted in place. Anything that shows its memory as numpy's arrays do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from ._library import Array, Job, JobOptions, ffi, lib

if TYPE_CHECKING:
    from typing_extensions import Unpack

_types = {"u": "U", "i": "I", "f": "F"}


def is_array(thing: Any) -> bool:
    return hasattr(thing, "__array_interface__")


def _type_of(array: Any) -> int:
    kind = array.__array_interface__["typestr"]
    order, letter, width = kind[0], kind[1], int(kind[2:])
    foreign = "<" if sys.byteorder == "big" else ">"
    if letter not in _types or width not in (4, 8) or order == foreign:
        raise TypeError(f"numbers of the kind {kind!r} are not sorted here: 4 or 8 bytes, native")
    return int(getattr(lib, f"GPUSORT_{_types[letter]}{width * 8}"))


def sort_array(array: Array, **job_options: Unpack[JobOptions]) -> Array:
    """Puts a one-dimensional array of u32, i32, f32, u64, i64 or f64 in ascending order, NaN
    last, on a GPU or the cores, and returns it. Options are those of every job."""
    kind = _type_of(array)
    shape = array.__array_interface__["shape"]
    if len(shape) != 1:
        raise ValueError(f"an array of {len(shape)} dimensions: one is sorted")
    job = Job(**job_options)
    options = ffi.new("gpusort_job *")
    job.fill(options)
    if shape[0] > 0:  # a memoryview fails where it is read-only or has gaps
        numbers = job.borrow(memoryview(cast(Any, array)), is_written=True)
        job.run(lib.gpusort_sort_numbers, numbers, shape[0], kind, options)
    return array
