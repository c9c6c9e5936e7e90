# SPDX-License-Identifier: MIT
"""Ray, and what its nodes offer. Ray places tasks, moves what they made, keeps it in memory
or on disks, and does again what was lost with a node; here it is only asked to, and what
one node cannot do, as its disk is full, is asked of another."""

from __future__ import annotations

import functools
import inspect
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator

from . import gpusort
from .errors import PassingTrouble, Trouble
from .job_options import JobOptions
from .plan import Room

_BESIDE_BYTES = 192 << 20  # of a worker, without its gpusort
_PASSING_SECONDS = 1.0  # until what failed everywhere is tried again
_ENDING_SECONDS = 0.5  # for tasks that fail as the first one did; see _cancel
# How tasks are cancelled, by force or not, and how long each time waits for their end. Ray may
# begin one again that it ended by force, and that is asked to end then.
_CANCELS = ((False, 10.0), (True, 2.0), (False, 10.0), (True, 2.0))
_CLEARING_SECONDS = 10.0  # for nodes, where tasks have not cleared up


@dataclass(frozen=True)
class Cluster:
    ray: Any
    room: Room
    cpus: int  # of a task
    engine: str
    gpus: int  # of a task that sorts
    only_node: str  # which is the driver's too; "": there are several
    scratch: str  # where tasks keep what they make, as -T says it

    def task(
        self, function: Callable[..., Any], retries: int, stays: bool = False, **more: Any
    ) -> Task:
        """The function as a task. Ray does again what was lost with a node or a worker. One
        that stays is of the only node, also if another one joins it."""
        place: Any = "SPREAD"
        if stays and self.only_node:
            place = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
                self.only_node, soft=False
            )
        remote = self.ray.remote(
            num_cpus=self.cpus,
            memory=self.room.memory_bytes + _BESIDE_BYTES,
            max_retries=retries,
            scheduling_strategy=place,
            **more,
        )(_placed(function))
        return Task(remote, retries, stays and bool(self.only_node))


@dataclass(frozen=True)
class Task:
    remote: Any
    retries: int  # elsewhere or later
    stays: bool = False


