# SPDX-License-Identifier: MIT
"""The program that does the work: found, started, and its failures understood."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from typing import IO, Any, Callable, Iterator, Tuple

from .errors import PassingTrouble, Trouble

_PIPE_BYTES = 1 << 20
_LISTEN_MS = 300  # a task that waits for its gpusort hears so often that it is cancelled
# Copies of documents lie in folders called by their buckets, of which none begins with a dot.
_LOCK, _STATS = ".lock", ".stats"
# What one node or one moment may say, and another may not.
_PASSES = re.compile(
    r"No space left|quota exceeded|Input/output error|Stale file|out of memory|Cannot allocate",
    re.IGNORECASE,
)


def find(asked: str = "") -> str:
    """`asked`, $GPUSORT, the one in the package, or that of $PATH."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "gpusort")
    for name in (asked, os.environ.get("GPUSORT", "")):
        if name:
            found = shutil.which(name)
            if not found:
                raise Trouble(f"{name}: no such program on {os.uname().nodename}")
            return found
    found = inside if os.access(inside, os.X_OK) else shutil.which("gpusort")
    if not found:
        raise Trouble(f"gpusort is not installed on {os.uname().nodename}: say where with --gpusort")
    return found


def version_of(program: str) -> str:
    """What it says: records of another version may be in another order."""
    return run([program, "--version"]).decode(errors="replace").strip()


def find_same(asked: str, version: str) -> str:
    """The program on this node, which must be the one that the job was begun with: what two
    versions put in order must not be merged."""
    program = find(asked)
    here = version_of(program)
    if here != version:
        raise Trouble(
            f"{program} on {os.uname().nodename} is {here}, and the job's is {version}: "
            "install the same gpusort on all nodes"
        )
    return program


def _die_with_parent() -> None:
    """A task that is killed takes its gpusort with it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


def _start(words: list[str], **more: Any) -> subprocess.Popen[bytes]:
    """The same by setpriv where that is: to do something in the child itself costs a copy of
    all page tables of a worker, ten times what a program takes to start."""
    setpriv = shutil.which("setpriv")
    if setpriv:
        return subprocess.Popen([setpriv, "--pdeathsig", "KILL", "--", *words], **more)
    return subprocess.Popen(words, preexec_fn=_die_with_parent, **more)


def _widen(pipe: IO[bytes]) -> None:
    """As much as goes through it at a time; where that is not granted it is slower."""
    try:
        fcntl.fcntl(pipe, getattr(fcntl, "F_SETPIPE_SZ", 1031), _PIPE_BYTES)
    except OSError:
        pass


Locale = Tuple[Tuple[str, str], ...]  # names of the environment and what they stand for

# What gpusort --locale-order looks at.
_CATEGORIES = ("LC_COLLATE", "LC_CTYPE", "LC_NUMERIC", "LC_TIME")


def locale_here() -> Locale:
    """That of this process, as setlocale() finds it in the environment."""
    said = os.environ.get
    return tuple(
        (name, said("LC_ALL") or said(name) or said("LANG") or "C") for name in _CATEGORIES
    )


def _environment(locale: Locale) -> dict[str, str]:
    """That of the node, but for its locale: the order is the same on all, and what is said is
    English, as _PASSES is."""
    is_kept = lambda name: name not in ("LANG", "LANGUAGE") and not name.startswith("LC_")  # noqa: E731
    kept = {name: value for name, value in os.environ.items() if is_kept(name)}
    return {**kept, "LANG": "C", **dict(locale)}


class Run:
    """One gpusort, perhaps fed from here, perhaps read from here."""

    def __init__(
        self,
        words: list[str],
        feed: Callable[[int], None] | None = None,
        folder: str | None = None,
        locale: Locale = (),
    ) -> None:
        self._words = words
        self._locale = locale
        self._folder = folder
        self._feed = feed
        self._failure: BaseException | None = None

    def __enter__(self) -> Run:
        self._complaints = tempfile.TemporaryFile()
        self._child = _start(
            self._words,
            stdin=subprocess.DEVNULL if self._feed is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            cwd=self._folder,
            env=_environment(self._locale),
        )
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                _widen(pipe)
        self._feeder: threading.Thread | None = None
        if self._feed is not None:
            self._feeder = threading.Thread(target=self._work, daemon=True)
            self._feeder.start()
        return self

    def _work(self) -> None:
        assert self._feed is not None and self._child.stdin is not None
        try:
            self._feed(self._child.stdin.fileno())
        except BrokenPipeError:
            pass  # what ended it says why
        except BaseException as e:  # joined with the child's end
            self._failure = e
            self._child.kill()
        finally:
            try:
                self._child.stdin.close()
            except BrokenPipeError:
                pass

    def blocks(self) -> Iterator[bytes]:
        assert self._child.stdout is not None
        fd = self._child.stdout.fileno()
        coming = select.poll()
        coming.register(fd, select.POLLIN)
        block = b"more"
        while block:
            while not coming.poll(_LISTEN_MS):
                pass
            block = os.read(fd, 1 << 20)
            if block:
                yield block

    def finish(self, good: tuple[int, ...] = (0,)) -> None:
        for _ in self.blocks():
            pass
        code = self._child.wait()
        if self._feeder:
            self._feeder.join()
        if self._failure:
            raise self._failure
        if code not in good:
            raise self._trouble(code)

    def _trouble(self, code: int) -> Exception:
        self._complaints.seek(0)
        said = self._complaints.read().decode(errors="replace").strip() or (
            f"{os.path.basename(self._words[0])} {self._words[1]} was ended by signal {-code}"
        )
        text = f"{said} (on {os.uname().nodename})"
        return (PassingTrouble if code < 0 or _PASSES.search(said) else Trouble)(text)

    def __exit__(self, *_: object) -> None:
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()
        if self._feeder:
            self._feeder.join()
        assert self._child.stdout is not None
        self._child.stdout.close()
        self._complaints.close()


def run(
    words: list[str],
    feed: Callable[[int], None] | None = None,
    good: tuple[int, ...] = (0,),
    folder: str | None = None,
    locale: Locale = (),
) -> bytes:
    """To its end; what it wrote, which is little. Codes that are `good` are no trouble, if
    anything was written."""
    with Run(words, feed, folder, locale) as child:
        said = b"".join(child.blocks())
        child.finish(good if said else (0,))
        return said


def measured(
    words: list[str],
    folder: str,
    feed: Callable[[int], None] | None = None,
    locale: Locale = (),
) -> dict[str, Any]:
    """To its end, in the folder; what it says of itself: --stats."""
    told = os.path.join(folder, _STATS)
    run([*words, f"--stats={told}"], feed, folder=folder, locale=locale)
    with open(told) as f:
        stats: dict[str, Any] = json.load(f)
    return stats


def used_seconds() -> float:
    """Of cores, by this process and those that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


