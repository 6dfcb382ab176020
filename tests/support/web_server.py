"""A web server of a test, on an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    import ssl
    from collections.abc import Generator

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class WebServer:
    """Answers requests by a function, and remembers them."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.requests: list[web.BaseRequest] = []
        self.url = ""
        self._loop = asyncio.new_event_loop()

    def run(self, ready: threading.Event, context: ssl.SSLContext | None) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve(ready, context))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _serve(self, ready: threading.Event, context: ssl.SSLContext | None) -> None:
        self._over = asyncio.Event()
        server = web.Server(self._remember, handler_cancellation=True)
        runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
        await site.start()
        sockets: Any = runner.addresses
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{sockets[0][1]}"
        ready.set()
        await self._over.wait()
        await runner.cleanup()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        # Handshakes that have failed, and connections that were aborted, end in the next turns.
        await asyncio.sleep(0.1 if context else 0.01)

    async def _remember(self, request: web.BaseRequest) -> web.StreamResponse:
        self.requests.append(request)
        return await self._answer(request)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)


@contextmanager
def running(server: WebServer, context: ssl.SSLContext | None = None) -> Generator[None]:
    """Run a server until the end of the block."""
    ready = threading.Event()
    thread = threading.Thread(target=server.run, args=(ready, context))
    thread.start()
    assert ready.wait(30)
    try:
        yield
    finally:
        server.stop()
        thread.join(30)
        assert not thread.is_alive()
