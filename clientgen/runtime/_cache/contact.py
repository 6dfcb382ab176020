"""How long a watch has not been open, and when that is worth a word."""

from __future__ import annotations

from typing import Final

__all__ = ["Contact"]

# A server that ends a watch, or that is replaced, is back sooner.
_LONG: Final = 30.0


class Contact:
    """Whether a reflector has an open watch. Times are seconds of a monotonic clock."""

    __slots__ = ("_is_told", "_since")

    def __init__(self) -> None:
        self._since: float | None = None
        self._is_told = False

    def lost(self, now: float) -> None:
        """Note that there is no open watch; the first such moment counts."""
        if self._since is None:
            self._since = now

    def made(self, now: float) -> float | None:
        """Note that a watch is open; gives how long there was none, if that was told."""
        gap = self.seconds(now) if self._is_told else None
        self._since, self._is_told = None, False
        return gap

    def seconds(self, now: float) -> float:
        """How long there has been no open watch; 0 while there is one."""
        since = self._since
        return 0.0 if since is None else max(0.0, now - since)

    def until_told(self, now: float) -> float | None:
        """The seconds until the gap has to be told; None if it was, or if there is none."""
        if self._is_told or self._since is None:
            return None
        return max(0.0, self._since + _LONG - now)

    def tell(self, now: float) -> float:
        """Note that it is told now; gives how long there has been no watch."""
        self._is_told = True
        return self.seconds(now)
