"""State of a work queue: order, delays, duplicates and shutdown.

No waiting and no clock: the time comes in as a number of seconds, `_async/workqueue` waits. An item
is in up to three places: *dirty* (somebody wants it processed), *processing* (a worker has it) and
*waiting* (it will be dirty some time). A dirty item is ready for a worker unless one has it; then
it becomes ready when that worker is done. So adds coalesce, and no two workers have the same item.

`QueueState` is client-go's queue, the delaying one included (util/workqueue/queue.go and
delaying_queue.go); `PriorityState` is controller-runtime's (pkg/controller/priorityqueue).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from .._clock import Clock

__all__ = [
    "LOW_PRIORITY",
    "PriorityState",
    "QueueMetrics",
    "QueueMetricsProvider",
    "QueueState",
    "ShutDown",
]

T = TypeVar("T", bound=Hashable)

LOW_PRIORITY: Final = -100
"""For what can wait for live changes: initial lists and resyncs (controller-runtime's value)."""

_SLACK: Final = 64


class ShutDown(Exception):  # noqa: N818 - it is not an error, but how a queue ends
    """The queue is shut down and has no items left."""


class QueueMetrics(Protocol):
    """Watches one queue. Times are those of the queue's clock, in seconds."""

    def added(self, item: Hashable, now: float, /) -> None:
        """An item has become dirty."""
        ...

    def taken(self, item: Hashable, now: float, /) -> None:
        """A worker has got an item."""
        ...

    def done(self, item: Hashable, now: float, /) -> None:
        """The worker is done with it."""
        ...

    def retried(self) -> None:
        """An item was added for later."""
        ...


class QueueMetricsProvider(Protocol):
    """Makes what watches a queue; give one to a queue with a name."""

    def queue(self, name: str, clock: Clock, /) -> QueueMetrics:
        """Return the metrics of the queue of that name."""
        ...


class _Ranked(Generic[T]):
    """Items in the order of their ranks, which may change; equal ranks are in the order of numbers.

    A rank that was changed stays in the heap until it comes up, or too many of its kind are there.
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
        if len(self._heap) > 2 * len(self._ranks) + _SLACK:
            self._heap = [(*place, item) for item, place in self._ranks.items()]
            heapify(self._heap)

    def discard(self, item: T) -> None:
        self._ranks.pop(item, None)

    def first(self) -> float | None:
        """The lowest rank; None if nothing is here."""
        while self._heap:
            rank, number, item = self._heap[0]
            if self._ranks.get(item) == (rank, number):
                return rank
            heappop(self._heap)
        return None

    def pop(self) -> T:
        """Take out the item that `first` was about."""
        item = heappop(self._heap)[2]
        del self._ranks[item]
        return item


class QueueState(Generic[T]):
    """First in, first out. Priorities are not looked at."""

    def __init__(self, metrics: QueueMetrics | None = None) -> None:
        self._metrics = metrics
        self._ready: deque[T] = deque()
        self._dirty: dict[T, tuple[int, int]] = {}  # priority and number
        self._processing: dict[T, int] = {}
        self._waiting: _Ranked[T] = _Ranked()
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
        """When the next waiting item will be ready; None if none is waiting."""
        return self._waiting.first()

    def priority(self, item: T) -> int:
        """The priority that an item had when its worker got it."""
        return self._processing.get(item, 0)

    def advance(self, now: float) -> None:
        """Let those in whose time has come, in the order of their times."""
        while (at := self._waiting.first()) is not None and at <= now:
            self._let_in(self._waiting.pop(), at)

    def add(self, item: T, now: float, priority: int = 0) -> None:
        """Have an item processed, once more if it is being processed already."""
        self.advance(now)
        if not self.shutting_down:
            self._enter(item, now, priority)

    def add_after(self, item: T, delay: float, now: float, priority: int = 0) -> None:
        """Have an item added after some seconds, or earlier if it is waiting for less."""
        self.advance(now)
        if self.shutting_down:
            return
        if self._metrics:
            self._metrics.retried()
        if delay > 0:
            self._wait(item, now + delay, priority)
        else:
            self._enter(item, now, priority)

    def take(self, now: float) -> T:
        """Give the next item to a worker. Only while one is ready."""
        item, priority = self._pop()
        self._processing[item] = priority
        if self._metrics:
            self._metrics.taken(item, now)
        return item

    def done(self, item: T, now: float) -> None:
        """A worker is done with an item, which may be ready again then.

        Raises:
            ValueError: No worker has it.
        """
        self.advance(now)
        if item not in self._processing:
            raise ValueError(f"{item!r} is not being processed: done() was called too many times")
        del self._processing[item]
        if self._metrics:
            self._metrics.done(item, now)
        if item in self._dirty:
            self._push(item)

    def shut_down(self) -> None:
        """Take nothing in any more. What is dirty is still given out; what is waiting is lost."""
        self.shutting_down = True
        self._waiting = _Ranked()

    # ---- how items are ordered ----------------------------------------------------------------

    def _enter(self, item: T, now: float, priority: int) -> None:
        if item not in self._dirty:
            self._dirty[item] = (priority, 0)
            self._note_and_push(item, now)

    def _note_and_push(self, item: T, now: float) -> None:
        if self._metrics:
            self._metrics.added(item, now)
        if item not in self._processing:
            self._push(item)

    def _wait(self, item: T, until: float, priority: int) -> None:  # noqa: ARG002 - for others
        if item not in self._waiting or until < self._waiting.rank(item):
            self._waiting.put(item, until, self._next_number())

    def _let_in(self, item: T, at: float) -> None:
        self._enter(item, at, 0)

    def _push(self, item: T) -> None:
        self._ready.append(item)

    def _pop(self) -> tuple[T, int]:
        item = self._ready.popleft()
        return item, self._dirty.pop(item)[0]

    def _next_number(self) -> int:
        self._number += 1
        return self._number


class PriorityState(QueueState[T]):
    """Higher priorities first, within a priority first in, first out. An item is there once.

    Added again it keeps the higher priority, at whose end it lines up, and the earlier time: a
    waiting item that is added waits no longer, and to add a ready one for later changes nothing.
    """

    def __init__(self, metrics: QueueMetrics | None = None) -> None:
        super().__init__(metrics)
        self._ranked: _Ranked[T] = _Ranked()
        self._later: dict[T, int] = {}  # the priorities of waiting items

    def __len__(self) -> int:
        """Return the number of items ready for a worker, as of the last `advance`."""
        return len(self._ranked)

    def shut_down(self) -> None:
        """Take nothing in any more. What is dirty is still given out; what is waiting is lost."""
        super().shut_down()
        self._later.clear()

    def _enter(self, item: T, now: float, priority: int) -> None:
        if item in self._later:
            priority = max(priority, self._later.pop(item))
            self._waiting.discard(item)
        entry = self._dirty.get(item)
        if entry and entry[0] >= priority:
            return
        self._dirty[item] = (priority, self._next_number())
        if entry is None:
            self._note_and_push(item, now)
        elif item not in self._processing:
            self._push(item)

    def _wait(self, item: T, until: float, priority: int) -> None:
        if item in self._dirty:
            self._enter(item, until, priority)
            return
        self._later[item] = max(priority, self._later.get(item, priority))
        super()._wait(item, until, priority)

    def _let_in(self, item: T, at: float) -> None:
        self._enter(item, at, self._later.pop(item))

    def _push(self, item: T) -> None:
        priority, number = self._dirty[item]
        self._ranked.put(item, -priority, number)

    def _pop(self) -> tuple[T, int]:
        self._ranked.first()  # drops what is no longer true
        item = self._ranked.pop()
        return item, self._dirty.pop(item)[0]
