"""Reprs of models: one short line for prompts and logs, without secrets.

A kind that has a name shows it, and no spec and status: `to_dict` gives all there is.
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


__all__ = ["HIDDEN", "LAST_APPLIED", "identity_repr", "model_items", "model_repr"]

HIDDEN: Final = "<hidden>"
"""The text that reprs show in place of a sensitive value."""

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation in which kubectl keeps the whole manifest, and with it the data of a Secret."""

_LONGEST = 400
_LONGEST_VALUE = 80
_MOST = 3
_DEEPEST = 3

# The metadata shown of a kind with a name, and the attributes not shown beside it.
_IDENTITY = ("namespace", "name", "generate_name", "resource_version")
_LARGE = frozenset({"metadata", "spec", "status", "api_version", "kind"})


def model_repr(model: ModelBase) -> str:
    """Show a model: what is set, cut where it gets long."""
    return _cut(_model(model, 0), _LONGEST)


def identity_repr(obj: object, items: Iterable[tuple[str, object]]) -> str:
    """Show an object by what is given, and nothing else of it."""
    shown = ", ".join(f"{name}={_value(value, 1)}" for name, value in items)
    return _cut(f"{type(obj).__name__}({shown})", _LONGEST)


def model_items(model: ModelBase) -> Iterator[tuple[str, object]]:
    """Yield what is set, with the sensitive values hidden.

    A field that is unknown (newer than the model) may be as sensitive as its neighbours.
    """
    declared = getattr(type(model), "__model__", type(model)).__struct_fields__
    fields, defaults = model.__struct_fields__, model.__struct_defaults__
    required = (NODEFAULT,) * (len(fields) - len(defaults))  # those come first
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


def _model(model: ModelBase, depth: int) -> str:
    name = type(model).__name__
    if depth >= _DEEPEST:
        return f"{name}(…)" if any(True for _ in model_items(model)) else f"{name}()"
    items = model_items(model)
    if identity := _identity(model):
        items = iter([*identity, *((n, value) for n, value in items if n not in _LARGE)])
    return f"{name}({', '.join(f'{key}={_value(value, depth + 1)}' for key, value in items)})"


def _identity(model: ModelBase) -> list[tuple[str, object]]:
    """Return the name and namespace of a kind's object, if it has a name."""
    metadata = getattr(model, "metadata", None) if "kind" in model.__constants__ else None
    identity = [(name, getattr(metadata, name, "")) for name in _IDENTITY]
    named = any(name.endswith("name") and value for name, value in identity)
    return [(name, value) for name, value in identity if value] if named else []


def _value(value: Any, depth: int) -> str:
    if value is HIDDEN:
        return HIDDEN
    if isinstance(value, Raw):
        return f"<{len(value)} bytes of JSON>"
    if isinstance(value, ModelBase):
        return _model(value, depth)
    if isinstance(value, list | dict):
        return _container(value, depth)
    return _cut(repr(value[:_LONGEST_VALUE] if isinstance(value, str) else value), _LONGEST_VALUE)


def _container(value: Any, depth: int) -> str:
    if isinstance(value, list):
        return _list(cast("list[object]", value), depth)
    if hasattr(value, "__rich_repr__"):  # an object without a class
        return _cut(repr(value), _LONGEST)
    return _dict(value, depth)


def _list(values: list[object], depth: int) -> str:
    return f"[{_several((_value(item, depth) for item in values[:_MOST]), len(values))}]"


def _dict(values: dict[object, object], depth: int) -> str:
    entries = islice(values.items(), _MOST)
    shown = (f"{k!r}: {HIDDEN if k == LAST_APPLIED else _value(v, depth)}" for k, v in entries)
    return f"{{{_several(shown, len(values))}}}"


def _several(shown: Iterable[str], count: int) -> str:
    return ", ".join([*shown, *([f"…+{count - _MOST}"] if count > _MOST else [])])


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
