# SPDX-License-Identifier: MIT
"""What a job is and how far it is, in a file beside its parts: a driver that died goes on
from there, and whoever gets the parts can tell if they are all there and undamaged.

It is written whole, each time under a temporary name first: when the plan stands, every
few seconds while parts are made, and at the end. A part that it does not know of yet is
made again, and gives the same bytes. It waits for the disk only where the parts do: of a sort
with --sync, and of an index. Else a machine that lost its power may have lost either."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

from . import files
from .errors import Trouble
from .plan import Chunk, Plan

NAME = "manifest.json"
SORT, INDEX = "gpusort-ray sort 2", "gpusort-ray index 2"
INDEX_OF_TERMS = "gpusort-ray index by terms 2"  # shards on the way, at the end one index
# Those of before, which do not say what gpusort they are of: they can be read, but no job
# goes on from them.
_BEFORE = {
    "gpusort-ray sort 1": SORT, "gpusort-ray index 1": INDEX,
    "gpusort-ray index by terms 1": INDEX_OF_TERMS,
}  # fmt: skip
_EVERY_SECONDS = 2.0


def _of_chunk(c: Chunk) -> dict[str, Any]:
    names = [[f.url, f.bytes, f.version] for f in c.files]
    return {"files": names} if c.is_whole else {"files": names, "begin": c.begin, "end": c.end}


class Manifest:
    def __init__(self, out: str, body: dict[str, Any], syncs: bool = True) -> None:
        self._out = out
        self._body = body
        self._syncs = syncs
        self._written = 0.0

    @classmethod
    def begin(
        cls, out: str, kind: str, options: list[str], plan: Plan, version: str,
        seed: bytes = b"", syncs: bool = True,
    ) -> Manifest:  # fmt: skip
        m = cls(out, {
            "format": kind, "gpusort": version, "complete": False, "options": options,
            "parts": plan.parts,
            "header_bytes": plan.header_bytes, "chunks": [_of_chunk(c) for c in plan.chunks],
            "splitters": None, "done": {}, "seed": seed.hex(),
        }, syncs)  # fmt: skip
        m.write()
        return m

    @classmethod
    def read(cls, out: str, *kinds: str, syncs: bool = True) -> Manifest:
        name = files.join(out, NAME)
        try:
            body = json.loads(files.read_whole(name))
            body["format"] = _BEFORE.get(body["format"], body["format"])
            if body["format"] not in kinds:
                raise Trouble(f"{name}: its format is {body['format']}, not {' or '.join(kinds)}")
        except (ValueError, KeyError, TypeError) as e:
            raise Trouble(f"{name}: is not a manifest: {e}") from e
        return cls(out, body, syncs)

    def check_same(self, options: list[str], plan: Plan, version: str) -> None:
        """May this job go on from there? Chunks and parts must be those of before, and parts
        that are there in the order of those to come."""
        name = files.join(self._out, NAME)
        begun_with = self._body.get("gpusort", "a gpusort that it does not name")
        if begun_with != version:
            raise Trouble(
                f"{name}: was begun with {begun_with}, and this is {version}: --gpusort names the one "
                "of before, --replace instead of --resume begins anew"
            )
        if self._body["options"] != options:
            raise Trouble(f"{name}: was begun with other options: {' '.join(self._body['options'])}")
        before = {tuple(f) for c in self._body["chunks"] for f in c["files"]}
        now = {(f.url, f.bytes, f.version) for c in plan.chunks for f in c.files}
        for url, *_ in sorted(before ^ now):
            raise Trouble(f"{url}: was changed, added or left out since {name} was written")
        if self._body["header_bytes"] != plan.header_bytes:
            raise Trouble(
                f"{name}: was begun with another --header: of {self._body['header_bytes']} bytes, "
                f"which is now of {plan.header_bytes}"
            )

    @property
    def plan(self) -> Plan:
        """As it was when the job was begun."""
        chunks = []
        for c in self._body["chunks"]:
            names = tuple(files.File(*f) for f in c["files"])
            is_range = "begin" in c
            chunks.append(Chunk(names, c.get("begin", 0), c.get("end", 0), not is_range))
        return Plan(tuple(chunks), self._body["parts"], self._body["header_bytes"])

    @property
    def seed(self) -> bytes:
        """Of a shuffle: without it another order would come out."""
        return bytes.fromhex(self._body.get("seed", ""))

    @property
    def splitters(self) -> bytes | None:
        text = self._body["splitters"]
        return None if text is None else base64.b64decode(text)

    def cut(self, parts: int, splitters: bytes) -> None:
        """So many parts come out, cut by these."""
        self._body["parts"] = parts
        self._body["splitters"] = base64.b64encode(splitters).decode()
        self.write()

    @property
    def done(self) -> dict[int, tuple[int, str]]:
        """Parts that are there: their bytes and checksums; of an index the documents of
        shards and nothing."""
        return {int(part): (v[0], v[1]) for part, v in self._body["done"].items()}

    @property
    def kind(self) -> str:
        return str(self._body["format"])

    @property
    def ranges(self) -> frozenset[int]:
        """Of terms, those that are merged."""
        return frozenset(self._body.get("ranges", []))

    def add_range(self, number: int) -> None:
        self._body.setdefault("ranges", []).append(number)
        self.write()

    @property
    def parts(self) -> int:
        return int(self._body["parts"])

    @property
    def is_complete(self) -> bool:
        return bool(self._body["complete"])

    def forget(self, part: int) -> None:
        self._body["done"].pop(str(part), None)

    def add(self, part: int, size: int, checksum: str) -> None:
        self._body["done"][str(part)] = [size, checksum]
        if time.monotonic() - self._written > _EVERY_SECONDS:
            self.write()

    def complete(self) -> None:
        self._body["complete"] = True
        self.write()

    def write(self) -> None:
        text = json.dumps(self._body, indent=1).encode()
        files.write_whole(files.join(self._out, NAME), text, self._syncs)
        self._written = time.monotonic()
