"""Schemas without the validations of their types: `+k8s:opaqueType`."""

from __future__ import annotations

from typing import Final

from clientgen._json import is_object
from clientgen.generator.crds.annotation_schemas import Schema

_VALIDATIONS: Final = (
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "x-kubernetes-validations",
)


def without_validations(schema: Schema, keep: frozenset[str] = frozenset()) -> None:
    """Remove what a schema demands of values beyond their types, in place.

    Args:
        schema: its parts are changed, too.
        keep: fields that stay required, such as the keys of items.
    """
    for keyword in _VALIDATIONS:
        schema.pop(keyword, None)
    required = [name for name in schema.pop("required", ()) if name in keep]
    if required:
        schema["required"] = required
    properties: dict[str, Schema] = schema.get("properties", {})
    for inner in properties.values():
        without_validations(inner)
    items = schema.get("items")
    if is_object(items):
        without_validations(items, frozenset(schema.get("x-kubernetes-list-map-keys", ())))
    values = schema.get("additionalProperties")
    if is_object(values):
        without_validations(values)
