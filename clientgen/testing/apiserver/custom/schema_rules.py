"""What is wrong with the schema of a version, in a CustomResourceDefinition.

In the order of the server's own checks: what may stand at the root, the structure, defaults, what
OpenAPI features are supported, list and map types, and last the rules, which are only looked at
where everything below them is right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ..failures import Cause, forbidden_value, invalid_value, not_supported, required
from .checking import Checker, check
from .embedded import check_type_meta
from .fieldpath import resolve
from .pruning import prune
from .shapes import is_list, is_object, listed, part
from .structurality import check_structure, is_readable
from .structure import META_FIELDS, Structure, copied

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["check_schema"]

_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_UNSUPPORTED: Final = (
    "id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref",
)  # fmt: skip
_NOT_AT_ROOT: Final = (
    "anyOf", "allOf", "oneOf", "not", "default", "enum", "additionalProperties", "nullable",
    "maxProperties", "minProperties", "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type",
    "x-kubernetes-map-type", *_UNSUPPORTED,
)  # fmt: skip
_REASONS: Final = (
    "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired",
)  # fmt: skip
_LINE_BREAK: Final = re.compile(r"[\n\r]")
_SCHEMA: Final = ".openAPIV3Schema"


def check_schema(validation: Mapping[str, Any] | None, path: str, *, status: bool) -> list[Cause]:
    """What is wrong with a version's `schema`; `status` where that is written apart."""
    raw: dict[str, Any] | None = (validation or {}).get("openAPIV3Schema")
    if raw is None:
        return []
    path = f"{path}{_SCHEMA}"
    causes = list(_root(raw, path)) if status else []
    if raw.get("nullable"):
        causes.append(forbidden_value(f"{path}.nullable", "nullable cannot be true at the root"))
    sound = is_readable(raw)
    if sound:
        wrong = check_structure(raw, path) or list(_check_defaults(raw, path, whole=True))
        causes += wrong
        sound = not wrong
    walk = _Walk(at_root=True, rules=sound)
    schema_causes, rule_causes = walk.check(raw, path)
    causes += schema_causes + rule_causes
    if not causes and not is_readable(raw):
        causes.append(invalid_value(path, "", "no structural schema can be made of it"))
    return causes


def _root(raw: Mapping[str, Any], path: str) -> Iterator[Cause]:
    if raw.get("type", "object") != "object":
        why = (
            'only "object" is allowed as the type at the root of the schema '
            "if the status subresource is enabled"
        )
        yield invalid_value(f"{path}.type", raw["type"], why)
    elif any(raw.get(name) for name in _NOT_AT_ROOT):
        why = "has fields that are not allowed at the root if the status subresource is enabled"
        yield invalid_value(path, raw, why)


# ----------------------------------------------------------------------------------- defaults


def _check_defaults(raw: Mapping[str, Any], path: str, *, whole: bool = False) -> Iterator[Cause]:
    if raw.get("default") is not None:
        yield from _check_default(raw, f"{path}.default", whole=whole)
    if is_object(raw.get("items")):
        yield from _check_defaults(raw["items"], f"{path}.items")
    for name, each in part(raw, "properties").items():
        yield from _check_defaults(each, f"{path}.properties[{name}]")


def _check_default(raw: Mapping[str, Any], path: str, *, whole: bool) -> Iterator[Cause]:
    from .cel import RuleTree

    default = raw["default"]
    structure = Structure.of_kind(raw) if whole else Structure(raw)
    if prune(copied(default), structure):
        yield invalid_value(path, default, "must not have unknown fields")
    causes: list[Cause] = []
    if structure.embedded and is_object(default):
        causes = check_type_meta(default, path)
    causes = causes or check(Checker(raw), default, path)
    tree = None if causes else RuleTree.of(structure)
    if tree is not None:
        causes = tree.validate(default, default, path) or tree.validate(default, None, path)
    yield from causes


# ------------------------------------------------------------------------------- the whole tree


