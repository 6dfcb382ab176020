# Derived from aio.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Clients, watches, informers and controllers. There are two flavours: asyncio and threads.

Modules for controllers are imported when they are first used, so that importing clients is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen._lazy import lazy_attributes

from ._sync.client import GroupVersionClient, ResourceClient, Subresource
from ._sync.clientset import ClientsetBase
from ._sync.line_stream import Lines
from ._sync.rest import Rest
from ._sync.waiting_client import WaitingClient, WaitingCollection
from ._sync.watch import Watch

if TYPE_CHECKING:
    from ._sync.auth_reconcile import auth_reconcile
    from ._sync.certificates import (
        certificate_approve,
        certificate_deny,
    )
    from ._sync.controller import Controller
    from ._sync.daemons import DaemonContext
    from ._sync.debug import debug
    from ._sync.dependent_declarations import ExternalDependent
    from ._sync.dependents import Dependent, Dependents
    from ._sync.describe import describe
    from ._sync.discovery import Discovery
    from ._sync.dynamic import (
        DynamicClient,
        DynamicResource,
        DynamicSubresource,
        MetadataClient,
    )
    from ._sync.events import EventWatch, events, watch_events
    from ._sync.exec_stream import ExecStream
    from ._sync.external import External
    from ._sync.finalizer import Finalizer
    from ._sync.fleet import Fleet
    from ._sync.informer import SharedInformer
    from ._sync.informer_factory import GroupVersionInformers, InformerFactory
    from ._sync.interactive import interactive
    from ._sync.leader_election import LeaderElector
    from ._sync.local_proxy import (
        LocalProxy,
        proxy,
    )
    from ._sync.log_tail import LogTail
    from ._sync.make_verbs import autoscale, create_job_from, expose, replace, run, scale
    from ._sync.managed_controller import Context
    from ._sync.manager import Manager
    from ._sync.manifest_set import ManifestSet
    from ._sync.manifest_texts import fetch_manifests, kustomize
    from ._sync.port_forward import PortForward
    from ._sync.proxy import Proxy, ProxyStream
    from ._sync.raw_stream import RawStream
    from ._sync.recipes import (
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
    from ._sync.recorder import EventRecorder
    from ._sync.request_controller import RequestContext, RequestController
    from ._sync.request_sources import Events, RequestSink, RequestSource
    from ._sync.requests.middleware_link import Middleware, Send
    from ._sync.requests.tracing_middleware import trace_requests
    from ._sync.service_forward import port_forward
    from ._sync.set_verbs import (
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
    from ._sync.sharding import Sharding
    from ._sync.top import (
        top_nodes,
        top_pods,
    )
    from ._sync.webhook_server import Webhooks
    from ._sync.websocket import WebSocket
    from ._sync.workload_pods import pods_of, ready_pods, tail
    from ._sync.workqueue import PriorityQueue, WorkQueue

__all__ = [
    "ClientsetBase",
    "Context",
    "Controller",
    "DaemonContext",
    "Dependent",
    "Dependents",
    "Discovery",
    "DynamicClient",
    "DynamicResource",
    "DynamicSubresource",
    "EventRecorder",
    "EventWatch",
    "Events",
    "ExecStream",
    "External",
    "ExternalDependent",
    "Finalizer",
    "Fleet",
    "GroupVersionClient",
    "GroupVersionInformers",
    "InformerFactory",
    "LeaderElector",
    "Lines",
    "LocalProxy",
    "LogTail",
    "Manager",
    "ManifestSet",
    "MetadataClient",
    "Middleware",
    "PortForward",
    "PriorityQueue",
    "Proxy",
    "ProxyStream",
    "RawStream",
    "RequestContext",
    "RequestController",
    "RequestSink",
    "RequestSource",
    "ResourceClient",
    "Rest",
    "Send",
    "Sharding",
    "SharedInformer",
    "Subresource",
    "WaitingClient",
    "WaitingCollection",
    "Watch",
    "WebSocket",
    "Webhooks",
    "WorkQueue",
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
            "Context": "._sync.managed_controller",
            "Controller": "._sync.controller",
            "Dependent": "._sync.dependents",
            "Dependents": "._sync.dependents",
            "Discovery": "._sync.discovery",
            "DaemonContext": "._sync.daemons",
            "Events": "._sync.request_sources",
            "RequestSink": "._sync.request_sources",
            "RequestSource": "._sync.request_sources",
            "RequestContext": "._sync.request_controller",
            "RequestController": "._sync.request_controller",
            "DynamicClient": "._sync.dynamic",
            "DynamicResource": "._sync.dynamic",
            "DynamicSubresource": "._sync.dynamic",
            "MetadataClient": "._sync.dynamic",
            "Middleware": "._sync.requests.middleware_link",
            "Send": "._sync.requests.middleware_link",
            "EventWatch": "._sync.events",
            "ExecStream": "._sync.exec_stream",
            "External": "._sync.external",
            "ExternalDependent": "._sync.dependent_declarations",
            "LogTail": "._sync.log_tail",
            "PortForward": "._sync.port_forward",
            "Proxy": "._sync.proxy",
            "ProxyStream": "._sync.proxy",
            "RawStream": "._sync.raw_stream",
            "WebSocket": "._sync.websocket",
            "Finalizer": "._sync.finalizer",
            "Fleet": "._sync.fleet",
            "SharedInformer": "._sync.informer",
            "GroupVersionInformers": "._sync.informer_factory",
            "InformerFactory": "._sync.informer_factory",
            "LeaderElector": "._sync.leader_election",
            "Manager": "._sync.manager",
            "ManifestSet": "._sync.manifest_set",
            "fetch_manifests": "._sync.manifest_texts",
            "kustomize": "._sync.manifest_texts",
            "EventRecorder": "._sync.recorder",
            "auth_reconcile": "._sync.auth_reconcile",
            "certificate_approve": "._sync.certificates",
            "certificate_deny": "._sync.certificates",
            "top_pods": "._sync.top",
            "top_nodes": "._sync.top",
            "debug": "._sync.debug",
            "proxy": "._sync.local_proxy",
            "LocalProxy": "._sync.local_proxy",
            "interactive": "._sync.interactive",
            "cordon": "._sync.recipes",
            "describe": "._sync.describe",
            "drain": "._sync.recipes",
            "pods_of": "._sync.workload_pods",
            "events": "._sync.events",
            "port_forward": "._sync.service_forward",
            "ready_pods": "._sync.workload_pods",
            "rollout_history": "._sync.recipes",
            "rollout_restart": "._sync.recipes",
            "rollout_status": "._sync.recipes",
            "rollout_undo": "._sync.recipes",
            "tail": "._sync.workload_pods",
            "annotate": "._sync.set_verbs",
            "label": "._sync.set_verbs",
            "set_env": "._sync.set_verbs",
            "set_image": "._sync.set_verbs",
            "set_resources": "._sync.set_verbs",
            "set_selector": "._sync.set_verbs",
            "set_service_account": "._sync.set_verbs",
            "set_subject": "._sync.set_verbs",
            "taint": "._sync.set_verbs",
            "autoscale": "._sync.make_verbs",
            "create_job_from": "._sync.make_verbs",
            "expose": "._sync.make_verbs",
            "replace": "._sync.make_verbs",
            "run": "._sync.make_verbs",
            "scale": "._sync.make_verbs",
            "rollout_pause": "._sync.recipes",
            "rollout_resume": "._sync.recipes",
            "trace_requests": "._sync.requests.tracing_middleware",
            "uncordon": "._sync.recipes",
            "watch_events": "._sync.events",
            "Sharding": "._sync.sharding",
            "Webhooks": "._sync.webhook_server",
            "PriorityQueue": "._sync.workqueue",
            "WorkQueue": "._sync.workqueue",
        },
    )

    def __dir__() -> list[str]:
        return __all__
