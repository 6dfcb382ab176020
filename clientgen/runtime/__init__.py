"""Typed Kubernetes objects and calls, for generated packages and for your own code.

Errors are in `clientgen.runtime.errors`, model classes and the codec in `clientgen.runtime.models`,
kubeconfig in `clientgen.runtime.config`. Clients and controllers have two flavours:
`clientgen.runtime.aio` for asyncio and `clientgen.runtime.sync` for threads. Modules whose names
begin with an underscore are private. Importing this package loads no HTTP library and no event
loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen._lazy import lazy_attributes

from ._http.options import (
    ApplyOptions,
    ClientOptions,
    DeleteCollectionOptions,
    DeleteOptions,
    EachOptions,
    EditOptions,
    GetOptions,
    ListOptions,
    LogOptions,
    PatchOptions,
    WatchOptions,
    WriteOptions,
)
from ._http.patches import (
    ApplyPatch,
    JsonPatch,
    MergePatch,
    Patch,
    StrategicMergePatch,
    json_pointer,
)
from ._http.resource import Resource
from ._models.codec import WatchEvent

if TYPE_CHECKING:
    from ._cache.deltas import Added, Deleted, DeletedFinalStateUnknown, Updated
    from ._cache.indexer import Indexer, meta_namespace_key, split_key
    from ._cache.informer_metrics import PrometheusInformerMetrics
    from ._cache.informer_options import FactoryOptions, ScopeOptions, SelectorOptions
    from ._cache.listers import ClusterLister, NamespacedLister, NamespaceLister
    from ._cache.mutation_detector import CacheMutationError
    from ._cache.transforms import drop_managed_fields
    from ._clock import SYSTEM_CLOCK, Clock
    from ._controllers.election_metrics import PrometheusElectionMetrics
    from ._controllers.queue_metrics import PrometheusQueueMetrics
    from ._controllers.rate_limiters import (
        ItemExponentialFailure,
        MaxOf,
        RateLimiter,
        default_controller_limiter,
    )
    from ._controllers.reconcile_loop import Request, Result
    from ._http.selectors import field_selector, label_selector
    from ._manifests.scheme import Scheme
    from ._signals import on_stop_signal

__all__ = [
    "SYSTEM_CLOCK",
    "Added",
    "ApplyOptions",
    "ApplyPatch",
    "CacheMutationError",
    "ClientOptions",
    "Clock",
    "ClusterLister",
    "DeleteCollectionOptions",
    "DeleteOptions",
    "Deleted",
    "DeletedFinalStateUnknown",
    "EachOptions",
    "EditOptions",
    "FactoryOptions",
    "GetOptions",
    "Indexer",
    "ItemExponentialFailure",
    "JsonPatch",
    "ListOptions",
    "LogOptions",
    "MaxOf",
    "MergePatch",
    "NamespaceLister",
    "NamespacedLister",
    "Patch",
    "PatchOptions",
    "PrometheusElectionMetrics",
    "PrometheusInformerMetrics",
    "PrometheusQueueMetrics",
    "RateLimiter",
    "Request",
    "Resource",
    "Result",
    "Scheme",
    "ScopeOptions",
    "SelectorOptions",
    "StrategicMergePatch",
    "Updated",
    "WatchEvent",
    "WatchOptions",
    "WriteOptions",
    "default_controller_limiter",
    "drop_managed_fields",
    "field_selector",
    "json_pointer",
    "label_selector",
    "meta_namespace_key",
    "on_stop_signal",
    "split_key",
]

if not TYPE_CHECKING:  # checkers know the imports above, and report every other name
    __getattr__ = lazy_attributes(
        __name__,
        __package__,
        {
            "Added": "._cache.deltas",
            "Deleted": "._cache.deltas",
            "DeletedFinalStateUnknown": "._cache.deltas",
            "Updated": "._cache.deltas",
            "Indexer": "._cache.indexer",
            "meta_namespace_key": "._cache.indexer",
            "split_key": "._cache.indexer",
            "PrometheusInformerMetrics": "._cache.informer_metrics",
            "FactoryOptions": "._cache.informer_options",
            "ScopeOptions": "._cache.informer_options",
            "SelectorOptions": "._cache.informer_options",
            "ClusterLister": "._cache.listers",
            "NamespaceLister": "._cache.listers",
            "NamespacedLister": "._cache.listers",
            "CacheMutationError": "._cache.mutation_detector",
            "drop_managed_fields": "._cache.transforms",
            "Clock": "._clock",
            "SYSTEM_CLOCK": "._clock",
            "PrometheusElectionMetrics": "._controllers.election_metrics",
            "PrometheusQueueMetrics": "._controllers.queue_metrics",
            "ItemExponentialFailure": "._controllers.rate_limiters",
            "MaxOf": "._controllers.rate_limiters",
            "RateLimiter": "._controllers.rate_limiters",
            "default_controller_limiter": "._controllers.rate_limiters",
            "Request": "._controllers.reconcile_loop",
            "Result": "._controllers.reconcile_loop",
            "on_stop_signal": "._signals",
            "field_selector": "._http.selectors",
            "label_selector": "._http.selectors",
            "Scheme": "._manifests.scheme",
        },
    )
