"""Rules for lists, maps and validation rules in schemas of definitions.

The part of `schema_rules` that looks at one schema at a time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._json import is_object, listed, part

from .fieldpath import resolve
from .structure import Structure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_REASONS: Final = (
    "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired",
)  # fmt: skip
_LINE_BREAK: Final = re.compile(r"[\n\r]")


def containers(raw: Mapping[str, Any], path: str) -> Iterator[Cause]:
    """Check what a schema states about lists and maps."""
    additional = raw.get("additionalProperties")
    if additional is not None and additional is not True and raw.get("properties"):
        why = "additionalProperties and properties are mutual exclusive"
        yield forbidden_value(f"{path}.additionalProperties", why)
    if raw.get("x-kubernetes-preserve-unknown-fields") is False:
        where = f"{path}.x-kubernetes-preserve-unknown-fields"
        yield invalid_value(where, False, "must be true or undefined")
    yield from _container_type(raw, path, "x-kubernetes-map-type", "object", ("atomic", "granular"))
    allowed = ("atomic", "set", "map")
    yield from _container_type(raw, path, "x-kubernetes-list-type", "array", allowed)
    items = raw.get("items")
    list_type = raw.get("x-kubernetes-list-type")
    if is_object(items) and list_type == "set" and raw.get("type") == "array":
        yield from _set_items(items, path)
    yield from _map_keys(raw, path)
    if is_object(items) and list_type in ("set", "map"):
        yield from _item_nulls(raw, items, path)


def _container_type(
    raw: Mapping[str, Any], path: str, name: str, kind: str, allowed: tuple[str, ...]
) -> Iterator[Cause]:
    value = raw.get(name)
    if value is None:
        return
    actual = raw.get("type") or ""
    if actual != kind:
        why, where = f"must be {kind} if {name} is specified", f"{path}.type"
        yield invalid_value(where, actual, why) if actual else required(where, why)
    if value not in allowed:
        yield not_supported(f"{path}.{name}", value, allowed)


def _set_items(items: Mapping[str, Any], path: str) -> Iterator[Cause]:
    why = "must be atomic as item of a list with x-kubernetes-list-type=set"
    list_type = items.get("x-kubernetes-list-type")
    if items.get("type") == "array" and list_type not in (None, "atomic"):
        yield invalid_value(f"{path}.items.x-kubernetes-list-type", list_type, why)
    if items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        yield invalid_value(f"{path}.items.x-kubernetes-map-type", list_type, why)


def _map_keys(raw: Mapping[str, Any], path: str) -> Iterator[Cause]:
    keys: list[str] = raw.get("x-kubernetes-list-map-keys") or []
    list_type = raw.get("x-kubernetes-list-type")
    if keys and list_type != "map":
        why = "must be map if x-kubernetes-list-map-keys is non-empty"
        where = f"{path}.x-kubernetes-list-type"
        yield required(where, why) if list_type is None else invalid_value(where, list_type, why)
    if list_type != "map":
        return
    if not keys:
        why = "must not be empty if x-kubernetes-list-type is map"
        yield required(f"{path}.x-kubernetes-list-map-keys", why)
    items = raw.get("items")
    if items is None:
        why = "must have a schema if x-kubernetes-list-type is map"
        yield required(f"{path}.items", why)
    elif not is_object(items):
        why = "must only have a single schema if x-kubernetes-list-type is map"
        yield invalid_value(f"{path}.items", items, why)
    elif items.get("type") != "object":
        why = "must be object if parent array's x-kubernetes-list-type is map"
        yield invalid_value(f"{path}.items.type", items.get("type", ""), why)
    else:
        yield from _named_keys(keys, items, path)


def _named_keys(keys: list[str], items: Mapping[str, Any], path: str) -> Iterator[Cause]:
    where = f"{path}.x-kubernetes-list-map-keys"
    members = part(items, "properties")
    for at, key in enumerate(keys):
        if key not in members:
            yield invalid_value(where, keys, "entries must all be names of item properties")
        elif members[key].get("type") in ("array", "object"):
            why = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            yield invalid_value(f"{path}.items.properties[{key}].type", items["type"], why)
        if key in keys[:at]:
            yield invalid_value(where, keys, "must not contain duplicate entries")


def _item_nulls(raw: Mapping[str, Any], items: Mapping[str, Any], path: str) -> Iterator[Cause]:
    list_type = raw["x-kubernetes-list-type"]
    if items.get("nullable"):
        why = f"cannot be nullable when x-kubernetes-list-type is {list_type}"
        yield forbidden_value(f"{path}.items.nullable", why)
    if list_type != "map":
        return
    for key in listed(raw, "x-kubernetes-list-map-keys"):
        member = part(items, "properties").get(key)
        where = f"{path}.items.properties[{key}]"
        if member is None:
            continue
        if key not in (listed(items, "required")) and member.get("default") is None:
            why = (
                "this property is in x-kubernetes-list-map-keys, "
                "so it must have a default or be a required property"
            )
            yield required(f"{where}.default", why)
        if member.get("nullable"):
            why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"
            yield forbidden_value(f"{where}.nullable", why)


# ------------------------------------------------------------------------- the texts of rules


def each_rule(raw: Mapping[str, Any], path: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The rules of a schema, with their paths."""
    for at, rule in enumerate(listed(raw, "x-kubernetes-validations")):
        yield rule, f"{path}.x-kubernetes-validations[{at}]"


def texts(raw: Mapping[str, Any], rule: Mapping[str, Any], path: str) -> Iterator[Cause]:
    """Check a rule, without its expression."""
    text: str = (rule.get("rule") or "").strip()
    message: str = rule.get("message") or ""
    if not text:
        yield required(f"{path}.rule", "rule is not specified")
    elif message and not message.strip():
        yield invalid_value(f"{path}.message", message, "must be non-empty if specified")
    elif _LINE_BREAK.search(message.strip()):
        yield invalid_value(f"{path}.message", message, "must not contain line breaks")
    elif _LINE_BREAK.search(text) and not message.strip():
        why = "message must be specified if rule contains line breaks"
        yield required(f"{path}.message", why)
    expression: str = rule.get("messageExpression") or ""
    if expression and not expression.strip():
        why = "messageExpression must be non-empty if specified"
        yield required(f"{path}.messageExpression", why)
    if rule.get("reason") is not None and rule["reason"] not in _REASONS:
        yield not_supported(f"{path}.reason", rule["reason"], _REASONS)
    yield from _field_path(raw, rule.get("fieldPath") or "", f"{path}.fieldPath")


def _field_path(raw: Mapping[str, Any], field: str, path: str) -> Iterator[Cause]:
    if not field:
        return
    if not field.strip():
        yield invalid_value(path, field, "must be non-empty if specified")
    if _LINE_BREAK.search(field):
        yield invalid_value(path, field, "must not contain line breaks")
    try:
        resolve(field, Structure(raw))
    except ValueError:
        yield invalid_value(path, field, "must be a valid path")
