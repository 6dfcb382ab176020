"""From a path to what it names (fact sheet 1.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, unquote

from clientgen._apimachinery.failures import Failure, bad_request, method_not_allowed, not_found

from .access import ADMIN
from .answers import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen.runtime._http.request import HttpRequest

    from .access import Caller
    from .options import Query
    from .registry import Registry
    from .resources import Resource

__all__ = ["UNKNOWN_PATH", "Call", "Target", "no_such_resource", "target_of", "verb_of"]

UNKNOWN_PATH: Final = (404, b"404 page not found\n", "text/plain; charset=utf-8")
_STREAMS: Final = re.compile(r"^/api/v1/watch/|/(log|exec|attach|portforward|proxy)(/|$)")
_POST_ONLY: Final = frozenset(["create"])
"""Of reviews and bindings, which have no names."""
_NAMED_NAMESPACE: Final = frozenset(["status", "finalize"])


@dataclass(frozen=True, slots=True)
class Call:
    """A request, taken apart. Header names are lower-case."""

    method: str
    path: str
    query: Query
    headers: Mapping[str, str]
    body: bytes
    warnings: list[str] = field(default_factory=list[str])
    """What the answer is to warn of."""
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
    def is_long(self) -> bool:
        """Whether the request is for a stream, which no deadline ends."""
        if self.method == "GET" and _is_set(self.query.get("watch")):
            return True
        return bool(_STREAMS.search(self.path))

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
    parts = unquote(path).split("/")[1:]
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
    found = None
    if version in versions and below and "" not in below:
        found = _below(group, version, below, registry)
    if found is None and not registry.is_custom(group):
        raise no_such_resource()
    return found


def _below(group: str, version: str, parts: list[str], registry: Registry) -> Target | None:
    """The target of the path below a group version; None when there is none."""
    watch = parts[0] == "watch" and len(parts) > 1
    if watch:
        parts = parts[1:]
    namespace = ""
    if parts[0] == "namespaces" and _names_content(parts):
        namespace, parts = parts[1], parts[2:]
    plural, name, subresource = [*parts, "", ""][:3]
    rest = "/".join(parts[3:])
    resource = registry.find(group, version, plural)
    if resource is None:
        return None
    if resource.custom is not None:
        fits = resource.namespaced == bool(namespace) or (resource.namespaced and not name)
    else:
        fits = resource.namespaced if namespace else not resource.namespaced or not name
        fits = fits and not (name and resource.verbs == _POST_ONLY and not subresource)
        fits = fits and _is_known(resource, subresource, rest, watch=watch)
    return Target(resource, namespace, name, subresource, rest, watch) if fits else None


def _is_known(resource: Resource, subresource: str, rest: str, *, watch: bool) -> bool:
    if not subresource:
        return True
    return (
        subresource in resource.subresources and not watch and not (rest and subresource != "proxy")
    )


def _names_content(parts: list[str]) -> bool:
    """Whether `namespaces/x/...` goes on to something inside the namespace."""
    return bool(parts[2:]) and (bool(parts[3:]) or parts[2] not in _NAMED_NAMESPACE)


_NAMED: Final = {"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_COLLECTION: Final = {"GET": "list", "POST": "create", "DELETE": "deletecollection"}
_PART: Final = {"GET": "get", "PUT": "update", "PATCH": "patch", "POST": "create"}
_CUSTOM: Final = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch"}


def verb_of(call: Call, target: Target) -> str | None:
    """The verb of a request: get, list, watch, create, update, patch, delete, deletecollection.

    None stands for a path that a custom resource does not have.

    Raises:
        Failure: 405, when the resource does not have it.
    """
    if target.resource.custom is not None:
        return _custom_verb(call, target)
    table = _PART if target.subresource else _NAMED if target.name else _COLLECTION
    verb = table.get(call.method, "")
    if target.watch:
        verb = "watch" if call.method == "GET" else ""
    elif verb == "list" and _is_set(call.query.get("watch")):
        verb = "watch"
    if verb not in _verbs(target) or _is_outside(target, verb):
        raise method_not_allowed()
    return verb


def _custom_verb(call: Call, target: Target) -> str | None:
    """One handler takes all requests for custom resources, and looks at them in another order."""
    resource = target.resource
    verb = _CUSTOM.get(call.method, "")
    if call.method == "DELETE":
        verb = "delete" if target.name else "deletecollection"
    elif verb == "get" and not target.name:
        verb = "watch" if target.watch or _is_set(call.query.get("watch")) else "list"
    if _is_outside(target, verb):
        return None
    if target.subresource and target.subresource not in resource.subresources:
        raise not_found(resource.group, resource.plural, target.name)
    if not verb or (target.subresource and verb not in _verbs(target)):
        raise Failure(
            405,
            "MethodNotAllowed",
            f'{verb} is not supported on resources of kind "{resource.group_resource}"',
            group=resource.group,
            kind=resource.plural,
        )
    if verb in ("update", "patch") and not target.name:
        raise bad_request("name must be provided")
    return verb


def _is_outside(target: Target, verb: str) -> bool:
    """Whether a verb needs the namespace that the path does not have."""
    outside = target.resource.namespaced and not target.namespace
    return outside and verb not in ("list", "watch") and not target.subresource


def _verbs(target: Target) -> frozenset[str] | tuple[str, ...]:
    if target.subresource:
        return target.resource.subresources[target.subresource].verbs
    return target.resource.verbs


def _is_set(values: list[str] | None) -> bool:
    return values is not None and values[0].lower() not in ("false", "0")
