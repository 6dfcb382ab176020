"""Floods of tiny pieces: the event loop gets its turns, and nothing grows without a bound."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from kubeapi import AsyncClientset
from support.exec_server import Process, exec_server, never_read

from clientgen.runtime._async.websocket import AsyncWebSocket
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import ConnectionLost, RequestInfo
from clientgen.testing import LocalServer

BLOCK = 1 << 20
MOST = 5_000  # pieces, until others run
TINY = {
    "messages": b"\x82\x01x",
    "empty messages": b"\x82\x00",
    "pings": b"\x89\x00",
    "continuations": b"\x00\x00",
}


class Flood:
    """A stream that always has something to read, and whose reader never has to wait."""

    def __init__(self, piece: bytes, start: bytes = b"") -> None:
        self._block = piece * (BLOCK // len(piece))
        self._next = start or self._block
        self.reads = 0

    async def read(self) -> bytes:
        self.reads += 1
        block, self._next = self._next, self._block
        return block

    async def write(self, data: bytes, timeout: float | None = None) -> None:
        pass

    def abort(self) -> None:
        pass

    async def aclose(self) -> None:
        pass


async def longest_turn(work: Callable[[], Any], count: Callable[[], int]) -> int:
    """Do some work in a task; return how much of it was done at most until others ran."""
    task = asyncio.ensure_future(work())
    longest = before = 0
    while not task.done():
        await asyncio.sleep(0)
        longest, before = max(longest, count() - before), count()
    await task
    return longest


@pytest.mark.parametrize("kind", ["messages", "empty messages", "pings"])
async def test_a_flood_of_tiny_frames_leaves_turns_to_others(kind: str) -> None:
    flood: Any = Flood(TINY[kind])
    socket = AsyncWebSocket(flood, "v5.channel.k8s.io", RequestInfo("GET", "/exec"))

    def count() -> int:
        return socket._frames.received

    async def receive() -> None:
        while count() < 30_000 and await socket.receive() is not None:
            pass

    async def stop() -> None:
        while count() < 20_000:  # noqa: ASYNC110 - turns of the loop are what is counted
            await asyncio.sleep(0)
        socket.abort()

    stopping = asyncio.ensure_future(stop())
    assert await longest_turn(receive, count) < MOST
    assert count() < 30_000  # who stops it is heard
    await stopping


async def test_continuations_that_are_empty_end_the_connection() -> None:
    """They add nothing to the bytes of a message, which are limited."""

    async def flood(process: Process) -> None:
        transport = process.request.transport
        assert transport is not None
        transport.write(b"\x02\x00")
        while not transport.is_closing():
            transport.write(TINY["continuations"] * 10_000)
            await asyncio.sleep(0)

    with exec_server(flood) as server:
        async with AsyncClientset(AsyncRest(ClusterConfig(server.url))) as k:
            with pytest.raises(ConnectionLost, match="a message has more than 65536 frames"):
                await k.core_v1.pods("shop").exec("web-0", ["ls"], timeout=600)


async def test_pings_of_a_server_that_reads_nothing_take_no_memory() -> None:
    """They cannot be answered while somebody sends."""
    has_begun = threading.Event()

    async def flood(process: Process) -> None:
        transport = process.request.transport
        assert transport is not None
        transport.pause_reading()
        await asyncio.to_thread(has_begun.wait, 60)
        transport.write(TINY["pings"] * 100_000)
        await process.out(b"x")
        await asyncio.Event().wait()

    with exec_server(flood) as server:
        async with AsyncClientset(AsyncRest(ClusterConfig(server.url))) as k:
            stream = k.core_v1.pods("shop").exec_stream("web-0", ["cat"], stdin=True)
            async with stream:

                async def fill() -> None:
                    while True:
                        await stream.write(bytes(BLOCK))

                filling = asyncio.ensure_future(fill())
                await asyncio.sleep(0)
                has_begun.set()
                assert (await anext(stream)).data == b"x"
                assert stream._socket is not None
                assert len(stream._socket._frames.take()) < 1000
                filling.cancel()


async def test_who_leaves_does_not_wait_for_a_server_that_reads_nothing() -> None:
    with exec_server(never_read) as server:
        async with AsyncClientset(AsyncRest(ClusterConfig(server.url))) as k:
            stream = k.core_v1.pods("shop").exec_stream("web-0", ["cat"], stdin=True)
            await stream.__aenter__()

            async def fill() -> None:
                while True:
                    await stream.write(bytes(BLOCK))

            with pytest.raises(TimeoutError):
                await asyncio.wait_for(fill(), 0.5)
            async with asyncio.timeout(20):  # the health monitor gives it up later
                await stream.aclose()


async def test_a_flood_of_empty_lines_leaves_turns_to_others() -> None:
    with LocalServer() as server:
        spec = {"nodeName": "n", "containers": [{"name": "main", "image": "i"}]}
        metadata = {"name": "p", "namespace": "default"}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        server.cluster.add(pod)
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            lines: Any = k.core_v1.pods("default").follow_logs("p")
            await lines.open()
            stream, lines._stream = lines._stream, Flood(b"\n")
            count = 0

            async def read() -> None:
                nonlocal count
                async for _ in lines:
                    count += 1
                    if count == 30_000:
                        return

            assert await longest_turn(read, lambda: count) < MOST
            await stream.aclose()
