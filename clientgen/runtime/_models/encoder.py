"""Models to JSON.

msgspec writes the JSON. What it cannot know is done before, on shallow copies and only where there
is something to do: objects nobody set are left out, microsecond times get their six digits, and
whole numbers have no fraction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, TypeAlias, cast, get_args, get_origin

import msgspec
from msgspec import UNSET, Struct

from .base import ModelBase, ModelMeta
from .custom_resource import CustomResource
from .empties import EmptyDict, EmptyList, UnsetDict, UnsetList
from .json_names import with_members
from .meta_v1 import APIGroup, DeleteOptions
from .model import MICRO
from .model_info import ByClass, fields_of, is_dict_class, is_zero_time, known_model, leading_to
from .quantity import Quantity
from .read_times import ReadTime
from .variants import Auto, unset_maker

__all__ = ["encode"]

Tidier: TypeAlias = Callable[[Any], Any]

_UNSETS = frozenset({UnsetList, UnsetDict})
# Kinds are known by their metadata; a user's reference to an object has none, and is sent whole.
_BARE = frozenset({APIGroup, DeleteOptions})
_TYPE_META = frozenset({"apiVersion", "kind"})
# Values of these classes, which most are, are encoded as they are.
_PLAIN = frozenset({str, int, bool, type(None)})

# The server reads whole numbers as int64, and as float64 what is beyond.
_LOWEST = -(2**63)

# A time without a zone as msgspec writes it. Text may look the same: a match is only a suspicion.
_NAIVE = re.compile(rb'T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?"')


class _Plan(Struct, frozen=True, gc=False):
    """The parts of an object of a class that are checked before it is encoded."""

    inner: tuple[tuple[str, Mapping[type, Tidier]], ...]
    """Attributes that lead to something, and how what is in them is tidied."""
    micros: tuple[str, ...]
    """Attributes with times that need six digits."""
    constants: tuple[tuple[str, object], ...]
    """Inside another object: its apiVersion and kind, as they are when nobody set them."""
    unsets: tuple[str, ...]
    """Attributes whose empty value is left out only if nobody set it."""
    empty: ModelBase | None
    """For the class of objects nobody set: one such object."""


def encode(obj: object, *, ordered: bool = False) -> bytes:
    """Write a model, or any JSON-like value with or without models in it, as JSON.

    What nobody set is left out, what was set to be empty is not. An object inside another is sent
    with its apiVersion and kind if they were read or set. The object is not changed. With
    `ordered`, the keys of dicts are in order; fields of models always are in theirs.

    Raises:
        ValueError: a datetime has no zone; the server would refuse it.
        TypeError: the object holds something that has no JSON form.
    """
    encoder = _orderly if ordered else _encoder
    data = with_members(encoder.encode(_or_empty(_given[obj.__class__](obj))))
    if _NAIVE.search(data):
        _refuse_naive(obj, "")
    return data


def _hook(value: object) -> object:
    """Say what msgspec shall write for a type it does not know."""
    if isinstance(value, Quantity):
        return value.given
    if isinstance(value, datetime):
        return _written(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)  # a zero that nobody set, where it stands for itself
    if isinstance(value, Mapping):
        return dict(cast("Any", value))
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)


_encoder = msgspec.json.Encoder(enc_hook=_hook)
_orderly = msgspec.json.Encoder(enc_hook=_hook, order="deterministic")


def _planner(inside: bool, *, lacking: bool = False) -> Callable[[type[ModelBase]], Tidier]:
    """Return what finds how to tidy objects of a class, at the top or inside another.

    `lacking` is inside what may lack what its class requires: an object, too, that was not sent.
    """

    def find(kind: type[ModelBase]) -> Tidier:
        plan = _plan(kind, inside, lacking=lacking)
        return _same if plan is None else partial(_tidy_model, plan)

    return find


def _plan(kind: type[ModelBase], inside: bool, *, lacking: bool) -> _Plan | None:
    model = known_model(kind)
    empty = unset_maker(model)() if getattr(kind, "__unset__", False) else None
    names = [*leading_to(model, _may_lack if lacking else _has_work)]
    partial_names = _partial(model)
    names += [*_autos(model), *_unsets(model), *_floats(model), *partial_names]
    names += _required(model) if lacking else []
    inner = tuple(
        (name, _inside_partial if lacking or name in partial_names else _inside)
        for name in dict.fromkeys(names)
    )
    micros = tuple(f.name for f in fields_of(model).values() if _is_micro(f.type))
    constants = _type_meta(model) if inside else ()
    if not inner and not micros and not constants and empty is None:
        return None
    return _Plan(inner, micros, constants, tuple(_unsets(model)), empty)


def _has_work(model: type[ModelBase]) -> bool:
    micros = any(_is_micro(f.type) for f in fields_of(model).values())
    plans = (_autos(model), _unsets(model), _floats(model), _type_meta(model), model.__partial__)
    return micros or any(plans)


def _may_lack(model: type[ModelBase]) -> bool:
    return _has_work(model) or bool(_required(model))


def _partial(model: type[ModelBase]) -> list[str]:
    """Return the attributes with objects that may lack what they require.

    Of a custom resource that is what it requires itself: an old one may be stored without its spec.
    """
    is_own = issubclass(model, CustomResource)
    return sorted(model.__partial__.union(_required(model) if is_own else ()))


def _required(model: type[ModelBase]) -> list[str]:
    """Return the attributes with objects that are required."""
    fields = msgspec.structs.fields(model)
    return [f.name for f in fields if f.required and isinstance(f.type, ModelMeta)]


def _autos(model: type[ModelBase]) -> list[str]:
    return [f.name for f in msgspec.structs.fields(model) if isinstance(f.default_factory, Auto)]


def _unsets(model: type[ModelBase]) -> list[str]:
    """Return the attributes whose absence has a class of its own."""
    return [f.name for f in msgspec.structs.fields(model) if f.default_factory in _UNSETS]


def _floats(model: type[ModelBase]) -> list[str]:
    """Return the attributes that may hold numbers with a fraction."""
    return [f.name for f in fields_of(model).values() if _has_float(f.type)]


def _has_float(annotation: Any) -> bool:
    if annotation is float or is_dict_class(annotation):
        return True
    return any(_has_float(inner) for inner in get_args(annotation))


def _type_meta(model: type[ModelBase]) -> tuple[tuple[str, object], ...]:
    """Return the apiVersion and kind of a kind as they are when nobody set them."""
    fields, constants = fields_of(model), model.__constants__
    if not fields.keys() >= _TYPE_META or ("metadata" not in fields and model not in _BARE):
        return ()
    attributes = (fields["apiVersion"].name, fields["kind"].name)
    return tuple((name, constants[name]) for name in attributes if name in constants)


def _is_micro(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        return MICRO in get_args(annotation)
    return any(_is_micro(alternative) for alternative in get_args(annotation))


def _same(value: Any) -> Any:
    return value


def _whole(value: float) -> float:
    """Return what Go writes for a number: 60 for 60.0.

    The server tells 60 from 60.0, counts a generation for the change, and stores 60 either way.
    """
    return int(value) if value.is_integer() and _LOWEST <= value < -_LOWEST else value


def _tidy_model(plan: _Plan, model: ModelBase) -> Any:
    """Return what to encode for a model: itself, a tidied copy, or UNSET."""
    if plan.empty is not None and model == plan.empty and not _is_set(model, plan):
        return UNSET
    tidied = model
    for name, better in _better(model, plan):
        tidied = copy(model) if tidied is model else tidied
        setattr(tidied, name, better)
    return tidied


def _better(model: ModelBase, plan: _Plan) -> Iterator[tuple[str, object]]:
    """Yield the attributes that are encoded as something else."""
    for name, tidiers in plan.inner:
        value = getattr(model, name)
        better = tidiers[value.__class__](value)
        if better is not value:
            yield name, better
    for name in plan.micros:
        value = getattr(model, name)
        if isinstance(value, datetime) and not is_zero_time(value) and not _is_kept(value):
            yield name, _six_digits(value, name)
    for name, unset in plan.constants:
        if getattr(model, name) is unset:
            yield name, UNSET


def _is_set(model: ModelBase, plan: _Plan) -> bool:
    """Tell whether somebody put an empty list or map where a default would be."""
    return any(getattr(model, name).__class__ not in _UNSETS for name in plan.unsets)


def _list_tidier(tidiers: Mapping[type, Tidier]) -> Tidier:
    def tidy(values: list[Any]) -> list[Any]:
        tidied = {
            index: better
            for index, value in enumerate(values)
            if (kind := value.__class__) not in _PLAIN
            and (better := tidiers[kind](value)) is not value
        }
        if not tidied:
            return values
        return [_or_empty(tidied.get(index, value)) for index, value in enumerate(values)]

    return tidy


def _dict_tidier(tidiers: Mapping[type, Tidier]) -> Tidier:
    def tidy(values: dict[Any, Any]) -> dict[Any, Any]:
        tidied = {
            key: _or_empty(better)
            for key, value in values.items()
            if (kind := value.__class__) not in _PLAIN
            and (better := tidiers[kind](value)) is not value
        }
        return {**values, **tidied} if tidied else values

    return tidy


def _if_any(tidy: Tidier) -> Tidier:
    return lambda values: tidy(values) if values else UNSET


def _tidiers(*, inside: bool, lacking: bool = False) -> ByClass[Tidier]:
    """Return how values of each class are tidied, what is in models or what is given by itself."""

    def find_other(kind: type) -> Tidier:
        return of_dict if issubclass(kind, dict) else _same

    tidiers = ByClass[Tidier](_planner(inside, lacking=lacking), find_other)
    of_list, of_dict = _list_tidier(tidiers), _dict_tidier(tidiers)
    tidiers[float] = _whole
    tidiers.update({list: of_list, EmptyList: of_list, dict: of_dict, EmptyDict: of_dict})
    if inside:
        tidiers.update({UnsetList: _if_any(of_list), UnsetDict: _if_any(of_dict)})
    return tidiers


_given, _inside = _tidiers(inside=False), _tidiers(inside=True)
_inside_partial = _tidiers(inside=True, lacking=True)


def _or_empty(value: Any) -> Any:
    """Return what stands for an object nobody set where it cannot be left out."""
    return {} if value is UNSET else value


def _written(value: datetime) -> object:
    """Say what to write for a time of a class of its own; msgspec knows datetime itself."""
    if is_zero_time(value):
        return None
    if isinstance(value, ReadTime):
        return value.text
    return datetime.combine(value.date(), value.timetz())


def _is_kept(value: datetime) -> bool:
    """Tell whether a microsecond time is written as it was read."""
    return isinstance(value, ReadTime) and value.is_micro


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
    if isinstance(value, ModelBase):
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
