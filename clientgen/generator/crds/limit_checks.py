"""Compares the limits of a schema with each other, and those of lists with their items."""

from __future__ import annotations

from typing import Final

from clientgen._problems import Problems
from clientgen.generator.crds.annotation_schemas import Schema

_COUNTS: Final = (
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)


def check_limits(schema: Schema, where: str, problems: Problems) -> None:
    """Report limits that allow no value, and keywords that need another one."""
    low, high = schema.get("minimum"), schema.get("maximum")
    exclusive = schema.get("exclusiveMinimum") or schema.get("exclusiveMaximum")
    if low is not None and high is not None and (low > high or (low == high and exclusive)):
        problems.add(where, f"no number is between {low} and {high}", "change one of the limits")
    for least, most in _COUNTS:
        if least in schema and most in schema and schema[least] > schema[most]:
            what = f"{least} is {schema[least]}, and {most} is {schema[most]}"
            problems.add(where, what, "change one of the limits")
    for word, limit in (("exclusiveMinimum", low), ("exclusiveMaximum", high)):
        if schema.get(word) and limit is None:
            name = word.removeprefix("exclusive")
            what = f"{word} has no effect without {name.lower()}"
            problems.add(where, what, f"add `+kubebuilder:validation:{name}=...`")
    _check_list(schema, where, problems)


def _check_list(schema: Schema, where: str, problems: Problems) -> None:
    kind, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys", [])
    if keys and kind != "map":
        problems.add(where, "`+listMapKey` is for lists of type map", "add `+listType=map`")
    if kind == "map" and not keys:
        what = "a list of type map needs at least one key"
        problems.add(where, what, "add `+listMapKey=name`, once for each key")
    items = schema.get("items", {})
    if kind == "map" and keys:
        _check_keys(items, keys, where, problems)


def _check_keys(items: Schema, keys: list[str], where: str, problems: Problems) -> None:
    properties, required = items.get("properties", {}), items.get("required", [])
    for key in keys:
        if key not in properties:
            fields = ", ".join(properties) or "none"
            what = f"the key `{key}` is not a field of the items"
            problems.add(where, what, f"their fields are {fields}")
        elif key not in required and "default" not in properties[key]:
            what = f"the key `{key}` of the items is neither required nor defaulted"
            problems.add(where, what, "make it required: a field without a default in Python")
