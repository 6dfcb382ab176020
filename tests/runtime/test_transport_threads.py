"""What only one of the flavours has to bear: threads and forks, or tasks and their ends."""

# A loop or a block that fails half way is what is tested.
# ruff: noqa: PERF401, SIM117

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
import threading
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from support.models import PODS, Pod, pod
from support.server import CLOSE, event, head, ok

from clientgen.runtime._async._primitives import Event
from clientgen.runtime._http import blocking_calls
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime._sync import transport as sync_transport
from clientgen.runtime._sync._primitives import Lock, run_with_lock
from clientgen.runtime.aio import AsyncResourceClient, AsyncRest
from clientgen.runtime.sync import ResourceClient, Rest


class AsyncPodClient(AsyncResourceClient):
    resource = PODS


class PodClient(ResourceClient):
    resource = PODS


def test_threads_share_a_client(server, config_for):
    for _ in range(80):
        server.reply(ok(pod()))
    pods: list[Pod] = []
    with Rest(config_for(server), qps=1e6, burst=10) as rest:

        def work() -> None:
            for _ in range(10):
                pods.append(PodClient(rest, "default")._get(Pod, "web-0", {}))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(pods) == 80
    assert server.connections <= 8


def test_connections_beyond_the_pool_are_closed_without_harm(server, config_for):
    for _ in range(80):
        server.reply(ok(pod()))
    failed: list[Exception] = []
    with Rest(config_for(server), pool_size=1, timeout=30) as rest:

        def work() -> None:
            try:
                for _ in range(10):
                    PodClient(rest, "default")._get(Pod, "web-0", {})
            except Exception as error:
                failed.append(error)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failed == []


def test_an_answer_that_closes_the_connection_is_read_within_its_time(server, config_for):
    server.reply(ok(pod(), "Connection: close"), CLOSE)
    with Rest(config_for(server), timeout=30) as rest:
        assert PodClient(rest, "default")._get(Pod, "web-0", {}).metadata.name == "web-0"


def test_a_forked_process_opens_its_own_connections(server, config_for, monkeypatch):
    for _ in range(3):
        server.reply(ok(pod()))
    with Rest(config_for(server)) as rest:
        pods = PodClient(rest, "default")
        pods._get(Pod, "web-0", {})
        parent = rest.chain.connections.transport._manager
        monkeypatch.setattr(sync_transport.os, "getpid", lambda: -1)
        pods._get(Pod, "web-0", {})
        pods._get(Pod, "web-0", {})
        parent.clear()
    assert [request.connection for request in server.requests] == [1, 2, 2]


def test_another_thread_stops_a_blocked_watch(server, config_for):
    server.reply(head(chunked=True), event("ADDED", pod()), threading.Event())
    heard = threading.Event()
    with Rest(config_for(server)) as rest:
        watch = PodClient(rest)._watch(Pod, {})

        def follow() -> None:
            for _ in watch:
                heard.set()

        thread = threading.Thread(target=follow)
        thread.start()
        assert heard.wait(10)
        watch.close()
        thread.join(10)
        assert not thread.is_alive()


def test_many_tasks_share_a_client(server, config_for):
    for _ in range(65):
        server.reply(ok(pod()))

    async def main() -> None:
        async with AsyncRest(config_for(server)) as rest:
            pods = AsyncPodClient(rest, "default")
            await asyncio.gather(*(pods._get(Pod, "web-0", {}) for _ in range(64)))
            before = server.connections
            await pods._get(Pod, "web-0", {})
            assert server.connections == before

    asyncio.run(main())


async def test_a_watch_survives_that_a_wait_for_it_is_given_up(server, config_for):
    later = threading.Event()
    server.reply(head(chunked=True), event("ADDED", pod("a")), later, event("ADDED", pod("b")))
    async with AsyncRest(config_for(server)) as rest:
        async with AsyncPodClient(rest)._watch(Pod, {}) as watch:
            assert (await watch.__anext__()).object.metadata.name == "a"
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(watch.__anext__(), 0.05)
            later.set()
            assert (await watch.__anext__()).object.metadata.name == "b"


async def test_a_cancelled_call_leaves_nothing_behind(server, config_for):
    server.reply(threading.Event())
    server.reply(ok(pod()))
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        call = asyncio.create_task(pods._get(Pod, "web-0", {}))
        while not server.requests:  # noqa: ASYNC110 - the server is a thread
            await asyncio.sleep(0.005)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await pods._get(Pod, "web-0", {})
    assert len(asyncio.all_tasks()) == 1


async def test_work_is_abandoned_when_the_event_happens():
    ended: list[str] = []

    async def work(seconds: float) -> str:
        try:
            await asyncio.sleep(seconds)
        finally:
            ended.append("ended")
        return "done"

    happened = Event()
    assert await happened.run_unless_set(work(0)) == "done"
    asyncio.get_running_loop().call_later(0.01, happened.set)
    assert await happened.run_unless_set(work(3600)) is None
    assert ended == ["ended", "ended"]


async def test_a_watch_can_be_stopped_while_it_connects(server, config_for):
    server.reply(threading.Event())
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {})
        asyncio.get_running_loop().call_later(0.05, watch.stop)
        assert [each async for each in watch] == []


def test_importing_the_clients_imports_no_http_library():
    code = (
        "import sys, clientgen.runtime, clientgen.runtime.aio, clientgen.runtime.sync\n"
        "heavy = {'aiohttp', 'urllib3', 'asyncio', 'ssl', 'yaml', 'jinja2', 'logging'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_call_that_blocks_an_event_loop_is_told_of_once(server, config_for, caplog, monkeypatch):
    monkeypatch.setattr(blocking_calls, "_warned", set[bool]())

    async def mistaken(rest: Rest) -> None:
        for _ in range(2):
            rest.send(HttpRequest("GET", "/api/v1/pods"))
        await asyncio.to_thread(rest.send, HttpRequest("GET", "/api/v1/pods"))

    for _ in range(4):
        server.reply(ok({}))
    with Rest(config_for(server)) as rest:
        rest.send(HttpRequest("GET", "/api/v1/pods"))
        assert not caplog.records
        asyncio.run(mistaken(rest))
    told = [each for each in caplog.messages if "blocks the running event loop" in each]
    assert len(told) == 1
    assert told[0].startswith("GET /api/v1/pods ")


def test_all_that_came_with_an_answer_is_read() -> None:
    # The buffer of Python 3.14; before, it had 8 KiB.
    class Sent(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            buffer[:] = b"x" * len(buffer)
            return len(buffer)

    buffered = io.BufferedReader(Sent(), 1 << 17)
    assert buffered.read(7) == b"x" * 7  # the headers
    response: Any = SimpleNamespace(_fp=SimpleNamespace(fp=buffered))
    assert len(sync_transport._early(response)) == (1 << 17) - 7


# ---- locks of credentials ---------------------------------------------------------------------


def test_a_lock_is_free_again_when_no_thread_can_be_started(monkeypatch):
    def start(thread):
        raise RuntimeError("can't start new thread")

    lock = Lock()
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        with pytest.raises(RuntimeError, match="can't start"):
            run_with_lock(lock, list, monotonic() + 60)
    assert run_with_lock(lock, lambda: "done", monotonic() + 60) == "done"


def test_a_lock_is_given_back_once_when_the_work_fails():
    def fail():
        raise RuntimeError("no plugin")

    lock = Lock()
    with pytest.raises(RuntimeError, match="no plugin"):
        run_with_lock(lock, fail, monotonic() + 60)
    assert run_with_lock(lock, lambda: "done", monotonic() + 60) == "done"
