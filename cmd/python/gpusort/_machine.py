# SPDX-License-Identifier: MIT
"""What there is to work with, and data for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._library import Job, JobOptions, check, ffi, filled, lib, new_error
from ._sort import Output, fill_output

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Machine(NamedTuple):
    """What this process may use, and what a sort takes of that if nothing is said. No
    `uring_refusal`: files are read and written by io_uring."""

    cores: int
    threads: int
    memory_bytes: int
    available_bytes: int
    sort_bytes: int
    uring_refusal: str | None
    has_liburing: bool
    has_cuda: bool
    gpus: int


class GPU(NamedTuple):
    """`number` is as `gpus` of every job has it."""

    number: int
    name: str
    is_usable: bool
    major: int
    minor: int
    processors: int
    memory_bytes: int
    free_bytes: int


def machine() -> Machine:
    """As `gpusort device` shows it."""
    m = filled("machine")
    lib.gpusort_machine_describe(m)
    of_c: dict[str, Any] = {name: getattr(m, name) for name in Machine._fields}
    why = m.uring_refusal
    of_c["uring_refusal"] = None if why == ffi.NULL else ffi.string(why).decode()
    of_c |= {name: bool(of_c[name]) for name in ("has_liburing", "has_cuda")}
    return Machine(**of_c)


def gpus() -> list[GPU]:
    """All of them, usable or not."""
    found = []
    for i in range(lib.gpusort_gpus(ffi.NULL, 0)):
        g, error = filled("gpu"), new_error()
        check(lib.gpusort_gpu_describe(i, g, error), error)
        of_c: dict[str, Any] = {name: getattr(g, name) for name in GPU._fields}
        found.append(GPU(**{**of_c, "name": ffi.string(g.name).decode(), "is_usable": bool(g.is_usable)}))
    return found


def generate(
    kind: str,
    out: Output,
    *,
    records: int | None = None,
    bytes: int | None = None,
    distribution: str | None = None,
    seed: int = 1,
    distinct: int = 0,
    exponent: float | None = None,
    mean: float | None = None,
    disorder: float | None = None,
    line_bytes: tuple[int, int] | None = None,
    alphabet: str | None = None,
    documents: int | None = None,
    document_words: int | None = None,
    first_record: int = 0,
    documents_ascend: bool = False,
    tabs: bool = False,
    text: bool = False,
    binary: bool = False,
    **job_options: Unpack[JobOptions],
) -> None:
    """Data for tests into a file, a descriptor or a function, as sort() has it: the same options give the same bytes on every
    machine. How much is said by `records`, `bytes` or both.

    kind        "lines", "u32", "u64", "tuples", "records", "docs" or "weblog"
    distribution    "uniform", "gaussian", "zipf", "poisson", "sorted", "reversed", "almost",
                "equal" or "few"

    What else there is, and what is usual, is told by gpusort_generate(3)."""
    job = Job(**job_options)
    o = filled("generate_options")
    lib.gpusort_generate_defaults(o)
    job.fill(o.job)
    o.kind, o.distribution, o.alphabet = job.text(kind), job.text(distribution), job.text(alphabet)
    numbers = {"records": records, "bytes": bytes, "exponent": exponent, "mean": mean, "disorder": disorder}
    numbers |= {"documents": documents, "document_words": document_words}
    for name, number in numbers.items():
        if number is not None:
            setattr(o, name, number)
    if line_bytes is not None:
        o.line_bytes_min, o.line_bytes_max = line_bytes
    o.seed, o.distinct, o.first_record = seed, distinct, first_record
    o.documents_ascend, o.has_tabs, o.is_text, o.is_binary = documents_ascend, tabs, text, binary
    fill_output(o, "gpusort_generate_options", job, out)
    job.run(lib.gpusort_generate, o)
