# Derived from _async/requests/retry_link.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The first link: retries requests, and raises the errors of responses."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from ..._http.request import HttpRequest, HttpResponse
from ..._http.response import error_from, retry_after
from ..._http.retry import Retry, annotate
from ..._http.status_codes import FIRST_REDIRECT
from ...errors import TransportError
from .._primitives import call_later
from .permitted_pause import pause

if TYPE_CHECKING:
    from ..._http.codec import Codec
    from ..._http.request_deadlines import RequestDeadlines
    from ..transport_protocol import ByteStream
    from .request_link import RequestLink, StreamOpening

# The part of the body that is read for an error message, if the server refuses a stream.
_MAX_ERROR_BODY_BYTES = 65536
_ERROR_BODY_TIMEOUT_SECONDS = 10.0


class RetryLink:
    """Sends a request until a response is final, and raises the error of a failed response.

    For the other links, each attempt is a separate request.
    """

    def __init__(
        self,
        next_link: RequestLink,
        codec: Codec,
        max_retries: int,
        deadlines: RequestDeadlines,
    ) -> None:
        self.next = next_link
        self._codec = codec
        self._max_retries = max_retries
        self._deadlines = deadlines

    def send(
        self, request: HttpRequest, deadline: float | None, max_retries: int | None = None
    ) -> HttpResponse:
        """Send a request, and return the successful response.

        Raises:
            ApiError: The server responded with an error.
            TransportError: There was no complete response before the deadline.
        """
        retry: Retry | None = None
        before: Exception | None = None
        while True:
            error: Exception
            try:
                response = self.next.send(request, deadline)
            except TransportError as problem:
                retry = retry or self._new_retry(request, deadline, max_retries)
                delay, error = retry.after_error(problem, monotonic()), problem
            else:
                if response.status < FIRST_REDIRECT:
                    return response
                retry = retry or self._new_retry(request, deadline, max_retries)
                wait_asked = retry_after(response.headers)
                delay = retry.after_response(response.status, wait_asked, monotonic())
                error = error_from(request, response, self._codec)
            if delay is None:
                raise annotate(error, retry.count, before)
            before = error
            pause(request, delay)
            request = _next_attempt(request)

    def stream(
        self,
        request: HttpRequest,
        deadline: float | None,
        opening: StreamOpening,
        max_retries: int | None = None,
    ) -> ByteStream:
        """Open a stream, and return it when the server accepts. Does not retry lost connections.

        Raises:
            ApiError: The server responded with an error.
            TransportError: There were no headers of a response before the deadline.
        """
        retry = self._new_retry(request, deadline, max_retries)
        while True:
            stream = self.next.stream(request, deadline, opening)
            if stream.status < FIRST_REDIRECT:
                return stream
            body = _read_error_body(stream, self._deadlines.real_deadline(deadline))
            response = HttpResponse(stream.status, stream.headers, body)
            delay = retry.after_response(stream.status, retry_after(stream.headers), monotonic())
            if delay is None:
                raise annotate(error_from(request, response, self._codec), retry.count, None)
            pause(request, delay)
            request = _next_attempt(request)

    def _new_retry(
        self, request: HttpRequest, deadline: float | None, max_retries: int | None
    ) -> Retry:
        retries = self._max_retries if max_retries is None else max_retries
        return Retry(request.method, retries, self._deadlines.real_deadline(deadline))


def _next_attempt(request: HttpRequest) -> HttpRequest:
    """Return the request of the next attempt."""
    return HttpRequest(
        request.method, request.target, request.headers, request.body, request.attempt + 1
    )


def _read_error_body(stream: ByteStream, deadline: float | None) -> bytes:
    """Read the part of an error body that arrives in time, and close the stream."""
    body = b""
    remaining = _ERROR_BODY_TIMEOUT_SECONDS
    if deadline is not None:  # the caller must get the server's error before the deadline
        remaining = min(remaining, max(0.0, deadline - monotonic()) / 2)
    cancel_alarm = call_later(remaining, stream.abort)
    try:
        while len(body) < _MAX_ERROR_BODY_BYTES and (chunk := stream.read()):
            body += chunk
    except TransportError:
        pass  # the status is enough for the error
    finally:
        cancel_alarm()
        stream.close()
    return body
