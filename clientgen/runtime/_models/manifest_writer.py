"""Writes objects as YAML manifests: sorts keys, and can leave out fields that servers set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias, cast

import msgspec

from .encoder import encode
from .model import Model

Written: TypeAlias = Model | Mapping[str, Any]
"""An object to write as a manifest."""

_FIRST: Final[tuple[str, ...]] = ("apiVersion", "kind", "metadata", "spec")
_LAST: Final[str] = "status"
# The fields of ObjectMeta that only servers set.
_SERVER_FIELDS: Final = frozenset(
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
    """Write objects as YAML documents, separated by `---`.

    Equal objects give equal text: apiVersion, kind, metadata and spec come first, status comes
    last, fields are in the order of their class, and keys of maps are sorted. Strings that could be
    read as a number, a boolean or a date are quoted. Strings of several lines are blocks. The data
    of Secrets is written, too.

    Args:
        objects: one object, or several; models, or dicts such as `Unstructured`.
        server_fields: whether to write the fields that servers set: status, and in the metadata
            uid, resourceVersion, generation, managedFields and times. Leave them out to apply the
            text to another cluster.

    Raises:
        TypeError: an object has no apiVersion or kind.
        ValueError: a datetime has no time zone.
    """
    from clientgen._yaml.dumper import write_yaml  # imported late: few programs need it

    values = json_values(objects, server_fields)
    return "---\n".join(write_yaml(value, sort_keys=False, width=None) for value in values)


def json_values(objects: Written | Iterable[Written], server_fields: bool) -> list[dict[str, Any]]:
    """Convert one object or several to plain dicts, with keys in the order of manifests.

    Args:
        objects: models or dicts.
        server_fields: whether to keep the fields that servers set.

    Raises:
        TypeError: an object has no apiVersion or kind.
        ValueError: a datetime has no time zone.
    """
    is_single = isinstance(objects, (Model, Mapping))
    several = cast("Iterable[Written]", [objects] if is_single else objects)
    values = [_ordered_value(obj) for obj in several]
    return values if server_fields else [_without_server_fields(value) for value in values]


def _ordered_value(obj: Written) -> dict[str, Any]:
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
            name: metadata_fields[name] for name in metadata_fields if name not in _SERVER_FIELDS
        }
    return remaining
