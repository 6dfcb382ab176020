"""Decodes objects that do not fit their models.

A server may be newer than the package, an object may have been stored before a field was required,
an extension API server may send null. Any such object is decoded. Only the fields that do not fit
are decoded by this slow module; other fields are decoded strictly. The result is sent back as it
was received:

- A field that the model does not have is kept as raw JSON.
- An optional list or map that is empty is sent as an empty list or map (`empties`).
- Null reads as an absent field: an empty list, map or object, or None. In a required field, null
  reads as the zero value.
- A missing required field has its zero value, as in Go. The field is not sent unless it is set. A
  missing required object may be sent as `{}`, unless the field is declared to be `partial`.
- A value of another type is kept: a scalar as a Python value, a list or an object as raw JSON.
"""

from __future__ import annotations

import types
from math import isfinite
from typing import TYPE_CHECKING, Any, Union, cast, get_args, get_origin

import msgspec
from msgspec import Raw

from .base import ModelBase, ModelMeta, construct
from .meta_v1 import ListMeta, ModelList, ObjectMeta
from .model_info import Field, bare, fields_of, is_dict_class, viewed_model, zero
from .once import once
from .quantity import Quantity, received_texts
from .union_stand_ins import StandIn, members_of, without_stand_ins
from .unions import chosen, prepare
from .variants import extended, unknown_attributes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NULL = b"null"


class WantedDecoder:
    """Decodes JSON into structs with the wanted members, and converts the structs.

    Args:
        wanted: The class of the structs.
        convert: Converts a struct.
    """

    def __init__(self, wanted: Any, convert: Callable[[Any], Any]) -> None:
        self._decoder = msgspec.json.Decoder[Any](wanted)
        self._convert = convert

    def decode(self, data: bytes | Raw) -> Any:
        """Decode an object."""
        return self._convert(self._decoder.decode(data))

    def decode_lines(self, data: bytes) -> list[Any]:
        """Decode a line for each object."""
        return [self._convert(each) for each in self._decoder.decode_lines(data)]


@once
def decoder_of(annotation: Any) -> msgspec.json.Decoder[Any] | WantedDecoder:
    """Return the strict decoder of a type."""
    wanted = getattr(annotation, "__wanted__", None)
    if wanted is not None:  # a view by paths, or a list of such views
        return WantedDecoder(wanted, annotation.of_wanted)
    try:
        return msgspec.json.Decoder(annotation, dec_hook=_decode_other)
    except TypeError:
        prepared = prepare(annotation)  # msgspec reads no unions of models
        return msgspec.json.Decoder(prepared, dec_hook=_decode_other)


def _decode_other(kind: type, value: object) -> object:
    if isinstance(kind, StandIn) and isinstance(value, dict):
        names = cast("dict[str, Any]", value)
        if not _has_float(names):  # the object is written again, for the decoder of its model
            return _read_member(Raw(_encode(names)), kind.__members__, names)
    if kind is Quantity and isinstance(value, str):
        return received_texts[value]
    if kind is Quantity and isinstance(value, int | float) and not isinstance(value, bool):
        return Quantity.received(value)
    if is_dict_class(kind) and isinstance(value, dict):
        obj = kind(cast("dict[str, Any]", value))
        check_metadata(obj)
        return obj
    message = f"expected {kind.__name__}, got {type(cast('Any', value)).__name__}"
    raise ValueError(message)


def _has_float(value: object) -> bool:
    """Return whether a number could be written in another way than it was read."""
    if isinstance(value, dict):
        return any(map(_has_float, cast("dict[str, object]", value).values()))
    if isinstance(value, list):
        return any(map(_has_float, cast("list[object]", value)))
    return isinstance(value, float)


_members_decoder = msgspec.json.Decoder(dict[str, Raw])
_items_decoder = msgspec.json.Decoder(list[Raw])
_scalar_decoder = msgspec.json.Decoder()


def _finite(text: str) -> float | Raw:
    """Read a number with a fraction or an exponent. Keep a number beyond float64 as raw JSON."""
    value = float(text)
    return value if isfinite(value) else Raw(text.encode())


