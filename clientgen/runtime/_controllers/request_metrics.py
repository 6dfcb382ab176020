"""Metrics of requests for Prometheus, with client-go's names. Needs `clientgen[metrics]`.

k8s.io/component-base: metrics/prometheus/restclient.
"""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Final

try:
    from prometheus_client import REGISTRY, Counter, Gauge, Histogram
except ImportError as error:
    raise ImportError("metrics need prometheus-client: pip install prometheus-client") from error

from .._cache.metrics_registry import PerRegistry

if TYPE_CHECKING:
    from datetime import datetime

    from prometheus_client import CollectorRegistry

    from .._http.request_metrics import PluginStatus, RequestAttempt

_SECONDS: Final = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
_BYTES: Final = (
    64,
    256,
    512,
    1 << 10,
    1 << 12,
    1 << 14,
    1 << 16,
    1 << 18,
    1 << 20,
    1 << 22,
    1 << 24,
)
_HOUR, _DAY = 3600, 86_400
_AGES: Final = (
    _HOUR / 6,
    _HOUR / 2,
    _HOUR,
    4 * _HOUR,
    _DAY,
    7 * _DAY,
    30 * _DAY,
    90 * _DAY,
    180 * _DAY,
    360 * _DAY,
    1440 * _DAY,
)


class PrometheusRequestMetrics:
    """Publishes the metrics of requests: `from_config(metrics=PrometheusRequestMetrics())`.

    Several instances and clients may share a registry.

    Args:
        registry: The registry to publish in; None for prometheus-client's default registry.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._families = _families.get_or_create(registry or REGISTRY)

    def __eq__(self, other: object) -> bool:
        """Return whether the other metrics are published in the same registry."""
        return isinstance(other, PrometheusRequestMetrics) and other._families is self._families

    def __hash__(self) -> int:
        return hash(id(self._families))

    def attempted(self, attempt: RequestAttempt, /) -> None:
        """Count an attempt, its time and its sizes."""
        families, method, host = self._families, attempt.method, attempt.host
        families.total.labels(attempt.code, method, host).inc()
        families.seconds.labels(method, host).observe(attempt.seconds)
        families.sent.labels(method, host).observe(attempt.request_bytes)
        if attempt.response_bytes is not None:
            families.received.labels(method, host).observe(attempt.response_bytes)
        if attempt.number > 1:
            families.retries.labels(attempt.code, method, host).inc()

    def rate_limited(self, host: str, method: str, seconds: float, /) -> None:
        """Count a delay by the rate limit of the client."""
        self._families.delays.labels(method, host).observe(seconds)

    def plugin_called(
        self, exit_code: int, status: PluginStatus, expires: datetime | None, /
    ) -> None:
        """Count a run of a credential plugin."""
        self._families.plugin_calls.labels(str(exit_code), status).inc()
        self._families.expires_at = float("inf") if expires is None else expires.timestamp()

    def certificate_rotated(self, seconds: float, /) -> None:
        """Count the age of a client certificate that a credential plugin has replaced."""
        self._families.rotations.observe(seconds)


class _Families:
    """The metrics of one registry. A registry accepts each name only once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def histogram(name: str, about: str, buckets: tuple[float, ...]) -> Histogram:
            labels = ["verb", "host"]
            full = f"rest_client_{name}"
            return Histogram(full, about, labels, registry=registry, buckets=buckets)

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(f"rest_client_{name}", about, labels, registry=registry)

        self.total = counter(
            "requests_total",
            "Requests to the API server, by status code.",
            "code",
            "method",
            "host",
        )
        self.retries = counter(
            "request_retries_total", "Retries, by status code.", "code", "verb", "host"
        )
        self.seconds = histogram(
            "request_duration_seconds", "Duration of an attempt to send a request.", _SECONDS
        )
        self.sent = histogram("request_size_bytes", "Size of the body of a request.", _BYTES)
        self.received = histogram("response_size_bytes", "Size of the body of a response.", _BYTES)
        self.delays = histogram(
            "rate_limiter_duration_seconds", "Delay by the rate limit of the client.", _SECONDS
        )
        self.plugin_calls = counter(
            "exec_plugin_call_total", "Runs of credential plugins.", "code", "call_status"
        )
        self.expires_at = float("inf")
        left = Gauge(
            "rest_client_exec_plugin_ttl_seconds",
            "Seconds until the first client certificate of credential plugins expires.",
            registry=registry,
        )
        left.set_function(lambda: self.expires_at - time())
        self.rotations = Histogram(
            "rest_client_exec_plugin_certificate_rotation_age",
            "Age in seconds of client certificates that credential plugins replaced.",
            registry=registry,
            buckets=_AGES,
        )


_families = PerRegistry(_Families)
