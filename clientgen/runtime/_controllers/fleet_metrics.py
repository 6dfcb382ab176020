"""Metrics of the clusters of a fleet for Prometheus, by cluster. Needs `clientgen[metrics]`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

try:
    from prometheus_client import REGISTRY, Counter, Gauge
except ImportError as error:
    raise ImportError("metrics need prometheus-client: pip install prometheus-client") from error

from .._cache.metrics_registry import PerRegistry

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


class PrometheusFleetMetrics:
    """Publishes the state of each cluster of a fleet.

    Args:
        registry: The registry to publish in; None for prometheus-client's default registry.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._families = _families.get_or_create(registry or REGISTRY)

    def seen(self, cluster: str, *, reachable: bool, unwell: float, objects: int) -> None:
        """Set the state of a cluster."""
        families = self._families
        families.reachable.labels(cluster).set(float(reachable))
        families.unwell.labels(cluster).set(unwell)
        families.objects.labels(cluster).set(objects)

    def reconciled(self, controller: str, cluster: str, *, failed: bool) -> None:
        """Count a reconciliation."""
        result = "error" if failed else "success"
        self._families.reconciled.labels(controller, cluster, result).inc()

    def queued(self, controller: str, cluster: str, count: int) -> None:
        """Set how many requests of a cluster wait for a worker."""
        self._families.controllers.add(controller)
        self._families.queued.labels(controller, cluster).set(count)

    def left(self, cluster: str) -> None:
        """Remove the gauges of a cluster. Its counters stay, so that rates stay correct."""
        families = self._families
        for gauge in (families.reachable, families.unwell, families.objects):
            with suppress(KeyError):
                gauge.remove(cluster)
        for controller in families.controllers:
            with suppress(KeyError):
                families.queued.remove(controller, cluster)


class _Families:
    """The metrics of one registry. A registry accepts each name only once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def gauge(name: str, about: str, *labels: str) -> Gauge:
            return Gauge(f"fleet_{name}", about, [*labels, "cluster"], registry=registry)

        self.controllers: set[str] = set()

        self.reachable = gauge("cluster_reachable", "1 while a cluster is reachable, otherwise 0.")
        self.unwell = gauge(
            "cluster_disconnected_seconds",
            "The seconds for which a cache of the cluster was not filled or had no open watch.",
        )
        self.objects = gauge("cluster_objects", "Objects of the cluster in the caches.")
        self.queued = gauge(
            "queued_requests", "Requests of a cluster that wait for a worker.", "controller"
        )
        self.reconciled = Counter(
            "fleet_reconcile_total",
            "Reconciliations by cluster and result.",
            ["controller", "cluster", "result"],
            registry=registry,
        )


_families = PerRegistry(_Families)
