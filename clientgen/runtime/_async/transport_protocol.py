"""The seam below the REST client: whatever carries requests to an API server.

`transport` carries them over the network; a server within the process can take its place. Bodies
are bytes here: their format is the business of the codec (`_http.codec`) that a Rest holds beside
its transport.

An answer is whole (`send`), a stream (`stream`), or a connection that was switched to another
protocol (`connect`): a stream that can also be written to. `AsyncRest._accepted` deals with what
all streams share: refusals, which are a status of 300 and more and a body to `read`, credentials
and their renewal after a 401, warnings and retries.
"""

# The timeouts are part of the seam; a transport is told how long it has.
# ruff: noqa: ASYNC109

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._http.request import HttpRequest, HttpResponse

__all__ = ["AsyncByteStream", "AsyncConnectingTransport", "AsyncDuplexStream", "AsyncTransport"]


class AsyncByteStream(Protocol):
    """An answer whose body comes piece by piece."""

    status: int
    headers: Mapping[str, str]

    async def read(self) -> bytes:
        """The next bytes as they arrive; empty at the end, and after `abort`.

        Raises:
            ConnectionLost: the connection broke, or was silent for longer than the read timeout.
        """
        ...

    def abort(self) -> None:
        """Make `read` give up at once, from any other task or thread; it never waits."""
        ...

    async def aclose(self) -> None:
        """Let go of the connection."""
        ...


class AsyncDuplexStream(AsyncByteStream, Protocol):
    """A connection that carries another protocol after an answer 101: bytes in both directions.

    After any other status it is an ordinary answer, to be read.
    """

    async def write(self, data: bytes, timeout: float | None = None) -> None:
        """Send bytes, and wait while the other side does not take them.

        With a timeout, it waits until nothing is left to send, for so many seconds at most. One
        caller writes at a time; another one may read meanwhile.

        Raises:
            ConnectionLost: the connection broke, was given up, or did not take them in time.
        """
        ...


class AsyncTransport(Protocol):
    """Carries requests; targets are below the server's base URL, headers are complete.

    Timeouts are in seconds and cover the whole exchange, for streams the time until the headers
    are here. `read_timeout` is how long a stream may be silent.
    """

    async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        """Exchange a request for a whole answer, whatever its status.

        Raises:
            TransportError: there was no whole answer, or not in time.
        """
        ...

    async def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> AsyncByteStream:
        """Exchange a request for the headers of an answer, whatever its status.

        Raises:
            TransportError: there was no answer, or not in time.
        """
        ...

    async def aclose(self) -> None:
        """Close all connections; streams end."""
        ...


class AsyncConnectingTransport(AsyncTransport, Protocol):
    """A transport that can also switch to another protocol; one that cannot opens no streams."""

    async def connect(self, request: HttpRequest, timeout: float | None) -> AsyncDuplexStream:
        """Ask for another protocol over a new connection; the request has the headers for it.

        Raises:
            TransportError: there was no answer, or not in time.
        """
        ...
