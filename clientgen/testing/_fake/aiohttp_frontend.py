"""The HTTP frontend of the dispatcher, on aiohttp's server.

Importing aiohttp takes long, so only a started server imports this module.
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

from clientgen._apimachinery.decoding import MAX_BODY_BYTES
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

_log = logging.getLogger("clientgen.testing")

# Larger bodies are compressed if the client accepts gzip. Facts:
# docs/internals/kubernetes-semantics.md, 1.7.
_GZIP_MIN_BYTES: Final = 131072
_GZIP_LEVEL: Final = 4
# A thread compresses larger bodies, because they would block the event loop noticeably.
_GZIP_IN_THREAD_MIN_BYTES: Final = 1 << 20
_EMPTY_BODY: Final = b""
_MAX_HEADER_BYTES: Final = 1 << 20  # Go's limit, for all headers together
# Paths that need no token, but refuse a wrong token: docs/internals/kubernetes-semantics.md, 1.8.
_PUBLIC_PATHS: Final = ("/healthz", "/livez", "/readyz", "/version")
_UNAUTHORIZED: Final = Failure(401, "Unauthorized", "Unauthorized", details=False)
_LINGER_ZERO: Final = struct.pack("ii", 1, 0)  # closing the socket sends RST

_Headers = tuple[tuple[str, str], ...]


class Frontend:
    """Answers HTTP requests. `server` is the protocol factory for `loop.create_server`."""

    def __init__(self, dispatcher: Dispatcher, token: str = "") -> None:
        self._dispatcher = dispatcher
        self._token = f"Bearer {token}".encode() if token else b""
        self._wakers: set[LoopWaker] = set()
        self._closing = False
        self.server = web.Server(
            self._handle,
            handler_cancellation=True,  # a watch ends when its client disconnects
            access_log=None,
            max_line_size=_MAX_HEADER_BYTES,
            max_field_size=_MAX_HEADER_BYTES,
            keepalive_timeout=120.0,
        )

    async def close(self, grace_seconds: float = 1.0) -> None:
        """End all streams, wait for pending responses, and close the connections.

        Connections that are still busy after `grace_seconds` are closed, too.
        """
        self._closing = True
        for waker in tuple(self._wakers):
            waker()
        await shut_down(self.server, grace_seconds)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._answer(request)
        except web.RequestPayloadError as error:  # malformed chunks or content encoding
            return await _write_response(request, _failure_response(bad_request(str(error))))
        except Exception as error:  # noqa: BLE001 - reactions may raise anything
            if isinstance(error, ConnectionError) and _is_disconnected(request):
                return web.Response()  # the client is gone, and aiohttp would log an exception
            _log.exception("%s %s failed", request.method, request.path)
            return await _write_response(
                request, _failure_response(internal_error(f"{type(error).__name__}: {error}"))
            )

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = _headers(request)
        try:
            self._check_sender(request, headers)
        except Failure as failure:
            return await _write_response(request, _failure_response(failure))
        body = await _read_body(request) if request.body_exists else _EMPTY_BODY
        http_request = HttpRequest(request.method, _target(request), headers, body)
        waker = LoopWaker(asyncio.get_running_loop())
        answer = self._dispatcher.handle(http_request, waker)
        if isinstance(answer, Deferred):
            answer = await self._wait_for_answer(answer, waker)
        match answer:
            case Response():
                return await _write_response(request, answer)
            case Stream():
                return await self._write_stream(request, answer, waker)
            case Upgrade():
                return await self._serve_websocket(request, answer, waker)

    async def _wait_for_answer(
        self, answer: Answer, waker: LoopWaker
    ) -> Response | Stream | Upgrade:
        with self._dispatcher.backends.on_loop() as webhook_calls:
            while isinstance(answer, Deferred):
                webhook_calls.start(answer.calls)
                await waker.wait(self._dispatcher.clock, answer.deadline)
                answer = self._dispatcher.resume(answer, waker)
            return answer

    def _check_sender(self, request: web.BaseRequest, headers: _Headers) -> None:
        """Authorize a request by its token; without a configured token, by its origin."""
        if not self._token:
            check_origin(request.method, headers)
        elif not self._is_authorized(request, headers):
            raise _UNAUTHORIZED

    def _is_authorized(self, request: web.BaseRequest, headers: _Headers) -> bool:
        credentials = next(
            (value for name, value in headers if name.lower() == "authorization"), ""
        )
        if not credentials:
            return request.path.startswith(_PUBLIC_PATHS)
        if hmac.compare_digest(credentials.encode(), self._token):
            return True
        return self._dispatcher.knows_token(credentials.removeprefix("Bearer "))

    async def _write_stream(
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
            await _reset_connection(request)
        finally:
            self._wakers.discard(waker)
            self._dispatcher.close(stream)
        return response

    async def _serve_websocket(
        self, request: web.BaseRequest, upgrade: Upgrade, waker: LoopWaker
    ) -> web.StreamResponse:
        """Pass messages in both directions until the client or the server closes the WebSocket."""
        protocols = [upgrade.subprotocol] if upgrade.subprotocol else []
        response = web.WebSocketResponse(
            protocols=protocols, max_msg_size=MAX_MESSAGE, compress=False
        )
        self._wakers.add(waker)
        receiving: asyncio.Future[None] | None = None
        try:
            await response.prepare(request)
            has_room = asyncio.Event()
            receiving = asyncio.ensure_future(_receive_messages(response, upgrade, has_room))
            receiving.add_done_callback(lambda _: waker())
            while not (self._closing or receiving.done()):
                messages = upgrade.take()
                if messages is None:
                    break
                for message in messages:
                    await response.send_bytes(message)
                if not upgrade.is_full:
                    has_room.set()
                if not messages:
                    await waker.wait(self._dispatcher.clock, None)
            # Stop receiving first: while a task receives, aiohttp closes the connection without
            # waiting for the client's close frame, and the client would lose unread messages.
            await _cancel(receiving)
            await response.close()
        finally:
            self._wakers.discard(waker)
            upgrade.close()
            if receiving is not None:
                await _cancel(receiving)
        return response

    async def _write_pieces(
        self, response: web.StreamResponse, stream: Stream, waker: LoopWaker
    ) -> None:
        with self._dispatcher.backends.on_loop() as webhook_calls:
            while (data := self._dispatcher.take(stream)) is not None:
                if data:
                    await response.write(data)
                elif self._closing:
                    break
                else:
                    webhook_calls.start(stream.calls)
                    self._dispatcher.advance_clock(waker.is_woken)
                    await waker.wait(self._dispatcher.clock, stream.deadline)


async def _cancel(task: asyncio.Future[None]) -> None:
    task.cancel()
    await asyncio.wait({task})


async def _receive_messages(
    response: web.WebSocketResponse, upgrade: Upgrade, has_room: asyncio.Event
) -> None:
    """Pass on the client's messages, and stop reading while the receiver is full."""
    async for received in response:
        if received.type is WSMsgType.BINARY:
            upgrade.feed(received.data)
        elif received.type is WSMsgType.TEXT:  # API servers treat text as binary messages
            upgrade.feed(received.data.encode())
        while upgrade.is_full:
            has_room.clear()
            if upgrade.is_full:
                await has_room.wait()


