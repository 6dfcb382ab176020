"""The interval of a server's bookmarks, and the maximum silence of a watch.

A single connection may die while other connections work, for example if a proxy accepts the bytes
and drops them. A request to the server cannot detect that. But kube-apiserver sends a bookmark
about once a minute to each watch that requests them (cacher: bookmarkFrequency). So a watch that
has received several bookmarks and then receives nothing is dead, long before its stream times out.
"""

from __future__ import annotations

from collections import deque

# A connection is dead after a silence of the longest gap, multiplied by this factor, but at least
# of this many seconds. The factor is more than two, because kube-apiserver drops a bookmark that it
# cannot send in time.
_SILENCE_FACTOR = 2.5
_MIN_SILENCE_SECONDS = 75.0
# The number of gaps that are needed for a limit, and the number of gaps that are stored.
_MIN_GAPS, _MAX_GAPS = 2, 5
# Bookmarks with a smaller gap are not periodic bookmarks.
_MIN_INTERVAL_SECONDS = 1.0


class BookmarkGaps:
    """The times between the bookmarks of a watch, over several connections.

    The bookmark that ends the initial events does not count.

    Attributes:
        has_come: Whether a bookmark has arrived that `note` has not recorded yet.
        limit: The seconds of silence after which the connection is dead.
    """

    __slots__ = ("_gaps", "_last", "_longest", "has_come", "limit")

    def __init__(self) -> None:
        self._gaps: deque[float] = deque(maxlen=_MAX_GAPS)
        self._last: float | None = None
        self.has_come = False
        self._longest = self.limit = float("inf")

    def begin(self, longest: float) -> float:
        """Record a new connection. Returns `limit`, which is at most `longest`."""
        self._longest = longest
        self.has_come = False
        self._last = None  # the time between two connections is not a gap between bookmarks
        self._update_limit()
        return self.limit

    def note(self, now: float) -> float:
        """Record the time of a bookmark, before the next read. Returns `limit`."""
        self.has_come = False
        if self._last is None:
            self._last = now
        elif now - self._last >= _MIN_INTERVAL_SECONDS:
            self._gaps.append(now - self._last)
            self._last = now
            self._update_limit()
        return self.limit

    def forget(self) -> None:
        """Forget the gaps after a lost connection: the next server may have another interval."""
        self._gaps.clear()

    def _update_limit(self) -> None:
        self.limit = self._longest
        if len(self._gaps) >= _MIN_GAPS:
            self.limit = min(
                self._longest, max(_MIN_SILENCE_SECONDS, _SILENCE_FACTOR * max(self._gaps))
            )
