"""Requests over the network with urllib3; the twin in `_async` uses aiohttp.

The first request imports this module.
"""

from __future__ import annotations

import os
import socket
import ssl
import threading
from contextlib import suppress
from functools import cache, partial
from http.client import HTTPException, IncompleteRead, RemoteDisconnected
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from urllib3 import HTTPHeaderDict, PoolManager, ProxyManager, Timeout
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)
from urllib3.util.wait import wait_for_read, wait_for_write

from .._config.proxy_settings import proxy_and_login
from .._http.blocking_calls import blocks_a_loop, warn_of_blocking
from .._http.request import HttpRequest, HttpResponse
from .._http.response_bodies import MAX_RESPONSE_BYTES, BodyReader, inflater_for
from .._http.write_permit import FLIGHT, depart
from .._net.deadlines import (
    TimedTlsSocket,
    deadline,
    time_left,
    to_timed_socket,
    within_deadline,
)
from .._net.final_response import FinalResponse
from .._net.tcp_keepalive import KEEPALIVE, forget_unsent_bytes
from .._net.tls_in_tls import TlsInTls
from .._redaction import Unpicklable
from .._streams.websocket_protocol import SWITCHING_PROTOCOLS
from ..errors import (
    ConfigError,
    ConnectionFailed,
    ConnectionLost,
    RequestTimeout,
    ResponseBroken,
    one_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from urllib3 import BaseHTTPResponse, HTTPConnectionPool

    from .._config.cluster_config import ClusterConfig
    from ..errors import TransportError

__all__ = ["HttpTransport"]

T = TypeVar("T")

# The number of idle connections that are kept. The number of connections in use has no limit.
DEFAULT_POOL_SIZE = 100
CONNECT_TIMEOUT_SECONDS = 30.0
_MAX_CHUNK_BYTES = 1 << 16
_MAX_READ_BYTES = 1 << 18
# If the response to a probe is larger, its connection is closed. /version and /readyz are small.
_MAX_PROBE_BODY_BYTES = 1 << 16
# Without TCP_NODELAY, which urllib3 sets by default, small packets would wait for each other.
_SOCKET_OPTIONS = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1), *KEEPALIVE]


