"""Metrics of webhooks for Prometheus, with controller-runtime's names. Needs prometheus-client.

The label `webhook` is the path. (controller-runtime: pkg/webhook/internal/metrics.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    from prometheus_client import REGISTRY, Counter, Gauge, Histogram
except ImportError as error:
    raise ImportError("metrics need prometheus-client: pip install prometheus-client") from error

from .._cache.metrics_registry import PerRegistry

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


class PrometheusWebhookMetrics:
    """Publishes the metrics of webhooks. Several instances may share a registry.

    Args:
        registry: The registry to publish in; None for prometheus-client's default registry.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._families = _families.get_or_create(registry or REGISTRY)

    def review_started(self, path: str) -> None:
        """Count a review as in flight."""
        self._families.in_flight.labels(path).inc()

    def review_ended(self, path: str, code: int | None, seconds: float) -> None:
        """Count a review that has ended. A cancelled review has no code, and counts as 500."""
        self._families.in_flight.labels(path).dec()
        self._families.total.labels(path, str(code or 500)).inc()
        self._families.seconds.labels(path).observe(seconds)


class _Families:
    """The metrics of one registry. A registry accepts each name only once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.total = Counter(
            "controller_runtime_webhook_requests_total",
            "Reviews, by the HTTP code of the answer.",
            ["webhook", "code"],
            registry=registry,
        )
        self.in_flight = Gauge(
            "controller_runtime_webhook_requests_in_flight",
            "Reviews that are being answered.",
            ["webhook"],
            registry=registry,
        )
        self.seconds = Histogram(
            "controller_runtime_webhook_latency_seconds",
            "Time to answer a review, in seconds.",
            ["webhook"],
            registry=registry,
        )


_families = PerRegistry(_Families)
