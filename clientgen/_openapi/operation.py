"""Paths of an OpenAPI document to operations on resources, in the same way for v2 and v3.

Paths and `x-kubernetes-*` extensions are the truth here; nothing is guessed from names
(https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen._json import is_array, is_object
from clientgen._openapi.json_source import follow, pointer
from clientgen._openapi.schema import Schema, kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from clientgen._problems import Problems

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch")
"""The methods for which a path may have operations."""
SUCCESS: Final = ("200", "201", "202")
"""The codes of successful answers."""

_PATH = re.compile(
    r"^/(?:api|apis/(?P<group>[^/{}]+))/(?P<version>[^/{}]+)"
    r"(?P<watch>/watch)?(?P<namespaced>/namespaces/\{namespace\})?"
    r"/(?P<plural>[^/{}]+)(?:/\{name\}(?:/(?P<subresource>.+?))?)?/?\Z"
)

_DEPRECATED_WATCH = "deprecated: a watch is a list with watch=true"
_NO_RESOURCE = "not a call on a resource (discovery, version or key set)"

_Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """One HTTP method on one path of a resource.

    Attributes:
        where: its place.
        action: the verb as the API server names it in `x-kubernetes-action`: get, put, post...
        subresource: what follows the name in the path; empty for the resource itself.
        kinds: what it is about; one kind, but in documents of no real server.
        body: the schema of what it is sent; None when it is sent nothing.
        response: the schema of what it answers when it succeeds.
        consumes: the media types that it takes.
        watchable: whether it is a list that also answers to `watch=true`.
    """

    where: str
    operation_id: str
    action: str
    group_version: GroupVersion
    plural: str
    subresource: str
    namespaced: bool
    kinds: tuple[GroupVersionKind, ...]
    body: Schema | None
    response: Schema | None
    consumes: tuple[str, ...]
    watchable: bool = False

    @property
    def gvk(self) -> GroupVersionKind | None:
        """The kind it is about."""
        return self.kinds[0] if self.kinds else None


class Call(NamedTuple):
    """A method on a path of a resource, as far as the path and the extensions say it.

    Attributes:
        method: of HTTP, in lower case.
        action: the verb as the API server names it in `x-kubernetes-action`.
        subresource: what follows the name in the path; empty for the resource itself.
        raw: the operation as it is written.
        item: what is written for the path: its operations, and parameters of all of them.
    """

    path: str
    method: str
    action: str
    group_version: GroupVersion
    plural: str
    subresource: str
    namespaced: bool
    raw: _Json
    item: _Json

    @property
    def kinds(self) -> tuple[GroupVersionKind, ...]:
        """The kinds that the call is about."""
        return kinds_of(self.raw)


class OperationReader(ABC):
    """Reads the paths of one document. How bodies and answers are written is for subclasses."""

    def __init__(self, document: Mapping[str, Any], shown: str) -> None:
        self._document = document
        self._shown = shown
        self._paths: Mapping[str, Any] = document.get("paths", {})
        self._targets: dict[str, _Json] = {}
        self.ignored: list[tuple[str, str]] = []
        """Operations that are no calls on a resource, and why; filled by `calls`."""

    def operations(self) -> Iterator[Operation]:
        """Every call on a resource with what it sends and answers, in order of the paths."""
        return map(self._operation, self.calls())

    def calls(self) -> Iterator[Call]:
        """Every call on a resource, in order of the paths."""
        for path, item in sorted(self._paths.items()):
            # A key that is not a path is an extension, of any type.
            methods = [method for method in METHODS if method in item] if is_object(item) else []
            match = _PATH.match(path) if methods else None
            served = _on_resource(match, item) if match and not match["watch"] else None
            for method in methods:
                action = item[method].get("x-kubernetes-action")
                if not isinstance(action, str) or not match:
                    self.ignored.append((f"{method.upper()} {path}", _NO_RESOURCE))
                elif served is None:
                    self.ignored.append((f"{method.upper()} {path}", _DEPRECATED_WATCH))
                else:
                    yield served(method, action, item[method])

    @abstractmethod
    def body(self, raw: _Json, item: _Json) -> Schema | None:
        """The schema of what an operation is sent, if it is sent anything."""

    @abstractmethod
    def response(self, raw: _Json) -> Schema | None:
        """The schema of what an operation answers when it succeeds."""

    @abstractmethod
    def consumes(self, raw: _Json) -> Iterable[str]:
        """The media types that an operation takes."""

    def parameters(self, raw: _Json, item: _Json) -> Iterator[_Json]:
        """The parameters of an operation and of its path; shared ones stand behind a `$ref`."""
        for stated in (raw.get("parameters"), item.get("parameters")):
            yield from map(self.followed, stated if is_array(stated) else ())

    def followed(self, part: Any) -> _Json:
        """A part of an operation, or what it refers to; nothing if that is nothing or itself."""
        if not is_object(part):
            return {}
        reference = part.get("$ref")
        if not isinstance(reference, str):
            return part
        target = self._targets.get(reference)
        if target is None:
            target = self._targets[reference] = self._follow(reference)
        return target

    def _follow(self, reference: Any) -> _Json:
        target, visited = None, set[str]()
        while isinstance(reference, str) and reference not in visited:
            visited.add(reference)
            try:
                target = follow(self._document, reference)
            except KeyError:
                return {}
            reference = target.get("$ref") if is_object(target) else None
        return target if is_object(target) and reference is None else {}

    def _operation(self, call: Call) -> Operation:
        return Operation(
            where=self._shown + pointer("paths", call.path, call.method),
            operation_id=call.raw.get("operationId") or f"{call.method.upper()} {call.path}",
            action=call.action,
            group_version=call.group_version,
            plural=call.plural,
            subresource=call.subresource,
            namespaced=call.namespaced,
            kinds=call.kinds,
            body=self.body(call.raw, call.item),
            response=self.response(call.raw),
            consumes=tuple(self.consumes(call.raw)),
            watchable=call.action == "list" and self._watchable(call),
        )

    def _watchable(self, call: Call) -> bool:
        """Built-in resources have paths below /watch/; custom ones only the query parameter."""
        plurals = self._watched.get((call.group_version.group, call.group_version.version))
        if plurals is not None:
            return call.plural in plurals
        return any(p.get("name") == "watch" for p in self.parameters(call.raw, call.item))

    @cached_property
    def _watched(self) -> dict[tuple[str, str], set[str]]:
        """The plurals with a path below /watch/, by group and version."""
        watched: dict[tuple[str, str], set[str]] = {}
        for path in self._paths:
            match = _PATH.match(path) if "/watch/" in path else None
            if match and match["watch"]:
                key = (match["group"] or "", match["version"])
                watched.setdefault(key, set()).add(match["plural"])
        return watched


def _on_resource(match: re.Match[str], item: _Json) -> Callable[[str, str, _Json], Call]:
    """Makes the calls of one path."""
    home = GroupVersion(match["group"] or "", match["version"])
    resource = match["plural"], match["subresource"] or "", bool(match["namespaced"])

    def call(method: str, action: str, raw: _Json) -> Call:
        return Call(match.string, method, action, home, *resource, raw, item)

    return call


def check_unique(operations: Iterable[Operation], problems: Problems, notes: Problems) -> None:
    """Report operations that are the same call; those that share an id only, in `notes`."""
    by_id: dict[str, Operation] = {}
    by_call: dict[tuple[object, ...], Operation] = {}
    repeated: list[tuple[Operation, Operation]] = []
    for operation in operations:
        first = by_id.setdefault(operation.operation_id, operation)
        if first is not operation:
            repeated.append((operation, first))
        first = by_call.setdefault(_identity(operation), operation)
        if first is not operation:
            problems.add(
                operation.where,
                f"is the same call as {first.where}",
                "Two operations cannot share a resource, subresource and action; remove one.",
            )
    if repeated:
        operation, first = repeated[0]
        more = f", and {len(repeated) - 1} more have one of another" if len(repeated) > 1 else ""
        what = f"has the operationId {operation.operation_id!r} of {first.where}{more}"
        notes.add(operation.where, what, "Nothing that is generated depends on it.")


def _identity(operation: Operation) -> tuple[object, ...]:
    """Return the key of a call: get and delete differ by action, lists by scope."""
    # A proxied path has one action for seven methods, and nothing is generated for it.
    distinct = operation.where if operation.action == "connect" else operation.action
    return (
        operation.group_version,
        operation.plural,
        operation.subresource,
        operation.namespaced,
        distinct,
    )
