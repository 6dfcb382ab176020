"""Checks that a schema is structural: each field is declared once, apart from value rules.

Kubernetes' "Specifying a structural schema". Junctors (`allOf`, `anyOf`, `oneOf`, `not`) may only
narrow down what is declared outside of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value, required
from clientgen._json import is_array, is_object, listed, part
from clientgen._openapi.keywords import KEYWORDS

from .libraries import pattern_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_UNREADABLE: Final = (
    "id", "$schema", "$ref", "definitions", "dependencies", "patternProperties", "additionalItems",
)  # fmt: skip
_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]
_LEVELS: Final = {
    "root": "must not be empty at the root",
    "item": "must not be empty for specified array items",
    "field": "must not be empty for specified object fields",
}
# Words of OpenAPI that junctors must not have, and the end of the message.
_FORBIDDEN: Final = {
    "type": "empty",
    "additionalProperties": "undefined",
    "default": "undefined",
    "title": "empty",
    "description": "empty",
    "nullable": "false",
}
_JUNCTORS: Final = ("anyOf", "allOf", "oneOf")


def is_readable(raw: Mapping[str, Any]) -> bool:
    """Return whether it has nothing that no structural schema can be made of."""
    if any(raw.get(name) for name in _UNREADABLE) or is_array(raw.get("items")):
        return False
    return all(is_readable(inner) for _, inner in _parts(raw, ""))


def _parts(raw: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the direct subschemas of a schema, with their paths."""
    for name in ("items", "additionalProperties", "not"):
        if is_object(raw.get(name)):
            yield f"{path}.{name}", raw[name]
    for name, each in part(raw, "properties").items():
        yield f"{path}.properties[{name}]", each
    for junctor in _JUNCTORS:
        for at, each in enumerate(listed(raw, junctor)):
            yield f"{path}.{junctor}[{at}]", each


def check_structure(raw: Mapping[str, Any], path: str) -> list[Cause]:
    """Check that a schema is structural."""
    causes = [*_invariants(raw, "root", path), *_completeness(raw, raw, path, path)]
    return sorted(causes, key=str)


def _invariants(raw: Mapping[str, Any], level: str, path: str) -> Iterator[Cause]:
    if raw.get("type") == "array" and raw.get("items") is None:
        yield required(f"{path}.items", "must be specified")
    if is_object(raw.get("items")):
        yield from _invariants(raw["items"], "item", f"{path}.items")
    for name, member_schema in part(raw, "properties").items():
        yield from _invariants(member_schema, "field", f"{path}.properties[{name}]")
    additional = raw.get("additionalProperties")
    if additional is not None and level == "root":
        yield forbidden_value(f"{path}.additionalProperties", "must not be used at the root")
    if is_object(additional):
        yield from _invariants(additional, "field", f"{path}.additionalProperties")
    yield from _extensions(raw, path)
    yield from _values(raw, path)
    yield from _type(raw, level, path)
    yield from _meta(raw, level, path)


def _extensions(raw: Mapping[str, Any], path: str) -> Iterator[Cause]:
    if raw.get("x-kubernetes-int-or-string"):
        for name in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"):
            if raw.get(name):
                why = "must be false if x-kubernetes-int-or-string is true"
                yield invalid_value(f"{path}.{name}", True, why)
    if raw.get("x-kubernetes-embedded-resource"):
        if raw.get("additionalProperties") is not None:
            why = "must not be used if x-kubernetes-embedded-resource is set"
            yield forbidden_value(f"{path}.additionalProperties", why)
        if not raw.get("x-kubernetes-preserve-unknown-fields") and not raw.get("properties"):
            why = (
                "must not be empty if x-kubernetes-embedded-resource is true without "
                "x-kubernetes-preserve-unknown-fields"
            )
            yield required(f"{path}.properties", why)


def _type(raw: Mapping[str, Any], level: str, path: str) -> Iterator[Cause]:
    kind: str = raw.get("type") or ""
    if raw.get("x-kubernetes-embedded-resource") and kind != "object":
        why = "must be object if x-kubernetes-embedded-resource is true"
        where = f"{path}.type"
        yield invalid_value(where, kind, why) if kind else required(where, why)
    elif not kind and not (
        raw.get("x-kubernetes-int-or-string") or raw.get("x-kubernetes-preserve-unknown-fields")
    ):
        yield required(f"{path}.type", _LEVELS[level])
    if level == "root" and kind and kind != "object":
        yield invalid_value(f"{path}.type", kind, "must be object at the root")


