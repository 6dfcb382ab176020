"""All metrics of a manager in one registry, as text for Prometheus. Needs `clientgen[metrics]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    from prometheus_client import REGISTRY
    from prometheus_client.exposition import choose_encoder
except ImportError as error:
    raise ImportError("metrics need prometheus-client: pip install prometheus-client") from error

from .._admission.webhook_metrics import PrometheusWebhookMetrics
from .._cache.informer_metrics import PrometheusInformerMetrics
from .controller_metrics import PrometheusControllerMetrics
from .election_metrics import PrometheusElectionMetrics
from .fleet_metrics import PrometheusFleetMetrics
from .queue_metrics import PrometheusQueueMetrics
from .request_metrics import PrometheusRequestMetrics
from .review_metrics import PrometheusReviewMetrics

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


class ManagerMetrics:
    """The metrics of the parts of a manager.

    Args:
        registry: The registry to publish in; None for prometheus-client's default registry, which
            also has the metrics of the process.
    """

    def __init__(self, registry: CollectorRegistry | None) -> None:
        self._registry = registry or REGISTRY
        self.controllers = PrometheusControllerMetrics(registry)
        self.requests = PrometheusRequestMetrics(registry)
        self.queues = PrometheusQueueMetrics(registry)
        self.informers = PrometheusInformerMetrics(registry)
        self.election = PrometheusElectionMetrics(registry)
        self.reviews = PrometheusReviewMetrics(registry)
        self.webhooks = PrometheusWebhookMetrics(registry)

    def fleet(self, registry: CollectorRegistry | None) -> PrometheusFleetMetrics:
        """Return the metrics of the clusters of a fleet."""
        return PrometheusFleetMetrics(registry)

    def text(self, accept: str) -> tuple[bytes, str]:
        """Return all metrics of the registry in an accepted format, and its media type."""
        encoder, media_type = choose_encoder(accept)
        return encoder(self._registry), media_type
