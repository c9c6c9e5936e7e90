# SPDX-License-Identifier: MIT
"""Ray, and what its nodes offer. Ray places tasks, moves what they made, keeps it in memory
or on disks, and does again what was lost with a node; here it is only asked to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator

from .errors import PassingTrouble, Trouble
from .job_options import JobOptions
from .plan import Room

_BESIDE_BYTES = 192 << 20  # of a worker, without its gpusort


@dataclass(frozen=True)
class Cluster:
    ray: Any
    room: Room
    cpus: int  # of a task
    engine: str
    gpus: int  # of a task that sorts

    def remote(self, function: Callable[..., Any], retries: int, **more: Any) -> Any:
        """The function as a task. What a node cannot do another one may."""
        return self.ray.remote(
            num_cpus=self.cpus,
            memory=self.room.memory_bytes + _BESIDE_BYTES,
            max_retries=retries,
            retry_exceptions=[PassingTrouble],
            scheduling_strategy="SPREAD",
            **more,
        )(function)


def connect(o: JobOptions) -> Cluster:
    """The cluster that $RAY_ADDRESS, --address or `ray start` on this machine says; else
    one on this machine for as long as the job runs."""
    try:
        import ray
    except ImportError as e:
        raise Trouble("Ray is not installed: pip install ray") from e
    if not ray.is_initialized():
        quiet = {"log_to_driver": o.verbose, "logging_level": "ERROR"}
        address = o.address or os.environ.get("RAY_ADDRESS") or None
        try:
            if address:
                ray.init(address=address, **quiet)
            else:
                ray.init(include_dashboard=False, **quiet)
        except (ConnectionError, ValueError, RuntimeError) as e:
            raise Trouble(f"no Ray cluster at {address or 'this machine'}: {e}") from e
    return _measure(ray, o)


def _measure(ray: Any, o: JobOptions) -> Cluster:
    nodes = [n["Resources"] for n in ray.nodes() if n["Alive"] and n["Resources"].get("CPU")]
    if not nodes:
        raise Trouble("the Ray cluster has no node with a CPU")
    least_cpus = int(min(n["CPU"] for n in nodes))
    if o.cpus > int(max(n["CPU"] for n in nodes)):
        raise Trouble(f"--cpus={o.cpus}: no node has so many")
    cpus = o.cpus or min(4, max(1, least_cpus))
    has_gpus = all(n.get("GPU", 0) >= 1 for n in nodes)
    engine = o.engine if o.engine != "auto" else "gpu" if has_gpus else "cpu"
    gpus = 0 if engine == "cpu" else 1
    if gpus and not any(n.get("GPU", 0) >= 1 for n in nodes):
        raise Trouble(f"--engine={engine}: no node of the Ray cluster has a GPU")
    memory = o.memory_bytes or _memory_for(nodes, cpus)
    tasks = sum(_tasks_of(n, cpus, memory + _BESIDE_BYTES) for n in nodes)
    if tasks == 0:
        raise Trouble(f"no node has {cpus} CPUs and {memory >> 20} MiB for a task: say less with -S")
    return Cluster(ray, Room(tasks, memory), cpus, engine, gpus)


def _memory_for(nodes: list[dict[str, float]], cpus: int) -> int:
    """Half of what a node gives to so many of its cores, so that what is moved and the
    page cache have room beside it."""
    shares = (int(n.get("memory", 0) * cpus / n["CPU"]) for n in nodes if n["CPU"] >= cpus)
    return max(64 << 20, min(shares) // 2 - _BESIDE_BYTES)


def _tasks_of(node: dict[str, float], cpus: int, memory: int) -> int:
    return int(min(node["CPU"] // cpus, node.get("memory", 0) // memory))


def reason_of(error: BaseException) -> BaseException:
    """What a task failed of, out of what Ray wraps around it."""
    cause = getattr(error, "cause", None)
    while isinstance(cause, BaseException) and cause is not error:
        error, cause = cause, getattr(cause, "cause", None)
    return error


def flow(cluster: Cluster, submit: Iterable[Callable[[], Any]], most: int) -> Iterator[Any]:
    """Results of tasks as they come, no more than `most` of them asked for at a time: what
    is made stays in step with what is taken. `submit` gives what starts a task and returns
    the reference to wait for."""
    ray, waiting = cluster.ray, {}
    pending = iter(submit)
    is_more = True
    try:
        while waiting or is_more:
            while is_more and len(waiting) < most:
                start = next(pending, None)
                is_more = start is not None
                if start is not None:
                    waiting[start()] = None
            if not waiting:
                return
            for ref in ray.wait(list(waiting), num_returns=1, fetch_local=False)[0]:
                del waiting[ref]
                yield get(ray, ref)
    finally:
        for ref in waiting:
            ray.cancel(ref, force=True)


def get(ray: Any, ref: Any) -> Any:
    try:
        return ray.get(ref)
    except ray.exceptions.RayError as e:
        reason = reason_of(e)
        if isinstance(reason, (Trouble, PassingTrouble)):
            raise Trouble(str(reason)) from e
        raise Trouble(f"a task failed: {str(reason).strip()}") from e
