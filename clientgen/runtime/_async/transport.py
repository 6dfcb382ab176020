"""Sends requests over the network with aiohttp; the twin in `_sync` uses urllib3.

The first request imports this module.
"""

# Timeouts are parameters of the protocol.
# ruff: noqa: ASYNC109

from __future__ import annotations

import asyncio
import io
import os
import socket
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from .._config.proxy_settings import proxy_and_login
from .._http.request import HttpRequest, HttpResponse
from .._http.response_bodies import MAX_RESPONSE_BYTES, BodyReader, inflater_for
from .._http.write_permit import FLIGHT, check_departure, depart
from .._net.tcp_keepalive import KEEPALIVE, forget_unsent_bytes
from .._redaction import Unpicklable
from .._streams.websocket_protocol import SWITCHING_PROTOCOLS
from ..errors import (
    ConfigError,
    ConnectionFailed,
    ConnectionLost,
    LeadershipLost,
    RequestTimeout,
    ResponseBroken,
    one_line,
)

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncGenerator, Callable, Iterator, Mapping

    from .._config.cluster_config import ClusterConfig
    from ..errors import TransportError

__all__ = ["AsyncHttpTransport"]

# aiohttp warns about larger bodies of bytes. It sends files in pieces, so larger bodies become
# files.
_MAX_BYTES_BODY_BYTES = 1 << 20
# The maximum number of connections of requests. Streams do not count.
DEFAULT_POOL_SIZE = 100
# Lists have megabytes: with a small buffer, the connection would pause all the time.
_READ_BUFFER_BYTES = 1 << 20
CONNECT_TIMEOUT_SECONDS = 30.0
_MAX_READ_BYTES = 1 << 18
# If the response to a probe is larger, its connection is closed. /version and /readyz are small.
_MAX_PROBE_BODY_BYTES = 1 << 16
# The errors of the library. Any other error is a bug of this module.
_FAILURES = (aiohttp.ClientError, OSError, ValueError)


