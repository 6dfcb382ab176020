"""An HTTP/1.1 server for a program's own endpoints, on an event loop; with aiohttp.

It is imported when a server starts, because the HTTP library is a big import. Everything that a
client can prolong or enlarge is limited: headers, bodies, requests at once, and their duration.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Final

# Not `aiohttp.web`, which has far more than a server needs and takes a megabyte.
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_protocol import RequestPayloadError
from aiohttp.web_response import Response
from aiohttp.web_server import Server

from . import endpoint_limits as limits
from .endpoint_messages import EndpointAnswer, EndpointRequest, refused

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable
    from ssl import SSLContext

    from aiohttp.web_protocol import RequestHandler
    from aiohttp.web_request import BaseRequest

__all__ = ["EndpointServer"]

_log = logging.getLogger("clientgen.runtime.endpoints")

_STEPS_OF_ACCEPTING: Final = 3  # of the event loop, until a connection is known to its server


class EndpointServer:
    """Answers the requests that arrive at a listening socket.

    Args:
        title: The name in messages.
        sock: The socket; the server closes it.
        answer: Answers one request.
        tls: For HTTPS. Certificates that are loaded into it later are used for new connections.
        max_body: The largest body in bytes; requests with larger ones are refused with 413.
        timeout: How many seconds an answer may take.
    """

    def __init__(
        self,
        title: str,
        sock: socket.socket,
        answer: Callable[[EndpointRequest], Awaitable[EndpointAnswer]],
        *,
        tls: SSLContext | None,
        max_body: int,
        timeout: float,
    ) -> None:
        self._title = title
        self._sock = sock
        self._answer = answer
        self._tls = tls
        self._max_body = max_body
        self._timeout = timeout
        self._at_once = asyncio.Semaphore(limits.AT_ONCE)
        self._silent: set[RequestHandler] = set()  # no request has come from them
        self._server = Server(
            self._handle,
            access_log=None,
            auto_decompress=False,  # a small body stays small
            max_line_size=limits.HEADER_BYTES,
            max_field_size=limits.HEADER_BYTES,
            keepalive_timeout=limits.KEEP_ALIVE,
            lingering_time=limits.LINGERING,
        )
        self._accepting: asyncio.Server | None = None

    async def start(self) -> None:
        """Begin to accept connections."""
        self._accepting = await asyncio.get_running_loop().create_server(
            self._connection,
            sock=self._sock,
            ssl=self._tls,
            ssl_handshake_timeout=limits.SILENCE if self._tls else None,
        )

    async def stop(self, grace: float) -> None:
        """Accept no more connections, let running answers end, and close all connections."""
        assert self._accepting is not None
        # What was accepted has to be known to the asyncio server before that is closed.
        with suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().remove_reader(self._sock)
        for _ in range(_STEPS_OF_ACCEPTING):
            await asyncio.sleep(0)
        self._accepting.close()
        transports = [connection.transport for connection in self._server.connections]
        self._server.pre_shutdown()
        await self._server.shutdown(grace)
        for transport in transports:
            if transport is not None:
                transport.abort()  # TLS would wait for the client's farewell
        await asyncio.sleep(0)

    def _connection(self) -> asyncio.Protocol:
        """Make the protocol of a new connection, which has to send a request soon."""
        if len(self._server.connections) >= limits.CONNECTIONS:
            return _TooMany()
        connection = self._server()
        self._silent.add(connection)
        asyncio.get_running_loop().call_later(limits.SILENCE, self._close_if_silent, connection)
        return connection

    def _close_if_silent(self, connection: RequestHandler) -> None:
        """Close a connection that has sent no request."""
        if connection in self._silent:
            self._silent.discard(connection)
            connection.force_close()

    async def _handle(self, request: BaseRequest) -> Response:
        self._silent.discard(request.protocol)
        try:
            async with asyncio.timeout(self._timeout), self._at_once:
                answer = await self._answered(request)
        except TimeoutError:
            answer = refused(503, f"no answer within {self._timeout:g} s")
        response = Response(status=answer.status, body=answer.body)
        response.headers["Content-Type"] = answer.content_type
        response.headers["X-Content-Type-Options"] = "nosniff"
        for name, value in answer.headers:
            response.headers[name] = value
        return response

    async def _answered(self, request: BaseRequest) -> EndpointAnswer:
        try:
            async with asyncio.timeout(limits.SILENCE):
                body = await _body(request, self._max_body)
        except TimeoutError:
            return refused(408, f"the body did not arrive within {limits.SILENCE:g} s")
        except (HttpProcessingError, RequestPayloadError) as error:
            return refused(400, f"the body cannot be read: {error}")
        if body is None:
            return refused(413, f"the body is larger than {self._max_body} bytes")
        return await self._answer_of_program(request, body)

    async def _answer_of_program(self, request: BaseRequest, body: bytes) -> EndpointAnswer:
        wanted = EndpointRequest(
            method=request.method,
            path=request.path,
            query=tuple(request.query.items()),
            headers=request.headers,
            body=body,
        )
        try:
            return await self._answer(wanted)
        except Exception:  # noqa: BLE001 - whatever the program raises
            _log.exception("%s: %s %s failed", self._title, wanted.method, wanted.path)
            return refused(500, "the endpoint failed; its log says why")


class _TooMany(asyncio.Protocol):
    """Closes a connection at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


async def _body(request: BaseRequest, limit: int) -> bytes | None:
    """Read a body; None if it is too large."""
    if (request.content_length or 0) > limit:
        return None
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
    body = bytearray()
    while chunk := await request.content.readany():
        body += chunk
        if len(body) > limit:
            return None
    return bytes(body)
