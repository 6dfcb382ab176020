"""Rules of `+k8s:` tags that say whether a field may be set, and how it may change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from clientgen.generator.crds.annotation_schemas import Schema
from clientgen.generator.crds.tag_expressions import KEYS, access, is_set, sibling, spelt
from clientgen.generator.crds.tag_statements import FORBIDDEN, REQUIRED, Rule, statement
from clientgen.generator.kubebuilder.declarative_tags import Tag
from clientgen.generator.kubebuilder.marker_values import MarkerValueError


def _immutable(name: str, tag: Tag, schema: Schema) -> Iterator[Rule]:
    yield statement(tag, schema["properties"][name]).rule()
    if name not in schema.get("required", ()):
        new, before = f"has({access(name)})", f"has({access(name, 'oldSelf')})"
        yield Rule(f"{new} == {before}", "field is immutable", at=name)


def _update(name: str, tag: Tag, schema: Schema) -> Iterator[Rule]:
    inner: Schema = schema["properties"][name]
    new, before = is_set(name, schema), is_set(name, schema, "oldSelf")
    if tag.value == "NoSet":
        yield Rule(f"{before} || !{new}", "field cannot be set once created", at=name)
    elif tag.value == "NoUnset":
        yield Rule(f"!{before} || {new}", "field cannot be cleared once set", at=name)
    elif tag.value == "NoModify":
        if inner.get("type") == "array" or "additionalProperties" in inner:
            hint = "write `+k8s:eachVal=+k8s:update=NoModify`"
            raise MarkerValueError("NoModify is not for lists and maps", hint)
        yield statement(tag, inner).rule()
    else:
        yield _items_stay(name, str(tag.value), schema)


def _items_stay(name: str, constraint: str, schema: Schema) -> Rule:
    inner: Schema = schema["properties"][name]
    here, there = access(name), access(name, "oldSelf")
    if constraint == "NoRemoveItem":
        here, there = there, here
        message = "item may not be removed"
    else:
        message = "item may not be added"
    found = _is_among(inner, there)
    rule = f"!has({here}) || {here}.all(item, has({there}) && {found})"
    return Rule(rule, message, reason=FORBIDDEN, at=name)


def _is_among(schema: Schema, items: str) -> str:
    """An expression that tells whether `item` is one of some items, by its key."""
    if "additionalProperties" in schema:
        return f"item in {items}"
    if schema.get("type") != "array":
        raise MarkerValueError("it is for lists and maps", "write NoSet, NoUnset or NoModify")
    kind = schema.get("x-kubernetes-list-type")
    if kind == "set":
        return f"item in {items}"
    if kind != "map":
        hint = "add `+k8s:listType=set`, or `+k8s:listType=map` with `+k8s:listMapKey`"
        raise MarkerValueError("the items of the list have no keys", hint)
    same = " && ".join(f"item.{spelt(key)} == other.{spelt(key)}" for key in schema[KEYS])
    return f"{items}.exists(other, {same})"


def _forbidden(name: str, _tag: Tag, schema: Schema) -> Iterator[Rule]:
    yield Rule(f"!{is_set(name, schema)}", "may not be specified", reason=FORBIDDEN, at=name)


def _required(name: str, _tag: Tag, schema: Schema) -> Iterator[Rule]:
    schema["required"] = sorted({*schema.get("required", ()), name})
    return iter(())


def _optional(_name: str, _tag: Tag, _schema: Schema) -> Iterator[Rule]:
    raise MarkerValueError("`+k8s:optional` does not belong there", "write it above the field")


def _dependent(name: str, tag: Tag, schema: Schema) -> Iterator[Rule]:
    other = sibling(name, str(tag.position), schema)
    this, that = is_set(name, schema), is_set(other, schema)
    if tag.name == "dependentRequired":
        message = f"must be set when {name} is set"
        yield Rule(f"!{this} || {that}", message, reason=REQUIRED, at=other)
    else:
        message = f"may not be set when {name} is set"
        yield Rule(f"!{this} || !{that}", message, reason=FORBIDDEN, at=other)


FIELD_RULES: Final[dict[str, Callable[[str, Tag, Schema], Iterator[Rule]]]] = {
    "dependentForbidden": _dependent,
    "dependentRequired": _dependent,
    "forbidden": _forbidden,
    "immutable": _immutable,
    "optional": _optional,
    "required": _required,
    "update": _update,
}