_any_decoder = msgspec.json.Decoder(float_hook=_finite)


def read_leniently(data: bytes | Raw, model: type[ModelBase | dict[str, Any]]) -> Any:
    """Read an object that the strict decoder rejected.

    Raises:
        msgspec.DecodeError: `data` is not a JSON object.
        RecursionError: `data` is nested too deeply.
    """
    if not issubclass(model, ModelBase):
        return _read_dict(data, model)
    fields = fields_of(model)
    values: dict[str, Any] = {}
    unknown: dict[str, Raw] = {}
    is_list = issubclass(cast("type", model), ModelList)
    members = _members_decoder.decode(data)
    _check_kind(members, model)
    for wire, part in members.items():
        field = fields.get(wire)
        if field is None:
            unknown[wire] = part
        elif wire == "items" and is_list:
            # The strict decoder has rejected the page as a whole: read it item by item.
            values["items"] = _read_value_leniently(part, field.type) or []
        elif field.required or field.type is Raw or not _is_null(part):
            # An optional field that is null keeps its default.
            values[field.name] = _read_field(part, field)
    lacking = frozenset(f.name for f in fields.values() if f.required and f.name not in values)
    return _new_object(model, values, unknown, lacking)


def _check_kind(members: dict[str, Raw], model: type[ModelBase]) -> None:
    """Check that an object is not of another kind than its view.

    Raises:
        msgspec.ValidationError: It is.
    """
    wanted = model.__struct_config__.tag
    stated = members.get("kind")
    if wanted is not None and stated is not None and bytes(stated) != _encode(wanted):
        raise msgspec.ValidationError(f"expected the kind {wanted}, got another kind")


def _read_dict(data: bytes | Raw, kind: type[dict[str, Any]]) -> dict[str, Any]:
    value: Any = _any_decoder.decode(data)
    if not isinstance(value, dict):
        raise msgspec.ValidationError(f"expected an object, got {type(value).__name__}")
    return kind(cast("dict[str, Any]", value))


def check_usable(obj: Any, model: type[ModelBase | dict[str, Any]]) -> None:
    """Check that a leniently decoded object has metadata that clients can work with.

    The metadata must be an object, in which names and versions are strings. The items of a list
    must be such objects.

    Raises:
        msgspec.ValidationError: a part of the metadata is of a wrong type, or an item is not an
            object.
    """
    if isinstance(obj, dict) and isinstance(obj, model):
        check_metadata(cast("dict[str, Any]", obj))
        return
    if not isinstance(obj, ModelBase) or not issubclass(model, ModelBase):
        raise msgspec.ValidationError(f"not a JSON {model.__name__}")
    metadata = getattr(obj, "metadata", None)
    wanted = fields_of(model).get("metadata")
    if wanted is not None and (viewed_model(wanted.type) or wanted.type) in _METADATA_TYPES:
        _check_type("metadata", metadata, wanted.type)
        for field in fields_of(wanted.type).values():
            value = getattr(metadata, field.name)
            _check_type(f"metadata.{field.wire}", value, _required_type(field.type))
    if isinstance(obj, ModelList):
        items: Any = cast("Any", obj).items
        _check_type("items", items, list)
        if "items" not in fields_of(model):
            return  # a table has rows, which are not API objects
        (inner,) = get_args(fields_of(model)["items"].type)
        for item in items:
            check_usable(item, inner)


def check_metadata(obj: dict[str, Any]) -> None:
    """Check that an object without a class has metadata that clients can work with.

    Raises:
        msgspec.ValidationError: a part of the metadata is of a wrong type.
    """
    metadata: Any = obj.get("metadata")
    if metadata is None:
        return
    _check_type("metadata", metadata, dict)
    types = _metadata_types()
    for name, value in metadata.items():
        kind = types.get(name)
        if kind is not None:
            _check_type(f"metadata.{name}", value, kind)


@once
def _metadata_types() -> dict[str, type]:
    """Return the required types of values in an object's metadata, by wire name."""
    kinds = {field.wire: _required_type(field.type) for field in fields_of(ObjectMeta).values()}
    return {wire: kind for wire, kind in kinds.items() if kind is not object}


