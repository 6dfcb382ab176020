"""The same work for every informer: fill a cache, follow changes, stand idle.

`fill` starts an informer of a namespace (see `benchmarks.initial`) with a handler, and returns when
the cache is full and the handler was told; it gives what is cached. `pump` returns when so many
changes have gone through the informer, a handler and a queue, and a worker has had all of them.
`idle` starts so many informers of one namespace each.
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from benchmarks.initial import CHANGES, LARGE

from .meter import Meter, report, settled_kib

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

__all__ = ["AsyncInformerTask", "SyncInformerTask", "fed", "main"]

INFORMERS, SECONDS = 200, 10.0
_COUNTS = {"small": 10, "synced": 5_000, "listed": 5_000, "large": LARGE}
_NAMESPACES = {"sync": "synced", "sync-listed": "listed", "sync-50000": "large"}


class SyncInformerTask(Protocol):
    """Informers whose calls block."""

    def fill(self, namespace: str, count: int) -> Sequence[Any]: ...
    def pump(self, count: int) -> None: ...
    def idle(self, count: int) -> None: ...


class AsyncInformerTask(Protocol):
    """Informers whose calls are awaited."""

    async def fill(self, namespace: str, count: int) -> Sequence[Any]: ...
    async def pump(self, count: int) -> None: ...
    async def idle(self, count: int) -> None: ...


@dataclass
class fed:  # noqa: N801 - reads as a verb
    """Counts down what is fed in; `done` is called at the end."""

    left: int
    done: Callable[[], object]

    def one(self, *_: object) -> None:
        """Another one."""
        self.left -= 1
        if self.left == 0:
            self.done()


def main(
    read: Callable[[Any], object],
    sync: Callable[[], AbstractContextManager[SyncInformerTask]] | None = None,
    aio: Callable[[], AbstractAsyncContextManager[AsyncInformerTask]] | None = None,
) -> None:
    """Do the task that the command line names, `async-pump`, and report."""
    flavour, _, task = sys.argv[1].partition("-")
    if flavour == "async":
        assert aio is not None
        report(asyncio.run(_drive_tasks(aio, task, read)))
    else:
        assert sync is not None
        with sync() as informer:
            report(_drive(informer, task, read))


def _drive(
    informer: SyncInformerTask, task: str, read: Callable[[Any], object]
) -> dict[str, float]:
    for pod in informer.fill("small", _COUNTS["small"]):
        read(pod)
    before, meter = settled_kib(), Meter()
    if task == "pump":
        informer.pump(CHANGES)
        return _rated(meter)
    if task == "idle":
        informer.idle(INFORMERS)
        kept = _each(before)
        meter = Meter()
        time.sleep(SECONDS)
        return {**meter.read(), "each_kb": kept}
    namespace = _NAMESPACES[task]
    return _filled(meter, informer.fill(namespace, _COUNTS[namespace]), read, before)


async def _drive_tasks(
    aio: Callable[[], AbstractAsyncContextManager[AsyncInformerTask]],
    task: str,
    read: Callable[[Any], object],
) -> dict[str, float]:
    async with aio() as informer:
        for pod in await informer.fill("small", _COUNTS["small"]):
            read(pod)
        before, meter = settled_kib(), Meter()
        if task == "pump":
            await informer.pump(CHANGES)
            return _rated(meter)
        if task == "idle":
            await informer.idle(INFORMERS)
            kept = _each(before)
            meter = Meter()
            await asyncio.sleep(SECONDS)
            return {**meter.read(), "each_kb": kept}
        namespace = _NAMESPACES[task]
        pods = await informer.fill(namespace, _COUNTS[namespace])
        return _filled(meter, pods, read, before)


def _filled(
    meter: Meter, pods: Sequence[Any], read: Callable[[Any], object], before: int
) -> dict[str, float]:
    for pod in pods:
        read(pod)
    spent = meter.read()
    assert len(pods) >= _COUNTS["synced"], len(pods)
    return {**spent, "kept_kb": (settled_kib() - before) * 1.024 / len(pods)}


def _rated(meter: Meter) -> dict[str, float]:
    spent = meter.read(CHANGES)
    return {**spent, "rate": 1 / spent["wall"]}


def _each(before: int) -> float:
    return (settled_kib() - before) * 1.024 / INFORMERS
