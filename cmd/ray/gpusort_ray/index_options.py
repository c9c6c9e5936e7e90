# SPDX-License-Identifier: MIT
"""The options of `gpusort-ray index`: its own, and those of `gpusort index build`."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from .arguments import FLAG, VALUE, count_of, scan
from .errors import Usage
from .files import File
from .job_options import JOB_TABLE, JobOptions

_HANDED_ON = {
    **{
        name: FLAG
        for name in """--skip-bad --no-decompress --no-fold --fold --positions --store
        --docnames --reorder""".split()
    },
    **{
        name: VALUE
        for name in """--format --id-field --text-field --tokenizer --stopwords --min-len
        --max-len --stem --method""".split()
    },
}

_REFUSED = {
    "--checkpoint": "the manifest in --out is one: --resume goes on from it",
    "-o": "the result is a folder of shards: --out", "--output": "it is called --out",
    "--parallel": "--cpus says how many cores a task has",
}  # fmt: skip

_TABLE = {
    **_HANDED_ON,
    **{name: VALUE for name in _REFUSED},
    **JOB_TABLE,
    "--shards": VALUE, "--by-terms": VALUE, "--unique-ids": FLAG,
}

# Of these a document is a line.
_LINES = {"jsonl": "jsonl", "ndjson": "jsonl", "tsv": "tsv"}


@dataclass
class IndexOptions:
    job: JobOptions = field(default_factory=JobOptions)
    handed_on: list[str] = field(default_factory=list)
    format: str = ""
    end: bytes = b"\n"
    record_bytes: int = 0
    header_lines: int = 0
    has_quotes: bool = False
    decompresses: bool = True
    ranges: int = 0  # of terms; 0: shards are what is wanted
    unique_ids: bool = False

    @property
    def told(self) -> list[str]:
        """What has to be the same for a job to go on."""
        return self.handed_on + ["--unique-ids"] * self.unique_ids

    def format_of(self, file: File) -> str:
        """Of a file that may be cut between two documents; "": no other may."""
        return _LINES.get(self.format or file.url.rsplit(".", 1)[-1].lower(), "")

    def splits(self, file: File) -> bool:
        return bool(self.format_of(file))


def parse_index(words: list[str]) -> tuple[IndexOptions, list[str]]:
    found, operands = scan(words, _TABLE)
    o = IndexOptions()
    for name, value in found:
        if name in _REFUSED:
            raise Usage(f"{name} makes no sense here: {_REFUSED[name]}")
        if name == "--shards":
            o.job.parts = count_of(value or "", name)
            continue
        if name == "--by-terms":
            o.ranges = count_of(value or "", name)
            continue
        if name == "--unique-ids":
            o.unique_ids = True
            continue
        if name in JOB_TABLE:
            o.job.take(name, value)
            continue
        if name == "--format":
            o.format = value or ""
            if o.format.startswith("tuples"):
                raise Usage("--format=tuples makes no sense here: tuples have numbers of documents")
        elif name == "--stopwords":
            value = os.path.abspath(value or "")
        o.decompresses &= name != "--no-decompress"
        o.handed_on.append(name if value is None else f"{name}={value}")
    if o.unique_ids and not o.ranges:
        raise Usage(
            "--unique-ids makes no sense here: a shard does not know the names of another's "
            "documents, one index does: --by-terms"
        )
    if o.ranges and "--reorder" in o.handed_on:
        raise Usage(
            "--reorder makes no sense here: of one index `gpusort index reorder` does it afterwards"
        )
    return o, operands
