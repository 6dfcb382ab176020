"""Encodes models as JSON.

msgspec writes the JSON. Before that, this module replaces values that msgspec would write in
another way than Kubernetes: unset objects are left out, microsecond times get six digits, and whole
numbers lose their fraction. Values are replaced in shallow copies: the encoded object is not
changed, and an object without such values is not copied.
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

from .base import ModelBase, ModelMeta, assign
from .custom_resource import CustomResource
from .empties import EmptyDict, EmptyList, UnsetDict, UnsetList, as_declared
from .json_names import with_members
from .meta_v1 import APIGroup, DeleteOptions
from .model import MICRO
from .model_info import ByClass, fields_of, is_dict_class, is_zero_time, known_model, leading_to
from .quantity import Quantity
from .read_times import ReadTime
from .union_stand_ins import members_of
from .variants import Auto, unset_maker

Tidier: TypeAlias = Callable[[Any], Any]
"""Returns the value to encode: the same value, a changed copy, or UNSET to leave it out."""

_UNSETS = frozenset({UnsetList, UnsetDict})
# A class with apiVersion, kind and metadata is a kind. A class without metadata is a reference to
# an object, whose apiVersion and kind are always sent. These two kinds have no metadata.
_KINDS_WITHOUT_METADATA = frozenset({APIGroup, DeleteOptions})
_TYPE_META = frozenset({"apiVersion", "kind"})
# Most values are of these classes. They are never replaced.
_NEVER_REPLACED = frozenset({str, int, bool, type(None)})

# The server reads whole numbers as int64, and numbers beyond its range as float64.
_MIN_INT64 = -(2**63)

# A time without a zone, as msgspec writes it. A string may match, too, so `_refuse_naive` checks.
_NAIVE = re.compile(rb'T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?"')


class _Plan(Struct, frozen=True, gc=False):
    """The attributes of a model class whose values may have to be replaced before encoding."""

    inner: tuple[tuple[str, Mapping[type, Tidier]], ...]
    """Attributes whose values may contain something to replace, and the tidiers of the values."""
    micros: tuple[str, ...]
    """Attributes with times that need six digits."""
    constants: tuple[tuple[str, object], ...]
    """For a kind inside another object: its apiVersion and kind with their default values."""
    unsets: tuple[str, ...]
    """Attributes whose empty value is left out only if it is unset."""
    empty: ModelBase | None
    """An empty object of the class, if the class is the variant of unset objects; else None."""


def encode(obj: object, *, ordered: bool = False) -> bytes:
    """Write a model, or any JSON-like value with or without models in it, as JSON.

    Unset fields are left out; fields that were set to an empty value are not. A kind inside another
    object has its apiVersion and kind only if they were read or set. The object is not changed.
    With `ordered`, the keys of dicts are sorted. Fields of models keep the order of their class.

    Raises:
        ValueError: a datetime has no time zone; the server would refuse it.
        TypeError: a value has no JSON form.
    """
    encoder = _ordered_encoder if ordered else _encoder
    data = with_members(encoder.encode(_or_empty(_outer_tidiers[obj.__class__](obj))))
    # The output is searched, because a search of bytes is faster than a walk through the object.
    if _NAIVE.search(data):
        _refuse_naive(obj, "")
    return data


def _encode_other(value: object) -> object:
    """Return what msgspec writes for a value of a type that it does not support."""
    if isinstance(value, Quantity):
        return value.given
    if isinstance(value, datetime):
        return _encode_time(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)  # UNSET_ZERO as an item of a list or map
    if isinstance(value, Mapping):
        return dict(cast("Any", value))
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)


_encoder = msgspec.json.Encoder(enc_hook=_encode_other)
_ordered_encoder = msgspec.json.Encoder(enc_hook=_encode_other, order="deterministic")


def _tidier_finder(inside: bool, *, lacking: bool = False) -> Callable[[type[ModelBase]], Tidier]:
    """Return a function that returns the tidier of a model class.

    Args:
        inside: whether the objects are inside other objects.
        lacking: whether the outer object is partial: it may lack required fields, so its unset
            required objects are left out.
    """

    def find(kind: type[ModelBase]) -> Tidier:
        plan = _plan(kind, inside, lacking=lacking)
        return _unchanged if plan is None else partial(_tidy_model, plan)

    return find


def _plan(kind: type[ModelBase], inside: bool, *, lacking: bool) -> _Plan | None:
    model = known_model(kind)
    empty = unset_maker(model)() if getattr(kind, "__unset__", False) else None
    names = [*leading_to(model, _has_work_if_partial if lacking else _has_work)]
    partial_names = _partial_fields(model)
    names += [*_auto_fields(model), *_unset_fields(model), *_float_fields(model), *partial_names]
    names += _required_objects(model) if lacking else []
    inner = tuple(
        (name, _partial_tidiers if lacking or name in partial_names else _inner_tidiers)
        for name in dict.fromkeys(names)
    )
    micros = tuple(f.name for f in fields_of(model).values() if _is_micro(f.type))
    constants = _type_meta(model) if inside else ()
    if not inner and not micros and not constants and empty is None:
        return None
    return _Plan(inner, micros, constants, tuple(_unset_fields(model)), empty)


def _has_work(model: type[ModelBase]) -> bool:
    micros = any(_is_micro(f.type) for f in fields_of(model).values())
    plans = (
        _auto_fields(model),
        _unset_fields(model),
        _float_fields(model),
        _type_meta(model),
        model.__partial__,
    )
    return micros or any(plans)


def _has_work_if_partial(model: type[ModelBase]) -> bool:
    return _has_work(model) or bool(_required_objects(model))


def _partial_fields(model: type[ModelBase]) -> list[str]:
    """Return the attributes whose objects may lack required fields.

    For a custom resource, these include its required objects: an old custom resource may be stored
    without its spec.
    """
    is_own = issubclass(model, CustomResource)
    return sorted(model.__partial__.union(_required_objects(model) if is_own else ()))


def _required_objects(model: type[ModelBase]) -> list[str]:
    """Return the required attributes that hold an object."""
    fields = msgspec.structs.fields(model)
    return [f.name for f in fields if f.required and _is_object(as_declared(f.type))]


def _is_object(annotation: Any) -> bool:
    return isinstance(annotation, ModelMeta) or bool(members_of(annotation))


def _auto_fields(model: type[ModelBase]) -> list[str]:
    return [f.name for f in msgspec.structs.fields(model) if isinstance(f.default_factory, Auto)]


def _unset_fields(model: type[ModelBase]) -> list[str]:
    """Return the attributes that default to an `UnsetList` or `UnsetDict`."""
    return [f.name for f in msgspec.structs.fields(model) if f.default_factory in _UNSETS]


def _float_fields(model: type[ModelBase]) -> list[str]:
    """Return the attributes whose values may contain floats."""
    return [f.name for f in fields_of(model).values() if _has_float(f.type)]


def _has_float(annotation: Any) -> bool:
    if annotation is float or is_dict_class(annotation):
        return True
    return any(_has_float(inner) for inner in get_args(annotation))


def _type_meta(model: type[ModelBase]) -> tuple[tuple[str, object], ...]:
    """Return the attributes apiVersion and kind, with their default values; empty for non-kinds."""
    fields, constants = fields_of(model), model.__constants__
    if not fields.keys() >= _TYPE_META or (
        "metadata" not in fields and model not in _KINDS_WITHOUT_METADATA
    ):
        return ()
    attributes = (fields["apiVersion"].name, fields["kind"].name)
    return tuple((name, constants[name]) for name in attributes if name in constants)


def _is_micro(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        return MICRO in get_args(annotation)
    return any(_is_micro(alternative) for alternative in get_args(annotation))


def _unchanged(value: Any) -> Any:
    return value


def _without_zero_fraction(value: float) -> float:
    """Return a whole number as an int, so that it is written as in Go: 60, not 60.0.

    For the server, 60.0 instead of 60 is a change: it would increment the generation, although it
    stores 60 in both cases.
    """
    return int(value) if value.is_integer() and _MIN_INT64 <= value < -_MIN_INT64 else value


def _tidy_model(plan: _Plan, model: ModelBase) -> Any:
    """Return the value to encode for a model: the model, a copy with new values, or UNSET."""
    if plan.empty is not None and model == plan.empty and not _has_set_empties(model, plan):
        return UNSET
    tidied = model
    for name, new_value in _replacements(model, plan):
        tidied = copy(model) if tidied is model else tidied
        assign(tidied, name, new_value)
    return tidied


def _replacements(model: ModelBase, plan: _Plan) -> Iterator[tuple[str, object]]:
    """Yield the attributes whose values are replaced, with the new values."""
    for name, tidiers in plan.inner:
        value = getattr(model, name)
        new_value = tidiers[value.__class__](value)
        if new_value is not value:
            yield name, new_value
    for name in plan.micros:
        value = getattr(model, name)
        if isinstance(value, datetime) and not is_zero_time(value) and not _keeps_text(value):
            yield name, _six_digits(value, name)
    for name, unset in plan.constants:
        if getattr(model, name) is unset:
            yield name, UNSET


def _has_set_empties(model: ModelBase, plan: _Plan) -> bool:
    """Return whether a list or map was set, also to an empty value, instead of the default."""
    return any(getattr(model, name).__class__ not in _UNSETS for name in plan.unsets)


def _list_tidier(tidiers: Mapping[type, Tidier]) -> Tidier:
    def tidy(values: list[Any]) -> list[Any]:
        tidied = {
            index: new_value
            for index, value in enumerate(values)
            if (kind := value.__class__) not in _NEVER_REPLACED
            and (new_value := tidiers[kind](value)) is not value
        }
        if not tidied:
            return values
        return [_or_empty(tidied.get(index, value)) for index, value in enumerate(values)]

    return tidy


def _dict_tidier(tidiers: Mapping[type, Tidier]) -> Tidier:
    def tidy(values: dict[Any, Any]) -> dict[Any, Any]:
        tidied = {
            key: _or_empty(new_value)
            for key, value in values.items()
            if (kind := value.__class__) not in _NEVER_REPLACED
            and (new_value := tidiers[kind](value)) is not value
        }
        return {**values, **tidied} if tidied else values

    return tidy


def _if_any(tidy: Tidier) -> Tidier:
    return lambda values: tidy(values) if values else UNSET


def _tidiers(*, inside: bool, lacking: bool = False) -> ByClass[Tidier]:
    """Return the tidiers by class of value: of values in a model, or of the value to encode."""

    def find_other(kind: type) -> Tidier:
        return of_dict if issubclass(kind, dict) else _unchanged

    tidiers = ByClass[Tidier](_tidier_finder(inside, lacking=lacking), find_other)
    of_list, of_dict = _list_tidier(tidiers), _dict_tidier(tidiers)
    tidiers[float] = _without_zero_fraction
    tidiers.update({list: of_list, EmptyList: of_list, dict: of_dict, EmptyDict: of_dict})
    if inside:
        tidiers.update({UnsetList: _if_any(of_list), UnsetDict: _if_any(of_dict)})
    return tidiers


_outer_tidiers, _inner_tidiers = _tidiers(inside=False), _tidiers(inside=True)
_partial_tidiers = _tidiers(inside=True, lacking=True)


def _or_empty(value: Any) -> Any:
    """Return `{}` for an unset object in a list or map, where it cannot be left out."""
    return {} if value is UNSET else value


def _encode_time(value: datetime) -> object:
    """Return what msgspec writes for a time of a subclass of datetime."""
    if is_zero_time(value):
        return None
    if isinstance(value, ReadTime):
        return value.text
    return datetime.combine(value.date(), value.timetz())


def _keeps_text(value: datetime) -> bool:
    """Return whether a microsecond time is written with the text that it was read from."""
    return isinstance(value, ReadTime) and value.is_micro


def _six_digits(value: datetime, name: str) -> str:
    """Write a microsecond time. Kubernetes' MicroTime takes exactly six digits."""
    if value.tzinfo is None:
        raise _naive_error(name)
    try:
        value = value.astimezone(UTC)
    except OverflowError:  # in UTC it would be before year 1 or after year 9999
        return value.isoformat(timespec="microseconds")
    return value.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _refuse_naive(value: object, path: str) -> None:
    """Raise a ValueError with the path if the value contains a datetime without a time zone."""
    if isinstance(value, datetime) and value.tzinfo is None:
        raise _naive_error(path or "the value")
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


def _naive_error(where: str) -> ValueError:
    return ValueError(
        f"{where} is a datetime without a time zone, which the server refuses:"
        " add a time zone, for example datetime.now(UTC)"
    )
