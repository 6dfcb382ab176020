"""Metrics of leader election for Prometheus, under client-go's names. Needs `clientgen[metrics]`.

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

__all__ = ["PrometheusElectionMetrics"]


class PrometheusElectionMetrics:
    """Publishes who leads: `AsyncLeaderElector(..., metrics=PrometheusElectionMetrics())`.

    Any number of these may share a registry.

    Args:
        registry: Where they are published; None is prometheus-client's own.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._families = _families.of(registry or REGISTRY)

    def leading(self, name: str, leads: bool, /) -> None:
        """An elector leads now, or does not any more."""
        self._families.status.labels(name).set(float(leads))

    def slow_path(self, name: str, /) -> None:
        """A renewal had to read the lease first."""
        self._families.slow_path.labels(name).inc()


class _Families:
    """The metrics of one registry, which takes each name once."""

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