# --- room for files of a task -----------------------------------------------------------


def _sweep(base: str) -> None:
    """What tasks left that were killed: folders whose lock nobody holds, or that have none."""
    for name in os.listdir(base):
        folder = os.path.join(base, name)
        if not name.startswith("gpusort-ray."):
            continue
        try:
            with open(os.path.join(folder, _LOCK), "rb") as f:
                fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(folder)
        except FileNotFoundError:
            _remove_empty(folder)
        except OSError:
            pass  # another's, or not a task's


def _remove(folder: str) -> None:
    """The lock goes last: who is cancelled meanwhile leaves something to sweep."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name == _LOCK:
            continue
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
            continue
        with suppress(OSError):
            os.unlink(path)
    shutil.rmtree(folder, ignore_errors=True)


def _remove_empty(folder: str) -> None:
    """Who has just made it, and no lock there yet, makes another one."""
    with suppress(OSError):  # gone meanwhile, or somebody's
        os.rmdir(folder)


def _new_folder(base: str) -> tuple[str, IO[bytes]]:
    while True:
        folder = tempfile.mkdtemp(prefix="gpusort-ray.", dir=base)
        try:
            lock = open(os.path.join(folder, _LOCK), "wb")
        except FileNotFoundError:
            continue  # one who swept was faster
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(lock.name):
            return folder, lock
        lock.close()  # the same


def room_in(asked: str) -> int:
    """Bytes that are free where temporary files go on this node, once those have gone that
    killed tasks left."""
    base = asked or tempfile.gettempdir()
    try:
        os.makedirs(base, exist_ok=True)
        _sweep(base)
        return shutil.disk_usage(base).free
    except OSError as e:
        raise PassingTrouble(f"{base} on {os.uname().nodename}: {e}") from e


@contextmanager
def scratch(asked: str, needed_bytes: int) -> Iterator[str]:
    """A folder of this task, or of the driver, on its node's disk, if that has room for what
    comes."""
    base = asked or tempfile.gettempdir()
    free = room_in(asked)
    if free < needed_bytes:
        raise PassingTrouble(
            f"{base} on {os.uname().nodename} has {free >> 20} MiB free, "
            f"and {needed_bytes >> 20} are needed: No space left on device"
        )
    try:
        folder, lock = _new_folder(base)
    except OSError as e:
        raise PassingTrouble(f"{base} on {os.uname().nodename}: {e}") from e
    try:
        yield folder
    except OSError as e:
        raise PassingTrouble(f"{folder} on {os.uname().nodename}: {e}") from e
    finally:
        with suppress(OSError):
            _remove(folder)
        lock.close()
