"""The last link: passes requests to the transport, and opens the transport's connections."""

# ruff: noqa: ASYNC109 - transports limit the time

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

from ..._http.work_deadline import WORK_DEADLINE
from ..._http.write_permit import FLIGHT, in_flight, new_flight
from ..._redaction import Unpicklable
from ...errors import RequestTimeout
from .._primitives import from_clock, run_blocking
from ..standstill_alarm import alarm_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._config.cluster_config import ClusterConfig, Credential
    from ..._http.request import HttpRequest, HttpResponse
    from ..._http.request_deadlines import RequestDeadlines
    from ..._http.write_permit import Permit
    from ..health_monitor import AsyncMonitoredStream
    from ..transport import AsyncHttpTransport
    from ..transport_protocol import AsyncByteStream, AsyncTransport
    from .request_link import AsyncStreamOpening


class AsyncConnections(Unpicklable):
    """The connections to the server. Call `open` first, and for each new credential.

    Args:
        config: The configuration of the cluster.
        transport: The transport to use instead of the network, or None.
        deadlines: The deadlines of the client.
        pool_options: The options of network transports.

    Attributes:
        transport: The transport. None before the first `open`.
    """

    def __init__(
        self,
        config: ClusterConfig,
        transport: AsyncTransport | None,
        deadlines: RequestDeadlines,
        pool_options: dict[str, Any],
    ) -> None:
        self.transport = transport
        self._is_given = transport is not None
        self._config = config
        self._deadlines = deadlines
        self._pool_options = pool_options
        self._http: AsyncHttpTransport | None = None
        self._opened_for: object = None
        """The `Credential.connection` for which the connections were opened."""

    async def open(self, credential: Credential) -> None:
        """Open new connections if the credential needs them, such as for a new client certificate.

        The old connections are closed after their pending responses.
        """
        if self._is_given or self._opened_for == credential.connection:
            return
        from ..transport import AsyncHttpTransport  # the HTTP library is a big import

        old, context = self._http, None
        if self._config.is_secure:
            from ..._config.tls import ssl_context

            make = partial(
                ssl_context, self._config.tls, credential.certificate, credential.authority
            )
            context = await run_blocking(make)
        self._http = AsyncHttpTransport(self._config, context, **self._pool_options)
        self.transport = self._http
        self._opened_for = credential.connection
        if old is not None:
            await old.retire()

    async def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request over a connection of the pool.

        Raises:
            LeadershipLost: The caller's work may not write any more.
            TransportError: There was no complete response before the deadline.
        """
        flight = new_flight(request.method, request.target)
        timeout = None if deadline is None else self._deadlines.timeout_until(request, deadline)
        if flight is None and FLIGHT.get() is None:
            return await self._exchange(request, timeout)
        with in_flight(flight):
            return await self._exchange(request, timeout)

    async def _exchange(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        assert self.transport is not None
        try:
            return await self.transport.send(request, timeout)
        except RequestTimeout:
            self.drop_idle()  # other connections may be dead, too
            raise

    async def stream(
        self, request: HttpRequest, deadline: float | None, opening: AsyncStreamOpening
    ) -> AsyncByteStream:
        """Open a stream over a new connection.

        Raises:
            LeadershipLost: The caller's work may not write any more.
            TransportError: There were no headers of a response before the deadline.
        """
        flight = new_flight(request.method, request.target, acts=opening.changes)
        assert self.transport is not None
        timeout = self._deadlines.timeout_until(request, deadline)
        if flight is None and FLIGHT.get() is None:
            stream = await opening.open(self.transport, request, timeout)
            self._abort_late(stream)
            return stream
        with in_flight(flight):
            stream = await opening.open(self.transport, request, timeout)
            if flight is not None:
                _break_off_at_end(stream, flight.permit)
            self._abort_late(stream)
            return stream

    def _abort_late(self, stream: AsyncByteStream) -> None:
        """Abort a stream at the deadline of the calling work: a thread that reads it must end."""
        work, clock = WORK_DEADLINE.get(), self._deadlines.clock
        if work is not None and not work.is_over:
            moment = clock.monotonic() + work.seconds_left
            work.at_end(alarm_at(clock, moment, stream.abort))

    async def send_probe(
        self, request: HttpRequest, timeout: float, *, fresh: bool
    ) -> tuple[int, bool]:
        """Send a probe over the connection that is kept for probes: see `AsyncProbe`."""
        assert self._http is not None
        return await self._http.send_probe(request, timeout, fresh=fresh)

    def limit_silence(self, stream: AsyncByteStream, seconds: float) -> None:
        """From now on, make a stream fail when no data arrives for this many seconds."""
        if self._http is not None:
            cast("AsyncMonitoredStream", stream).limit_silence(seconds)

    def drop_idle(self) -> None:
        """Close the idle connections, because one connection was found dead."""
        if self._http is not None:
            self._http.drop_idle()

    async def close_probe(self) -> None:
        """Close the connection that is kept for probes."""
        if self._http is not None:
            await self._http.close_probe()

    async def aclose(self) -> None:
        """Close all connections; streams end."""
        if self.transport is not None:
            await self.transport.aclose()


def _break_off_at_end(stream: AsyncByteStream, permit: Permit) -> None:
    """End a stream of work that writes together with the permit of the work."""
    forget: list[Callable[[], object]] = []
    # The permit must not keep a stream in memory that nobody reads any more.
    reference = ref(stream, lambda _: forget[0]())

    def abort() -> None:
        still_there = reference()
        if still_there is not None:
            still_there.abort()

    forget.append(permit.on_end(from_clock(abort)))
