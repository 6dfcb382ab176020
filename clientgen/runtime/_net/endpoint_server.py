"""An HTTP/1.1 server for a program's own endpoints, on an event loop; with aiohttp.

It is imported when a server starts, because the HTTP library is a big import. Everything that a
client can prolong or enlarge is limited: headers, bodies, requests at once, and their duration.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

# Not `aiohttp.web`, which has far more than a server needs and takes a megabyte.
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

__all__ = ["EndpointServer"]

_log = logging.getLogger("clientgen.runtime.endpoints")
_LOOKS: Final = 0.001, 0.2  # seconds between looks whether an answer is sent: at first, at most


class EndpointServer:
    """Answers the requests that arrive at a listening socket.

    Args:
        title: The name in messages.
        sock: The socket; the server closes it.
        answer: Answers one request.
        tls: For HTTPS. Certificates that are loaded into it later are used for new connections.
        max_body: The largest body in bytes; requests with larger ones are refused with 413.
        timeout: How many seconds an answer may take, and its client to read it.
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
        self._turns: Turns[asyncio.Future[None]] = Turns(limits.AT_ONCE)
        self._silent: set[RequestHandler] = set()  # no request has come from them
        self._peers: Peers[RequestHandler] = Peers()
        self._peer_of: dict[RequestHandler, str] = {}
        self._server = _Server(
            self._handle,
            access_log=None,
            auto_decompress=False,  # a small body stays small
            max_line_size=limits.HEADER_BYTES,
            max_field_size=limits.HEADER_BYTES,
            keepalive_timeout=limits.KEEP_ALIVE,
            lingering_time=limits.LINGERING,
        )
        self._server.on_end = self._forget
        self._server.transports = {}
        self._acceptor = Acceptor(sock, self._admit, self._complain)
        self._connecting: dict[RequestHandler, asyncio.Task[None]] = {}

    async def start(self) -> None:
        """Begin to accept connections."""
        self._acceptor.start(f"clientgen-{self._title}")

    async def stop(self, grace: float) -> None:
        """Accept no more connections, let running answers end, and close all connections."""
        await self._acceptor.stop()
        for task in (ending := {*self._connecting.values()}):
            task.cancel()
        if ending:
            await asyncio.wait(ending)
        await shut_down(self._server, grace)

    def _complain(self, error: OSError) -> None:
        _log.warning("%s: connections cannot be accepted: %s", self._title, error)

    def _admit(self, sock: socket.socket, address: Any) -> None:
        """Make an accepted socket a connection, which has to send a request soon."""
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
        loop.call_later(limits.SILENCE, self._close_if_silent, connection)
        task = self._connecting[connection] = loop.create_task(self._connect(connection, sock))
        task.add_done_callback(lambda _: self._connecting.pop(connection))

    async def _connect(self, connection: RequestHandler, sock: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection,
                sock,
                ssl=self._tls,
                ssl_handshake_timeout=limits.SILENCE if self._tls else None,
            )
        except OSError:  # of the handshake
            self._forget(connection)
        except BaseException:
            self._forget(connection)
            sock.close()
            raise

    def _abort(self, connection: RequestHandler) -> None:
        """Close a connection at once."""
        if (task := self._connecting.get(connection)) is not None:
            task.cancel()
        elif (transport := self._server.transports.get(connection)) is not None:
            transport.abort()

    def _forget(self, connection: RequestHandler) -> None:
        """Note the end of a connection."""
        self._silent.discard(connection)
        self._peer_of.pop(connection, None)
        self._peers.remove(connection)

    def _close_if_silent(self, connection: RequestHandler) -> None:
        """Close a connection that has sent no request."""
        if connection in self._silent:
            self._silent.discard(connection)
            connection.force_close()

    async def _handle(self, request: BaseRequest) -> Response:
        self._silent.discard(request.protocol)
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self._answered(request)
        except TimeoutError:
            answer = refused(503, f"no answer within {self._timeout:g} s")
        size = len(answer.body)
        if size > limits.SMALL_ANSWER and not self._has_room(request.protocol, size):
            answer = refused(503, NO_MEMORY)
        response = _response(answer)
        try:
            await self._send(request, response)
        finally:
            response.body = None  # aiohttp keeps the response until the next request
            self._peers.drop(request.protocol)
        return response

    async def _send(self, request: BaseRequest, response: Response) -> None:
        """Send a response before aiohttp would; a client that does not read it is cut off."""
        try:
            async with asyncio.timeout(self._timeout):
                await response.prepare(request)
                await response.write_eof()
                await self._sent(request.protocol)
        except TimeoutError:
            self._abort(request.protocol)
        except ConnectionError:
            pass  # aiohttp meets it again, and knows what to do

    async def _sent(self, connection: RequestHandler) -> None:
        """Wait until the system has all bytes of an answer.

        aiohttp does not wait for the last ones. With TLS it waits for none: asyncio counts what is
        not encrypted yet, and tells nobody of the rest. So this has to look.
        """
        pause, longest = _LOOKS
        while (transport := self._server.transports.get(connection)) is not None:
            if not transport.get_write_buffer_size():
                return
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)

    async def _answered(self, request: BaseRequest) -> EndpointAnswer:
        """Read a body, then wait for a turn: clients that send none do not take turns away."""
        peer = self._peer_of.get(request.protocol, "")
        body = bytearray()
        try:
            async with asyncio.timeout(limits.SILENCE):
                async for piece in _pieces(request, self._max_body):
                    if not self._has_room(request.protocol, len(piece)):
                        return refused(503, NO_MEMORY)
                    body += piece
            self._peers.read(request.protocol)
            async with self._turn(peer):
                with self._peers.answering(request.protocol) as is_there:
                    if not is_there:
                        return refused(503, "the connection had to make room")
                    return await self._answer_of_program(request, bytes(body))
        except _TooLargeError:
            return refused(413, f"the body is larger than {self._max_body} bytes")
        except TimeoutError:
            return refused(408, f"the body did not arrive within {limits.SILENCE:g} s")
        # aiohttp would log a ConnectionError, with a traceback.
        except (ConnectionError, HttpProcessingError, RequestPayloadError) as error:
            return refused(400, f"the body cannot be read: {error}")
        finally:
            self._peers.drop(request.protocol)

    def _has_room(self, connection: RequestHandler, size: int) -> bool:
        """Tell whether there is memory for a part of a body, or an answer; others make room."""
        has_room, victims = self._peers.keep(connection, size)
        for victim in victims:
            self._abort(victim)
        return has_room

    @asynccontextmanager
    async def _turn(self, peer: str) -> AsyncGenerator[None]:
        """Wait until a request of a peer may be answered."""
        turn = asyncio.get_running_loop().create_future()
        try:
            if not self._turns.take(peer, turn):
                await turn
            yield
        finally:
            if not self._turns.leave(peer, turn):
                following = self._turns.give(peer)
                if following is not None and not following.done():
                    following.set_result(None)

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


class _Server(Server):
    """Knows the transport of each connection, and tells of the end of connections."""

    on_end: Callable[[RequestHandler], object]
    transports: dict[RequestHandler, asyncio.Transport]
    """Of TCP, also below TLS. A connection that aiohttp is closing has one, too."""

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        """Note the transport of a new connection."""
        super().connection_made(handler, transport)
        self.transports[handler] = without_tls(transport) or transport

    def connection_lost(self, handler: RequestHandler, exc: BaseException | None = None) -> None:
        """Note the end of a connection."""
        super().connection_lost(handler, exc)
        self.transports.pop(handler, None)
        self.on_end(handler)


class _TooLargeError(Exception):
    """A body is larger than the server takes."""


def _response(answer: EndpointAnswer) -> Response:
    response = Response(status=answer.status, body=answer.body)
    response.headers["Content-Type"] = answer.content_type
    response.headers["X-Content-Type-Options"] = "nosniff"
    for name, value in answer.headers:
        response.headers[name] = value
    return response


async def _pieces(request: BaseRequest, limit: int) -> AsyncIterator[bytes]:
    """Read a body.

    Raises:
        _TooLargeError: It is larger than the limit.
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
