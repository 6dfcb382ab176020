"""OpenAPI documents with one resource, any word or text of which can be another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["document_v2", "document_v3"]

META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_VERBS = {"get": "get", "put": "put", "patch": "patch", "delete": "delete"}


def document_v2(
    *,
    group: str = "shop.example.com",
    version: str = "v1",
    kind: str = "Crate",
    plural: str = "crates",
    subresource: str = "status",
    name: str = "",
    schema: Mapping[str, Any] | None = None,
    definitions: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A document of a namespaced resource with a subresource, read and written as usual.

    Args:
        group: of its path and its kind, as all of these.
        version: likewise.
        kind: likewise.
        plural: likewise.
        subresource: with get, put and patch; none if it is empty.
        name: of its definition, if it is not made of group, version and kind.
        schema: of its `spec`.
        definitions: more of them.
    """
    name = name or ".".join([*reversed(group.split(".")), version, kind])
    gvk = {"group": group, "version": version, "kind": kind}
    one, several = _reference(name), _reference(f"{name}List")
    home = f"/apis/{group}/{version}" if group else f"/api/{version}"
    item = f"{home}/namespaces/{{namespace}}/{plural}/{{name}}"
    paths = {
        f"{home}/namespaces/{{namespace}}/{plural}": {
            "get": _operation("list", several, gvk),
            "post": _operation("post", one, gvk),
        },
        item: {verb: _operation(action, one, gvk) for verb, action in _VERBS.items()},
    }
    if subresource:
        paths[f"{item}/{subresource}"] = {
            verb: _operation(verb, one, gvk) for verb in ("get", "put", "patch")
        }
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "v1"},
        "paths": {path: _numbered(path, operations) for path, operations in paths.items()},
        "definitions": {
            name: _object(gvk, spec=dict(schema or {"type": "object"})),
            f"{name}List": _list({**gvk, "kind": f"{kind}List"}, one),
            f"{META}.ObjectMeta": {"type": "object", "properties": {}},
            f"{META}.ListMeta": {"type": "object", "properties": {}},
            **(definitions or {}),
        },
    }


def document_v3(**words: Any) -> dict[str, Any]:
    """The same in OpenAPI v3."""
    old = _as_v3(document_v2(**words))
    return {
        "openapi": "3.0.0",
        "info": old["info"],
        "paths": old["paths"],
        "components": {"schemas": old["definitions"]},
    }


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/definitions/{name.replace('~', '~0').replace('/', '~1')}"}


def _operation(action: str, schema: dict[str, Any], gvk: dict[str, str]) -> dict[str, Any]:
    body = {"in": "body", "name": "body", "required": True, "schema": schema}
    watch = {"in": "query", "name": "watch", "type": "boolean"}
    parameters = {"post": [body], "put": [body], "list": [watch]}
    return {
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": gvk,
        "parameters": parameters.get(action, []),
        "responses": {"200": {"description": "OK", "schema": schema}},
    }


def _numbered(path: str, operations: dict[str, Any]) -> dict[str, Any]:
    return {
        verb: {"operationId": f"{verb} {path}", **operation}
        for verb, operation in operations.items()
    }


def _object(gvk: dict[str, str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "description": "A thing.",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": _reference(f"{META}.ObjectMeta"),
            **properties,
        },
        "x-kubernetes-group-version-kind": [gvk],
    }


def _list(gvk: dict[str, str], item: dict[str, str]) -> dict[str, Any]:
    list_object = _object(gvk, items={"type": "array", "items": item})
    list_object["properties"]["metadata"] = _reference(f"{META}.ListMeta")
    return list_object


def _as_v3(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_v3(each) for each in value]
    if not isinstance(value, dict):
        return value
    v3 = {key: _as_v3(each) for key, each in value.items()}
    if isinstance(v3.get("$ref"), str):
        v3["$ref"] = v3["$ref"].replace("#/definitions/", "#/components/schemas/")
    if "operationId" in v3:
        schema = v3["responses"]["200"].pop("schema")
        v3["responses"]["200"]["content"] = {"application/json": {"schema": schema}}
        (given,) = v3.pop("parameters") or [{}]
        if given.get("in") == "query":
            v3["parameters"] = [{"in": "query", "name": "watch", "schema": {"type": "boolean"}}]
        elif given:
            v3["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    return v3
