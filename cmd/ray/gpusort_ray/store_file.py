# SPDX-License-Identifier: MIT
"""A file of a store that is being written, and has its name when it is whole.

What fsspec knows as a store is of one of three kinds:

    keeps back   its files do nothing for good until commit(): S3, Google's, FTP
    objects      its files have no commit() of their own, and it moves only by copying, as
                 stores of whole objects do: Azure. There is one when close() sends its last
                 block; to copy it afterwards would cost as much again, and Azure's copies go
                 on after they were asked for, so that nobody knows when the first one may go.
    moves        all others: HDFS, SFTP. A file is there from when it is opened; it is written
                 under a temporary name beside its own, and moved."""

from __future__ import annotations

import secrets
from typing import Any

_BLOCK_BYTES = 32 << 20


def _open(fs: Any, path: str, commits: bool) -> Any:
    return fs.open(path, "wb", block_size=_BLOCK_BYTES, autocommit=commits)


def _is_buffered(file: Any) -> bool:
    from fsspec.spec import AbstractBufferedFile

    return isinstance(file, AbstractBufferedFile)


def _is_kept_back(file: Any) -> bool:
    """Until commit(), which its class has to have thought of: what it inherits does nothing."""
    from fsspec.spec import AbstractBufferedFile as Base

    kind = type(file)
    return _is_buffered(file) and kind.commit is not Base.commit and kind.discard is not Base.discard


def _is_object(fs: Any, file: Any) -> bool:
    from fsspec.spec import AbstractFileSystem as Base

    moves = any(getattr(type(fs), n, None) is not getattr(Base, n, None) for n in ("mv", "mv_file"))
    return _is_buffered(file) and not moves


def _let_go(file: Any) -> None:
    """Without closing a buffered file, which would send what it has not sent yet."""
    if _is_buffered(file):
        file.closed = True
    else:
        file.close()


class StoreFile:
    def __init__(self, fs: Any, path: str) -> None:
        self._fs, self._path = fs, path
        folder, slash, name = path.rpartition("/")
        # As temporary names on this machine are: out_folder.py knows them.
        self._temporary = f"{folder}{slash}.{name}.{secrets.token_hex(4)}"
        self._file = _open(fs, self._temporary, True)
        self._is_kept_back = _is_kept_back(self._file)
        if self._is_kept_back or _is_object(fs, self._file):
            _let_go(self._file)  # of which the store knows nothing yet
            self._temporary = ""
            self._file = _open(fs, path, not self._is_kept_back)

    def write(self, block: Any) -> None:
        self._file.write(block)

    def commit(self) -> None:
        self._file.close()
        if self._is_kept_back:
            self._file.commit()
        elif self._temporary:
            self._move()
        self._fs.invalidate_cache()

    def _move(self) -> None:
        try:
            self._fs.mv(self._temporary, self._path)
        except FileExistsError:  # a store that moves to new names only
            self._fs.rm(self._path)
            self._fs.mv(self._temporary, self._path)

    def discard(self) -> None:
        """Of what was not committed nothing stays."""
        try:
            if self._is_kept_back:
                self._file.discard()
        finally:
            _let_go(self._file)
            if self._temporary:
                self._fs.rm(self._temporary)
