"""The state of a work queue: order, delays, duplicates and shutdown.

Nothing here waits or reads a clock: times are arguments, and `_async/workqueue` waits. An item may
be *dirty* (needs processing), *processing* (a worker has the item) and *waiting* (becomes dirty
later). A dirty item is ready for a worker. If a worker has the item already, it becomes ready when
that worker is done. So adds coalesce, and no two workers have the same item.

`QueueState` is client-go's queue with delays (util/workqueue/queue.go and delaying_queue.go);
`PriorityState` is controller-runtime's (pkg/controller/priorityqueue).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from .._clock import Clock

T = TypeVar("T", bound=Hashable)

LOW_PRIORITY: Final = -100
"""The priority of initial lists and resyncs, which is lower than the priority of changes.

The value is controller-runtime's.
"""

_MAX_OUTDATED_RANKS: Final = 64


class ShutDown(Exception):  # noqa: N818 - the normal end of a queue
    """The queue is shut down and has no items left."""


class QueueMetrics(Protocol):
    """Receives the events of one queue. Times are seconds of the queue's clock."""

    def added(self, item: Hashable, now: float, /) -> None:
        """An item has become dirty."""
        ...

    def taken(self, item: Hashable, now: float, /) -> None:
        """A worker has taken an item."""
        ...

    def done(self, item: Hashable, now: float, /) -> None:
        """A worker is done with an item."""
        ...

    def retried(self) -> None:
        """An item was added with a delay."""
        ...


class QueueMetricsProvider(Protocol):
    """Creates the metrics of queues. Only named queues have metrics."""

    def queue(self, name: str, clock: Clock, /) -> QueueMetrics:
        """Return the metrics of the queue with this name."""
        ...


class RankedItems(Generic[T]):
    """Items ordered by rank, and by number for equal ranks. Ranks may change.

    The heap keeps outdated ranks until they come first, or until it has too many of them.
    """

    def __init__(self) -> None:
        self._ranks: dict[T, tuple[float, int]] = {}
        self._heap: list[tuple[float, int, T]] = []

    def __len__(self) -> int:
        return len(self._ranks)

    def __contains__(self, item: T) -> bool:
        return item in self._ranks

    def rank(self, item: T) -> float:
        return self._ranks[item][0]

    def put(self, item: T, rank: float, number: int) -> None:
        self._ranks[item] = (rank, number)
        heappush(self._heap, (rank, number, item))
        if len(self._heap) > 2 * len(self._ranks) + _MAX_OUTDATED_RANKS:
            self._heap = [(*place, item) for item, place in self._ranks.items()]
            heapify(self._heap)

    def discard(self, item: T) -> None:
        self._ranks.pop(item, None)

    def first(self) -> float | None:
        """Return the lowest rank; None without items."""
        while self._heap:
            rank, number, item = self._heap[0]
            if self._ranks.get(item) == (rank, number):
                return rank
            heappop(self._heap)
        return None

    def pop(self) -> T:
        """Remove and return the item with the lowest rank. Call `first` before `pop`."""
        item = heappop(self._heap)[2]
        del self._ranks[item]
        return item


