"""Metrics of webhooks for Prometheus, under controller-runtime's names. Needs an extra.

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

__all__ = ["PrometheusWebhookMetrics"]


class PrometheusWebhookMetrics:
    """Publishes the metrics of webhooks. Any number of these may share a registry.

    Args:
        registry: Where they are published; None is prometheus-client's own.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._families = _families.of(registry or REGISTRY)

    def begun(self, path: str) -> None:
        """Count a review that is being answered."""
        self._families.in_flight.labels(path).inc()

    def ended(self, path: str, code: int | None, seconds: float) -> None:
        """Count a review that has been answered; without a code, it was given up."""
        self._families.in_flight.labels(path).dec()
        self._families.total.labels(path, str(code or 500)).inc()
        self._families.seconds.labels(path).observe(seconds)


class _Families:
    """The metrics of one registry, which takes each name once."""

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
            "How long an answer took.",
            ["webhook"],
            registry=registry,
        )


_families = PerRegistry(_Families)
