# SPDX-License-Identifier: MIT
"""Files by name or URL: of this machine or a shared file system, which gpusort itself
reads and writes, and of any store that fsspec knows, which are read and written in parts.

What is written has its name when it is whole, and not before."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Iterator

from .errors import PassingTrouble, Trouble
from .store_file import StoreFile

BLOCK_BYTES = 8 << 20


@dataclass(frozen=True)
class File:
    url: str
    bytes: int
    version: str  # another one when the file was changed


def is_local(url: str) -> bool:
    return "://" not in url or url.startswith("file://")


def path_of(url: str) -> str:
    return url[len("file://") :] if url.startswith("file://") else url


def join(folder: str, name: str) -> str:
    return folder.rstrip("/") + "/" + name if folder.rstrip("/") else "/" + name


def _store(url: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError as e:
        raise Trouble(f"{url}: stores need the package fsspec (pip install fsspec)") from e
    try:
        return fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as e:
        raise Trouble(f"{url}: {e}") from e


def _named(e: OSError, url: str) -> str:
    """What it is of: in a folder the file or the folder below it."""
    is_below = is_local(url) and e.filename is not None and e.errno is not None
    return os.fsdecode(e.filename) if is_below else url


@contextmanager
def _asking(url: str) -> Iterator[None]:
    """Failures of a store by what they mean: its answer, or its silence."""
    try:
        yield
    except (Trouble, PassingTrouble, BrokenPipeError):
        raise
    except (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError) as e:
        raise Trouble(f"{_named(e, url)}: {os.strerror(e.errno) if e.errno else e}") from e
    except OSError as e:
        if is_local(url) and e.errno not in (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.ESTALE):
            raise Trouble(f"{_named(e, url)}: {os.strerror(e.errno) if e.errno else e}") from e
        raise PassingTrouble(f"{url}: {e}") from e
    except Exception as e:
        raise PassingTrouble(f"{url}: {type(e).__name__}: {e}") from e


# --- looking --------------------------------------------------------------------------


def _version(info: dict[str, Any]) -> str:
    for name in ("ETag", "etag", "md5Hash", "mtime", "LastModified", "created"):
        if info.get(name) is not None:
            return str(info[name])
    return ""


def _of(url: str, s: os.stat_result) -> File:
    return File(url, s.st_size, str(s.st_mtime_ns))


def look(url: str) -> File:
    with _asking(url):
        if is_local(url):
            s = os.stat(path_of(url))
            if stat.S_ISDIR(s.st_mode):
                raise IsADirectoryError(errno.EISDIR, "")
            return _of(url, s)
        fs, path = _store(url)
        info = fs.info(path)
        return File(url, int(info["size"] or 0), _version(info))


def _refuse(e: OSError) -> None:
    raise e


def expand(url: str) -> list[File]:
    """The file, or those in a folder and below it, in the order of their names' bytes. One
    that cannot be looked at is not left out: it is an error."""
    with _asking(url):
        if is_local(url):
            path = path_of(url)
            if not os.path.isdir(path):
                return [look(url)]
            walk = os.walk(path, onerror=_refuse)
            found = (os.path.join(at, n) for at, _, names in walk for n in names)
            looked = ((f, os.stat(f)) for f in sorted(found, key=os.fsencode))
            return [_of(f, s) for f, s in looked if stat.S_ISREG(s.st_mode)]
        fs, path = _store(url)
        if "*" not in path and fs.isfile(path):
            return [look(url)]
        found = fs.glob(path, detail=True) if "*" in path else fs.find(path, detail=True)
        files = [i for i in found.values() if i["type"] == "file"]
        if not files:
            raise FileNotFoundError(errno.ENOENT, "")
        files.sort(key=lambda i: i["name"].encode())
        return [
            File(fs.unstrip_protocol(i["name"]), int(i["size"] or 0), _version(i)) for i in files
        ]


def places(url: str, known: dict[str, Any]) -> Iterator[Any]:
    """What a file or a folder is, whatever name it was asked for by, and then the folders that
    it lies in. `known` keeps what was looked at."""
    with _asking(url):
        if not is_local(url):
            fs, path = _store(url)
            while path:
                yield type(fs), path
                path = path.rpartition("/")[0]
            return
        path, below = os.path.realpath(path_of(url)), ""
        while path != below:
            if path not in known:
                known[path] = _place(path)
            yield known[path]
            path, below = os.path.dirname(path), path


def _place(path: str) -> Any:
    try:
        s = os.stat(path)
        return s.st_dev, s.st_ino
    except FileNotFoundError:  # a link to nowhere
        return path


def names_in(folder: str) -> list[str]:
    """What lies in a folder, which need not be there."""
    with _asking(folder):
        if is_local(folder):
            path = path_of(folder)
            return sorted(os.listdir(path)) if os.path.isdir(path) else []
        fs, path = _store(folder)
        fs.invalidate_cache()
        if not fs.exists(path):
            return []
        return sorted(p.rstrip("/").rsplit("/", 1)[-1] for p in fs.ls(path, detail=False))


# --- reading --------------------------------------------------------------------------


def read_at(url: str, begin: int, count: int) -> bytes:
    """`count` bytes from `begin` on, or those that there are."""
    if count <= 0:
        return b""
    with _asking(url):
        if is_local(url):
            with open(path_of(url), "rb") as f:
                return os.pread(f.fileno(), count, begin)
        fs, path = _store(url)
        size = int(fs.info(path)["size"] or 0)
        return bytes(fs.cat_file(path, start=begin, end=min(begin + count, size))) if begin < size else b""


def read_whole(url: str) -> bytes:
    with _asking(url):
        if is_local(url):
            with open(path_of(url), "rb") as f:
                return f.read()
        fs, path = _store(url)
        return bytes(fs.cat_file(path))


def read_first(url: str, count: int) -> bytes:
    """The first bytes, also of a pipe or a device."""
    if not is_local(url):
        return read_at(url, 0, count)
    with _asking(url), open(path_of(url), "rb") as f:
        return f.read(count)


def read_blocks(url: str, begin: int, end: int, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    while begin < end:
        block = read_at(url, begin, min(size, end - begin))
        if not block:
            raise Trouble(f"{url}: ends at byte {begin}, before {end}: it was changed")
        yield block
        begin += len(block)


def copy_into(url: str, begin: int, end: int, to_fd: int) -> None:
    """Bytes of a file to a descriptor; of one of this machine without touching them."""
    if not is_local(url):
        for block in read_blocks(url, begin, end):
            write_all(to_fd, block)
        return
    with _asking(url), open(path_of(url), "rb") as f:
        while begin < end:
            sent = os.sendfile(to_fd, f.fileno(), begin, min(end - begin, 1 << 30))
            if sent == 0:
                raise Trouble(f"{url}: ends at byte {begin}, before {end}: it was changed")
            begin += sent


def write_all(fd: int, block: Any) -> None:
    view = memoryview(block)
    while len(view):
        view = view[os.write(fd, view) :]


# --- writing --------------------------------------------------------------------------


class Writer:
    """A file that gets its name by commit(); without it, it never was. On disk before that,
    if it syncs: to wait for a disk is to wait for all that others have left for it to write."""

    def __init__(self, url: str, syncs: bool = True) -> None:
        self.url = url
        self._syncs = syncs
        self._stored: StoreFile | None = None
        self._file: IO[bytes] | None = None
        with _asking(url):
            if not is_local(url):
                self._stored = StoreFile(*_store(url))
                return
            path = path_of(url)
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            fd, self._temporary = tempfile.mkstemp(
                prefix="." + os.path.basename(path) + ".", dir=os.path.dirname(path) or "."
            )
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(fd, 0o666 & ~mask)
            self._file = os.fdopen(fd, "wb", buffering=0)

    def write(self, block: Any) -> None:
        with _asking(self.url):
            if self._stored:
                self._stored.write(block)
            elif self._file:
                write_all(self._file.fileno(), block)

    def commit(self) -> None:
        with _asking(self.url):
            if self._stored:
                self._stored.commit()
            elif self._file:
                if self._syncs:
                    os.fsync(self._file.fileno())
                self._file.close()
                os.replace(self._temporary, path_of(self.url))
        self._file = self._stored = None

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            if self._stored:
                self._stored.discard()
            elif self._file:
                self._file.close()
                os.unlink(self._temporary)
        except Exception:  # what ended the writing is what counts
            pass


def write_whole(url: str, text: bytes, syncs: bool = True) -> None:
    with Writer(url, syncs) as w:
        w.write(text)
        w.commit()


def remove_folder(url: str) -> None:
    """With all that is in it, which need not be there."""
    with _asking(url):
        if is_local(url):
            shutil.rmtree(path_of(url))
        else:
            fs, path = _store(url)
            fs.rm(path, recursive=True)
            fs.invalidate_cache()


def remove(url: str) -> None:
    with _asking(url):
        if is_local(url):
            os.unlink(path_of(url))
        else:
            fs, path = _store(url)
            fs.rm(path)
            fs.invalidate_cache()
