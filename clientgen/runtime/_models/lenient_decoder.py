"""Reading objects that are not as their models say.

A server is newer than the package, an old object was stored before a field was required, an
extension API says null: what a server sends is never an error. Only the odd field takes the slow
way; all beside it is decoded strictly. What is read stands for what was sent:

- a field the model does not know is kept to the byte, and sent back;
- a list or map that is empty and need not be there is remembered to be, and sent back;
- null is what is absent: an empty list, map or object, None, or zero where the field is required;
- a required field that is missing is zero, as in Go, and stays off the wire while it is (an
  object may be sent empty, but for classes of which it is said to be partial);
- a value of another type is kept as it is: a scalar by itself, a list or an object as raw JSON.
"""

from __future__ import annotations

import types
from math import isfinite
from typing import Any, Union, cast, get_args, get_origin

import msgspec
from msgspec import Raw

from .base import ModelBase, ModelMeta, construct
from .meta_v1 import ListMeta, ModelList, ObjectMeta
from .model_info import Field, bare, fields_of, is_dict_class, zero
from .once import once
from .quantity import Quantity, received_texts
from .variants import extended, unknown_attributes

__all__ = ["check_usable", "decoder_of", "read_leniently"]

_NULL = b"null"


@once
def decoder_of(annotation: Any) -> msgspec.json.Decoder[Any]:
    """Return the strict decoder of a type."""
    return msgspec.json.Decoder(annotation, dec_hook=_receive)


def _receive(kind: type, value: object) -> object:
    if kind is Quantity and isinstance(value, str):
        return received_texts[value]
    if kind is Quantity and isinstance(value, int | float) and not isinstance(value, bool):
        return Quantity.received(value)
    if is_dict_class(kind) and isinstance(value, dict):
        obj = kind(cast("dict[str, Any]", value))
        check_metadata(obj)
        return obj
    message = f"expected {kind.__name__}, got {type(value).__name__}"
    raise ValueError(message)


_parts = msgspec.json.Decoder(dict[str, Raw])
_items = msgspec.json.Decoder(list[Raw])
_plain = msgspec.json.Decoder()


def _finite(text: str) -> float | Raw:
    """Read a number with a fraction or an exponent; one out of range is kept as it is."""
    value = float(text)
    return value if isfinite(value) else Raw(text.encode())


_any = msgspec.json.Decoder(float_hook=_finite)


def read_leniently(data: bytes | Raw, model: type[ModelBase | dict[str, Any]]) -> Any:
    """Read an object whose strict decoding failed.

    Raises:
        msgspec.DecodeError: it is not a JSON object.
        RecursionError: it is nested deeper than anyone means it.
    """
    if not issubclass(model, ModelBase):
        return _read_dict(data, model)
    fields = fields_of(model)
    values: dict[str, Any] = {}
    unknown: dict[str, Raw] = {}
    is_list = issubclass(cast("type", model), ModelList)
    for wire, part in _parts.decode(data).items():
        field = fields.get(wire)
        if field is None:
            unknown[wire] = part
        elif wire == "items" and is_list:
            # The page as a whole has just failed: go through it item by item.
            values["items"] = _read_otherwise(part, field.type) or []
        elif field.required or field.type is Raw or not _is_null(part):
            # Any other null leaves the field to its default.
            values[field.name] = _read_field(part, field)
    lacking = frozenset(f.name for f in fields.values() if f.required and f.name not in values)
    return _build(model, values, unknown, lacking)


def _read_dict(data: bytes | Raw, kind: type[dict[str, Any]]) -> dict[str, Any]:
    value: Any = _any.decode(data)
    if not isinstance(value, dict):
        raise msgspec.ValidationError(f"expected an object, got {type(value).__name__}")
    return kind(cast("dict[str, Any]", value))


