# SPDX-License-Identifier: MIT
"""Streams of values, read once and in bounded memory: of files, or as they come."""

from __future__ import annotations

import os
from array import array
from itertools import chain
from typing import TYPE_CHECKING, Any, Callable, Iterable, Union, cast

from ._library import CommonOptions, Job, Memory, check, exception_of, ffi, filled, lib, new_error
from ._sort import Input, fill_inputs
from ._summary import Summary, statistics, types

if TYPE_CHECKING:
    from typing_extensions import Unpack

Field = Union[int, str, None]

_hierarchies = {"dots": "GPUSORT_BY_DOTS", "slash": "GPUSORT_BY_SLASH", "domain": "GPUSORT_BY_DOMAIN", "ip": "GPUSORT_BY_IP"}
# Of each type how an array of Python's, and one of numpy's, has it.
_codes = {"f64": "d", "i64": "q", "u64": "Q", "u32": "I"}
_dtypes = {"f64": "f8", "i64": "i8", "u64": "u8", "u32": "u4"}
_BATCH_BYTES = 1 << 18
# What is put at once. Between such pieces Ctrl-C is heard.
_PIECE = 1 << 20


class StreamOptions(CommonOptions, total=False):
    """Which values there are, what is kept of them, and with what; see gpusort_stream_run(3)."""

    values: str
    binary: bool
    csv: bool
    delimiter: str | bytes | None
    header: bool | None
    skip_bad: bool
    value: Field
    second: Field
    eps: float
    window: int
    window_seconds: float
    exact: bool
    ranks: bool
    hierarchy: str
    step: int
    every: int
    every_seconds: float
    report: Callable[[Summary], Any] | None


def _chosen(value: str, known: Iterable[str], what: str) -> str:
    if value not in known:
        raise ValueError(f"no {what}: {value!r}")
    return value


def _fill_field(to: Any, job: Job, field: Field) -> None:
    if isinstance(field, str):
        to.name = job.text(field)
    elif field is not None and field < 1:
        raise ValueError(f"fields count from 1: {field}")
    else:
        to.number = field or 0


