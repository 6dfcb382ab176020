"""OpenAPI documents of which few words mean very much, or never end."""

from __future__ import annotations

import json
from typing import Any, Literal

__all__ = ["chain", "deep", "diamonds", "document", "ref", "taking_over"]

Version = Literal["2", "3"]
_GVK = {"group": "example.com", "version": "v1", "kind": "Foo"}
_PREFIX = "com.example.v1."


def ref(name: str, version: Version) -> dict[str, str]:
    """A reference to a definition, by its short name."""
    where = "definitions" if version == "2" else "components/schemas"
    return {"$ref": f"#/{where}/{_PREFIX}{name}"}


def document(definitions: dict[str, Any], version: Version) -> str:
    """A document of one kind, whose spec is the definition `Start`."""
    named = {f"{_PREFIX}{name}": schema for name, schema in definitions.items()}
    kind = {
        "type": "object",
        "properties": {"spec": ref("Start", version)},
        "x-kubernetes-group-version-kind": [_GVK],
    }
    schema: dict[str, Any] = {"schema": ref("Foo", version)}
    answer = schema if version == "2" else {"content": {"application/json": schema}}
    operation = {
        "operationId": "readFoo",
        "x-kubernetes-action": "get",
        "x-kubernetes-group-version-kind": _GVK,
        "responses": {"200": {"description": "OK", **answer}},
    }
    schemas = {**named, f"{_PREFIX}Foo": kind}
    head = {"swagger": "2.0"} if version == "2" else {"openapi": "3.0.0"}
    held = {"definitions": schemas} if version == "2" else {"components": {"schemas": schemas}}
    info = {"title": "t", "version": "1"}
    paths = {"/apis/example.com/v1/foos/{name}": {"get": operation}}
    return json.dumps({**head, "info": info, "paths": paths, **held})


def diamonds(levels: int, key: str, version: Version) -> str:
    """Two definitions at each level, either of which has both of the next: 2^levels ways."""
    schemas: dict[str, Any] = {"Start": {"type": "object", "properties": {"x": ref("A0", version)}}}
    for level in range(levels):
        both = [ref(f"{side}{level + 1}", version) for side in "AB"]
        lists = [_list(reference) for reference in both]
        for side in "AB":
            own = {f"{side.lower()}{level}": {"type": "string"}}
            schemas[f"{side}{level}"] = {
                "allOf": {"type": "object", "allOf": both, "properties": own},
                "anyOf": {"anyOf": both},
                "oneOf": {"oneOf": both},
                "items": {
                    "type": "object",
                    "properties": _named(lists),
                },
                "properties": {"type": "object", "properties": _named(both)},
            }[key]
    for side in "AB":
        last = {"type": "object", "properties": {f"{side.lower()}{levels}": {"type": "string"}}}
        schemas[f"{side}{levels}"] = last
    return document(schemas, version)


def _named(schemas: list[Any]) -> dict[str, Any]:
    """Each as a property."""
    return {f"p{number}": schema for number, schema in enumerate(schemas)}


def _list(item: Any) -> dict[str, Any]:
    return {"type": "array", "items": item}


def chain(length: int, key: str, version: Version) -> str:
    """Definitions each of which is or has the next."""
    schemas: dict[str, Any] = {"Start": {"type": "object", "properties": {"x": ref("C0", version)}}}
    for number in range(length):
        following = ref(f"C{number + 1}", version)
        schemas[f"C{number}"] = {
            "allOf": {"allOf": [following]},
            "items": _list(following),
            "properties": {"type": "object", "properties": {"spec": following}},
            "reference": following,
            "values": {"type": "object", "additionalProperties": following},
        }[key]
    schemas[f"C{length}"] = {"type": "object", "properties": {"z": {"type": "string"}}}
    return document(schemas, version)


def deep(levels: int, key: str) -> Any:
    """One schema in another."""
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {
            "allOf": {"allOf": [schema]},
            "items": _list(schema),
            "properties": {"type": "object", "properties": {"a": schema}},
            "values": {"type": "object", "additionalProperties": schema},
        }[key]
    return schema


def taking_over(levels: int, version: Version) -> str:
    """Objects described in place, twice at each level, that take over those of the next."""
    definitions: dict[str, Any] = {
        "Start": {"type": "object", "properties": {"x": ref("C0", version)}}
    }
    for level in range(levels):
        inside = {"properties": {"a": {"type": "string"}}, "allOf": [ref(f"C{level + 1}", version)]}
        copies = {name: {"type": "object", **inside, "title": name} for name in "xy"}
        definitions[f"C{level}"] = {"type": "object", "properties": copies}
    definitions[f"C{levels}"] = {"type": "object", "properties": {"z": {"type": "string"}}}
    return document(definitions, version)
