"""HTTP requests to the ports of containers, for `proxy`."""

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
from .served_ports import PortConnection, served
from .sessions import MOST_WAITING, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen.runtime._clock import Clock

    from .._apiserver.responses.answers import Answer
    from .._apiserver.verbs.proxy_subresource import ProxyRequest
    from .served_ports import PortHandler

__all__ = ["ProxiedCall"]

_SECONDS: Final = 30.0
_MOST_BODY: Final = 64 << 20
_PIECE: Final = 1 << 16
_OF_CONNECTION: Final = frozenset(
    {"connection", "content-length", "transfer-encoding", "keep-alive"}
)


class ProxiedCall:
    """One request. A thread makes it, and wakes the client's when there is the whole response."""

    def __init__(self, request: ProxyRequest, handler: PortHandler, clock: Clock) -> None:
        self._request = request
        self._handler = handler
        self._clock = clock
        self._response: Response | None = None
        self._wakers: list[Callable[[], None]] = []

    def answer(self) -> Deferred:
        """Begin."""
        threading.Thread(target=self._run, name="clientgen proxy", daemon=True).start()
        return self._deferred()

    def _deferred(self) -> Deferred:
        return Deferred(self._clock.monotonic() + _SECONDS, self._resume, self._on_ready)

    def _resume(self) -> Answer:
        return self._response or self._deferred()

    def _on_ready(self, wake: Callable[[], None]) -> None:
        self._wakers.append(wake)
        if self._response is not None:
            wake()

    def _run(self) -> None:
        try:
            self._response = self._ask()
        except (OSError, http.client.HTTPException) as error:
            failure = unreachable(str(error) or type(error).__name__)
            self._response = Response(failure.code, json.encode(failure.status()) + b"\n")
        for wake in [*self._wakers]:
            wake()

    def _ask(self) -> Response:
        """Make the request.

        Raises:
            OSError: Nobody listens, or the response does not come in time.
            HTTPException: The response is not HTTP.
        """
        request = self._request
        with closing(http.client.HTTPConnection(request.pod, request.port)) as connection:
            connection.sock = self._dialled()
            with suppress(BrokenPipeError):  # it may answer before it has read everything
                connection.request(
                    request.method, request.target, request.body or None, dict(request.headers)
                )
            response = connection.getresponse()
            body = response.read(_MOST_BODY + 1)
            if len(body) > _MOST_BODY:
                raise OSError(f"the response is larger than {_MOST_BODY} bytes")
            kept = [pair for pair in response.getheaders() if pair[0].lower() not in _OF_CONNECTION]
            return Response(response.status, body, kept)

    def _dialled(self) -> socket.socket:
        ours, its = socket.socketpair()
        ours.settimeout(_SECONDS)
        _Dialled(self._request, self._handler, its).begin()
        return ours


class _Dialled(Session):
    """A connection to a port of a container, over a pair of sockets."""

    def __init__(self, request: ProxyRequest, handler: PortHandler, its: socket.socket) -> None:
        super().__init__("")
        self._its = its
        self._handler = handler
        asked = PortRequest(request.namespace, request.pod)
        self._connection = PortConnection(asked, request.port, self, bytes)

    def begin(self) -> None:
        """Start the function, and what reads for it."""
        for work in (self._serve, self._receive):
            threading.Thread(target=work, name="clientgen proxied port", daemon=True).start()

    def feed(self, message: bytes) -> None:
        """Take bytes from the client."""
        self._connection.input.feed(message)

    @property
    def is_full(self) -> bool:
        """Whether the function has much to read."""
        return self._connection.input.waiting > MOST_WAITING

    def send(self, data: bytes) -> None:
        """Send bytes to the client.

        Raises:
            BrokenPipeError: The client is gone.
        """
        try:
            self._its.sendall(data)
        except OSError:
            raise BrokenPipeError("the client is gone") from None

    def _serve(self) -> None:
        served(self._handler, self._connection)
        with suppress(OSError):
            self._its.shutdown(socket.SHUT_RDWR)

    def _receive(self) -> None:
        with suppress(OSError):
            while data := self._its.recv(_PIECE):
                self.feed(data)
        self.close()
        self._connection.input.end()
        self._its.close()