@dataclass(frozen=True, slots=True)
class _Walk:
    """What is known on the way down.

    Attributes:
        at_root: whether this is the whole schema.
        rules: whether rules are looked at.
        no_default: why there must be no default; None where there may be one.
        in_meta: whether this is within metadata, apiVersion or kind.
        uncorrelatable: the outermost schema in which old and new values do not belong together.
    """

    at_root: bool = False
    rules: bool = True
    no_default: str | None = None
    in_meta: bool = False
    uncorrelatable: str = ""

    def check(self, raw: Mapping[str, Any], path: str) -> tuple[list[Cause], list[Cause]]:
        """What is wrong with a schema and everything in it: in general, and with its rules."""
        causes = [*self._features(raw, path)]
        of_rules: list[Cause] = []
        for walk, inner, where in self._parts(raw, path):
            more, more_of_rules = walk.check(inner, where)
            causes += more
            of_rules += more_of_rules
        causes += _containers(raw, path)
        causes += (cause for each in _each_rule(raw, path) for cause in _texts(raw, *each))
        if raw.get("x-kubernetes-validations") and self.rules and not causes:
            from .cel import check_rules

            structure = Structure.of_kind(raw) if self.at_root else Structure(raw)
            of_rules += check_rules(structure, path, self.uncorrelatable)
        return causes, of_rules

    def _features(self, raw: Mapping[str, Any], path: str) -> Iterator[Cause]:
        kind = raw.get("type") or ""
        if kind and kind not in _TYPES:
            yield not_supported(f"{path}.type", kind, _TYPES)
        if raw.get("default") is not None and self.no_default is not None:
            yield forbidden_value(f"{path}.default", f"must not be set {self.no_default}".strip())
        for name in _UNSUPPORTED:
            given = raw.get(name)
            if given or (given is not None and name in ("additionalItems", "dependencies", "$ref")):
                yield forbidden_value(f"{path}.{name}", f"{name} is not supported")
        if kind == "null":
            why = "type cannot be set to null, use nullable as an alternative"
            yield forbidden_value(f"{path}.type", why)
        if is_list(raw.get("items")) and raw["items"]:
            yield forbidden_value(f"{path}.items", "items must be a schema object and not an array")
        if self.in_meta and raw.get("x-kubernetes-embedded-resource"):
            why = "must not be used inside of resource meta"
            yield forbidden_value(f"{path}.x-kubernetes-embedded-resource", why)
        if raw.get("uniqueItems"):
            why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
            yield forbidden_value(f"{path}.uniqueItems", why)

    def _parts(
        self, raw: Mapping[str, Any], path: str
    ) -> Iterator[tuple[_Walk, Mapping[str, Any], str]]:
        here = replace(self, at_root=False)
        additional = raw.get("additionalProperties")
        if is_object(additional):
            why = "inside additionalProperties applying to object metadata"
            walk = replace(here, no_default=why) if self.in_meta else here
            yield walk, additional, f"{path}.additionalProperties"
        for name, each in part(raw, "properties").items():
            yield self._member(raw, name), each, f"{path}.properties[{name}]"
        plain = replace(here, rules=False)
        if raw.get("not") is not None:
            yield plain, raw["not"], f"{path}.not"
        for junctor in ("allOf", "oneOf", "anyOf"):
            for at, each in enumerate(listed(raw, junctor)):
                yield plain, each, f"{path}.{junctor}[{at}]"
        for name, each in part(raw, "definitions").items():
            yield plain, each, f"{path}.definitions[{name}]"
        yield from here._item_schemas(raw, path)

    def _member(self, raw: Mapping[str, Any], name: str) -> _Walk:
        walk = replace(self, at_root=False)
        if name in META_FIELDS and (self.at_root or raw.get("x-kubernetes-embedded-resource")):
            walk = replace(walk, in_meta=True)
            if self.at_root:
                walk = replace(walk, no_default=f"in top-level {name}")
        return walk

    def _item_schemas(
        self, raw: Mapping[str, Any], path: str
    ) -> Iterator[tuple[_Walk, Mapping[str, Any], str]]:
        walk = self
        if raw.get("x-kubernetes-list-type") != "map":
            walk = replace(self, uncorrelatable=self.uncorrelatable or path)
        items = raw.get("items")
        if is_object(items):
            yield walk, items, f"{path}.items"
        elif is_list(items):
            for at, each in enumerate(items):
                yield walk, each, f"{path}.items[{at}]"


# --------------------------------------------------------------------------- lists and maps


def _containers(raw: Mapping[str, Any], path: str) -> Iterator[Cause]:
    additional = raw.get("additionalProperties")
    if additional is not None and additional is not True and raw.get("properties"):
        why = "additionalProperties and properties are mutual exclusive"
        yield forbidden_value(f"{path}.additionalProperties", why)
    if raw.get("x-kubernetes-preserve-unknown-fields") is False:
        where = f"{path}.x-kubernetes-preserve-unknown-fields"
        yield invalid_value(where, False, "must be true or undefined")
    yield from _container_type(raw, path, "x-kubernetes-map-type", "object", ("atomic", "granular"))
    known = ("atomic", "set", "map")
    yield from _container_type(raw, path, "x-kubernetes-list-type", "array", known)
    items = raw.get("items")
    list_type = raw.get("x-kubernetes-list-type")
    if is_object(items) and list_type == "set" and raw.get("type") == "array":
        yield from _set_items(items, path)
    yield from _map_keys(raw, path)
    if is_object(items) and list_type in ("set", "map"):
        yield from _item_nulls(raw, items, path)


def _container_type(
    raw: Mapping[str, Any], path: str, name: str, kind: str, known: tuple[str, ...]
) -> Iterator[Cause]:
    given = raw.get(name)
    if given is None:
        return
    actual = raw.get("type") or ""
    if actual != kind:
        why, where = f"must be {kind} if {name} is specified", f"{path}.type"
        yield invalid_value(where, actual, why) if actual else required(where, why)
    if given not in known:
        yield not_supported(f"{path}.{name}", given, known)


def _set_items(items: Mapping[str, Any], path: str) -> Iterator[Cause]:
    why = "must be atomic as item of a list with x-kubernetes-list-type=set"
    given = items.get("x-kubernetes-list-type")
    if items.get("type") == "array" and given not in (None, "atomic"):
        yield invalid_value(f"{path}.items.x-kubernetes-list-type", given, why)
    if items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        yield invalid_value(f"{path}.items.x-kubernetes-map-type", given, why)


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


def _each_rule(raw: Mapping[str, Any], path: str) -> Iterator[tuple[dict[str, Any], str]]:
    for at, rule in enumerate(listed(raw, "x-kubernetes-validations")):
        yield rule, f"{path}.x-kubernetes-validations[{at}]"


def _texts(raw: Mapping[str, Any], rule: Mapping[str, Any], path: str) -> Iterator[Cause]:
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
