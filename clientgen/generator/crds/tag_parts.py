"""Rules of `+k8s:` tags about parts of a value that have no schema of their own.

They are one item of a list, the keys of a map, and a field in one mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clientgen.generator.crds.annotation_schemas import Schema
from clientgen.generator.crds.tag_expressions import KEYS, access, is_set, is_value, spelt
from clientgen.generator.crds.tag_statements import FORBIDDEN, REQUIRED, Rule, literal, statement
from clientgen.generator.kubebuilder.declarative_tags import Scalar, Tag
from clientgen.generator.kubebuilder.kubebuilder_markers import Said
from clientgen.generator.kubebuilder.marker_values import MarkerValueError


def _items_of(schema: Schema) -> Schema:
    items: Schema = schema.get("items") or {}
    if "properties" not in items:
        raise MarkerValueError("the value is no list of objects", "write it above a list of models")
    return items


def _selector(tag: Tag, schema: Schema) -> str:
    """An expression that tells whether `item` is the one with the keys of a tag."""
    keys = schema.get(KEYS)
    if not keys:
        raise MarkerValueError("the items of the list have no keys", "add `+k8s:listMapKey=name`")
    if sorted(keys) != sorted(tag.arguments):
        raise MarkerValueError(f"the keys of the items are {', '.join(keys)}", "name all of them")
    properties: dict[str, Schema] = _items_of(schema).get("properties", {})
    for key, value in tag.arguments.items():
        kind = properties[key].get("type")
        if kind != {str: "string", bool: "boolean", int: "integer"}[type(value)]:
            raise MarkerValueError(f"{literal(value)} is no {kind}, as `{key}` is", "change it")
    return " && ".join(f"item.{spelt(k)} == {literal(tag.arguments[k])}" for k in keys)


def item_name(tag: Tag) -> str:
    """The keys of an item, as errors of servers write them."""
    return "{" + ", ".join(f'"{key}": {literal(v)}' for key, v in tag.arguments.items()) + "}"


def has_item(tag: Tag, schema: Schema) -> str:
    """An expression that tells whether the list has the item of a tag."""
    return f"self.exists(item, {_selector(tag, schema)})"


def of_item(tag: Tag, inner: Tag, schema: Schema) -> Rule:
    """The rule about the item of a list that has some keys."""
    selector = _selector(tag, schema)
    if inner.name in ("immutable", "update"):
        if inner.name == "update" and inner.value != "NoModify":
            raise MarkerValueError(f"{inner.value} is not for items", "write it above the list")
        one, message = f"filter(item, {selector})", statement(inner, _items_of(schema)).message
        both = f"self.exists(item, {selector}) && oldSelf.exists(item, {selector})"
        return Rule(f"!({both}) || self.{one} == oldSelf.{one}", message)
    rule = _part(inner, _items_of(schema), "item")
    return Rule(f"self.all(item, !({selector}) || ({rule.rule}))", rule.message)


def of_keys(tag: Tag, schema: Schema) -> Rule:
    """The rule about every key of a map."""
    if "additionalProperties" not in schema:
        raise MarkerValueError("the value is no map", "write it above a `dict[str, ...]`")
    rule = _part(tag, {"type": "string"}, "key")
    message = rule.message or f"every key must have the {tag.name} {tag.value}"
    return Rule(f"self.all(key, {rule.rule})", message)


def _part(tag: Tag, schema: Schema, name: str) -> Rule:
    """The rule about a part of a value, which has this name in the expression."""
    if tag.name == "subfield" and tag.inner:
        field_name = str(tag.position)
        properties: dict[str, Schema] = schema.get("properties", {})
        if field_name not in properties:
            what = f"the item has no field `{field_name}`"
            raise MarkerValueError(what, f"its fields are {', '.join(properties)}")
        return _of_subfield(field_name, tag.inner, schema, name)
    rule = statement(tag, schema).rule(name)
    if not rule.message:
        rule = Rule(rule.rule, f"must have the {tag.name} {tag.value}")
    return rule


def _of_subfield(field_name: str, inner: Tag, schema: Schema, name: str) -> Rule:
    here = is_set(field_name, schema, name)
    if inner.name == "required":
        return Rule(here, f"{field_name}: must be specified")
    if inner.name == "forbidden":
        return Rule(f"!{here}", f"{field_name}: may not be specified")
    part = access(field_name, name)
    rule = _part(inner, schema["properties"][field_name], part)
    return Rule(f"!has({part}) || ({rule.rule})", f"{field_name}: {rule.message}")


def of_mode(name: str, discriminator: str | None, tag: Tag, schema: Schema) -> Iterator[Rule]:
    """The rule about a field in one mode."""
    if discriminator is None:
        hint = "add `+k8s:modeDiscriminator` above a field beside it"
        raise MarkerValueError("no field is the discriminator", hint)
    inner = tag.inner or tag
    chosen, here = is_value(discriminator, _mode(tag), schema), is_set(name, schema)
    if inner.name == "required":
        yield Rule(f"!({chosen}) || {here}", "must be specified", reason=REQUIRED, at=name)
    elif inner.name == "forbidden":
        yield Rule(f"!({chosen}) || !{here}", "may not be specified", reason=FORBIDDEN, at=name)
    elif inner.name != "optional":
        rule = _part(inner, schema["properties"][name], access(name))
        yield Rule(
            f"!({chosen}) || !has({access(name)}) || ({rule.rule})",
            rule.message,
            reason=rule.reason,
            at=name,
        )


def _mode(tag: Tag) -> Scalar:
    mode = tag.arguments.get("mode", tag.position)
    return mode if isinstance(mode, (str, bool)) else str(mode)


def no_mode(name: str, discriminator: str, group: Sequence[Said], schema: Schema) -> Rule:
    """The rule that a field may not be set in the modes that no tag names."""
    modes = dict.fromkeys(_mode(each.tag) for each in group)
    chosen = " || ".join(f"({is_value(discriminator, mode, schema)})" for mode in modes)
    rule = f"!{is_set(name, schema)} || {chosen}"
    return Rule(rule, "may not be specified", reason=FORBIDDEN, at=name)
