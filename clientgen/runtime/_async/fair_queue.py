"""`AsyncFairQueue`: the work queue of a controller of many clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from .._controllers.fair_queue import FairState
from .._controllers.reconcile_loop import Request, cluster_name
from .workqueue import AsyncPriorityQueue

if TYPE_CHECKING:
    from .._clock import Clock
    from .._controllers.queue_state import QueueMetrics, QueueMetricsProvider, QueueState
    from .._controllers.rate_limiters import RateLimiter


class AsyncFairQueue(AsyncPriorityQueue[Request]):
    """A priority queue with a lane for each cluster; see `FairState`.

    Args:
        name: The label of its metrics.
        limit: How many requests of one cluster workers have at once.
        limiter: As for `AsyncPriorityQueue`.
        clock: The clock for delays.
        metrics: A provider of metrics.
        interval: As for `AsyncPriorityQueue`.
    """

    def __init__(
        self,
        name: str,
        limit: int,
        *,
        limiter: RateLimiter[Request] | None,
        clock: Clock,
        metrics: QueueMetricsProvider | None,
        interval: float = 0.0,
    ) -> None:
        self._limit = limit
        super().__init__(name, limiter=limiter, clock=clock, metrics=metrics, interval=interval)

    def open(self, cluster: str) -> None:
        """Accept the requests of a cluster. Workers get them after `release`."""
        with self._lock:
            self._lanes.open(cluster)

    def release(self, cluster: str) -> None:
        """Give the requests of a cluster to workers."""
        with self._lock:
            self._lanes.release(cluster)
            self._wake_getters()

    def hold(self, cluster: str) -> None:
        """Hold back the requests of a cluster."""
        with self._lock:
            self._lanes.hold(cluster)

    def close(self, cluster: str) -> list[Request]:
        """Drop the requests of a cluster, and ignore further ones. Returns the dropped requests."""
        with self._lock:
            dropped = self._lanes.close(cluster)
            for request in dropped:
                self._limiter.forget(request)
            return dropped

    def accepts(self, request: Request) -> bool:
        """Return whether the queue takes requests of this cluster."""
        with self._lock:
            return self._lanes.accepts(request)

    def depth(self, cluster: str) -> int:
        """Return the number of requests of a cluster that wait for a worker."""
        with self._lock:
            return self._lanes.depth(cluster)

    def _add_rate_limited(self, item: Request, priority: int) -> None:
        super()._add_rate_limited(item, priority)
        with self._lock:
            if not self._lanes.accepts(item):
                self._limiter.forget(item)

    @property
    def _lanes(self) -> FairState[Request]:
        return cast("FairState[Request]", self._state)

    def _new_state(self, metrics: QueueMetrics | None) -> QueueState[Request]:
        return FairState(metrics, self._limit, cluster_name, self._interval)
