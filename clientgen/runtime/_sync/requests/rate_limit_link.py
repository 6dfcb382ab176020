# Derived from _async/requests/rate_limit_link.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The rate limit of a client: requests wait for a token."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from ...errors import RequestTimeout
from .._primitives import short_lock
from .permitted_pause import pause
from .request_link import PassThrough

if TYPE_CHECKING:
    from ..._http.request import HttpRequest, HttpResponse
    from ..._http.request_deadlines import RequestDeadlines
    from ..._http.retry import TokenBucket
    from ..transport_protocol import ByteStream
    from .metrics_link import MetricsLink
    from .request_link import StreamOpening


class RateLimitLink(PassThrough):
    """Delays requests and streams by a token bucket, but not watches and WebSockets."""

    def __init__(
        self, bucket: TokenBucket, deadlines: RequestDeadlines, metrics: MetricsLink
    ) -> None:
        self._metrics = metrics
        self._bucket = bucket
        self._deadlines = deadlines
        self._lock = short_lock()

    def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request when it has a token.

        Raises:
            RequestTimeout: There is no token before the deadline.
        """
        self._wait(request, deadline)
        return self.next.send(request, deadline)

    def stream(
        self, request: HttpRequest, deadline: float | None, opening: StreamOpening
    ) -> ByteStream:
        """Open a stream when it has a token.

        Raises:
            RequestTimeout: There is no token before the deadline.
        """
        if opening.is_rate_limited:
            self._wait(request, deadline)
        return self.next.stream(request, deadline, opening)

    def _wait(self, request: HttpRequest, deadline: float | None) -> None:
        now = monotonic()
        with self._lock:
            delay = self._bucket.reserve(now)
        if deadline is not None and delay >= self._deadlines.seconds_left(deadline):
            raise RequestTimeout(
                f"{request.info}: the rate limit would delay the request past its deadline"
            )
        self._metrics.note_delay(request, delay)
        if delay:
            pause(request, delay)
