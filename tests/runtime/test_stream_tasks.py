"""Tasks that leave streams and copies early or are cancelled: they leave nothing behind.

Threads cannot be cancelled, so these tests are of asyncio only.
"""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Pod
from support.scarcity import no_descriptors

from clientgen.runtime._config.cluster_config import ClusterConfig, TlsConfig
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import ConnectionLost
from clientgen.testing import FakeCluster, LocalServer

BIG = bytes(10_000_000)


def pod(name: str) -> Any:
    spec: Any = {"containers": [{"name": "app", "image": "i"}], "nodeName": "node-1"}
    status: Any = {"phase": "Running"}
    return Pod(metadata={"name": name, "namespace": "shop"}, spec=spec, status=status)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def echo(process: Any) -> None:
    while piece := process.stdin.read1():
        process.stdout.write(piece)


@pytest.fixture
def kubeconfig() -> Iterator[str]:
    cluster = FakeCluster(pod("web-0"), pod("files"))
    cluster.container("shop/web-0").on_exec(echo)
    cluster.container("shop/web-0").on_attach(echo)
    cluster.container("shop/files").files["/srv/big"] = BIG
    cluster.logs("shop/web-0").write("one")
    with LocalServer(cluster) as server:
        yield server.kubeconfig


@asynccontextmanager
async def pods_of(kubeconfig: str) -> AsyncIterator[Any]:
    """The client of pods; at the end, no task may be left."""
    async with AsyncClientset.from_config(kubeconfig) as k:
        yield k.core_v1.pods("shop")
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def cancelled(begin: Callable[[asyncio.Event], Any]) -> None:
    """Cancel what has been begun, once it says that it is under way."""
    under_way = asyncio.Event()
    task = asyncio.ensure_future(begin(under_way))
    await under_way.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_streams_that_are_left_early(kubeconfig: str) -> None:
    async with pods_of(kubeconfig) as pods:
        for stream in (
            pods.exec_stream("web-0", ["cat"], stdin=True),
            pods.attach("web-0", stdin=True),
        ):
            async with stream as process:
                await process.write("hello")
                async for output, data in process:
                    assert (output, data) == ("stdout", b"hello")
                    break
            assert process.exit_code is None
        for lines in (pods.follow_logs("web-0"), pods.tail()):
            async with lines:
                async for line in lines:
                    assert str(line).endswith("one")
                    break


async def test_streams_that_are_cancelled(kubeconfig: str) -> None:
    async with pods_of(kubeconfig) as pods:

        async def talk(stream: Any, under_way: asyncio.Event) -> None:
            async with stream as process:
                await process.write("hello")
                async for _ in process:
                    under_way.set()

        async def read(lines: Any, under_way: asyncio.Event) -> None:
            async with lines:
                async for _ in lines:
                    under_way.set()

        for _ in range(5):
            cat = pods.exec_stream("web-0", ["cat"], stdin=True)
            await cancelled(lambda event, cat=cat: talk(cat, event))
            main = pods.attach("web-0", stdin=True)
            await cancelled(lambda event, main=main: talk(main, event))
            await cancelled(lambda event: read(pods.follow_logs("web-0"), event))
            await cancelled(lambda event: read(pods.tail(), event))


async def test_a_plain_for_says_what_reads_a_stream(kubeconfig: str) -> None:
    async with pods_of(kubeconfig) as pods:
        for stream in (
            pods.exec_stream("web-0", ["cat"]),
            pods.follow_logs("web-0"),
            pods.tail(),
            pods.watch(),
        ):
            with pytest.raises(TypeError, match=r"'Async\w+' object is read by `async for`"):
                list(stream)


async def test_a_limit_for_the_whole_stream(kubeconfig: str) -> None:
    """As docs/guides/streams.md says."""
    async with pods_of(kubeconfig) as pods:
        with pytest.raises(TimeoutError):
            async with (
                asyncio.timeout(0.1),
                pods.exec_stream("web-0", ["cat"], stdin=True) as process,
            ):
                await process.wait()


async def test_copies_that_are_cancelled_leave_no_files(kubeconfig: str, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(BIG)
    (tmp_path / "old").write_text("old")
    loop = asyncio.get_running_loop()
    async with pods_of(kubeconfig) as pods:

        def telling(under_way: asyncio.Event) -> Callable[[int], object]:
            return lambda _: loop.call_soon_threadsafe(under_way.set)

        for _ in range(5):
            await cancelled(
                lambda event: pods.copy_from(
                    "files", "/srv/big", tmp_path / "old", on_progress=telling(event)
                )
            )
            await cancelled(
                lambda event: pods.copy_to(
                    "files", tmp_path / "big", "/new", on_progress=telling(event)
                )
            )
    assert names_in(tmp_path) == ["big", "old"]
    assert (tmp_path / "old").read_text() == "old"


async def test_a_local_port_without_descriptors_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """asyncio's servers log a traceback for each attempt, of which they make a hundred at once."""
    monkeypatch.setattr("clientgen.runtime._net.acceptor._RETRY_SECONDS", 0)
    cluster = FakeCluster(pod("web-0"))
    cluster.container("shop/web-0").port(80, lambda each: each.write(each.read(5)))
    async with cluster.clientset(AsyncClientset) as k:
        pods = k.core_v1.pods("shop")
        async with pods.port_forward("web-0", 80) as port:
            with socket.socket() as early:
                with no_descriptors():
                    early.connect(("127.0.0.1", port))
                    for _ in range(100):
                        await asyncio.sleep(0)
                early.setblocking(False)
                loop = asyncio.get_running_loop()
                await loop.sock_sendall(early, b"hello")
                assert await loop.sock_recv(early, 5) == b"hello"
    [told] = caplog.records
    assert told.name == "clientgen.runtime.ports"
    assert told.getMessage().startswith(f"local port {port}: cannot accept connections: ")


async def test_a_local_port_is_left_without_descriptors() -> None:
    cluster = FakeCluster(pod("web-0"))
    async with cluster.clientset(AsyncClientset) as k:
        async with k.core_v1.pods("shop").port_forward("web-0", 80) as port:
            with socket.socket() as early, no_descriptors():
                early.connect(("127.0.0.1", port))
                for _ in range(10):
                    await asyncio.sleep(0)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_a_connection_in_its_handshake_is_closed_with_the_client() -> None:
    """The loop may end at once: then it would be an "unclosed transport"."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.setblocking(False)
            url = f"https://127.0.0.1:{listener.getsockname()[1]}"
            rest = AsyncRest(ClusterConfig(url, tls=TlsConfig(insecure=True)))
            watch = AsyncClientset(rest).core_v1.pods("default").watch(resource_version="1")
            reading = asyncio.ensure_future(watch.__anext__())
            server, _ = await loop.sock_accept(listener)
            with server:
                await loop.sock_recv(server, 1)  # it has said hello, and is not answered
                await rest.aclose()
                with pytest.raises(ConnectionLost, match="the connection was closed"):
                    await reading

    asyncio.run(main())
    gc.collect()
