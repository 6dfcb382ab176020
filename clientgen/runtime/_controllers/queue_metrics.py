"""Metrics of work queues for Prometheus, with client-go's names. Needs `clientgen[metrics]`.

The label `name` is the queue's name. Queues with the same name share their time series: counters
and histograms continue, and gauges are sums over all existing queues with the name. Gauges are
computed when the metrics are read; client-go updates them every half second. (client-go:
util/workqueue/metrics.go and component-base's metrics/prometheus/workqueue.)
"""

from __future__ import annotations

from _thread import RLock  # `threading` takes time to import
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

try:
    from prometheus_client import REGISTRY, Counter, Gauge, Histogram
except ImportError as error:
    raise ImportError("metrics need prometheus-client: pip install prometheus-client") from error

from .._cache.metrics_registry import PerRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from prometheus_client import CollectorRegistry

    from .._clock import Clock
    from .queue_state import QueueMetrics

BUCKETS: Final = tuple(10e-9 * 10**exponent for exponent in range(10))
"""The buckets of both histograms: 10 ns to 10 s."""


class PrometheusQueueMetrics:
    """Publishes the metrics of queues: `AsyncWorkQueue("pods", metrics=PrometheusQueueMetrics())`.

    Several instances may share a registry.

    Args:
        registry: The registry to publish in; None for prometheus-client's default registry.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._families = _families.get_or_create(registry or REGISTRY)

    def queue(self, name: str, clock: Clock, /) -> QueueMetrics:
        """Return the metrics of the queue with this name."""
        return _WatchedQueue(self._families.series_of(name), clock)


class _Families:
    """The metrics of one registry. A registry accepts each name only once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def gauge(name: str, about: str) -> Gauge:
            return Gauge(f"workqueue_{name}", about, ["name"], registry=registry)

        def counter(name: str, about: str) -> Counter:
            return Counter(f"workqueue_{name}", about, ["name"], registry=registry)

        def histogram(name: str, about: str) -> Histogram:
            return Histogram(
                f"workqueue_{name}", about, ["name"], registry=registry, buckets=BUCKETS
            )

        self.depth = gauge("depth", "Items that wait for a worker.")
        self.adds = counter("adds_total", "Items added.")
        self.retries = counter("retries_total", "Items added with a delay.")
        self.waited = histogram("queue_duration_seconds", "Time from add to get of an item.")
        self.worked = histogram("work_duration_seconds", "Time from get to done of an item.")
        self.unfinished = gauge(
            "unfinished_work_seconds",
            "Sum of the times that unfinished items have been processed.",
        )
        self.longest = gauge(
            "longest_running_processor_seconds",
            "Longest time that an unfinished item is processed.",
        )
        self._series: dict[str, _Series] = {}

    def series_of(self, name: str) -> _Series:
        with _series_lock:
            if name not in self._series:
                self._series[name] = _Series(self, name)
            return self._series[name]


_series_lock = RLock()
_families = PerRegistry(_Families)


class _Series:
    """The time series of one name, and the queues with this name."""

    def __init__(self, families: _Families, name: str) -> None:
        self.queues: WeakSet[_WatchedQueue] = WeakSet()
        self.adds = families.adds.labels(name)
        self.retries = families.retries.labels(name)
        self.waited = families.waited.labels(name)
        self.worked = families.worked.labels(name)
        families.depth.labels(name).set_function(self._over_queues(_WatchedQueue.depth))
        families.unfinished.labels(name).set_function(self._over_queues(_WatchedQueue.unfinished))
        families.longest.labels(name).set_function(self._longest)

    def _over_queues(self, value: Callable[[_WatchedQueue], float]) -> Callable[[], float]:
        return lambda: float(sum(value(queue) for queue in list(self.queues)))

    def _longest(self) -> float:
        return max((queue.longest() for queue in list(self.queues)), default=0.0)


class _WatchedQueue:
    """The metrics of one queue. The queue updates them under its lock; other threads read them."""

    def __init__(self, series: _Series, clock: Clock) -> None:
        self._series = series
        self._clock = clock
        self._added: dict[Hashable, float] = {}
        self._started: dict[Hashable, float] = {}
        series.queues.add(self)

    def added(self, item: Hashable, now: float, /) -> None:
        self._series.adds.inc()
        self._added[item] = now

    def taken(self, item: Hashable, now: float, /) -> None:
        self._started[item] = now
        self._series.waited.observe(now - self._added.pop(item, now))

    def done(self, item: Hashable, now: float, /) -> None:
        self._series.worked.observe(now - self._started.pop(item, now))

    def dropped(self, item: Hashable, /) -> None:
        """Forget an item that has left the queue without a worker."""
        self._added.pop(item, None)

    def retried(self) -> None:
        self._series.retries.inc()

    def depth(self) -> float:
        return len(self._added)

    def unfinished(self) -> float:
        return sum(self._ages())

    def longest(self) -> float:
        return max(self._ages(), default=0.0)

    def _ages(self) -> list[float]:
        now = self._clock.monotonic()
        return [now - start for start in list(self._started.values())]
