# SPDX-License-Identifier: MIT
"""Sort what is larger than memory, sort arrays, tell of streams, build and search inverted
indexes.

>>> import gpusort
>>> gpusort.sort("big.txt", "sorted.txt", keys="2,2n", memory="2G")
>>> for line in gpusort.sort(["a.gz", "b.zst"], unique=True): ...
>>> gpusort.join("orders.csv", "people.csv", "both.csv", on=("person", "id"), form="csv")
>>> gpusort.sort(numpy_array)                       # in place
>>> gpusort.sort_strings(["pear", "fig", "apple"])
>>> gpusort.summarize("times.txt").quantiles([0.5, 0.99])
>>> index = gpusort.Index.build("idx", "docs.jsonl")
>>> index.search("fish +chips -peas", top=5)
"""

from ._array import sort_array
from ._index import Deletion, Heads, Hit, Index, Postings, Snippet
from ._join import join
from ._library import (
    ArgumentError,
    Cancelled,
    Error,
    FormatError,
    GPUError,
    IOFailure,
    LimitError,
    MemoryFailure,
    Progress,
    ffi as _ffi,
    lib as _lib,
)
from ._machine import GPU, Machine, generate, gpus, machine
from ._order import ByteKey, Key
from ._part import Part, Sample, Survey, partition, sample, survey, unframe
from ._sort import Sorter, check_order, merge, sort, sort_records
from ._stream import Stream, summarize
from ._strings import argsort_strings, sort_strings
from ._summary import Bin, Column, Count, Info, Sum, Summary

__version__: str = _ffi.string(_lib.gpusort_version()).decode()

__all__ = [
    "ArgumentError", "Bin", "ByteKey", "Cancelled", "Column", "Count", "Deletion", "Error",
    "FormatError", "GPU", "GPUError", "Heads", "Hit", "IOFailure", "Index", "Info", "Key", "LimitError",
    "Machine", "MemoryFailure", "Part", "Postings", "Progress", "Sample", "Snippet", "Sorter", "Stream",
    "Sum", "Summary", "Survey", "argsort_strings", "check_order", "generate", "gpus", "join",
    "machine", "merge", "partition", "sample", "sort", "sort_array", "sort_records", "sort_strings", "summarize", "survey",
    "unframe",
]  # fmt: skip
