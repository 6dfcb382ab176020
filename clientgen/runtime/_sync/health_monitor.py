# Derived from _async/health_monitor.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Checks for all streams of a client whether the server still answers, by `server_health`."""

# ruff: noqa: ASYNC109 - a transport is told how long it has

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from .._clock import SYSTEM_CLOCK
from .._http.server_health import CHECK_TIMEOUT, Health
from ..errors import ConnectionLost
from ._primitives import Event, short_lock, spawn, wait_moving, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger

    from .._clock import Clock
    from ._primitives import Task

__all__ = ["HealthMonitor", "MonitoredStream", "Probe"]

_LAST_WAIT = 1.0
_LATER = float("inf")
_LONGEST = 3600.0
# Between two connections of a watch there is none.
_LINGER = 2.0
_SERVER_ERRORS = 500


class MonitoredStream(Protocol):
    """A stream of a transport that goes over the network."""

    opened: float
    """When it was."""
    heard: float
    """When something came, or it was opened."""
    on_end: Callable[[Any], object] | None
    """Whom to tell when it is over."""
    can_resume: bool
    """Whether its reader can go on over another one."""

    def break_off(self, why: str = "") -> None:
        """Make `read` say that the connection is lost."""
        ...

    def limit_silence(self, seconds: float) -> None:
        """Have `read` say so when nothing comes for so many seconds; only its reader calls this."""
        ...


class Probe(Protocol):
    """Asks the server something small, over a connection that is kept for it."""

    def ask(self, target: str, timeout: float, *, fresh: bool) -> tuple[int, bool]:
        """Send a GET; over another connection if `fresh`, which is kept from then on.

        Gives the status, and whether the connection is new.

        Raises:
            ClientError: There was no answer, or not in time.
        """
        ...

    def close_probe(self) -> None:
        """Close that connection."""
        ...

    def drop_idle(self) -> None:
        """Close all connections that nobody uses."""
        ...


