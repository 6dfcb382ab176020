r"""Bodies in Kubernetes' protobuf: Go programs send built-in kinds in no other form.

The typed clients of client-go do since 1.32, those inside kubectl too; what they are answered may
be JSON. An object is `k8s\0` and a message `Unknown`, which names the kind and holds the object's
own message (https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding). The
schemas say what there is in a message, and `wire.json` (scripts/update-kubernetes writes it) how
its fields are numbered: from 1 on in the order given, unless a number stands before a name.
"""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen.runtime._http.request import HttpRequest

from .body import MAX_BODY_BYTES
from .messages import BadWire, bytes_of, fields_of, number_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clientgen._openapi.resolved import ResolvedSchema

    from .messages import Wire

__all__ = ["BadWire", "from_wire", "in_json"]

_MEDIA_TYPE: Final = "application/vnd.kubernetes.protobuf"

SchemaOf: TypeAlias = "Callable[[GroupVersionKind], ResolvedSchema]"
"""The definition of a kind; one without a name when there is none."""

_MAGIC: Final = b"k8s\x00"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def in_json(request: HttpRequest, schema_of: SchemaOf) -> HttpRequest:
    """A request whose body is in protobuf, with that in JSON; any other is left as it is.

    So is an unreadable body, which `parse` refuses later.
    """
    content_types = [value for name, value in request.headers if name.lower() == "content-type"]
    if [content_type.partition(";")[0].strip().lower() for content_type in content_types] != [
        _MEDIA_TYPE
    ]:
        return request
    body = request.body or b""
    try:
        text = (
            json.dumps(from_wire(body, schema_of)).encode() if len(body) <= MAX_BODY_BYTES else None
        )
    except (BadWire, RecursionError):
        text = None
    if text is None:
        return request
    other_headers = (
        name_and_value
        for name_and_value in request.headers
        if name_and_value[0].lower() != "content-type"
    )
    headers = (*other_headers, ("content-type", "application/json"))
    return HttpRequest(request.method, request.target, headers, text)


def from_wire(body: bytes, schema_of: SchemaOf) -> dict[str, Any]:
    r"""The object in a body, as JSON would hold it, its empty fields included.

    Args:
        body: `k8s\0` and a message `Unknown`.
        schema_of: where kinds are looked up.

    Raises:
        BadWire: it is no object of a kind that is known.
    """
    if not body.startswith(_MAGIC):
        raise BadWire("does not begin with k8s\\0")
    parts = dict(fields_of(body[len(_MAGIC) :]))
    head = {number: text_of(value) for number, value in fields_of(bytes_of(parts.get(1, b"")))}
    api_version, kind = head.get(1, ""), head.get(2, "")
    schema = schema_of(GroupVersion.parse(api_version).with_kind(kind))
    if schema.name not in _numbers():
        raise BadWire(f"holds a {kind} of {api_version}, which has no form in protobuf here")
    made: dict[str, Any] = {"apiVersion": api_version, "kind": kind}
    try:
        return _fill(made, schema, schema.name, bytes_of(parts.get(2, b"")))
    except (RecursionError, struct.error, OverflowError) as why:
        raise BadWire(str(why)) from why


# ------------------------------------------------------------------------------------- messages


def _fill(
    made: dict[str, Any], schema: ResolvedSchema, definition: str, message: bytes
) -> dict[str, Any]:
    """Add the fields of a message; those that the schema does not have are left out."""
    numbers = _numbers()[definition]
    for number, wire in fields_of(message):
        name = numbers.get(number, "")
        field = schema.properties.get(name)
        if name.startswith("+"):
            _fill(made, schema, name[1:], bytes_of(wire))
        elif field is not None:
            _add(made, name, field, wire)
    return made


def _add(made: dict[str, Any], name: str, field: ResolvedSchema, wire: Wire) -> None:
    if field.items is not None:
        made.setdefault(name, []).append(_value(field.items, wire))
    elif field.additional is not None:
        key, value = _entry(field.additional, wire)
        made.setdefault(name, {})[key] = value
    elif field.name in _numbers() and field.name not in _SPECIAL:
        # A message in two pieces is one.
        _fill(made.setdefault(name, {}), field, field.name, bytes_of(wire))
    else:
        made[name] = _value(field, wire)


def _entry(schema: ResolvedSchema, wire: Wire) -> tuple[str, Any]:
    parts = dict(fields_of(bytes_of(wire)))
    value = parts.get(2, b"")
    if schema.items is None:
        return text_of(parts.get(1, b"")), _value(schema, value)
    # The lists in a map are messages of their own, of one field.
    items = [_value(schema.items, item) for _, item in fields_of(bytes_of(value))]
    return text_of(parts.get(1, b"")), items


