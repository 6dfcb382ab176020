"""Defaulting: what the API server adds to an object of a built-in kind before it looks at it.

Three things are added, at every node of the object, from the root inwards:

* what the kind's own rules say, such as the update strategy of a Deployment. These are functions,
  registered for a definition of the OpenAPI document with `@defaults`;
* values that a table says a member has when it is missing (`declared.py`);
* members that are never missing in an answer: required ones, with the zero value of their type, and
  those parts which the server's own types hold as values (`resources: {}`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from .declared import DEFAULTS, PARTS, ZEROS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..resources import Resource
    from ..schema import Schema

__all__ = ["Fill", "default", "defaults", "definition", "fill"]

Fill: TypeAlias = "Callable[[dict[str, Any]], None]"

_FILLS: Final[dict[str, Fill]] = {}
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
    if isinstance(value, list) and schema.items is not None:
        for item in _items(value):
            fill(schema.items, item)
    elif isinstance(value, dict) and schema.additional is not None:
        for item in cast("dict[str, Any]", value).values():
            fill(schema.additional, item)
    elif isinstance(value, dict):
        _fill_object(schema, cast("dict[str, Any]", value))


def _items(value: Any) -> list[Any]:
    return list(value)


def _fill_object(schema: Schema, value: dict[str, Any]) -> None:
    if schema.name == _META or not schema.properties:
        return
    name = definition(schema)
    own = _FILLS.get(name)
    if own is not None:
        own(value)
    for field, preset in DEFAULTS.get(name, {}).items():
        if value.get(field) is None or value[field] == "":
            value[field] = preset
    for field, zero in _never_missing(schema, name):
        if value.get(field) is None or (zero is None and value[field] == []):
            value[field] = zero
    for field, child in schema.properties.items():
        if field in value:
            fill(child, value[field])


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
