# SPDX-License-Identifier: MIT
"""Options that every job has: where to, with what, and how it is watched."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from .arguments import FLAG, OPTIONAL, VALUE, count_of, size_of
from .errors import Usage

JOB_TABLE = {
    "--out": VALUE, "--parts": VALUE, "--chunk": VALUE, "--cpus": VALUE, "-S": VALUE,
    "--buffer-size": VALUE, "-T": VALUE, "--temporary-directory": VALUE, "--engine": VALUE,
    "--address": VALUE, "--gpusort": VALUE, "--resume": FLAG, "--replace": FLAG,
    "--retries": VALUE, "--progress": OPTIONAL, "--stats": OPTIONAL, "--files0-from": VALUE,
    "-v": FLAG, "--verbose": FLAG, "--gpu-mem": VALUE, "--no-uring": FLAG,
}  # fmt: skip


@dataclass
class JobOptions:
    out: str = ""
    parts: int = 0  # 0: as many as the input asks for
    chunk_bytes: int = 0
    cpus: int = 0
    memory_bytes: int = 0
    scratch: str = ""  # "": $TMPDIR or /tmp of each node
    engine: str = "auto"
    address: str = ""
    gpusort: str = ""
    resumes: bool = False
    replaces: bool = False
    retries: int = 5
    progress: str = "auto"
    stats: str | None = None  # "": on standard error
    files0_from: str = ""
    verbose: bool = False
    of_programs: list[str] = field(default_factory=list)  # as they are, to what reads and sorts

    def take(self, name: str, value: str | None) -> None:
        text = value or ""
        if name == "--out":
            self.out = text
        elif name == "--parts":
            self.parts = count_of(text, name)
        elif name == "--chunk":
            self.chunk_bytes = max(1, size_of(text, name))
        elif name == "--cpus":
            self.cpus = count_of(text, name)
        elif name in ("-S", "--buffer-size"):
            self.memory_bytes = size_of(text, name, 1024)
        elif name in ("-T", "--temporary-directory"):
            self.scratch = os.path.abspath(text)
        elif name == "--engine":
            self.engine = text
        elif name == "--address":
            self.address = text
        elif name == "--gpusort":
            self.gpusort = text
        elif name == "--retries":
            self.retries = count_of(text, name, 0)
        elif name == "--progress":
            if text not in ("", "always", "auto", "never"):
                raise Usage(f"invalid --progress argument '{text}': always, auto or never")
            self.progress = text or "always"
        elif name == "--stats":
            self.stats = text
        elif name == "--files0-from":
            self.files0_from = text
        elif name == "--resume":
            self.resumes = True
        elif name == "--replace":
            self.replaces = True
        elif name == "--gpu-mem":
            self.of_programs.append(f"{name}={text}")
        elif name == "--no-uring":
            self.of_programs.append(name)
        else:
            self.verbose = True
