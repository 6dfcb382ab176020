"""The reader of OpenAPI v2, the document an API server answers on /openapi/v2.

Paths and `x-kubernetes-*` extensions are the truth here; nothing is guessed from names
(https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clientgen.generator.problems import Problems
from clientgen.generator.sources.document import (
    check_references,
    duplicate_keys,
    follow,
    parse_json,
    pointer,
    read_file,
)
from clientgen.generator.sources.metaschema import check_metaschema, is_known_valid, remember_valid
from clientgen.generator.sources.spec import Definition, Operation, Spec, gvks_of
from clientgen.gvk import GroupVersion

__all__ = ["parse", "read"]

_PATH = re.compile(
    r"^/(?:api|apis/(?P<group>[^/{}]+))/(?P<version>[^/{}]+)"
    r"(?P<watch>/watch)?(?P<namespaced>/namespaces/\{namespace\})?"
    r"/(?P<plural>[^/{}]+)(?:/\{name\}(?:/(?P<subresource>.+))?)?/?$"
)
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")

_DEPRECATED_WATCH = "deprecated: a watch is a list with watch=true"
_NO_RESOURCE = "not a call on a resource (discovery, version or key set)"


def read(path: Path, shown: str) -> Spec:
    """Read the document in a file.

    Args:
        path: the file.
        shown: how messages call it.

    Raises:
        ClientgenError: it cannot be read or is not a sound OpenAPI v2 document.
    """
    return parse(read_file(path, shown), shown)


def parse(data: bytes, shown: str) -> Spec:
    """Read a document: see `read`."""
    document = parse_json(data, shown)
    _check(document, data, shown)
    problems = Problems()
    spec = _Reader(document, shown, problems).spec()
    problems.raise_if_any()
    return spec


def _check(document: dict[str, Any], data: bytes, shown: str) -> None:
    """Everything a sound document satisfies. A verdict is remembered by the document's digest."""
    problems = Problems()
    _check_version(document, shown, problems)
    problems.raise_if_any()
    if is_known_valid(data):
        return
    duplicate_keys(data, shown, problems)
    check_metaschema(document, len(data), shown, problems)
    problems.raise_if_any()
    check_references(document, shown, problems)
    problems.raise_if_any()
    remember_valid(data)


def _check_version(document: dict[str, Any], shown: str, problems: Problems) -> None:
    if document.get("swagger") == "2.0":
        return
    if "openapi" in document:
        what = f"is an OpenAPI {document['openapi']} document; OpenAPI v2 is read here"
        problems.add(shown, what, "The v2 document stands on /openapi/v2 of the API server.")
    else:
        what = 'is not an OpenAPI v2 document: it does not say "swagger": "2.0"'
        problems.add(shown, what, "`clientgen spec pull` fetches one from your cluster.")


class _Reader:
    """Turns the checked document into definitions and operations."""

    def __init__(self, document: dict[str, Any], shown: str, problems: Problems) -> None:
        self._document = document
        self._shown = shown
        self._problems = problems
        self._ignored: list[tuple[str, str]] = []
        self._watched = _watched(document.get("paths", {}))

    def spec(self) -> Spec:
        operations = tuple(self._operations())
        self._check_unique(operations)
        return Spec(
            source=self._shown,
            definitions=self._definitions(),
            operations=operations,
            ignored=tuple(self._ignored),
        )

    def _definitions(self) -> dict[str, Definition]:
        return {
            name: Definition(name, schema, self._shown + pointer("definitions", name))
            for name, schema in sorted(self._document.get("definitions", {}).items())
        }

    def _operations(self) -> Iterator[Operation]:
        for path, item in sorted(self._document.get("paths", {}).items()):
            for method in _METHODS:
                if method in item:
                    operation = self._operation(path, method, item)
                    if operation:
                        yield operation

    def _operation(self, path: str, method: str, item: dict[str, Any]) -> Operation | None:
        raw = item[method]
        action = raw.get("x-kubernetes-action")
        where = self._shown + pointer("paths", path, method)
        match = _PATH.match(path)
        if not action or not match:
            self._ignored.append((f"{method.upper()} {path}", _NO_RESOURCE))
            return None
        if match["watch"]:
            self._ignored.append((f"{method.upper()} {path}", _DEPRECATED_WATCH))
            return None
        gvks = gvks_of(raw)
        return Operation(
            where=where,
            operation_id=raw.get("operationId") or f"{method.upper()} {path}",
            action=action,
            group_version=GroupVersion(match["group"] or "", match["version"]),
            plural=match["plural"],
            subresource=match["subresource"] or "",
            namespaced=bool(match["namespaced"]),
            gvk=gvks[0] if gvks else None,
            body=self._body(raw, item),
            response=_response(raw),
            consumes=tuple(raw.get("consumes", ())),
            watchable=action == "list" and self._watchable(match, raw, item),
        )

    def _watchable(self, match: re.Match[str], raw: dict[str, Any], item: dict[str, Any]) -> bool:
        """Built-in resources have paths below /watch/; custom ones only the query parameter."""
        group, version = match["group"] or "", match["version"]
        plurals = self._watched.get((group, version))
        if plurals is not None:
            return match["plural"] in plurals
        return any(p.get("name") == "watch" for p in self._parameters(raw, item))

    def _parameters(self, raw: dict[str, Any], item: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The parameters of an operation and of its path; shared ones stand behind a `$ref`."""
        for parameter in (*raw.get("parameters", ()), *item.get("parameters", ())):
            found = parameter
            if "$ref" in parameter:
                found = follow(self._document, parameter["$ref"])
            yield found

    def _body(self, raw: dict[str, Any], item: dict[str, Any]) -> Any:
        """The schema of the body, if there is one."""
        for parameter in self._parameters(raw, item):
            if parameter.get("in") == "body":
                return parameter.get("schema")
        return None

    def _check_unique(self, operations: tuple[Operation, ...]) -> None:
        by_id: dict[str, Operation] = {}
        by_call: dict[tuple[object, ...], Operation] = {}
        for operation in operations:
            first = by_id.setdefault(operation.operation_id, operation)
            if first is not operation:
                self._problems.add(
                    operation.where,
                    f"has the operationId {operation.operation_id!r} of {first.where}",
                    "Operation ids are unique in a document.",
                )
            call = _call(operation)
            first = by_call.setdefault(call, operation)
            if first is not operation:
                self._problems.add(
                    operation.where,
                    f"is the same call as {first.where}",
                    "Two operations cannot share a resource, subresource and action; remove one.",
                )


def _watched(paths: dict[str, Any]) -> dict[tuple[str, str], set[str]]:
    """The plurals with a path below /watch/, by group and version."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in paths:
        match = _PATH.match(path)
        if match and match["watch"]:
            key = (match["group"] or "", match["version"])
            found.setdefault(key, set()).add(match["plural"])
    return found


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


def _response(operation: dict[str, Any]) -> Any:
    responses = operation.get("responses", {})
    for code in ("200", "201", "202"):
        if "schema" in responses.get(code, {}):
            return responses[code]["schema"]
    return None
