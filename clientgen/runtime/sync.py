# Derived from aio.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`clientgen.runtime.sync`: what generated clients of this flavour stand on, and controllers.

What only controllers need is loaded when it is asked for: importing clients stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._sync.client import ResourceClient, Subresource
from ._sync.lines import Lines
from ._sync.rest import Rest
from ._sync.seam import ByteStream, Transport
from ._sync.watch import Watch

if TYPE_CHECKING:
    from ._sync.controller import Controller
    from ._sync.informer import SharedInformer
    from ._sync.informers import GroupVersionInformers, InformerFactory
    from ._sync.leader_election import LeaderElector
    from ._sync.recorder import EventRecorder
    from ._sync.registration import HandlerRegistration
    from ._sync.sharding import Sharding
    from ._sync.workqueue import PriorityQueue, WorkQueue

__all__ = [
    "ByteStream",
    "Controller",
    "EventRecorder",
    "GroupVersionInformers",
    "HandlerRegistration",
    "InformerFactory",
    "LeaderElector",
    "Lines",
    "PriorityQueue",
    "ResourceClient",
    "Rest",
    "Sharding",
    "SharedInformer",
    "Subresource",
    "Transport",
    "Watch",
    "WorkQueue",
]

# In which module of `_sync` the rest is.
_LATER = {
    "Controller": "controller",
    "GroupVersionInformers": "informers",
    "EventRecorder": "recorder",
    "HandlerRegistration": "registration",
    "InformerFactory": "informers",
    "LeaderElector": "leader_election",
    "PriorityQueue": "workqueue",
    "SharedInformer": "informer",
    "Sharding": "sharding",
    "WorkQueue": "workqueue",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"._sync.{_LATER[name]}", __package__), name)
