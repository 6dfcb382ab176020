"""Helpers of controllers: requests, predicates, owners, conditions, rate limiters, metrics.

Both flavours share them. Controllers, work queues, finalizers and leader election are in
`clientgen.runtime.aio` for asyncio and in `clientgen.runtime.sync` for threads. Importing this
module loads no HTTP library and no event loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen._lazy import lazy_attributes

from ._conditions.condition_setting import set_condition
from ._controllers.change_predicates import (
    annotations_changed,
    changed,
    generation_changed,
    labels_changed,
    resource_version_changed,
)
from ._controllers.controller_options import ControllerOptions
from ._controllers.coordination import Coordination
from ._controllers.json_logs import JsonFormatter
from ._controllers.owners import controller_of, has_owner, owned_by, remove_owner, set_owner
from ._controllers.predicates import Event, EventPredicate
from ._controllers.queue_state import QueueMetrics, QueueMetricsProvider
from ._controllers.rate_limiters import (
    Bucket,
    ItemExponentialFailure,
    ItemFastSlow,
    MaxOf,
    RateLimiter,
    WithMaxWait,
    default_controller_limiter,
)
from ._controllers.reconcile_loop import Request, Result
from ._controllers.secure_endpoint import SecureEndpoint
from ._controllers.workflow import DependentState, WorkflowState
from ._net.endpoint_messages import EndpointAnswer, EndpointRequest

if TYPE_CHECKING:
    from ._controllers.election_metrics import PrometheusElectionMetrics
    from ._controllers.queue_metrics import PrometheusQueueMetrics

__all__ = [
    "Bucket",
    "ControllerOptions",
    "Coordination",
    "DependentState",
    "EndpointAnswer",
    "EndpointRequest",
    "Event",
    "EventPredicate",
    "ItemExponentialFailure",
    "ItemFastSlow",
    "JsonFormatter",
    "MaxOf",
    "PrometheusElectionMetrics",
    "PrometheusQueueMetrics",
    "QueueMetrics",
    "QueueMetricsProvider",
    "RateLimiter",
    "Request",
    "Result",
    "SecureEndpoint",
    "WithMaxWait",
    "WorkflowState",
    "annotations_changed",
    "changed",
    "controller_of",
    "default_controller_limiter",
    "generation_changed",
    "has_owner",
    "labels_changed",
    "owned_by",
    "remove_owner",
    "resource_version_changed",
    "set_condition",
    "set_owner",
]

# These names need prometheus_client. Type checkers must not see `__getattr__`: they would accept
# every name.
if not TYPE_CHECKING:
    __getattr__ = lazy_attributes(
        __name__,
        __package__,
        {
            "PrometheusElectionMetrics": "._controllers.election_metrics",
            "PrometheusQueueMetrics": "._controllers.queue_metrics",
        },
        optional=("PrometheusElectionMetrics", "PrometheusQueueMetrics"),
    )

    def __dir__() -> list[str]:
        return __all__
