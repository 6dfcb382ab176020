"""Server-side apply and managedFields."""

from __future__ import annotations

from .mutation import merged
from .ownership import SchemaOf, Writer, applied, same_but_times, updated
from .scale_managed_fields import SCALE_VERSION, ReplicasPaths, for_scale, from_scale, replicas_path
from .typed import Mistyped

__all__ = [
    "SCALE_VERSION",
    "Mistyped",
    "ReplicasPaths",
    "SchemaOf",
    "Writer",
    "applied",
    "for_scale",
    "from_scale",
    "merged",
    "replicas_path",
    "same_but_times",
    "updated",
]
