#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What sorts of 1 TB, 100 TB and 1 PB would take with gpusort-ray on nodes that are said
here, from rates that were measured (measured.json), and what bounds them.

    model.py > MODEL.md

A round has two phases, and each lasts as long as what it keeps busy longest: cores, disks,
the network, or the driver, which has to do with every piece. Nothing overlaps between
phases, so this is what one would plan with, not the best that could be. Where one round has
too many pieces the model takes two, of which the first cuts all into groups that the
second sorts; gpusort-ray has no second round yet."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

MEASURED = json.loads((Path(__file__).resolve().parent / "measured.json").read_text())
# What of its core_seconds a round counts; and what not: a sample is of little, and what the
# driver does is told of each piece.
PHASES, BESIDE = ("partition", "merge"), ("sample", "driver")
for _phase in MEASURED["core_seconds"]:
    if _phase not in PHASES + BESIDE:
        raise SystemExit(f"measured.json: model.py does not know what the phase {_phase} costs a round")
for _phase in PHASES:
    if _phase not in MEASURED["core_seconds"]:
        raise SystemExit(f"measured.json: has nothing of the phase {_phase}")
PIECES_MAX = 1_000_000  # plan.py
GB, TB = 1e9, 1e12


@dataclass(frozen=True)
class Node:
    """What a node has and costs; bytes a second of all its disks, and of its network in
    each direction."""

    name: str
    cores: int
    memory: float
    disk_read: float
    disk_write: float
    disk_bytes: float
    network: float
    dollars_an_hour: float
    watts: float
    gpus: int = 0
    core_speed: float = 1.0  # of one core, beside the one that was measured


