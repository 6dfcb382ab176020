"""Typed Kubernetes objects and calls, for generated packages and for your own code.

Errors are in `clientgen.runtime.errors`, model classes and the codec in `clientgen.runtime.models`,
kubeconfig in `clientgen.runtime.config`, predicates and other helpers of controllers in
`clientgen.runtime.controllers`. Clients and controllers have two flavours: `clientgen.runtime.aio`
for asyncio and `clientgen.runtime.sync` for threads. Modules whose names begin with an underscore
are private. Importing this package loads no HTTP library and no event loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen._lazy import lazy_attributes

from ._http.patches import (
    ApplyPatch,
    JsonPatch,
    MergePatch,
    Patch,
    StrategicMergePatch,
    json_pointer,
)
from ._http.resource import Resource
from ._models.model_codec import WatchEvent

if TYPE_CHECKING:
    from ._cache.deltas import Added, Deleted, DeletedFinalStateUnknown, Updated
    from ._cache.indexer import Indexer, meta_namespace_key, split_key
    from ._cache.informer_metrics import (
        InformerMetrics,
        InformerMetricsProvider,
        PrometheusInformerMetrics,
    )
    from ._cache.informer_options import FactoryOptions, ScopeOptions, SelectorOptions
    from ._cache.listers import ClusterLister, NamespacedLister, NamespaceLister
    from ._cache.mutation_detector import CacheMutationError
    from ._cache.transforms import drop_managed_fields
    from ._clock import SYSTEM_CLOCK, Clock
    from ._conditions.progress_line import ProgressLine
    from ._config.tls_secret import new_tls_secret
    from ._controllers.request_metrics import PrometheusRequestMetrics
    from ._discovery.discovered_resources import ApiResource
    from ._http.call_options import (
        ApplyOptions,
        ClientOptions,
        CopyOptions,
        DefaultT,
        DeleteCollectionOptions,
        DeleteOptions,
        EachOptions,
        EditOptions,
        ExecOptions,
        ExecStreamOptions,
        GetOptions,
        ListOptions,
        LogOptions,
        PatchOptions,
        ProxyOptions,
        ProxyStreamOptions,
        RawOptions,
        RawStreamOptions,
        TailOptions,
        WatchOptions,
        WriteOptions,
    )
    from ._http.field_terms import FieldTerm, SelectableField
    from ._http.masking import as_curl
    from ._http.request import HttpRequest, HttpResponse
    from ._http.request_metrics import RequestAttempt, RequestMetrics
    from ._http.selectors import field_selector, label_selector
    from ._manifests.apply_set import ApplySet, ApplySetError
    from ._manifests.extraction import extract
    from ._manifests.managed_fields_upgrade import upgrade_managed_fields
    from ._manifests.manifest_diff import ManifestDiff, ObjectDiff
    from ._manifests.manifest_text import ManifestError, ManifestText
    from ._manifests.scheme import Scheme
    from ._manifests.set_results import ManifestSetError, SetResult
    from ._models.copy_result import CopyResult
    from ._models.ensured import Ensured
    from ._models.exec_result import ExecResult
    from ._models.proxy_response import ProxyResponse, RawResponse
    from ._models.server_answers import (
        AccessRules,
        NonResourceRule,
        ResourceRule,
        UserInfo,
        VersionInfo,
    )
    from ._recipes.config_data import (
        new_config_map,
        new_docker_registry_secret,
        new_secret,
    )
    from ._recipes.debugging import DebugContainer, DebugProfile
    from ._recipes.rbac_reconciliation import Reconciled
    from ._recipes.rollouts import Revision
    from ._recipes.usage import ContainerUsage, NodeUsage, NodeUsages, PodUsage, PodUsages
    from ._signals import on_stop_signal
    from ._streams.log_lines import LogLine
    from ._streams.outputs import Output

__all__ = [
    "SYSTEM_CLOCK",
    "AccessRules",
    "Added",
    "ApiResource",
    "ApplyOptions",
    "ApplyPatch",
    "ApplySet",
    "ApplySetError",
    "CacheMutationError",
    "ClientOptions",
    "Clock",
    "ClusterLister",
    "ContainerUsage",
    "CopyOptions",
    "CopyResult",
    "DebugContainer",
    "DebugProfile",
    "DefaultT",
    "DeleteCollectionOptions",
    "DeleteOptions",
    "Deleted",
    "DeletedFinalStateUnknown",
    "EachOptions",
    "EditOptions",
    "Ensured",
    "ExecOptions",
    "ExecResult",
    "ExecStreamOptions",
    "FactoryOptions",
    "FieldTerm",
    "GetOptions",
    "HttpRequest",
    "HttpResponse",
    "Indexer",
    "InformerMetrics",
    "InformerMetricsProvider",
    "JsonPatch",
    "ListOptions",
    "LogLine",
    "LogOptions",
    "ManifestDiff",
    "ManifestError",
    "ManifestSetError",
    "ManifestText",
    "MergePatch",
    "NamespaceLister",
    "NamespacedLister",
    "NodeUsage",
    "NodeUsages",
    "NonResourceRule",
    "ObjectDiff",
    "Output",
    "Patch",
    "PatchOptions",
    "PodUsage",
    "PodUsages",
    "ProgressLine",
    "PrometheusInformerMetrics",
    "PrometheusRequestMetrics",
    "ProxyOptions",
    "ProxyResponse",
    "ProxyStreamOptions",
    "RawOptions",
    "RawResponse",
    "RawStreamOptions",
    "Reconciled",
    "RequestAttempt",
    "RequestMetrics",
    "Resource",
    "ResourceRule",
    "Revision",
    "Scheme",
    "ScopeOptions",
    "SelectableField",
    "SelectorOptions",
    "SetResult",
    "StrategicMergePatch",
    "TailOptions",
    "Updated",
    "UserInfo",
    "VersionInfo",
    "WatchEvent",
    "WatchOptions",
    "WriteOptions",
    "as_curl",
    "drop_managed_fields",
    "extract",
    "field_selector",
    "json_pointer",
    "label_selector",
    "meta_namespace_key",
    "new_config_map",
    "new_docker_registry_secret",
    "new_secret",
    "new_tls_secret",
    "on_stop_signal",
    "split_key",
    "upgrade_managed_fields",
]

# The options of calls, for annotations: the types of keywords.
_OPTIONS = (
    "ApplyOptions",
    "ClientOptions",
    "CopyOptions",
    "DefaultT",
    "DeleteCollectionOptions",
    "DeleteOptions",
    "EachOptions",
    "EditOptions",
    "ExecOptions",
    "ExecStreamOptions",
    "GetOptions",
    "ListOptions",
    "LogOptions",
    "PatchOptions",
    "ProxyOptions",
    "ProxyStreamOptions",
    "RawOptions",
    "RawStreamOptions",
    "TailOptions",
    "WatchOptions",
    "WriteOptions",
)

# Type checkers must not see `__getattr__`: they would accept every name.
if not TYPE_CHECKING:
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
            "InformerMetrics": "._cache.informer_metrics",
            "InformerMetricsProvider": "._cache.informer_metrics",
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
            "ApiResource": "._discovery.discovered_resources",
            "ContainerUsage": "._recipes.usage",
            "NodeUsage": "._recipes.usage",
            "NodeUsages": "._recipes.usage",
            "PodUsage": "._recipes.usage",
            "PodUsages": "._recipes.usage",
            "DebugContainer": "._recipes.debugging",
            "DebugProfile": "._recipes.debugging",
            "Reconciled": "._recipes.rbac_reconciliation",
            "Revision": "._recipes.rollouts",
            "new_config_map": "._recipes.config_data",
            "new_docker_registry_secret": "._recipes.config_data",
            "new_secret": "._recipes.config_data",
            "new_tls_secret": "._config.tls_secret",
            "on_stop_signal": "._signals",
            "CopyResult": "._models.copy_result",
            "Ensured": "._models.ensured",
            "ExecResult": "._models.exec_result",
            "ProxyResponse": "._models.proxy_response",
            "RawResponse": "._models.proxy_response",
            "AccessRules": "._models.server_answers",
            "NonResourceRule": "._models.server_answers",
            "ResourceRule": "._models.server_answers",
            "UserInfo": "._models.server_answers",
            "VersionInfo": "._models.server_answers",
            "LogLine": "._streams.log_lines",
            "Output": "._streams.outputs",
            **dict.fromkeys(_OPTIONS, "._http.call_options"),
            "FieldTerm": "._http.field_terms",
            "SelectableField": "._http.field_terms",
            "HttpRequest": "._http.request",
            "HttpResponse": "._http.request",
            "as_curl": "._http.masking",
            "PrometheusRequestMetrics": "._controllers.request_metrics",
            "RequestAttempt": "._http.request_metrics",
            "RequestMetrics": "._http.request_metrics",
            "field_selector": "._http.selectors",
            "label_selector": "._http.selectors",
            "ProgressLine": "._conditions.progress_line",
            "ApplySet": "._manifests.apply_set",
            "ApplySetError": "._manifests.apply_set",
            "ManifestError": "._manifests.manifest_text",
            "ManifestText": "._manifests.manifest_text",
            "extract": "._manifests.extraction",
            "upgrade_managed_fields": "._manifests.managed_fields_upgrade",
            "ManifestDiff": "._manifests.manifest_diff",
            "ObjectDiff": "._manifests.manifest_diff",
            "Scheme": "._manifests.scheme",
            "ManifestSetError": "._manifests.set_results",
            "SetResult": "._manifests.set_results",
        },
        optional=("PrometheusInformerMetrics", "PrometheusRequestMetrics"),
    )

    def __dir__() -> list[str]:
        return __all__
