# Derived from _async/requests/metrics_link.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Tells observers and metrics about each attempt to send a request."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

from ...errors import TransportError
from .._primitives import short_lock
from .request_link import PassThrough

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._http.request import HttpRequest, HttpResponse
    from ..._http.request_metrics import RequestMetrics
    from ..transport_protocol import ByteStream
    from .request_link import StreamOpening

    ResponseObserver: TypeAlias = Callable[[str, str, str], object]
    """A function that gets the host, the method and the status code of an attempt."""

_NO_RESPONSE = "<error>"  # as in Go's metrics


class MetricsLink(PassThrough):
    """Tells an observer and any number of metrics about each attempt.

    Args:
        server: The URL of the server.

    Attributes:
        host: The host and port of the server.
        on_response: The observer of the program; None if there is none.
    """

    def __init__(self, server: str) -> None:
        self.host = server.rpartition("//")[2].partition("/")[0]
        self.on_response: ResponseObserver | None = None
        self._lock = short_lock()
        self._added: list[RequestMetrics] = []
        self._metrics: tuple[RequestMetrics, ...] = ()

    def add(self, metrics: RequestMetrics) -> None:
        """Tell metrics about each attempt. Metrics that are added twice are told once."""
        with self._lock:
            self._added.append(metrics)
            self._update()

    def remove(self, metrics: RequestMetrics) -> None:
        """Undo one `add`, if there was one."""
        with self._lock:
            if metrics in self._added:
                self._added.remove(metrics)
                self._update()

    def _update(self) -> None:
        told: list[RequestMetrics] = []
        for metrics in self._added:
            if metrics not in told:
                told.append(metrics)
        self._metrics = tuple(told)

    def note_delay(self, request: HttpRequest, seconds: float) -> None:
        """Tell metrics how long the rate limit delayed a request."""
        for metrics in self._metrics:
            metrics.rate_limited(self.host, request.method, seconds)

    def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request, and tell what came of it."""
        start = perf_counter() if self._metrics else None
        try:
            response = self.next.send(request, deadline)
        except TransportError:
            self._note(request, _NO_RESPONSE, start)
            raise
        if start is not None or self.on_response is not None:
            self._note(request, str(response.status), start, len(response.body))
        return response

    def stream(
        self, request: HttpRequest, deadline: float | None, opening: StreamOpening
    ) -> ByteStream:
        """Open a stream, and tell what came of it."""
        start = perf_counter() if self._metrics else None
        try:
            stream = self.next.stream(request, deadline, opening)
        except TransportError:
            self._note(request, _NO_RESPONSE, start)
            raise
        self._note(request, str(stream.status), start)
        return stream

    def _note(
        self, request: HttpRequest, code: str, start: float | None, size: int | None = None
    ) -> None:
        if self.on_response is not None:
            self.on_response(self.host, request.method, code)
        if start is None:  # there were no metrics when the attempt began
            return
        from ..._http.request_metrics import RequestAttempt  # imported late: few programs need it

        attempt = RequestAttempt(
            host=self.host,
            method=request.method,
            code=code,
            seconds=perf_counter() - start,
            request_bytes=len(request.body or b""),
            response_bytes=size,
            number=request.attempt,
        )
        for metrics in self._metrics:
            metrics.attempted(attempt)
