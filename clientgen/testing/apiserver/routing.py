"""From a path to what it names (fact sheet 1.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, unquote

from .access import ADMIN
from .answers import Response
from .failures import Failure, method_not_allowed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen.runtime.request import HttpRequest

    from .access import Caller
    from .options import Query
    from .registry import Registry
    from .resources import Resource

__all__ = ["Call", "Target", "UNKNOWN_PATH", "no_such_resource", "target_of", "verb_of"]

UNKNOWN_PATH: Final = (404, b"404 page not found\n", "text/plain; charset=utf-8")
_CLUSTER_LENGTH: Final = 3
_NAMED_NAMESPACE: Final = frozenset(["status", "finalize"])


@dataclass(frozen=True, slots=True)
class Call:
    """A request, taken apart. Header names are lower-case."""

    method: str
    path: str
    query: Query
    headers: Mapping[str, str]
    body: bytes
    caller: Caller = ADMIN

    @classmethod
    def of(cls, request: HttpRequest) -> Call:
        """Take a request apart."""
        path, _, query = request.target.partition("?")
        headers: dict[str, str] = {}
        for name, value in request.headers:
            key = name.lower()
            headers[key] = f"{headers[key]}, {value}" if key in headers else value
        parameters = parse_qs(query, keep_blank_values=True) if query else {}
        return cls(request.method, path, parameters, headers, request.body or b"")

    @property
    def accept(self) -> str:
        """The Accept header."""
        return self.headers.get("accept", "")

    @property
    def user_agent(self) -> str:
        """The User-Agent header."""
        return self.headers.get("user-agent", "")


@dataclass(frozen=True, slots=True)
class Target:
    """What a path below a group version names; empty parts were not in it."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    watch: bool = False


def unknown_path() -> Response:
    """The answer for a path that leads nowhere."""
    status, body, content_type = UNKNOWN_PATH
    return Response(status, body, [("content-type", content_type)])


def no_such_resource() -> Failure:
    """404 for a resource that a known group does not have."""
    return Failure(404, "NotFound", "the server could not find the requested resource")


def target_of(path: str, registry: Registry) -> Target | None:
    """What a path names; None when it is none of a known group's resources.

    Raises:
        Failure: 404, when the group is known and the resource is not.
    """
    parts = path.split("/")[1:]
    if parts and not parts[-1]:
        parts.pop()
    if parts[:1] == ["api"]:
        group, rest = "", parts[1:]
    elif parts[:1] == ["apis"] and len(parts) > _CLUSTER_LENGTH - 1:
        group, rest = parts[1], parts[2:]
    else:
        return None
    versions = registry.versions_of(group)
    if not rest or not versions:
        return None
    version, below = rest[0], rest[1:]
    if version in versions and not below:
        return None
    if version not in versions or not below or "" in below:
        raise no_such_resource()
    return _below(group, version, [unquote(part) for part in below], registry)


def _below(group: str, version: str, parts: list[str], registry: Registry) -> Target:
    watch = parts[0] == "watch" and len(parts) > 1
    if watch:
        parts = parts[1:]
    namespace = ""
    if parts[0] == "namespaces" and _names_content(parts):
        namespace, parts = parts[1], parts[2:]
    plural, name, subresource, rest = (*parts, "", "", "")[:3] + ("/".join(parts[3:]),)
    resource = registry.find(group, version, plural)
    if resource is None:
        raise no_such_resource()
    fits = resource.namespaced if namespace else not resource.namespaced or not name
    known = not subresource or (subresource in resource.subresources and not watch)
    if not fits or not known or (rest and subresource != "proxy"):
        raise no_such_resource()
    return Target(resource, namespace, name, subresource, rest, watch)


def _names_content(parts: list[str]) -> bool:
    """Whether `namespaces/x/...` goes on to something inside the namespace."""
    return len(parts) > 2 and not (len(parts) == _CLUSTER_LENGTH and parts[2] in _NAMED_NAMESPACE)


_NAMED: Final = {"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_COLLECTION: Final = {"GET": "list", "POST": "create", "DELETE": "deletecollection"}
_PART: Final = {"GET": "get", "PUT": "update", "PATCH": "patch", "POST": "create"}


def verb_of(call: Call, target: Target) -> str:
    """The verb of a request: get, list, watch, create, update, patch, delete, deletecollection.

    Raises:
        Failure: 405, when the resource does not have it.
    """
    table = _PART if target.subresource else _NAMED if target.name else _COLLECTION
    verb = table.get(call.method, "")
    if target.watch:
        verb = "watch" if call.method == "GET" else ""
    elif verb == "list" and _is_set(call.query.get("watch")):
        verb = "watch"
    if verb not in _verbs(target):
        raise method_not_allowed()
    inside = target.resource.namespaced and not target.namespace
    if inside and verb not in ("list", "watch") and not target.subresource:
        raise method_not_allowed()
    return verb


def _verbs(target: Target) -> frozenset[str] | tuple[str, ...]:
    if target.subresource:
        return target.resource.subresources[target.subresource].verbs
    return target.resource.verbs


def _is_set(values: list[str] | None) -> bool:
    return bool(values) and values[0].lower() not in ("false", "0")
