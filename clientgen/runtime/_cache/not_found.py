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


def is_missing_object(error: NotFound) -> bool:
    """Return whether a 404 means that an object does not exist, and not that its kind is unknown.

    Only a 404 of an object has its name (apimachinery: errors.NewNotFound).
    """
    return error.details is not None and bool(error.details.name)


def check_same_object(resource: Resource, found: Any, wanted: Any) -> None:
    """Check that an object is not another one that has the name of the wanted object.

    Raises:
        NotFound: It is.
    """
    if found.metadata.uid != wanted.metadata.uid:
        raise not_found(resource, wanted.metadata.name, ": another object has its name")
