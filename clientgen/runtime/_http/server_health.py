"""Health of a server: when to ask it, what silence means, and when it is back.

A connection can die silently when a proxy or a NAT drops its packets. If packets get no answer, the
operating system notices (`tcp_keepalive`). If a proxy still answers for the server, only an answer
from the server itself shows that it is there. client-go has HTTP/2 pings for that. Over HTTP/1.1
this asks for `/version`, over a connection that is kept for it and opened with the first stream,
when nothing at all was heard on any stream for a while. What happened to that connection happened
to streams too: without an answer, those that are silent are taken for dead. Streams older than it
are opened anew once, when they are silent.

When the server cannot be reached, one question a second, to `/readyz`, finds out when it is back,
however many wait for that. Then all of them go on, spread over a second.

No I/O, no clock: time comes in as numbers. `_async/health_monitor` and its twin do what is decided
here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError, TransportError
from .retry import default_random

if TYPE_CHECKING:
    from .retry import Random

__all__ = ["SILENCE_TIMEOUT_SECONDS", "Health", "is_outage"]

SILENCE_TIMEOUT_SECONDS = 40.0
"""After how many seconds of silence connections are given up, unless a client says otherwise."""

# Silence, then the wait for an answer: parts of the whole. client-go: 30 and 15 seconds.
_PATIENT = 0.8
# Streams that do not last so long need no such connection.
_FIRST = 1.0
# It is used that often: servers close what is idle, after 90 s as a rule.
_WARM = 60.0
# Streams older than it are opened anew, but no more often than after so many times the silence.
_RENEWALS = 3.0
# Between two looks whether the server is back: from, and up to so much more.
_CHECK, _CHECK_MORE = 1.0, 0.5
CHECK_TIMEOUT = 2.0
"""The seconds in which the server has to answer that it is ready."""
# Over so many seconds those who waited for the server come back.
_SPREAD = 1.0
_NEVER = float("-inf")
_SERVER_ERRORS = 500


class Health:
    """The state of a server while streams from it are open, or callers wait for it.

    Args:
        now: The time, in seconds of a monotonic clock.
        silence: After how many seconds of silence connections are given up.
        random: Numbers from 0 to 1.

    Attributes:
        is_down: Whether it is known not to answer.
        answers: Whether it has answered anything since then.
        kept_since: When the kept connection was opened.
        outages: How many times it has come back.
        quiet: How long nothing must have been heard before it is asked.
        patience: How long it may take to answer then.
    """

    __slots__ = (
        "_asked_at",
        "_check_at",
        "_lost",
        "_random",
        "_renewed",
        "_suspected",
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
        self.quiet = _PATIENT * silence
        self.patience = silence - self.quiet
        self.is_down = self.answers = False
        self.outages = 0
        self._random = random or default_random()
        self._suspected = False
        # When the kept connection was used last; None if there is none.
        self._asked_at: float | None = None
        self.kept_since = _NEVER
        self._lost = _NEVER
        self._renewed = _NEVER
        self._check_at = now

    # ---- streams ------------------------------------------------------------------------------

    def ask_at(self, opened: float, heard: float) -> float:
        """Return the time to ask the server.

        Args:
            opened: When the oldest stream was opened.
            heard: When something was heard last, on any of them.
        """
        if self._asked_at is None:
            return max(min(opened + _FIRST, heard + self.quiet), self._after_loss(heard))
        return min(max(heard, self._asked_at) + self.quiet, self._asked_at + _WARM)

    def answered(self, now: float, *, is_new: bool) -> None:
        """Note an answer."""
        self._asked_at = now
        if is_new:
            self.kept_since = now

    def renews(self, now: float) -> bool:
        """Tell whether streams that are older than the kept connection are opened anew now."""
        if now - self._renewed < _RENEWALS * (self.quiet + self.patience):
            return False
        self._renewed = now
        return True

    def unanswered(self, now: float, *, is_silent: bool) -> None:
        """Note that no answer came; the server is down if all streams are silent as well."""
        self._lose(now)
        if is_silent:
            self._fall()
            self._check_later(now)

    def rest(self) -> None:
        """Note that there are no streams any more, and no kept connection."""
        self._asked_at, self._lost = None, _NEVER

    def _after_loss(self, heard: float) -> float:
        """Return the time to try another connection: after the usual silence."""
        if self._lost == _NEVER:
            return _NEVER
        return max(self._lost + _FIRST, min(heard, self._lost) + self.quiet)

    def _lose(self, now: float) -> None:
        self._asked_at, self._lost = None, now

    # ---- outages ------------------------------------------------------------------------------

    def suspect(self, now: float) -> None:
        """Note that a request failed as it does when the server is not there."""
        if not self._suspected and not self.is_down:
            self._suspected = True
            self._check_later(now)  # most troubles are over by then

    def check_at(self) -> float | None:
        """Return the time to ask whether the server is ready; None while there is no doubt."""
        return self._check_at if self._suspected or self.is_down else None

    def checked(self, now: float, *, is_ready: bool) -> bool:
        """Note whether it is ready; gives whether it has just come back."""
        self._suspected = False
        was_down = self.is_down
        if not is_ready:
            self._fall()
            self._lose(now)
            self._check_later(now)
            return False
        self.is_down = False
        self.answered(now, is_new=True)
        self.outages += was_down
        return was_down

    def return_after(self) -> float:
        """Return a random pause for a caller that waited for the server: not all come at once."""
        return _SPREAD * self._random()

    def _fall(self) -> None:
        self.answers = self.answers and self.is_down
        self.is_down = True

    def _check_later(self, now: float) -> None:
        self._check_at = now + _CHECK + _CHECK_MORE * self._random()


def is_outage(error: Exception | None) -> bool:
    """Tell whether a request may have failed because the server is not there, or not all of it."""
    if isinstance(error, ApiError):
        return error.code >= _SERVER_ERRORS
    return isinstance(error, TransportError)