def check_usable(obj: Any, model: type[ModelBase | dict[str, Any]]) -> None:
    """See to it that what was read leniently has what clients go by.

    That is metadata that is an object, with texts for names and versions; of a list, that its
    items are such objects.

    Raises:
        msgspec.ValidationError: it has not.
    """
    if isinstance(obj, dict) and isinstance(obj, model):
        check_metadata(cast("dict[str, Any]", obj))
        return
    if not isinstance(obj, ModelBase) or not issubclass(model, ModelBase):
        raise msgspec.ValidationError(f"it is not a JSON {model.__name__}")
    metadata = getattr(obj, "metadata", None)
    wanted = fields_of(model).get("metadata")
    if wanted is not None and wanted.type in _METADATA:
        _check_type("metadata", metadata, wanted.type)
        for field in fields_of(wanted.type).values():
            value = getattr(metadata, field.name)
            _check_type(f"metadata.{field.wire}", value, _essential(field.type))
    if isinstance(obj, ModelList):
        items: Any = cast("Any", obj).items
        _check_type("items", items, list)
        if "items" not in fields_of(model):
            return  # a table has rows, which are no objects
        (inner,) = get_args(fields_of(model)["items"].type)
        for item in items:
            check_usable(item, inner)


def check_metadata(obj: dict[str, Any]) -> None:
    """See to it that an object without a class has metadata that clients can go by.

    Raises:
        msgspec.ValidationError: it has not.
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
    """Return what values in an object's metadata have to be, by wire name."""
    kinds = {field.wire: _essential(field.type) for field in fields_of(ObjectMeta).values()}
    return {wire: kind for wire, kind in kinds.items() if kind is not object}


_METADATA = frozenset({ObjectMeta, ListMeta})


def _essential(annotation: Any) -> type:
    """Return what a value of metadata has to be; anything at all where that is a time or number."""
    plain_type: Any = get_origin(plain := _present(annotation)) or plain
    return plain_type if plain_type in {str, list, dict} else object


def _check_type(what: str, value: object, kind: type) -> None:
    if value is not None and not isinstance(value, kind):
        raise msgspec.ValidationError(
            f"{what} must be a {kind.__name__}, not {type(value).__name__}"
        )


def _build(
    model: type[ModelBase], values: dict[str, Any], unknown: dict[str, Raw], lacking: frozenset[str]
) -> ModelBase:
    if not model.__struct_config__.forbid_unknown_fields:
        unknown = {}
    if not unknown and not lacking:
        return cast("ModelBase", construct(model, **values))
    kind = extended(model, frozenset(unknown), lacking)
    attributes = unknown_attributes(kind)
    held = {attributes[wire]: part.copy() for wire, part in unknown.items()}
    return cast("ModelBase", construct(kind, **values, **held))


def _read_field(part: Raw, field: Field) -> Any:
    value = _read(part, field.type)
    if field.empty is not None and not value and isinstance(value, list | dict):
        return field.empty()
    return value


def _read(part: Raw, annotation: Any) -> Any:
    """Read one value: strictly if it can be."""
    try:
        return decoder_of(annotation).decode(part)
    except msgspec.ValidationError:
        return _read_otherwise(part, annotation)


def _read_otherwise(part: Raw, annotation: Any) -> Any:
    """Read one value that is not as its type says, or parts of which are not."""
    if _is_null(part):
        return zero(annotation)
    plain = _present(annotation)
    start = _start(part)
    if isinstance(get_origin(plain) or plain, ModelMeta) and start == "{":
        return read_leniently(part, plain)
    if is_dict_class(plain) and start == "{":
        return _read_dict(part, plain)
    if get_origin(plain) is list and start == "[":
        (inner,) = get_args(plain)
        return [_read(item, inner) for item in _items.decode(part)]
    if get_origin(plain) is dict and start == "{":
        _, inner = get_args(plain)
        return {key: _read(item, inner) for key, item in _parts.decode(part).items()}
    return _keep(part)


def _keep(part: Raw) -> Any:
    """Keep a value of another type: by itself, or raw where Python has no such value."""
    if _start(part) in "[{":
        return part.copy()
    try:
        return _plain.decode(part)
    except msgspec.ValidationError:  # a number out of every range
        return part.copy()


def _present(annotation: Any) -> Any:
    """Return the type of a value that is there: `X` for `X | None`."""
    plain = bare(annotation)
    if isinstance(plain, types.UnionType) or get_origin(plain) is Union:
        return next(_present(member) for member in get_args(plain) if member is not type(None))
    return plain


def _is_null(part: Raw) -> bool:
    return len(memoryview(part)) == len(_NULL) and bytes(part) == _NULL


def _start(part: Raw) -> str:
    return chr(memoryview(part)[0])
