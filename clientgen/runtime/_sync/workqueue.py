# Derived from _async/workqueue.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Work queues. `add` never waits, `get` waits. `queue_state` has the decisions."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from .._clock import SYSTEM_CLOCK
from .._controllers.paced_state import PacedState
from .._controllers.queue_state import PriorityState, QueueState, ShutDown
from .._controllers.rate_limiters import ItemExponentialFailure, default_controller_limiter
from ._primitives import Event, short_lock, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import TracebackType
    from typing import Self

    from .._clock import Clock
    from .._controllers.queue_state import QueueMetrics, QueueMetricsProvider
    from .._controllers.rate_limiters import RateLimiter

T = TypeVar("T", bound=Hashable)


class WorkQueue(Generic[T]):
    """A queue of keys to process: fair, without duplicates, with delays and rate limits.

    A key that is added several times before a worker gets it is processed once. Two workers never
    have the same key at once: a key that is added while a worker has it is processed again after
    `done`. Every `get` needs a `done`; `item` and `processing` call `done`. The semantics are the
    same as for client-go's rate limiting queue (util/workqueue).

        for key in queue:
            with queue.processing(key):
                try:
                    sync(key)
                except ApiError:
                    queue.add_rate_limited(key)
                else:
                    queue.forget(key)

    Call the methods of an WorkQueue in its event loop only. From other threads, use
    `loop.call_soon_threadsafe(queue.add, key)`. A WorkQueue may be used from any thread.

    Args:
        name: The label of its metrics.
        limiter: The delays of `add_rate_limited`. None means client-go's default for controllers:
            for each item 5 ms, doubling up to 1000 s, and for all items 10 per second after the
            first 100.
        clock: The clock for delays.
        metrics: A provider such as `PrometheusQueueMetrics`; None disables metrics.

    Raises:
        ValueError: Metrics are given without a name.
    """

    def __init__(
        self,
        name: str = "",
        *,
        limiter: RateLimiter[T] | None = None,
        clock: Clock = SYSTEM_CLOCK,
        metrics: QueueMetricsProvider | None = None,
    ) -> None:
        if metrics and not name:
            raise ValueError("a queue with metrics needs a name")
        self.name = name
        self._clock = clock
        self._limiter = limiter or self._default_limiter()
        self._state = self._new_state(metrics.queue(name, clock) if metrics else None)
        self._lock = short_lock()
        self._getters: deque[Event] = deque()
        self._drainers: list[Event] = []
        self._is_paused = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {len(self)} items>"

    def __len__(self) -> int:
        """Return the number of items that are ready, excluding delayed and processed items."""
        with self._lock:
            self._state.advance(self._clock.monotonic())
            return len(self._state)

    # ---- adding -------------------------------------------------------------------------------

    def add(self, item: T) -> None:
        """Add an item. Ignored once the queue is shutting down."""
        self._add(item, 0)

    def add_after(self, item: T, delay: float) -> None:
        """Add an item in `delay` seconds. If the item is delayed already, the earlier time counts.

        Ignored once the queue is shutting down.
        """
        self._add_after(item, delay, 0)

    def add_rate_limited(self, item: T) -> None:
        """Add an item when the limiter allows it. Use it after a failure."""
        self._add_rate_limited(item, 0)

    def forget(self, item: T) -> None:
        """Reset the failures of an item in the limiter. An item in the queue stays there."""
        with self._lock:
            self._limiter.forget(item)

    def num_requeues(self, item: T) -> int:
        """Return how often an item was added rate limited since it was forgotten."""
        with self._lock:
            return self._limiter.num_requeues(item)

    # ---- taking -------------------------------------------------------------------------------

    def get(self) -> T:
        """Wait for the next item. Call `done` for it later.

        Raises:
            ShutDown: The queue is shut down and empty.
        """
        while True:
            with self._lock:
                now = self._clock.monotonic()
                self._state.advance(now)
                if len(self._state) and (not self._is_paused or self._state.shutting_down):
                    return self._state.take(now)
                if self._state.shutting_down:
                    raise ShutDown(f"the queue {self.name!r} is shut down".replace(" ''", ""))
                getter, until = Event(), self._state.next_ready
                self._getters.append(getter)
            self._wait(getter, until)

    def done(self, item: T) -> None:
        """Mark an item from `get` as processed, successfully or not.

        Raises:
            ValueError: The item is not being processed.
        """
        with self._lock:
            self._state.done(item, self._clock.monotonic())
            self._wake_getters()
            if not self._state.processing:
                self._release_drainers()

    @contextmanager
    def processing(self, item: T) -> Generator[T, None, None]:
        """Call `done` for an item at the end of a `with` block, even if the block raises."""
        try:
            yield item
        finally:
            self.done(item)

    def item(self) -> Item[T]:
        """Combine `get` and `done`: `with queue.item() as key`.

        Raises ShutDown, like `get`.
        """
        return Item(self)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        try:
            return self.get()
        except ShutDown:
            raise StopIteration from None

    # ---- pauses -------------------------------------------------------------------------------

    @property
    def is_paused(self) -> bool:
        """Whether the queue is paused."""
        return self._is_paused

    def pause(self) -> None:
        """Let `get` wait until `resume` is called, even if there are items.

        Items can be added. A shutdown ends the pause: workers get the remaining items.
        """
        self._is_paused = True

    def resume(self) -> None:
        """End a pause. Does nothing without a pause."""
        with self._lock:
            self._is_paused = False
            self._wake_getters(every=True)

    # ---- ending -------------------------------------------------------------------------------

    @property
    def shutting_down(self) -> bool:
        """Whether the queue accepts no more items."""
        return self._state.shutting_down

    def shut_down(self) -> None:
        """Accept no more items. Workers still get the remaining items, then ShutDown.

        Delayed items are lost. A waiting `shut_down_with_drain` returns.
        """
        with self._lock:
            self._shut_down()
            self._release_drainers()

    def shut_down_with_drain(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109
        """Shut down, and wait until no worker has an item.

        Args:
            timeout: How many seconds to wait; None for no limit.

        Returns:
            Whether all items are done: False after the timeout, or when `shut_down` was called.
        """
        drainer = Event()
        with self._lock:
            self._shut_down()
            if not self._state.processing:
                return True
            self._drainers.append(drainer)
        until = None if timeout is None else self._clock.monotonic() + timeout
        wait_until(drainer, self._clock, until)
        return not self._state.processing

    # ---- private ------------------------------------------------------------------------------

    def _discard(self, item: T) -> None:
        """Drop an item that is delayed, and forget its failures."""
        with self._lock:
            self._state.discard(item)
            self._limiter.forget(item)

    def _default_limiter(self) -> RateLimiter[T]:
        return default_controller_limiter()

    def _new_state(self, metrics: QueueMetrics | None) -> QueueState[T]:
        return QueueState(metrics)

    def _add(self, item: T, priority: int) -> None:
        with self._lock:
            self._put(self._state.debounce, item, 0.0, priority)

    def _add_after(self, item: T, delay: float, priority: int) -> None:
        with self._lock:
            self._put(self._state.add_after, item, delay, priority)

    def _add_rate_limited(self, item: T, priority: int) -> None:
        with self._lock:
            delay = self._limiter.when(item, self._clock.monotonic())
            self._put(self._state.add_after, item, delay, priority)

    def _put(
        self, add: Callable[[T, float, float, int], None], item: T, delay: float, priority: int
    ) -> None:
        before = self._state.next_ready
        add(item, delay, self._clock.monotonic(), priority)
        after = self._state.next_ready
        # All getters sleep until the earliest time that was known. An earlier time must wake them
        # all.
        sooner = after is not None and (before is None or after < before)
        self._wake_getters(every=sooner)

    def _wake_getters(self, *, every: bool = False) -> None:
        """Wake as many getters as there are items, or with `every`, all getters."""
        ready = 0 if self._is_paused else len(self._state)
        count = len(self._getters) if every else min(len(self._getters), ready)
        for _ in range(count):
            self._getters.popleft().set()

    def _wait(self, getter: Event, until: float | None) -> None:
        try:
            wait_until(getter, self._clock, until)
        except BaseException:
            with self._lock:
                if getter.is_set():
                    self._wake_getters()  # cancelled after it was woken: wake another getter
            raise
        finally:
            with self._lock:
                if getter in self._getters:
                    self._getters.remove(getter)

    def _shut_down(self) -> None:
        self._state.advance(self._clock.monotonic())
        self._state.shut_down()
        self._wake_getters(every=True)

    def _release_drainers(self) -> None:
        for drainer in self._drainers:
            drainer.set()
        self._drainers.clear()


class PriorityQueue(WorkQueue[T]):
    """A work queue that prefers higher priorities. Items with LOW_PRIORITY can wait.

    Each item is in the queue once: an item that is added again keeps the higher priority and the
    earlier time. This is controller-runtime's queue. Its default limiter only delays each item: 5
    ms, doubling up to 1000 s.

    Args:
        name: See `WorkQueue`.
        limiter: See `WorkQueue`.
        clock: See `WorkQueue`.
        metrics: See `WorkQueue`.
        interval: The seconds that pass at least between two times that workers get the same item.
    """

    def __init__(
        self,
        name: str = "",
        *,
        limiter: RateLimiter[T] | None = None,
        clock: Clock = SYSTEM_CLOCK,
        metrics: QueueMetricsProvider | None = None,
        interval: float = 0.0,
    ) -> None:
        self._interval = interval
        super().__init__(name, limiter=limiter, clock=clock, metrics=metrics)

    def add(self, item: T, *, priority: int = 0) -> None:
        """Add an item. Ignored once the queue is shutting down."""
        self._add(item, priority)

    def add_debounced(self, item: T, delay: float, *, priority: int = 0) -> None:
        """Add an item in `delay` seconds; further adds until then do not move this time.

        A steady stream of adds therefore gives a worker the item at intervals of about `delay`.
        Ignored once the queue is shutting down.
        """
        with self._lock:
            self._put(self._state.debounce, item, delay, priority)

    def add_after(self, item: T, delay: float, *, priority: int = 0) -> None:
        """Add an item in `delay` seconds. If the item is delayed already, the earlier time counts.

        Ignored once the queue is shutting down.
        """
        self._add_after(item, delay, priority)

    def add_rate_limited(self, item: T, *, priority: int = 0) -> None:
        """Add an item when the limiter allows it. Use it after a failure."""
        self._add_rate_limited(item, priority)

    def priority(self, item: T) -> int:
        """Return the priority that an item had when its worker got it.

        Use it to add the item again.
        """
        with self._lock:
            return self._state.priority(item)

    def _default_limiter(self) -> RateLimiter[T]:
        return ItemExponentialFailure(0.005)

    def _new_state(self, metrics: QueueMetrics | None) -> QueueState[T]:
        if self._interval > 0:
            return PacedState(metrics, self._interval)
        return PriorityState(metrics)


class Item(Generic[T]):
    """One item of a queue, from `get` to `done`."""

    def __init__(self, queue: WorkQueue[T]) -> None:
        self._queue = queue
        self._items: list[T] = []

    def __enter__(self) -> T:
        self._items.append(self._queue.get())
        return self._items[-1]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._queue.done(self._items.pop())
