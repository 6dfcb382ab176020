"""Routes: which paths and methods of a resource lead to which verb.

A real server installs a route for each path of a built-in resource. One handler takes all requests
for custom resources, and checks them in another order.

Facts: docs/internals/kubernetes-semantics.md, 1.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from clientgen._apimachinery.failures import Failure, bad_request, method_not_allowed, not_found

if TYPE_CHECKING:
    from ..served_resources import Resource

_POST_ONLY: Final = frozenset(["create"])
"""The verbs of reviews and bindings, which have no names."""
_NAMED: Final = {"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_COLLECTION: Final = {"GET": "list", "POST": "create", "DELETE": "deletecollection"}
_SUBRESOURCE: Final = {"GET": "get", "PUT": "update", "PATCH": "patch", "POST": "create"}
_CUSTOM: Final = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch"}


class Place(NamedTuple):
    """The parts of a path below a group version; those that it does not have are empty."""

    namespace: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    watch: bool = False


class Routes:
    """The routes of a built-in resource."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource

    def has(self, place: Place) -> bool:
        """Return whether there is such a path."""
        resource, name, subresource = self.resource, place.name, place.subresource
        fits = resource.namespaced if place.namespace else not (resource.namespaced and name)
        if name and resource.verbs == _POST_ONLY and not subresource:
            return False
        return fits and (not subresource or self._has_subresource(place))

    def _has_subresource(self, place: Place) -> bool:
        if place.subresource not in self.resource.subresources or place.watch:
            return False
        return not place.rest or place.subresource == "proxy"

    def verb(self, place: Place, method: str, *, watch: bool) -> str | None:
        """Return the verb; None for a path without one. `watch` is that of the query.

        Raises:
            Failure: 405, when the resource does not have the verb.
        """
        table = _SUBRESOURCE if place.subresource else _NAMED if place.name else _COLLECTION
        verb = table.get(method, "")
        if place.watch:
            verb = "watch" if method == "GET" else ""
        elif verb == "list" and watch:
            verb = "watch"
        if verb not in self.verbs(place) or self.needs_namespace(place, verb):
            raise method_not_allowed()
        return verb

    def verbs(self, place: Place) -> frozenset[str] | tuple[str, ...]:
        """Return the verbs of the resource or the subresource."""
        if place.subresource:
            return self.resource.subresources[place.subresource].verbs
        return self.resource.verbs

    def needs_namespace(self, place: Place, verb: str) -> bool:
        """Return whether a verb needs a namespace that the path does not have."""
        outside = self.resource.namespaced and not place.namespace
        return outside and verb not in ("list", "watch") and not place.subresource


class CustomRoutes(Routes):
    """The routes of a custom resource."""

    def has(self, place: Place) -> bool:
        """Return whether there is such a path; subresources are checked with the verb."""
        namespaced = self.resource.namespaced
        return namespaced == bool(place.namespace) or (namespaced and not place.name)

    def verb(self, place: Place, method: str, *, watch: bool) -> str | None:
        """Return the verb; None for a path without one.

        Raises:
            Failure: 404 for an unknown subresource, 405 for a verb that is not supported, 400 for
                a write without a name.
        """
        resource = self.resource
        verb = _CUSTOM.get(method, "")
        if method == "DELETE":
            verb = "delete" if place.name else "deletecollection"
        elif verb == "get" and not place.name:
            verb = "watch" if place.watch or watch else "list"
        if self.needs_namespace(place, verb):
            return None
        if place.subresource and place.subresource not in resource.subresources:
            raise not_found(resource.group, resource.plural, place.name)
        if not verb or (place.subresource and verb not in self.verbs(place)):
            raise Failure(
                405,
                "MethodNotAllowed",
                f'{verb} is not supported on resources of kind "{resource.group_resource}"',
                group=resource.group,
                kind=resource.plural,
            )
        if verb in ("update", "patch") and not place.name:
            raise bad_request("name must be provided")
        return verb
