"""Refuses verbs that a resource does not have, before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._models.meta_v1 import Status
from ..errors import NoResourceMatch, api_error
from .discovered_resources import ApiResource

if TYPE_CHECKING:
    from .._http.resource import Resource
    from .discovered_resources import ApiSubresource

__all__ = ["check_verb", "subresource_of"]

_NOT_ALLOWED = 405


def check_verb(resource: Resource, verb: str) -> None:
    """Check that a resource has a verb, if the server has said which it has.

    Args:
        resource: the resource.
        verb: as the server calls it, such as `deletecollection`.

    Raises:
        MethodNotAllowed: it has not.
    """
    if isinstance(resource, ApiResource) and resource.verbs and verb not in resource.verbs:
        _refuse(resource.name, verb, resource.verbs)


def subresource_of(resource: ApiResource, name: str, verb: str = "") -> ApiSubresource:
    """Return a subresource that has a verb.

    Raises:
        NoResourceMatch: the resource has no such subresource.
        MethodNotAllowed: the subresource does not have the verb.
    """
    found = resource.subresource(name)
    if found is None:
        others = sorted(f"{resource.plural}/{each.name}" for each in resource.subresources)
        raise NoResourceMatch(f"{resource.plural}/{name}", others)
    if verb and found.verbs and verb not in found.verbs:
        _refuse(f"{resource.plural}/{name}", verb, found.verbs)
    return found


def _refuse(what: str, verb: str, verbs: tuple[str, ...]) -> None:
    message = f"{what} cannot {verb}: the server has {', '.join(verbs)}"
    status = Status(status="Failure", code=_NOT_ALLOWED, reason="MethodNotAllowed", message=message)
    raise api_error(status)
