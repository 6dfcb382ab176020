"""A link of the chain that requests pass: like a round tripper of client-go."""

# ruff: noqa: ASYNC109 - a transport is told how long it has

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from ..._http.request import HttpRequest, HttpResponse
    from ..transport_protocol import AsyncByteStream, AsyncConnectingTransport, AsyncTransport

__all__ = [
    "AsyncBodyOpening",
    "AsyncPassThrough",
    "AsyncRequestLink",
    "AsyncStreamOpening",
    "AsyncWebSocketOpening",
    "linked",
]


class AsyncRequestLink(Protocol):
    """Sends requests, by way of the next link.

    A link has one job. It is made once for each client, and holds nothing of a single request:
    many requests pass it at the same time.
    """

    async def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request and return the complete response, whatever its status.

        Raises:
            TransportError: There was no complete response before the deadline.
        """
        ...

    async def stream(
        self, request: HttpRequest, deadline: float | None, opening: AsyncStreamOpening
    ) -> AsyncByteStream:
        """Send a request and return the response as a stream, whatever its status.

        Raises:
            TransportError: There were no headers of a response before the deadline.
        """
        ...


class AsyncPassThrough:
    """The base of links. It passes requests and streams to the next link as they are.

    Attributes:
        next: The next link; `linked` sets it.
    """

    next: AsyncRequestLink

    async def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Pass a request on."""
        return await self.next.send(request, deadline)

    async def stream(
        self, request: HttpRequest, deadline: float | None, opening: AsyncStreamOpening
    ) -> AsyncByteStream:
        """Pass a request for a stream on."""
        return await self.next.stream(request, deadline, opening)


class AsyncStreamOpening:
    """How a transport opens one kind of stream, and what the links have to know of the stream.

    A new kind of stream is a class with an `open` of its own.

    Attributes:
        is_watch: Whether the stream is a watch. A server sends its headers at once.
        can_resume: Whether the reader can go on over another stream without a loss.
        is_rate_limited: Whether the rate limit of the client applies.
        changes: Whether the stream changes something though its method reads, as a command does.
        is_relayed: Whether the response is returned whatever its status, and is not the API
            server's own.
    """

    is_watch = False
    can_resume = False
    is_rate_limited = False
    changes = False
    is_relayed = False

    async def open(
        self, transport: AsyncTransport, request: HttpRequest, timeout: float | None
    ) -> AsyncByteStream:
        """Open the stream.

        Raises:
            TransportError: There were no headers of a response in time.
        """
        raise NotImplementedError


class AsyncBodyOpening(AsyncStreamOpening):
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
        # As in client-go: a watch is one request for a long time.
        self.is_rate_limited = not is_watch

    async def open(
        self, transport: AsyncTransport, request: HttpRequest, timeout: float | None
    ) -> AsyncByteStream:
        """Send the request, and return the stream of the body."""
        return await transport.stream(request, timeout, self._read_timeout)


class AsyncWebSocketOpening(AsyncStreamOpening):
    """A connection that is switched to WebSockets: a command, or a port."""

    changes = True

    async def open(
        self, transport: AsyncTransport, request: HttpRequest, timeout: float | None
    ) -> AsyncByteStream:
        """Send the request for the handshake.

        Raises:
            NotImplementedError: The transport opens no WebSockets.
        """
        if not hasattr(transport, "connect"):
            raise NotImplementedError(f"{type(transport).__name__} opens no WebSockets")
        return await cast("AsyncConnectingTransport", transport).connect(request, timeout)


def linked(*links: AsyncPassThrough, last: AsyncRequestLink) -> AsyncRequestLink:
    """Make a chain of links, in the order in which requests pass them. Returns the first."""
    first = last
    for link in reversed(links):
        link.next, first = first, link
    return first
