"""Who is answered next, when more requests have come than are answered at once."""

from __future__ import annotations

import threading
from collections import Counter, deque
from typing import Generic, TypeVar

__all__ = ["Turns"]

W = TypeVar("W")


class Turns(Generic[W]):
    """Gives turns to the waiters of peers; who has the fewest turns gets the next one.

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
            if self._free:
                self._free -= 1
                self._taken[peer] += 1
                return True
            self._waiting.setdefault(peer, deque()).append(waiter)
            return False

    def give(self, peer: str) -> W | None:
        """Give a turn of a peer back; returns the waiter that has it now."""
        with self._lock:
            self._taken[peer] -= 1
            if not self._taken[peer]:
                del self._taken[peer]
            if not self._waiting:
                self._free += 1
                return None
            # Of equal ones, who waits the longest: a peer that gets a turn goes to the end.
            following = min(self._waiting, key=self._taken.__getitem__)
            queue = self._waiting.pop(following)
            waiter = queue.popleft()
            if queue:
                self._waiting[following] = queue
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
