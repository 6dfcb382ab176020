"""Metrics of informers, with the names of client-go's metrics where client-go has them.

An informer reports to an `InformerMetricsProvider`. `PrometheusInformerMetrics` implements it with
prometheus-client, which `clientgen[metrics]` installs. The metrics of work queues are in
`queue_metrics`.
"""

from __future__ import annotations

from _thread import RLock  # `threading` takes time to import
from typing import TYPE_CHECKING, Protocol
from weakref import WeakMethod

from msgspec import Struct

from .metrics_registry import PerRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

    from .._http.resource import Resource


class InformerState(Struct, frozen=True):
    """The state of an informer.

    Attributes:
        queued_items: The number of notifications in the queues of handlers.
        objects: The number of objects in the cache.
        resource_version: The resource version of the cache.
        handler_errors: The number of handler calls that have failed.
        watch_errors: The number of failed attempts to list and watch.
        disconnected_seconds: The seconds without an open watch; 0 while a watch is open.
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
        """Record the time to store a list, or a group of events, and to queue notifications."""
        ...


class InformerMetricsProvider(Protocol):
    """A receiver of the metrics of informers."""

    def informer(
        self, resource: Resource, state: Callable[[], InformerState], /
    ) -> InformerMetrics:
        """Start to publish the metrics of an informer. `state` is a method of the informer."""
        ...


class PrometheusInformerMetrics:
    """Publishes the metrics of informers: `k.informers(metrics=PrometheusInformerMetrics())`.

    The labels are group, version and resource. The values of informers of the same resource are
    added up. Any number of instances may share a registry. (client-go 1.36: tools/cache,
    component-base's metrics/prometheus/clientgo. client-go does not have handler_errors,
    watch_errors, objects and disconnected_seconds.)

    Args:
        registry: The registry in which the metrics are published; None is the default registry of
            prometheus-client.

    Raises:
        ImportError: prometheus-client is not installed.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._collector = _collector_of(registry)

    def informer(
        self, resource: Resource, state: Callable[[], InformerState], /
    ) -> InformerMetrics:
        """Publish the metrics of an informer until the informer is garbage-collected."""
        return self._collector.add_informer(resource, state)


LABELS = ("group", "version", "resource")


class _Collector:
    """Publishes the metrics of informers in one registry. Reads their state on each scrape."""

    def __init__(self, registry: CollectorRegistry) -> None:
        from prometheus_client import Histogram

        self._informers: dict[Resource, list[WeakMethod[Callable[[], InformerState]]]] = {}
        self._latency = Histogram(
            "informer_processing_latency_seconds",
            "The time to store a list, or a group of events, in the cache.",
            LABELS,
            registry=registry,
        )
        registry.register(self)

    def add_informer(
        self, resource: Resource, state: Callable[[], InformerState]
    ) -> InformerMetrics:
        with _lock:
            live = [
                reference
                for reference in self._informers.get(resource, ())
                if reference() is not None
            ]
            self._informers[resource] = [*live, WeakMethod(state)]
        latency = self._latency.labels(resource.group, resource.version, resource.plural)
        return _Latency(latency.observe)

    def collect(self) -> Iterable[Metric]:
        """Yield the metrics. prometheus-client calls this on each scrape."""
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
        with _lock:
            informers = {resource: [*states] for resource, states in self._informers.items()}
        for resource, states in informers.items():
            alive = [state() for each in states if (state := each()) is not None]
            yield (resource.group, resource.version, resource.plural), alive


class _Latency:
    def __init__(self, observe: Callable[[float], object]) -> None:
        self._observe = observe

    def processed(self, seconds: float, /) -> None:
        self._observe(seconds)


def _highest_version(states: list[InformerState]) -> float:
    """Return the highest resource version. Versions that are not numbers are ignored."""
    return max(
        (float(s.resource_version) for s in states if s.resource_version.isdigit()), default=0
    )


_GAUGES: tuple[tuple[str, str, Callable[[list[InformerState]], float]], ...] = (
    (
        "informer_queued_items",
        "Notifications in the queues of handlers.",
        lambda states: sum(state.queued_items for state in states),
    ),
    (
        "informer_objects",
        "Objects in the caches.",
        lambda states: sum(state.objects for state in states),
    ),
    ("informer_store_resource_version", "The resource version of the cache.", _highest_version),
    (
        "informer_disconnected_seconds",
        "The seconds for which a cache has had no open watch; 0 while a watch is open.",
        lambda states: max((state.disconnected_seconds for state in states), default=0.0),
    ),
)
_COUNTERS: tuple[tuple[str, str, Callable[[list[InformerState]], float]], ...] = (
    (
        "informer_handler_errors",
        "Handler calls that failed.",
        lambda states: sum(state.handler_errors for state in states),
    ),
    (
        "informer_watch_errors",
        "Failed attempts to list and watch the collection.",
        lambda states: sum(state.watch_errors for state in states),
    ),
)

_lock = RLock()
_collectors = PerRegistry(_Collector)


def _collector_of(registry: CollectorRegistry | None) -> _Collector:
    try:
        from prometheus_client import REGISTRY  # an optional dependency
    except ImportError as error:
        what = "metrics need prometheus-client: pip install prometheus-client"
        raise ImportError(what) from error
    return _collectors.get_or_create(registry or REGISTRY)
