"""Metrics of informers, under client-go's names where it has them.

`InformerMetricsProvider` is what an informer asks; `PrometheusInformerMetrics` answers it with
prometheus-client, which `clientgen[metrics]` installs and which is imported when one is made. The
metrics of work queues are in `queue_metrics`.
"""

from __future__ import annotations

from _thread import RLock  # as functools does
from typing import TYPE_CHECKING, Protocol
from weakref import WeakMethod

from msgspec import Struct

from .metrics_registry import PerRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

    from .._http.resource import Resource

__all__ = [
    "InformerMetrics",
    "InformerMetricsProvider",
    "InformerState",
    "PrometheusInformerMetrics",
]


class InformerState(Struct, frozen=True):
    """The state of an informer.

    Attributes:
        queued_items: Notifications that handlers have yet to be told.
        objects: How many the cache has.
        resource_version: Of the cache.
        handler_errors: How many calls of handlers have failed.
        watch_errors: How many passes of its reflectors have failed.
        disconnected_seconds: For how long it has had no open watch.
    """

    queued_items: int
    objects: int
    resource_version: str
    handler_errors: int
    watch_errors: int
    disconnected_seconds: float = 0.0


class InformerMetrics(Protocol):
    """The metrics of one informer."""

    def processed(self, seconds: float, /) -> None:
        """A list, or some events that came together, went into the cache and to the handlers."""
        ...


class InformerMetricsProvider(Protocol):
    """A receiver of the metrics of informers."""

    def informer(
        self, resource: Resource, state: Callable[[], InformerState], /
    ) -> InformerMetrics:
        """Watch an informer; `state` is a bound method that tells how it is at any time."""
        ...


class PrometheusInformerMetrics:
    """Publishes the metrics of informers: `k.informers(metrics=PrometheusInformerMetrics())`.

    Labels are group, version and resource; informers of one resource share their series, as sums.
    Any number of these may share a registry. (client-go 1.36: tools/cache, component-base's
    metrics/prometheus/clientgo; handler_errors, watch_errors, objects and disconnected_seconds are
    this project's.)

    Args:
        registry: Where they are published; None is prometheus-client's own.

    Raises:
        ImportError: prometheus-client is not installed.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._collector = _collector_of(registry)

    def informer(
        self, resource: Resource, state: Callable[[], InformerState], /
    ) -> InformerMetrics:
        """Publish the metrics of an informer, for as long as it lives."""
        return self._collector.watch(resource, state)


LABELS = ("group", "version", "resource")


class _Collector:
    """Reads the informers of one registry when the metrics are asked for."""

    def __init__(self, registry: CollectorRegistry) -> None:
        from prometheus_client import Histogram

        self._informers: dict[Resource, list[WeakMethod[Callable[[], InformerState]]]] = {}
        self._latency = Histogram(
            "informer_processing_latency_seconds",
            "How long it took to take a list, or events that came together, into the cache.",
            LABELS,
            registry=registry,
        )
        registry.register(self)

    def watch(self, resource: Resource, state: Callable[[], InformerState]) -> InformerMetrics:
        with _making:
            live = [
                reference
                for reference in self._informers.get(resource, ())
                if reference() is not None
            ]
            self._informers[resource] = [*live, WeakMethod(state)]
        latency = self._latency.labels(resource.group, resource.version, resource.plural)
        return _Latency(latency.observe)

    def collect(self) -> Iterable[Metric]:
        """Yield the metrics when prometheus-client asks for them."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        collected = [*self._states()]
        for name, about, value in _GAUGES:
            gauge = GaugeMetricFamily(name, about, labels=LABELS)
            for labels, states in collected:
                gauge.add_metric(labels, value(states))
            yield gauge
        for name, about, value in _COUNTERS:
            counter = CounterMetricFamily(name, about, labels=LABELS)
            for labels, states in collected:
                counter.add_metric(labels, value(states))
            yield counter

    def _states(self) -> Iterator[tuple[tuple[str, str, str], list[InformerState]]]:
        with _making:
            informers = {resource: [*states] for resource, states in self._informers.items()}
        for resource, states in informers.items():
            alive = [state() for each in states if (state := each()) is not None]
            yield (resource.group, resource.version, resource.plural), alive


class _Latency:
    def __init__(self, observe: Callable[[float], object]) -> None:
        self._observe = observe

    def processed(self, seconds: float, /) -> None:
        self._observe(seconds)


def _version(states: list[InformerState]) -> float:
    """The latest version; those of today's servers are numbers."""
    return max(
        (float(s.resource_version) for s in states if s.resource_version.isdigit()), default=0
    )


_GAUGES: tuple[tuple[str, str, Callable[[list[InformerState]], float]], ...] = (
    (
        "informer_queued_items",
        "Notifications that handlers have yet to be told.",
        lambda states: sum(state.queued_items for state in states),
    ),
    (
        "informer_objects",
        "Objects in the caches.",
        lambda states: sum(state.objects for state in states),
    ),
    ("informer_store_resource_version", "The version of the cache.", _version),
    (
        "informer_disconnected_seconds",
        "For how long a cache has had no open watch, at the longest.",
        lambda states: max((state.disconnected_seconds for state in states), default=0.0),
    ),
)
_COUNTERS: tuple[tuple[str, str, Callable[[list[InformerState]], float]], ...] = (
    (
        "informer_handler_errors",
        "Calls of handlers that failed.",
        lambda states: sum(state.handler_errors for state in states),
    ),
    (
        "informer_watch_errors",
        "Times that reading or watching the collection failed.",
        lambda states: sum(state.watch_errors for state in states),
    ),
)

_making = RLock()
_collectors = PerRegistry(_Collector)


def _collector_of(registry: CollectorRegistry | None) -> _Collector:
    try:
        from prometheus_client import REGISTRY  # an optional dependency
    except ImportError as error:
        what = "metrics need prometheus-client: pip install prometheus-client"
        raise ImportError(what) from error
    return _collectors.of(registry or REGISTRY)
