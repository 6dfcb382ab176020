"""Reprs of models: one short line for prompts and logs, without secrets.

The repr of an object with a name has no spec and no status. `to_dict` returns all fields.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import NODEFAULT, Raw

from .base import ModelBase
from .empties import EmptyDict, EmptyList
from .variants import unset_maker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HIDDEN: Final = "<hidden>"
"""The text that reprs show in place of a sensitive value."""

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation in which kubectl stores the whole manifest, including the data of a Secret."""

_MAX_CHARACTERS = 400
_MAX_VALUE_CHARACTERS = 80
_MAX_ITEMS = 3
_MAX_DEPTH = 3

# The metadata in the repr of an object with a name, and the attributes that are left out.
_IDENTITY = ("namespace", "name", "generate_name", "resource_version")
_NOT_SHOWN = frozenset({"metadata", "spec", "status", "api_version", "kind"})


def model_repr(model: ModelBase) -> str:
    """Show the fields of a model that are set, shortened."""
    return _shorten(_nested_repr(model, 0), _MAX_CHARACTERS)


def identity_repr(obj: object, items: Iterable[tuple[str, object]]) -> str:
    """Show an object as its class and the given items."""
    shown = ", ".join(f"{name}={_value_repr(value, 1)}" for name, value in items)
    return _shorten(f"{type(obj).__name__}({shown})", _MAX_CHARACTERS)


def model_items(model: ModelBase) -> Iterator[tuple[str, object]]:
    """Yield the fields that are set, with sensitive values hidden.

    If a model has sensitive fields, its unknown fields are hidden, too: a field that is newer than
    the model may be as sensitive.
    """
    declared = getattr(type(model), "__model__", type(model)).__struct_fields__
    fields, defaults = model.__struct_fields__, model.__struct_defaults__
    required = (NODEFAULT,) * (len(fields) - len(defaults))  # required fields come first
    for name, default in zip(fields, (*required, *defaults), strict=True):
        value = getattr(model, name)
        if default is not NODEFAULT and _is_unset(model, name, value, default):
            continue
        hidden = model.__sensitive__ and (name not in declared or name in model.__sensitive__)
        yield name, HIDDEN if hidden else value


def _is_unset(model: ModelBase, name: str, value: Any, default: object) -> bool:
    if value is default or value is model.__constants__.get(name, NODEFAULT):
        return True
    kind: Any = value.__class__
    if issubclass(kind, list | dict):
        return not value and not issubclass(kind, EmptyList | EmptyDict)
    if getattr(kind, "__unset__", False):
        return bool(value == unset_maker(kind.__model__)())
    return False


def _nested_repr(model: ModelBase, depth: int) -> str:
    name = type(model).__name__
    if depth >= _MAX_DEPTH:
        return f"{name}(…)" if any(True for _ in model_items(model)) else f"{name}()"
    items = model_items(model)
    if identity := _identity(model):
        items = iter([*identity, *((n, value) for n, value in items if n not in _NOT_SHOWN)])
    return f"{name}({', '.join(f'{key}={_value_repr(value, depth + 1)}' for key, value in items)})"


def _identity(model: ModelBase) -> list[tuple[str, object]]:
    """Return the namespace, name and resource version of an object; empty if it has no name."""
    metadata = getattr(model, "metadata", None) if "kind" in model.__constants__ else None
    identity = [(name, getattr(metadata, name, "")) for name in _IDENTITY]
    named = any(name.endswith("name") and value for name, value in identity)
    return [(name, value) for name, value in identity if value] if named else []


def _value_repr(value: Any, depth: int) -> str:
    if value is HIDDEN:
        return HIDDEN
    if isinstance(value, Raw):
        return f"<{len(value)} bytes of JSON>"
    if isinstance(value, ModelBase):
        return _nested_repr(value, depth)
    if isinstance(value, list | dict):
        return _container_repr(value, depth)
    return _shorten(
        repr(value[:_MAX_VALUE_CHARACTERS] if isinstance(value, str) else value),
        _MAX_VALUE_CHARACTERS,
    )


def _container_repr(value: Any, depth: int) -> str:
    if isinstance(value, list):
        return _list_repr(cast("list[object]", value), depth)
    if hasattr(value, "__rich_repr__"):  # an object without a class
        return _shorten(repr(value), _MAX_CHARACTERS)
    return _dict_repr(value, depth)


def _list_repr(values: list[object], depth: int) -> str:
    return f"[{_joined((_value_repr(item, depth) for item in values[:_MAX_ITEMS]), len(values))}]"


def _dict_repr(values: dict[object, object], depth: int) -> str:
    entries = islice(values.items(), _MAX_ITEMS)
    shown = (f"{k!r}: {HIDDEN if k == LAST_APPLIED else _value_repr(v, depth)}" for k, v in entries)
    return f"{{{_joined(shown, len(values))}}}"


def _joined(shown: Iterable[str], count: int) -> str:
    return ", ".join([*shown, *([f"…+{count - _MAX_ITEMS}"] if count > _MAX_ITEMS else [])])


def _shorten(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"
