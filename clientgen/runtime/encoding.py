"""Models to JSON.

msgspec writes the JSON. What it cannot know is done before, on shallow copies and only where there
is something to do: objects nobody set are left out, and microsecond times get their six digits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from datetime import UTC, datetime
from typing import Annotated, Any, cast, get_args, get_origin

import msgspec
from msgspec import UNSET, Struct

from .model import MICRO, Auto, Model
from .quantity import Quantity
from .shapes import ByClass, fields_of, is_zero_time, known_model, leading_to, unset_maker

__all__ = ["encode"]

# A time without a zone as msgspec writes it. Text may look the same: a match is only a suspicion.
_NAIVE = re.compile(rb'T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?"')


class _Plan(Struct, frozen=True, gc=False):
    """What has to be looked at in an object of a class before it is encoded."""

    inner: tuple[str, ...]
    """Attributes that lead to something."""
    micros: tuple[str, ...]
    """Attributes with times that need six digits."""
    empty: Model | None
    """For the class of objects nobody set: one such object."""


def encode(obj: object, *, ordered: bool = False) -> bytes:
    """Write a model, or any JSON-like value with or without models in it, as JSON.

    What nobody set is left out, what was set to be empty is not. The object is not changed. With
    `ordered`, the keys of dicts are in order; fields of models always are in theirs.

    Raises:
        ValueError: a datetime has no zone; the server would refuse it.
        TypeError: the object holds something that has no JSON form.
    """
    encoder = _orderly if ordered else _encoder
    data = encoder.encode(_tidy(obj))
    if _NAIVE.search(data):
        _refuse_naive(obj, "")
    return data


def _hook(value: object) -> object:
    """Say what msgspec shall write for a type it does not know."""
    if isinstance(value, Quantity):
        return value.given
    if is_zero_time(value):
        return None
    if isinstance(value, datetime):
        # msgspec knows datetime itself, but not the subclasses of time libraries.
        return datetime.combine(value.date(), value.timetz())
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return dict(cast("Any", value))
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)


_encoder = msgspec.json.Encoder(enc_hook=_hook)
_orderly = msgspec.json.Encoder(enc_hook=_hook, order="deterministic")


def _plan(kind: type[Model]) -> _Plan | None:
    model = known_model(kind)
    empty = unset_maker(model)() if getattr(kind, "__unset__", False) else None
    inner = dict.fromkeys([*leading_to(model, _has_work), *_autos(model)])
    micros = tuple(f.name for f in fields_of(model).values() if _is_micro(f.type))
    if not inner and not micros and empty is None:
        return None
    return _Plan(tuple(inner), micros, empty)


_plans = ByClass[_Plan | None](_plan, None)


def _has_work(model: type[Model]) -> bool:
    return bool(_autos(model)) or any(_is_micro(f.type) for f in fields_of(model).values())


def _autos(model: type[Model]) -> list[str]:
    return [f.name for f in msgspec.structs.fields(model) if isinstance(f.default_factory, Auto)]


def _is_micro(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        return MICRO in get_args(annotation)
    return any(_is_micro(alternative) for alternative in get_args(annotation))


def _tidy(value: Any) -> Any:
    """Return what to encode for a value: itself, a tidied copy, or UNSET."""
    kind: type[Any] = value.__class__
    if kind is list:
        return _tidy_list(value)
    if kind is dict:
        return _tidy_dict(value)
    plan = _plans[kind]
    if plan is None:
        return value
    if plan.empty is not None and value == plan.empty:
        return UNSET
    return _tidy_model(value, plan)


def _tidy_model(model: Model, plan: _Plan) -> Model:
    tidied = model
    for name in plan.inner:
        value = getattr(model, name)
        better = _tidy(value)
        if better is not value:
            tidied = copy(model) if tidied is model else tidied
            setattr(tidied, name, better)
    for name in plan.micros:
        value = getattr(model, name)
        if isinstance(value, datetime) and not is_zero_time(value):
            tidied = copy(model) if tidied is model else tidied
            setattr(tidied, name, _six_digits(value, name))
    return tidied


def _tidy_list(values: list[Any]) -> list[Any]:
    tidied = [_tidy(value) for value in values]
    changed = any(new is not old for new, old in zip(tidied, values, strict=True))
    return [_or_empty(value) for value in tidied] if changed else values


def _tidy_dict(values: dict[Any, Any]) -> dict[Any, Any]:
    tidied = {key: _tidy(value) for key, value in values.items()}
    changed = any(tidied[key] is not value for key, value in values.items())
    return {key: _or_empty(value) for key, value in tidied.items()} if changed else values


def _or_empty(value: Any) -> Any:
    """Return what stands for an object nobody set where it cannot be left out."""
    return {} if value is UNSET else value


def _six_digits(value: datetime, name: str) -> str:
    """Write a microsecond time: Kubernetes' MicroTime takes exactly six digits."""
    if value.tzinfo is None:
        raise _naive(name)
    try:
        value = value.astimezone(UTC)
    except OverflowError:  # the very first and last hours of the calendar have no UTC form
        return value.isoformat(timespec="microseconds")
    return value.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _refuse_naive(value: object, path: str) -> None:
    """Look for a datetime without a zone, and name the place; raises ValueError."""
    if isinstance(value, datetime) and value.tzinfo is None:
        raise _naive(path or "the value")
    for step, inner in _contents(value):
        _refuse_naive(inner, f"{path}{step}" if path else step.removeprefix("."))


def _contents(value: object) -> list[tuple[str, object]]:
    if isinstance(value, Model):
        return [(f".{name}", getattr(value, name)) for name in value.__struct_fields__]
    if isinstance(value, Mapping):
        entries = cast("Mapping[Any, object]", value)
        return [(f"[{key!r}]", inner) for key, inner in entries.items()]
    if isinstance(value, list | tuple | set):
        items = cast("list[object]", value)
        return [(f"[{index}]", inner) for index, inner in enumerate(items)]
    return []


def _naive(where: str) -> ValueError:
    return ValueError(
        f"{where} is a datetime without a time zone, which the server refuses:"
        " give it one, for example datetime.now(UTC)"
    )
