"""HTTP requests to the dispatcher, and its answers back on the wire; with aiohttp.

aiohttp's own server does HTTP/1.1: connections that are kept alive, bodies in chunks, limits on
headers. This module is imported when a server is started.
"""

from __future__ import annotations

import asyncio
import gzip
import hmac
import logging
import socket
import struct
from typing import TYPE_CHECKING, Any, Final

from aiohttp import HttpVersion11, WSMsgType, web
from msgspec import json

from clientgen._apimachinery.decoding import MAX_BODY
from clientgen._apimachinery.failures import Failure, bad_request, internal_error
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime._net.server_shutdown import shut_down
from clientgen.runtime._streams.websocket_protocol import MAX_MESSAGE

from .._apiserver.responses.answers import Deferred, Response, Stream, Upgrade
from .network_faults import ConnectionCut, CutResponse
from .origins import check_origin
from .waiters import LoopWaker

if TYPE_CHECKING:
    from .._apiserver.responses.answers import Answer, Headers
    from .dispatcher import Dispatcher

__all__ = ["Frontend"]

_log = logging.getLogger("clientgen.testing")

# Larger answers are compressed for clients that can read that. Facts:
# docs/internals/kubernetes-semantics.md, 1.7.
_GZIP_FROM: Final = 131072
_GZIP_LEVEL: Final = 4
# Compressing more than this takes long enough for others to notice.
_GZIP_ASIDE: Final = 1 << 20
_NO_BODY: Final = b""
_HEADER_LIMIT: Final = 1 << 20  # Go's, for all headers together
# Open to all, but not with a wrong token: docs/internals/kubernetes-semantics.md, 1.8.
_PUBLIC: Final = ("/healthz", "/livez", "/readyz", "/version")
_UNAUTHORIZED: Final = Failure(401, "Unauthorized", "Unauthorized", details=False)
_RESET: Final = struct.pack("ii", 1, 0)

_Headers = tuple[tuple[str, str], ...]


class Frontend:
    """Answers HTTP requests; `server` is what event loops make protocols with."""

    def __init__(self, dispatcher: Dispatcher, token: str = "") -> None:
        self._dispatcher = dispatcher
        self._token = f"Bearer {token}".encode() if token else b""
        self._wakers: set[LoopWaker] = set()
        self._closing = False
        self.server = web.Server(
            self._handle,
            handler_cancellation=True,  # a watch is over when its client is gone
            access_log=None,
            max_line_size=_HEADER_LIMIT,
            max_field_size=_HEADER_LIMIT,
            keepalive_timeout=120.0,
        )

    async def close(self, patience: float = 1.0) -> None:
        """End the streams in order, let answers be written, and close all connections."""
        self._closing = True
        for waker in tuple(self._wakers):
            waker()
        await shut_down(self.server, patience)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._answer(request)
        except web.RequestPayloadError as error:  # chunks or an encoding that cannot be read
            return await _written(request, _refused(bad_request(str(error))))
        except Exception as error:  # noqa: BLE001 - whatever a reaction may raise
            if isinstance(error, ConnectionError) and _is_gone(request):
                return web.Response()  # which nobody gets; aiohttp would log what is raised
            _log.exception("%s %s failed", request.method, request.path)
            return await _written(
                request, _refused(internal_error(f"{type(error).__name__}: {error}"))
            )

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = _headers(request)
        try:
            self._check_sender(request, headers)
        except Failure as failure:
            return await _written(request, _refused(failure))
        body = await _body(request) if request.body_exists else _NO_BODY
        http_request = HttpRequest(request.method, _target(request), headers, body)
        waker = LoopWaker(asyncio.get_running_loop())
        answer = self._dispatcher.handle(http_request, waker)
        if isinstance(answer, Deferred):
            answer = await self._waited(answer, waker)
        match answer:
            case Response():
                return await _written(request, answer)
            case Stream():
                return await self._streamed(request, answer, waker)
            case Upgrade():
                return await self._talked(request, answer, waker)

    async def _waited(self, answer: Answer, waker: LoopWaker) -> Response | Stream | Upgrade:
        with self._dispatcher.backends.on_loop() as asking:
            while isinstance(answer, Deferred):
                asking.start(answer.calls)
                await waker.wait(self._dispatcher.clock, answer.deadline)
                answer = self._dispatcher.resume(answer, waker)
            return answer

    def _check_sender(self, request: web.BaseRequest, headers: _Headers) -> None:
        """Let a request in: by its token, or where none is asked for, by where it comes from."""
        if not self._token:
            check_origin(request.method, headers)
        elif not self._may_enter(request, headers):
            raise _UNAUTHORIZED

    def _may_enter(self, request: web.BaseRequest, headers: _Headers) -> bool:
        shown = next((value for name, value in headers if name.lower() == "authorization"), "")
        if not shown:
            return request.path.startswith(_PUBLIC)
        if hmac.compare_digest(shown.encode(), self._token):
            return True
        return self._dispatcher.knows_token(shown.removeprefix("Bearer "))

    async def _streamed(
        self, request: web.BaseRequest, stream: Stream, waker: LoopWaker
    ) -> web.StreamResponse:
        response = web.StreamResponse(status=stream.status, headers=stream.headers)
        if request.version >= HttpVersion11:
            response.enable_chunked_encoding()
        self._wakers.add(waker)
        try:
            await response.prepare(request)
            await self._write_pieces(response, stream, waker)
        except ConnectionCut:
            await _break_off(request)
        finally:
            self._wakers.discard(waker)
            self._dispatcher.close(stream)
        return response

    async def _talked(
        self, request: web.BaseRequest, upgrade: Upgrade, waker: LoopWaker
    ) -> web.StreamResponse:
        """Carry messages until one of the sides ends that."""
        protocols = [upgrade.subprotocol] if upgrade.subprotocol else []
        response = web.WebSocketResponse(
            protocols=protocols, max_msg_size=MAX_MESSAGE, compress=False
        )
        self._wakers.add(waker)
        listening: asyncio.Future[None] | None = None
        try:
            await response.prepare(request)
            room = asyncio.Event()
            listening = asyncio.ensure_future(_listened(response, upgrade, room))
            listening.add_done_callback(lambda _: waker())
            while not (self._closing or listening.done()):
                messages = upgrade.take()
                if messages is None:
                    break
                for message in messages:
                    await response.send_bytes(message)
                if not upgrade.is_full:
                    room.set()
                if not messages:
                    await waker.wait(self._dispatcher.clock, None)
            # While somebody listens, aiohttp closes the connection without the client's farewell:
            # what the client sends meanwhile would make it lose what it has not read.
            await _cancelled(listening)
            await response.close()
        finally:
            self._wakers.discard(waker)
            upgrade.close()
            if listening is not None:
                await _cancelled(listening)
        return response

    async def _write_pieces(
        self, response: web.StreamResponse, stream: Stream, waker: LoopWaker
    ) -> None:
        with self._dispatcher.backends.on_loop() as asking:
            while (data := self._dispatcher.take(stream)) is not None:
                if data:
                    await response.write(data)
                elif self._closing:
                    break
                else:
                    asking.start(stream.calls)
                    self._dispatcher.pass_time(waker.is_woken)
                    await waker.wait(self._dispatcher.clock, stream.deadline)