def _placed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose failures that pass say where they were."""
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def steps(*words: Any) -> Iterator[Any]:
            with _place():
                yield from function(*words)

        return steps

    @functools.wraps(function)
    def call(*words: Any) -> Any:
        with _place():
            return function(*words)

    return call


@contextmanager
def _place() -> Iterator[None]:
    try:
        yield
    except PassingTrouble as e:
        import ray

        e.node = ray.get_runtime_context().get_node_id()
        raise


def connect(o: JobOptions) -> Cluster:
    """The cluster that $RAY_ADDRESS, --address or `ray start` on this machine says; else
    one on this machine for as long as the job runs."""
    # What a task failed of is told once, by us.
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")
    try:
        import ray
        import ray.util.client
        import ray.util.scheduling_strategies
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
    return Cluster(ray, Room(tasks, memory), cpus, engine, gpus, _only_node(ray), o.scratch)


def _only_node(ray: Any) -> str:
    """The one that has all tasks, if the driver runs there too."""
    nodes = [n["NodeID"] for n in ray.nodes() if n["Alive"]]
    if len(nodes) != 1 or ray.util.client.ray.is_connected():
        return ""
    return nodes[0] if ray.get_runtime_context().get_node_id() == nodes[0] else ""


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


class _Asked:
    """A task that was asked for, and where it is to be asked for if that fails."""

    def __init__(self, cluster: Cluster, task: Task, start: Callable[[Any], Any]) -> None:
        self._cluster, self._task, self._start = cluster, task, start
        self._tries = 0
        self._avoided: set[str] = set()

    def first(self) -> Any:
        return self._start(self._task.remote)

    def again(self, error: BaseException) -> Any:
        """On a node where it has not failed, if there is one. Ray by itself takes the node
        that is free, and one with a full disk is free soon."""
        reason = reason_of(error)
        if not isinstance(reason, PassingTrouble) or self._tries == self._task.retries:
            return None
        self._tries += 1
        self._avoided.add(reason.node)
        ray, remote = self._cluster.ray, self._task.remote
        nodes = [n["NodeID"] for n in ray.nodes() if n["Alive"] and n["Resources"].get("CPU")]
        others = [n for n in nodes if n not in self._avoided and not self._task.stays]
        if not others:
            self._avoided.clear()
            time.sleep(_PASSING_SECONDS)
            return self._start(remote)
        elsewhere = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            others[self._tries % len(others)], soft=True
        )
        return self._start(remote.options(scheduling_strategy=elsewhere))


def flow(
    cluster: Cluster, task: Task, starts: Iterable[Callable[[Any], Any]], most: int
) -> Iterator[Any]:
    """Results of tasks as they come, no more than `most` of them asked for at a time: what
    is made stays in step with what is taken. `starts` give what asks for a task, with what
    Ray has for it, and returns the reference to wait for."""
    ray = cluster.ray
    waiting: dict[Any, _Asked] = {}
    pending = (_Asked(cluster, task, start) for start in starts)
    is_more = True
    try:
        while waiting or is_more:
            while is_more and len(waiting) < most:
                asked = next(pending, None)
                is_more = asked is not None
                if asked is not None:
                    waiting[asked.first()] = asked
            if not waiting:
                return
            for ref in ray.wait(list(waiting), num_returns=1, fetch_local=False)[0]:
                asked = waiting.pop(ref)
                try:
                    result = ray.get(ref)
                except ray.exceptions.RayError as e:
                    new = asked.again(e)
                    if new is None:
                        raise trouble_of(e) from e
                    waiting[new] = asked
                    continue
                yield result
    finally:
        _cancel(cluster, list(waiting))


def _cancel(cluster: Cluster, refs: list[Any]) -> None:
    """They take away what they have on the disks of their nodes. Who does not end is ended.
    Those that are about to end, often for the same reason, may: Ray has been seen to end the
    program (2.60, "Tried to complete task that was not pending") where a task is cancelled
    just as it ends."""
    if not refs:
        return
    ray = cluster.ray
    refs = _await(ray, refs, _ENDING_SECONDS)
    for is_forced, seconds in _CANCELS:
        for ref in refs:
            ray.cancel(ref, force=is_forced)
        refs = _await(ray, refs, seconds)
    _clear_up(cluster)


def _clear_up(cluster: Cluster) -> None:
    """What is left by tasks that were ended, or cancelled just as they made a folder, goes from
    the disk of each node, if it answers soon."""
    ray = cluster.ray
    remote = ray.remote(num_cpus=0, max_retries=0)(gpusort.room_in)
    only = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
    nodes = [n["NodeID"] for n in ray.nodes() if n["Alive"]]
    places = (remote.options(scheduling_strategy=only(node, soft=False)) for node in nodes)
    _await(ray, [at.remote(cluster.scratch) for at in places], _CLEARING_SECONDS)


def _await(ray: Any, refs: list[Any], seconds: float) -> list[Any]:
    """Those that have not ended in time."""
    if not refs:
        return []
    slow: list[Any] = ray.wait(refs, num_returns=len(refs), timeout=seconds, fetch_local=False)[1]
    return slow


def one(cluster: Cluster, task: Task, *words: Any) -> Any:
    """The result of a task that is alone."""
    return next(flow(cluster, task, [lambda remote: remote.remote(*words)], 1))


def trouble_of(error: BaseException) -> Trouble:
    reason = reason_of(error)
    if isinstance(reason, (Trouble, PassingTrouble)):
        return Trouble(str(reason))
    return Trouble(f"a task failed: {str(reason).strip()}")


def get(ray: Any, ref: Any) -> Any:
    try:
        return ray.get(ref)
    except ray.exceptions.RayError as e:
        raise trouble_of(e) from e
