"""The state of a work queue whose items belong to clusters: no cluster waits for another one.

The items of a cluster are in a lane, which is a priority queue. The lanes with items take turns,
and workers have at most `limit` items of a lane at once. So a cluster with thousands of items, or a
cluster whose requests hang, leaves the workers of the other clusters to them. Nothing here waits.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Generic, TypeVar

from .paced_state import PacedState
from .queue_state import RankedItems

if TYPE_CHECKING:
    from collections.abc import Callable

    from .queue_state import QueueMetrics

T = TypeVar("T", bound=Hashable)


class _Lane(Generic[T]):
    """The ready items of one cluster."""

    def __init__(self) -> None:
        self.ranked: RankedItems[T] = RankedItems()
        self.processing = 0
        self.is_held = False
        self.available = 0

    def available_now(self, limit: int) -> int:
        """Return how many items workers may take now."""
        return 0 if self.is_held else max(0, min(len(self.ranked), limit - self.processing))


class FairState(PacedState[T]):
    """A priority queue for each cluster. The clusters take turns, whatever the priorities are.

    The lane of the empty name is always there. Items of clusters that have no lane are ignored.

    Args:
        metrics: The metrics of the queue.
        limit: How many items of one cluster workers may have at once.
        cluster_of: Returns the name of the cluster of an item.
        interval: As for `PacedState`.
    """

    def __init__(
        self,
        metrics: QueueMetrics | None,
        limit: int,
        cluster_of: Callable[[T], str],
        interval: float = 0.0,
    ) -> None:
        super().__init__(metrics, interval)
        self._limit = limit
        self._cluster_of = cluster_of
        self._lanes: dict[str, _Lane[T]] = {"": _Lane()}
        self._turns: dict[_Lane[T], None] = {}  # lanes with available items, the next one first
        self._taken_from: dict[T, _Lane[T]] = {}
        self._available = 0

    def __len__(self) -> int:
        """Return the number of items that workers may take, as of the last `advance`."""
        return self._available

    # ---- lanes --------------------------------------------------------------------------------

    def open(self, cluster: str) -> None:
        """Accept the items of a cluster. Workers get them after `release`."""
        lane = self._lanes[cluster] = _Lane()
        lane.is_held = True

    def release(self, cluster: str) -> None:
        """Give the items of a cluster to workers."""
        self._set_held(cluster, held=False)

    def hold(self, cluster: str) -> None:
        """Keep the items of a cluster, and accept more, but give none to workers."""
        self._set_held(cluster, held=True)

    def close(self, cluster: str) -> list[T]:
        """Drop the items of a cluster, and ignore further ones. Returns the dropped items.

        Workers keep the items that they have.
        """
        lane = self._lanes.pop(cluster, None)
        if lane is not None:
            lane.is_held = True
            self._settle(lane)
        dropped = [item for item in self._dirty if self._cluster_of(item) == cluster]
        for item in dropped:
            del self._dirty[item]
        waiting = [item for item in self._waiting_priorities if self._cluster_of(item) == cluster]
        for item in waiting:
            del self._waiting_priorities[item]
            self._waiting.discard(item)
        forget = getattr(self._metrics, "dropped", None)
        if forget is not None:
            for item in dropped:
                forget(item)
        return dropped + waiting

    def accepts(self, item: T) -> bool:
        """Return whether the cluster of an item has a lane."""
        return self._cluster_of(item) in self._lanes

    def depth(self, cluster: str) -> int:
        """Return the number of items of a cluster that are ready or held back."""
        lane = self._lanes.get(cluster)
        return 0 if lane is None else len(lane.ranked)

    def _set_held(self, cluster: str, *, held: bool) -> None:
        lane = self._lanes.get(cluster)
        if lane is not None:
            lane.is_held = held
            self._settle(lane)

    def _settle(self, lane: _Lane[T]) -> None:
        """Note how many items of a lane workers may take, and whether it has its turn."""
        available = lane.available_now(self._limit)
        self._available += available - lane.available
        lane.available = available
        if available:
            self._turns.setdefault(lane)
        else:
            self._turns.pop(lane, None)

    # ---- items --------------------------------------------------------------------------------

    def debounce(self, item: T, delay: float, now: float, priority: int = 0) -> None:
        """Add an item after `delay` seconds, which the first of several calls begins."""
        if self.accepts(item):
            super().debounce(item, delay, now, priority)

    def add_after(self, item: T, delay: float, now: float, priority: int = 0) -> None:
        """Add an item after `delay` seconds. An item that is due earlier keeps its time."""
        if self.accepts(item):
            super().add_after(item, delay, now, priority)

    def done(self, item: T, now: float) -> None:
        """Note that a worker is done with an item. A dirty item becomes ready again.

        Raises:
            ValueError: No worker has the item.
        """
        lane = self._taken_from.pop(item, None)
        super().done(item, now)
        if lane is not None:
            lane.processing -= 1
            self._settle(lane)

    def _push(self, item: T) -> None:
        lane = self._lanes[self._cluster_of(item)]
        priority, number = self._dirty[item]
        lane.ranked.put(item, -priority, number)
        self._settle(lane)

    def _pop(self) -> tuple[T, int]:
        lane = next(iter(self._turns))
        del self._turns[lane]  # to the end, if there is more
        lane.ranked.first()  # drops outdated ranks
        item = lane.ranked.pop()
        lane.processing += 1
        self._taken_from[item] = lane
        self._settle(lane)
        return item, self._dirty.pop(item)[0]
