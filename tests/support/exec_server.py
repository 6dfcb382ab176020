"""A server that runs "commands", as a kubelet behind an API server does, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from aiohttp import web
from support.web_server import WebServer, running

from clientgen.runtime._streams.channels import (
    CLOSE,
    ERROR,
    RESIZE,
    STDERR,
    STDIN,
    STDOUT,
    exit_status,
    message,
    read_size,
)

if TYPE_CHECKING:
    import ssl
    from collections.abc import Generator

Handler = Callable[["Process"], Awaitable[None]]


class Process:
    """One command that a client runs."""

    def __init__(self, request: web.BaseRequest, socket: web.WebSocketResponse) -> None:
        self.request = request
        self.command = request.query.getall("command", [])
        self.socket = socket
        self.sizes: list[tuple[int, int]] = []

    async def out(self, data: bytes, channel: int = STDOUT) -> None:
        await self.socket.send_bytes(message(channel, data))

    async def err(self, data: bytes) -> None:
        await self.out(data, STDERR)

    async def exit(self, code: int) -> None:
        await self.out(exit_status(code), ERROR)
        await self.socket.close()

    async def read(self) -> bytes | None:
        """The next piece of stdin; None at its end."""
        async for received in self.socket:
            data: bytes = received.data
            if data[0] == CLOSE:
                assert data == bytes((CLOSE, STDIN))
                return None
            if data[0] == RESIZE:
                self.sizes.append(read_size(data[1:]))
                continue
            assert data[0] == STDIN
            return data[1:]
        return None


class ExecServer(WebServer):
    """Answers requests for exec and attach by a handler. `before` may refuse them."""

    def __init__(self, handler: Handler, *, subprotocols: tuple[str, ...]) -> None:
        super().__init__(self._upgrade)
        self._handler = handler
        self._subprotocols = subprotocols
        self.before: Callable[[web.BaseRequest], web.StreamResponse | None] = lambda _: None
        self.open = 0

    async def _upgrade(self, request: web.BaseRequest) -> web.StreamResponse:
        refusal = self.before(request)
        if refusal is not None:
            return refusal
        # A kubelet gets the headers, and its routes name no media type.
        if "*/*" not in request.headers.get("Accept", "*/*"):
            return web.Response(status=406, text="406: Not Acceptable")
        socket = web.WebSocketResponse(protocols=self._subprotocols, max_msg_size=0)
        await socket.prepare(request)
        self.open += 1
        try:
            await self._handler(Process(request, socket))
        except ConnectionError:
            pass
        finally:
            self.open -= 1
        return socket


@contextmanager
def exec_server(
    handler: Handler,
    *,
    subprotocols: tuple[str, ...] = ("v5.channel.k8s.io", "v4.channel.k8s.io"),
    context: ssl.SSLContext | None = None,
) -> Generator[ExecServer]:
    server = ExecServer(handler, subprotocols=subprotocols)
    with running(server, context):
        yield server


# ---- what servers do ----


async def serve_cat(process: Process) -> None:
    while (piece := await process.read()) is not None:
        await process.out(piece)
    await process.exit(0)


async def serve_hello(process: Process) -> None:
    await process.out(b"hello")
    await process.exit(0)


async def end_without_status(process: Process) -> None:
    await process.out(b"half")
    await process.socket.close()


async def break_off(process: Process) -> None:
    await process.out(b"half")
    transport = process.request.transport
    assert transport is not None
    transport.abort()


async def end_with_an_error(process: Process) -> None:
    await process.out(b"half")
    await process.socket.close(code=1011, message=b"the kubelet is gone")


async def never_read(process: Process) -> None:
    await process.out(b"started")
    await asyncio.Event().wait()


async def send_nonsense(process: Process) -> None:
    await process.socket.send_bytes(b"")
    await process.out(b"ignored", 77)
    await process.out(b"hello")
    await process.socket.send_str("\x01 text")
    await process.exit(0)


async def flood_status(process: Process) -> None:
    for _ in range(100):
        await process.out(b"x" * 10_000, 3)
    await process.socket.close()


async def status_is_no_status(process: Process) -> None:
    await process.out(b"{}]", 3)
    await process.socket.close()


async def status_without_code(process: Process) -> None:
    await process.out(b'{"status":"Failure","reason":"NonZeroExitCode"}', 3)
    await process.socket.close()


def tiny_output(count: int) -> Handler:
    async def write(process: Process) -> None:
        transport = process.request.transport
        assert transport is not None
        transport.write(b"\x82\x02\x01x" * count)  # frames of one byte for stdout
        await process.exit(0)

    return write


def flood(sent: list[int]) -> Handler:
    async def write(process: Process) -> None:
        for _ in range(2000):
            await process.out(b"x" * 32_768)
            sent.append(1)
        await process.exit(0)

    return write
