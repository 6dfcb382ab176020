"""Paths of an OpenAPI document to operations on resources, in the same way for v2 and v3.

Paths and `x-kubernetes-*` extensions are the truth here; nothing is guessed from names
(https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen._openapi.json_text import follow, is_object, pointer
from clientgen.generator.api_words import PLURAL, SUBRESOURCE, Words
from clientgen.generator.sources.spec import Operation, Schema, gvks_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clientgen._problems import Problems

__all__ = ["OperationReader", "check_unique"]

_PATH = re.compile(
    r"^/(?:api|apis/(?P<group>[^/{}]+))/(?P<version>[^/{}]+)"
    r"(?P<watch>/watch)?(?P<namespaced>/namespaces/\{namespace\})?"
    r"/(?P<plural>[^/{}]+)(?:/\{name\}(?:/(?P<subresource>.+?))?)?/?\Z"
)
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")

_DEPRECATED_WATCH = "deprecated: a watch is a list with watch=true"
_NO_RESOURCE = "not a call on a resource (discovery, version or key set)"

_Json = dict[str, Any]


class OperationReader(ABC):
    """Reads the paths of one document. How bodies and answers are written is for subclasses."""

    def __init__(self, document: _Json, shown: str, words: Words) -> None:
        self._document = document
        self._shown = shown
        self._words = words
        self._watched = _watched(document.get("paths", {}))
        self.ignored: list[tuple[str, str]] = []
        """Operations that are no calls on a resource, and why; filled by `operations`."""

    def operations(self) -> Iterator[Operation]:
        """Every call on a resource, in order of the paths."""
        for path, item in sorted(self._document.get("paths", {}).items()):
            # What stands there without being a path is an extension, of any type.
            for method in _METHODS if is_object(item) else ():
                operation = self._operation(path, method, item) if method in item else None
                if operation:
                    yield operation

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
        for parameter in (*raw.get("parameters", ()), *item.get("parameters", ())):
            yield self.followed(parameter)

    def followed(self, part: _Json) -> _Json:
        """A part of an operation, or what it refers to; nothing if that is only itself."""
        found, seen = part, set[str]()
        while "$ref" in found:
            if found["$ref"] in seen:
                return {}
            seen.add(found["$ref"])
            found = follow(self._document, found["$ref"])
        return found

    def _operation(self, path: str, method: str, item: _Json) -> Operation | None:
        raw = item[method]
        action = raw.get("x-kubernetes-action")
        match = _PATH.match(path)
        if not isinstance(action, str) or not match:
            self.ignored.append((f"{method.upper()} {path}", _NO_RESOURCE))
            return None
        if match["watch"]:
            self.ignored.append((f"{method.upper()} {path}", _DEPRECATED_WATCH))
            return None
        gvks = gvks_of(raw)
        where = self._shown + pointer("paths", path, method)
        if not self._are_words(match, gvks, where):
            return None
        return Operation(
            where=where,
            operation_id=raw.get("operationId") or f"{method.upper()} {path}",
            action=action,
            group_version=GroupVersion(match["group"] or "", match["version"]),
            plural=match["plural"],
            subresource=match["subresource"] or "",
            namespaced=bool(match["namespaced"]),
            gvk=gvks[0] if gvks else None,
            body=self.body(raw, item),
            response=self.response(raw),
            consumes=tuple(self.consumes(raw)),
            watchable=action == "list" and self._watchable(match, raw, item),
        )

    def _are_words(self, match: re.Match[str], gvks: list[GroupVersionKind], where: str) -> bool:
        """Whether the path and the kind are made of words that a server could serve."""
        home = GroupVersion(match["group"] or "", match["version"])
        found = [self._words.name(home, where)]
        found += [self._words.name(gvk, where) for gvk in gvks]
        found.append(self._words.fit(match["plural"], PLURAL, where))
        if match["subresource"]:
            found.append(self._words.fit(match["subresource"], SUBRESOURCE, where))
        return all(found)

    def _watchable(self, match: re.Match[str], raw: _Json, item: _Json) -> bool:
        """Built-in resources have paths below /watch/; custom ones only the query parameter."""
        group, version = match["group"] or "", match["version"]
        plurals = self._watched.get((group, version))
        if plurals is not None:
            return match["plural"] in plurals
        return any(p.get("name") == "watch" for p in self.parameters(raw, item))


def _watched(paths: _Json) -> dict[tuple[str, str], set[str]]:
    """The plurals with a path below /watch/, by group and version."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in paths:
        match = _PATH.match(path)
        if match and match["watch"]:
            key = (match["group"] or "", match["version"])
            found.setdefault(key, set()).add(match["plural"])
    return found


def check_unique(operations: Iterable[Operation], problems: Problems) -> None:
    """Report operations that share an id, or are the same call."""
    by_id: dict[str, Operation] = {}
    by_call: dict[tuple[object, ...], Operation] = {}
    for operation in operations:
        first = by_id.setdefault(operation.operation_id, operation)
        if first is not operation:
            problems.add(
                operation.where,
                f"has the operationId {operation.operation_id!r} of {first.where}",
                "Operation ids are unique in a document.",
            )
        first = by_call.setdefault(_call(operation), operation)
        if first is not operation:
            problems.add(
                operation.where,
                f"is the same call as {first.where}",
                "Two operations cannot share a resource, subresource and action; remove one.",
            )


def _call(operation: Operation) -> tuple[object, ...]:
    """What tells calls apart; get and delete differ by action, lists of all namespaces by scope."""
    # A proxied path has one action for seven methods, and nothing is generated for it.
    distinct = operation.operation_id if operation.action == "connect" else operation.action
    return (
        operation.group_version,
        operation.plural,
        operation.subresource,
        operation.namespaced,
        distinct,
    )
