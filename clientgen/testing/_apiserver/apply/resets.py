"""Which fields a write cannot change, and its writer therefore does not come to own.

Writes to an object leave its status alone, and writes to its status leave the spec alone; a few
kinds keep some of their metadata from status writes as well, custom kinds all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..resources import Resource

__all__ = ["reset_fields"]

Names: TypeAlias = tuple[str, ...]

_KEPT_FROM_STATUS: Final[Mapping[str, tuple[Names, ...]]] = {
    "deployments.apps": (("metadata", "labels"),),
    "pods": (("metadata", "deletionTimestamp"), ("metadata", "ownerReferences")),
}


def reset_fields(resource: Resource, subresource: str) -> tuple[Names, ...]:
    """The fields that a write to the object or a subresource (empty for none) cannot change."""
    if subresource == "status":
        custom: tuple[Names, ...] = (("metadata",),) if resource.custom else ()
        return (("spec",), *custom, *_KEPT_FROM_STATUS.get(resource.group_resource, ()))
    return (("status",),) if resource.has_status else ()
