"""Metrics of leader election for Prometheus, with client-go's names. Needs `clientgen[metrics]`.

The label `name` is the lease's name. (client-go: tools/leaderelection/metrics.go and
component-base's metrics/prometheus/clientgo/leaderelection.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    from prometheus_client import REGISTRY, Counter, Gauge
except ImportError as error:
    raise ImportError("metrics need prometheus-client: pip install prometheus-client") from error

from .._cache.metrics_registry import PerRegistry

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


class PrometheusElectionMetrics:
    """Publishes which electors lead.

    Pass it to an elector: `AsyncLeaderElector(..., metrics=PrometheusElectionMetrics())`.
    Several instances may share a registry.

    Args:
        registry: The registry to publish in; None for prometheus-client's default registry.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._families = _families.get_or_create(registry or REGISTRY)

    def leading(self, name: str, leads: bool, /) -> None:
        """Set whether an elector leads."""
        self._families.status.labels(name).set(float(leads))

    def slow_path(self, name: str, /) -> None:
        """Count a renewal that had to read the lease first."""
        self._families.slow_path.labels(name).inc()


class _Families:
    """The metrics of one registry. A registry accepts each name only once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.status = Gauge(
            "leader_election_master_status",
            "1 while the elector of this lease leads, otherwise 0.",
            ["name"],
            registry=registry,
        )
        self.slow_path = Counter(
            "leader_election_slowpath_total",
            "Renewals that had to read the lease first.",
            ["name"],
            registry=registry,
        )


_families = PerRegistry(_Families)
