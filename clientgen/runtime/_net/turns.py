"""Who is answered next, when more requests have come than are answered at once."""

from __future__ import annotations

import threading
from collections import Counter, deque
from typing import Final, Generic, TypeVar

__all__ = ["Turns"]

W = TypeVar("W")

_SHARE: Final = 2  # a peer takes turns while it has fewer than so many for each free one


class Turns(Generic[W]):
    """Gives turns to the waiters of peers; who has the fewest turns gets the next one.

    A peer has up to two thirds of the turns, the next one up to two thirds of the rest, and so on:
    a few peers whose requests take long leave free turns to others.
    It does not wait itself. Threads may share it.

    Args:
        most: How many turns there are at once.
    """

    def __init__(self, most: int) -> None:
        self._lock = threading.Lock()
        self._free = most
        self._taken: Counter[str] = Counter()
        self._waiting: dict[str, deque[W]] = {}

    def take(self, peer: str, waiter: W) -> bool:
        """Take a turn; tells whether there was one. If not, `give` returns the waiter later."""
        with self._lock:
            if self._may_have_more(peer):
                self._free -= 1
                self._taken[peer] += 1
                return True
            self._waiting.setdefault(peer, deque()).append(waiter)
            return False

    def give(self, peer: str) -> W | None:
        """Give a turn of a peer back; returns the waiter that has it now, if one has."""
        with self._lock:
            self._free += 1
            self._taken[peer] -= 1
            if not self._taken[peer]:
                del self._taken[peer]
            if not self._waiting:
                return None
            # Of equal ones, who waits the longest: a peer that gets a turn goes to the end.
            following = min(self._waiting, key=self._taken.__getitem__)
            if not self._may_have_more(following):
                return None
            queue = self._waiting.pop(following)
            waiter = queue.popleft()
            if queue:
                self._waiting[following] = queue
            self._free -= 1
            self._taken[following] += 1
            return waiter

    def leave(self, peer: str, waiter: W) -> bool:
        """Wait no longer; tells whether it waited. If not, it has a turn, to be given back."""
        with self._lock:
            queue = self._waiting.get(peer)
            if queue is None or waiter not in queue:
                return False
            queue.remove(waiter)
            if not queue:
                del self._waiting[peer]
            return True

    def _may_have_more(self, peer: str) -> bool:
        return self._taken[peer] < _SHARE * self._free
