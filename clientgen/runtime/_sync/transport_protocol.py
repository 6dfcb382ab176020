# Derived from _async/transport_protocol.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The seam below the REST client: whatever carries requests to an API server.

`transport` carries them over the network; a server within the process can take its place. Bodies
are bytes here: their format is the business of the codec (`_http.codec`) that a Rest holds beside
its transport.

An answer is whole (`send`), a stream (`stream`), or a connection that was switched to another
protocol (`connect`): a stream that can also be written to. `Rest._accepted` deals with what
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

__all__ = ["ByteStream", "ConnectingTransport", "DuplexStream", "Transport"]


class ByteStream(Protocol):
    """An answer whose body comes piece by piece."""

    status: int
    headers: Mapping[str, str]

    def read(self) -> bytes:
        """The next bytes as they arrive; empty at the end, and after `abort`.

        Raises:
            ConnectionLost: the connection broke, or was silent for longer than the read timeout.
        """
        ...

    def abort(self) -> None:
        """Make `read` give up at once, from any other task or thread; it never waits."""
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...


class DuplexStream(ByteStream, Protocol):
    """A connection that carries another protocol after an answer 101: bytes in both directions.

    After any other status it is an ordinary answer, to be read.
    """

    def write(self, data: bytes, timeout: float | None = None) -> None:
        """Send bytes, and wait while the other side does not take them.

        With a timeout, it waits until nothing is left to send, for so many seconds at most. One
        caller writes at a time; another one may read meanwhile.

        Raises:
            ConnectionLost: the connection broke, was given up, or did not take them in time.
        """
        ...


class Transport(Protocol):
    """Carries requests; targets are below the server's base URL, headers are complete.

    Timeouts are in seconds and cover the whole exchange, for streams the time until the headers
    are here. `read_timeout` is how long a stream may be silent.
    """

    def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        """Exchange a request for a whole answer, whatever its status.

        Raises:
            TransportError: there was no whole answer, or not in time.
        """
        ...

    def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> ByteStream:
        """Exchange a request for the headers of an answer, whatever its status.

        Raises:
            TransportError: there was no answer, or not in time.
        """
        ...

    def close(self) -> None:
        """Close all connections; streams end."""
        ...


class ConnectingTransport(Transport, Protocol):
    """A transport that can also switch to another protocol; one that cannot opens no streams."""

    def connect(self, request: HttpRequest, timeout: float | None) -> DuplexStream:
        """Ask for another protocol over a new connection; the request has the headers for it.

        Raises:
            TransportError: there was no answer, or not in time.
        """
        ...