class AsyncHttpTransport(Unpicklable):
    """The connections to one server with the same client certificate."""

    def __init__(
        self,
        config: ClusterConfig,
        context: ssl.SSLContext | None,
        *,
        connect_timeout: float = CONNECT_TIMEOUT_SECONDS,
        pool_size: int = DEFAULT_POOL_SIZE,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self._server = config.server
        self._connect_timeout = connect_timeout
        self._pool_size = pool_size
        self._max_bytes = max_response_bytes
        self._context = context
        self._proxy, login = proxy_and_login(config)
        self._encodings = "identity" if config.disable_compression else "gzip"
        self._options: dict[str, Any] = {"allow_redirects": False}
        self._login = ""
        if config.tls.server_name:
            self._options["server_hostname"] = config.tls.server_name
        if self._proxy and not self._proxy.startswith("socks"):
            self._options["proxy"] = self._proxy
            if login and config.is_secure:
                self._options["proxy_headers"] = {"Proxy-Authorization": login}
            elif login:
                self._login = login
        self._failures: tuple[type[Exception], ...] = _FAILURES
        self._get_session: aiohttp.ClientSession | None = None
        self._write_session: aiohttp.ClientSession | None = None
        self._stream_session: aiohttp.ClientSession | None = None
        self._streams: set[_Stream] = set()
        self._probe_session: aiohttp.ClientSession | None = None
        self._probe_is_new = False
        self._pending_requests = 0
        self._retired = self._closed = False
        self._openings: dict[asyncio.Future[None], asyncio.Timeout] = {}

    async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        """Send a request and return the complete response."""
        is_get = request.method == "GET" and request.body is None
        session = self._get_session if is_get else self._write_session
        if session is None:
            session = self._open_session(is_get=is_get)
        self._pending_requests += 1
        try:
            if timeout is None:
                return await self._exchange(session, request)
            async with asyncio.timeout(timeout):
                return await self._exchange(session, request)
        except self._failures as error:
            _clear_traceback(error)
            raise _translated(error, request, self._server) from _safe_cause(error)
        finally:
            self._pending_requests -= 1
            if self._retired and not self._pending_requests:
                await self.aclose()

    async def _exchange(self, session: aiohttp.ClientSession, request: HttpRequest) -> HttpResponse:
        response = await self._start(session, request)
        try:
            body = await self._read(response)
        except BaseException:
            response.close()
            raise
        return HttpResponse(response.status, _headers(response), body)

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        """Read a body to its end, or until the reader needs no more."""
        reader = BodyReader(response.status, response.headers, self._max_bytes)
        while chunk := await response.content.readany():
            if not reader.feed(chunk):
                response.close()
                break
        return reader.whole()

    async def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> _Stream:
        """Send a request and return the response as a stream."""
        if self._stream_session is None:
            self._stream_session = self._new_session(self._new_connector(0))
        session = self._stream_session
        if request.method != "GET" or request.body is not None:
            session = self._write_session or self._open_session(is_get=False)
        limits = aiohttp.ClientTimeout(
            total=None, sock_connect=self._connect_timeout, sock_read=read_timeout
        )
        try:
            async with self._opening(timeout):
                response = await self._start(session, request, timeout=limits)
            stream = _new_stream(response, request, self._streams)
        except self._failures as error:
            raise _translated(error, request, self._server) from _safe_cause(error)
        self._register_stream(stream)
        return stream

    async def connect(self, request: HttpRequest, timeout: float | None) -> _Duplex:
        """Switch a new connection to another protocol."""
        if self._stream_session is None:
            self._stream_session = self._new_session(self._new_connector(0))
        limits = aiohttp.ClientTimeout(total=None, sock_connect=self._connect_timeout)
        try:
            async with self._opening(timeout):
                response = await self._start(self._stream_session, request, timeout=limits)
            stream = _Duplex(response, request, self._streams)
        except self._failures as error:
            raise _translated(error, request, self._server) from _safe_cause(error)
        self._register_stream(stream)
        return stream

    @asynccontextmanager
    async def _opening(self, timeout: float | None) -> AsyncGenerator[None]:
        """Limit the time in which a stream is opened. `aclose` also ends the opening.

        Raises:
            TimeoutError: The seconds have passed.
            ClientConnectionError: The client was closed.
        """
        over = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout) as limit:
                self._openings[over] = limit
                yield
        except TimeoutError:
            if self._closed:
                raise aiohttp.ClientConnectionError from None
            raise
        finally:
            self._openings.pop(over, None)
            over.set_result(None)

    def _register_stream(self, stream: _Stream) -> None:
        """Register a stream for `aclose` to end. If `aclose` was called already, end the stream."""
        self._streams.add(stream)
        if self._closed:
            stream.abort()

    async def send_probe(
        self, request: HttpRequest, timeout: float, *, fresh: bool
    ) -> tuple[int, bool]:
        """Send a small request over the connection that is kept for probes.

        With `fresh`, open a new connection first. Returns the status, and whether the connection is
        new. The body is dropped.
        """
        if fresh:
            await self.close_probe()
        if self._probe_session is None:
            self._probe_session = self._new_probe_session()
        session, self._probe_is_new = self._probe_session, False
        try:
            async with asyncio.timeout(timeout):
                response = await self._start(session, request)
                await _drain_body(response)
        except self._failures as error:
            await self.close_probe()
            raise _translated(error, request, self._server) from _safe_cause(error)
        return response.status, self._probe_is_new

    def drop_idle(self) -> None:
        """Close the idle connections, which may be dead."""
        for session in (self._get_session, self._stream_session):
            connector = None if session is None else session.connector
            if isinstance(connector, _Connector):
                connector.drop_idle()

    async def close_probe(self) -> None:
        """Close the connection that is kept for probes."""
        session, self._probe_session = self._probe_session, None
        if session is not None:
            await session.close()

    def _new_probe_session(self) -> aiohttp.ClientSession:
        async def note(*_: object) -> None:
            self._probe_is_new = True

        tracing = aiohttp.TraceConfig()
        tracing.on_connection_create_end.append(note)
        return self._new_session(self._new_connector(1), trace_configs=[tracing])

    async def retire(self) -> None:
        """End the streams, and close the connections after the last pending response."""
        self._retired = True
        for stream in tuple(self._streams):
            stream.break_off()
        if not self._pending_requests:
            await self.aclose()

    async def aclose(self) -> None:
        """Close all connections; streams end."""
        self._closed = True
        for stream in tuple(self._streams):
            stream.abort()
        await self._end_openings()
        await self.close_probe()
        for session in (self._write_session, self._get_session, self._stream_session):
            if session is not None:
                await session.close()

    async def _end_openings(self) -> None:
        """End connections that are being opened, because the loop may end before they are open."""
        for limit in self._openings.values():
            if not limit.expired():
                limit.reschedule(0.0)
        if self._openings:
            await asyncio.wait([*self._openings])
            await asyncio.sleep(0)  # let their transports end

    def _start(self, session: aiohttp.ClientSession, request: HttpRequest, **options: Any) -> Any:
        body: Any = request.body
        if body is not None and len(body) > _MAX_BYTES_BODY_BYTES:
            body = _Pieces(body)
        headers = CIMultiDict(request.headers)
        headers["Accept-Encoding"] = self._encodings
        if self._login:
            headers["Proxy-Authorization"] = self._login
        url = URL(self._server + request.target, encoded=True)
        return session.request(
            request.method, url, data=body, headers=headers, **self._options, **options
        )

    def _new_session(
        self, connector: aiohttp.BaseConnector | None, **options: Any
    ) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._connect_timeout),
            read_bufsize=_READ_BUFFER_BYTES,
            auto_decompress=False,
            request_class=_Request,
            **options,
        )

    def _new_connector(self, limit: int) -> aiohttp.BaseConnector:
        options: dict[str, Any] = {
            "limit": limit,
            "ssl": self._context if self._context is not None else True,
            # The server closes idle connections after 90 seconds: close them earlier.
            "keepalive_timeout": 75.0,
        }
        if self._proxy and self._proxy.startswith("socks"):
            return self._new_socks_connector(self._proxy, options)
        return _Connector(socket_factory=_new_socket, **options)

    def _new_socks_connector(self, proxy: str, options: dict[str, Any]) -> aiohttp.BaseConnector:
        try:
            library = import_module("aiohttp_socks")
        except ImportError:
            what = "the proxy speaks SOCKS: install clientgen[socks] to use it"
            raise ConfigError(what) from None
        self._failures = (
            *_FAILURES,
            library.ProxyError,
            library.ProxyConnectionError,
            library.ProxyTimeoutError,
        )
        # With `rdns`, the proxy resolves names, as for socks5h. client-go always does this.
        url = proxy.replace("socks5h://", "socks5://", 1)
        made: aiohttp.BaseConnector = library.ProxyConnector.from_url(url, rdns=True, **options)
        return made

    def _open_session(self, *, is_get: bool) -> aiohttp.ClientSession:
        """Create the session for GETs without a body, or for other requests.

        The sessions share one connection pool.
        """
        if self._get_session is None:
            self._get_session = self._new_session(self._new_connector(self._pool_size))
        if is_get:
            return self._get_session
        self._write_session = self._new_session(
            self._get_session.connector,
            connector_owner=False,
            skip_auto_headers=("Content-Type",),
        )
        # aiohttp repeats PUT and DELETE by itself when the connection is lost. But the server may
        # have executed the first request: then the second meets a conflict, or nothing to delete.
        setattr(self._write_session, "_retry_connection", False)  # noqa: B010 - not public
        return self._write_session


