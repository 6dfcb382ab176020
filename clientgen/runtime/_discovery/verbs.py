"""Refuses verbs that a resource does not support, before a request is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._models.meta_v1 import Status
from ..errors import NoResourceMatch, api_error
from .discovered_resources import ApiResource

if TYPE_CHECKING:
    from .._http.resource import Resource
    from .discovered_resources import ApiSubresource

_METHOD_NOT_ALLOWED_STATUS = 405


def check_verb(resource: Resource, verb: str) -> None:
    """Check that a resource supports a verb. Does nothing if its verbs are unknown.

    Args:
        resource: the resource.
        verb: the verb as in discovery documents, such as `deletecollection`.

    Raises:
        MethodNotAllowed: the resource does not support the verb.
    """
    if isinstance(resource, ApiResource) and resource.verbs and verb not in resource.verbs:
        _raise_not_allowed(resource.name, verb, resource.verbs)


def subresource_of(resource: ApiResource, name: str, verb: str = "") -> ApiSubresource:
    """Return a subresource, and check that it supports a verb.

    Raises:
        NoResourceMatch: the resource has no such subresource.
        MethodNotAllowed: the subresource does not support the verb.
    """
    subresource = resource.subresource(name)
    if subresource is None:
        others = sorted(f"{resource.plural}/{each.name}" for each in resource.subresources)
        raise NoResourceMatch(f"{resource.plural}/{name}", others)
    if verb and subresource.verbs and verb not in subresource.verbs:
        _raise_not_allowed(f"{resource.plural}/{name}", verb, subresource.verbs)
    return subresource


def _raise_not_allowed(resource: str, verb: str, verbs: tuple[str, ...]) -> None:
    message = f"{resource} does not support the verb {verb}; it supports {', '.join(verbs)}"
    status = Status(
        status="Failure",
        code=_METHOD_NOT_ALLOWED_STATUS,
        reason="MethodNotAllowed",
        message=message,
    )
    raise api_error(status)
