"""Clients, watches, informers and controllers. There are two flavours: asyncio and threads.

Modules for controllers are imported when they are first used, so that importing clients is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen._lazy import lazy_attributes

from ._async.client import AsyncGroupVersionClient, AsyncResourceClient, AsyncSubresource
from ._async.clientset import AsyncClientsetBase
from ._async.line_stream import AsyncLines
from ._async.rest import AsyncRest
from ._async.waiting_client import AsyncWaitingClient, AsyncWaitingCollection
from ._async.watch import AsyncWatch

if TYPE_CHECKING:
    from ._async.auth_reconcile import auth_reconcile
    from ._async.certificates import (
        certificate_approve,
        certificate_deny,
    )
    from ._async.controller import AsyncController
    from ._async.daemons import AsyncDaemonContext
    from ._async.debug import debug
    from ._async.dependent_declarations import AsyncExternalDependent
    from ._async.dependents import AsyncDependent, AsyncDependents
    from ._async.describe import describe
    from ._async.discovery import AsyncDiscovery
    from ._async.dynamic import (
        AsyncDynamicClient,
        AsyncDynamicResource,
        AsyncDynamicSubresource,
        AsyncMetadataClient,
    )
    from ._async.events import AsyncEventWatch, events, watch_events
    from ._async.exec_stream import AsyncExecStream
    from ._async.external import AsyncExternal
    from ._async.finalizer import AsyncFinalizer
    from ._async.fleet import AsyncFleet
    from ._async.informer import AsyncSharedInformer
    from ._async.informer_factory import AsyncGroupVersionInformers, AsyncInformerFactory
    from ._async.interactive import interactive
    from ._async.leader_election import AsyncLeaderElector
    from ._async.local_proxy import (
        AsyncLocalProxy,
        proxy,
    )
    from ._async.log_tail import AsyncLogTail
    from ._async.make_verbs import autoscale, create_job_from, expose, replace, run, scale
    from ._async.managed_controller import AsyncContext
    from ._async.manager import AsyncManager
    from ._async.manifest_set import AsyncManifestSet
    from ._async.manifest_texts import fetch_manifests, kustomize
    from ._async.port_forward import AsyncPortForward
    from ._async.proxy import AsyncProxy, AsyncProxyStream
    from ._async.raw_stream import AsyncRawStream
    from ._async.recipes import (
        cordon,
        drain,
        rollout_history,
        rollout_pause,
        rollout_restart,
        rollout_resume,
        rollout_status,
        rollout_undo,
        uncordon,
    )
    from ._async.recorder import AsyncEventRecorder
    from ._async.request_controller import AsyncRequestContext, AsyncRequestController
    from ._async.request_sources import AsyncEvents, AsyncRequestSink, AsyncRequestSource
    from ._async.requests.middleware_link import AsyncMiddleware, AsyncSend
    from ._async.requests.tracing_middleware import trace_requests
    from ._async.service_forward import port_forward
    from ._async.set_verbs import (
        annotate,
        label,
        set_env,
        set_image,
        set_resources,
        set_selector,
        set_service_account,
        set_subject,
        taint,
    )
    from ._async.sharding import AsyncSharding
    from ._async.top import (
        top_nodes,
        top_pods,
    )
    from ._async.webhook_server import AsyncWebhooks
    from ._async.websocket import AsyncWebSocket
    from ._async.workload_pods import pods_of, ready_pods, tail
    from ._async.workqueue import AsyncPriorityQueue, AsyncWorkQueue

__all__ = [
    "AsyncClientsetBase",
    "AsyncContext",
    "AsyncController",
    "AsyncDaemonContext",
    "AsyncDependent",
    "AsyncDependents",
    "AsyncDiscovery",
    "AsyncDynamicClient",
    "AsyncDynamicResource",
    "AsyncDynamicSubresource",
    "AsyncEventRecorder",
    "AsyncEventWatch",
    "AsyncEvents",
    "AsyncExecStream",
    "AsyncExternal",
    "AsyncExternalDependent",
    "AsyncFinalizer",
    "AsyncFleet",
    "AsyncGroupVersionClient",
    "AsyncGroupVersionInformers",
    "AsyncInformerFactory",
    "AsyncLeaderElector",
    "AsyncLines",
    "AsyncLocalProxy",
    "AsyncLogTail",
    "AsyncManager",
    "AsyncManifestSet",
    "AsyncMetadataClient",
    "AsyncMiddleware",
    "AsyncPortForward",
    "AsyncPriorityQueue",
    "AsyncProxy",
    "AsyncProxyStream",
    "AsyncRawStream",
    "AsyncRequestContext",
    "AsyncRequestController",
    "AsyncRequestSink",
    "AsyncRequestSource",
    "AsyncResourceClient",
    "AsyncRest",
    "AsyncSend",
    "AsyncSharding",
    "AsyncSharedInformer",
    "AsyncSubresource",
    "AsyncWaitingClient",
    "AsyncWaitingCollection",
    "AsyncWatch",
    "AsyncWebSocket",
    "AsyncWebhooks",
    "AsyncWorkQueue",
    "annotate",
    "auth_reconcile",
    "autoscale",
    "certificate_approve",
    "certificate_deny",
    "cordon",
    "create_job_from",
    "debug",
    "describe",
    "drain",
    "events",
    "expose",
    "fetch_manifests",
    "interactive",
    "kustomize",
    "label",
    "pods_of",
    "port_forward",
    "proxy",
    "ready_pods",
    "replace",
    "rollout_history",
    "rollout_pause",
    "rollout_restart",
    "rollout_resume",
    "rollout_status",
    "rollout_undo",
    "run",
    "scale",
    "set_env",
    "set_image",
    "set_resources",
    "set_selector",
    "set_service_account",
    "set_subject",
    "tail",
    "taint",
    "top_nodes",
    "top_pods",
    "trace_requests",
    "uncordon",
    "watch_events",
]

# Type checkers must not see `__getattr__`: they would accept every name.
if not TYPE_CHECKING:
    __getattr__ = lazy_attributes(
        __name__,
        __package__,
        {
            "AsyncContext": "._async.managed_controller",
            "AsyncController": "._async.controller",
            "AsyncDependent": "._async.dependents",
            "AsyncDependents": "._async.dependents",
            "AsyncDiscovery": "._async.discovery",
            "AsyncDaemonContext": "._async.daemons",
            "AsyncEvents": "._async.request_sources",
            "AsyncRequestSink": "._async.request_sources",
            "AsyncRequestSource": "._async.request_sources",
            "AsyncRequestContext": "._async.request_controller",
            "AsyncRequestController": "._async.request_controller",
            "AsyncDynamicClient": "._async.dynamic",
            "AsyncDynamicResource": "._async.dynamic",
            "AsyncDynamicSubresource": "._async.dynamic",
            "AsyncMetadataClient": "._async.dynamic",
            "AsyncMiddleware": "._async.requests.middleware_link",
            "AsyncSend": "._async.requests.middleware_link",
            "AsyncEventWatch": "._async.events",
            "AsyncExecStream": "._async.exec_stream",
            "AsyncExternal": "._async.external",
            "AsyncExternalDependent": "._async.dependent_declarations",
            "AsyncLogTail": "._async.log_tail",
            "AsyncPortForward": "._async.port_forward",
            "AsyncProxy": "._async.proxy",
            "AsyncProxyStream": "._async.proxy",
            "AsyncRawStream": "._async.raw_stream",
            "AsyncWebSocket": "._async.websocket",
            "AsyncFinalizer": "._async.finalizer",
            "AsyncFleet": "._async.fleet",
            "AsyncSharedInformer": "._async.informer",
            "AsyncGroupVersionInformers": "._async.informer_factory",
            "AsyncInformerFactory": "._async.informer_factory",
            "AsyncLeaderElector": "._async.leader_election",
            "AsyncManager": "._async.manager",
            "AsyncManifestSet": "._async.manifest_set",
            "fetch_manifests": "._async.manifest_texts",
            "kustomize": "._async.manifest_texts",
            "AsyncEventRecorder": "._async.recorder",
            "auth_reconcile": "._async.auth_reconcile",
            "certificate_approve": "._async.certificates",
            "certificate_deny": "._async.certificates",
            "top_pods": "._async.top",
            "top_nodes": "._async.top",
            "debug": "._async.debug",
            "proxy": "._async.local_proxy",
            "AsyncLocalProxy": "._async.local_proxy",
            "interactive": "._async.interactive",
            "cordon": "._async.recipes",
            "describe": "._async.describe",
            "drain": "._async.recipes",
            "pods_of": "._async.workload_pods",
            "events": "._async.events",
            "port_forward": "._async.service_forward",
            "ready_pods": "._async.workload_pods",
            "rollout_history": "._async.recipes",
            "rollout_restart": "._async.recipes",
            "rollout_status": "._async.recipes",
            "rollout_undo": "._async.recipes",
            "tail": "._async.workload_pods",
            "annotate": "._async.set_verbs",
            "label": "._async.set_verbs",
            "set_env": "._async.set_verbs",
            "set_image": "._async.set_verbs",
            "set_resources": "._async.set_verbs",
            "set_selector": "._async.set_verbs",
            "set_service_account": "._async.set_verbs",
            "set_subject": "._async.set_verbs",
            "taint": "._async.set_verbs",
            "autoscale": "._async.make_verbs",
            "create_job_from": "._async.make_verbs",
            "expose": "._async.make_verbs",
            "replace": "._async.make_verbs",
            "run": "._async.make_verbs",
            "scale": "._async.make_verbs",
            "rollout_pause": "._async.recipes",
            "rollout_resume": "._async.recipes",
            "trace_requests": "._async.requests.tracing_middleware",
            "uncordon": "._async.recipes",
            "watch_events": "._async.events",
            "AsyncSharding": "._async.sharding",
            "AsyncWebhooks": "._async.webhook_server",
            "AsyncPriorityQueue": "._async.workqueue",
            "AsyncWorkQueue": "._async.workqueue",
        },
    )

    def __dir__() -> list[str]:
        return __all__