async def _cancelled(task: asyncio.Future[None]) -> None:
    task.cancel()
    await asyncio.wait({task})


async def _listened(response: web.WebSocketResponse, upgrade: Upgrade, room: asyncio.Event) -> None:
    """Pass on the client's messages, as fast as they are taken."""
    async for received in response:
        if received.type is WSMsgType.BINARY:
            upgrade.feed(received.data)
        elif received.type is WSMsgType.TEXT:  # API servers do not tell them apart
            upgrade.feed(received.data.encode())
        while upgrade.is_full:
            room.clear()
            if upgrade.is_full:
                await room.wait()


# ---- requests ---------------------------------------------------------------------------------


def _headers(request: web.BaseRequest) -> _Headers:
    """The headers as text; bytes that are none are replaced, as Go does when it writes them."""
    return tuple((_text(name), _text(value)) for name, value in request.headers.items())


def _text(value: str) -> str:
    """Return a text from aiohttp with each byte that is not UTF-8 replaced."""
    if value.isascii():
        return value
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _target(request: web.BaseRequest) -> str:
    target = request.raw_path
    # To a proxy, clients name the whole URL.
    return target if target.startswith("/") else f"/{target.split('/', 3)[-1]}"


async def _body(request: web.BaseRequest) -> bytes:
    """The body, as far as it matters: the server refuses what is larger than its limit."""
    length = request.content_length or 0
    if request.headers.get("Expect", "").lower() == "100-continue" and length <= MAX_BODY:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
    chunks: list[bytes] = []
    size = 0
    while size <= MAX_BODY and (chunk := await request.content.readany()):
        chunks.append(chunk)
        size += len(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


# ---- answers ----------------------------------------------------------------------------------


def _refused(failure: Failure) -> Response:
    return Response(failure.code, json.encode(failure.status()) + b"\n")


async def _written(request: web.BaseRequest, answer: Response) -> web.StreamResponse:
    if isinstance(answer, CutResponse):
        return await _broken_off(request, answer)
    body, headers = answer.body, answer.headers
    if len(body) > _GZIP_FROM and "gzip" in request.headers.get("Accept-Encoding", ""):
        body, headers = await _zipped(body), [*headers, *_GZIP_HEADERS]
    return web.Response(status=answer.status, body=body, headers=headers)


_GZIP_HEADERS: Final[Headers] = [("content-encoding", "gzip"), ("vary", "Accept-Encoding")]


async def _zipped(body: bytes) -> bytes:
    if len(body) < _GZIP_ASIDE:
        return gzip.compress(body, _GZIP_LEVEL, mtime=0)
    return await asyncio.to_thread(gzip.compress, body, _GZIP_LEVEL, mtime=0)


async def _broken_off(request: web.BaseRequest, answer: CutResponse) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status or 200, headers=answer.headers)
    if answer.sent is not None:
        response.content_length = len(answer.body)
        await response.prepare(request)
        await response.write(answer.body[: answer.sent])
    await _break_off(request)
    return response


def _is_gone(request: web.BaseRequest) -> bool:
    return request.transport is None or request.transport.is_closing()


async def _break_off(request: web.BaseRequest) -> None:
    """Reset the connection, once what was written is on its way.

    Raises:
        ConnectionResetError: always; `_handle` then leaves the connection alone.
    """
    transport: Any = request.transport
    if transport is not None:
        # Not 0: of asyncio's TLS that would be a limit which an empty buffer has reached.
        transport.set_write_buffer_limits(high=1, low=0)
        await request.writer.drain()
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        transport.abort()
    raise ConnectionResetError
