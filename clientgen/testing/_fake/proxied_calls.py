"""HTTP requests to ports of fake containers, for `proxy`."""

from __future__ import annotations

import http.client
import socket
import threading
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Final

from msgspec import json

from .._apiserver.responses.answers import Deferred, Response
from .._apiserver.verbs.connect import PortRequest
from .._apiserver.verbs.proxy_subresource import unreachable
from .served_ports import PortConnection, serve
from .sessions import MAX_BUFFERED_BYTES, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen.runtime._clock import Clock

    from .._apiserver.responses.answers import Answer
    from .._apiserver.verbs.proxy_subresource import ProxyRequest
    from .served_ports import PortHandler

_TIMEOUT_SECONDS: Final = 30.0
_MAX_BODY_BYTES: Final = 64 << 20
_CHUNK_BYTES: Final = 1 << 16
_HOP_HEADERS: Final = frozenset({"connection", "content-length", "transfer-encoding", "keep-alive"})


class ProxiedCall:
    """A proxied request. A thread sends it, and wakes the client when the response is complete."""

    def __init__(self, request: ProxyRequest, handler: PortHandler, clock: Clock) -> None:
        self._request = request
        self._handler = handler
        self._clock = clock
        self._response: Response | None = None
        self._wakers: list[Callable[[], None]] = []

    def answer(self) -> Deferred:
        """Start the request."""
        threading.Thread(target=self._run, name="clientgen proxy", daemon=True).start()
        return self._deferred()

    def _deferred(self) -> Deferred:
        return Deferred(self._clock.monotonic() + _TIMEOUT_SECONDS, self._resume, self._on_ready)

    def _resume(self) -> Answer:
        return self._response or self._deferred()

    def _on_ready(self, wake: Callable[[], None]) -> None:
        self._wakers.append(wake)
        if self._response is not None:
            wake()

    def _run(self) -> None:
        try:
            self._response = self._exchange()
        except (OSError, http.client.HTTPException) as error:
            failure = unreachable(str(error) or type(error).__name__)
            self._response = Response(failure.code, json.encode(failure.status()) + b"\n")
        for wake in [*self._wakers]:
            wake()

    def _exchange(self) -> Response:
        """Send the request, and read the response.

        Raises:
            OSError: the port refuses the connection, or the response takes too long.
            HTTPException: the response is not HTTP.
        """
        request = self._request
        with closing(http.client.HTTPConnection(request.pod, request.port)) as connection:
            connection.sock = self._connect()
            with suppress(BrokenPipeError):  # a server may answer before it has read the whole body
                connection.request(
                    request.method, request.target, request.body or None, dict(request.headers)
                )
            response = connection.getresponse()
            body = response.read(_MAX_BODY_BYTES + 1)
            if len(body) > _MAX_BODY_BYTES:
                raise OSError(f"the response is larger than {_MAX_BODY_BYTES} bytes")
            kept = [pair for pair in response.getheaders() if pair[0].lower() not in _HOP_HEADERS]
            return Response(response.status, body, kept)

    def _connect(self) -> socket.socket:
        client_socket, server_socket = socket.socketpair()
        client_socket.settimeout(_TIMEOUT_SECONDS)
        _PortSession(self._request, self._handler, server_socket).begin()
        return client_socket


class _PortSession(Session):
    """A connection to a port of a container, over a socket pair."""

    def __init__(
        self, request: ProxyRequest, handler: PortHandler, server_socket: socket.socket
    ) -> None:
        super().__init__("")
        self._server_socket = server_socket
        self._handler = handler
        port_request = PortRequest(request.namespace, request.pod)
        self._connection = PortConnection(port_request, request.port, self, bytes)

    def begin(self) -> None:
        """Start the threads of the test's function and of its input."""
        for work in (self._serve, self._receive):
            threading.Thread(target=work, name="clientgen proxied port", daemon=True).start()

    def feed(self, message: bytes) -> None:
        """Receive bytes from the client."""
        self._connection.input.feed(message)

    @property
    def is_full(self) -> bool:
        """Whether the client must wait until the function has read more."""
        return self._connection.input.buffered_bytes > MAX_BUFFERED_BYTES

    def send(self, data: bytes) -> None:
        """Send bytes to the client.

        Raises:
            BrokenPipeError: the client has disconnected.
        """
        try:
            self._server_socket.sendall(data)
        except OSError:
            raise BrokenPipeError("the client has disconnected") from None

    def _serve(self) -> None:
        serve(self._handler, self._connection)
        with suppress(OSError):
            self._server_socket.shutdown(socket.SHUT_RDWR)

    def _receive(self) -> None:
        with suppress(OSError):
            while data := self._server_socket.recv(_CHUNK_BYTES):
                self.feed(data)
        self.close()
        self._connection.input.end()
        self._server_socket.close()
