# SPDX-License-Identifier: MIT
"""Files, descriptors and records, sorted."""

from __future__ import annotations

import io
import os
import tempfile
import threading
from typing import IO, TYPE_CHECKING, Any, Callable, Iterable, Iterator, Union, cast, overload

from ._array import is_array, sort_array
from ._library import Array, Job, JobOptions, Path, check, exception_of, ffi, filled, lib, new_error
from ._order import OrderOptions, PlainOrderOptions, fill_order
from ._strings import is_strings, sort_strings_in_place

if TYPE_CHECKING:
    from typing_extensions import Unpack

Input = Union[Path, IO[Any], int]
Output = Union[Input, Callable[[bytes], Any]]

_BATCH_BYTES = 1 << 18


class PlainSortOptions(JobOptions, PlainOrderOptions, total=False):
    """How records are compared, and what becomes of them."""

    header: int | None
    top: int | None
    counts: bool
    compress: bool
    sync: bool
    verify: bool
    mapped: bool
    checkpoint: Path | None


class SortOptions(PlainSortOptions, total=False):
    """What every sort takes; see gpusort_sort(3)."""

    seed: bytes | None


def _take(options: dict[str, Any], kind: type) -> dict[str, Any]:
    """Those that a TypedDict names, taken out of `options`."""
    return {name: options.pop(name) for name in kind.__annotations__ if name in options}


def fill_output(options: Any, struct: str, job: Job, out: Output) -> None:
    """Of the options of any job that writes, a structure of that name."""
    if isinstance(out, (str, bytes, os.PathLike)):
        options.output = job.text(out)
    elif callable(out):
        options.write = job.function(struct, "write", job.taker(out))
    elif isinstance(out, int):
        options.output_fd = out + 1
    else:
        job.keep(out).flush()
        options.output_fd = out.fileno() + 1


