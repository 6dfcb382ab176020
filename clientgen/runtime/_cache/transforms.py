"""Transforms: functions applied to every object before it goes into a cache.

A transform makes a cache smaller: it drops parts of objects that the program does not need. It may
change the object in place, because no other code has the object yet, and returns the object to
store. A second call with the same object must change nothing. A transform must not change `name`,
`namespace`, `uid` and `resource_version` of the metadata. If a transform raises, the object is not
stored (client-go: cache.TransformFunc).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec.structs import force_setattr

from .._models.model_info import viewed_model

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Transform(Protocol[T]):
    """A function that takes an object from the server and returns the object to store."""

    def __call__(self, obj: T, /) -> T:
        """Return the object to store."""
        ...


def drop_managed_fields(obj: T) -> T:
    """Drop the managed fields, which programs rarely read and which are half of many objects.

    Writing such an object back loses nothing: the server keeps managed fields that a write leaves
    out (Kubernetes documentation: server-side apply, clearing managedFields).
    """
    metadata: Any = getattr(obj, "metadata", None)
    if getattr(metadata, "managed_fields", None):  # a view may lack them
        if viewed_model(metadata.__class__):  # views are frozen; nobody else has this one yet
            force_setattr(metadata, "managed_fields", [])
        else:
            metadata.managed_fields = []
    return obj


def stripping(transform: Callable[[T], T] | None) -> Callable[[T], T]:
    """Return a transform that drops the managed fields, and then calls another transform."""
    if transform is None:
        return drop_managed_fields
    return lambda obj: transform(drop_managed_fields(obj))
