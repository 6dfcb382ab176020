"""The error for an object that a cache does not have, or that is another object by now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._models.meta_v1 import Status, StatusDetails
from ..errors import NotFound

if TYPE_CHECKING:
    from .._http.resource import Resource


def not_found(resource: Resource, name: str, why: str = "") -> NotFound:
    """Create the error that the server would return (apimachinery: errors.NewNotFound)."""
    return NotFound(
        Status(
            status="Failure",
            message=f'{resource.name} "{name}" not found{why}',
            reason="NotFound",
            details=StatusDetails(name=name, group=resource.group or None, kind=resource.plural),
            code=404,
        )
    )


def check_same_object(resource: Resource, found: Any, wanted: Any) -> None:
    """Check that an object is not another one that has the name of the wanted object.

    Raises:
        NotFound: It is.
    """
    if found.metadata.uid != wanted.metadata.uid:
        raise not_found(resource, wanted.metadata.name, ": another object has its name")
