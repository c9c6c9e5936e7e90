# SPDX-License-Identifier: MIT
"""What is known of a stream of values: asked, saved, loaded, put together."""

from __future__ import annotations

from typing import Any, Callable, Iterable, NamedTuple, Union

from ._library import Path, check, ffi, filled, lib, name_of, new_error, size

Value = Union[float, int, bytes]

statistics = ("quantiles", "frequent", "prefixes", "sums", "columns")
types = ("f64", "i64", "u64", "u32", "text")
_aggregates = ("average", "least", "most", "quantile")


class Info(NamedTuple):
    """How much is known, and how well. `error_max`: no rank is further off, and no count lower
    than it is by more. See gpusort_summary_load(3)."""

    statistic: str
    values: str
    is_end: bool
    has_ranks: bool
    eps: float
    seen: int
    in_window: int
    error_max: int
    held_bytes: int
    held_bytes_max: int
    spilled_bytes: int
    columns: int
    with_more: int


class Count(NamedTuple):
    """A value or a prefix, and how often it came. `rest`: of a prefix, without those below it
    that are given too."""

    value: Value
    count: int  # type: ignore[assignment]  # tuples have one too
    rest: int


class Sum(NamedTuple):
    """A sum of y where x is at most `limit`: it is from `least` to `most`, and their middle is
    off by eps of `total` at most, which is that of all |y|."""

    limit: float
    least: float
    most: float
    total: float

    @property
    def middle(self) -> float:
        return (self.least + self.most) / 2


class Bin(NamedTuple):
    """About how many numbers there are from `begin` to `end`."""

    begin: float
    end: float
    count: int  # type: ignore[assignment]  # tuples have one too


class Column(NamedTuple):
    """A column of a table: how many of its values are of which kind, and between which they
    lie; None where there are none."""

    name: bytes | None
    empty: int
    integers: int
    decimals: int
    dates: int
    texts: int
    missing: int
    distinct: int
    distinct_error: float
    top_error: int
    least: float | None
    most: float | None
    first: bytes | None
    last: bytes | None


def _text(data: Any, count: int) -> bytes:
    return bytes(ffi.buffer(data, count)) if count else b""


def _number(v: Any) -> float | int:
    if v.type == lib.GPUSORT_VALUES_F64:
        return float(v.f64)
    return int(v.i64 if v.type == lib.GPUSORT_VALUES_I64 else v.u64)


def _value(v: Any) -> Value:
    return _text(v.text, v.bytes) if v.type == lib.GPUSORT_VALUES_TEXT else _number(v)


