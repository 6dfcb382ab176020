"""A bare aiohttp server: fixed bytes of the size that it is told, whatever is asked.

It reads the bodies of requests; a watch gets an event for each PATCH. What a server over HTTP
cannot be better than, as far as it is made with aiohttp. Prints its address when it is ready.
"""

from __future__ import annotations

import asyncio
import sys

from aiohttp import web

_JSON = {"content-type": "application/json"}


class _Fixed:
    def __init__(self, size: int) -> None:
        self._body = b"x" * size
        self._event = b"x" * (size - 1) + b"\n"
        self._watches: set[asyncio.Queue[None]] = set()

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if "watch" in request.query:
            return await self._stream(request)
        await request.read()
        if request.method == "PATCH":
            for each in self._watches:
                each.put_nowait(None)
        return web.Response(body=self._body, headers=_JSON)

    async def _stream(self, request: web.BaseRequest) -> web.StreamResponse:
        told: asyncio.Queue[None] = asyncio.Queue()
        response = web.StreamResponse(headers=_JSON)
        await response.prepare(request)
        self._watches.add(told)
        try:
            while True:
                await told.get()
                await response.write(self._event)
        finally:
            self._watches.discard(told)


async def _serve(size: int) -> None:
    server = web.Server(_Fixed(size).answer, handler_cancellation=True, access_log=None)
    accepting = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0)
    print(f"serving http://127.0.0.1:{accepting.sockets[0].getsockname()[1]}", flush=True)
    await accepting.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