class Stream:
    """Values as they come, of which can be asked at any time. Text is put record by record or
    in pieces, numbers in arrays.

    >>> with Stream("frequent", values="text", eps=0.0001) as s:
    ...     for word in words: s.put(word)
    ...     s.ask().frequent(support=0.01)

    statistic   "quantiles" of numbers; "frequent": numbers or texts that come often;
                "prefixes" that many texts have; "sums" of y where x, of pairs of the two, is
                up to a limit that the stream tells; "columns": what there is in a table
    values      "f64", "i64", "u64", "u32", or of frequent ones "text"
    binary      they are put as numbers, or come little-endian without ends of lines
    csv, delimiter, header      records have fields; quotes as in RFC 4180. Of CSV there is a
                header unless it says False
    value, second   which field is the value, by its number from 1 or its name in the header;
                the second one is y of sums, and the time of a window of time
    skip_bad    what is no value is left out and counted, and no failure
    eps         the error, a share of all values (0.001)
    window, window_seconds      only the last so many values count, or those of so many seconds
    exact       quantiles without an error, all values kept, sorted
    ranks       of sums: the limit may be by a quantile
    hierarchy, step     what a prefix is: by "dots", "slash", "domain" or "ip", the last with so
                many bits between prefixes
    every, every_seconds, report    a function that gets a Summary so often, while values
                come, which is good until it returns; an exception of it ends the stream

    When it has ended, `bad` is how many records were left out.
    memory, threads, temp, engine, gpu_memory, gpus, log    libgpusort(3)."""

    def __init__(self, statistic: str = "quantiles", **options: Unpack[StreamOptions]) -> None:
        self._stream: Any = None
        self._process = os.getpid()
        self._turn = 0
        self._batch: list[bytes] = []
        self._batch_bytes = 0
        self.bad = 0
        self._error = new_error()
        self._fill(_chosen(statistic, statistics, "statistic"), **options)

    def _fill(
        self,
        statistic: str,
        values: str = "f64",
        binary: bool = False,
        csv: bool = False,
        delimiter: str | bytes | None = None,
        header: bool | None = None,
        skip_bad: bool = False,
        value: Field = None,
        second: Field = None,
        eps: float = 0.0,
        window: int = 0,
        window_seconds: float = 0.0,
        exact: bool = False,
        ranks: bool = False,
        hierarchy: str = "dots",
        step: int = 0,
        every: int = 0,
        every_seconds: float = 0.0,
        report: Callable[[Summary], Any] | None = None,
        **job_options: Any,
    ) -> None:
        if "progress" in job_options:
            raise TypeError("streams have reports, and no progress")
        self._job = Job(**job_options)
        self._options = o = filled("stream_options")
        self._job.fill(o.job)
        o.statistic = getattr(lib, "GPUSORT_" + statistic.upper())
        self._type = _chosen(values, types, "type of values")
        o.values = getattr(lib, "GPUSORT_VALUES_" + values.upper())
        self._is_pair = statistic == "sums" or window_seconds > 0
        self._is_plain = not csv and not binary  # records are what lies between newlines
        o.is_binary, o.is_csv, o.skips_bad = binary, csv, skip_bad
        o.has_header = csv if header is None else header
        if delimiter is not None:
            byte = delimiter.encode() if isinstance(delimiter, str) else bytes(delimiter)
            if len(byte) != 1 or byte == b"\0":
                raise ValueError(f"a delimiter is one byte, and not {delimiter!r}")
            o.delimiter = byte[0]
        _fill_field(o.value, self._job, value)
        _fill_field(o.second, self._job, second)
        o.eps, o.window, o.window_seconds = eps, window, window_seconds
        o.is_exact, o.has_ranks = exact, ranks
        o.hierarchy = getattr(lib, _hierarchies[_chosen(hierarchy, _hierarchies, "hierarchy")])
        o.step, o.every_values, o.every_ns = step, every, int(every_seconds * 1e9)
        if report is not None:
            o.report = self._job.function("gpusort_stream_options", "report", self._reporter(report))

    def _reporter(self, report: Callable[[Summary], Any]) -> Callable[[Any, Any], int]:
        """It ends the stream by what it raises. The job has it, and it knows no stream, which
        goes with its last name."""
        job = self._job

        def tell(_context: Any, pointer: Any) -> int:
            is_told = False
            summary = Summary(pointer, lambda: not is_told, lambda: None)
            try:
                report(summary)
                return 0
            except BaseException as e:
                job.fail(e)
                return 1
            finally:
                is_told = True

        return tell

    def _begin(self) -> None:
        out = ffi.new("gpusort_stream **")
        check(lib.gpusort_stream_new(out, self._options, self._error), self._error)
        self._stream = out[0]

    def _go_on(self) -> Any:
        """What was told before is told no more."""
        if self._process != os.getpid():  # which has its memory, but not its threads
            raise ValueError("the stream is of the process that has forked this one")
        if self._job is None:
            raise ValueError("the stream is closed")
        if self._stream is None:
            self._begin()
        self._turn += 1
        return self._stream

    def _try(self, code: int) -> None:
        if code != lib.GPUSORT_OK:
            self._job.raise_failure()
            raise exception_of(self._error)

    # --- what is put

    def put(self, record: bytes) -> None:
        """One record, without its end."""
        self.put_many((record,))

    def put_many(self, records: Iterable[bytes]) -> None:
        """As put() each. Records are looked at some thousand at a time, so that one that is no
        value may fail a later call."""
        for record in records:
            if not self._is_plain:
                data = bytes(memoryview(record))
                self._try(lib.gpusort_stream_put(self._go_on(), data, len(data), self._error))
                continue
            if type(record) is not bytes:
                record = bytes(memoryview(record))
            if b"\n" in record:
                raise ValueError("a record has a line end inside")
            self._batch.append(record)
            self._batch_bytes += len(record) + 1
            if self._batch_bytes >= _BATCH_BYTES:
                self._flush()

    def put_text(self, text: bytes) -> None:
        """Any number of records with their line ends, cut anywhere: the next text goes on. A
        record that is put ends a line that was cut, and is refused between quotes."""
        self._flush()
        with memoryview(text).cast("B") as whole:
            for i in range(0, len(whole), _PIECE):
                with ffi.from_buffer(whole[i : i + _PIECE]) as view:
                    self._try(lib.gpusort_stream_put_text(self._go_on(), view, len(view), self._error))

    def put_numbers(self, numbers: Any) -> None:
        """Of a stream that is binary: an array of numpy's or Python's, or any numbers; pairs,
        where it is of these, as an array of n rows and 2 columns, or one pair after the
        other. What fits into the type without a loss is converted."""
        if not self._options.is_binary:
            raise ValueError("numbers are put into a stream that is binary")
        with _memory_of(numbers, self._type, self._is_pair) as whole:
            width = 2 if self._is_pair else 1
            for i in range(0, len(whole), _PIECE):
                piece = whole[i : i + _PIECE]
                count = len(piece) // width
                with ffi.from_buffer(piece) as view:
                    self._try(lib.gpusort_stream_put_numbers(self._go_on(), view, count, self._error))

    def _flush(self) -> None:
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        if not batch:
            return
        # The first is a record, and no rest of a text that was cut; behind it nothing is.
        self._try(lib.gpusort_stream_put(self._go_on(), batch[0], len(batch[0]), self._error))
        if rest := batch[1:]:
            text = b"\n".join(rest) + b"\n"
            self._try(lib.gpusort_stream_put_text(self._go_on(), text, len(text), self._error))

    # --- what is asked

    def _told(self, pointer: Any, close: Callable[[], None] = lambda: None) -> Summary:
        turn = self._turn
        return Summary(pointer, lambda: self._turn == turn and self._stream is not None, close)

    def ask(self) -> Summary:
        """What is known of all that was put; good until more is, or it is asked again."""
        self._flush()
        out = ffi.new("gpusort_summary **")
        self._job.run(lib.gpusort_stream_ask, self._go_on(), out)
        return self._told(out[0])

    def end(self) -> Summary:
        """The same, and nothing more comes."""
        self._flush()
        return self._end(lib.gpusort_stream_end)

    def _end(self, call: Callable[..., int], close: Callable[[], None] = lambda: None) -> Summary:
        out, bad = ffi.new("gpusort_summary **"), ffi.new("uint64_t *")
        try:
            self._job.run(call, self._go_on(), out, bad)
        finally:
            self.bad = int(bad[0])
        return self._told(out[0], close)

    def close(self) -> None:
        """All that is known goes. In a process that was forked it does nothing: there are no
        threads that would end."""
        stream, self._stream = self._stream, None
        if stream is not None and self._process == os.getpid():
            lib.gpusort_stream_free(stream)
        self._job = None  # type: ignore[assignment]

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_stream", None) is not None:
            self.close()