class _Request(aiohttp.ClientRequest):
    """A request that checks the write permit again when it has a connection.

    aiohttp writes a body in a task of its own, before Python 3.12 in a later turn of the loop. If
    something blocks the loop meanwhile, the lease may be lost, so the task checks once more.
    """

    async def send(self, conn: Any) -> aiohttp.ClientResponse:
        """Send the request over a connection.

        Raises:
            LeadershipLost: The caller's work may not write any more.
        """
        if FLIGHT.get() is not None:
            depart(partial(_drop, asyncio.get_running_loop(), conn.transport))
        return await super().send(conn)

    async def write_bytes(self, writer: Any, conn: Any, content_length: int | None = None) -> None:
        """Write the body. If the caller's work may not write any more, fail the request."""
        try:
            check_departure()
        except LeadershipLost as lost:
            conn.protocol.set_exception(lost)
            conn.protocol.abort()
            return
        await super().write_bytes(writer, conn, content_length)


class _Pieces(io.BytesIO):
    """A large body, whose pieces are sent only while the caller's work may write."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next piece.

        Raises:
            LeadershipLost: The caller's work may not write any more.
        """
        check_departure()
        return super().read(size)


def _drop(loop: asyncio.AbstractEventLoop, connection: asyncio.Transport | None) -> None:
    """Break a connection from any thread. Bytes that were not sent yet are thrown away."""
    if connection is None:
        return
    forget_unsent_bytes(connection.get_extra_info("socket"))
    with suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(connection.abort)


