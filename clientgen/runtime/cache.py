"""The parts of a cache of API objects: the store, what is told of its changes.

Informers keep caches; this is what their users meet. None of it does I/O.
"""

from __future__ import annotations

from .deltas import Added, Deleted, DeletedFinalStateUnknown, Notification, Updated
from .indexer import (
    NAMESPACE_INDEX,
    Indexer,
    IndexFailure,
    IndexFunction,
    meta_namespace_key,
    split_key,
)

__all__ = [
    "NAMESPACE_INDEX",
    "Added",
    "Deleted",
    "DeletedFinalStateUnknown",
    "IndexFailure",
    "IndexFunction",
    "Indexer",
    "Notification",
    "Updated",
    "meta_namespace_key",
    "split_key",
]
