"""Local ports that lead to pods. test_port_forward_threads.py is derived."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Pod
from support.local_sockets import answer_of, answer_on, both_ways, talk
from support.port_server import refuse_or_speak_nonsense
from support.web_server import WebServer, running

from clientgen.runtime._async._primitives import run_blocking, sleep
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import NotFound
from clientgen.testing import FakeCluster, LocalServer

BIG = bytes(range(256)) * 20_000


def pod(name: str) -> Any:
    spec = {"containers": [{"name": "app", "image": "i"}]}
    return Pod(metadata={"name": name, "namespace": "shop"}, spec=spec)


def echo(connection: Any) -> None:
    while data := connection.read1():
        connection.write(data)


def greet(connection: Any) -> None:
    connection.write(f"{connection.namespace}/{connection.pod}:{connection.port} ")
    connection.write(connection.readline())


def fail(connection: Any) -> None:
    raise ValueError("it is broken")


def gather(connection: Any) -> None:
    connection.write(str(len(connection.read(1000))))


@pytest.fixture(params=["in process", "over HTTP"])
def k(request: pytest.FixtureRequest) -> Iterator[AsyncClientset]:
    cluster = FakeCluster(pod("web-0"), pod("other"))
    app = cluster.container("shop/web-0")
    for port, function in {1: echo, 2: greet, 3: fail, 4: gather}.items():
        app.port(port, function)
    if request.param == "in process":
        yield cluster.clientset(AsyncClientset)
        return
    with LocalServer(cluster) as server:
        yield AsyncClientset.from_config(server.kubeconfig)


async def test_bytes_go_both_ways(k: AsyncClientset) -> None:
    async with k, k.core_v1.pods("shop").port_forward("web-0", 1) as port:
        assert await run_blocking(partial(both_ways, port, BIG)) == BIG


async def test_a_connection_ends_when_the_pod_ends_it(k: AsyncClientset) -> None:
    async with k:
        forward = k.core_v1.pods("shop").port_forward("web-0", 2)
        assert forward.local_port == 0
        async with forward as port:
            assert forward.local_port == port > 0
            for _ in range(3):
                answer = await run_blocking(partial(answer_of, port, b"hello\nmore\n"))
                assert answer == b"shop/web-0:2 hello\n"
        with pytest.raises(ConnectionRefusedError):
            await run_blocking(partial(answer_of, port, b""))
        with pytest.raises(RuntimeError, match="has already started"):
            await forward.start()


async def test_many_connections_at_once(k: AsyncClientset) -> None:
    async with k, k.core_v1.pods("shop").port_forward("web-0", 1) as port:

        def clients() -> list[bytes]:
            barrier = threading.Barrier(100)
            with ThreadPoolExecutor(100) as pool:
                futures = [pool.submit(talk, port, b"%d" % n, barrier) for n in range(100)]
                return [each.result() for each in futures]

        assert await run_blocking(clients) == [b"%d" % n for n in range(100)]


async def test_what_goes_wrong_with_a_connection_is_logged(
    k: AsyncClientset, caplog: pytest.LogCaptureFixture
) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        for port, told in {
            3: "ValueError: it is broken",
            9: "the test declared no server for this port",
        }.items():
            caplog.clear()
            async with pods.port_forward("web-0", port) as local:
                assert await run_blocking(partial(answer_of, local, b"x")) == b""
                while "a connection to local port" not in caplog.text:
                    await sleep(0.001)
            assert f"a connection to local port {local}: GET /api/v1/" in caplog.text
            assert f"error forwarding port {port} to pod web-0: " in caplog.text
            assert told in caplog.text
        async with pods.port_forward("other", 1) as local:
            assert await run_blocking(partial(answer_of, local, b"x")) == b""
            while "does not have a host assigned" not in caplog.text:
                await sleep(0.001)


async def test_a_refused_connection_is_logged_before_the_program_sees_its_end(
    k: AsyncClientset, caplog: pytest.LogCaptureFixture
) -> None:
    """Who sees it leaves the block; then nothing more would be logged."""
    async with k:
        for _ in range(20):
            caplog.clear()
            async with k.core_v1.pods("shop").port_forward("web-0", 9) as local:
                assert await run_blocking(partial(answer_of, local, b"x")) == b""
            (told,) = caplog.records
            assert told.levelname == "WARNING"
            assert told.name == "clientgen.runtime.ports"
            assert "the test declared no server for this port" in told.getMessage()


async def test_a_pod_that_is_not_there_is_told_at_the_start(k: AsyncClientset) -> None:
    async with k:
        with pytest.raises(NotFound, match="nobody"):
            async with k.core_v1.pods("shop").port_forward("nobody", 1):
                pass


async def test_a_local_port_can_be_chosen_and_be_in_use(k: AsyncClientset) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            number = taken.getsockname()[1]
            with pytest.raises(OSError, match="in use"):
                async with pods.port_forward("web-0", 1, local_port=number):
                    pass
        async with pods.port_forward("web-0", 1, local_port=number) as port:
            assert port == number
            assert await run_blocking(partial(both_ways, port, b"x")) == b"x"


async def test_ports_are_numbers(k: AsyncClientset) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        port: Any
        for port in (0, 65536, -1, True, "80", None, 1.5):
            with pytest.raises(ValueError, match="port must be a number from 1 to 65535, not"):
                pods.port_forward("web-0", port)
        with pytest.raises(ValueError, match="local_port must be a number from 0 to 65535"):
            pods.port_forward("web-0", 1, local_port=-1)


async def test_the_end_of_the_input_waits_for_the_answer(
    k: AsyncClientset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The protocol cannot pass it on: when the pod is silent as well, the connection ends."""
    for flavour in ("_async", "_sync"):
        monkeypatch.setattr(f"clientgen.runtime.{flavour}.port_forward._SILENCE_SECONDS", 0.05)
    async with k:
        async with k.core_v1.pods("shop").port_forward("web-0", 1) as port:
            assert await run_blocking(partial(answer_of, port, b"all")) == b"all"
        async with k.core_v1.pods("shop").port_forward("web-0", 4) as port:
            assert await run_blocking(partial(answer_of, port, b"few")) == b""


