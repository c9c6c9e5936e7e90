# SPDX-License-Identifier: MIT
"""gpusort-ray beside one gpusort, on the same cores and with the same memory: seconds,
bytes shuffled, memory of processes. Prints a JSON object; cmd/ray/model.py takes the rates.

    measure.py --gpusort PROGRAM [--bytes 2GB] [--cores 2] [--memory 1024] [--pairs 3] [--folder DIR]

The cluster is up before, and its workers have been started; both read and write files."""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("RAY_AUTH_MODE", "disabled")
import ray  # noqa: E402

import on_cluster  # noqa: E402


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def settle() -> None:
    """What the run before has left for the disk to write is not charged to the next one."""
    os.sync()


def one(program: str, memory: int, cores: int, source: Path, target: Path) -> tuple[float, float]:
    """Seconds, and of cores."""
    settle()
    began, used = time.monotonic(), _used()
    words = [program, f"-S{memory}M", f"--parallel={cores}", f"-T{target.parent}", source, "-o", target]
    subprocess.run(words, check=True)
    return time.monotonic() - began, _used() - used


def many(memory: int, cores: int, source: Path, target: Path, more: list[str]) -> dict:
    stats = target.parent / "stats"
    settle()
    code, _, err = on_cluster.gpusort_ray(
        "sort", f"--out={target}", "--replace", f"-S{memory // cores}M", "--cpus=1",
        f"-T{target.parent}", f"--stats={stats}", *more, source,
    )  # fmt: skip
    if code:
        sys.exit(err)
    return json.loads(stats.read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpusort", required=True)
    parser.add_argument("--bytes", default="2GB")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--memory", type=int, default=1024)
    parser.add_argument("--store", type=int, default=2560, help="MiB of Ray's objects")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--folder")
    parser.add_argument("--more", action="append", default=[], help="an option of gpusort-ray")
    asked = parser.parse_args()
    os.environ["GPUSORT"] = asked.gpusort
    folder = Path(tempfile.mkdtemp(prefix="gpusort-ray-measure.", dir=asked.folder))
    ray.init(
        num_cpus=asked.cores, object_store_memory=asked.store << 20, include_dashboard=False,
        log_to_driver=False, logging_level="ERROR",
    )  # fmt: skip
    try:
        source = folder / "lines"
        subprocess.run([asked.gpusort, "gen", f"--bytes={asked.bytes}", "-o", source, "lines"], check=True)
        alone, together = [], []
        many(asked.memory, asked.cores, source, folder / "parts", asked.more)
        for _ in range(asked.pairs):
            alone.append(one(asked.gpusort, asked.memory, asked.cores, source, folder / "sorted"))
            together.append(many(asked.memory, asked.cores, source, folder / "parts", asked.more))
        on_cluster.check_same(on_cluster.parts_of(folder / "parts"), (folder / "sorted").read_bytes(), "parts")
        seconds = [t["seconds"] for t in together]
        cores = [sum(t["core_seconds"].values()) for t in together]
        middle = sorted(together, key=lambda t: t["seconds"])[len(together) // 2]
        print(json.dumps({
            "bytes": source.stat().st_size, "cores": asked.cores, "memory_mib": asked.memory,
            "one_seconds": [round(a, 2) for a, _ in alone], "ray_seconds": seconds,
            "one_core_seconds": [round(a, 2) for _, a in alone],
            "ray_core_seconds": [round(c, 2) for c in cores],
            "overhead": round(statistics.median(seconds) / statistics.median(a for a, _ in alone) - 1, 3),
            "overhead_of_cores": round(
                statistics.median(cores) / statistics.median(a for _, a in alone) - 1, 3
            ),
            "shuffled_per_byte": round(middle["bytes_shuffled"] / middle["bytes_read"], 4),
            "peak_process_mib": middle["peak_process_bytes"] >> 20,
            "phase_seconds": middle["phase_seconds"], "core_seconds": middle["core_seconds"], "chunks": middle["chunks"], "parts": middle["parts"],
        }, indent=1))  # fmt: skip
    finally:
        ray.shutdown()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
