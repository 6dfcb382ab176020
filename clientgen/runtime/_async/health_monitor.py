"""Checks whether the server of open streams still responds. `server_health` has the rules."""

# ruff: noqa: ASYNC109 - transports limit the time

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from .._clock import SYSTEM_CLOCK
from .._http.server_health import CHECK_TIMEOUT_SECONDS, Health
from .._http.status_codes import FIRST_SERVER_ERROR
from ..errors import ConnectionLost
from ._primitives import Event, short_lock, spawn, wait_moving, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger

    from .._clock import Clock
    from ._primitives import Task

_STOP_TIMEOUT_SECONDS = 1.0
_NEVER = float("inf")
_MAX_SLEEP_SECONDS = 3600.0
# The task keeps running this long without a stream, because a watch has no stream between two
# connections.
_IDLE_TIMEOUT_SECONDS = 2.0


class AsyncMonitoredStream(Protocol):
    """A stream over the network."""

    opened: float
    """The time when the stream was opened."""
    last_data_at: float
    """The time when data last arrived. Before the first data, the time of the opening."""
    on_end: Callable[[Any], object] | None
    """Called with the stream when the stream has ended."""
    can_resume: bool
    """Whether the reader can continue with another stream."""

    def break_off(self, why: str = "") -> None:
        """Make `read` raise ConnectionLost."""
        ...

    def limit_silence(self, seconds: float) -> None:
        """Make `read` raise ConnectionLost after this many seconds without data.

        Only the reader of the stream calls this.
        """
        ...


class AsyncProbe(Protocol):
    """Sends small requests to the server, over a connection that is kept for probes."""

    async def send_probe(self, target: str, timeout: float, *, fresh: bool) -> tuple[int, bool]:
        """Send a GET. With `fresh`, open a new connection first, and keep the new connection.

        Returns the status, and whether the connection is new.

        Raises:
            ClientError: There was no response in time.
        """
        ...

    async def close_probe(self) -> None:
        """Close the connection for probes."""
        ...

    def drop_idle(self) -> None:
        """Close the idle connections of the client."""
        ...


