# Derived from _async/requests/request_link.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The links of the chain that requests pass, like round trippers of client-go."""

# ruff: noqa: ASYNC109 - transports limit the time

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from ..._http.request import HttpRequest, HttpResponse
    from ..transport_protocol import ByteStream, ConnectingTransport, Transport


class RequestLink(Protocol):
    """Sends requests through the next link.

    Each client has its own links. A link holds no state of a single request, because many requests
    pass it at the same time.
    """

    def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request and return the complete response, whatever its status.

        Raises:
            TransportError: There was no complete response before the deadline.
        """
        ...

    def stream(
        self, request: HttpRequest, deadline: float | None, opening: StreamOpening
    ) -> ByteStream:
        """Send a request and return the response as a stream, whatever its status.

        Raises:
            TransportError: There were no headers of a response before the deadline.
        """
        ...


class PassThrough:
    """The base of links. It passes requests and streams to the next link as they are.

    Attributes:
        next: The next link; `linked` sets it.
    """

    next: RequestLink

    def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Pass on a request."""
        return self.next.send(request, deadline)

    def stream(
        self, request: HttpRequest, deadline: float | None, opening: StreamOpening
    ) -> ByteStream:
        """Pass on a request for a stream."""
        return self.next.stream(request, deadline, opening)


class StreamOpening:
    """Opens one kind of stream, with the properties of the stream that the links need.

    A new kind of stream is a subclass with its own `open`.

    Attributes:
        is_watch: Whether the stream is a watch, whose headers a server sends at once.
        can_resume: Whether the reader can continue with another stream without a loss.
        is_rate_limited: Whether the rate limit of the client applies.
        changes: Whether the stream may change something although its method is GET, like a command.
        is_relayed: Whether another program responds through the API server, so that any status is
            returned.
    """

    is_watch = False
    can_resume = False
    is_rate_limited = False
    changes = False
    is_relayed = False

    def open(self, transport: Transport, request: HttpRequest, timeout: float | None) -> ByteStream:
        """Open the stream.

        Raises:
            TransportError: There were no headers of a response in time.
        """
        raise NotImplementedError


class BodyOpening(StreamOpening):
    """The body of a response: a watch, or a log."""

    def __init__(
        self,
        read_timeout: float | None = None,
        *,
        is_watch: bool = False,
        can_resume: bool = False,
        is_relayed: bool = False,
    ) -> None:
        self._read_timeout = read_timeout
        self.is_watch = is_watch
        self.can_resume = can_resume
        self.is_relayed = is_relayed
        # As in client-go, watches are not limited: a watch is one request for a long time.
        self.is_rate_limited = not is_watch

    def open(self, transport: Transport, request: HttpRequest, timeout: float | None) -> ByteStream:
        """Send the request, and return the stream of the body."""
        return transport.stream(request, timeout, self._read_timeout)


class WebSocketOpening(StreamOpening):
    """A connection that is switched to the WebSocket protocol, for a command or a port."""

    changes = True

    def open(self, transport: Transport, request: HttpRequest, timeout: float | None) -> ByteStream:
        """Send the request for the handshake.

        Raises:
            NotImplementedError: The transport opens no WebSockets.
        """
        if not hasattr(transport, "connect"):
            raise NotImplementedError(f"{type(transport).__name__} opens no WebSockets")
        return cast("ConnectingTransport", transport).connect(request, timeout)


def linked(*links: PassThrough, last: RequestLink) -> RequestLink:
    """Link links in the order in which requests pass them. Returns the first link."""
    first = last
    for link in reversed(links):
        link.next, first = first, link
    return first
