"""An HTTP/1.1 server for a program's own endpoints, on an event loop, with aiohttp.

The module is imported when a server starts, because aiohttp is a large import. Limits of headers,
bodies, connections, running requests and their duration protect the program from its clients.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

# `aiohttp.web` would need a megabyte more, for features that this server does not use.
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_protocol import RequestPayloadError
from aiohttp.web_response import Response
from aiohttp.web_server import Server

from . import endpoint_limits as limits
from .acceptor import Acceptor
from .endpoint_messages import NO_MEMORY, EndpointAnswer, EndpointRequest, refused
from .peers import Peers, peer_of
from .server_shutdown import shut_down, without_tls
from .turns import Turns

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
    from ssl import SSLContext

    from aiohttp.web_protocol import RequestHandler
    from aiohttp.web_request import BaseRequest

_log = logging.getLogger("clientgen.runtime.endpoints")
# The first and the longest pause between checks whether an answer is sent.
_FIRST_POLL_SECONDS: Final = 0.001
_MAX_POLL_SECONDS: Final = 0.2


class EndpointServer:
    """Answers the requests that arrive at a listening socket.

    Args:
        title: The name in messages.
        sock: The socket; the server closes it.
        answer: Answers one request.
        tls: The TLS context for HTTPS. New connections use the current certificate of the context.
        max_body: The maximum size of a body in bytes. Larger bodies are refused with 413.
        timeout: The seconds until an answer must exist, and until the client must have read it.
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
        self._answer = answer
        self._tls = tls
        self._max_body = max_body
        self._timeout = timeout
        self._turns: Turns[asyncio.Future[None]] = Turns(limits.MAX_RUNNING_REQUESTS)
        # Connections that have not sent a request yet.
        self._silent: set[RequestHandler] = set()
        self._peers: Peers[RequestHandler] = Peers()
        self._peer_of: dict[RequestHandler, str] = {}
        self._server = _Server(
            self._handle,
            access_log=None,
            auto_decompress=False,  # a small body could be decompressed to a huge one
            max_line_size=limits.MAX_HEADER_BYTES,
            max_field_size=limits.MAX_HEADER_BYTES,
            keepalive_timeout=limits.KEEP_ALIVE_TIMEOUT_SECONDS,
            lingering_time=limits.LINGER_TIMEOUT_SECONDS,
        )
        self._server.on_end = self._forget
        self._server.transports = {}
        self._acceptor = Acceptor(sock, self._admit, self._log_accept_error)
        self._connecting: dict[RequestHandler, asyncio.Task[None]] = {}

    async def start(self) -> None:
        """Start to accept connections."""
        self._acceptor.start(f"clientgen-{self._title}")

    async def stop(self, grace: float) -> None:
        """Accept no more connections, wait for running answers, and close all connections.

        Args:
            grace: The seconds to wait for running answers.
        """
        await self._acceptor.stop()
        handshakes = {*self._connecting.values()}
        for task in handshakes:
            task.cancel()
        if handshakes:
            await asyncio.wait(handshakes)
        await shut_down(self._server, grace)

    def _log_accept_error(self, error: OSError) -> None:
        _log.warning("%s: connections cannot be accepted: %s", self._title, error)

    def _admit(self, sock: socket.socket, address: Any) -> None:
        """Create the connection of an accepted socket.

        The connection is closed if it sends no request soon.
        """
        peer = peer_of(address)
        connection = self._server()
        is_admitted, victim = self._peers.admit(connection, peer)
        if victim is not None:
            self._abort(victim)
        if not is_admitted:
            sock.close()
            return
        self._peer_of[connection] = peer
        self._silent.add(connection)
        loop = asyncio.get_running_loop()
        loop.call_later(limits.RECEIVE_TIMEOUT_SECONDS, self._close_if_silent, connection)
        task = self._connecting[connection] = loop.create_task(self._connect(connection, sock))
        task.add_done_callback(lambda _: self._connecting.pop(connection))

    async def _connect(self, connection: RequestHandler, sock: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection,
                sock,
                ssl=self._tls,
                ssl_handshake_timeout=limits.RECEIVE_TIMEOUT_SECONDS if self._tls else None,
            )
        except OSError:  # the TLS handshake failed
            self._forget(connection)
        except BaseException:
            self._forget(connection)
            sock.close()
            raise

    def _abort(self, connection: RequestHandler) -> None:
        """Close a connection immediately, also during its TLS handshake."""
        if (task := self._connecting.get(connection)) is not None:
            task.cancel()
        elif (transport := self._server.transports.get(connection)) is not None:
            transport.abort()

    def _forget(self, connection: RequestHandler) -> None:
        """Remove a connection that has ended."""
        self._silent.discard(connection)
        self._peer_of.pop(connection, None)
        self._peers.remove(connection)

    def _close_if_silent(self, connection: RequestHandler) -> None:
        """Close a connection that has not sent a request in time."""
        if connection in self._silent:
            self._silent.discard(connection)
            connection.force_close()

    async def _handle(self, request: BaseRequest) -> Response:
        self._silent.discard(request.protocol)
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self._answer_with_limits(request)
        except TimeoutError:
            answer = refused(503, f"no answer within {self._timeout:g} s")
        size = len(answer.body)
        if size > limits.SMALL_ANSWER_BYTES and not self._reserve(request.protocol, size):
            answer = refused(503, NO_MEMORY)
        response = _to_aiohttp_response(answer)
        try:
            await self._send(request, response)
        finally:
            response.body = None  # aiohttp keeps the response until the next request
            self._peers.release(request.protocol)
        return response

    async def _send(self, request: BaseRequest, response: Response) -> None:
        """Send a response. If the client does not read it in time, close the connection."""
        try:
            async with asyncio.timeout(self._timeout):
                await response.prepare(request)
                await response.write_eof()
                await self._wait_until_sent(request.protocol)
        except TimeoutError:
            self._abort(request.protocol)
        except ConnectionError:
            pass  # aiohttp raises the same error again, and handles it

    async def _wait_until_sent(self, connection: RequestHandler) -> None:
        """Wait until all bytes of an answer are handed to the operating system.

        aiohttp does not wait for the last bytes. With TLS it does not wait for any bytes, because
        asyncio's flow control ignores bytes that are already encrypted. There is no callback for
        an empty write buffer of the TCP transport, so this method polls the buffer.
        """
        pause = _FIRST_POLL_SECONDS
        while (transport := self._server.transports.get(connection)) is not None:
            if not transport.get_write_buffer_size():
                return
            await asyncio.sleep(pause)
            pause = min(2 * pause, _MAX_POLL_SECONDS)

    async def _answer_with_limits(self, request: BaseRequest) -> EndpointAnswer:
        """Read the body, wait for a turn, and answer.

        A request waits for its turn only after its body has arrived: a client that sends no body
        does not take a turn.
        """
        peer = self._peer_of.get(request.protocol, "")
        body = bytearray()
        try:
            async with asyncio.timeout(limits.RECEIVE_TIMEOUT_SECONDS):
                async for piece in _body_pieces(request, self._max_body):
                    if not self._reserve(request.protocol, len(piece)):
                        return refused(503, NO_MEMORY)
                    body += piece
            self._peers.mark_body_complete(request.protocol)
            async with self._turn(peer):
                with self._peers.answering(request.protocol) as exists:
                    if not exists:
                        return refused(
                            503, "the connection was closed to make room for other clients"
                        )
                    return await self._answer_of_program(request, bytes(body))
        except _TooLargeError:
            return refused(413, f"the body is larger than {self._max_body} bytes")
        except TimeoutError:
            return refused(
                408, f"the body did not arrive within {limits.RECEIVE_TIMEOUT_SECONDS:g} s"
            )
        # Without this, aiohttp would log a ConnectionError with its traceback.
        except (ConnectionError, HttpProcessingError, RequestPayloadError) as error:
            return refused(400, f"the body cannot be read: {error}")
        finally:
            self._peers.release(request.protocol)

    def _reserve(self, connection: RequestHandler, size: int) -> bool:
        """Reserve memory for a part of a body or for an answer. May abort other connections."""
        has_room, victims = self._peers.reserve(connection, size)
        for victim in victims:
            self._abort(victim)
        return has_room

    @asynccontextmanager
    async def _turn(self, peer: str) -> AsyncGenerator[None]:
        """Wait until a request of the peer may be answered, and give the turn back afterwards."""
        turn = asyncio.get_running_loop().create_future()
        try:
            if not self._turns.take_or_queue(peer, turn):
                await turn
            yield
        finally:
            if not self._turns.leave_queue(peer, turn):
                next_turn = self._turns.give_back(peer)
                if next_turn is not None and not next_turn.done():
                    next_turn.set_result(None)

    async def _answer_of_program(self, request: BaseRequest, body: bytes) -> EndpointAnswer:
        endpoint_request = EndpointRequest(
            method=request.method,
            path=request.path,
            query=tuple(request.query.items()),
            headers=request.headers,
            body=body,
        )
        try:
            return await self._answer(endpoint_request)
        except Exception:  # noqa: BLE001 - the program may raise anything
            _log.exception("%s: %s %s failed", self._title, request.method, request.path)
            return refused(500, "the endpoint failed; see the log of the program")


