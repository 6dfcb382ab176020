# Derived from aio.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Clients, watches, informers and controllers. There are two flavours: asyncio and threads.

The parts for controllers are loaded when they are first used, so importing clients stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen._lazy import lazy_attributes

from ._sync.client import ResourceClient, Subresource
from ._sync.lines import Lines
from ._sync.rest import Rest
from ._sync.watch import Watch

if TYPE_CHECKING:
    from ._sync.controller import Controller
    from ._sync.informer import SharedInformer
    from ._sync.informer_factory import GroupVersionInformers, InformerFactory
    from ._sync.leader_election import LeaderElector
    from ._sync.recorder import EventRecorder
    from ._sync.sharding import Sharding
    from ._sync.workqueue import PriorityQueue, WorkQueue

__all__ = [
    "Controller",
    "EventRecorder",
    "GroupVersionInformers",
    "InformerFactory",
    "LeaderElector",
    "Lines",
    "PriorityQueue",
    "ResourceClient",
    "Rest",
    "Sharding",
    "SharedInformer",
    "Subresource",
    "Watch",
    "WorkQueue",
]

if not TYPE_CHECKING:  # checkers know the imports above, and report every other name
    __getattr__ = lazy_attributes(
        __name__,
        __package__,
        {
            "Controller": "._sync.controller",
            "SharedInformer": "._sync.informer",
            "GroupVersionInformers": "._sync.informer_factory",
            "InformerFactory": "._sync.informer_factory",
            "LeaderElector": "._sync.leader_election",
            "EventRecorder": "._sync.recorder",
            "Sharding": "._sync.sharding",
            "PriorityQueue": "._sync.workqueue",
            "WorkQueue": "._sync.workqueue",
        },
    )
