# SPDX-License-Identifier: MIT
"""The options of `gpusort-ray sort`: its own, and those of `gpusort sort`, of which most
are handed on as they are, to every task alike."""

from __future__ import annotations

from dataclasses import dataclass, field

from .arguments import FLAG, OPTIONAL, VALUE, count_of, scan
from .errors import Usage
from .files import File
from .gpusort import Locale, locale_here
from .job_options import JOB_TABLE, JobOptions

# What orders records: handed on to every task.
_ORDER = {
    **{letter: FLAG for letter in "-b -d -f -g -i -M -h -n -R -r -V -s -u -z".split()},
    **{
        name: FLAG
        for name in """--ignore-leading-blanks --dictionary-order --ignore-case
        --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort
        --numeric-sort --random-sort --reverse --version-sort --stable --unique --zero-terminated --csv
        --tsv --no-quotes --locale-order --no-header --no-decompress""".split()
    },
    "-k": VALUE, "--key": VALUE, "-t": VALUE, "--field-separator": VALUE, "--sort": VALUE,
    "--record-size": VALUE, "--key-bytes": VALUE, "--jsonl-key": VALUE, "--header": OPTIONAL,
    "--verify": FLAG,
}  # fmt: skip

# Why the others of `gpusort sort` are refused, to say so.
_REFUSED = {
    "-c": "`gpusort check` tells whether a file is in order", "-C": "`gpusort check` does that",
    "--check": "`gpusort check` tells whether a file is in order",
    "-m": "inputs are sorted whether they are in order or not",
    "--merge": "inputs are sorted whether they are in order or not",
    "--top": "`gpusort sort --top` on each input, and on what that gives, moves less",
    "--count": "sort first, and count what comes out with `gpusort sort --count`",
    "-o": "the result is part files in a folder: --out", "--output": "it is called --out",
    "--debug": "ask `gpusort sort --debug` about a small input",
    "--checkpoint": "the manifest in --out is one: --resume goes on from it",
    "--output-compress": "part files are plain",
    "--compress-program": "spilled data is packed as gpusort does it",
    "--batch-size": "tasks merge as many runs at once as their memory allows",
    "--gpu": "Ray says which GPU a task has", "--trace": "Ray's own timeline shows tasks",
    "--parallel": "--cpus says how many cores a task has",
}  # fmt: skip

SORT_TABLE = {
    **_ORDER,
    **{name: (OPTIONAL if name in ("--check",) else FLAG if name in (
        "-c", "-C", "-m", "--merge", "--count", "--debug") else VALUE)
        for name in _REFUSED},
    **JOB_TABLE,
    "--sync": FLAG, "--pieces": VALUE, "--random-source": VALUE,
}  # fmt: skip


@dataclass
class SortOptions:
    job: JobOptions = field(default_factory=JobOptions)
    handed_on: list[str] = field(default_factory=list)
    header_lines: int = 0
    end: bytes = b"\n"  # of a record
    record_bytes: int = 0  # of records without an end
    is_table: bool = False
    has_quotes: bool = False
    decompresses: bool = True
    pieces: str = "auto"
    locale: Locale = ()  # of the driver, if it says what order means
    shuffles: bool = False  # by -R, perhaps of one key
    random_source: str = ""  # of the driver; what it says is the seed of all tasks
    syncs: bool = False  # parts of this machine or a shared file system, before they have names

    @property
    def told(self) -> list[str]:
        """What has to be the same for a job to go on."""
        return self.handed_on + [f"{name}={value}" for name, value in self.locale]

    def splits(self, file: File) -> bool:
        """Not tables: a quote may have opened any distance before."""
        return not self.is_table

    def of_tasks(self) -> list[str]:
        """What every gpusort gets. The header of lines is taken off before."""
        return self.handed_on


def parse_sort(words: list[str]) -> tuple[SortOptions, list[str]]:
    found, operands = scan(words, SORT_TABLE)
    o = SortOptions()
    header: int | None = None
    for name, value in found:
        if name in _REFUSED:
            raise Usage(f"{name} makes no sense here: {_REFUSED[name]}")
        if name in JOB_TABLE:
            o.job.take(name, value)
            continue
        if name == "--pieces":
            if value not in ("auto", "files", "objects"):
                raise Usage(f"invalid --pieces argument '{value}': auto, files or objects")
            o.pieces = value
            continue
        if name == "--sync":
            o.syncs = True
            continue
        if name == "--random-source":
            o.random_source = _source(o.random_source, value or "")
            continue
        if name == "--header":
            header = count_of(value, name) if value is not None else 1
            continue
        _note(o, name, value)
        o.handed_on += [name] if value is None else _with_value(name, value)
    if o.pieces == "files" and not o.job.scratch:
        raise Usage("--pieces=files: say with -T which folder all nodes see")
    if "--locale-order" in o.handed_on:
        o.locale = locale_here()
    if "--no-header" in o.handed_on:
        header = 0
    o.header_lines = header if header is not None else int(o.is_table)
    if o.is_table and header:
        o.handed_on.append(f"--header={header}")
    if o.header_lines and o.record_bytes:
        raise Usage("options '--header' and '--record-size' are incompatible")
    return o, operands


def _with_value(name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if name.startswith("--") else [name, value]


def _note(o: SortOptions, name: str, value: str | None) -> None:
    if name in ("-z", "--zero-terminated"):
        o.end = b"\0"
    elif name == "--record-size":
        o.record_bytes = count_of(value or "", name)
    elif name in ("--csv", "--tsv"):
        o.is_table = o.has_quotes = True
    elif name == "--no-decompress":
        o.decompresses = False
    if name == "--no-quotes":
        o.has_quotes = False
    # A name of a column with this letter costs a seed that nobody asks for.
    is_key = name in ("-k", "--key", "--key-bytes", "--jsonl-key")
    o.shuffles |= name in ("-R", "--random-sort") or is_key and "R" in (value or "")
    o.shuffles |= name == "--sort" and bool(value) and "random".startswith(value or "")


def _source(before: str, name: str) -> str:
    if before and before != name:
        raise Usage("multiple random sources specified")
    return name
