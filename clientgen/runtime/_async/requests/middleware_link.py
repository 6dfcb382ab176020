"""Calls the middleware of a program: functions around each request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from ..._http.middleware import (
    StreamedResponse,
    check_middleware,
    checked_request,
    checked_response,
    name_of,
)
from ..._http.request import HttpRequest
from .._primitives import awaited, check_callback
from .request_link import AsyncPassThrough

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._http.request import HttpResponse
    from ..transport_protocol import AsyncByteStream
    from .request_link import AsyncStreamOpening


class AsyncSend(Protocol):
    """Sends a request through the next middleware, and in the end to the server."""

    async def __call__(self, request: HttpRequest, /) -> HttpResponse:
        """Send a request, and return the response, whatever its status.

        The `body` of a stream's response is empty: the caller of the stream reads it.

        Raises:
            TransportError: There was no complete response before the deadline of the call.
        """
        ...


class AsyncMiddleware(Protocol):
    """A function around each attempt of a request, and around the opening of each stream.

    Options of clients take a list: `middleware=[audit]`. The first function is the outermost.
    """

    async def __call__(self, request: HttpRequest, send: AsyncSend, /) -> HttpResponse:
        """Return the response of a request.

        `send(request)` gets it. A function may pass on another request, send several times, and
        return another response, or raise an exception to refuse the request. Requests have no
        credentials yet.
        """
        ...


def middleware_links(middleware: object) -> Iterator[AsyncMiddlewareLink]:
    """Yield a link for each function of the option `middleware`.

    Raises:
        TypeError: The option is not a list of functions of this flavour.
    """
    for function in check_middleware(middleware):
        check_callback(name_of(function), function)
        yield AsyncMiddlewareLink(cast("AsyncMiddleware", function))


class AsyncMiddlewareLink(AsyncPassThrough):
    """Calls one middleware for each attempt of a request, and for each stream that is opened.

    The function gets a copy of the request, so that a change of it ends with the attempt.
    """

    def __init__(self, middleware: AsyncMiddleware) -> None:
        self._middleware = middleware

    async def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Call the middleware, which sends the request.

        Raises:
            TypeError: The middleware returned no response.
        """

        async def send(passed: HttpRequest) -> HttpResponse:
            return await self.next.send(checked_request(passed, self._middleware), deadline)

        return await self._response(request, send)

    async def stream(
        self, request: HttpRequest, deadline: float | None, opening: AsyncStreamOpening
    ) -> AsyncByteStream:
        """Call the middleware, which opens the stream. The streams it does not return are closed.

        Raises:
            TypeError: The middleware returned no response.
        """
        attempts = _AsyncStreamAttempts(self, self._middleware, deadline, opening)
        try:
            response = await self._response(request, attempts.send)
        except BaseException:
            await attempts.end()
            raise
        if not isinstance(response, StreamedResponse):
            await attempts.end()
            return _AsyncGivenStream(response)
        stream = cast("AsyncByteStream", response.stream)
        await attempts.end(but=stream)
        return stream

    async def _response(self, request: HttpRequest, send: AsyncSend) -> HttpResponse:
        copy = HttpRequest(
            request.method, request.target, request.headers, request.body, request.attempt
        )
        response = await awaited(name_of(self._middleware), self._middleware(copy, send))
        return checked_response(response, self._middleware)


class _AsyncStreamAttempts:
    """Opens streams for one call of a middleware, and closes those that nobody will read."""

    def __init__(
        self,
        link: AsyncPassThrough,
        middleware: object,
        deadline: float | None,
        opening: AsyncStreamOpening,
    ) -> None:
        self._link = link
        self._middleware = middleware
        self._deadline = deadline
        self._opening = opening
        self._streams: list[AsyncByteStream] = []
        self._is_over = False

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Open a stream."""
        passed = checked_request(request, self._middleware)
        self._check_open()
        stream = await self._link.next.stream(passed, self._deadline, self._opening)
        try:
            self._check_open()
        except RuntimeError:
            await stream.aclose()
            raise
        self._streams.append(stream)
        return StreamedResponse(stream.status, stream.headers, b"", stream)

    def _check_open(self) -> None:
        if self._is_over:
            raise RuntimeError(f"{name_of(self._middleware)} opened a stream after it had returned")

    async def end(self, but: AsyncByteStream | None = None) -> None:
        """Close the streams but one, and refuse further ones."""
        self._is_over = True
        for stream in self._streams:
            if stream is not but:
                await stream.aclose()


class _AsyncGivenStream:
    """The response that a middleware made up, as a stream."""

    def __init__(self, response: HttpResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self._rest = response.body

    async def read(self) -> bytes:
        """Return the body; empty at the end."""
        body, self._rest = self._rest, b""
        return body

    async def write(self, data: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Drop the bytes: nobody receives them."""

    def abort(self) -> None:
        """End the body."""
        self._rest = b""

    def limit_silence(self, seconds: float) -> None:
        """Do nothing: the body is there."""

    async def aclose(self) -> None:
        """End the body."""
        self._rest = b""
