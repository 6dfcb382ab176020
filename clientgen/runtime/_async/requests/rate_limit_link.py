"""The rate limit of a client: requests wait for a token."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from ...errors import RequestTimeout
from .._primitives import short_lock
from .permitted_pause import pause
from .request_link import AsyncPassThrough

if TYPE_CHECKING:
    from ..._http.request import HttpRequest, HttpResponse
    from ..._http.request_deadlines import RequestDeadlines
    from ..._http.retry import TokenBucket
    from ..transport_protocol import AsyncByteStream
    from .metrics_link import AsyncMetricsLink
    from .request_link import AsyncStreamOpening


class AsyncRateLimitLink(AsyncPassThrough):
    """Delays requests and streams by a token bucket, but not watches and WebSockets."""

    def __init__(
        self, bucket: TokenBucket, deadlines: RequestDeadlines, metrics: AsyncMetricsLink
    ) -> None:
        self._metrics = metrics
        self._bucket = bucket
        self._deadlines = deadlines
        self._lock = short_lock()

    async def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request when it has a token.

        Raises:
            RequestTimeout: There is no token before the deadline.
        """
        await self._wait(request, deadline)
        return await self.next.send(request, deadline)

    async def stream(
        self, request: HttpRequest, deadline: float | None, opening: AsyncStreamOpening
    ) -> AsyncByteStream:
        """Open a stream when it has a token.

        Raises:
            RequestTimeout: There is no token before the deadline.
        """
        if opening.is_rate_limited:
            await self._wait(request, deadline)
        return await self.next.stream(request, deadline, opening)

    async def _wait(self, request: HttpRequest, deadline: float | None) -> None:
        now = monotonic()
        with self._lock:
            delay = self._bucket.reserve(now)
        if deadline is not None and delay >= self._deadlines.seconds_left(deadline):
            raise RequestTimeout(
                f"{request.info}: the rate limit would delay the request past its deadline"
            )
        self._metrics.note_delay(request, delay)
        if delay:
            await pause(request, delay)