class AsyncHealthMonitor:
    """Ends the streams of a silent server, and wakes callers when the server responds again.

    A background task does this while there are open streams or callers in `pause`.

    Args:
        server: The URL of the server, for logs.
        probe: Sends requests to the server.
        silence: The seconds without data after which streams are ended.

    Attributes:
        silence: The seconds without data after which streams are ended.
    """

    def __init__(self, server: str, probe: AsyncProbe, silence: float) -> None:
        self._server = server
        self._probe = probe
        self.silence = silence
        self._health = Health(monotonic(), silence)
        self._lock = short_lock()
        self._streams: set[AsyncMonitoredStream] = set()
        self._waiting: list[Event] = []
        self._wake_up = Event()
        self._task: Task | None = None
        self._last_used_at = monotonic()
        self._closed = False

    @property
    def is_mute(self) -> bool:
        """Whether the monitor knows that the server does not respond."""
        return self._health.is_down and not self._health.answers

    def note_response(self) -> None:
        """Note that the server responded to a request.

        A response takes precedence over `/readyz`, because a server may not be ready, or a proxy
        may block the path.
        """
        self._health.answers = True

    def add_stream(self, stream: AsyncMonitoredStream, *, can_resume: bool) -> None:
        """Monitor a stream until it ends. `can_resume` is as in `AsyncMonitoredStream`."""
        stream.can_resume, stream.on_end = can_resume, self._remove_stream
        with self._lock:
            self._streams.add(stream)
            self._ensure_task()
            if len(self._streams) == 1:
                self._wake_up.set()

    def _remove_stream(self, stream: AsyncMonitoredStream) -> None:
        with self._lock:
            self._streams.discard(stream)
            self._last_used_at = monotonic()
            if not self._streams and not self._waiting:
                self._wake_up.set()

    async def pause(self, stopped: Event, clock: Clock, seconds: float) -> bool:
        """Wait before a retry. Returns whether the server came back meanwhile.

        The wait ends after `seconds`, or when `stopped` is set, or soon after the server has
        responded again.
        """
        health, until = self._health, clock.monotonic() + seconds
        with self._lock:
            outages = health.outages
            health.suspect(monotonic())
            self._waiting.append(stopped)
            self._ensure_task()
            self._wake_up.set()
        try:
            await wait_moving(
                stopped, clock, lambda: until if health.outages == outages else float("-inf")
            )
        finally:
            with self._lock:
                self._waiting.remove(stopped)
                if not self._streams and not self._waiting:
                    self._wake_up.set()
        if health.outages == outages or stopped.is_set():
            return False
        after = clock.monotonic() + health.return_after()
        await wait_until(stopped, clock, min(until, after))
        return True

    async def aclose(self) -> None:
        """Stop the task of the monitor. Streams that are open are not ended."""
        with self._lock:
            self._closed = True
            self._wake_up.set()
            task = self._task
        if task is not None and not task.is_current:
            task.cancel()
            await task.join(_STOP_TIMEOUT_SECONDS)

    # ---- the task -----------------------------------------------------------------------------

    def _ensure_task(self) -> None:
        if not self._closed and (self._task is None or self._task.done):
            self._task = spawn(self._run_task, f"clientgen health monitor of {self._server}")

    async def _run_task(self) -> None:
        while (until := self._next_time()) is not None:
            if not await wait_until(self._wake_up, SYSTEM_CLOCK, until):
                await self._check_or_probe(monotonic())
        await self._probe.close_probe()

    def _next_time(self) -> float | None:
        """Return the time of the next check.

        None ends the task, which has nothing to monitor any more.
        """
        with self._lock:
            self._wake_up.clear()
            now = monotonic()
            if self._streams or self._waiting:
                self._last_used_at = now
                return min(self._next_check_at(), self._next_probe_at(), now + _MAX_SLEEP_SECONDS)
            if not self._closed and now < self._last_used_at + _IDLE_TIMEOUT_SECONDS:
                return self._last_used_at + _IDLE_TIMEOUT_SECONDS
            self._task = None
            self._health.note_no_streams()
            return None

    def _next_check_at(self) -> float:
        check_at = self._health.check_at()
        return _NEVER if check_at is None else check_at

    def _next_probe_at(self) -> float:
        if not self._streams:
            return _NEVER
        opened = min(stream.opened for stream in self._streams)
        return self._health.next_probe_at(
            opened, max(stream.last_data_at for stream in self._streams)
        )

    async def _check_or_probe(self, now: float) -> None:
        with self._lock:
            must_check, must_probe = self._next_check_at() <= now, self._next_probe_at() <= now
        if must_check:
            await self._check_readiness()
        elif must_probe:
            await self._probe_server(now)

    # ---- silent streams -----------------------------------------------------------------------

    async def _probe_server(self, now: float) -> None:
        """Check whether the server has nothing to send, or the connections are dead."""
        health = self._health
        try:
            is_new = await self._send_probe()
        except Exception as error:  # noqa: BLE001 - any error means that there was no response
            if self._closed:
                return
            why = f"the server sent nothing for {health.quiet:.0f} s, and did not answer a probe"
            silent = self._silent_streams(now)
            with self._lock:
                health.note_no_response(monotonic(), is_silent=len(silent) == len(self._streams))
            _logger().warning("%s: %s: %s", self._server, why, error)
            self._probe.drop_idle()
            self._break_streams(silent, why)
        else:
            health.note_response(monotonic(), is_new=is_new)
            self._renew_streams(
                [
                    stream
                    for stream in self._silent_streams(now)
                    if stream.last_data_at < health.kept_since
                ]
            )

    def _silent_streams(self, now: float) -> list[AsyncMonitoredStream]:
        with self._lock:
            return [
                stream
                for stream in self._streams
                if stream.last_data_at <= now - self._health.quiet
            ]

    def _renew_streams(self, streams: list[AsyncMonitoredStream]) -> None:
        """End streams that may be dead although the server responds.

        Their readers open new streams.
        """
        silent = [stream for stream in streams if stream.can_resume]
        if silent and self._health.should_renew_streams(monotonic()):
            why = "no data has arrived for a long time; the connection may be dead"
            self._break_streams(silent, why)

    async def _send_probe(self) -> bool:
        """Send a probe over the kept connection, or over a new connection if the server closed it.

        Returns whether the connection is new.
        """
        try:
            _, is_new = await self._probe.send_probe("/version", self._health.patience, fresh=False)
        except ConnectionLost:
            _, is_new = await self._probe.send_probe("/version", self._health.patience, fresh=True)
        return is_new

    def _break_streams(self, streams: list[AsyncMonitoredStream], why: str) -> None:
        for stream in streams:
            stream.break_off(why)

    # ---- servers that do not respond ----------------------------------------------------------

    async def _check_readiness(self) -> None:
        try:
            status, _ = await self._probe.send_probe("/readyz", CHECK_TIMEOUT_SECONDS, fresh=True)
        except Exception as error:  # noqa: BLE001 - any error means that there was no response
            _logger().debug("%s did not respond to a probe: %s", self._server, error)
            status = 0
        was_down = self._health.is_down
        is_ready = 0 < status < FIRST_SERVER_ERROR
        with self._lock:
            is_back = self._health.note_check(monotonic(), is_ready=is_ready)
            waiting = [*self._waiting] if is_back else []
        if is_back or (not is_ready and not was_down):
            _logger().info("%s %s", self._server, "is back" if is_back else "does not answer")
        for event in waiting:
            event.wake()


def _logger() -> Logger:
    import logging  # imported late: few programs log this

    return logging.getLogger("clientgen.runtime.connections")
