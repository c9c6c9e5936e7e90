# SPDX-License-Identifier: MIT
"""A Ray cluster of several nodes on this machine, and gpusort-ray run against it in this
process; what its parts hold is compared with one `gpusort sort`."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Iterator
from unittest import mock

os.environ.setdefault("RAY_AUTH_MODE", "disabled")
os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")

import ray  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

from gpusort_ray import cli, watch  # noqa: E402

NODE = {"num_cpus": 1, "object_store_memory": 120 << 20, "memory": 2 << 30}


class Nodes:
    """Three nodes with one core each; the driver is on the first."""

    def __init__(self, count: int = 3) -> None:
        self.cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
        self.others = [self.cluster.add_node(**NODE) for _ in range(count - 1)]
        ray.init(address=self.cluster.address, log_to_driver=False, logging_level="ERROR")

    def kill_one(self) -> None:
        self.cluster.remove_node(self.others.pop(), allow_graceful=False)

    def complete(self, count: int = 3) -> None:
        while len(self.others) < count - 1:
            self.others.append(self.cluster.add_node(**NODE))
        self.cluster.wait_for_nodes()

    def stop(self) -> None:
        ray.shutdown()
        self.cluster.shutdown()


class Failed(AssertionError):
    pass


def gpusort(*words: object) -> bytes:
    return subprocess.run(
        [os.environ["GPUSORT"], *map(str, words)], check=True, stdout=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C"},
    ).stdout  # fmt: skip


def gpusort_ray(*words: object) -> tuple[int, str, str]:
    """Its exit status and what it said."""
    out, err = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "argv", ["gpusort-ray", *map(str, words)]):
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main()
    return code, out.getvalue(), err.getvalue()


def parts_of(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in sorted(folder.glob("part-*")))


def check_same(got: bytes, want: bytes, what: str) -> None:
    if got == want:
        return
    at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
    raise Failed(
        f"{what}: {len(got)} bytes for {len(want)}, other ones from byte {at} on:\n"
        f"  {got[max(0, at - 40) : at + 40]!r}\n  {want[max(0, at - 40) : at + 40]!r}"
    )


def check_sort(folder: Path, options: list[str], inputs: list[Path], job: list[str] = ()) -> None:
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    code, _, err = gpusort_ray("sort", f"--out={out}", "-S", "64M", *job, *options, *inputs)
    if code:
        raise Failed(f"{options}: exit {code}: {err}")
    check_same(parts_of(out), gpusort("sort", *options, *inputs), " ".join(map(str, options + inputs)))
    left = [p.name for p in out.iterdir() if not p.name.startswith("part-") and p.name != "manifest.json"]
    if left:
        raise Failed(f"{options}: left {left}")


@contextlib.contextmanager
def at_step(phase: str, step: int, do: Callable[[], None]) -> Iterator[list[str]]:
    """Does something once, when that phase of a job has made so many steps."""
    did: list[str] = []
    true_phase, true_step = watch.Watch.phase, watch.Watch.step

    def look(w: watch.Watch) -> None:
        if not did and w._phase == phase and w._steps >= step:
            did.append(phase)
            do()

    def phased(w: watch.Watch, *a: object) -> None:
        true_phase(w, *a)
        look(w)

    def stepped(w: watch.Watch, *a: object, **k: object) -> None:
        true_step(w, *a, **k)
        look(w)

    with mock.patch.object(watch.Watch, "phase", phased), mock.patch.object(watch.Watch, "step", stepped):
        yield did


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="gpusort-ray-test."))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def locales(*names: str) -> Iterator[None]:
    """Locales of UTF-8, made here where localedef can, for the nodes that are started."""
    with scratch() as folder:
        for name in names if shutil.which("localedef") else ():
            words = ["localedef", "-i", name, "-f", "UTF-8", "--no-archive", folder / f"{name}.UTF-8"]
            subprocess.run(words, check=False, capture_output=True)
        with mock.patch.dict(os.environ, LOCPATH=str(folder)):
            yield


_STORE = "http://127.0.0.1:5557"


def store_environment() -> contextlib.AbstractContextManager[object]:
    """Where S3 is, for this process and the nodes that it starts."""
    return mock.patch.dict(
        os.environ, AWS_ENDPOINT_URL=_STORE, AWS_ACCESS_KEY_ID="test",
        AWS_SECRET_ACCESS_KEY="test", AWS_DEFAULT_REGION="us-east-1",
    )  # fmt: skip


@contextlib.contextmanager
def s3() -> Iterator[object]:
    """A client of S3 as moto serves it, with a bucket `data`."""
    import boto3

    server = subprocess.Popen(
        [Path(sys.executable).parent / "moto_server", "-p", _STORE.rsplit(":", 1)[1]],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        client = boto3.client("s3", endpoint_url=_STORE)
        for _ in range(100):
            try:
                client.create_bucket(Bucket="data")
                break
            except Exception:
                time.sleep(0.2)
        yield client
    finally:
        server.terminate()
        server.wait()


def run_cases(cases: list[Callable[..., None]], count: int = 3) -> None:
    """Those that the command line names, or all, on a cluster of so many nodes."""
    asked = sys.argv[1:]
    nodes = Nodes(count)
    try:
        with scratch() as folder:
            for case in cases:
                if not asked or case.__name__ in asked:
                    case(folder=folder, nodes=nodes)
                    print(f"ok {case.__name__}", flush=True)
    finally:
        nodes.stop()
