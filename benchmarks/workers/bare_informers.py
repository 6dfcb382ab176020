"""The floor of informers: the same requests, decoded and put into a list; no cache, no handlers."""

from __future__ import annotations

import asyncio
import gc
import threading
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
import urllib3

from .bare import HEADERS, Lines, context, decode_list, event_decoder, page
from .informer_tasks import AsyncInformerTask, SyncInformerTask, main

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Sequence

    from kubeapi.core.v1 import Pod

_WATCH = "?allowWatchBookmarks=true&watch=true&timeoutSeconds=400"
_INITIAL = f"{_WATCH}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"


def _read(pod: Pod) -> object:
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


def _path(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods"


class _Events:
    """The pods of the events in a stream's chunks."""

    def __init__(self) -> None:
        self.pods: list[Pod] = []
        self.is_complete = False
        self._lines = Lines()

    def feed(self, chunk: bytes) -> None:
        """Take a chunk."""
        gc.disable()
        try:
            for line in self._lines.feed(chunk):
                if line.startswith(b'{"type":"BOOKMARK"'):
                    self.is_complete = True  # it does not decode as a Pod
                else:
                    self.pods.append(event_decoder.decode(line).object)
        finally:
            gc.enable()


class _Sync:
    def __init__(self, pool: urllib3.HTTPConnectionPool) -> None:
        self._pool = pool

    def _events(self, target: str) -> Iterator[_Events]:
        response = self._pool.urlopen(
            "GET", target, headers=HEADERS, retries=False, preload_content=False
        )
        events = _Events()
        while chunk := response.read1(1 << 16):
            events.feed(chunk)
            yield events

    def fill(self, namespace: str, count: int) -> Sequence[Any]:
        if namespace == "listed":
            return self._list(_path(namespace))
        for events in self._events(_path(namespace) + _INITIAL):
            if events.is_complete:
                assert len(events.pods) == count
                return events.pods
        raise AssertionError("the stream has ended")

    def _list(self, path: str) -> Sequence[Any]:
        pods: list[Pod] = []
        token: str | None = None
        while True:
            target = page(path, token)
            pod_list = decode_list(
                self._pool.urlopen("GET", target, headers=HEADERS, retries=False).data
            )
            pods += pod_list.items
            if not (token := pod_list.metadata.continue_):
                return pods

    def pump(self, count: int) -> None:
        for events in self._events(_path("busy") + _WATCH + "&resourceVersion=1"):
            if len(events.pods) == count:
                return

    def idle(self, count: int) -> None:
        ready = threading.Semaphore(0)

        def follow(namespace: str) -> None:
            for _ in self._events(_path(namespace) + _INITIAL):
                ready.release()

        for number in range(count):
            threading.Thread(target=follow, args=[f"idle-{number}"], daemon=True).start()
        for _ in range(count):
            ready.acquire()


class _Async:
    def __init__(self, session: aiohttp.ClientSession, server: str) -> None:
        self._session = session
        self._server = server
        self._tasks: list[asyncio.Task[None]] = []

    async def _start(self, target: str) -> aiohttp.ClientResponse:
        return await self._session.get(self._server + target, headers=HEADERS)

    async def _events(self, target: str) -> AsyncIterator[_Events]:
        response = await self._start(target)
        events = _Events()
        while chunk := await response.content.readany():
            events.feed(chunk)
            yield events

    async def fill(self, namespace: str, count: int) -> Sequence[Any]:
        if namespace == "listed":
            return await self._list(_path(namespace))
        async for events in self._events(_path(namespace) + _INITIAL):
            if events.is_complete:
                assert len(events.pods) == count
                return events.pods
        raise AssertionError("the stream has ended")

    async def _list(self, path: str) -> Sequence[Any]:
        pods: list[Pod] = []
        token: str | None = None
        while True:
            response = await self._start(page(path, token))
            pod_list = decode_list(await response.read())
            pods += pod_list.items
            if not (token := pod_list.metadata.continue_):
                return pods

    async def pump(self, count: int) -> None:
        async for events in self._events(_path("busy") + _WATCH + "&resourceVersion=1"):
            if len(events.pods) == count:
                return

    async def idle(self, count: int) -> None:
        ready = asyncio.Semaphore(0)

        async def follow(namespace: str) -> None:
            async for _ in self._events(_path(namespace) + _INITIAL):
                ready.release()

        for number in range(count):
            self._tasks.append(asyncio.create_task(follow(f"idle-{number}")))
        for _ in range(count):
            await ready.acquire()


@contextmanager
def _sync() -> Generator[SyncInformerTask]:
    made, server = context()
    with urllib3.PoolManager(num_pools=1, maxsize=300, ssl_context=made) as manager:
        yield _Sync(manager.connection_from_url(server))


@asynccontextmanager
async def _aio() -> AsyncGenerator[AsyncInformerTask]:
    made, server = context()
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=made),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=30.0),
        skip_auto_headers=("User-Agent", "Accept", "Content-Type"),
        read_bufsize=1 << 20,
    ) as session:
        yield _Async(session, server)


if __name__ == "__main__":
    main(_read, _sync, _aio)
