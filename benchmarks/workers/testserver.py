"""The test server's work: requests by each way in, one kind of request at a time.

Over HTTP it is the server's CPU that counts, of a process of its own; in process all of it does.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Any

import aiohttp
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Pod

from clientgen.runtime import MergePatch
from clientgen.runtime.models import from_dict
from clientgen.testing import fake_clientset
from clientgen.testing._apiserver.server import ApiServer

from .conversation import NAMESPACE, Conversation, answered, as_patch
from .meter import Meter, report
from .processes import FIXED, SERVE, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clientgen.runtime._http.request import HttpRequest

_WARM, _AT_ONCE = 50, 16
_MODELS: dict[str, Any] = {"configmap": ConfigMap, "pod": Pod}


def main() -> None:
    """Do what the command line names, `handler get-pod`, and report."""
    way, name = sys.argv[1:]
    report(_WAYS[way](Conversation.of(name)))


def _with_rate(values: dict[str, float]) -> dict[str, float]:
    return {**values, "rate": 1 / values["wall"]}


# ---- in process ---------------------------------------------------------------------------------


def _handler(talk: Conversation) -> dict[str, float]:
    server = ApiServer()
    answered(server, talk.first())
    asked = [talk.each(number) for number in range(_WARM + talk.count)]
    for each in asked[:_WARM]:
        answered(server, each)
    meter = Meter()
    for each in asked[_WARM:]:
        server.handle(each)
    return _with_rate(meter.read(talk.count))


def _call(client: Any, talk: Conversation) -> Callable[[int], Any]:
    """What to call for each request; it gives something to await if the client does."""
    if talk.verb == "get":
        return lambda _: client.get(talk.name(0))
    if talk.verb == "patch":
        return lambda number: client.patch(talk.name(0), MergePatch(as_patch(number)))
    model = _MODELS[talk.kind]
    total = _WARM + talk.count
    objects = [from_dict(model, talk.object(number + 1)) for number in range(total)]
    return lambda number: client.create(objects[number])


def _client(clients: Any, talk: Conversation) -> Any:
    core = clients.core_v1
    return core.pods(NAMESPACE) if talk.kind == "pod" else core.config_maps(NAMESPACE)


def _sync(talk: Conversation) -> dict[str, float]:
    client = _client(fake_clientset(Clientset), talk)
    client.create(from_dict(_MODELS[talk.kind], talk.object(0)))
    call = _call(client, talk)
    for number in range(_WARM):
        call(number)
    meter = Meter()
    for number in range(_WARM, _WARM + talk.count):
        call(number)
    return _with_rate(meter.read(talk.count))


async def _awaited(talk: Conversation) -> dict[str, float]:
    client = _client(fake_clientset(AsyncClientset), talk)
    await client.create(from_dict(_MODELS[talk.kind], talk.object(0)))
    call = _call(client, talk)
    for number in range(_WARM):
        await call(number)
    meter = Meter()
    for number in range(_WARM, _WARM + talk.count):
        await call(number)
    return _with_rate(meter.read(talk.count))


# ---- over HTTP ----------------------------------------------------------------------------------


def _http(talk: Conversation) -> dict[str, float]:
    return _over(talk, SERVE)


def _fixed(talk: Conversation) -> dict[str, float]:
    server = ApiServer()
    body = answered(server, talk.first())
    return _over(talk, (*FIXED, str(len(body))))


def _over(talk: Conversation, command: tuple[str, ...]) -> dict[str, float]:
    with started(*command) as process:

        async def measured() -> dict[str, float]:
            async with aiohttp.ClientSession(process.url) as session:
                await _send(session, talk.first())
                asked = iter([talk.each(number) for number in range(_WARM + talk.count)])
                await _workers(session, [next(asked) for _ in range(_WARM)])
                cpu, wall = process.cpu(), time.perf_counter()
                await _workers(session, list(asked))
                cpu, wall = process.cpu() - cpu, time.perf_counter() - wall
                return {"cpu": cpu / talk.count, "wall": wall / talk.count}

        return {**_with_rate(asyncio.run(measured())), "peak_mb": process.peak_mb()}


async def _workers(session: aiohttp.ClientSession, asked: list[HttpRequest]) -> None:
    rest: Iterator[HttpRequest] = iter(asked)

    async def work() -> None:
        for each in rest:
            await _send(session, each)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))


async def _send(session: aiohttp.ClientSession, asked: HttpRequest) -> None:
    headers = dict(asked.headers)
    async with session.request(
        asked.method, asked.target, data=asked.body, headers=headers
    ) as answer:
        body = await answer.read()
        assert answer.status < 300, body


_WAYS: dict[str, Callable[[Conversation], dict[str, float]]] = {
    "handler": _handler,
    "sync": _sync,
    "async": lambda talk: asyncio.run(_awaited(talk)),
    "http": _http,
    "fixed": _fixed,
}


if __name__ == "__main__":
    main()
