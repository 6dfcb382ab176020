"""What a schema of an object says, before anything is made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from clientgen.generator.sources.spec import META_PACKAGE, Definition, Schema, reference_of

__all__ = [
    "NO_FIELD",
    "can_be_field",
    "is_any_object",
    "is_filled_in",
    "is_free",
    "properties_of",
    "with_metadata",
]

NO_FIELD = "no attribute can stand for a property of this name"
# msgspec has no fields of such names; what a server sends there is kept like any unknown field.
_NO_NAME = re.compile(r'["\\\x00-\x1f\ud800-\udfff]')

Definitions: TypeAlias = Mapping[str, Definition]

_OBJECT_META, _STRING = f"{META_PACKAGE}.ObjectMeta", {"type": "string"}
# What a server adds to the schema of an embedded resource.
_TYPE_META = frozenset({"apiVersion", "kind", "metadata"})
_ZEROS: tuple[Any, ...] = (None, "", 0, {}, [])


def properties_of(
    schema: Schema, definitions: Definitions
) -> tuple[dict[str, Schema], frozenset[str]]:
    """A schema's own properties and those it takes over through `allOf`."""
    properties: dict[str, Schema] = {}
    required: set[str] = set()
    for part in _flatten(schema, definitions):
        properties.update(part.get("properties", {}))
        required.update(part.get("required", ()))
    return properties, frozenset(required)


def _flatten(schema: Schema, definitions: Definitions) -> Iterator[Schema]:
    for part in schema.get("allOf", ()):
        target = reference_of(part)
        yield from _flatten(definitions[target].schema if target else part, definitions)
    yield schema


def can_be_field(name: str) -> bool:
    """Whether a property of this name can be an attribute of a model."""
    return not _NO_NAME.search(name)


def with_metadata(schema: Schema, definitions: Definitions) -> Schema:
    """An embedded object says what it is and has metadata, whatever is said of it."""
    if not schema.get("x-kubernetes-embedded-resource") or _OBJECT_META not in definitions:
        return schema
    implied = {"apiVersion": _STRING, "kind": _STRING}
    metadata: Schema = {"$ref": f"#/definitions/{_OBJECT_META}"}
    properties = {**implied, **schema["properties"], "metadata": metadata}
    required = [*implied, *schema.get("required", ())]
    return {**schema, "properties": properties, "required": required}


def is_free(schema: Schema) -> bool:
    """Whether an object may have properties that are not described."""
    return bool(
        schema.get("additionalProperties") or schema.get("x-kubernetes-preserve-unknown-fields")
    )


def is_any_object(schema: Schema) -> bool:
    """Whether it is a resource of any kind, of which only what all have in common is described."""
    embedded = schema.get("x-kubernetes-embedded-resource")
    free = schema.get("x-kubernetes-preserve-unknown-fields")
    return bool(embedded and free and schema.get("properties", {}).keys() <= _TYPE_META)


def is_filled_in(schema: Schema, *, custom: bool) -> bool:
    """Whether the server fills in a field that was not given.

    Kubernetes states the zero value for whatever it requires and has no default for; what a custom
    resource states is meant.
    """
    return "default" in schema and (custom or schema["default"] not in _ZEROS)
