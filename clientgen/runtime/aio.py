"""Clients, watches, informers and controllers. There are two flavours: asyncio and threads.

The parts for controllers are loaded when they are first used, so importing clients stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen._lazy import lazy_attributes

from ._async.client import AsyncResourceClient, AsyncSubresource
from ._async.lines import AsyncLines
from ._async.rest import AsyncRest
from ._async.watch import AsyncWatch

if TYPE_CHECKING:
    from ._async.controller import AsyncController
    from ._async.informer import AsyncSharedInformer
    from ._async.informer_factory import AsyncGroupVersionInformers, AsyncInformerFactory
    from ._async.leader_election import AsyncLeaderElector
    from ._async.recorder import AsyncEventRecorder
    from ._async.sharding import AsyncSharding
    from ._async.workqueue import AsyncPriorityQueue, AsyncWorkQueue

__all__ = [
    "AsyncController",
    "AsyncEventRecorder",
    "AsyncGroupVersionInformers",
    "AsyncInformerFactory",
    "AsyncLeaderElector",
    "AsyncLines",
    "AsyncPriorityQueue",
    "AsyncResourceClient",
    "AsyncRest",
    "AsyncSharding",
    "AsyncSharedInformer",
    "AsyncSubresource",
    "AsyncWatch",
    "AsyncWorkQueue",
]

if not TYPE_CHECKING:  # checkers know the imports above, and report every other name
    __getattr__ = lazy_attributes(
        __name__,
        __package__,
        {
            "AsyncController": "._async.controller",
            "AsyncSharedInformer": "._async.informer",
            "AsyncGroupVersionInformers": "._async.informer_factory",
            "AsyncInformerFactory": "._async.informer_factory",
            "AsyncLeaderElector": "._async.leader_election",
            "AsyncEventRecorder": "._async.recorder",
            "AsyncSharding": "._async.sharding",
            "AsyncPriorityQueue": "._async.workqueue",
            "AsyncWorkQueue": "._async.workqueue",
        },
    )
