"""The state of a queue whose items have a pause between two times of processing."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, TypeVar

from .queue_state import PriorityState

if TYPE_CHECKING:
    from .queue_state import QueueMetrics

T = TypeVar("T", bound=Hashable)


class PacedState(PriorityState[T]):
    """A priority queue that gives each item to workers at most once in `interval` seconds.

    An item that is added earlier waits. Other items do not.
    """

    def __init__(self, metrics: QueueMetrics | None, interval: float) -> None:
        super().__init__(metrics)
        self._interval = interval
        self._free_at: dict[T, float] = {}  # of the items of the last interval, in this order

    def debounce(self, item: T, delay: float, now: float, priority: int = 0) -> None:
        """Add an item after `delay` seconds, and not before its pause is over."""
        super().debounce(item, max(delay, self._pause(item, now)), now, priority)

    def take(self, now: float) -> T:
        """Give the next item to a worker, and begin its pause."""
        item = super().take(now)
        self._free_at.pop(item, None)
        self._free_at[item] = now + self._interval
        while (oldest := next(iter(self._free_at))) != item and self._free_at[oldest] <= now:
            del self._free_at[oldest]
        return item

    def _pause(self, item: T, now: float) -> float:
        """Return the seconds until the pause of an item is over; 0 or less if it is over."""
        return self._free_at.get(item, now) - now
