"""Limits the number of requests that run at the same time, fairly between peers."""

from __future__ import annotations

import threading
from collections import Counter, deque
from typing import Final, Generic, TypeVar

W = TypeVar("W")

# A peer may take another turn while its turns are fewer than this factor times the free turns.
_MAX_TURNS_PER_FREE_TURN: Final = 2


class Turns(Generic[W]):
    """Gives turns to waiting requests. The peer with the fewest turns gets the next turn.

    A single peer gets up to two thirds of the turns, a second peer up to two thirds of the rest,
    and so on. So peers with slow requests always leave some turns to others.

    No method waits. A waiter is any object that the caller can wait for, such as an event. Threads
    may share an instance.

    Args:
        count: The number of turns.
    """

    def __init__(self, count: int) -> None:
        self._lock = threading.Lock()
        self._free = count
        self._taken: Counter[str] = Counter()
        self._waiting: dict[str, deque[W]] = {}

    def take_or_queue(self, peer: str, waiter: W) -> bool:
        """Take a turn, or queue the waiter for a turn. Returns whether a turn was taken.

        When a queued waiter gets a turn, `give_back` returns the waiter.
        """
        with self._lock:
            if self._may_have_more(peer):
                self._free -= 1
                self._taken[peer] += 1
                return True
            self._waiting.setdefault(peer, deque()).append(waiter)
            return False

    def give_back(self, peer: str) -> W | None:
        """Give back a turn of a peer. Returns the waiter that gets the next turn, if any."""
        with self._lock:
            self._free += 1
            self._taken[peer] -= 1
            if not self._taken[peer]:
                del self._taken[peer]
            if not self._waiting:
                return None
            # If several peers have the fewest turns, the first in the dict has waited longest,
            # because a peer that gets a turn moves to the end.
            next_peer = min(self._waiting, key=self._taken.__getitem__)
            if not self._may_have_more(next_peer):
                return None
            queue = self._waiting.pop(next_peer)
            waiter = queue.popleft()
            if queue:
                self._waiting[next_peer] = queue
            self._free -= 1
            self._taken[next_peer] += 1
            return waiter

    def leave_queue(self, peer: str, waiter: W) -> bool:
        """Remove a waiter from the queue. Returns False if the caller must give back its turn."""
        with self._lock:
            queue = self._waiting.get(peer)
            if queue is None or waiter not in queue:
                return False
            queue.remove(waiter)
            if not queue:
                del self._waiting[peer]
            return True

    def _may_have_more(self, peer: str) -> bool:
        return self._taken[peer] < _MAX_TURNS_PER_FREE_TURN * self._free
