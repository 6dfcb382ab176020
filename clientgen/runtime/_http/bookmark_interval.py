"""The interval of a server's bookmarks, and the longest silence of a watch.

A single connection may die: something on the way acknowledges what is sent and does not forward it,
while other connections work. No question to the server shows that. But kube-apiserver sends a
bookmark about once a minute to each watch that wants them (cacher: bookmarkFrequency), whatever
else it sends. A watch that has seen several need not wait for the end of its stream.

No I/O, no clock: time comes in as numbers.
"""

from __future__ import annotations

from collections import deque

__all__ = ["BookmarkGaps"]

# A connection is dead after so many times the longest gap, and so many seconds at least. It is more
# than two gaps: kube-apiserver drops a bookmark that it cannot send when it is due.
_TIMES = 2.5
_LEAST = 75.0
# So many gaps make a rhythm; so many are remembered.
_ENOUGH, _REMEMBERED = 2, 5
# Bookmarks that are nearer to each other than this do not come by the clock.
_TOGETHER = 1.0


class BookmarkGaps:
    """The times between the bookmarks of a watch, over one connection after another.

    A bookmark that ends the initial events does not count.

    Attributes:
        has_come: Whether one has come that was not noted yet.
        limit: After how many seconds of silence the connection is dead.
    """

    __slots__ = ("_gaps", "_last", "_longest", "has_come", "limit")

    def __init__(self) -> None:
        self._gaps: deque[float] = deque(maxlen=_REMEMBERED)
        self._last: float | None = None
        self.has_come = False
        self._longest = self.limit = float("inf")

    def begin(self, longest: float) -> float:
        """Note that there is another connection; gives `limit`, which is never above `longest`."""
        self._longest = longest
        self.has_come = False
        self._last = None  # between two connections there may be none for long
        self._decide()
        return self.limit

    def note(self, now: float) -> float:
        """Note when one has come, before more is read; gives `limit`."""
        self.has_come = False
        if self._last is None:
            self._last = now
        elif now - self._last >= _TOGETHER:
            self._gaps.append(now - self._last)
            self._last = now
            self._decide()
        return self.limit

    def forget(self) -> None:
        """Note that the connection was lost: the next may lead to a server that does otherwise."""
        self._gaps.clear()

    def _decide(self) -> None:
        self.limit = self._longest
        if len(self._gaps) >= _ENOUGH:
            self.limit = min(self._longest, max(_LEAST, _TIMES * max(self._gaps)))