def _meta(raw: Mapping[str, Any], level: str, path: str) -> Iterator[Cause]:
    members = part(raw, "properties")
    if level == "root" or raw.get("x-kubernetes-embedded-resource"):
        for name, kind in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
            declared_type = members[name].get("type", "") if name in members else kind
            if declared_type != kind:
                yield invalid_value(
                    f"{path}.properties[{name}].type", declared_type, f"must be {kind}"
                )
    if level == "root" and "metadata" in members and not _only_names(members["metadata"]):
        why = (
            "must not specify anything other than name and generateName, "
            "but metadata is implicitly specified"
        )
        yield forbidden_value(f"{path}.properties[metadata]", why)


def _only_names(raw: Mapping[str, Any]) -> bool:
    rest = {name for name, value in raw.items() if value and name not in ("type", "default")}
    return rest <= {"properties"} and set(listed(raw, "properties")) <= {"name", "generateName"}


# ----------------------------------------------------------------------------------- junctors


def _values(raw: Mapping[str, Any], path: str, *, plain: bool = True) -> Iterator[Cause]:
    """Check `allOf`, `anyOf`, `oneOf`, `not` and the pattern; `plain` allows int-or-string."""
    any_of: list[Any] = raw.get("anyOf") or []
    if not (plain and any_of == _INT_OR_STRING):
        for at, each in enumerate(any_of):
            yield from _nested(each, f"{path}.anyOf[{at}]")
    for at, each in enumerate(listed(raw, "allOf")):
        yield from _nested(each, f"{path}.allOf[{at}]", plain=plain and at == 0)
    for at, each in enumerate(listed(raw, "oneOf")):
        yield from _nested(each, f"{path}.oneOf[{at}]")
    if raw.get("not") is not None:
        yield from _nested(raw["not"], f"{path}.not")
    if why := bad_pattern(raw.get("pattern") or ""):
        why = f"must be a valid regular expression, but isn't: {why}"
        yield invalid_value(f"{path}.pattern", raw["pattern"], why)


def bad_pattern(pattern: str) -> str:
    """Return the reason why RE2 cannot read a pattern; empty if it can."""
    why = pattern_error(pattern) if pattern else ""
    return f"error parsing regexp: {why}" if why else ""


def _nested(raw: Mapping[str, Any], path: str, *, plain: bool = False) -> Iterator[Cause]:
    yield from _values(raw, path, plain=plain)
    if is_object(raw.get("items")):
        yield from _nested(raw["items"], f"{path}.items")
    for name, member_schema in part(raw, "properties").items():
        yield from _nested(member_schema, f"{path}.properties[{name}]")
    forbidden = {name: keyword.in_junctors for name, keyword in KEYWORDS.items()} | _FORBIDDEN
    for name, word in forbidden.items():
        if (word and raw.get(name)) or (
            raw.get(name) is not None and name in ("default", "additionalProperties")
        ):
            yield forbidden_value(f"{path}.{name}", f"must be {word} to be structural")
    if "metadata" in part(raw, "properties"):
        why = "must not be specified in a nested context"
        yield forbidden_value(f"{path}.properties[metadata]", why)


def _completeness(
    raw: Mapping[str, Any], structure: Mapping[str, Any], path: str, where: str
) -> Iterator[Cause]:
    """Fields that junctors know and the structure does not."""
    for inner, inner_schema in _parts(raw, where):
        if inner.removeprefix(where)[1:].startswith(("anyOf", "allOf", "oneOf", "not")):
            yield from _nested_completeness(inner_schema, structure, path, inner)


def _nested_completeness(
    raw: Mapping[str, Any], structure: Mapping[str, Any], path: str, where: str
) -> Iterator[Cause]:
    yield from _completeness(raw, structure, path, where)
    if is_object(raw.get("items")):
        items = structure.get("items")
        if not is_object(items):
            yield required(f"{path}.items", f"because it is defined in {where}.items")
        else:
            yield from _nested_completeness(raw["items"], items, f"{path}.items", f"{where}.items")
    declared = part(structure, "properties")
    for name, member_schema in part(raw, "properties").items():
        inner, outer = f"{where}.properties[{name}]", f"{path}.properties[{name}]"
        if name not in declared:
            yield required(outer, f"because it is defined in {inner}")
        else:
            yield from _nested_completeness(member_schema, declared[name], outer, inner)
