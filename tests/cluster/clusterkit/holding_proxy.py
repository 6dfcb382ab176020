"""A proxy in front of the API server that holds back what watches deliver."""

from __future__ import annotations

import asyncio
import selectors
import threading
from time import monotonic
from types import TracebackType
from typing import Any, Self

from aiohttp import ClientSession, ClientTimeout, TCPConnector, web

from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime._config.credentials import Credentials
from clientgen.runtime._config.kubeconfig import load_config
from clientgen.runtime._config.tls import ssl_context

__all__ = ["HoldingProxy"]

_HOP_BY_HOP = {"host", "connection", "transfer-encoding", "content-length", "content-encoding"}


class HoldingProxy:
    """Passes everything on; while it holds, the bytes of watches stay here.

    It has the credentials of the kubeconfig, so its clients need none.
    """

    def __init__(self, kubeconfig: str) -> None:
        self._config = load_config(kubeconfig)
        self._selector = selectors.DefaultSelector()
        self._loop = asyncio.SelectorEventLoop(self._selector)
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._open = asyncio.Event()
        self._open.set()
        self.held = 0
        """How many pieces of watches were held back."""

    def __enter__(self) -> Self:
        self._thread.start()
        self.port = self._do(self._start())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()
        self._do(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    @property
    def config(self) -> ClusterConfig:
        """How to reach the server through the proxy."""
        return ClusterConfig(f"http://127.0.0.1:{self.port}")

    def hold(self) -> None:
        """Hold back what watches deliver from now on."""
        self._loop.call_soon_threadsafe(self._open.clear)

    def release(self) -> None:
        """Let it go on."""
        self._loop.call_soon_threadsafe(self._open.set)

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _start(self) -> int:
        credential = Credentials(self._config).refresh()
        context = ssl_context(self._config.tls, credential.certificate, credential.authority)
        authorization = credential.authorization
        headers = {"Authorization": authorization} if authorization else {}
        self._session = ClientSession(
            connector=TCPConnector(ssl=context), headers=headers, auto_decompress=False
        )
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._pass)
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port: int = self._runner.addresses[0][1]
        return port

    async def _stop(self) -> None:
        await self._runner.cleanup()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self._session.close()
        # TLS connections of watches that were broken off wait for the server's farewell.
        until = monotonic() + 30
        # One of them is the loop's own.
        while len(self._selector.get_map()) > 1 and monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        url = f"{self._config.server}{request.raw_path}"
        headers = {
            name: value
            for name, value in request.headers.items()
            if name.lower() not in _HOP_BY_HOP
        }
        headers.pop("Accept-Encoding", None)
        is_watch = "watch=true" in request.query_string
        async with self._session.request(
            request.method,
            url,
            headers={**headers, "Accept-Encoding": "identity"},
            data=await request.read(),
            timeout=ClientTimeout(total=None),
        ) as answer:
            passed = {
                name: value
                for name, value in answer.headers.items()
                if name.lower() not in _HOP_BY_HOP
            }
            response = web.StreamResponse(status=answer.status, headers=passed)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                if is_watch and not self._open.is_set():
                    self.held += 1
                    await self._open.wait()
                await response.write(chunk)
            await response.write_eof()
            return response
