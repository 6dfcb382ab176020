"""Requests for resources: the counterpart of k8s.io/apiserver's `request.RequestInfo`.

If the path of a request names a resource that is served, a `RequestInfo` has the resource, the
parts of the path and the verb.

Facts: docs/internals/kubernetes-semantics.md, 1.1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from clientgen._apimachinery.failures import Failure

from ..kinds.routes import Place

if TYPE_CHECKING:
    from ..kinds.strategy import Strategy
    from ..served_resources import Resource
    from ..storage.registry import Registry
    from .api_request import Request

_VERBS: Final = {
    "POST": "create",
    "GET": "get",
    "HEAD": "get",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}
_NAMED_NAMESPACE: Final = frozenset(["status", "finalize"])


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """A request for a resource; parts that its path does not have are empty.

    Attributes:
        verb: get, list, watch, create, update, patch, delete or deletecollection; empty for a path
            that a custom resource does not have.
        rest: the path below the subresource (`proxy`).
    """

    request: Request
    resource: Resource
    strategy: Strategy
    verb: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    watch: bool = False

    def of_resource(self, resource: Resource, strategy: Strategy) -> RequestInfo:
        """Return the same request as one for another resource."""
        return replace(self, resource=resource, strategy=strategy)


def no_such_resource() -> Failure:
    """404 for a resource that a known group does not have."""
    return Failure(404, "NotFound", "the server could not find the requested resource")


def request_info(request: Request, registry: Registry) -> RequestInfo | None:
    """Resolve a request; None when its path names no resource of a known group.

    Raises:
        Failure: 404, when the group is known and the resource is not; 405, when the resource does
            not have the verb.
    """
    parts = unquote(request.path).split("/")[1:]
    if parts and not parts[-1]:
        parts.pop()
    if parts[:1] == ["api"]:
        group, rest = "", parts[1:]
    elif parts[:1] == ["apis"]:
        group, rest = "".join(parts[1:2]), parts[2:]
    else:
        return None
    versions = registry.versions_of(group)
    if not rest or not versions or (len(rest) == 1 and rest[0] in versions):
        return None
    version, below = rest[0], rest[1:]
    info = None
    if version in versions and below and "" not in below:
        info = _below(request, group, version, below, registry)
    if info is None and not registry.is_custom(group):
        raise no_such_resource()
    return info


def _below(
    request: Request, group: str, version: str, parts: list[str], registry: Registry
) -> RequestInfo | None:
    """Resolve the path below a group version; None when there is no such path."""
    watch = parts[0] == "watch" and len(parts) > 1
    if watch:
        parts = parts[1:]
    namespace = ""
    if parts[0] == "namespaces" and _names_content(parts):
        namespace, parts = parts[1], parts[2:]
    plural, name, subresource = [*parts, "", ""][:3]
    resource = registry.find(group, version, plural)
    if resource is None:
        return None
    strategy = registry.strategy_of(resource)
    place = Place(namespace, name, subresource, "/".join(parts[3:]), watch)
    if not strategy.routes.has(place):
        return None
    verb = strategy.routes.verb(place, request.method, watch=request.watch)
    return RequestInfo(request, resource, strategy, verb or "", *place)


def resource_of_path(request: Request) -> tuple[str, str, str, str, str, str] | None:
    """Return what the path of a request says that it is about, served or not; None of other paths.

    The result has the verb, the plural, the group, the subresource, the namespace and the name.
    """
    parts = unquote(request.path).strip("/").split("/")
    start = {"api": 2, "apis": 3}.get(parts[0], len(parts))
    group, below = "".join(parts[1 : start - 1]), parts[start:]
    if not below:
        return None
    verb = _VERBS.get(request.method, "")
    if below[0] == "watch" and below[1:]:
        verb, below = "watch", below[1:]
    namespace = ""
    if below[0] == "namespaces" and below[1:]:
        namespace = below[1]
        below = below[2:] if _names_content(below) else below
    plural, name, subresource = [*below, "", ""][:3]
    if not name:
        several = "watch" if request.watch else "list"
        verb = {"get": several, "delete": "deletecollection"}.get(verb, verb)
    return verb, plural, group, subresource, namespace, name


def _names_content(parts: list[str]) -> bool:
    """Return whether `namespaces/x/...` goes on to something inside the namespace."""
    return bool(parts[2:]) and (bool(parts[3:]) or parts[2] not in _NAMED_NAMESPACE)
