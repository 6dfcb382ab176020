"""Puts constraints from markers and `Annotated` into schemas.

Both are brought to the same form first. What does not fit the type of the value is a problem:
the API server would refuse the manifest, or, worse, never look at the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec

from clientgen._json import is_array
from clientgen._problems import Problems
from clientgen.generator.crds.annotation_schemas import ANYTHING, INT_OR_STRING, Schema
from clientgen.generator.kubebuilder.kubebuilder_markers import KubebuilderMarker

_NUMBERS: Final = frozenset(["integer", "number"])
_TEXT: Final = frozenset(["string"])
_LIST: Final = frozenset(["array"])
_OBJECT: Final = frozenset(["object"])
_SCALAR: Final = _NUMBERS | _TEXT | {"boolean"}
_ALL: Final = _SCALAR | _LIST | _OBJECT

# Which values a keyword speaks of.
_FITS: Final[Mapping[str, frozenset[str]]] = {
    "minimum": _NUMBERS,
    "maximum": _NUMBERS,
    "exclusiveMinimum": _NUMBERS,
    "exclusiveMaximum": _NUMBERS,
    "multipleOf": _NUMBERS,
    "minLength": _TEXT,
    "maxLength": _TEXT,
    "pattern": _TEXT,
    "minItems": _LIST,
    "maxItems": _LIST,
    "minProperties": _OBJECT,
    "maxProperties": _OBJECT,
    "format": _NUMBERS | _TEXT,
    "enum": _SCALAR,
    "x-kubernetes-list-type": _LIST,
    "x-kubernetes-list-map-keys": _LIST,
    "x-kubernetes-map-type": _OBJECT,
    ANYTHING: _OBJECT,
    "x-kubernetes-embedded-resource": _OBJECT,
    INT_OR_STRING: _NUMBERS | _TEXT,
}
_KEYWORDS: Final[Mapping[str, str]] = {
    "validation:XPreserveUnknownFields": ANYTHING,
    "validation:XEmbeddedResource": "x-kubernetes-embedded-resource",
    "validation:XIntOrString": INT_OR_STRING,
    "validation:XValidation": "x-kubernetes-validations",
    "listType": "x-kubernetes-list-type",
    "listMapKey": "x-kubernetes-list-map-keys",
    "mapType": "x-kubernetes-map-type",
    "structType": "x-kubernetes-map-type",
    "nullable": "nullable",
    "title": "title",
    "example": "example",
    "externalDocs": "externalDocs",
}
_ITEMS: Final = "validation:items:"
_REPEATED: Final = ("x-kubernetes-validations", "x-kubernetes-list-map-keys")
# The keywords for `Annotated[..., Meta(...)]`, by its argument; lengths depend on the type.
_META: Final[Mapping[str, tuple[tuple[str, object], ...]]] = {
    "ge": (("minimum", None),),
    "gt": (("minimum", None), ("exclusiveMinimum", True)),
    "le": (("maximum", None),),
    "lt": (("maximum", None), ("exclusiveMaximum", True)),
    "multiple_of": (("multipleOf", None),),
    "pattern": (("pattern", None),),
    "title": (("title", None),),
    "description": (("description", None),),
}
_LENGTHS: Final = {"string": "Length", "array": "Items", "object": "Properties"}


@dataclass(frozen=True, slots=True)
class Constraint:
    """A statement about a value: a keyword of its schema, and its origin, for messages."""

    keyword: str
    value: Any
    where: str
    by: str
    # The number of levels of `items` above the value.
    depth: int = 0


def from_marker(marker: KubebuilderMarker) -> Constraint | None:
    """Return the constraint that a marker states, or None if it states something else."""
    name, depth = marker.name, 0
    while name.startswith(_ITEMS):
        name, depth = "validation:" + name.removeprefix(_ITEMS), depth + 1
    keyword = _KEYWORDS.get(name)
    if keyword is None and name.startswith("validation:"):
        bare = name.removeprefix("validation:")
        keyword = bare[0].lower() + bare[1:]
    if keyword is None or (keyword not in _FITS and keyword not in _PASSED_ON):
        return None
    return Constraint(keyword, marker.value, marker.where, f"`+{marker.written}`", depth)


_PASSED_ON: Final = frozenset(
    [
        "type",
        "nullable",
        "title",
        "description",
        "example",
        "externalDocs",
        "x-kubernetes-validations",
    ]
)


def from_metas(metas: Iterable[msgspec.Meta], schema: Schema, where: str) -> Iterator[Constraint]:
    """Yield the constraints that `Annotated` states for a value with this schema."""
    for meta in metas:
        for argument, keywords in _META.items():
            value = getattr(meta, argument)
            if value is not None:
                for keyword, fixed in keywords:
                    by = f"`Meta({argument}=...)`"
                    yield Constraint(keyword, value if fixed is None else fixed, where, by)
        yield from _lengths(meta, schema, where)
        if meta.examples:
            yield Constraint("example", meta.examples[0], where, "`Meta(examples=...)`")
        for keyword, value in (meta.extra_json_schema or {}).items():
            yield Constraint(keyword, value, where, "`Meta(extra_json_schema=...)`")


def _lengths(meta: msgspec.Meta, schema: Schema, where: str) -> Iterator[Constraint]:
    ending = next((_LENGTHS[kind] for kind in kinds_of(schema) if kind in _LENGTHS), "Length")
    for argument, start in (("min_length", "min"), ("max_length", "max")):
        value = getattr(meta, argument)
        if value is not None:
            yield Constraint(f"{start}{ending}", value, where, f"`Meta({argument}=...)`")


def kinds_of(schema: Schema) -> frozenset[str]:
    """The types a value may have: all of them where the schema takes anything."""
    if schema.get(INT_OR_STRING):
        return frozenset(["integer", "string"])
    kind = schema.get("type")
    return frozenset([kind]) if kind else _ALL


Places: TypeAlias = dict[tuple[str, ...], str]
"""The source position of each part of a schema, by the path that leads to the part."""


def apply(schema: Schema, constraints: Iterable[Constraint], problems: Problems) -> Places:
    """Put what was said into a schema, in place; the type first, since the rest depends on it.

    Returns:
        Where each keyword was said.
    """
    places: Places = {}
    order = {"type": 0, INT_OR_STRING: 1}
    for each in sorted(constraints, key=lambda constraint: order.get(constraint.keyword, 2)):
        target = _target(schema, each, problems)
        if target is not None:
            before = len(target.get(each.keyword, ())) if each.keyword in _REPEATED else None
            _put(target, each, problems)
            last = () if before is None else (str(before),)
            places[("items",) * each.depth + (each.keyword, *last)] = each.where
    return places


def _target(schema: Schema, constraint: Constraint, problems: Problems) -> Schema | None:
    """Return the schema of a constraint: that of the value, or that of its items."""
    for _ in range(constraint.depth):
        if "items" not in schema:
            kinds = kinds_text(kinds_of(schema))
            what = f"{constraint.by} applies to items, but the value is {kinds}"
            problems.add(constraint.where, what, "leave out `items:`, or make it a list")
            return None
        schema = schema["items"]
    return schema


def _put(schema: Schema, constraint: Constraint, problems: Problems) -> None:
    kinds = kinds_of(schema)
    if constraint.keyword == "type":
        _retype(schema, constraint.value)
    elif constraint.keyword == INT_OR_STRING and constraint.value:
        _make_int_or_string(schema, constraint, problems)
    elif constraint.keyword not in _FITS and constraint.keyword not in _PASSED_ON:
        problems.add(
            constraint.where, f"{constraint.by}: `{constraint.keyword}` is not a schema keyword"
        )
    elif not kinds & _FITS.get(constraint.keyword, _ALL):
        fitting = kinds_text(_FITS[constraint.keyword])
        problems.add(
            constraint.where, f"{constraint.by} is for {fitting}, and this is {kinds_text(kinds)}"
        )
    elif constraint.keyword in _REPEATED:
        schema[constraint.keyword] = [
            *schema.get(constraint.keyword, ()),
            *_listed(constraint.value),
        ]
    elif wrong := _wrong_value(constraint, kinds):
        problems.add(constraint.where, f"{constraint.by}: {wrong}")
    elif constraint.value is not False:  # only true is written
        schema[constraint.keyword] = constraint.value
        if constraint.keyword == "x-kubernetes-embedded-resource":
            schema["type"] = "object"


def _listed(value: Any) -> list[Any]:
    return value if is_array(value) else [value]


def _retype(schema: Schema, kind: str) -> None:
    """Set another type than that of the annotation, whose keywords no longer hold."""
    if schema.get("type") == kind:
        return
    remaining: Schema = {key: schema[key] for key in ("description", ANYTHING) if key in schema}
    schema.clear()
    schema.update({**remaining, "type": kind})
    if kind == "array":
        schema["items"] = {ANYTHING: True}


def _make_int_or_string(schema: Schema, constraint: Constraint, problems: Problems) -> None:
    kinds = kinds_of(schema)
    if not kinds & _FITS[INT_OR_STRING]:
        what = f"{constraint.by} is for texts and whole numbers, and this is {kinds_text(kinds)}"
        problems.add(constraint.where, what)
        return
    for key in ("type", "format", ANYTHING):
        schema.pop(key, None)
    schema.update({"anyOf": [{"type": "integer"}, {"type": "string"}], INT_OR_STRING: True})


def _wrong_value(constraint: Constraint, kinds: frozenset[str]) -> str | None:
    value = constraint.value
    if (
        constraint.keyword.startswith(("minL", "maxL", "minI", "maxI", "minP", "maxP"))
        and value < 0
    ):
        return f"a count cannot be {value}"
    if constraint.keyword == "multipleOf" and value <= 0:
        return f"it must be greater than 0, not {value}"
    if constraint.keyword in ("minimum", "maximum", "multipleOf") and "number" not in kinds:
        # The server's validator never finds an integer within bounds that have a fraction.
        return None if value == int(value) else f"{value} cannot limit an integer"
    if constraint.keyword == "enum":
        odd = [item for item in value if not _is_of(item, kinds)]
        shown = ", ".join(f"`{item}`" for item in odd)
        return f"{shown} is not {kinds_text(kinds)}; strings may need quotes" if odd else None
    return None


def _is_of(value: object, kinds: frozenset[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in kinds
    if isinstance(value, int):
        return bool(kinds & _NUMBERS)
    if isinstance(value, float):
        return "number" in kinds
    return "string" in kinds


def kinds_text(kinds: frozenset[str]) -> str:
    """The types as messages name them."""
    called = {
        "array": "a list",
        "boolean": "true or false",
        "integer": "a whole number",
        "number": "a number",
        "object": "an object",
        "string": "text",
    }
    return " or ".join(called[kind] for kind in sorted(kinds))
