"""Defaulting: the API server completes objects of built-in kinds before it validates them.

`fill` walks an object from its root inwards. A type of the OpenAPI document (`core.v1.Container`)
says with `TypeDefaults` what its objects get; types are declared where their kind is. Values and
structs that the OpenAPI v3 documents tell are in `declared.json`, which scripts/update-kubernetes
writes. Whatever a type declares, required members get the zero value of their type.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from msgspec import json as json_codec

from clientgen._text_cache import Conversions, encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clientgen._openapi.resolved import ResolvedSchema

Fill: TypeAlias = "Callable[[dict[str, Any]], None]"
_Plan: TypeAlias = "Callable[[Any], None]"

_TYPES: Final[dict[str, TypeDefaults]] = {}
_NOTE: Final = "filling"
_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_PREFIXES: Final = ("io.k8s.api.", "io.k8s.kube-aggregator.pkg.apis.")
_DOCUMENTED: Final[Mapping[str, Any]] = json.loads(
    resources.files(__name__.rpartition(".")[0]).joinpath("declared.json").read_bytes()
)
_ZERO: Final[dict[str, Any]] = {"string": "", "integer": 0, "number": 0, "boolean": False}


@dataclass(frozen=True, slots=True)
class TypeDefaults:
    """The defaults of objects of one type.

    Attributes:
        fill: completes an object in place; it runs first.
        values: values of members that are missing or empty, if the documents do not tell them.
        structs: members that Go holds as structs, not pointers: they are never missing (`{}`); the
            documents tell those of all types but CustomResourceDefinition's.
        zeros: members that are not required, yet never missing, with their zero values.
    """

    fill: Fill | None = None
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    structs: tuple[str, ...] = ()
    zeros: Mapping[str, Any] = field(default_factory=dict[str, Any])


def declare(types: Mapping[str, TypeDefaults]) -> None:
    """Use these defaults for types, by the short names of their definitions."""
    _TYPES.update(types)


def _declared(name: str) -> TypeDefaults:
    """Return the defaults of a type: the documented ones and its own."""
    own = _TYPES.get(name) or TypeDefaults()
    return TypeDefaults(
        own.fill,
        _DOCUMENTED["defaults"].get(name) or own.values,
        tuple(_DOCUMENTED["parts"].get(name) or own.structs),
        own.zeros,
    )


def _definition(schema: ResolvedSchema) -> str:
    """The short name of a definition, `apps.v1.Deployment`."""
    for prefix in _PREFIXES:
        if schema.name.startswith(prefix):
            return schema.name.removeprefix(prefix)
    return schema.name


def set_missing(obj: dict[str, Any], **values: Any) -> None:
    """Set members that are missing or null."""
    for name, value in values.items():
        if obj.get(name) is None:
            obj[name] = value


def set_empty(obj: dict[str, Any], **values: Any) -> None:
    """Set members that are missing, null or an empty text."""
    for name, value in values.items():
        if obj.get(name) in (None, ""):
            obj[name] = value


def fill(schema: ResolvedSchema, value: Any) -> None:
    """Add what is missing to a node and to everything below it, in place."""
    plan = _plan(schema)
    if plan is not None:
        plan(value)


def _plan(schema: ResolvedSchema) -> _Plan | None:
    """Return what completes values of a schema, made once; None if there is nothing to do."""
    if _NOTE not in schema.notes:
        schema.notes[_NOTE] = _made(schema)
    plan: _Plan | None = schema.notes[_NOTE]
    return plan


def _made(schema: ResolvedSchema) -> _Plan | None:
    if schema.items is not None:
        plan = _plan(schema.items)
        return None if plan is None else partial(_fill_each, plan)
    if schema.additional is not None:
        plan = _plan(schema.additional)
        return None if plan is None else partial(_fill_values, plan)
    return _Object(schema) if schema.properties and schema.name != _META else None


def _fill_each(plan: _Plan, value: Any) -> None:
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        for item in items:
            plan(item)


def _fill_values(plan: _Plan, value: Any) -> None:
    if isinstance(value, dict):
        for item in cast("dict[str, Any]", value).values():
            plan(item)


class _Object:
    """Fills one kind of object; its members are looked at late, as types may hold themselves."""

    def __init__(self, schema: ResolvedSchema) -> None:
        declared = _declared(_definition(schema))
        self._schema = schema
        self._own = declared.fill
        self._presets = tuple(declared.values.items())
        self._zeros = tuple(_never_missing(schema, declared))
        self._below: list[tuple[str, _Plan]] | None = None

    def __call__(self, value: Any) -> None:
        if not isinstance(value, dict):
            return
        given = cast("dict[str, Any]", value)
        if self._own is not None:
            self._own(given)
        for name, preset in self._presets:
            if given.get(name) is None or given[name] == "":
                given[name] = preset
        for name, zero in self._zeros:
            if given.get(name) is None or (zero is None and given[name] == []):
                given[name] = {} if zero == {} else zero
        for name, plan in self._members() if self._below is None else self._below:
            below = given.get(name)
            if below is not None:
                plan(below)

    def _members(self) -> list[tuple[str, _Plan]]:
        planned = ((name, _plan(child)) for name, child in self._schema.properties.items())
        below = [(name, plan) for name, plan in planned if plan is not None]
        if self._schema.kinds:  # what is below are the large parts, such as a spec
            below = [
                (name, _remembering(plan) if isinstance(plan, _Object) else plan)
                for name, plan in below
            ]
        self._below = below
        return below


def _remembering(plan: _Plan) -> _Plan:
    """Return what completes a value as the plan does, and remembers what becomes of it."""
    known = Conversions()

    def complete(value: Any) -> None:
        text = encoded(value)
        made = known.get(text)
        if made is None:
            plan(value)
            known.put(text, value)
        elif made is not text and isinstance(value, dict):
            members = cast("dict[str, Any]", value)
            members.clear()
            members.update(json_codec.decode(made))

    return complete


def _never_missing(schema: ResolvedSchema, declared: TypeDefaults) -> Iterator[tuple[str, Any]]:
    for name in schema.required:
        if name not in ("apiVersion", "kind"):
            yield name, _zero(schema.properties.get(name), part=name in declared.structs)
    for name in declared.structs:
        yield name, {}
    if "metadata" in schema.properties and schema.properties["metadata"].name == _META:
        yield "metadata", {}
    yield from declared.zeros.items()


def _zero(schema: ResolvedSchema | None, *, part: bool) -> Any:
    if schema is None:
        return None
    if part:
        return {}
    if schema.is_quantity:
        return "0"
    if schema.is_int_or_string:
        return 0
    if schema.is_time or schema.is_micro_time:
        return None
    return _ZERO.get(schema.type)
