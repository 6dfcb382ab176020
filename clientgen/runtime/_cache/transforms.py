"""What is done to every object before it goes into a cache.

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
    """A function from an object, fresh from the server, to what is stored in its place."""

    def __call__(self, obj: T, /) -> T:
        """Return what to store."""
        ...


def drop_managed_fields(obj: T) -> T:
    """Drop who owns which field: half of what many objects consist of, and seldom read.

    Nothing is lost when such an object is written back: the server keeps the managed fields that a
    write leaves out (Kubernetes documentation: server-side apply, clearing managedFields).
    """
    metadata: Any = getattr(obj, "metadata", None)
    if metadata is not None:
        metadata.managed_fields = []
    return obj
