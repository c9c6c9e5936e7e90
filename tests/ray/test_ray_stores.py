# SPDX-License-Identifier: MIT
"""Stores of other kinds than S3, made up here of what fsspec has: what is written to them is
there whole or not at all, and what is fetched from them is what was asked for. No cluster."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import fsspec
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem
from gpusort_ray import chunks, files, out_folder, plan
from gpusort_ray.errors import PassingTrouble, Trouble
from gpusort_ray.index_options import parse_index
from gpusort_ray.sort_options import parse_sort


class Objects(AbstractFileSystem):
    """What all stores here have: objects by their whole names, in `held`."""

    cachable = False
    held: dict[str, bytes] = {}

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        if path in self.held:
            return {"name": path, "size": len(self.held[path]), "type": "file", "ETag": str(hash(self.held[path]))}
        if any(name.startswith(path + "/") for name in self.held):
            return {"name": path, "size": 0, "type": "directory"}
        raise FileNotFoundError(path)

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        path = self._strip_protocol(path)
        below = {path + "/" + n[len(path) + 1 :].split("/")[0] for n in self.held if n.startswith(path + "/")}
        return [self.info(n) if detail else n for n in sorted(below)]

    def find(self, path: str, detail: bool = False, **_: Any) -> Any:
        """As a store that lists by prefix: names are no paths."""
        below = [n for n in sorted(self.held) if n.startswith(self._strip_protocol(path) + "/")]
        return {n: self.info(n) for n in below} if detail else below

    def cat_file(self, path: str, start: int = 0, end: int | None = None, **_: Any) -> bytes:
        return self.held[self._strip_protocol(path)][start:end]

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        raise NotImplementedError("it would be sent twice")

    def _rm(self, path: str) -> None:
        del self.held[self._strip_protocol(path)]


class SentAtTheEnd(AbstractBufferedFile):
    """Has the commit() of its base, which does nothing: the last block, sent by close(), makes
    the object."""

    def _initiate_upload(self) -> None:
        self.sent = b""

    def _upload_chunk(self, final: bool = False) -> bool:
        self.sent += self.buffer.getvalue()
        if final:
            self.fs.held[self.path] = self.sent
        return True


class Sending(Objects):
    protocol = "sending"

    def _open(self, path: str, mode: str = "rb", block_size: int = 0, **more: Any) -> Any:
        return SentAtTheEnd(self, path, mode, block_size=1 << 18, **more)


class KeptBack(SentAtTheEnd):
    def _upload_chunk(self, final: bool = False) -> bool:
        self.sent += self.buffer.getvalue()
        if final and self.autocommit:
            self.commit()
        return True

    def commit(self) -> None:
        self.fs.held[self.path] = self.sent

    def discard(self) -> None:
        self.sent = b""


class Keeping(Objects):
    protocol = "keeping"

    def _open(self, path: str, mode: str = "rb", block_size: int = 0, **more: Any) -> Any:
        return KeptBack(self, path, mode, block_size=1 << 18, **more)


class Stream:
    """There from when it is opened, and has no commit()."""

    def __init__(self, fs: Objects, path: str) -> None:
        self.fs, self.path = fs, path
        fs.held[path] = b""

    def write(self, block: Any) -> None:
        self.fs.held[self.path] += bytes(block)

    def close(self) -> None:
        pass


class Streaming(Objects):
    protocol = "streaming"

    def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        return Stream(self, path)

    def mv(self, path1: str, path2: str, **_: Any) -> None:
        self.held[path2] = self.held.pop(path1)


class Appended(AbstractBufferedFile):
    """There from its first block on, and has no commit() of its own."""

    def _initiate_upload(self) -> None:
        self.fs.held[self.path] = b""

    def _upload_chunk(self, final: bool = False) -> bool:
        self.fs.held[self.path] += self.buffer.getvalue()
        return True


class Appending(Objects):
    protocol = "appending"

    def _open(self, path: str, mode: str = "rb", block_size: int = 0, **more: Any) -> Any:
        return Appended(self, path, mode, block_size=1 << 18, **more)

    def mv(self, path1: str, path2: str, **_: Any) -> None:
        """As some do, to a new name only."""
        if path2 in self.held:
            raise FileExistsError(path2)
        self.held[path2] = self.held.pop(path1)


STORES = (Sending, Keeping, Streaming, Appending)
for store in STORES:
    fsspec.register_implementation(store.protocol, store, clobber=True)


class Stores(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory(prefix="gpusort-ray-test.")
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        for store in STORES:
            store.held = {}


class Written(Stores):
    size = 1 << 20  # several blocks

    def check_held(self, held: dict[str, bytes], want: dict[str, bytes]) -> None:
        self.assertTrue(held == want, {name: len(text) for name, text in held.items()})

    def check_each(self, url: str, held: dict[str, bytes]) -> None:
        name = url.partition("://")[2]
        whole, other = b"a" * self.size, b"b" * self.size
        with files.Writer(url) as w:
            w.write(whole)
            self.assertNotIn(name, held.keys())
            left = [n.rsplit("/", 1)[1] for n in held]
            self.assertEqual(out_folder.left_of(left), left)
            w.commit()
        self.check_held(held, {name: whole})
        with self.assertRaises(KeyError):
            with files.Writer(url) as w:
                w.write(other)
                self.check_held({name: held[name]}, {name: whole})
                raise KeyError
        self.check_held(held, {name: whole})
        files.write_whole(url, other)
        self.check_held(held, {name: other})
        files.write_whole(url, b"")
        self.check_held(held, {name: b""})

    def test_whole_or_not_at_all(self) -> None:
        for store in STORES:
            with self.subTest(store.protocol):
                self.check_each(f"{store.protocol}://bucket/out/part-00000", store.held)

    def test_what_cannot_be_sent_leaves_nothing(self) -> None:
        for file in (SentAtTheEnd, KeptBack, Appended):
            for kind in STORES:
                kind.held = {}
            true_send = file._upload_chunk

            def send(self: Any, final: bool = False) -> bool:
                if final:
                    raise OSError("not now")
                return true_send(self, final)

            url = {SentAtTheEnd: "sending", KeptBack: "keeping", Appended: "appending"}[file] + "://b/part-00000"
            with mock.patch.object(file, "_upload_chunk", send):
                with self.assertRaisesRegex(PassingTrouble, "part-00000: not now"):
                    files.write_whole(url, b"a" * self.size)
            for kind in STORES:
                self.check_held(kind.held, {})

    def test_what_cannot_be_moved_leaves_nothing(self) -> None:
        for store in (Streaming, Appending):
            with mock.patch.object(store, "mv", side_effect=OSError("not now")):
                with self.assertRaisesRegex(PassingTrouble, "part-00000: not now"):
                    files.write_whole(f"{store.protocol}://bucket/part-00000", b"abc")
            self.assertEqual(store.held, {})


class Fetched(Stores):
    """Objects whose copies have the same name, of one store and of two."""

    def setUp(self) -> None:
        super().setUp()
        for store, names in ((Keeping, ("b/a/k", "b/a//k", "b/k", "b/k/l")), (Sending, ("b/k",))):
            store.held = {name: f"{store.protocol}://{name}\n".encode() for name in names}
        urls = [f"{s.protocol}://{name}" for s in (Keeping, Sending) for name in s.held]
        self.chunk = plan.Chunk(tuple(files.look(url) for url in urls))
        self.want = sorted(url.encode() + b"\n" for url in urls)

    def names_of(self, words: list[str]) -> list[str]:
        text = Path(words[0].partition("=")[2]).read_text()
        return text.split("\0")[:-1]

    def test_each_object_once(self) -> None:
        o, _ = parse_sort([])
        words, _ = chunks.input_of(self.chunk, o, str(self.folder))
        got = [(self.folder / name).read_bytes() for name in self.names_of(words)]
        self.assertEqual(sorted(got), self.want)

    def test_documents_have_the_names_of_the_store_or_none(self) -> None:
        o, _ = parse_index([])
        words, _ = chunks.input_of(
            plan.Chunk(self.chunk.files[:1]), o, str(self.folder), keeps_names=True
        )
        self.assertEqual(self.names_of(words), ["b/a/k"])
        for at in ([0, 1], [2, 4], [2, 3], [3, 2]):
            with self.subTest(at), tempfile.TemporaryDirectory(dir=self.folder) as folder:
                some = plan.Chunk(tuple(self.chunk.files[i] for i in at))
                with self.assertRaisesRegex(Trouble, f"^{some.files[1].url}: .*same name"):
                    chunks.input_of(some, o, folder, keeps_names=True)


if __name__ == "__main__":
    unittest.main()
