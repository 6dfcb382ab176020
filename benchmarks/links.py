"""Prints what one GET costs: every link of the chain of requests, the transport, and decoding.

::

    python -m benchmarks.links
    python -m benchmarks.links --rounds 5000

The figures are CPU µs for one pod of 9.8 kB, which `benchmarks.server` serves over TLS from a
process of its own. Everything takes turns, one request at a time; a figure is the median of the
rounds. The cost of a link is what its `send` takes with nothing below: the next link has the
response already. On a busy machine, read the ratio.

It needs clientgen, the generated package and trustme, and none of the environments.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Pod

from benchmarks.pods import write_all
from benchmarks.workers import bare
from benchmarks.workers.client_tasks import NAME, NAMESPACE
from clientgen.runtime._async.requests.connections import AsyncConnections
from clientgen.runtime._http.json_codec import JSON
from clientgen.runtime._http.request import HttpRequest, HttpResponse
from clientgen.runtime._http.response import read_object
from clientgen.runtime._sync.requests.connections import Connections
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.config import ClusterConfig
from clientgen.runtime.sync import Rest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    Work = Callable[[], Any]
    Figures = dict[str, float]
    Samples = dict[str, list[float]]

_PODS = 20
_REPEATS, _WARM_UP = 20, 50
_NOTHING, _CHAIN, _CALL = "the answer", "all links", "a call in memory"
_READ, _MSGSPEC = "read_object", "bare msgspec"
_LIBRARY, _TRANSPORT = "bare library", "transport"
_FLOOR, _GET = "bare library + msgspec", "GET"


class _Answer:
    """A link, or a transport, that has the response already."""

    def __init__(self, response: HttpResponse) -> None:
        self._response = response

    def send(self, *_: object) -> HttpResponse:
        return self._response

    def close(self) -> None: ...


class _AsyncAnswer:
    """The same for asyncio."""

    def __init__(self, response: HttpResponse) -> None:
        self._response = response

    async def send(self, *_: object) -> HttpResponse:
        return self._response

    async def aclose(self) -> None: ...


class _Parts:
    """The parts of a GET, in one flavour, as functions that can be timed.

    Args:
        client: The clientset.
        memory: A clientset whose transport is `answer`.
        answer: Has the response of `fetched`.
        floor: The bare client.
    """

    def __init__(self, client: Any, memory: Any, answer: Any, floor: Any, body: bytes) -> None:
        request, signed = HttpRequest("GET", bare.GET), HttpRequest("GET", bare.GET)
        signed.headers = tuple(bare.HEADERS.items())
        transport = client.rest.chain.connections.transport
        pods, pods_in_memory = (k.core_v1.pods(NAMESPACE) for k in (client, memory))
        response = _response(body)
        self.links: dict[str, Work] = dict(_links(client.rest, answer, request))
        local: dict[str, Work] = {
            _NOTHING: lambda: answer.send(request, None),
            **self.links,
            _CHAIN: lambda: memory.rest.send(request, None),
            _CALL: lambda: pods_in_memory.get(NAME),
        }
        plain: dict[str, Work] = {
            _READ: lambda: read_object(response, Pod, request, JSON),
            _MSGSPEC: lambda: bare.pod_decoder.decode(body),
        }
        remote: dict[str, Work] = {
            _LIBRARY: lambda: floor.fetch(bare.GET),
            _TRANSPORT: lambda: transport.send(signed, None),
            _FLOOR: floor.get,
            _GET: lambda: pods.get(NAME),
        }
        self.works: dict[str, tuple[Work, int, bool]] = {
            **{name: (work, _REPEATS, True) for name, work in local.items()},
            **{name: (work, _REPEATS, False) for name, work in plain.items()},
            **{name: (work, 1, True) for name, work in remote.items()},
        }


def _links(rest: Any, answer: Any, request: HttpRequest) -> Generator[tuple[str, Work]]:
    """Yield the name and the `send` of each link, with `answer` as its next link."""
    link = rest.chain.first
    while hasattr(link, "next"):
        alone = copy.copy(link)
        alone.next = answer
        yield type(link).__name__.removeprefix("Async"), _sending(alone, request)
        link = link.next
    kind: Any = AsyncConnections if isinstance(link, AsyncConnections) else Connections
    yield "Connections", _sending(kind(rest.config, answer, None, {}), request)


def _sending(link: Any, request: HttpRequest) -> Work:
    return lambda: link.send(request, None)


# ---- taking turns -----------------------------------------------------------------------------


def _time_threads(parts: _Parts, samples: Samples) -> None:
    for name, (work, count, _) in _shuffled(parts):
        before = process_time_ns()
        for _ in range(count):
            work()
        samples[name].append((process_time_ns() - before) / count / 1000)


async def _time_asyncio(parts: _Parts, samples: Samples) -> None:
    for name, (work, count, is_awaited) in _shuffled(parts):
        before = process_time_ns()
        for _ in range(count):
            if is_awaited:
                await work()
            else:
                work()
        samples[name].append((process_time_ns() - before) / count / 1000)


def _shuffled(parts: _Parts) -> list[tuple[str, tuple[Work, int, bool]]]:
    """Return the functions in another order in each round: each leaves its traces in the caches."""
    works = [*parts.works.items()]
    random.shuffle(works)
    return works


def _threads(body: bytes, rounds: int) -> Figures:
    config, samples = os.environ["KUBECONFIG"], _new_samples()
    answer = _Answer(_response(body))
    memory = Clientset(Rest(ClusterConfig("http://memory"), transport=answer))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with bare.sync_client() as floor, Clientset.from_config(config) as client:
        client.core_v1.pods(NAMESPACE).get(NAME)
        parts = _Parts(client, memory, answer, floor, body)
        for _ in range(rounds + _WARM_UP):
            _time_threads(parts, samples)
    return _figures(parts, samples)


async def _asyncio(body: bytes, rounds: int) -> Figures:
    config, samples = os.environ["KUBECONFIG"], _new_samples()
    answer = _AsyncAnswer(_response(body))
    memory = AsyncClientset(AsyncRest(ClusterConfig("http://memory"), transport=answer))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    async with bare.async_client() as floor, AsyncClientset.from_config(config) as client:
        await client.core_v1.pods(NAMESPACE).get(NAME)
        parts = _Parts(client, memory, answer, floor, body)
        for _ in range(rounds + _WARM_UP):
            await _time_asyncio(parts, samples)
    return _figures(parts, samples)


def _new_samples() -> Samples:
    return defaultdict(list)


def _response(body: bytes) -> HttpResponse:
    return HttpResponse(200, {"content-type": "application/json"}, body)


# ---- the report -------------------------------------------------------------------------------


def _figures(parts: _Parts, samples: Samples) -> Figures:
    """Return the rows of one flavour. The first rounds warm up."""

    def cost(name: str, *without: str) -> float:
        rounds = zip(*(samples[each][_WARM_UP:] for each in (name, *without)), strict=True)
        return median(first - sum(others) for first, *others in rounds)

    return {
        "path and request": cost(_CALL, _CHAIN, _READ),
        **{name: cost(name, _NOTHING) for name in parts.links},
        "transport, beyond the bare library": cost(_TRANSPORT, _LIBRARY),
        "decode, beyond bare msgspec": cost(_READ, _MSGSPEC),
        "bare library": cost(_LIBRARY),
        "bare msgspec": cost(_MSGSPEC),
        "bare library + msgspec": cost(_FLOOR),
        "GET": cost(_GET),
        "GET, times bare": median(
            whole / floor
            for whole, floor in zip(
                samples[_GET][_WARM_UP:], samples[_FLOOR][_WARM_UP:], strict=True
            )
        ),
    }


@contextmanager
def _served() -> Generator[Path]:
    """Serve some pods. Yields the folder of what is served; KUBECONFIG names the server."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_all(folder, _PODS)
        command = [sys.executable, "-m", "benchmarks.server", name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                if server.stdout is None or not server.stdout.readline().strip():
                    raise RuntimeError("the server did not start")
                os.environ["KUBECONFIG"] = str(folder / "kubeconfig")
                yield folder
            finally:
                server.terminate()


def main() -> None:
    """Measure both flavours, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.links")
    parser.add_argument("--rounds", type=int, default=1_000)
    rounds: int = parser.parse_args().rounds
    with _served() as folder:
        body = (folder / "pod.json").read_bytes()
        threads, aio = _threads(body, rounds), asyncio.run(_asyncio(body, rounds))
    print("| CPU µs | asyncio | threads |\n| --- | ---: | ---: |")
    for name in aio:
        print(f"| {name} | {aio[name]:.3g} | {threads[name]:.3g} |")


if __name__ == "__main__":
    main()