# ---- requests ---------------------------------------------------------------------------------


def _headers(request: web.BaseRequest) -> _Headers:
    """Return the headers as text. Invalid UTF-8 is replaced, as Go does when it writes headers."""
    return tuple((_valid_utf8(name), _valid_utf8(value)) for name, value in request.headers.items())


def _valid_utf8(value: str) -> str:
    """Replace bytes that are not UTF-8 in a header of aiohttp."""
    if value.isascii():
        return value
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _target(request: web.BaseRequest) -> str:
    target = request.raw_path
    # Clients that use a proxy send the whole URL.
    return target if target.startswith("/") else f"/{target.split('/', 3)[-1]}"


async def _read_body(request: web.BaseRequest) -> bytes:
    """Read the body until it exceeds the size limit, because the server refuses larger bodies."""
    length = request.content_length or 0
    if request.headers.get("Expect", "").lower() == "100-continue" and length <= MAX_BODY_BYTES:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
    chunks: list[bytes] = []
    size = 0
    while size <= MAX_BODY_BYTES and (chunk := await request.content.readany()):
        chunks.append(chunk)
        size += len(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


# ---- answers ----------------------------------------------------------------------------------


def _failure_response(failure: Failure) -> Response:
    return Response(failure.code, json.encode(failure.status()) + b"\n")


async def _write_response(request: web.BaseRequest, answer: Response) -> web.StreamResponse:
    if isinstance(answer, CutResponse):
        return await _write_cut_response(request, answer)
    body, headers = answer.body, answer.headers
    if len(body) > _GZIP_MIN_BYTES and "gzip" in request.headers.get("Accept-Encoding", ""):
        body, headers = await _compress(body), [*headers, *_GZIP_HEADERS]
    return web.Response(status=answer.status, body=body, headers=headers)


_GZIP_HEADERS: Final[Headers] = [("content-encoding", "gzip"), ("vary", "Accept-Encoding")]


async def _compress(body: bytes) -> bytes:
    if len(body) < _GZIP_IN_THREAD_MIN_BYTES:
        return gzip.compress(body, _GZIP_LEVEL, mtime=0)
    return await asyncio.to_thread(gzip.compress, body, _GZIP_LEVEL, mtime=0)


async def _write_cut_response(request: web.BaseRequest, answer: CutResponse) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status or 200, headers=answer.headers)
    if answer.sent is not None:
        response.content_length = len(answer.body)
        await response.prepare(request)
        await response.write(answer.body[: answer.sent])
    await _reset_connection(request)
    return response


def _is_disconnected(request: web.BaseRequest) -> bool:
    return request.transport is None or request.transport.is_closing()


async def _reset_connection(request: web.BaseRequest) -> None:
    """Reset the connection after sending the bytes that were written.

    Raises:
        ConnectionResetError: always, so that `_handle` does not use the connection any more.
    """
    transport: Any = request.transport
    if transport is not None:
        # Not 0, because asyncio's TLS transport would count an empty buffer as full.
        transport.set_write_buffer_limits(high=1, low=0)
        await request.writer.drain()
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
        transport.abort()
    raise ConnectionResetError
