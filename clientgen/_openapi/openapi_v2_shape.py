"""The shape that an OpenAPI v2 document has to have, for readers that do without its meta-schema.

Only what is read is described. The checking is msgspec's: it is quick, and it says where.
"""

from __future__ import annotations

from typing import Any, cast

from msgspec import UNSET, Struct, UnsetType, ValidationError, convert, field


class _Kind(Struct):
    group: str
    version: str
    kind: str


class _Schema(Struct):
    type: str | UnsetType = UNSET
    format: str | UnsetType = UNSET
    ref: str | UnsetType = field(name="$ref", default=UNSET)
    properties: dict[str, _Schema] | UnsetType = UNSET
    items: _Schema | UnsetType = UNSET
    additional: bool | _Schema | UnsetType = field(name="additionalProperties", default=UNSET)
    all_of: list[_Schema] | UnsetType = field(name="allOf", default=UNSET)
    required: list[str] | UnsetType = UNSET
    list_type: str | UnsetType = field(name="x-kubernetes-list-type", default=UNSET)
    map_keys: list[str] | UnsetType = field(name="x-kubernetes-list-map-keys", default=UNSET)
    map_type: str | UnsetType = field(name="x-kubernetes-map-type", default=UNSET)
    strategy: str | UnsetType = field(name="x-kubernetes-patch-strategy", default=UNSET)
    merge_key: str | UnsetType = field(name="x-kubernetes-patch-merge-key", default=UNSET)
    kinds: list[_Kind] | UnsetType = field(name="x-kubernetes-group-version-kind", default=UNSET)


class _Parameter(Struct):
    ref: str | UnsetType = field(name="$ref", default=UNSET)
    schema: _Schema | UnsetType = UNSET


class _Response(Struct):
    schema: _Schema | UnsetType = UNSET


class _Operation(Struct):
    parameters: list[_Parameter] | UnsetType = UNSET
    responses: dict[str, _Response] | UnsetType = UNSET
    consumes: list[str] | UnsetType = UNSET
    produces: list[str] | UnsetType = UNSET
    action: str | UnsetType = field(name="x-kubernetes-action", default=UNSET)
    kind: _Kind | UnsetType = field(name="x-kubernetes-group-version-kind", default=UNSET)


class _Item(Struct):
    get: _Operation | UnsetType = UNSET
    put: _Operation | UnsetType = UNSET
    post: _Operation | UnsetType = UNSET
    delete: _Operation | UnsetType = UNSET
    options: _Operation | UnsetType = UNSET
    head: _Operation | UnsetType = UNSET
    patch: _Operation | UnsetType = UNSET
    parameters: list[_Parameter] | UnsetType = UNSET


class _Document(Struct):
    info: dict[str, Any] | UnsetType = UNSET
    definitions: dict[str, _Schema] | UnsetType = UNSET
    parameters: dict[str, _Parameter] | UnsetType = UNSET
    paths: dict[str, _Item] | UnsetType = UNSET


def check_shape(document: object) -> None:
    """Make sure that every part is of the type that it is taken to be.

    Raises:
        ValueError: one is not; the text says which.
    """
    try:
        convert(document, _Document)
    except ValidationError as error:
        raise ValueError(_named(document, error)) from error


def _named(document: Any, error: ValidationError) -> str:
    """Return the problem with the path or definition it is in, which msgspec leaves out."""
    parts: tuple[tuple[str, str, Any], ...] = (
        ("definitions", "definition", _Schema),
        ("paths", "path", _Item),
    )
    for key, word, shape in parts:
        each = document.get(key)
        named = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
        for name, value in named.items():
            try:
                convert(value, shape)
            except ValidationError as fault:
                return f"{word} {name}: {fault}"
    return str(error)
