# Derived from _async/requests/health_link.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Monitors streams, and ends watches that do not open soon."""

# ruff: noqa: ASYNC109 - transports limit the time

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..._http.request import HttpRequest
from ..._http.status_codes import FIRST_REDIRECT, FIRST_SERVER_ERROR
from ...errors import ConnectionLost, RequestTimeout
from .request_link import PassThrough

if TYPE_CHECKING:
    from ..._http.request_deadlines import RequestDeadlines
    from ..health_monitor import HealthMonitor, MonitoredStream
    from ..transport_protocol import ByteStream
    from .connections import Connections
    from .credentials_link import Signer
    from .request_link import StreamOpening

# The time in which a watch must open: a share of the silence timeout, or these seconds while the
# server does not respond. Servers send the headers of a watch at once.
_WATCH_OPENING_SHARE = 0.75
_WATCH_OPENING_DOWN_SECONDS = 5.0


class HealthLink(PassThrough):
    """Registers streams with the health monitor. Other requests pass unchanged."""

    def __init__(
        self,
        monitor: HealthMonitor,
        connections: Connections,
        deadlines: RequestDeadlines,
    ) -> None:
        self._monitor = monitor
        self._connections = connections
        self._deadlines = deadlines

    def stream(
        self, request: HttpRequest, deadline: float | None, opening: StreamOpening
    ) -> ByteStream:
        """Open a stream, and monitor it.

        Raises:
            ConnectionLost: A watch did not open soon.
        """
        if opening.is_watch:
            stream = self._open_watch(request, deadline, opening)
        else:
            stream = self.next.stream(request, deadline, opening)
        if stream.status < FIRST_SERVER_ERROR:
            self._monitor.note_response()
        if stream.status < FIRST_REDIRECT or opening.is_relayed:
            self._monitor.add_stream(cast("MonitoredStream", stream), can_resume=opening.can_resume)
        return stream

    def _open_watch(
        self, request: HttpRequest, deadline: float | None, opening: StreamOpening
    ) -> ByteStream:
        limit = (
            _WATCH_OPENING_DOWN_SECONDS
            if self._monitor.is_mute
            else _WATCH_OPENING_SHARE * self._monitor.silence
        )
        soon = self._deadlines.clock.monotonic() + limit
        if deadline is not None and deadline < soon:
            return self.next.stream(request, deadline, opening)
        try:
            return self.next.stream(request, soon, opening)
        except RequestTimeout:
            self._connections.drop_idle()
            raise ConnectionLost(f"{request.info}: no response within {limit:g} s") from None


class ServerProbe:
    """Sends the probes of the health monitor, over a connection that is kept for probes."""

    def __init__(
        self, signer: Signer, connections: Connections, deadlines: RequestDeadlines
    ) -> None:
        self._signer = signer
        self._connections = connections
        self._deadlines = deadlines

    def send_probe(self, target: str, timeout: float, *, fresh: bool) -> tuple[int, bool]:
        """Send a GET with credentials: see `Probe`."""
        self._signer.ready(self._deadlines.clock.monotonic() + timeout)
        request = self._signer.signed(HttpRequest("GET", target))
        return self._connections.send_probe(request, timeout, fresh=fresh)

    def close_probe(self) -> None:
        """Close the connection for probes."""
        self._connections.close_probe()

    def drop_idle(self) -> None:
        """Close the idle connections."""
        self._connections.drop_idle()