class HealthMonitor:
    """Breaks off streams from a server that is silent, and says when one that was away is back.

    It runs while streams are open or somebody waits.

    Args:
        what: What to call the server in logs.
        probe: How to ask it.
        silence: After how many seconds of silence streams are broken off.

    Attributes:
        silence: The same.
    """

    def __init__(self, what: str, probe: Probe, silence: float) -> None:
        self._server = what
        self._probe = probe
        self.silence = silence
        self._health = Health(monotonic(), silence)
        self._lock = short_lock()
        self._streams: set[MonitoredStream] = set()
        self._waiting: list[Event] = []
        self._rouse = Event()
        self._task: Task | None = None
        self._used = monotonic()
        self._closed = False

    @property
    def is_mute(self) -> bool:
        """Whether the server is known not to answer."""
        return self._health.is_down and not self._health.answers

    def answered(self) -> None:
        """Note that it did, whatever `/readyz` says, or something on the way that blocks that."""
        self._health.answers = True

    def listen(self, stream: MonitoredStream, *, can_resume: bool) -> None:
        """Watch over a stream, until it is over."""
        stream.can_resume, stream.on_end = can_resume, self._leave
        with self._lock:
            self._streams.add(stream)
            self._run()
            if len(self._streams) == 1:
                self._rouse.set()

    def _leave(self, stream: MonitoredStream) -> None:
        with self._lock:
            self._streams.discard(stream)
            self._used = monotonic()
            if not self._streams and not self._waiting:
                self._rouse.set()

    def pause(self, stopped: Event, clock: Clock, seconds: float) -> bool:
        """Wait until something is tried again; gives whether the server has come back meanwhile.

        The wait ends with the seconds, sooner if the server comes back, at once when `stopped`.
        """
        health, until = self._health, clock.monotonic() + seconds
        with self._lock:
            outages = health.outages
            health.suspect(monotonic())
            self._waiting.append(stopped)
            self._run()
            self._rouse.set()
        try:
            wait_moving(
                stopped, clock, lambda: until if health.outages == outages else float("-inf")
            )
        finally:
            with self._lock:
                self._waiting.remove(stopped)
                if not self._streams and not self._waiting:
                    self._rouse.set()
        if health.outages == outages or stopped.is_set():
            return False
        after = clock.monotonic() + health.return_after()
        wait_until(stopped, clock, min(until, after))
        return True

    def close(self) -> None:
        """End it."""
        with self._lock:
            self._closed = True
            self._rouse.set()
            task = self._task
        if task is not None and not task.is_current:
            task.cancel()
            task.join(_LAST_WAIT)

    # ---- what goes on -------------------------------------------------------------------------

    def _run(self) -> None:
        if not self._closed and (self._task is None or self._task.done):
            self._task = spawn(self._keep, f"clientgen health monitor of {self._server}")

    def _keep(self) -> None:
        while (until := self._next()) is not None:
            if not wait_until(self._rouse, SYSTEM_CLOCK, until):
                self._act(monotonic())
        self._probe.close_probe()

    def _next(self) -> float | None:
        """Return the time of the next task; None if nobody needs this any more."""
        with self._lock:
            self._rouse.clear()
            now = monotonic()
            if self._streams or self._waiting:
                self._used = now
                return min(self._check_at(), self._ask_at(), now + _LONGEST)
            if not self._closed and now < self._used + _LINGER:
                return self._used + _LINGER
            self._task = None
            self._health.rest()
            return None

    def _check_at(self) -> float:
        check_at = self._health.check_at()
        return _LATER if check_at is None else check_at

    def _ask_at(self) -> float:
        if not self._streams:
            return _LATER
        opened = min(stream.opened for stream in self._streams)
        return self._health.ask_at(opened, max(stream.heard for stream in self._streams))

    def _act(self, now: float) -> None:
        with self._lock:
            checks, asks = self._check_at() <= now, self._ask_at() <= now
        if checks:
            self._check()
        elif asks:
            self._ask(now)

    # ---- streams that are silent --------------------------------------------------------------

    def _ask(self, now: float) -> None:
        """Find out whether it is the server that is silent, or the way to it."""
        health = self._health
        try:
            is_new = self._ask_again()
        except Exception as error:  # noqa: BLE001 - whatever it is, there was no answer
            if self._closed:
                return
            why = f"nothing was heard of the server for {health.quiet:.0f} s, and it did not answer"
            silent = self._silent(now)
            with self._lock:
                health.unanswered(monotonic(), is_silent=len(silent) == len(self._streams))
            _logger().warning("%s: %s: %s", self._server, why, error)
            self._probe.drop_idle()
            self._break(silent, why)
        else:
            health.answered(monotonic(), is_new=is_new)
            self._renew(
                [stream for stream in self._silent(now) if stream.heard < health.kept_since]
            )

    def _silent(self, now: float) -> list[MonitoredStream]:
        with self._lock:
            return [stream for stream in self._streams if stream.heard <= now - self._health.quiet]

    def _renew(self, streams: list[MonitoredStream]) -> None:
        """Have streams opened anew that may be dead although the server is not."""
        silent = [stream for stream in streams if stream.can_resume]
        if silent and self._health.renews(monotonic()):
            self._break(silent, "nothing was heard for long, and it may have died meanwhile")

    def _ask_again(self) -> bool:
        """Ask over the kept connection, over another one if that was closed; gives if it is new."""
        try:
            _, is_new = self._probe.ask("/version", self._health.patience, fresh=False)
        except ConnectionLost:
            _, is_new = self._probe.ask("/version", self._health.patience, fresh=True)
        return is_new

    def _break(self, streams: list[MonitoredStream], why: str) -> None:
        for stream in streams:
            stream.break_off(why)

    # ---- servers that are away ----------------------------------------------------------------

    def _check(self) -> None:
        try:
            status, _ = self._probe.ask("/readyz", CHECK_TIMEOUT, fresh=True)
        except Exception as error:  # noqa: BLE001 - whatever it is, there was no answer
            _logger().debug("%s is not there: %s", self._server, error)
            status = 0
        was_down = self._health.is_down
        is_ready = 0 < status < _SERVER_ERRORS
        with self._lock:
            is_back = self._health.checked(monotonic(), is_ready=is_ready)
            waiting = [*self._waiting] if is_back else []
        if is_back or (not is_ready and not was_down):
            _logger().info("%s %s", self._server, "is back" if is_back else "does not answer")
        for event in waiting:
            event.wake()


def _logger() -> Logger:
    import logging  # importing clients must stay cheap

    return logging.getLogger("clientgen.runtime.connections")