class HttpTransport(Unpicklable):
    """The connections to one server with the same client certificate.

    Threads may share it. After a fork, the child process opens its own connections.
    """

    def __init__(
        self,
        config: ClusterConfig,
        context: ssl.SSLContext | None,
        *,
        connect_timeout: float = CONNECT_TIMEOUT_SECONDS,
        pool_size: int = DEFAULT_POOL_SIZE,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self._config = config
        self._max_bytes = max_response_bytes
        self._connect_timeout = connect_timeout
        self._pool_size = pool_size
        self._limits = Timeout(connect=connect_timeout, read=None)
        self._context = context
        if context is not None:
            context.sslsocket_class = TimedTlsSocket
        self._proxy, self._login = proxy_and_login(config)
        self._encodings = "identity" if config.disable_compression else "gzip"
        forwarded = self._proxy and not config.is_secure and not self._proxy.startswith("socks")
        self._prefix = config.server if forwarded else urlsplit(config.server).path
        self._lock = threading.Lock()
        self._streams: set[_Stream] = set()
        self._closed = False
        self._probe_pool: tuple[PoolManager, HTTPConnectionPool] | None = None
        self._probe_socket: socket.socket | None = None
        self._process = os.getpid()
        self._manager, self._pool = self._new_pool()

    def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        """Send a request and return the complete response."""
        until = None if timeout is None else monotonic() + timeout
        if blocks_a_loop():
            warn_of_blocking(request)
        try:
            with deadline(until):
                response = self._start(request, self._limits)
                body = self._read(response)
        except (HTTPError, OSError, ValueError) as error:
            raise self._translated(error, request, timeout) from error
        return HttpResponse(response.status, _headers(response), body)

    def _read(self, response: BaseHTTPResponse) -> bytes:
        """Read a body to its end, or until the reader needs no more."""
        try:
            reader = BodyReader(response.status, response.headers, self._max_bytes)
            length = response.length_remaining
            if length is not None and length <= reader.limit:
                reader.feed(response.read(decode_content=False))
                return reader.whole()
            while chunk := response.read1(_MAX_CHUNK_BYTES, decode_content=False):
                if not reader.feed(chunk):
                    response.close()
                    break
            return reader.whole()
        except BaseException:
            response.close()
            raise

    def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> _Stream:
        """Send a request and return the response as a stream."""
        limits = Timeout(connect=self._connect_timeout, read=read_timeout)
        until = None if timeout is None else monotonic() + timeout
        # A stream has its own connection, because `abort` shuts the connection down.
        manager, pool = self._new_pool()
        try:
            with deadline(until):
                response = self._start(request, limits, pool)
        except BaseException as error:  # also KeyboardInterrupt: close the connection
            manager.clear()
            if not isinstance(error, (HTTPError, OSError, ValueError)):
                raise
            raise self._translated(error, request, timeout) from error
        stream = _Stream(response, request, manager, self._streams)
        stream.connection.settimeout(read_timeout)
        self._keep(stream)
        return stream

    def connect(self, request: HttpRequest, timeout: float | None) -> _Duplex:
        """Switch a new connection to another protocol."""
        limits = Timeout(connect=self._connect_timeout, read=None)
        manager, pool = self._new_pool()
        try:
            with deadline(None if timeout is None else monotonic() + timeout):
                response = self._start(request, limits, pool)
        except BaseException as error:  # also KeyboardInterrupt: close the connection
            manager.clear()
            if not isinstance(error, (HTTPError, OSError, ValueError)):
                raise
            raise self._translated(error, request, timeout) from error
        stream = _Duplex(response, request, manager, self._streams)
        self._keep(stream)
        return stream

    def _keep(self, stream: _Stream) -> None:
        """Register a stream for `close` to end. If `close` was called already, end the stream."""
        self._streams.add(stream)
        if self._closed:
            stream.abort()

    def send_probe(self, request: HttpRequest, timeout: float, *, fresh: bool) -> tuple[int, bool]:
        """Send a small request over the connection that is kept for probes.

        With `fresh`, open a new connection first. Returns the status, and whether the connection is
        new. The body is dropped.
        """
        if fresh:
            self.close_probe()
        pool = self._probe_pool = self._probe_pool or self._new_pool()
        before, limits = self._probe_socket, Timeout(connect=timeout, read=timeout)
        try:
            with deadline(monotonic() + timeout):
                response = self._start(request, limits, pool[1])
                self._probe_socket = _socket_of(response)
                _read_off(response)
        except (HTTPError, OSError, ValueError) as error:
            self.close_probe()
            raise self._translated(error, request, timeout) from error
        return response.status, self._probe_socket is not before

    def drop_idle(self) -> None:
        """Close the idle connections, which may be dead."""
        with self._lock:
            manager = self._manager
            self._manager, self._pool = self._new_pool()
        manager.clear()

    def close_probe(self) -> None:
        """Close the connection that is kept for probes."""
        pool, self._probe_pool, self._probe_socket = self._probe_pool, None, None
        if pool is not None:
            pool[0].clear()

    def retire(self) -> None:
        """End the streams, and close the connections after the last pending response."""
        for stream in self._streams.copy():
            stream.break_off()
        self.close()

    def close(self) -> None:
        """End the streams, and close the connections: those in use, after their response."""
        self._closed = True
        for stream in self._streams.copy():
            stream.abort()
        self.close_probe()
        self._manager.clear()

    def _start(
        self,
        request: HttpRequest,
        limits: Timeout,
        pool: HTTPConnectionPool | None = None,
    ) -> BaseHTTPResponse:
        if self._process != os.getpid():
            self._forked()
        return (pool or self._pool).urlopen(
            request.method,
            self._prefix + request.target,
            body=request.body,
            headers=self._headers(request),
            timeout=limits,
            retries=False,
            redirect=False,
            assert_same_host=False,
            preload_content=False,
        )

    def _headers(self, request: HttpRequest) -> Any:
        pairs: list[Any] = [
            (name, value if value.isascii() else value.encode()) for name, value in request.headers
        ]
        pairs.append(("Accept-Encoding", self._encodings))
        headers = dict(pairs)
        return headers if len(headers) == len(pairs) else HTTPHeaderDict(pairs)

    def _translated(
        self, error: Exception, request: HttpRequest, timeout: float | None
    ) -> TransportError:
        server = self._config.server
        return _translated(error, request, server, timeout, self._connect_timeout)

    def _forked(self) -> None:
        """After a fork: open new connections, because the parent uses the others."""
        with self._lock:
            if self._process != os.getpid():
                self._streams = set()
                self._manager, self._pool = self._new_pool()
                self._process = os.getpid()

    def _new_pool(self) -> tuple[PoolManager, HTTPConnectionPool]:
        options: dict[str, Any] = {"maxsize": self._pool_size, "socket_options": _SOCKET_OPTIONS}
        if self._context is not None:
            options["ssl_context"] = self._context
            if self._config.tls.server_name:
                options["server_hostname"] = self._config.tls.server_name
        manager = _new_manager(self._proxy, self._login, options)
        pool = manager.connection_from_url(self._config.server)
        kind: Any = pool.ConnectionCls
        setattr(pool, "ConnectionCls", _timed(kind, self._config.tls.insecure))  # noqa: B010
        return manager, pool


@cache
def _timed(kind: type[Any], unverified: bool) -> type[Any]:
    """Return a subclass of a connection class of urllib3. The subclass enforces deadlines."""

    class Timed(kind):  # type: ignore[misc]  # with and without TLS and SOCKS
        response_class = FinalResponse
        timeout: float | None
        sock: socket.socket | None

        def connect(self) -> None:
            limit = self.timeout
            with deadline(None if limit is None else monotonic() + limit):
                usual: Any = super()
                usual.connect()
            if unverified:
                # The configuration has disabled verification, so urllib3 must not warn at each
                # request.
                self.is_verified = True

        def request(self, method: str, url: str, *rest: Any, **options: Any) -> None:
            # Check after connecting: the permit may have expired while the connection was opened.
            if self.sock is None:
                self.connect()
            if FLIGHT.get() is not None:
                depart(partial(_drop, self.sock))
            usual: Any = super()
            usual.request(method, url, *rest, **options)

        def _new_conn(self) -> socket.socket:
            plain: Any = super()
            usual = self.timeout
            try:
                self.timeout = time_left()
                connection: socket.socket = within_deadline(plain._new_conn, socket.socket.close)
            except TimeoutError as error:
                raise ConnectTimeoutError(self, "connecting took too long") from error
            finally:
                self.timeout = usual
            return to_timed_socket(connection, usual)

    return Timed


def _drop(connection: Any) -> None:
    """Break a connection from any thread. Bytes that were not sent yet are thrown away."""
    inner = getattr(connection, "socket", connection)  # of TLS within the TLS of a proxy
    if isinstance(inner, socket.socket):
        with suppress(OSError):  # the socket may be closed already
            forget_unsent_bytes(inner)
            # `shutdown` of SSLSocket would drop TLS state that the waiting thread is using.
            socket.socket.shutdown(inner, socket.SHUT_RDWR)


class _Stream:
    """A response whose body is read while it arrives."""

    def __init__(
        self,
        response: BaseHTTPResponse,
        request: HttpRequest,
        manager: PoolManager,
        open_streams: set[_Stream],
    ) -> None:
        self.status = response.status
        self.headers = _headers(response)
        self.connection = _socket_of(response)
        self._response = response
        self._request = request
        self._manager = manager
        self._open_streams = open_streams
        self._chunks = _pieces(response)
        self._reading = threading.Lock()
        self._aborted = self._broken = False
        self._why = "the connection was closed"
        self.opened = self.last_data_at = monotonic()
        self.can_resume = False
        self.on_end: Callable[[_Stream], object] | None = None

    def read(self) -> bytes:
        """Return the next bytes as they arrive; empty at the end and after `abort`."""
        try:
            with self._reading:
                chunk = b"" if self._broken else next(self._chunks, b"")
        except (HTTPError, OSError, ValueError) as error:
            return self._after(error)
        self.last_data_at = monotonic()
        return chunk or self._after(None)

    def abort(self) -> None:
        """Make `read` return at once, in any thread."""
        self._aborted = True
        self.break_off()

    def break_off(self, why: str = "") -> None:
        """Make `read` raise ConnectionLost, in any thread."""
        self._why = why or self._why
        self._broken = True
        with suppress(OSError):  # the socket may be closed already
            # `shutdown` of SSLSocket would drop TLS state that the reading thread is using.
            socket.socket.shutdown(self.connection, socket.SHUT_RDWR)
        if self._reading.acquire(blocking=False):  # otherwise, the reader closes it
            self._reading.release()
            self._let_go()

    def limit_silence(self, seconds: float) -> None:
        """Make `read` raise ConnectionLost after this many seconds without data."""
        with suppress(OSError):  # the socket may be closed already
            self.connection.settimeout(seconds)

    def close(self) -> None:
        """Close the connection."""
        self.abort()

    def _let_go(self) -> None:
        self._open_streams.discard(self)
        self._response.close()
        self._manager.clear()
        if self.on_end is not None:
            self.on_end(self)

    def _after(self, error: Exception | None) -> bytes:
        """Close the stream at its end. Returns b"", or raises if the stream ended too early."""
        if self._broken:
            self._let_go()
        if self._aborted:
            return b""
        if self._broken:
            raise ConnectionLost(f"{self._request.info}: {self._why}") from None
        if error is not None:
            raise _translated(error, self._request, "", None) from error
        return b""


class _Duplex(_Stream):
    """A connection that carries bytes in both directions, if the server has switched protocols.

    The socket does not block: one thread may write while another thread waits for data. With TLS,
    only one thread at a time may use the connection.
    """

    def __init__(
        self,
        response: BaseHTTPResponse,
        request: HttpRequest,
        manager: PoolManager,
        open_streams: set[_Stream],
    ) -> None:
        super().__init__(response, request, manager, open_streams)
        self._using = threading.Lock()
        self._flight = FLIGHT.get()  # of the handshake: what follows needs the same permit
        self._bytes: socket.socket | TlsInTls = self.connection
        if response.status == SWITCHING_PROTOCOLS:
            self.connection.settimeout(0.0)  # a TimedSocket ignores `setblocking`
            early = _early(response)
            transport = _outermost(response)
            if transport is not self.connection:  # TLS within the TLS of a proxy
                self._bytes = TlsInTls(transport)
            self._chunks = self._received(early)

    def limit_silence(self, seconds: float) -> None:
        """Ignore the limit: a connection of another protocol may be silent."""

    def _received(self, early: bytes) -> Iterator[bytes]:
        if early:
            yield early
        while chunk := self._patiently(self._bytes.recv, _MAX_READ_BYTES):
            yield chunk

    def write(self, data: bytes, timeout: float | None = None) -> None:
        """Send bytes, and wait while the send buffer is full."""
        if self._flight is not None:
            self._flight.check()
        rest = memoryview(data)
        until = None if timeout is None else monotonic() + timeout
        try:
            while rest:
                rest = rest[self._patiently(self._bytes.send, rest, until) :]
        except OSError:
            why = self._why if self._broken else "the connection was lost"
            raise ConnectionLost(f"{self._request.info}: {why}") from None

    def _patiently(
        self, work: Callable[[Any], T], argument: object, until: float | None = None
    ) -> T:
        """Call a function of the socket. If the socket would block, wait, and call it again."""
        while True:
            try:
                with self._using:
                    return work(argument)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
                is_write = isinstance(error, ssl.SSLWantWriteError) or (
                    isinstance(error, BlockingIOError) and work == self._bytes.send
                )
            wait = wait_for_write if is_write else wait_for_read
            if not wait(self.connection, None if until is None else max(0.0, until - monotonic())):
                raise TimeoutError


def _early(response: BaseHTTPResponse) -> bytes:
    """Return the bytes that came with the response. http.client buffers up to 128 KiB."""
    try:
        return getattr(response, "_fp").fp.read1() or b""  # noqa: B009 - no public name
    except OSError:  # a TLS socket has no such bytes
        return b""


def _outermost(response: BaseHTTPResponse) -> Any:
    """Return the connection of a response, also if urllib3 has dropped the connection early.

    It is a socket, or for TLS within the TLS of a proxy urllib3's wrapper of the socket.
    """
    sock: Any = getattr(response.connection, "sock", None)
    if sock is None:
        sock = getattr(response, "_fp").fp.raw._sock  # noqa: B009 - there is no public name
    return sock


def _socket_of(response: BaseHTTPResponse) -> socket.socket:
    """Return the socket of a response."""
    outermost = _outermost(response)
    inner: socket.socket = getattr(outermost, "socket", outermost)
    return inner


def _pieces(response: BaseHTTPResponse) -> Iterator[bytes]:
    """Yield the decompressed pieces of a body as they arrive."""
    inflater = inflater_for(response.status, response.headers)
    if inflater is None:
        yield from _chunks(response)
        return
    for chunk in _chunks(response):
        yield from inflater.pieces(chunk)
    inflater.finish()


def _chunks(response: BaseHTTPResponse) -> Iterator[bytes]:
    """Yield pieces as they arrive. For unchunked bodies, `stream` would wait for a full buffer."""
    if getattr(response, "chunked", False):
        return iter(response.read_chunked(_MAX_CHUNK_BYTES, decode_content=False))
    return iter(lambda: response.read1(_MAX_CHUNK_BYTES, decode_content=False), b"")


def _read_off(response: BaseHTTPResponse) -> None:
    """Read and drop a small body, so that its connection can be used again."""
    remaining = _MAX_PROBE_BODY_BYTES
    while remaining > 0 and (chunk := response.read1(_MAX_CHUNK_BYTES, decode_content=False)):
        remaining -= len(chunk)
    if remaining <= 0:
        response.close()


def _headers(response: BaseHTTPResponse) -> Mapping[str, str]:
    # The lookup ignores case. The values of a repeated header are joined.
    return response.headers


def _new_manager(proxy: str | None, login: str, options: dict[str, Any]) -> PoolManager:
    if proxy is None:
        return PoolManager(num_pools=1, **options)
    if proxy.startswith("socks"):
        if find_spec("socks") is None:
            raise ConfigError("the proxy speaks SOCKS: install clientgen[socks] to use it")
        from urllib3.contrib.socks import SOCKSProxyManager

        # With socks5h, the proxy resolves names. client-go always does this.
        return SOCKSProxyManager(proxy.replace("socks5://", "socks5h://", 1), **options)
    headers = {"Proxy-Authorization": login} if login else None
    return ProxyManager(proxy, proxy_headers=headers, **options)


def _translated(
    error: Exception,
    request: HttpRequest,
    server: str,
    timeout: float | None,
    connect_timeout: float = CONNECT_TIMEOUT_SECONDS,
) -> TransportError:
    """Translate an error of the library. The message does not repeat the query of the URL."""
    info, cause = request.info, _cause(error)
    if isinstance(cause, (TimeoutError, ConnectTimeoutError, ReadTimeoutError)):
        return _timed_out(error, request, server, timeout, connect_timeout)
    if isinstance(error, (NewConnectionError, ProxyError)) or _is_refused_tls(cause):
        return ConnectionFailed(f"{info}: cannot connect to {server}: {_words(cause)}")
    if isinstance(cause, HTTPException) and not isinstance(
        cause, (RemoteDisconnected, IncompleteRead)
    ):
        return ResponseBroken(f"{info}: the answer is not HTTP: {_words(cause)}")
    if isinstance(error, (ProtocolError, SSLError, OSError)):
        return ConnectionLost(f"{info}: the connection was lost: {_words(cause)}")
    return ResponseBroken(f"{info}: the answer cannot be read: {_words(cause)}")


def _timed_out(
    error: Exception,
    request: HttpRequest,
    server: str,
    timeout: float | None,
    connect_timeout: float,
) -> TransportError:
    info = request.info
    if timeout is not None and (
        timeout < connect_timeout or not isinstance(error, ConnectTimeoutError)
    ):
        return RequestTimeout(f"{info}: no response before the timeout")
    if isinstance(error, ConnectTimeoutError):
        return ConnectionFailed(f"{info}: connecting to {server} took too long")
    return ConnectionLost(f"{info}: the connection was silent for too long")


def _cause(error: Exception) -> BaseException:
    """Return the error of the system or of http.client, the last argument of urllib3's error."""
    cause: BaseException = error
    while isinstance(cause, HTTPError):
        inner = cause.__cause__ or cause.__context__
        inner_error = next(
            (argument for argument in cause.args if isinstance(argument, BaseException)), None
        )
        if (inner_error or inner) is None:
            break
        cause = inner_error or inner  # type: ignore[assignment]
    return cause


def _is_refused_tls(cause: BaseException) -> bool:
    """Return whether TLS failed for another reason than a lost connection."""
    return isinstance(cause, ssl.SSLError) and not isinstance(
        cause, (ssl.SSLEOFError, ssl.SSLZeroReturnError)
    )


def _words(cause: BaseException) -> str:
    return one_line(getattr(cause, "strerror", None) or str(cause) or type(cause).__name__)
