"""The same work for every client: decode, GET, LIST, WATCH."""

from __future__ import annotations

import asyncio
import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .meter import Meter, data, report, settled_kib

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

__all__ = ["AsyncClient", "SyncClient", "Worker", "main"]

SEQUENTIAL, AT_ONCE, THREADS, EVENTS = 1_500, 64, 16, 5_000
MANY = 3_200
NAMESPACE, NAME = "team-search", "search-api-000"


class SyncClient(Protocol):
    """A client whose calls block."""

    def get(self) -> object: ...
    def list(self, *, small: bool) -> Sequence[Any]: ...
    def watch(self, *, small: bool) -> Iterator[Any]: ...


class AsyncClient(Protocol):
    """A client whose calls are awaited."""

    async def get(self) -> object: ...
    async def list(self, *, small: bool) -> Sequence[Any]: ...
    def watch(self, *, small: bool) -> AsyncIterator[Any]: ...


@dataclass(frozen=True)
class Worker:
    """What a module can do; what it leaves out is not measured."""

    read: Callable[[Any], object]
    """Reads a few fields of a pod, as any user would: lazy decoders pay for these."""
    decode: Callable[[bytes], Sequence[Any]] | None = None
    sync: Callable[[], AbstractContextManager[SyncClient]] | None = None
    aio: Callable[[], AbstractAsyncContextManager[AsyncClient]] | None = None
    encode: Callable[[Any], bytes] | None = None
    copy: Callable[[Any], object] | None = None


def main(worker: Worker) -> None:
    """Do the task that the command line names, and report."""
    task = sys.argv[1]
    if task in {"decode", "decode-newer"}:
        report(_decode(worker, "newer.json" if task.endswith("newer") else "list.json"))
    elif task in {"encode", "copy"}:
        report(_each(worker, worker.encode if task == "encode" else worker.copy))
    elif task.startswith("sync-"):
        assert worker.sync is not None
        with worker.sync() as client:
            report(_SYNC[task](client, worker.read))
    else:
        report(asyncio.run(_drive(worker, task)))


def _decode(worker: Worker, name: str) -> dict[str, float]:
    assert worker.decode is not None
    _read_all(worker.read, worker.decode((data() / "small.json").read_bytes()))
    body = (data() / name).read_bytes()
    size = len(body) // 1024
    blocks, before = sys.getallocatedblocks(), settled_kib() - size
    meter = Meter()
    pods = worker.decode(body)
    _read_all(worker.read, pods)
    spent = meter.read()
    del body
    kept = settled_kib() - before
    counted = (sys.getallocatedblocks() - blocks) / len(pods)
    return {**spent, "kept_kb": kept * 1.024 / len(pods), "blocks": counted}


def _each(worker: Worker, work: Callable[[Any], object] | None) -> dict[str, float]:
    assert worker.decode is not None
    assert work is not None
    pods = worker.decode((data() / "page-0.json").read_bytes())
    for pod in pods[:10]:
        work(pod)
    gc.collect()
    meter = Meter()
    for pod in pods:
        work(pod)
    return meter.read(len(pods))


def _read_all(read: Callable[[Any], object], pods: Sequence[Any]) -> None:
    for pod in pods:
        read(pod)


# ---- threads ----------------------------------------------------------------------------------


def _get(client: SyncClient, read: Callable[[Any], object]) -> dict[str, float]:
    for _ in range(50):
        client.get()
    meter = Meter()
    for _ in range(SEQUENTIAL):
        read(client.get())
    return meter.read(SEQUENTIAL)


def _get_threads(client: SyncClient, read: Callable[[Any], object]) -> dict[str, float]:
    def some(count: int) -> None:
        for _ in range(count):
            read(client.get())

    some(5)  # alone: threads that make msgspec's very first decoder at the same time crash it
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(some, [5] * THREADS))
        meter = Meter()
        list(pool.map(some, [MANY // 2 // THREADS] * THREADS))
        return meter.read(MANY // 2)


def _list(client: SyncClient, read: Callable[[Any], object]) -> dict[str, float]:
    _read_all(read, client.list(small=True))
    before = settled_kib()
    meter = Meter()
    pods = client.list(small=False)
    _read_all(read, pods)
    return _listed(meter, pods, before)


def _listed(meter: Meter, pods: Sequence[Any], before: int) -> dict[str, float]:
    spent = meter.read()
    assert len(pods) == EVENTS, len(pods)
    return {**spent, "kept_kb": (settled_kib() - before) * 1.024 / len(pods)}


def _watch(client: SyncClient, read: Callable[[Any], object]) -> dict[str, float]:
    _take(client.watch(small=True), read, 10)
    meter = Meter()
    _take(client.watch(small=False), read, EVENTS)
    return meter.read(EVENTS)


def _take(events: Iterator[Any], read: Callable[[Any], object], count: int) -> None:
    for pod in events:
        read(pod)
        count -= 1
        if not count:
            return
    raise AssertionError(f"{count} events are missing")


_SYNC = {
    "sync-get": _get,
    "sync-get-16": _get_threads,
    "sync-list": _list,
    "sync-watch": _watch,
}


# ---- asyncio ----------------------------------------------------------------------------------


async def _drive(worker: Worker, task: str) -> dict[str, float]:
    assert worker.aio is not None
    async with worker.aio() as client:
        return await _ASYNC[task](client, worker.read)


async def _aget(client: AsyncClient, read: Callable[[Any], object]) -> dict[str, float]:
    for _ in range(50):
        await client.get()
    meter = Meter()
    for _ in range(SEQUENTIAL):
        read(await client.get())
    return meter.read(SEQUENTIAL)


async def _aget_many(client: AsyncClient, read: Callable[[Any], object]) -> dict[str, float]:
    async def some(count: int) -> None:
        for _ in range(count):
            read(await client.get())

    await asyncio.gather(*(some(3) for _ in range(AT_ONCE)))
    meter = Meter()
    await asyncio.gather(*(some(MANY // AT_ONCE) for _ in range(AT_ONCE)))
    return meter.read(MANY)


async def _alist(client: AsyncClient, read: Callable[[Any], object]) -> dict[str, float]:
    _read_all(read, await client.list(small=True))
    before = settled_kib()
    meter = Meter()
    pods = await client.list(small=False)
    _read_all(read, pods)
    return _listed(meter, pods, before)


async def _awatch(client: AsyncClient, read: Callable[[Any], object]) -> dict[str, float]:
    await _atake(client.watch(small=True), read, 10)
    meter = Meter()
    await _atake(client.watch(small=False), read, EVENTS)
    return meter.read(EVENTS)


async def _atake(events: AsyncIterator[Any], read: Callable[[Any], object], count: int) -> None:
    async for pod in events:
        read(pod)
        count -= 1
        if not count:
            return
    raise AssertionError(f"{count} events are missing")


_ASYNC = {
    "async-get": _aget,
    "async-get-64": _aget_many,
    "async-list": _alist,
    "async-watch": _awatch,
}