class QueueState(Generic[T]):
    """A first-in, first-out queue. It ignores priorities."""

    def __init__(self, metrics: QueueMetrics | None = None) -> None:
        self._metrics = metrics
        self._ready: deque[T] = deque()
        self._dirty: dict[T, tuple[int, int]] = {}  # priority and number
        self._processing: dict[T, int] = {}
        self._waiting: RankedItems[T] = RankedItems()
        self._number = 0
        self.shutting_down = False

    def __len__(self) -> int:
        """Return the number of items ready for a worker, as of the last `advance`."""
        return len(self._ready)

    @property
    def processing(self) -> int:
        """The number of items that workers have."""
        return len(self._processing)

    @property
    def next_ready(self) -> float | None:
        """The time at which the next waiting item will be ready; None without waiting items."""
        return self._waiting.first()

    def priority(self, item: T) -> int:
        """Return the priority that an item had when its worker took it."""
        return self._processing.get(item, 0)

    def advance(self, now: float) -> None:
        """Add the waiting items that are due, in the order of their times."""
        while (due := self._waiting.first()) is not None and due <= now:
            self._add_due(self._waiting.pop(), due)

    def add(self, item: T, now: float, priority: int = 0) -> None:
        """Add an item. If it is being processed, it will be processed again."""
        self.debounce(item, 0.0, now, priority)

    def debounce(self, item: T, delay: float, now: float, priority: int = 0) -> None:
        """Add an item after `delay` seconds, which the first of several calls begins."""
        self.advance(now)
        if self.shutting_down:
            return
        if delay > 0:
            self._wait(item, now + delay, priority)
        else:
            self._mark_dirty(item, now, priority)

    def add_after(self, item: T, delay: float, now: float, priority: int = 0) -> None:
        """Add an item after `delay` seconds. An item that is due earlier keeps its time."""
        if self._metrics and not self.shutting_down:
            self._metrics.retried()
        self.debounce(item, delay, now, priority)

    def take(self, now: float) -> T:
        """Give the next item to a worker. Call this only while an item is ready."""
        item, priority = self._pop()
        self._processing[item] = priority
        if self._metrics:
            self._metrics.taken(item, now)
        return item

    def done(self, item: T, now: float) -> None:
        """Note that a worker is done with an item. A dirty item becomes ready again.

        Raises:
            ValueError: No worker has the item.
        """
        self.advance(now)
        if item not in self._processing:
            raise ValueError(f"{item!r} is not being processed: done() was called too many times")
        del self._processing[item]
        if self._metrics:
            self._metrics.done(item, now)
        if item in self._dirty:
            self._push(item)

    def discard(self, item: T) -> None:
        """Drop an item that waits for its time."""
        self._waiting.discard(item)

    def shut_down(self) -> None:
        """Ignore further adds. Workers still get dirty items; waiting items are dropped."""
        self.shutting_down = True
        self._waiting = RankedItems()

    # ---- the order of items -------------------------------------------------------------------

    def _mark_dirty(self, item: T, now: float, priority: int) -> None:
        if item not in self._dirty:
            self._dirty[item] = (priority, 0)
            self._count_and_push(item, now)

    def _count_and_push(self, item: T, now: float) -> None:
        if self._metrics:
            self._metrics.added(item, now)
        if item not in self._processing:
            self._push(item)

    def _wait(self, item: T, until: float, priority: int) -> None:  # noqa: ARG002 - for subclasses
        if item not in self._waiting or until < self._waiting.rank(item):
            self._waiting.put(item, until, self._next_number())

    def _add_due(self, item: T, due: float) -> None:
        self._mark_dirty(item, due, 0)

    def _push(self, item: T) -> None:
        self._ready.append(item)

    def _pop(self) -> tuple[T, int]:
        item = self._ready.popleft()
        return item, self._dirty.pop(item)[0]

    def _next_number(self) -> int:
        self._number += 1
        return self._number


class PriorityState(QueueState[T]):
    """A priority queue. Items with the same priority are first in, first out.

    An item that is added again keeps the higher priority. If its priority rises, it goes to the end
    of the items with that priority. It also keeps the earlier time: `add` makes a waiting item
    ready, and `add_after` does not delay a ready item.
    """

    def __init__(self, metrics: QueueMetrics | None = None) -> None:
        super().__init__(metrics)
        self._ranked: RankedItems[T] = RankedItems()
        self._waiting_priorities: dict[T, int] = {}  # the priorities of waiting items

    def __len__(self) -> int:
        """Return the number of items ready for a worker, as of the last `advance`."""
        return len(self._ranked)

    def shut_down(self) -> None:
        """Ignore further adds. Workers still get dirty items; waiting items are dropped."""
        super().shut_down()
        self._waiting_priorities.clear()

    def _mark_dirty(self, item: T, now: float, priority: int) -> None:
        if item in self._waiting_priorities:
            priority = max(priority, self._waiting_priorities.pop(item))
            self._waiting.discard(item)
        entry = self._dirty.get(item)
        if entry and entry[0] >= priority:
            return
        self._dirty[item] = (priority, self._next_number())
        if entry is None:
            self._count_and_push(item, now)
        elif item not in self._processing:
            self._push(item)

    def _wait(self, item: T, until: float, priority: int) -> None:
        if item in self._dirty:
            self._mark_dirty(item, until, priority)
            return
        self._waiting_priorities[item] = max(priority, self._waiting_priorities.get(item, priority))
        super()._wait(item, until, priority)

    def _add_due(self, item: T, due: float) -> None:
        self._mark_dirty(item, due, self._waiting_priorities.pop(item))

    def _push(self, item: T) -> None:
        priority, number = self._dirty[item]
        self._ranked.put(item, -priority, number)

    def _pop(self) -> tuple[T, int]:
        self._ranked.first()  # drops outdated ranks
        item = self._ranked.pop()
        return item, self._dirty.pop(item)[0]
