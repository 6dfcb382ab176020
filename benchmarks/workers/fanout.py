"""The test server's watches: 1,000 changes of one ConfigMap, told to 100 watchers.

What is said is for each event that arrives, of which there are 100,000: with a hundredth of the
PATCH behind it. Over HTTP it is the server's CPU that counts.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from threading import Thread
from typing import TYPE_CHECKING, Any

import aiohttp
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap

from clientgen.runtime import MergePatch
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.models import from_dict
from clientgen.testing import fake_clientset
from clientgen.testing._apiserver.server import ApiServer

from .conversation import NAMESPACE, Conversation, answered, as_patch
from .meter import Meter, report
from .processes import FIXED, SERVE, started

if TYPE_CHECKING:
    from collections.abc import Callable

WATCHERS, EVENTS = 100, 1_000
_TALK = Conversation("patch", "configmap")


def _target(version: str) -> str:
    return f"{_TALK.path}?watch=true&resourceVersion={version}"


def _version(body: bytes) -> str:
    version: str = json.loads(body)["metadata"]["resourceVersion"]
    return version


def _handler() -> dict[str, float]:
    server = ApiServer()
    version = _version(answered(server, _TALK.first()))
    streams: list[Any] = [
        server.handle(HttpRequest("GET", _target(version))) for _ in range(WATCHERS)
    ]
    arrived = 0
    meter = Meter()
    for number in range(EVENTS):
        answered(server, _TALK.each(number))
        arrived += sum(stream.take().count(b"\n") for stream in streams)
    return _counted(arrived, meter)


def _counted(arrived: int, meter: Meter) -> dict[str, float]:
    assert arrived == WATCHERS * EVENTS, arrived
    return meter.read(arrived)


def _sync() -> dict[str, float]:
    clients = fake_clientset(Clientset)
    client = clients.core_v1.config_maps(NAMESPACE)
    version = client.create(from_dict(ConfigMap, _TALK.object(0))).metadata.resource_version
    arrived = [0] * WATCHERS

    def watch(watcher: int) -> None:
        with client.watch(resource_version=version) as events:
            for _ in events:
                arrived[watcher] += 1
                if arrived[watcher] == EVENTS:
                    return

    meter = Meter()
    threads = [Thread(target=watch, args=[watcher]) for watcher in range(WATCHERS)]
    for thread in threads:
        thread.start()
    for number in range(EVENTS):
        client.patch(_TALK.name(0), MergePatch(as_patch(number)))
    for thread in threads:
        thread.join()
    return _counted(sum(arrived), meter)


async def _awaited() -> dict[str, float]:
    client = fake_clientset(AsyncClientset).core_v1.config_maps(NAMESPACE)
    made = await client.create(from_dict(ConfigMap, _TALK.object(0)))
    version = made.metadata.resource_version

    async def watch() -> int:
        arrived = 0
        async with client.watch(resource_version=version) as events:
            async for _ in events:
                arrived += 1
                if arrived == EVENTS:
                    break
        return arrived

    meter = Meter()
    watches = [asyncio.create_task(watch()) for _ in range(WATCHERS)]
    for number in range(EVENTS):
        await client.patch(_TALK.name(0), MergePatch(as_patch(number)))
        await asyncio.sleep(0)
    return _counted(sum(await asyncio.gather(*watches)), meter)


def _over(command: tuple[str, ...]) -> dict[str, float]:
    with started(*command) as process:

        async def measured() -> dict[str, float]:
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(process.url, connector=connector) as session:
                made = _TALK.first()
                body = await _body(session, made)
                version = _version(body) if body.startswith(b"{") else ""
                opened = [await session.get(_target(version)) for _ in range(WATCHERS)]
                cpu, wall = process.cpu(), time.perf_counter()
                watches = [asyncio.create_task(_lines(each)) for each in opened]
                for number in range(EVENTS):
                    await _body(session, _TALK.each(number))
                arrived = sum(await asyncio.gather(*watches))
                assert arrived == WATCHERS * EVENTS, arrived
                cpu, wall = process.cpu() - cpu, time.perf_counter() - wall
                return {"cpu": cpu / arrived, "wall": wall / arrived}

        return {**asyncio.run(measured()), "peak_mb": process.peak_mb()}


async def _body(session: aiohttp.ClientSession, asked: HttpRequest) -> bytes:
    async with session.request(
        asked.method, asked.target, data=asked.body, headers=dict(asked.headers)
    ) as answer:
        answer.raise_for_status()
        return await answer.read()


async def _lines(answer: aiohttp.ClientResponse) -> int:
    arrived = 0
    async with answer:
        while arrived < EVENTS:
            arrived += (await answer.content.readany()).count(b"\n")
    return arrived


def _fixed() -> dict[str, float]:
    server = ApiServer()
    version = _version(answered(server, _TALK.first()))
    stream: Any = server.handle(HttpRequest("GET", _target(version)))
    answered(server, _TALK.each(0))
    return _over((*FIXED, str(len(stream.take()))))


_WAYS: dict[str, Callable[[], dict[str, float]]] = {
    "handler": _handler,
    "sync": _sync,
    "async": lambda: asyncio.run(_awaited()),
    "http": lambda: _over(SERVE),
    "fixed": _fixed,
}


if __name__ == "__main__":
    found = _WAYS[sys.argv[1]]()
    report({**found, "rate": 1 / found["wall"]})
