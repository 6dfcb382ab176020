"""Health of a server: when to probe it, and whether silent connections are dead.

A connection can die silently when a proxy or a NAT drops its packets. If packets are not
acknowledged, the operating system detects the dead connection (`tcp_keepalive`). If a proxy still
acknowledges packets for the server, only a response of the server shows that the server is
available. client-go sends HTTP/2 pings. Over HTTP/1.1, clients send a GET of `/version` when no
stream has received data for a while. The request uses a separate connection, which was opened with
the first stream. If there is no response, the silent streams are probably broken, too, and are
ended. Silent streams that are older than the probe's connection are ended once, so that their
readers open new streams.

When the server cannot be reached, one GET of `/readyz` per second detects when it responds again,
for all waiting callers. Then the callers continue, spread over a second.

This module makes decisions only: `_async/health_monitor` sends the requests and passes the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError, TransportError
from .retry import default_random
from .status_codes import FIRST_SERVER_ERROR

if TYPE_CHECKING:
    from .retry import Random

SILENCE_TIMEOUT_SECONDS = 40.0
"""The default silence timeout of clients."""

# The silence timeout has two parts: the silence before the probe, and the timeout of the probe.
# client-go: 30 and 15 s.
_SILENT_SHARE = 0.8
# Streams that end sooner do not need a connection for probes.
_FIRST_PROBE_AFTER_SECONDS = 1.0
# Servers close idle connections, after 90 s as a rule.
_MAX_PROBE_INTERVAL_SECONDS = 60.0
# Old streams are ended at most once in this many silence timeouts.
_RENEWAL_INTERVAL_TIMEOUTS = 3.0
# While the server does not respond, it is checked after this interval and a random part of the
# jitter.
_CHECK_INTERVAL_SECONDS, _CHECK_JITTER_SECONDS = 1.0, 0.5
CHECK_TIMEOUT_SECONDS = 2.0
"""The timeout of a check whether the server is ready."""
_RETURN_SPREAD_SECONDS = 1.0
_NEVER = float("-inf")


class Health:
    """The state of a server while streams from it are open, or callers wait for it.

    Args:
        now: The time, in seconds of a monotonic clock.
        silence: The silence timeout, in seconds.
        random: Returns numbers from 0 to 1.

    Attributes:
        is_down: Whether the server is known not to respond.
        answers: Whether the server has responded to any request during the outage.
        kept_since: The time when the connection for probes was opened.
        outages: The number of outages that are over.
        quiet: The seconds without data on any stream after which the server is probed.
        patience: The timeout of a probe in seconds.
    """

    __slots__ = (
        "_check_at",
        "_is_suspected",
        "_lost_at",
        "_probed_at",
        "_random",
        "_renewed_at",
        "answers",
        "is_down",
        "kept_since",
        "outages",
        "patience",
        "quiet",
    )

    def __init__(
        self, now: float, silence: float = SILENCE_TIMEOUT_SECONDS, random: Random | None = None
    ) -> None:
        self.quiet = _SILENT_SHARE * silence
        self.patience = silence - self.quiet
        self.is_down = self.answers = False
        self.outages = 0
        self._random = random or default_random()
        self._is_suspected = False
        # The time of the last probe; None without a connection for probes.
        self._probed_at: float | None = None
        self.kept_since = _NEVER
        self._lost_at = _NEVER
        self._renewed_at = _NEVER
        self._check_at = now

    # ---- streams ------------------------------------------------------------------------------

    def next_probe_at(self, opened: float, last_data_at: float) -> float:
        """Return the time of the next probe.

        Args:
            opened: The time when the oldest stream was opened.
            last_data_at: The time when data last arrived on any stream.
        """
        if self._probed_at is None:
            return max(
                min(opened + _FIRST_PROBE_AFTER_SECONDS, last_data_at + self.quiet),
                self._after_loss(last_data_at),
            )
        return min(
            max(last_data_at, self._probed_at) + self.quiet,
            self._probed_at + _MAX_PROBE_INTERVAL_SECONDS,
        )

    def note_response(self, now: float, *, is_new: bool) -> None:
        """Note a response to a probe, and whether its connection is new."""
        self._probed_at = now
        if is_new:
            self.kept_since = now

    def should_renew_streams(self, now: float) -> bool:
        """Return whether to end the streams that are older than the connection for probes."""
        if now - self._renewed_at < _RENEWAL_INTERVAL_TIMEOUTS * (self.quiet + self.patience):
            return False
        self._renewed_at = now
        return True

    def note_no_response(self, now: float, *, is_silent: bool) -> None:
        """Note a probe without a response. The server is down if all streams are silent, too."""
        self._note_lost_connection(now)
        if is_silent:
            self._note_outage()
            self._schedule_check(now)

    def note_no_streams(self) -> None:
        """Note that there are no streams any more, and so no connection for probes."""
        self._probed_at, self._lost_at = None, _NEVER

    def _after_loss(self, last_data_at: float) -> float:
        """Return the time to open another connection for probes: after the usual silence."""
        if self._lost_at == _NEVER:
            return _NEVER
        return max(
            self._lost_at + _FIRST_PROBE_AFTER_SECONDS,
            min(last_data_at, self._lost_at) + self.quiet,
        )

    def _note_lost_connection(self, now: float) -> None:
        self._probed_at, self._lost_at = None, now

    # ---- outages ------------------------------------------------------------------------------

    def suspect(self, now: float) -> None:
        """Note that a request failed with an error that is usual when the server is down."""
        if not self._is_suspected and not self.is_down:
            self._is_suspected = True
            self._schedule_check(now)  # not at once, because most failures are short

    def check_at(self) -> float | None:
        """Return the time of the next check of `/readyz`. None if the server is not suspected."""
        return self._check_at if self._is_suspected or self.is_down else None

    def note_check(self, now: float, *, is_ready: bool) -> bool:
        """Note whether the server is ready. Returns whether that ends an outage."""
        self._is_suspected = False
        was_down = self.is_down
        if not is_ready:
            self._note_outage()
            self._note_lost_connection(now)
            self._schedule_check(now)
            return False
        self.is_down = False
        self.note_response(now, is_new=True)
        self.outages += was_down
        return was_down

    def return_after(self) -> float:
        """Return a random pause for a waiting caller, so that not all callers continue at once."""
        return _RETURN_SPREAD_SECONDS * self._random()

    def _note_outage(self) -> None:
        self.answers = self.answers and self.is_down
        self.is_down = True

    def _schedule_check(self, now: float) -> None:
        self._check_at = now + _CHECK_INTERVAL_SECONDS + _CHECK_JITTER_SECONDS * self._random()


def is_outage(error: Exception | None) -> bool:
    """Return whether the error of a request may come from an outage of the server or its parts."""
    if isinstance(error, ApiError):
        return error.code >= FIRST_SERVER_ERROR
    return isinstance(error, TransportError)
