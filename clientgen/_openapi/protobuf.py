"""The OpenAPI v2 document in protobuf: older ways of kubectl and its kin take no other form.

The messages are those of github.com/google/gnostic-models, openapiv2/OpenAPIv2.proto. Its wrappers
around maps and alternatives are written by hand below; all else is in the tables.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MEDIA_TYPE: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

_LENGTH: Final = 2
_DOUBLE: Final = 1

_FIELDS: Final[Mapping[str, Mapping[str, int]]] = {
    "info": {"title": 1, "version": 2, "description": 3},
    "schema": {
        "$ref": 1,
        "format": 2,
        "title": 3,
        "description": 4,
        "multipleOf": 6,
        "maximum": 7,
        "exclusiveMaximum": 8,
        "minimum": 9,
        "exclusiveMinimum": 10,
        "maxLength": 11,
        "minLength": 12,
        "pattern": 13,
        "maxItems": 14,
        "minItems": 15,
        "uniqueItems": 16,
        "maxProperties": 17,
        "minProperties": 18,
        "required": 19,
        "discriminator": 26,
        "readOnly": 27,
    },
    "docs": {"description": 1, "url": 2},
    "operation": {
        "tags": 1,
        "summary": 2,
        "description": 3,
        "operationId": 5,
        "produces": 6,
        "consumes": 7,
        "schemes": 10,
        "deprecated": 11,
    },
    "body": {"description": 1, "name": 2, "in": 3, "required": 4},
    "path": {
        "required": 1,
        "in": 2,
        "description": 3,
        "name": 4,
        "type": 5,
        "format": 6,
        "uniqueItems": 19,
    },
    "query": {
        "required": 1,
        "in": 2,
        "description": 3,
        "name": 4,
        "type": 6,
        "format": 7,
        "uniqueItems": 20,
    },
    "key": {"type": 1, "name": 2, "in": 3, "description": 4},
    "document": {"swagger": 1, "host": 3, "basePath": 4, "schemes": 5},
}
"""The numbers of the members that are texts, numbers, booleans or lists of texts."""
_METHODS: Final = {
    "get": 2,
    "put": 3,
    "post": 4,
    "delete": 5,
    "options": 6,
    "head": 7,
    "patch": 8,
}
_FLOATS: Final = frozenset(["maximum", "minimum", "multipleOf"])
_EXTENSIONS: Final = {"schema": 31, "operation": 13, "path": 22, "query": 23}


def encode(document: Mapping[str, Any]) -> bytes:
    """The document as an `openapi.v2.Document`."""
    items = _named((path, _item(item)) for path, item in document.get("paths", {}).items())
    definitions = ((name, _schema(each)) for name, each in document.get("definitions", {}).items())
    parameters = ((name, _parameter(each)) for name, each in document.get("parameters", {}).items())
    return b"".join(
        [
            _simple("document", document),
            _part(2, _simple("info", document.get("info", {}))),
            _part(8, b"".join(_part(2, each) for each in items)),
            _part(9, b"".join(_part(1, each) for each in _named(definitions))),
            _part(10, b"".join(_part(1, each) for each in _named(parameters))),
            *(_part(12, _requirement(each)) for each in document.get("security", ())),
            _part(13, _keys(document.get("securityDefinitions", {}))),
        ]
    )


# ------------------------------------------------------------------------------------ messages


def _schema(raw: Mapping[str, Any]) -> bytes:
    parts = [_simple("schema", raw), *_extensions("schema", raw)]
    if "default" in raw:
        parts.append(_part(5, _any(raw["default"])))
    parts.extend(_part(20, _any(each)) for each in raw.get("enum", ()))
    additional = raw.get("additionalProperties")
    if isinstance(additional, bool):
        parts.append(_part(21, _key(2, 0) + _number(additional)))
    elif additional is not None:
        parts.append(_part(21, _part(1, _schema(additional))))
    if "type" in raw:
        parts.append(_part(22, _string_field(1, raw["type"])))
    if "items" in raw:
        parts.append(_part(23, _part(1, _schema(raw["items"]))))
    parts.extend(_part(24, _schema(each)) for each in raw.get("allOf", ()))
    if "properties" in raw:
        named = _named((name, _schema(each)) for name, each in raw["properties"].items())
        parts.append(_part(25, b"".join(_part(1, each) for each in named)))
    if "externalDocs" in raw:
        parts.append(_part(29, _simple("docs", raw["externalDocs"])))
    if "example" in raw:
        parts.append(_part(30, _any(raw["example"])))
    return b"".join(parts)


def _item(raw: Mapping[str, Any]) -> bytes:
    operations = [
        _part(number, _operation(raw[method]))
        for method, number in _METHODS.items()
        if method in raw
    ]
    return b"".join([*operations, *_parameters(9, raw.get("parameters", ()))])


def _operation(raw: Mapping[str, Any]) -> bytes:
    responses = _named(
        (code, _part(1, _response(each))) for code, each in raw.get("responses", {}).items()
    )
    return b"".join(
        [
            _simple("operation", raw),
            *_parameters(8, raw.get("parameters", ())),
            _part(9, b"".join(_part(1, each) for each in responses)),
            *_extensions("operation", raw),
        ]
    )


def _response(raw: Mapping[str, Any]) -> bytes:
    described = _string_field(1, raw.get("description", ""))
    if "schema" not in raw:
        return described
    return described + _part(2, _part(1, _schema(raw["schema"])))


def _parameters(number: int, raw: Iterable[Mapping[str, Any]]) -> Iterable[bytes]:
    for each in raw:
        if "$ref" in each:
            yield _part(number, _part(2, _string_field(1, each["$ref"])))
        else:
            yield _part(number, _part(1, _parameter(each)))


def _parameter(raw: Mapping[str, Any]) -> bytes:
    if raw.get("in") == "body":
        schema = _part(5, _schema(raw.get("schema", {})))
        return _part(1, _simple("body", raw) + schema)
    shape = "path" if raw.get("in") == "path" else "query"
    encoded = b"".join([_simple(shape, raw), *_extensions(shape, raw)])
    return _part(2, _part(4 if shape == "path" else 3, encoded))


def _requirement(raw: Mapping[str, list[str]]) -> bytes:
    named = _named((name, _texts(1, scopes)) for name, scopes in raw.items())
    return b"".join(_part(1, each) for each in named)


def _keys(raw: Mapping[str, Any]) -> bytes:
    named = _named((name, _part(2, _simple("key", each))) for name, each in raw.items())
    return b"".join(_part(1, each) for each in named)


def _named(values: Iterable[tuple[str, bytes]]) -> Iterable[bytes]:
    return (_string_field(1, name) + _part(2, value) for name, value in values)


def _extensions(shape: str, raw: Mapping[str, Any]) -> Iterable[bytes]:
    extensions = ((name, _any(value)) for name, value in raw.items() if name.startswith("x-"))
    return (_part(_EXTENSIONS[shape], each) for each in _named(extensions))


# --------------------------------------------------------------------------------- wire format


def _simple(shape: str, raw: Mapping[str, Any]) -> bytes:
    fields = _FIELDS[shape]
    return b"".join(
        _value(fields[name], name, value) for name, value in raw.items() if name in fields
    )


def _value(number: int, name: str, value: Any) -> bytes:
    if isinstance(value, list):
        return _texts(number, cast("list[str]", value))
    if isinstance(value, str):
        return _string_field(number, value)
    if name in _FLOATS:
        return _key(number, _DOUBLE) + struct.pack("<d", value)
    return _key(number, 0) + _number(value)


def _any(value: object) -> bytes:
    """A free value is kept as YAML; JSON is YAML."""
    return _part(2, json.encode(value))


def _texts(number: int, values: Iterable[str]) -> bytes:
    return b"".join(_string_field(number, value) for value in values)


def _string_field(number: int, value: str) -> bytes:
    return _part(number, value.encode())


def _part(number: int, body: bytes) -> bytes:
    return _key(number, _LENGTH) + _number(len(body)) + body


def _key(number: int, wire_type: int) -> bytes:
    return _number(number << 3 | wire_type)


def _number(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - seven bits at a time, the eighth says that more follow
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)