class Summary:
    """What is known of a stream. One that Stream.ask() gave, or a report, is good until the
    stream goes on; one of summarize() or load() for itself, until it is closed."""

    def __init__(self, pointer: Any, is_current: Callable[[], bool], close: Callable[[], None]) -> None:
        self._pointer, self._is_current, self._close = pointer, is_current, close

    @classmethod
    def load(cls, file: Path, memory: int | str | None = None) -> Summary:
        """From a file that save() or `gpusort stats --save` has written."""
        out, error = ffi.new("gpusort_summary **"), new_error()
        check(lib.gpusort_summary_load(out, name_of(file), size(memory), error), error)
        pointer = ffi.gc(out[0], lib.gpusort_summary_free)

        def close() -> None:
            ffi.release(pointer)

        return cls(pointer, lambda: True, close)

    @property
    def _open(self) -> Any:
        if self._pointer is None:
            raise ValueError("the summary is closed")
        if not self._is_current():
            raise ValueError("the summary is of a stream that has gone on since, or is closed")
        return self._pointer

    def save(self, file: Path) -> None:
        """To a file that has its name when it is complete: of all values of a stream, and
        neither exact nor of columns."""
        error = new_error()
        check(lib.gpusort_summary_save(self._open, name_of(file), error), error)

    def merge(self, other: Summary) -> None:
        """One that was loaded learns what the other knows, as if it were of one stream."""
        error = new_error()
        check(lib.gpusort_summary_merge(self._open, other._open, error), error)

    @property
    def info(self) -> Info:
        i = filled("summary_info")
        lib.gpusort_summary_describe(self._open, i)
        of_c: dict[str, Any] = {name: getattr(i, name) for name in Info._fields}
        of_c |= {"statistic": statistics[i.statistic], "values": types[i.values]}
        of_c |= {name: bool(of_c[name]) for name in ("is_end", "has_ranks")}
        return Info(**of_c)

    def quantile(self, phi: float, column: int = 0) -> float | int:
        """The value that a share of `phi` of all values does not exceed."""
        out, error = ffi.new("gpusort_value *"), new_error()
        check(lib.gpusort_summary_quantile(self._open, column, phi, out, error), error)
        return _number(out)

    def quantiles(self, phis: Iterable[float], column: int = 0) -> list[float | int]:
        return [self.quantile(phi, column) for phi in phis]

    def frequent(self, support: float = 0.0, column: int = 0, most: int | None = None) -> list[Count]:
        """The values that may have come as often as a share of `support`, the most frequent
        first, and `most` of them; with 0 of all that are known."""
        found: list[Count] = []
        out = ffi.new("gpusort_count *")
        while (most is None or len(found) < most) and lib.gpusort_summary_frequent(
            self._open, column, support, len(found), out
        ):
            found.append(Count(_value(out.value), out.count, out.rest))
        return found

    def prefixes(self, support: float) -> list[Count]:
        """The prefixes that a share of `support` may have, the most frequent first."""
        count, error = ffi.new("size_t *"), new_error()
        check(lib.gpusort_summary_find_prefixes(self._open, support, count, error), error)
        found: list[Count] = []
        out = ffi.new("gpusort_count *")
        for i in range(count[0]):
            lib.gpusort_summary_prefix(self._open, i, out)
            found.append(Count(_value(out.value), out.count, out.rest))
        return found

    def sum(self, aggregate: str = "average", *, phi: float = 0.5, times: float = 1.0, plus: float = 0.0) -> Sum:
        """The sum of y where x is at most times * aggregate + plus; the aggregate is of all x:
        "average", "least", "most" or "quantile", with its share `phi`."""
        if aggregate not in _aggregates:
            raise ValueError(f"no aggregate: {aggregate!r}")
        out, error = ffi.new("gpusort_sum *"), new_error()
        kind = getattr(lib, "GPUSORT_" + aggregate.upper())
        check(lib.gpusort_summary_sum(self._open, kind, phi, times, plus, out, error), error)
        return Sum(out.limit, out.least, out.most, out.total)

    def columns(self) -> list[Column]:
        """Those of a table."""
        found: list[Column] = []
        c = filled("column")
        while lib.gpusort_summary_column(self._open, len(found), c):
            least, most = (_number(c.least), _number(c.most)) if c.has_numbers else (None, None)
            first, last = (_text(c.first.text, c.first.bytes), _text(c.last.text, c.last.bytes)) if c.has_texts else (None, None)
            name = None if c.name == ffi.NULL else _text(c.name, c.name_bytes)
            of_c: dict[str, Any] = {n: getattr(c, n) for n in Column._fields[1:10]}
            found.append(Column(name, **of_c, least=least, most=most, first=first, last=last))
        return found

    def bins(self, count: int, column: int = 0) -> list[Bin]:
        """A column's numbers in so many parts of one width, or where most would be in the
        first, each as many times as wide as the one before. None: they do not differ."""
        if not 0 < count <= lib.GPUSORT_BINS_MAX:
            raise ValueError(f"{count} parts, and not 1 to {lib.GPUSORT_BINS_MAX}")
        out = ffi.new("gpusort_bin[]", count)
        if not lib.gpusort_summary_bins(self._open, column, out, count):
            return []
        return [Bin(b.begin, b.end, b.count) for b in out]

    def close(self) -> None:
        """Its memory goes."""
        if self._pointer is not None:
            self._pointer = None
            self._close()

    def __enter__(self) -> Summary:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._pointer is None or not self._is_current():
            return "<Summary, closed>"
        i = self.info
        return f"<Summary: {i.statistic} of {i.in_window} values>"
