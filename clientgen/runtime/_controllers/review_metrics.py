"""Metrics of the reviews of an endpoint's clients, for Prometheus. Needs prometheus-client."""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    from prometheus_client import REGISTRY, Counter
except ImportError as error:
    raise ImportError("metrics need prometheus-client: pip install prometheus-client") from error

from .._cache.metrics_registry import PerRegistry

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


class PrometheusReviewMetrics:
    """Publishes how many requests to a secure endpoint were reviewed, and with which answer.

    Args:
        registry: The registry to publish in; None for prometheus-client's default registry.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._families = _families.get_or_create(registry or REGISTRY)

    def asked(self, kind: str) -> None:
        """Count a question to the API server."""
        self._families.reviews.labels(kind).inc()

    def answered(self, code: int) -> None:
        """Count a request by the code of its answer."""
        self._families.requests.labels(str(code)).inc()


class _Families:
    """The metrics of one registry. A registry accepts each name only once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.reviews = Counter(
            "clientgen_endpoint_reviews_total",
            "Reviews that the API server was asked for, by kind. Others were answered by a cache.",
            ["kind"],
            registry=registry,
        )
        self.requests = Counter(
            "clientgen_endpoint_requests_total",
            "Requests to a secure endpoint, by the HTTP code of the answer.",
            ["code"],
            registry=registry,
        )


_families = PerRegistry(_Families)
