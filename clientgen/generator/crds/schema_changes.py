"""Compares two structural schemas, place by place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from clientgen._json import is_object
from clientgen.generator.crds.annotation_schemas import ANYTHING, INT_OR_STRING, Schema


@dataclass(frozen=True, slots=True)
class Change:
    """One change: where (`v1 .spec.replicas`), what, and whether something may break by it."""

    where: str
    what: str
    breaking: bool = False

    def below(self, version: str) -> Change:
        """The same change of a version."""
        return replace(self, where=f"{version} {self.where}".strip())

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


# Limits, and whether more is tighter.
_LIMITS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    **dict.fromkeys(
        ("minimum", "minLength", "minItems", "minProperties"), lambda old, new: new > old
    ),
    **dict.fromkeys(
        ("maximum", "maxLength", "maxItems", "maxProperties"), lambda old, new: new < old
    ),
    # Every multiple of 6 is one of 3.
    "multipleOf": lambda old, new: old % new != 0,
    "pattern": lambda _old, _new: True,
    "exclusiveMinimum": lambda old, new: new and not old,
    "exclusiveMaximum": lambda old, new: new and not old,
}
_WIDER_FORMATS: Final = frozenset([("int32", "int64"), ("float", "double")])
# The defaults for lists and maps.
_TOPOLOGY: Final = {"x-kubernetes-list-type": "atomic", "x-kubernetes-map-type": "granular"}
_FORMS: Final = ("anyOf", "allOf", "oneOf", "not")


def schema_changes(old: Schema, new: Schema, path: str = "") -> Iterator[Change]:
    """Compare two schemas of the same place."""
    before, after = _type(old), _type(new)
    if before != after:
        wider = _is_wider(before, after)
        yield Change(path or ".", f"the type is {after}, was {before}", breaking=not wider)
        if not wider:  # nothing else can be compared
            return
    yield from _flags(old, new, path)
    yield from _limits(old, new, path)
    yield from _format(old, new, path)
    yield from _enum(old, new, path)
    yield from _rules(old, new, path)
    yield from _default(old, new, path)
    yield from _containers(old, new, path)


def _type(schema: Schema) -> str:
    if schema.get(INT_OR_STRING):
        return "int-or-string"
    return str(schema.get("type") or "anything")


def _is_wider(before: str, after: str) -> bool:
    return after == "anything" or (before, after) in {
        ("integer", "number"),
        ("integer", "int-or-string"),
        ("string", "int-or-string"),
    }


def _flags(old: Schema, new: Schema, path: str) -> Iterator[Change]:
    for name, gained, lost in (
        ("nullable", "may be null", "may no longer be null"),
        (ANYTHING, "keeps fields it does not know", "drops fields it does not know"),
    ):
        if bool(old.get(name)) != bool(new.get(name)):
            has = bool(new.get(name))
            if _type(new) == _type(old):  # of what may be anything now the type tells it
                yield Change(path, gained if has else lost, breaking=not has)
    name = "x-kubernetes-embedded-resource"
    if bool(old.get(name)) != bool(new.get(name)):
        is_one = bool(new.get(name))
        what = "has to be a whole object" if is_one else "need not be a whole object"
        yield Change(path, what, breaking=is_one)
    for name, usual in _TOPOLOGY.items():
        before, after = old.get(name, usual), new.get(name, usual)
        if before != after:
            short = name.removeprefix("x-kubernetes-")
            yield Change(path, f"{short} is {after}, was {before}", breaking=True)
    before, after = (schema.get("x-kubernetes-list-map-keys", []) for schema in (old, new))
    if before != after and before and after:
        shown = f"{', '.join(after)}, were {', '.join(before)}"
        yield Change(path, f"list-map-keys are {shown}", breaking=True)


def _limits(old: Schema, new: Schema, path: str) -> Iterator[Change]:
    for name, is_tighter in _LIMITS.items():
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        if after is None or after is False:
            yield Change(path, f"{name} is gone, was {before}")
        elif before is None:
            yield Change(path, f"{name} is {after}, was not limited", breaking=True)
        else:
            tighter = is_tighter(before, after)
            yield Change(path, f"{name} is {after}, was {before}", breaking=tighter)


def _format(old: Schema, new: Schema, path: str) -> Iterator[Change]:
    before, after = old.get("format"), new.get("format")
    if before == after:
        return
    if after is None:
        yield Change(path, f"format is gone, was {before}")
    else:
        breaking = (before, after) not in _WIDER_FORMATS
        yield Change(path, f"format is {after}, was {before or 'any'}", breaking=breaking)


def _enum(old: Schema, new: Schema, path: str) -> Iterator[Change]:
    before, after = old.get("enum"), new.get("enum")
    if before is None and after is not None:
        yield Change(path, f"only {_listed(after)} is allowed, was any value", breaking=True)
    elif after is None and before is not None:
        yield Change(path, f"any value is allowed, was {_listed(before)}")
    elif before and after:
        gone = [value for value in before if value not in after]
        added = [value for value in after if value not in before]
        if gone:
            yield Change(path, f"{_listed(gone)} is no longer allowed", breaking=True)
        if added:
            yield Change(path, f"{_listed(added)} is allowed")


def _listed(values: list[Any]) -> str:
    return ", ".join(json.dumps(value) for value in values)


def _rules(old: Schema, new: Schema, path: str) -> Iterator[Change]:
    before, after = (
        [str(rule.get("rule")) for rule in schema.get("x-kubernetes-validations", ())]
        for schema in (old, new)
    )
    for rule in after:
        if rule not in before:
            yield Change(path or ".", f"a rule is new: {rule}", breaking=True)
    for rule in before:
        if rule not in after:
            yield Change(path or ".", f"a rule is gone: {rule}")
    for name in _FORMS:
        if old.get(name) != new.get(name) and _type(old) == _type(new):
            yield Change(path or ".", f"{name} is another", breaking=name in new)


def _default(old: Schema, new: Schema, path: str) -> Iterator[Change]:
    before, after = (json.dumps(schema.get("default")) for schema in (old, new))
    if "default" in old and "default" not in new:
        yield Change(path, f"the default is gone, was {before}")
    elif "default" in new and "default" not in old:
        yield Change(path, f"the default is {after}, was none")
    elif before != after:
        yield Change(path, f"the default is {after}, was {before}")


def _containers(old: Schema, new: Schema, path: str) -> Iterator[Change]:
    if "items" in old and "items" in new:
        yield from schema_changes(old["items"], new["items"], f"{path}[]")
    before, after = old.get("additionalProperties"), new.get("additionalProperties")
    if is_object(before) and is_object(after):
        yield from schema_changes(before, after, f"{path}.*")
    elif before and not after:
        breaking = not new.get(ANYTHING)
        yield Change(path, "takes only fields it knows, took any", breaking=breaking)
    yield from _properties(old, new, path)


def _properties(old: Schema, new: Schema, path: str) -> Iterator[Change]:
    before, after = old.get("properties", {}), new.get("properties", {})
    for name, schema in before.items():
        if name in after:
            yield from schema_changes(schema, after[name], f"{path}.{name}")
        elif isinstance(new.get("additionalProperties"), dict):
            yield from schema_changes(schema, new["additionalProperties"], f"{path}.{name}")
        else:
            preserves_unknown = bool(new.get(ANYTHING))
            lost = "" if preserves_unknown else "; existing objects lose its value"
            what = f"the field was removed{lost}"
            yield Change(f"{path}.{name}", what, breaking=not preserves_unknown)
    for name in after:
        if name not in before:
            yield Change(f"{path}.{name}", "the field is new")
    yield from _required(old, new, path)


def _required(old: Schema, new: Schema, path: str) -> Iterator[Change]:
    before, after = _needed(old), _needed(new)
    for name in sorted(after - before):
        yield Change(f"{path}.{name}", "is required, and has no default", breaking=True)
    for name in sorted(before - after):
        if name in new.get("properties", {}):
            yield Change(f"{path}.{name}", "is no longer required of clients")


def _needed(schema: Schema) -> set[str]:
    """The fields that a client has to send."""
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    return {name for name in required if "default" not in properties.get(name, {})}
