"""The parts of a cache of API objects: the store, how it is read, what is told of its changes.

Informers keep caches; this is what their users meet. None of it does I/O.
"""

from __future__ import annotations

from .deltas import Added, Deleted, DeletedFinalStateUnknown, Notification, Updated
from .indexer import Indexer, meta_namespace_key, split_key
from .indices import NAMESPACE_INDEX, IndexFailure, IndexFunction
from .listers import ClusterLister, Labels, Lister, NamespacedLister, NamespaceLister
from .mutation import CacheMutationError, Change, Mutation, MutationDetector
from .transforms import Transform, drop_managed_fields

__all__ = [
    "NAMESPACE_INDEX",
    "Added",
    "CacheMutationError",
    "Change",
    "ClusterLister",
    "Deleted",
    "DeletedFinalStateUnknown",
    "IndexFailure",
    "IndexFunction",
    "Indexer",
    "Labels",
    "Lister",
    "Mutation",
    "MutationDetector",
    "NamespaceLister",
    "NamespacedLister",
    "Notification",
    "Transform",
    "Updated",
    "drop_managed_fields",
    "meta_namespace_key",
    "split_key",
]