_METADATA_TYPES = frozenset({ObjectMeta, ListMeta})
_encode = msgspec.json.encode


def _required_type(annotation: Any) -> type:
    """Return the required type of a value of metadata; `object` for times and numbers."""
    plain_type: Any = get_origin(plain := _without_none(annotation)) or plain
    return plain_type if plain_type in {str, list, dict} else object


def _check_type(path: str, value: object, kind: type) -> None:
    if value is not None and not isinstance(value, kind):
        raise msgspec.ValidationError(
            f"{path} must be a {kind.__name__}, not {type(value).__name__}"
        )


def _new_object(
    model: type[ModelBase], values: dict[str, Any], unknown: dict[str, Raw], lacking: frozenset[str]
) -> ModelBase:
    if not model.__struct_config__.forbid_unknown_fields:
        unknown = {}
    if not unknown and not lacking:
        return cast("ModelBase", construct(model, **values))
    kind = extended(model, frozenset(unknown), lacking)
    attributes = unknown_attributes(kind)
    raw_values = {attributes[wire]: part.copy() for wire, part in unknown.items()}
    return cast("ModelBase", construct(kind, **values, **raw_values))


def _read_field(part: Raw, field: Field) -> Any:
    value = _read_value(part, field.type)
    if field.empty is not None and not value and isinstance(value, list | dict):
        return field.empty()
    return value


def _read_value(part: Raw, annotation: Any) -> Any:
    """Read one value strictly or, if that fails, leniently."""
    try:
        return decoder_of(annotation).decode(part)
    except msgspec.ValidationError:
        return _read_value_leniently(part, annotation)


def _read_value_leniently(part: Raw, annotation: Any) -> Any:
    """Read a value that does not fit its type as a whole. Parts that fit are read strictly."""
    if _is_null(part):
        return zero(annotation)
    plain, first = _without_none(annotation), _first_character(part)
    if first == "[" and get_origin(plain) is list:
        (inner,) = get_args(plain)
        return [_read_value(item, inner) for item in _items_decoder.decode(part)]
    if first == "{":
        return _read_object_leniently(part, plain, _members_of(annotation))
    return _read_other_type(part)


def _read_object_leniently(part: Raw, plain: Any, members: tuple[type[Any], ...]) -> Any:
    if members:
        return _read_member(part, members, _members_decoder.decode(part))
    if isinstance(get_origin(plain) or plain, ModelMeta):
        return read_leniently(part, plain)
    if is_dict_class(plain):
        return _read_dict(part, plain)
    if get_origin(plain) is dict:
        _, inner = get_args(plain)
        return {
            key: _read_value(item, inner) for key, item in _members_decoder.decode(part).items()
        }
    return _read_other_type(part)


def _members_of(annotation: Any) -> tuple[type[Any], ...]:
    return members_of(without_stand_ins(bare(annotation)))


def _read_member(part: Raw, members: tuple[type[Any], ...], names: Mapping[str, object]) -> Any:
    """Read an object of one of several models. An object of none is kept as raw JSON."""
    model = chosen(members, names)
    return part.copy() if model is None else _read_value(part, model)


def _read_other_type(part: Raw) -> Any:
    """Return a value of another type: a Python scalar, or raw JSON."""
    if _first_character(part) in "[{":
        return part.copy()
    try:
        return _scalar_decoder.decode(part)
    except msgspec.ValidationError:  # a number beyond float64
        return part.copy()


def _without_none(annotation: Any) -> Any:
    """Return the type of a value that is not None: `X` for `X | None`."""
    plain = bare(annotation)
    if isinstance(plain, types.UnionType) or get_origin(plain) is Union:
        return next(_without_none(member) for member in get_args(plain) if member is not type(None))
    return plain


def _is_null(part: Raw) -> bool:
    return len(memoryview(part)) == len(_NULL) and bytes(part) == _NULL


def _first_character(part: Raw) -> str:
    return chr(memoryview(part)[0])
