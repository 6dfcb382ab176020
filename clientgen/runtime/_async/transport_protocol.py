"""Transports send requests to an API server, below the chain of `requests`.

`transport` uses the network. Tests use a transport to a server in the same process.
Bodies are bytes here: the codec (`_http.codec`) of the client knows their format.

A response is complete (`send`), a stream (`stream`), or a connection that was switched to another
protocol (`connect`): a stream that can also be written to. A transport returns every response,
whatever its status. The links of the chain handle credentials, warnings, errors and retries.
"""

# Timeouts are parameters of the protocol.
# ruff: noqa: ASYNC109

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._http.request import HttpRequest, HttpResponse


class AsyncByteStream(Protocol):
    """A response whose body is read while it arrives."""

    status: int
    headers: Mapping[str, str]

    async def read(self) -> bytes:
        """Return the next bytes as they arrive; empty at the end, and after `abort`.

        Raises:
            ConnectionLost: The connection broke, or no data arrived within the read timeout.
        """
        ...

    def abort(self) -> None:
        """Make `read` return at once, from any other task or thread. This never waits."""
        ...

    async def aclose(self) -> None:
        """Close the connection."""
        ...


class AsyncDuplexStream(AsyncByteStream, Protocol):
    """A connection that carries another protocol after a response 101: bytes in both directions.

    After any other status, it is an ordinary response.
    """

    async def write(self, data: bytes, timeout: float | None = None) -> None:
        """Send bytes, and wait while the send buffer is full.

        With a timeout, wait until the buffer is empty, for at most this many seconds. Only one
        caller may write at a time. Another caller may read meanwhile.

        Raises:
            ConnectionLost: The connection broke or was closed, or the bytes were not sent in time.
        """
        ...


class AsyncTransport(Protocol):
    """Sends requests.

    Targets are relative to the server's base URL, and headers are complete. Timeouts are in
    seconds: for `send` until the response is complete, otherwise until the headers have arrived.
    `read_timeout` limits how long a stream may be without data.
    """

    async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        """Send a request and return the complete response, whatever its status.

        Raises:
            TransportError: There was no complete response in time.
        """
        ...

    async def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> AsyncByteStream:
        """Send a request and return the response as a stream, whatever its status.

        Raises:
            TransportError: There were no headers of a response in time.
        """
        ...

    async def aclose(self) -> None:
        """Close all connections; streams end."""
        ...


class AsyncConnectingTransport(AsyncTransport, Protocol):
    """A transport that can also switch to another protocol, for commands and ports of pods."""

    async def connect(self, request: HttpRequest, timeout: float | None) -> AsyncDuplexStream:
        """Switch a new connection to the protocol that the headers of the request name.

        Raises:
            TransportError: There were no headers of a response in time.
        """
        ...
