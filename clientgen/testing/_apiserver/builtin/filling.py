"""Defaulting: what the API server adds to an object of a built-in kind before it looks at it.

Three things are added, at every node of the object, from the root inwards:

* what the kind's own rules say, such as the update strategy of a Deployment. These are functions,
  registered for a definition of the OpenAPI document with `@defaults`;
* values that a table says a member has when it is missing (`declared.py`);
* members that are never missing in an answer: required ones, with the zero value of their type, and
  those parts which the server's own types hold as values (`resources: {}`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from .declared import DEFAULTS, PARTS, ZEROS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clientgen._openapi.schema import Schema

    from ..resources import Resource

__all__ = ["Fill", "default", "defaults", "definition", "fill"]

Fill: TypeAlias = "Callable[[dict[str, Any]], None]"
_Plan: TypeAlias = "Callable[[Any], None]"

_FILLS: Final[dict[str, Fill]] = {}
_NOTE: Final = "filling"
_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_PREFIXES: Final = ("io.k8s.api.", "io.k8s.kube-aggregator.pkg.apis.")
_ZERO: Final[dict[str, Any]] = {"string": "", "integer": 0, "number": 0, "boolean": False}


def defaults(*names: str) -> Callable[[Fill], Fill]:
    """Register what a kind's rules add to a node, by its definition (`core.v1.Container`)."""

    def register(fill_node: Fill) -> Fill:
        _FILLS.update(dict.fromkeys(names, fill_node))
        return fill_node

    return register


def default(resource: Resource, obj: dict[str, Any]) -> None:
    """Add to an object what the API server adds, in place."""
    fill(resource.schema, obj)


def definition(schema: Schema) -> str:
    """The short name of a definition, `apps.v1.Deployment`."""
    for prefix in _PREFIXES:
        if schema.name.startswith(prefix):
            return schema.name.removeprefix(prefix)
    return schema.name


def fill(schema: Schema, value: Any) -> None:
    """Add what is missing to a node and to everything below it, in place."""
    plan = _plan(schema)
    if plan is not None:
        plan(value)


def _plan(schema: Schema) -> _Plan | None:
    """What is done to values of a schema, found out once; None when that is nothing."""
    if _NOTE not in schema.notes:
        schema.notes[_NOTE] = _made(schema)
    plan: _Plan | None = schema.notes[_NOTE]
    return plan


def _made(schema: Schema) -> _Plan | None:
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

    def __init__(self, schema: Schema) -> None:
        name = definition(schema)
        self._schema = schema
        self._own = _FILLS.get(name)
        self._presets = tuple(DEFAULTS.get(name, {}).items())
        self._zeros = tuple(_never_missing(schema, name))
        self._below: list[tuple[str, _Plan]] | None = None

    def __call__(self, value: Any) -> None:
        if not isinstance(value, dict):
            return
        given = cast("dict[str, Any]", value)
        if self._own is not None:
            self._own(given)
        for field, preset in self._presets:
            if given.get(field) is None or given[field] == "":
                given[field] = preset
        for field, zero in self._zeros:
            if given.get(field) is None or (zero is None and given[field] == []):
                given[field] = {} if zero == {} else zero
        for field, plan in self._members() if self._below is None else self._below:
            below = given.get(field)
            if below is not None:
                plan(below)

    def _members(self) -> list[tuple[str, _Plan]]:
        planned = ((field, _plan(child)) for field, child in self._schema.properties.items())
        self._below = [(field, plan) for field, plan in planned if plan is not None]
        return self._below


def _never_missing(schema: Schema, name: str) -> Iterator[tuple[str, Any]]:
    for field in schema.required:
        if field not in ("apiVersion", "kind"):
            yield field, _zero(schema.properties.get(field), part=field in PARTS.get(name, ()))
    for field in PARTS.get(name, ()):
        yield field, {}
    if "metadata" in schema.properties and schema.properties["metadata"].name == _META:
        yield "metadata", {}
    yield from ZEROS.get(name, {}).items()


def _zero(schema: Schema | None, *, part: bool) -> Any:
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