class _Connector(aiohttp.TCPConnector):
    """Aborts connections that are not used again.

    aiohttp would close TLS properly and wait up to 30 seconds for the server. If the program's loop
    ends earlier, Python emits a ResourceWarning.
    """

    def _release(self, key: Any, protocol: Any, *, should_close: bool = False) -> None:
        if should_close or protocol.should_close:
            protocol.abort()
            should_close = True
        super()._release(key, protocol, should_close=should_close)

    def drop_idle(self) -> None:
        """Close the idle connections. aiohttp drops them when it takes them from the pool."""
        for idle in self._conns.values():
            for protocol, _ in idle:
                protocol.abort()


class _Stream:
    """A response whose body is read while it arrives."""

    def __init__(
        self, response: aiohttp.ClientResponse, request: HttpRequest, open_streams: set[_Stream]
    ) -> None:
        self.status = response.status
        self.headers = _headers(response)
        self._response = response
        self._content = response.content
        self._inflater = inflater_for(response.status, response.headers)
        self._inflated: Iterator[bytes] = iter(())
        self._request = request
        self._open_streams = open_streams
        self._aborted = False
        self._break_reason = ""
        self.opened = self.last_data_at = monotonic()
        self.can_resume = False
        self.on_end: Callable[[_Stream], object] | None = None

    async def read(self) -> bytes:
        """Return the next bytes as they arrive; empty at the end and after `abort`."""
        try:
            chunk = await self._read()
        except _FAILURES as error:
            _clear_traceback(error)
            if self._aborted:
                return b""
            if self._break_reason:
                raise ConnectionLost(f"{self._request.info}: {self._break_reason}") from None
            raise _translated(error, self._request, "") from _safe_cause(error)
        self.last_data_at = monotonic()
        return chunk

    async def _read(self) -> bytes:
        if self._inflater is None:
            return await self._content.readany()
        while not (piece := next(self._inflated, b"")):
            chunk = await self._content.readany()
            if not chunk:
                self._inflater.finish()
                return b""
            self._inflated = self._inflater.pieces(chunk)
        return piece

    def abort(self) -> None:
        """Make `read` return at once."""
        self._aborted = True
        self.break_off()

    def break_off(self, why: str = "") -> None:
        """Make `read` raise ConnectionLost."""
        self._break_reason = why
        self._disconnect()

    def limit_silence(self, seconds: float) -> None:
        """Make `read` raise ConnectionLost after this many seconds without data."""
        connection = self._response.connection
        if connection is not None and (protocol := connection.protocol) is not None:
            protocol.read_timeout = seconds
            protocol.start_timeout()

    async def aclose(self) -> None:
        """Close the connection."""
        self._disconnect()

    def _disconnect(self) -> None:
        self._open_streams.discard(self)
        self._response.close()
        if self.on_end is not None:
            self.on_end(self)


class _Duplex(_Stream):
    """A connection that carries bytes in both directions, if the server has switched protocols."""

    def __init__(
        self, response: aiohttp.ClientResponse, request: HttpRequest, open_streams: set[_Stream]
    ) -> None:
        super().__init__(response, request, open_streams)
        self._taken_reader: asyncio.StreamReader | None = None
        self._flight = FLIGHT.get()  # of the handshake: what follows needs the same permit
        if response.status == SWITCHING_PROTOCOLS:
            self._inflater = None
            self._take_over()

    def _take_over(self) -> None:
        """Take over the connection from aiohttp, which still closes the connection at the end."""
        connection = self._response.connection
        handler = None if connection is None else connection.protocol
        transport = None if connection is None else connection.transport
        if handler is None or transport is None:
            raise ConnectionLost(f"{self._request.info}: the connection was lost")
        loop = asyncio.get_running_loop()
        self._taken_reader = asyncio.StreamReader(limit=_READ_BUFFER_BYTES, loop=loop)
        protocol = _TakenOver(self._taken_reader, handler)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        self._writer = asyncio.StreamWriter(transport, protocol, self._taken_reader, loop)
        # The bytes that came with the response. There is no public attribute for them.
        if early := bytes(getattr(handler, "_tail", b"")):
            self._taken_reader.feed_data(early)

    async def _read(self) -> bytes:
        if self._taken_reader is None:
            return await super()._read()
        chunk = await self._taken_reader.read(_MAX_READ_BYTES)
        if not chunk and self._break_reason:
            raise ConnectionResetError
        return chunk

    async def write(self, data: bytes, timeout: float | None = None) -> None:
        """Send bytes, and wait while the send buffer is full."""
        if self._flight is not None:
            self._flight.check()
        try:
            self._writer.write(data)
            if timeout is not None:
                self._writer.transport.set_write_buffer_limits(0)
            async with asyncio.timeout(timeout):
                await self._writer.drain()
        except OSError:
            why = self._break_reason or "the connection was lost"
            raise ConnectionLost(f"{self._request.info}: {why}") from None

    def _disconnect(self) -> None:
        """Close the connection. asyncio would wait until the send buffer is empty."""
        is_open = self in self._open_streams
        if (
            is_open
            and self._taken_reader is not None
            and self._writer.transport.get_write_buffer_size()
        ):
            self._writer.transport.abort()
        super()._disconnect()