def _value(schema: ResolvedSchema, wire: Wire) -> Any:
    special = _SPECIAL.get(schema.name)
    if special is not None:
        return special(schema, bytes_of(wire))
    if schema.name in _numbers():
        return _fill({}, schema, schema.name, bytes_of(wire))
    scalar = _SCALARS.get(schema.format) or _SCALARS.get(schema.type)
    return scalar(wire) if scalar else {}


@cache
def _numbers() -> Mapping[str, Mapping[int, str]]:
    """The field of each number, by definition; `+` before that of a message without a name."""
    text = resources.files(__name__.rpartition(".")[0]).joinpath("wire.json").read_bytes()
    table: dict[str, dict[str, str]] = json.loads(text)
    return {
        f"{package}.{message}": _numbered(listed)
        for package, messages in table.items()
        for message, listed in messages.items()
    }


def _numbered(listed: str) -> dict[int, str]:
    made: dict[int, str] = {}
    number = 0
    for word in listed.split():
        digits, colon, name = word.rpartition(":")
        number = int(digits) if colon else number + 1
        made[number] = name
    return made


# ------------------------------------------------------------------- types with a form of their own


def _quantity(_: ResolvedSchema, message: bytes) -> str:
    return text_of(dict(fields_of(message)).get(1, b"")) or "0"


def _int_or_string(_: ResolvedSchema, message: bytes) -> int | str:
    parts = dict(fields_of(message))
    return text_of(parts.get(3, b"")) if parts.get(1) else number_of(parts.get(2, 0))


def _moment(message: bytes) -> datetime | None:
    if not message:
        return None
    parts = dict(fields_of(message))
    seconds, nanos = number_of(parts.get(1, 0)), number_of(parts.get(2, 0))
    return _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)


def _time(_: ResolvedSchema, message: bytes) -> str | None:
    moment = _moment(message)
    return None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%SZ}".zfill(20)


def _micro_time(_: ResolvedSchema, message: bytes) -> str | None:
    moment = _moment(message)
    return None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%S.%fZ}".zfill(27)


def _json(_: ResolvedSchema, message: bytes) -> Any:
    """JSON inside of protobuf: RawExtension, FieldsV1, and the defaults of a schema."""
    raw = bytes_of(dict(fields_of(message)).get(1, b""))
    try:
        return json.loads(raw) if raw else None
    except ValueError as why:
        raise BadWire(str(why)) from why


def _schema_or(schema: ResolvedSchema, message: bytes) -> Any:
    """A schema, or something else in its place."""
    definition, _, other = schema.name.rpartition("Or")
    own = schema.sibling(definition)
    parts = list(fields_of(message))
    values = [value for number, value in parts if number == (2 if other == "Bool" else 1)]
    rest = [value for number, value in parts if number == (1 if other == "Bool" else 2)]
    if values and (other == "Bool" or not rest):
        return _value(own, values[-1])
    if other == "Bool":
        return bool(rest and rest[-1])
    return [text_of(part) if other == "StringArray" else _value(own, part) for part in rest]


_MACHINERY: Final = "io.k8s.apimachinery.pkg."
_EXTENSIONS: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
_SPECIAL: Final[Mapping[str, Callable[[ResolvedSchema, bytes], Any]]] = {
    f"{_MACHINERY}api.resource.Quantity": _quantity,
    f"{_MACHINERY}util.intstr.IntOrString": _int_or_string,
    f"{_MACHINERY}apis.meta.v1.Time": _time,
    f"{_MACHINERY}apis.meta.v1.MicroTime": _micro_time,
    f"{_MACHINERY}apis.meta.v1.FieldsV1": _json,
    f"{_MACHINERY}runtime.RawExtension": _json,
    f"{_EXTENSIONS}JSON": _json,
    f"{_EXTENSIONS}JSONSchemaPropsOrArray": _schema_or,
    f"{_EXTENSIONS}JSONSchemaPropsOrBool": _schema_or,
    f"{_EXTENSIONS}JSONSchemaPropsOrStringArray": _schema_or,
}


# -------------------------------------------------------------------------------------- scalars


def _base64(wire: Wire) -> str:
    return b64encode(bytes_of(wire)).decode()


def _boolean(wire: Wire) -> bool:
    return bool(number_of(wire))


def _double(wire: Wire) -> float:
    (value,) = struct.unpack("<d", bytes_of(wire))
    return float(value)


_SCALARS: Final[Mapping[str, Callable[[Wire], Any]]] = {
    "byte": _base64,
    "string": text_of,
    "integer": number_of,
    "boolean": _boolean,
    "number": _double,
}
"""Readers of scalars, by the format or else the type in the schema."""