NODES = (
    Node("16 cores, 128 GB, 1 disk, 25 Gbit/s", 16, 128 * GB, 2.8 * GB, 2.2 * GB, 3.75 * TB,
         25e9 / 8, 1.37, 250),
    Node("64 cores, 512 GB, 4 disks, 75 Gbit/s", 64, 512 * GB, 11 * GB, 8 * GB, 15 * TB,
         75e9 / 8, 5.49, 900),
    Node("the same with 1 GPU", 64, 512 * GB, 11 * GB, 8 * GB, 15 * TB, 75e9 / 8, 9.0, 1300, 1),
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    seconds: float
    dollars: float
    kilowatt_hours: float
    bound: str
    rounds: int
    chunks: int
    pieces: int
    driver_bytes: float


def _longest(**of: float) -> tuple[float, str]:
    name = max(of, key=lambda n: of[n])
    return of[name], name.replace("_", " ")


def _round(data: float, node: Node, count: int, chunks: int, pieces: float) -> dict[str, tuple[float, str]]:
    """The phases of a round that reads from a store and writes to one: (seconds, bound)."""
    m = MEASURED
    own = data / count  # of a node
    others = own * (count - 1) / count * m["shuffled_per_byte"]
    cores = node.cores * node.core_speed
    per_byte = 1 / (m["gigabytes"] * GB)
    partition = own * m["core_seconds"]["partition"] * per_byte / cores
    if node.gpus:
        partition = own / (m["gpu_gigabytes_per_second"] * GB * node.gpus)
    spilled = max(0.0, own - node.memory * 0.3)  # Ray keeps so much of memory for objects
    driver = m["piece_seconds"] * pieces
    tasks = m["task_seconds"] * chunks / count / max(1, node.cores // 4)
    name = {"the_GPUs" if node.gpus else "cores": partition + tasks}
    first = _longest(
        network=own / node.network,
        disks=spilled / node.disk_write,
        the_driver=driver / 2,
        **name,
    )
    second = _longest(
        cores=own * m["core_seconds"]["merge"] * per_byte / cores + tasks,
        network=max(others, others + own) / node.network,  # to merges, and to the store
        disks=spilled / node.disk_read + own / node.disk_write,  # pieces, and copies of them
        the_driver=driver / 2,
    )
    return {"partition": first, "merge": second}


def predict(data: float, node: Node, count: int, chunk: float) -> Answer:
    chunks = math.ceil(data / chunk)
    rounds, pieces = 1, float(chunks) ** 2
    if pieces > PIECES_MAX:
        groups = math.ceil(data / (math.sqrt(PIECES_MAX) * chunk))
        rounds, pieces = 2, float(chunks * groups + groups * (chunks / groups) ** 2) / 2
    phases = []
    for _ in range(rounds):
        costs = _round(data, node, count, chunks, pieces)
        phases += [costs[phase] for phase in PHASES]
    seconds = sum(s for s, _ in phases)
    bounds: dict[str, float] = {}
    for s, name in phases:
        bounds[name] = bounds.get(name, 0) + s
    bound = ", ".join(f"{n} {100 * s / seconds:.0f} %" for n, s in sorted(bounds.items(), key=lambda b: -b[1]))
    hours = seconds / 3600
    return Answer(
        seconds, count * node.dollars_an_hour * hours, count * node.watts * hours / 1000,
        bound, rounds, chunks, int(pieces), MEASURED["piece_bytes"] * pieces,
    )  # fmt: skip


CASES = (
    (1 * TB, 0, 10), (1 * TB, 1, 4), (1 * TB, 2, 4),
    (100 * TB, 0, 40), (100 * TB, 1, 10), (100 * TB, 2, 10),
    (1000 * TB, 0, 400), (1000 * TB, 1, 100), (1000 * TB, 2, 100),
)  # fmt: skip


def _short(x: float) -> str:
    return f"{x:,.0f}" if x >= 10 else f"{x:.2f}"


def _row(data: float, node: Node, count: int) -> str:
    chunk = min(4 * 2**30, node.memory / node.cores * 4 / 2 / 3)
    if data > 10 * TB:  # as few pieces as memory allows: a chunk a quarter of a node
        chunk = node.memory / 4 / 3
    a = predict(data, node, count, chunk)
    fits = data / count * 1.1 < node.disk_bytes + node.memory * 0.3
    return (
        f"| {data / TB:g} TB | {count} x {node.name} | {chunk / GB:.1f} GB | {a.pieces:,} | {a.rounds} "
        f"| {a.seconds:,.0f} s | {_short(a.dollars)} | {_short(a.kilowatt_hours)} kWh "
        f"| {a.bound}{'' if fits else '; the disks are too small'} |"
    )


def page() -> str:
    m = MEASURED
    lines = [
        "# What large sorts would take",
        "",
        "Written by `cmd/ray/model.py`, which says what is in a phase; do not change it by hand.",
        "",
        f"**Measured** on {m['where']}: "
        f"{m['core_seconds']['partition'] / m['gigabytes']:.2f} core-seconds a GB to partition, "
        f"{m['core_seconds']['merge'] / m['gigabytes']:.2f} to merge, beside "
        f"{m['one_core_seconds'] / m['gigabytes']:.2f} of one gpusort for all; "
        f"{m['shuffled_per_byte']:.2f} bytes shuffled for each that is read; "
        f"{1000 * m['piece_seconds']:.1f} ms and {m['piece_bytes'] / 1000:.0f} KB of the driver for each piece, at most. "
        f"A GPU sorts {m['gpu_gigabytes_per_second']:.1f} GB/s, file to file, where the disk had no more "
        "(README.md): what a GPU gives on faster disks is not known, and rows with GPUs are no better than that.",
        "",
        "**Assumed** of nodes: what the table of `model.py` says of disks, network, price and power, "
        "and cores as fast as those that were measured, without others beside.",
        "",
        "| data | nodes | chunk | pieces | rounds | time | dollars | energy | what bounds it |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_row(data, NODES[which], count) for data, which, count in CASES),
        "",
        "**Beside the record.** CloudSort's 100 TB on Ray took 5378 s on 40 machines of 16 cores, for 97 "
        f"dollars. {_beside()}",
        "",
        "**What breaks first** is the number of pieces: each chunk has one of each part, and the driver "
        "knows them all. A million, where `gpusort-ray` refuses, is "
        f"{MEASURED['piece_seconds'] * PIECES_MAX / 60:.0f} minutes of the driver and "
        f"{MEASURED['piece_bytes'] * PIECES_MAX / GB:.0f} GB of its memory, and comes at "
        f"{1000 * 4 * 2**30 / TB:.1f} TB with chunks of 4 GiB, {1000 * 16 * GB / TB:.0f} TB with chunks of 16 GB. "
        "What is above that needs a second round, which is not built: rows with two rounds are what it would "
        "take. Next are the copies: a piece is written by gpusort, copied to Ray's memory, and copied to a "
        "file again for the merge, which takes an eighth of the cores; pieces in files of a shared folder "
        "(--pieces=files) are not copied. Then the network, since parts go "
        "to a store while pieces come in. The driver's node is the one that must not fail; after it does, "
        "all pieces are made again for the parts that are missing.",
        "",
    ]
    return "\n".join(lines)


def _beside() -> str:
    node = NODES[0]
    a = predict(100 * TB, node, 40, node.memory / 4 / 3)
    return (
        f"The model says {a.seconds:,.0f} s and {a.dollars:,.0f} dollars for gpusort-ray on as many of the first "
        f"kind of node, {a.seconds / 5378:.1f} times as long, in {a.rounds} rounds, without what a store asks for requests."
    )


if __name__ == "__main__":
    print(page(), end="")