class _Server(Server):
    """An aiohttp server that stores the transport of each connection, and reports its end."""

    on_end: Callable[[RequestHandler], object]
    transports: dict[RequestHandler, asyncio.Transport]
    """The TCP transports, also of TLS connections and of connections that aiohttp is closing."""

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        """Store the transport of a new connection."""
        super().connection_made(handler, transport)
        self.transports[handler] = without_tls(transport) or transport

    def connection_lost(self, handler: RequestHandler, exc: BaseException | None = None) -> None:
        """Remove the transport of a connection, and report its end."""
        super().connection_lost(handler, exc)
        self.transports.pop(handler, None)
        self.on_end(handler)


class _TooLargeError(Exception):
    """A body is larger than the server allows."""


def _to_aiohttp_response(answer: EndpointAnswer) -> Response:
    response = Response(status=answer.status, body=answer.body)
    response.headers["Content-Type"] = answer.content_type
    response.headers["X-Content-Type-Options"] = "nosniff"
    for name, value in answer.headers:
        response.headers[name] = value
    return response


async def _body_pieces(request: BaseRequest, limit: int) -> AsyncIterator[bytes]:
    """Yield the pieces of a body.

    Raises:
        _TooLargeError: The body is larger than the limit.
    """
    if (request.content_length or 0) > limit:
        raise _TooLargeError
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
    size = 0
    while piece := await request.content.readany():
        size += len(piece)
        if size > limit:
            raise _TooLargeError
        yield piece
