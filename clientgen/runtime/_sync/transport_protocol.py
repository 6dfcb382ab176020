# Derived from _async/transport_protocol.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The seam below the REST client: whatever carries requests to an API server.

`transport` carries them over the network; a server within the process can take its place. Bodies
are bytes here: their format is the business of the codec (`_http.codec`) that a Rest holds beside
its transport.

An answer is whole (`send`) or a stream (`stream`). An upgraded connection, a WebSocket say, is a
third kind: a stream that can also be written to. It takes a subclass of `ByteStream` with what
is sent, a method of the transport that returns one, and a method of the Rest like its `stream`,
which passes that method to `_accepted`. Refusals, which are a status of 300 and more and a body to
`read`, credentials, their renewal after a 401, warnings and retries are dealt with there, for
streams of any kind.
"""

# The timeouts are part of the seam; a transport is told how long it has.
# ruff: noqa: ASYNC109

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._http.request import HttpRequest, HttpResponse

__all__ = ["ByteStream", "Transport"]


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
