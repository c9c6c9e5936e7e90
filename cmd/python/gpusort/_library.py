# SPDX-License-Identifier: MIT
"""The C library: where it is, its failures as exceptions, and long calls that Ctrl-C stops.

What the library looks like comes from gpusort.h itself, which the wheel was built with
(`_header`, see ../wheel.py).
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import threading
import time
from importlib import import_module
from typing import Any, Callable, NamedTuple, Protocol, TypedDict, TypeVar, Union

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

# Nobody knows the types of what the header says before there is one.
ffi: Any = import_module("._header", __package__).ffi


def _open() -> Any:
    """The library in $GPUSORT_LIBRARY, else beside this file, else the system's."""
    named = os.environ.get("GPUSORT_LIBRARY")
    beside = pathlib.Path(__file__).with_name("libgpusort.so.0")
    return ffi.dlopen(named or (str(beside) if beside.exists() else "libgpusort.so.0"))


lib: Any = _open()


class Memory(Protocol):
    """What shows its memory as numpy's arrays do."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...


Array = TypeVar("Array", bound=Memory)


class Error(Exception):
    """What a job of gpusort could not do. `code` is its name, `hint` what may help."""

    code: str = "ERROR"
    hint: str | None = None


class FormatError(Error):
    """An input, an index or a temporary file is not what it should be."""


class LimitError(Error):
    """A documented limit was reached."""


class GPUError(Error):
    """A GPU failed where no core could do the work instead."""


class Cancelled(Error):
    """A progress function returned something true."""


class IOFailure(Error, OSError):
    """A call on a file failed; `errno` says why."""


class MemoryFailure(Error, MemoryError):
    """Memory could not be had."""


class ArgumentError(Error, ValueError):
    """Something impossible was asked for."""


_exceptions = {
    "GPUSORT_IO": IOFailure,
    "GPUSORT_NOMEM": MemoryFailure,
    "GPUSORT_FORMAT": FormatError,
    "GPUSORT_ARG": ArgumentError,
    "GPUSORT_LIMIT": LimitError,
    "GPUSORT_GPU": GPUError,
    "GPUSORT_CANCELLED": Cancelled,
}


def new_error() -> Any:
    return ffi.new("gpusort_error *")


def filled(type: str) -> Any:
    """A structure that begins with its size."""
    out = ffi.new(f"gpusort_{type} *")
    out.size = ffi.sizeof(f"gpusort_{type}")
    return out


def exception_of_question(question: Any) -> Error:
    """Of one query of several."""
    error = new_error()
    error.code, error.hint = question.code, question.hint
    error.message = ffi.string(question.message)
    return exception_of(error)


def exception_of(error: Any) -> Error:
    name = ffi.typeof("gpusort_code").elements[error.code]
    message = ffi.string(error.message).decode("utf-8", "replace")
    exception = _exceptions[name](message)
    if error.system_error:
        setattr(exception, "errno", error.system_error)
    exception.code = name.removeprefix("GPUSORT_")
    if error.hint != ffi.NULL:
        hint: str = ffi.string(error.hint).decode()
        exception.hint = hint
        if hasattr(exception, "add_note"):
            exception.add_note(hint)
    return exception


def check(code: int, error: Any) -> None:
    if code != lib.GPUSORT_OK:
        raise exception_of(error)


class Progress(NamedTuple):
    """How far a job is."""

    input_bytes: int
    input_bytes_total: int
    records: int
    output_bytes: int
    spilled_bytes: int


_levels = ("error", "warning", "info")


class CommonOptions(TypedDict, total=False):
    """What streams take as well; see libgpusort(3)."""

    memory: int | str | None
    threads: int
    temp: Path | list[Path] | None
    engine: str | None
    gpu_memory: int | str | None
    gpus: list[int]
    log: Callable[[str, str], Any] | None


class JobOptions(CommonOptions, total=False):
    """What every long call takes."""

    progress: Callable[[Progress], Any] | None


def name_of(value: Path) -> bytes:
    """As C has it, where a zero would end it."""
    name = os.fsencode(value)
    if b"\0" in name:
        raise ValueError(f"a name with a zero inside: {value!r}")
    return name


class Job:
    """The `job` of a call's options, and what must live as long as the call."""

    def __init__(
        self,
        memory: int | str | None = None,
        threads: int = 0,
        temp: Path | list[Path] | None = None,
        engine: str | None = None,
        gpu_memory: int | str | None = None,
        gpus: list[int] | None = None,
        progress: Callable[[Progress], Any] | None = None,
        log: Callable[[str, str], Any] | None = None,
    ) -> None:
        self._alive: list[Any] = []
        self._ends = contextlib.ExitStack()
        self._failure: BaseException | None = None
        self._cancel = ffi.new("int *", 0)
        folders = [] if temp is None else temp if isinstance(temp, (list, tuple)) else [temp]
        self._values = {
            "memory_bytes": size(memory),
            "threads": threads,
            "temp_folders": self.paths(folders),
            "temp_folder_count": len(folders),
            "engine": self.text(engine),
            "gpu_memory_bytes": size(gpu_memory),
            "gpus": self.keep(ffi.new("int[]", gpus or [])),
            "gpu_count": len(gpus or []),
            "cancel": self._cancel,
        }
        if progress is not None:
            self._values["progress"] = self.function("gpusort_job", "progress", self._show(progress))
        if log is not None:
            self._values["log"] = self.function("gpusort_job", "log", self._tell(log))

    def fill(self, job: Any) -> None:
        for name, value in self._values.items():
            setattr(job, name, value)

    def text(self, value: Path | None) -> Any:
        if value is None:
            return ffi.NULL
        return self.keep(ffi.new("char[]", name_of(value)))

    def paths(self, values: list[Any]) -> Any:
        return self.keep(ffi.new("const char *[]", [self.text(v) for v in values]))

    def keep(self, thing: Any) -> Any:
        self._alive.append(thing)
        return thing

    def borrow(self, thing: Any, kind: str = "char[]", is_written: bool = False) -> Any:
        """The memory of an array, which nobody resizes before the call is over."""
        view = ffi.from_buffer(kind, thing, require_writable=is_written)
        self._ends.callback(ffi.release, view)
        return view

    def open(self, path: Path) -> int:
        """A descriptor to read from until the call is over."""
        return self._ends.enter_context(open(path, "rb", buffering=0)).fileno()

    def end(self) -> None:
        """The call is over."""
        self._ends.close()

    def function(self, struct: str, member: str, function: Callable[..., Any]) -> Any:
        kind = dict(ffi.typeof(struct).fields)[member].type
        return self.keep(ffi.callback(kind, function))

    def _show(self, progress: Callable[[Progress], Any]) -> Callable[[Any, Any], int]:
        def show(_context: Any, now: Any) -> int:
            try:
                is_over = progress(Progress(*(getattr(now, name) for name in Progress._fields)))
                return 1 if is_over else 0
            except BaseException as e:  # told by run()
                self.fail(e)
                return 1

        return show

    def taker(self, function: Callable[[bytes], Any]) -> Callable[[Any, Any, int], int]:
        """Gets the output of the call, piece by piece."""

        def take(_context: Any, text: Any, count: int) -> int:
            try:
                function(bytes(ffi.buffer(text, count)))
                return 0
            except BaseException as e:
                self.fail(e)
                return 1

        return take

    def _tell(self, log: Callable[[str, str], Any]) -> Callable[[Any, int, Any], None]:
        def tell(_context: Any, level: int, text: Any) -> None:
            try:
                log(_levels[level], ffi.string(text).decode("utf-8", "replace"))
            except BaseException as e:
                self.fail(e)
                self.cancel()

        return tell

    def cancel(self) -> None:
        self._cancel[0] = 1

    def run(self, call: Callable[..., int], *arguments: Any) -> None:
        """call(*arguments, error), in a thread of its own: so Ctrl-C is heard meanwhile. The
        thread holds all that the call uses, whatever becomes of who waits for it."""
        error = new_error()
        codes: list[int] = []
        begins = threading.Lock()  # taken by the thread, or by who wants it no more
        over = threading.Event()

        def work() -> None:
            if not begins.acquire(blocking=False):
                return
            try:
                codes.append(call(*arguments, error))
            except BaseException as e:  # the arguments are wrong
                self.fail(e)
            finally:
                self.end()
                over.set()

        interrupt: BaseException | None = None
        try:
            try:
                threading.Thread(target=work, daemon=True).start()
                over.wait()
            except BaseException as e:  # KeyboardInterrupt, or what a handler raises
                self.cancel()
                interrupt = e
                if not begins.acquire(blocking=False):
                    self._wait_for_end(over)
            if interrupt is not None:
                raise interrupt
            self.raise_failure()
            check(codes[0], error)
        finally:
            del interrupt  # which knows of this frame

    @staticmethod
    def _wait_for_end(over: threading.Event) -> None:
        """Of a call that is told to stop. That takes a moment, unless it writes to somebody who
        does not read: who interrupts again after a second is not kept. (Thread.join() that was
        interrupted may take the thread for ended.)"""
        since = time.monotonic()
        while not over.is_set():
            try:
                over.wait()
            except BaseException:
                if time.monotonic() - since > 1:
                    break

    def fail(self, failure: BaseException) -> None:
        """A function of the caller's has raised that."""
        self._failure = self._failure or failure

    def raise_failure(self) -> None:
        """What a function of the caller's has raised."""
        failure, self._failure = self._failure, None
        try:
            if failure is not None:
                raise failure
        finally:
            del failure


_units = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def size(value: int | str | None) -> int:
    """Bytes: a number, or a text such as "512M" or "2G"."""
    if value is None:
        return 0
    if isinstance(value, int):
        return value
    text = value.strip().lower().removesuffix("ib").removesuffix("b") if len(value) > 1 else value
    number, unit = (text, "") if text[-1:].isdigit() else (text[:-1], text[-1:])
    if unit not in _units or not number.replace(".", "", 1).isdigit():
        raise ValueError(f"no size: {value!r}")
    return int(float(number) * _units[unit])