class _TakenOver(asyncio.StreamReaderProtocol):
    """Notifies aiohttp of the end of a connection, because its pool waits for the end."""

    def __init__(self, reader: asyncio.StreamReader, handler: asyncio.Protocol) -> None:
        super().__init__(reader)
        self._handler = handler

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection has ended."""
        super().connection_lost(exc)
        self._handler.connection_lost(exc)


async def _drain_body(response: aiohttp.ClientResponse) -> None:
    """Read and drop a small body, so that its connection can be used again."""
    if (
        len(await response.content.read(_MAX_PROBE_BODY_BYTES)) < _MAX_PROBE_BODY_BYTES
        and response.content.at_eof()
    ):
        response.release()
    else:
        response.close()


def _new_stream(
    response: aiohttp.ClientResponse, request: HttpRequest, open_streams: set[_Stream]
) -> _Stream:
    try:
        return _Stream(response, request, open_streams)
    except ValueError:
        response.close()
        raise


def _headers(response: aiohttp.ClientResponse) -> Mapping[str, str]:
    headers = response.headers
    if "warning" in headers and len(values := headers.getall("warning")) > 1:
        return {**{k.lower(): v for k, v in headers.items()}, "warning": ", ".join(values)}
    return headers


def _clear_traceback(error: Exception) -> None:
    """Clear the traceback of an error, if all closed connections share the error.

    aiohttp raises the same object for each connection, so its traceback would keep all frames.
    """
    if type(error) is aiohttp.ClientConnectionError:
        error.__traceback__ = error.__context__ = None


def _translated(  # noqa: PLR0911 - one return per error
    error: Exception, request: HttpRequest, server: str
) -> TransportError:
    """Translate an error of the library. The message does not repeat the query of the URL."""
    info = request.info
    match error:
        case aiohttp.SocketTimeoutError():
            return ConnectionLost(f"{info}: the connection was silent for too long")
        case aiohttp.ConnectionTimeoutError():
            return ConnectionFailed(f"{info}: connecting to {server} took too long")
        case TimeoutError() if error.errno is None:
            return RequestTimeout(f"{info}: no response before the timeout")
        case aiohttp.ClientConnectorError():
            return ConnectionFailed(f"{info}: cannot connect to {server}: {_cause(error)}")
        case aiohttp.ClientHttpProxyError():
            words = f"the proxy answered {error.status} {one_line(error.message)}"
            return ConnectionFailed(f"{info}: cannot connect to {server}: {words}")
        case aiohttp.ClientPayloadError() | aiohttp.ServerDisconnectedError() | OSError():
            return ConnectionLost(f"{info}: the connection was lost: {_cause(error)}")
        case aiohttp.ClientResponseError():
            return ResponseBroken(f"{info}: the answer is not HTTP: {one_line(error.message)}")
        case aiohttp.ClientConnectionError():
            return ConnectionLost(f"{info}: the connection was closed")
        case aiohttp.ClientError() | ValueError():
            return ResponseBroken(f"{info}: the answer cannot be read: {_cause(error)}")
        case _:  # errors of the SOCKS library
            return ConnectionFailed(f"{info}: cannot connect to {server}: {_cause(error)}")


def _safe_cause(error: Exception) -> Exception | None:
    """Return the error if its text may be shown; None if its text contains the request."""
    return None if isinstance(error, aiohttp.ClientResponseError) else error


def _cause(error: Exception) -> str:
    """Return the text of the operating system's error, without the addresses that aiohttp adds."""
    inner = getattr(error, "os_error", None) or getattr(error, "certificate_error", None) or error
    if isinstance(inner, ConnectionError) and inner.errno:
        return os.strerror(inner.errno)  # asyncio's message has no reason
    return one_line(getattr(inner, "strerror", None) or str(inner) or type(inner).__name__)


def _new_socket(address: Any) -> socket.socket:
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    for option in KEEPALIVE:
        made.setsockopt(*option)
    return made