async def test_leaving_the_block_breaks_connections_off(k: AsyncClientset) -> None:
    async with k:
        async with k.core_v1.pods("shop").port_forward("web-0", 1) as port:
            connection = await run_blocking(
                partial(socket.create_connection, ("127.0.0.1", port), timeout=30)
            )
            connection.sendall(b"x")
            assert await run_blocking(partial(connection.recv, 1)) == b"x"
        with connection, suppress(ConnectionResetError):
            assert await run_blocking(partial(connection.recv, 1)) == b""


async def test_servers_that_go_or_speak_something_else(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    server = WebServer(refuse_or_speak_nonsense)
    told = ["(403", "forwards another port than requested", "the connection was"]
    with running(server):
        async with AsyncClientset(AsyncRest(ClusterConfig(server.url))) as k:
            for number, words in enumerate(told, start=1):
                async with k.core_v1.pods("shop").port_forward("web-0", number) as port:
                    assert await run_blocking(partial(answer_of, port, b"x")) == b""
                    while words not in caplog.text:
                        await sleep(0.001)


async def test_a_pod_is_dialled_without_a_local_port(k: AsyncClientset) -> None:
    async with k:
        forward = k.core_v1.pods("shop").port_forward("web-0", 1)
        for number in range(5):
            connection = await forward.dial()
            data = b"%d" % number * 10_000
            assert await run_blocking(partial(answer_on, connection, data)) == data
        async with forward as port:
            connection = await forward.dial()
            assert await run_blocking(partial(answer_on, connection, b"both")) == b"both"
            assert await run_blocking(partial(both_ways, port, b"ways")) == b"ways"
        with pytest.raises(RuntimeError, match="is closed"):
            await forward.dial()
        with pytest.raises(NotFound):
            await k.core_v1.pods("shop").port_forward("none", 1).dial()


async def test_a_dialled_connection_ends_with_the_forward(k: AsyncClientset) -> None:
    async with k:
        forward = k.core_v1.pods("shop").port_forward("web-0", 1)
        connection = await forward.dial()
        await forward.aclose()
        with connection:
            connection.settimeout(60)
            assert await run_blocking(partial(connection.recv, 100)) == b""
