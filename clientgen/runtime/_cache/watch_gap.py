"""The time for which a reflector has had no open watch, and whether to report it."""

from __future__ import annotations

from typing import Final

# Shorter gaps are usual: they occur when a server ends a watch or restarts.
_MIN_REPORTED_SECONDS: Final = 30.0


class WatchGap:
    """The time for which a reflector has no open watch. Times are seconds of a monotonic clock."""

    __slots__ = ("_is_reported", "_since")

    def __init__(self) -> None:
        self._since: float | None = None
        self._is_reported = False

    def begin(self, now: float) -> None:
        """Note that there is no open watch. Does nothing if the gap has begun before."""
        if self._since is None:
            self._since = now

    def end(self, now: float) -> float | None:
        """Note that a watch is open. Returns the length of a gap that was reported, else None."""
        gap = self.seconds(now) if self._is_reported else None
        self._since, self._is_reported = None, False
        return gap

    def seconds(self, now: float) -> float:
        """Return the seconds without an open watch; 0 while a watch is open."""
        since = self._since
        return 0.0 if since is None else max(0.0, now - since)

    def seconds_until_report(self, now: float) -> float | None:
        """Return the seconds until the gap must be reported; None if there is nothing to report."""
        if self._is_reported or self._since is None:
            return None
        return max(0.0, self._since + _MIN_REPORTED_SECONDS - now)

    def report(self, now: float) -> float:
        """Note that the gap is reported now. Returns the seconds without an open watch."""
        self._is_reported = True
        return self.seconds(now)
