"""`clientgen.runtime.aio`: what generated clients of this flavour stand on, and controllers.

What only controllers need is loaded when it is asked for: importing clients stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._async.client import AsyncResourceClient, AsyncSubresource
from ._async.lines import AsyncLines
from ._async.rest import AsyncRest
from ._async.seam import AsyncByteStream, AsyncTransport
from ._async.watch import AsyncWatch

if TYPE_CHECKING:
    from ._async.controller import AsyncController
    from ._async.informer import AsyncSharedInformer
    from ._async.informers import AsyncGroupVersionInformers, AsyncInformerFactory
    from ._async.leader_election import AsyncLeaderElector
    from ._async.recorder import AsyncEventRecorder
    from ._async.registration import AsyncHandlerRegistration
    from ._async.sharding import AsyncSharding
    from ._async.workqueue import AsyncPriorityQueue, AsyncWorkQueue

__all__ = [
    "AsyncByteStream",
    "AsyncController",
    "AsyncEventRecorder",
    "AsyncGroupVersionInformers",
    "AsyncHandlerRegistration",
    "AsyncInformerFactory",
    "AsyncLeaderElector",
    "AsyncLines",
    "AsyncPriorityQueue",
    "AsyncResourceClient",
    "AsyncRest",
    "AsyncSharding",
    "AsyncSharedInformer",
    "AsyncSubresource",
    "AsyncTransport",
    "AsyncWatch",
    "AsyncWorkQueue",
]

# In which module of `_async` the rest is.
_LATER = {
    "AsyncController": "controller",
    "AsyncGroupVersionInformers": "informers",
    "AsyncEventRecorder": "recorder",
    "AsyncHandlerRegistration": "registration",
    "AsyncInformerFactory": "informers",
    "AsyncLeaderElector": "leader_election",
    "AsyncPriorityQueue": "workqueue",
    "AsyncSharedInformer": "informer",
    "AsyncSharding": "sharding",
    "AsyncWorkQueue": "workqueue",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"._async.{_LATER[name]}", __package__), name)
