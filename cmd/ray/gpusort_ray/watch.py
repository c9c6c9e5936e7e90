# SPDX-License-Identifier: MIT
"""How far a job is, in one line on standard error, and figures of it at the end."""

from __future__ import annotations

import json
import sys
import time

_LINE_SECONDS = 0.5


class Watch:
    def __init__(self, progress: str, stats: str | None) -> None:
        self._shows = progress == "always" or (progress == "auto" and sys.stderr.isatty())
        self._stats = stats
        self._began = self._phase_began = time.monotonic()
        self._driver_began = time.process_time()
        self._phase = ""
        self._steps = self._of = self._chunks = 0
        self._told = 0.0
        self.seconds: dict[str, float] = {}
        self.core_seconds: dict[str, float] = {}
        self.figures: dict[str, int] = {
            "bytes_read": 0, "chunks": 0, "parts": 0, "bytes_shuffled": 0, "bytes_written": 0,
            "peak_process_bytes": 0,
        }  # fmt: skip

    def begin(self, total: int, chunks: int, parts: int) -> None:
        self.figures.update(bytes_read=total, chunks=chunks, parts=parts)
        self._chunks = chunks

    def phase(self, name: str, steps: int = 0) -> None:
        self._close_phase()
        self._phase, self._steps, self._of = name, 0, steps or self._chunks
        self._show()

    def step(
        self, shuffled: int = 0, written: int = 0, peak: int = 0, core_seconds: float = 0
    ) -> None:
        self._steps += 1
        self.core_seconds[self._phase] = self.core_seconds.get(self._phase, 0) + core_seconds
        self.figures["bytes_shuffled"] += shuffled
        self.figures["bytes_written"] += written
        self.figures["peak_process_bytes"] = max(self.figures["peak_process_bytes"], peak)
        if time.monotonic() - self._told > _LINE_SECONDS:
            self._show()

    def end(self) -> None:
        self._close_phase()
        self.core_seconds["driver"] = time.process_time() - self._driver_began
        if self._shows:
            sys.stderr.write(f"\r\x1b[Kdone in {time.monotonic() - self._began:.1f} s\n")
        if self._stats is None:
            return
        text = json.dumps(
            {
                "seconds": round(time.monotonic() - self._began, 3),
                "phase_seconds": {k: round(v, 3) for k, v in self.seconds.items()},
                "core_seconds": {k: round(v, 3) for k, v in self.core_seconds.items()},
                **self.figures,
            }
        )
        if self._stats:
            with open(self._stats, "w") as f:
                f.write(text + "\n")
        else:
            sys.stderr.write(text + "\n")

    def _close_phase(self) -> None:
        now = time.monotonic()
        name = self._phase or "plan"
        self.seconds[name] = self.seconds.get(name, 0) + now - self._phase_began
        self._phase_began = now

    def _show(self) -> None:
        self._told = time.monotonic()
        if self._shows:
            f = self.figures
            sys.stderr.write(
                f"\r\x1b[K{self._phase} {self._steps} of {self._of}, "
                f"{f['bytes_read'] >> 20} MiB in, {f['bytes_shuffled'] >> 20} shuffled, "
                f"{f['bytes_written'] >> 20} out, {self._told - self._began:.0f} s"
            )
            sys.stderr.flush()
