"""Writes objects as manifests: the order of keys, and fields that only servers set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias, cast

import msgspec

from .encoder import encode
from .model import Model

__all__ = ["Written", "json_values", "to_yaml"]

Written: TypeAlias = Model | Mapping[str, Any]
"""The objects a manifest is written from."""

_FIRST: Final[tuple[str, ...]] = ("apiVersion", "kind", "metadata", "spec")
_LAST: Final[str] = "status"
# ObjectMeta of meta/v1: what only servers write.
_SERVERS: Final = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)


def to_yaml(objects: Written | Iterable[Written], *, server_fields: bool = True) -> str:
    """Write objects as YAML documents, `---` between them.

    The same objects give the same text: apiVersion, kind, metadata and spec come first, status
    comes last, fields are in the order of their class and keys of maps in order. Text that could be
    taken for a number, a boolean or a date is quoted, text of several lines is a block. Everything
    is written, the data of Secrets too.

    Args:
        objects: one object, or several; models, or dicts such as `Unstructured`.
        server_fields: whether to write what servers set: status, and of the metadata uid,
            resourceVersion, generation, managedFields and times. Without, the text can be applied
            elsewhere.

    Raises:
        TypeError: an object has no kind.
        ValueError: a datetime has no zone.
    """
    from clientgen._yaml.dumper import write_yaml  # most programs write none

    values = json_values(objects, server_fields)
    return "---\n".join(write_yaml(value, sort_keys=False, width=None) for value in values)


def json_values(objects: Written | Iterable[Written], server_fields: bool) -> list[dict[str, Any]]:
    """The JSON of one object or of several, keys in the order of manifests.

    Args:
        objects: models or dicts.
        server_fields: whether to keep what servers set.

    Raises:
        TypeError: an object has no kind.
        ValueError: a datetime has no zone.
    """
    is_single = isinstance(objects, (Model, Mapping))
    several = cast("Iterable[Written]", [objects] if is_single else objects)
    values = [_value(obj) for obj in several]
    return values if server_fields else [_without_server_fields(value) for value in values]


def _value(obj: Written) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.json.decode(encode(obj, ordered=isinstance(obj, Model)))
    for name in ("apiVersion", "kind"):
        if not value.get(name):
            raise TypeError(
                f"{type(obj).__name__} cannot be written to a manifest: it has no {name}"
            )
    first = {name: value.pop(name) for name in _FIRST if name in value}
    last = {_LAST: value.pop(_LAST)} if _LAST in value else {}
    return {**first, **value, **last}


def _without_server_fields(value: dict[str, Any]) -> dict[str, Any]:
    remaining = {name: inner for name, inner in value.items() if name != _LAST}
    metadata = remaining.get("metadata")
    if isinstance(metadata, dict):
        metadata_fields = cast("dict[str, Any]", metadata)
        remaining["metadata"] = {
            name: metadata_fields[name] for name in metadata_fields if name not in _SERVERS
        }
    return remaining