class _Call:
    """The options of a sort, filled in."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.job = Job(**_take(options, JobOptions))
        self.options = filled("sort_options")
        self.job.fill(self.options.job)
        fill_order(self.options.order, self.job, **_take(options, OrderOptions))
        o = self.options
        header = options.pop("header", None)
        is_table = o.order.form in (lib.GPUSORT_CSV, lib.GPUSORT_TABLE)
        o.header_lines = int(is_table) if header is None else header
        top = options.pop("top", None)
        o.has_top, o.top_count = top is not None, top or 0
        o.counts = options.pop("counts", False)
        o.output_zstd = options.pop("compress", False)
        o.syncs_output = options.pop("sync", False)
        o.verifies = options.pop("verify", False)
        o.may_map = options.pop("mapped", False)
        o.checkpoint = self.job.text(options.pop("checkpoint", None))
        if options:
            raise TypeError(f"no such options: {', '.join(options)}")

    def read(self, inputs: Input | Iterable[Input]) -> None:
        fill_inputs(self.options, self.job, inputs)

    def write(self, out: Output) -> None:
        fill_output(self.options, "gpusort_sort_options", self.job, out)


def fill_inputs(options: Any, job: Job, inputs: Input | Iterable[Input]) -> None:
    """Of the options of any job. Descriptors are read behind files: with one before it, a file
    is one too."""
    one = _is_path(inputs) or isinstance(inputs, int) or hasattr(inputs, "fileno")
    every: list[Any] = [inputs] if one else list(cast(Iterable[Input], inputs))
    paths: list[Any] = []
    fds: list[int] = []
    try:
        for i in every:
            if not _is_path(i):
                fds.append(_descriptor(job.keep(i)))
            elif not fds:
                paths.append(i)
            else:
                fds.append(0 if os.fsencode(i) == b"-" else job.open(i))
        options.inputs, options.input_count = job.paths(paths), len(paths)
    except BaseException:
        job.end()
        raise
    options.input_fds = job.keep(ffi.new("int[]", fds))
    options.input_fd_count = len(fds)


def _is_path(thing: Any) -> bool:
    return isinstance(thing, (str, bytes, os.PathLike))


def _descriptor(file: Any) -> int:
    """Of a file or a descriptor, which stands where the file does: what Python has read ahead
    is still to come. That cannot be had back of a pipe."""
    if isinstance(file, int):
        return file
    fd = int(file.fileno())
    if not hasattr(file, "seekable") or not file.seekable():
        return fd
    if file.writable():
        file.flush()
    raw = file
    for under in ("file", "buffer", "raw"):  # of tempfile, of text, of a buffer
        raw = getattr(raw, under, raw)
    place = file.tell()
    if isinstance(raw, (io.FileIO, tempfile.SpooledTemporaryFile)) and place < 1 << 63:
        os.lseek(fd, place, os.SEEK_SET)
    elif place > 0:  # that of unpacked bytes, or between bytes
        raise ValueError(f"a file that was read from, whose place is not known: {file!r}")
    return fd


@overload
def sort(inputs: Array, **options: Unpack[JobOptions]) -> Array: ...
@overload
def sort(inputs: Input | Iterable[Input], out: Output, **options: Unpack[SortOptions]) -> None: ...
@overload
def sort(inputs: Input | Iterable[Input], out: None = None, **options: Unpack[SortOptions]) -> Iterator[bytes]: ...
def sort(inputs: Any, out: Any = None, **options: Any) -> Any:
    """Sorts files and descriptors of any size into the file or descriptor `out`, or to a
    function, which gets the output as bytes, cut anywhere, and may end the sort by an
    exception; without one, returns an iterator of the sorted lines (or records). A numpy array
    of numbers, or of strings (S or U), is sorted in place and returned.

    inputs      a path, a file or a descriptor, or several, read in turn; "-" is standard
                input; a file is read from where it stands
    keys        what follows `sort -k` ("2,2n"), a Key, or several, the most important first
    delimiter, stable, unique, reverse, zero_terminated    as -t -s -u -r -z
    record_bytes    records of a fixed size, whose keys are ByteKeys
    form        "csv", "table" (without quotes) or "json": Key(path=...) names columns and
                values; a table has one line of header unless `header` says another number
    locale      text in the order of the locale of the environment
    seed        16 bytes that the order of the option R is drawn from
    header, top, counts, compress, sync, verify, mapped, checkpoint    see gpusort_sort(3)
    memory      bytes, or a text such as "2G"
    threads, temp, engine ("auto", "cpu", "gpu"), gpu_memory, gpus, progress, log    libgpusort(3)

    A progress function is called some times a second with a Progress; what is true ends
    the job with Cancelled, and an exception with that exception. So does Ctrl-C.
    """
    if is_array(inputs):
        if out is not None:
            raise TypeError("an array is sorted in place")
        return sort_strings_in_place(inputs, **options) if is_strings(inputs) else sort_array(inputs, **options)
    return _run(lib.gpusort_sort, inputs, out, options)


@overload
def merge(inputs: Input | Iterable[Input], out: Output, **options: Unpack[SortOptions]) -> None: ...
@overload
def merge(inputs: Input | Iterable[Input], out: None = None, **options: Unpack[SortOptions]) -> Iterator[bytes]: ...
def merge(inputs: Any, out: Any = None, **options: Any) -> Any:
    """As sort(), of inputs that are in order already."""
    return _run(lib.gpusort_merge, inputs, out, options)


def _run(function: Any, inputs: Any, out: Any, options: dict[str, Any]) -> Any:
    if out is None:
        return _stream(function, inputs, options)
    call = _Call(dict(options))
    call.read(inputs)
    call.write(out)
    call.job.run(function, call.options)
    return None


def check_order(input: Input, **options: Unpack[SortOptions]) -> int:
    """The number of the first line that is not in order, counted from 1; 0: there is none."""
    call = _Call(dict(options))
    call.read([input])
    disorder = ffi.new("uint64_t *")
    call.job.run(lib.gpusort_check, call.options, disorder)
    return int(disorder[0])


def _stream(function: Any, inputs: Any, options: dict[str, Any]) -> Iterator[bytes]:
    size = options.get("record_bytes", 0)
    end = b"\0" if options.get("zero_terminated") else b"\n"
    call = _Call(dict(options))
    call.read(inputs)
    return _records_of(function, call, size, end)


def _records_of(function: Any, call: _Call, size: int, end: bytes) -> Iterator[bytes]:
    read_end, write_end = os.pipe()
    call.write(write_end)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            error = new_error()
            check(function(call.options, error), error)
        except BaseException as e:
            failures.append(e)
        finally:
            call.job.end()
            os.close(write_end)

    thread = threading.Thread(target=work, daemon=True)
    try:
        thread.start()
        rest = b""
        while block := os.read(read_end, 1 << 20):
            rest += block
            whole = len(rest) // size * size if size else rest.rfind(end) + 1
            yield from _cut(rest[:whole], size, end)
            rest = rest[whole:]
        thread.join()
        if failures:
            call.job.raise_failure()
            raise failures.pop()
    finally:  # also where the caller wants no more
        call.job.cancel()
        os.close(read_end)
        if thread.ident is not None:  # else it ends as soon as it begins
            thread.join()


def _cut(text: bytes, size: int, end: bytes) -> Iterator[bytes]:
    if size:
        return (text[i : i + size] for i in range(0, len(text), size))
    return iter(text[:-1].split(end)) if text else iter(())


class Sorter:
    """Records as they come: put() and put_many(), then iterate over what is sorted.

    >>> with Sorter(keys="2,2n") as s:
    ...     for record in records: s.put(record)
    ...     for record in s: ...
    """

    def __init__(self, **options: Unpack[SortOptions]) -> None:
        self._size: int = options.get("record_bytes", 0)
        self._end = b"\0" if options.get("zero_terminated") else b"\n"
        self._end_byte = self._end[0]
        self._call = _Call(dict(options))
        self._error = new_error()
        out = ffi.new("gpusort_sorter **")
        check(lib.gpusort_sorter_new(out, self._call.options, self._error), self._error)
        self._sorter: Any = out[0]
        self._process = os.getpid()
        self._batch: list[bytes] = []
        self._batch_bytes = 0
        self._is_sorted = False

    def _try(self, code: int) -> None:
        if code != lib.GPUSORT_OK:
            self._call.job.raise_failure()
            raise exception_of(self._error)

    def _open(self) -> Any:
        if self._sorter is None:
            raise ValueError("the sorter is closed")
        if self._process != os.getpid():  # which has its memory, but not its thread
            raise ValueError("the sorter is of the process that has forked this one")
        return self._sorter

    def put(self, record: bytes) -> None:
        """One record: a line without its end. What is not one is refused, and changes
        nothing."""
        if type(record) is not bytes or (len(record) != self._size if self._size else self._end_byte in record):
            record = self._record_of(record)
        self._batch.append(record)
        self._batch_bytes += len(record) + 1
        if self._batch_bytes >= _BATCH_BYTES:
            self._flush()

    def put_many(self, records: Iterable[bytes]) -> None:
        """As put() each, but without a call for each."""
        size, end = self._size, self._end_byte
        for record in records:
            if type(record) is not bytes or (len(record) != size if size else end in record):
                record = self._record_of(record)
            self._batch.append(record)
            self._batch_bytes += len(record) + 1
            if self._batch_bytes >= _BATCH_BYTES:
                self._flush()

    def _record_of(self, thing: Any) -> bytes:
        """A copy of what may change, such as a bytearray; what is no record is refused."""
        record = bytes(memoryview(thing))
        if self._size and len(record) != self._size:
            raise ValueError(f"a record of {len(record)} bytes, and not of {self._size} bytes")
        if not self._size and self._end_byte in record:
            raise ValueError("a record has a line end inside")
        return record

    def put_text(self, text: bytes) -> None:
        """Any number of records with their line ends, cut anywhere: the next text goes on. A
        record that is put ends a line that was cut, and is refused behind a part of a record
        of a fixed size."""
        self._flush()
        with ffi.from_buffer(text) as view:
            self._try(lib.gpusort_sorter_put_text(self._open(), view, len(view), self._error))
        self._batch_bytes = _BATCH_BYTES  # whether the next record is refused is told at once

    def _flush(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            # The first is a record, and no rest of a text that was cut; behind it nothing is.
            # Where it is refused, the next one is tried at once too.
            self._try(lib.gpusort_sorter_put(self._open(), batch[0], len(batch[0]), self._error))
        self._batch_bytes = 0
        if rest := batch[1:]:
            text = b"".join(rest) if self._size else self._end.join(rest) + self._end
            self._try(lib.gpusort_sorter_put_text(self._open(), text, len(text), self._error))

    def __iter__(self) -> Iterator[bytes]:
        if not self._is_sorted:
            self._flush()
            self._is_sorted = True
            self._try(lib.gpusort_sorter_sorted(self._open(), self._error))
        text, count = ffi.new("const void **"), ffi.new("size_t *")
        # The first waits for the sort, which Ctrl-C may stop; the others have their text.
        self._call.job.run(lib.gpusort_sorter_get_text, self._open(), text, count)
        while count[0]:
            yield from _cut(bytes(ffi.buffer(text[0], count[0])), self._size, self._end)
            self._try(lib.gpusort_sorter_get_text(self._open(), text, count, self._error))

    def close(self) -> None:
        """What was put and not got is forgotten. In a process that was forked it does
        nothing: there is no thread that would end."""
        if self._sorter is not None and self._process == os.getpid():
            lib.gpusort_sorter_free(self._sorter)
        self._sorter = None

    def __enter__(self) -> Sorter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_sorter", None) is not None:
            self.close()


def sort_records(records: Iterable[bytes], **options: Unpack[SortOptions]) -> Iterator[bytes]:
    """The records of an iterable in order; what does not fit into `memory` goes to
    temporary files."""
    with Sorter(**options) as sorter:
        sorter.put_many(records)
        yield from sorter
