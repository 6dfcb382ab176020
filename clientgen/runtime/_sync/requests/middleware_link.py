# Derived from _async/requests/middleware_link.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
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
from .request_link import PassThrough

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._http.request import HttpResponse
    from ..transport_protocol import ByteStream
    from .request_link import StreamOpening


class Send(Protocol):
    """Sends a request through the next middleware, and in the end to the server."""

    def __call__(self, request: HttpRequest, /) -> HttpResponse:
        """Send a request, and return the response, whatever its status.

        The `body` of a stream's response is empty: the caller of the stream reads it.

        Raises:
            TransportError: There was no complete response before the deadline of the call.
        """
        ...


class Middleware(Protocol):
    """A function around each attempt of a request, and around the opening of each stream.

    Options of clients take a list: `middleware=[audit]`. The first function is the outermost.
    """

    def __call__(self, request: HttpRequest, send: Send, /) -> HttpResponse:
        """Return the response of a request.

        `send(request)` gets it. A function may pass on another request, send several times, and
        return another response, or raise an exception to refuse the request. Requests have no
        credentials yet.
        """
        ...


def middleware_links(middleware: object) -> Iterator[MiddlewareLink]:
    """Yield a link for each function of the option `middleware`.

    Raises:
        TypeError: The option is not a list of functions of this flavour.
    """
    for function in check_middleware(middleware):
        check_callback(name_of(function), function)
        yield MiddlewareLink(cast("Middleware", function))


class MiddlewareLink(PassThrough):
    """Calls one middleware for each attempt of a request, and for each stream that is opened.

    The function gets a copy of the request, so that a change of it ends with the attempt.
    """

    def __init__(self, middleware: Middleware) -> None:
        self._middleware = middleware

    def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Call the middleware, which sends the request.

        Raises:
            TypeError: The middleware returned no response.
        """

        def send(passed: HttpRequest) -> HttpResponse:
            return self.next.send(checked_request(passed, self._middleware), deadline)

        return self._response(request, send)

    def stream(
        self, request: HttpRequest, deadline: float | None, opening: StreamOpening
    ) -> ByteStream:
        """Call the middleware, which opens the stream. The streams it does not return are closed.

        Raises:
            TypeError: The middleware returned no response.
        """
        attempts = _AsyncStreamAttempts(self, self._middleware, deadline, opening)
        try:
            response = self._response(request, attempts.send)
        except BaseException:
            attempts.end()
            raise
        if not isinstance(response, StreamedResponse):
            attempts.end()
            return _AsyncGivenStream(response)
        stream = cast("ByteStream", response.stream)
        attempts.end(but=stream)
        return stream

    def _response(self, request: HttpRequest, send: Send) -> HttpResponse:
        copy = HttpRequest(
            request.method, request.target, request.headers, request.body, request.attempt
        )
        response = awaited(name_of(self._middleware), self._middleware(copy, send))
        return checked_response(response, self._middleware)


class _AsyncStreamAttempts:
    """Opens streams for one call of a middleware, and closes those that nobody will read."""

    def __init__(
        self,
        link: PassThrough,
        middleware: object,
        deadline: float | None,
        opening: StreamOpening,
    ) -> None:
        self._link = link
        self._middleware = middleware
        self._deadline = deadline
        self._opening = opening
        self._streams: list[ByteStream] = []
        self._is_over = False

    def send(self, request: HttpRequest) -> HttpResponse:
        """Open a stream."""
        passed = checked_request(request, self._middleware)
        self._check_open()
        stream = self._link.next.stream(passed, self._deadline, self._opening)
        try:
            self._check_open()
        except RuntimeError:
            stream.close()
            raise
        self._streams.append(stream)
        return StreamedResponse(stream.status, stream.headers, b"", stream)

    def _check_open(self) -> None:
        if self._is_over:
            raise RuntimeError(f"{name_of(self._middleware)} opened a stream after it had returned")

    def end(self, but: ByteStream | None = None) -> None:
        """Close the streams but one, and refuse further ones."""
        self._is_over = True
        for stream in self._streams:
            if stream is not but:
                stream.close()


class _AsyncGivenStream:
    """The response that a middleware made up, as a stream."""

    def __init__(self, response: HttpResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self._rest = response.body

    def read(self) -> bytes:
        """Return the body; empty at the end."""
        body, self._rest = self._rest, b""
        return body

    def write(self, data: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Drop the bytes: nobody receives them."""

    def abort(self) -> None:
        """End the body."""
        self._rest = b""

    def limit_silence(self, seconds: float) -> None:
        """Do nothing: the body is there."""

    def close(self) -> None:
        """End the body."""
        self._rest = b""