def _memory_of(numbers: Any, type: str, is_pair: bool) -> memoryview:
    """The numbers of the type, one behind the other."""
    if hasattr(numbers, "__array_interface__"):
        import numpy

        numbers = numpy.asarray(numbers).astype(_dtypes[type], order="C", casting="safe", copy=False)
        shape = numbers.shape
        if len(shape) > 2 or (len(shape) == 2 and not (is_pair and shape[1] == 2)):
            raise ValueError(f"an array of the shape {shape}: {'pairs are n rows of 2' if is_pair else 'one dimension'}")
        numbers = numbers.reshape(-1)
    elif isinstance(numbers, (bytes, bytearray, memoryview)):
        raise TypeError(f"bytes, and no numbers of {type}")
    elif not isinstance(numbers, array) or numbers.typecode != _codes[type]:
        every = list(numbers)
        if is_pair and every and not isinstance(every[0], (int, float)):
            every = list(chain.from_iterable(every))
        numbers = array(_codes[type], every)
    view = memoryview(numbers)
    if is_pair and len(view) % 2:
        raise ValueError("a pair that is cut")
    return view


def summarize(
    inputs: Input | Iterable[Input] | Memory, statistic: str = "quantiles", **options: Unpack[StreamOptions]
) -> Summary:
    """What is known of files and descriptors, which all threads read, or of an array of
    numpy's: a Summary that stays. Inputs are those of sort(), options those of Stream.

    >>> summarize("times.txt", eps=0.0001).quantiles([0.5, 0.99])
    >>> summarize("log.zst", "frequent", values="text", value=1).frequent(support=0.01)
    >>> summarize("sales.csv", "columns", csv=True).columns()"""
    is_array = hasattr(inputs, "__array_interface__")
    given = cast("dict[str, Any]", options)
    if is_array:
        given = {"values": _type_of(inputs), **given, "binary": True}
    stream = Stream(statistic, **given)
    try:
        if is_array:
            stream.put_numbers(inputs)
            return stream._end(lib.gpusort_stream_end, stream.close)
        fill_inputs(stream._options, stream._job, cast(Input, inputs))
        return stream._end(lib.gpusort_stream_read, stream.close)
    except BaseException:
        stream.close()
        raise


def _type_of(numbers: Any) -> str:
    """The type that has all numbers of such an array."""
    kind = numbers.__array_interface__["typestr"]
    letter, width = kind[1], int(kind[2:])
    if letter == "u":
        return "u64" if width == 8 else "u32"
    return {"i": "i64", "f": "f64"}.get(letter, "f64")
