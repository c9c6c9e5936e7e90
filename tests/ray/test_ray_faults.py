# SPDX-License-Identifier: MIT
"""`gpusort-ray sort` in trouble: a node or a worker killed in each phase, a full disk, a
damaged piece, a damaged part, inputs that change, and a driver that dies. What comes out is
exact, or there is none and a message that says why."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest import mock

import on_cluster
from gpusort_ray import cluster, sort_tasks
from on_cluster import Failed, Nodes, check_same, gpusort, gpusort_ray, parts_of, run_cases

_PHASES = (("sample", 0), ("sample", 3), ("partition", 0), ("partition", 6), ("merge", 0), ("merge", 3))


def lines(folder: Path) -> Path:
    path = folder / "lines"
    if not path.exists():
        path.write_bytes(gpusort("gen", "--count=400000", "--seed=3", "lines"))
    return path


def sort(folder: Path, *more: object) -> tuple[int, str]:
    code, _, err = gpusort_ray(
        "sort", f"--out={folder / 'out'}", "--replace", "-S64M", "--chunk=1M", *more, lines(folder)
    )
    return code, err


def check(folder: Path, code: int, err: str, what: str) -> None:
    if code:
        raise Failed(f"{what}: exit {code}: {err}")
    check_same(parts_of(folder / "out"), gpusort("sort", lines(folder)), what)


def a_node_killed(folder: Path, nodes: Nodes) -> None:
    for phase, step in _PHASES:
        with on_cluster.at_step(phase, step, nodes.kill_one) as did:
            code, err = sort(folder)
        if not did:
            raise Failed(f"{phase} {step} never came")
        check(folder, code, err, f"a node killed in {phase}, {step} steps done")
        nodes.complete()
    shared = folder / "shared"
    for phase, step in (p for p in _PHASES if p[1] > 0):  # when there is something to lose
        with on_cluster.at_step(phase, step, nodes.kill_one) as did:
            code, err = sort(folder, "--pieces=files", f"-T{shared}")
        if not did:
            raise Failed(f"{phase} {step} never came, pieces in files")
        check(folder, code, err, f"a node killed in {phase}, {step} steps done, pieces in files")
        nodes.complete()
    left = [n for n in shared.iterdir() if list(n.glob("0*"))]
    if left:
        raise Failed(f"pieces are left: {left}")


def _workers(phase: str) -> list[int]:
    """Those at a task of the phase, whose functions are called as it is, or so with a _."""
    found = []
    titles = (f"ray::{phase}".encode(), f"ray::_{phase}".encode())
    for name in os.listdir("/proc"):
        try:
            words = Path("/proc", name, "cmdline").read_bytes()
        except OSError:
            continue
        if name.isdigit() and words.startswith(titles):
            found.append(int(name))
    return found


def a_worker_killed(folder: Path, nodes: Nodes) -> None:
    for phase in dict.fromkeys(phase for phase, _ in _PHASES):
        if not any(_one_killed(folder, phase) for _ in range(10)):
            raise Failed(f"no worker was killed in {phase}: is no task called so?")


def _one_killed(folder: Path, phase: str) -> bool:
    """In a sort that goes on meanwhile: its tasks may be over before one is seen."""
    killed = []
    is_over = threading.Event()

    def kill() -> None:
        while not killed and not is_over.wait(0.002):
            for pid in _workers(phase)[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

    thread = threading.Thread(target=kill)
    try:
        with on_cluster.at_step(phase, 0, thread.start) as did:
            code, err = sort(folder)
    finally:
        is_over.set()
    if not did:
        raise Failed(f"{phase} never came")
    thread.join()
    check(folder, code, err, f"a worker killed in {phase}")
    return bool(killed)


def a_full_disk(folder: Path, nodes: Nodes) -> None:
    """Nowhere is there room: an error that says so, and no part."""
    small = folder / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500k", "none", small], check=True)
    try:
        code, err = sort(folder, f"-T{small}", "--chunk=4M", "--retries=1")
        if code != 2 or "No space left" not in err:
            raise Failed(f"a full disk: exit {code}: {err}")
        if parts_of(folder / "out"):
            raise Failed("a full disk left parts")
        if [n for n in small.iterdir()]:
            raise Failed("temporary files are left on the full disk")
    finally:
        subprocess.run(["umount", small], check=True)


def a_full_disk_on_one_node(folder: Path, nodes: Nodes) -> None:
    """What its tasks cannot do there is done on the other nodes; one that nobody may try
    again says on which node of which folder it was."""
    small = folder / "little"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2500k,nr_inodes=200", "none", small], check=True)
    nodes.cluster.remove_node(nodes.others.pop(), allow_graceful=False)
    full = nodes.cluster.add_node(**on_cluster.NODE, env_vars={"TMPDIR": str(small)})
    nodes.cluster.wait_for_nodes()
    try:
        code, err = sort(folder, "--chunk=4M", "--retries=9")
        check(folder, code, err, "a full disk on one node, seen before")
        # Room for bytes, but for no more files: seen while they are written.
        subprocess.run(["mount", "-o", "remount,size=90m,nr_inodes=6", small], check=True)
        code, err = sort(folder, "--retries=9")
        check(folder, code, err, "a full disk on one node, seen while it is written to")
        code, err = sort(folder, "--retries=0")
        if code != 2 or str(small) not in err or os.uname().nodename not in err or "No space" not in err:
            raise Failed(f"a full disk on one node, nothing tried again: exit {code}: {err}")
        if list(small.iterdir()):
            raise Failed("temporary files are left on the full disk")
    finally:
        nodes.cluster.remove_node(full, allow_graceful=False)
        nodes.complete()
        subprocess.run(["umount", "-l", small], check=True)


def a_task_that_fails(folder: Path, nodes: Nodes) -> None:
    """The others, which have much to do yet, end soon and leave nothing on their disks, also if
    they are given no time to clear up."""
    fail_beside_others(folder / "cancelled", "a task that fails")
    at_once = ((False, 0.0), *cluster._CANCELS[1:])
    with mock.patch.object(cluster, "_CANCELS", at_once):
        fail_beside_others(folder / "ended", "a task that fails beside others that do not end")


def fail_beside_others(folder: Path, what: str) -> None:
    failed, base, program = folder / "failed", folder / "base", folder / "program"
    base.mkdir(parents=True)
    program.write_text(
        f"""#!/bin/sh
        case "$1" in partition)
            if ! mkdir {failed} 2>/dev/null; then exec sleep 100; fi
            while [ $(ls -d {base}/gpusort-ray.* | wc -l) -lt 3 ]; do sleep 0.1; done
            echo "gpusort: it is broken" >&2
            exit 2
        esac
        exec {os.environ["GPUSORT"]} "$@"
        """
    )
    program.chmod(0o755)
    began = time.monotonic()
    code, err = sort(folder, f"--gpusort={program}", f"-T{base}")
    if code != 2 or "it is broken" not in err:
        raise Failed(f"{what}: exit {code}: {err}")
    if time.monotonic() - began > 50:
        raise Failed(f"{what}: waits for those that do not")
    left = sorted(str(p.relative_to(base)) for p in base.rglob("*"))
    if left:
        raise Failed(f"{what}: others have left {left}")


def a_damaged_piece(folder: Path, nodes: Nodes) -> None:
    """One bit of one piece on its way."""
    data = b"b\nd\n"
    good = sort_tasks.Piece(4, 2, sort_tasks.xxhash.xxh3_64_hexdigest(data), data)
    for at in range(8 * len(data)):
        bad = bytearray(data)
        bad[at // 8] ^= 1 << at % 8
        try:
            sort_tasks._keep(good._replace(data=bytes(bad)), 2, str(folder))
        except sort_tasks.Trouble as e:
            if "part 2" not in str(e) or "chunk 4" not in str(e):
                raise Failed(f"a damaged piece: {e}")
            continue
        raise Failed("a damaged piece was taken")
    path = folder / "piece"
    path.write_bytes(data)
    in_file = good._replace(data=str(path))
    if sort_tasks._keep(in_file, 2, str(folder)) != str(path):
        raise Failed("a good piece in a file is not that file")
    path.write_bytes(b"b\nc\n")
    for piece, part, what in ((good, 3, "of another part"), (in_file, 2, "that is damaged, of a file"),
                              (in_file._replace(data=str(folder / "gone")), 2, "that has gone")):  # fmt: skip
        try:
            sort_tasks._keep(piece, part, str(folder))
        except sort_tasks.Trouble as e:
            if "chunk 4" not in str(e):
                raise Failed(f"a piece {what}: {e}")
            continue
        raise Failed(f"a piece {what} was taken")


def a_damaged_part(folder: Path, nodes: Nodes) -> None:
    code, err = sort(folder)
    check(folder, code, err, "before a part is damaged")
    if gpusort_ray("check", folder / "out")[0]:
        raise Failed("undamaged parts were refused")
    part = folder / "out" / "part-00002"
    text = bytearray(part.read_bytes())
    text[100] ^= 4
    part.write_bytes(text)
    code, _, err = gpusort_ray("check", folder / "out")
    if code != 2 or "part-00002" not in err:
        raise Failed(f"a damaged part: exit {code}: {err}")


def an_input_that_changes(folder: Path, nodes: Nodes) -> None:
    path = lines(folder)
    text = path.read_bytes()
    try:
        with on_cluster.at_step("sample", 1, lambda: path.write_bytes(text[: len(text) // 2])):
            code, err = sort(folder)
    finally:
        path.write_bytes(text)
    if code != 2 or "changed" not in err or str(path) not in err:
        raise Failed(f"an input that changes: exit {code}: {err}")


def a_driver_that_dies(folder: Path, nodes: Nodes) -> None:
    """Killed in each phase; --resume goes on, and keeps what was done."""
    path, out = lines(folder), folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    script = (
        "import os, signal, sys\n"
        "import on_cluster\n"
        "phase, step = sys.argv[1], int(sys.argv[2])\n"
        "with on_cluster.at_step(phase, step, lambda: os.kill(os.getpid(), signal.SIGKILL)):\n"
        "    print(on_cluster.gpusort_ray(*sys.argv[3:]))\n"
    )
    words = ["sort", f"--out={out}", "-S64M", "--chunk=1M", f"--address={nodes.cluster.address}", "--resume", path]
    for phase, step in _PHASES:
        job = subprocess.run([sys.executable, "-B", "-c", script, phase, str(step), *words], capture_output=True,
                             text=True, cwd=Path(__file__).parent)  # fmt: skip
        if job.returncode != -signal.SIGKILL:
            raise Failed(f"{phase} {step} never came: {job.stdout}{job.stderr}")
    kept = len(json.loads((out / "manifest.json").read_text())["done"])
    code, _, err = gpusort_ray("sort", f"--out={out}", "--resume", "-S64M", "--chunk=1M", path)
    check(folder, code, err, f"resumed with {kept} parts known")
    code, _, err = gpusort_ray("sort", f"--out={out}", "--resume", "-r", "-S64M", path)
    if code != 2 or "other options" not in err:
        raise Failed(f"resumed with other options: exit {code}: {err}")
    done = {p.name: p.stat().st_mtime_ns for p in out.glob("part-*")}
    (out / "part-00001").unlink()
    code, _, err = gpusort_ray("sort", f"--out={out}", "--resume", "-S64M", "--chunk=1M", path)
    check(folder, code, err, "resumed with a part gone")
    again = [p.name for p in out.glob("part-*") if done[p.name] != p.stat().st_mtime_ns]
    if again != ["part-00001"]:
        raise Failed(f"made again: {again}")


def main() -> None:
    cases = [a_damaged_piece, a_damaged_part, a_task_that_fails, an_input_that_changes, a_driver_that_dies,
             a_worker_killed, a_node_killed]  # fmt: skip
    if os.geteuid() == 0:
        cases += [a_full_disk, a_full_disk_on_one_node]
    run_cases(cases)


if __name__ == "__main__":
    main()
