"""Transforms: functions applied to every object before it goes into a cache.

A transform makes a cache smaller by what its users do not need. It is given an object nobody else
has seen yet, so it may change it in place, and returns what to store. Applied twice it must do no
more than once. It leaves `metadata.name`, `namespace`, `uid` and `resource_version` alone. If it
raises, the object is not stored (client-go: cache.TransformFunc).
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

__all__ = ["Transform", "drop_managed_fields"]

T = TypeVar("T")


class Transform(Protocol[T]):
    """A function that takes an object from the server and returns the object to store."""

    def __call__(self, obj: T, /) -> T:
        """Return the object to store."""
        ...


def drop_managed_fields(obj: T) -> T:
    """Drop the managed fields: rarely read, and half of the size of many objects.

    Writing such an object back loses nothing: the server keeps managed fields that a write leaves
    out (Kubernetes documentation: server-side apply, clearing managedFields).
    """
    metadata: Any = getattr(obj, "metadata", None)
    if metadata is not None:
        metadata.managed_fields = []
    return obj
