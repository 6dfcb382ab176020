"""Field sets, as managedFields have them in FieldsV1, and the parts of values that they name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias, cast

from msgspec import json

FieldSet: TypeAlias = Mapping[str, Any]
"""A field set: `f:name`, `k:{"name":"x"}`, `v:1`, `i:0` and `.` lead to field sets."""

NO_FIELDS: Final[FieldSet] = {}
KEY, VALUE, INDEX, FIELD = "k:", "v:", "i:", "f:"

_MAX_DEPTH: Final = 200
# Messages show this many characters of a key.
_MAX_EXCERPT_CHARACTERS: Final = 80
# The limit of sets of key fields in one list. In the Kubernetes API, each list has one set.
_MAX_KEY_SETS: Final = 8


def as_field_set(fields: object) -> FieldSet:
    if not isinstance(fields, Mapping):
        raise ValueError("a set of fields is not an object")  # noqa: TRY004 - server data
    return cast("FieldSet", fields)


def merge_fields(into: dict[str, Any], fields: FieldSet, depth: int) -> None:
    check_depth(depth)
    for key, inner in fields.items():
        merge_fields(into.setdefault(key, {}), as_field_set(inner), depth + 1)


def check_depth(depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise ValueError(f"they are nested deeper than {_MAX_DEPTH} levels")


def fields_inside(fields: FieldSet, key: str) -> FieldSet:
    return as_field_set(fields.get(key, NO_FIELDS))


def is_leaf(fields: FieldSet) -> bool:
    return not any(key != "." for key in fields)


class Positions:
    """Finds the items of a list by the keys of a field set, in linear time."""

    def __init__(self, items: list[object]) -> None:
        self._items = items
        self._indices: dict[tuple[str, ...], dict[bytes, int]] = {}

    def of(self, key: str) -> int | None:
        """Return the position of the item that a key of a field set names; None if no item does."""
        if key.startswith(KEY):
            wanted = key_fields(key)
            return self._positions_by(tuple(sorted(wanted))).get(_encoded(wanted))
        if key.startswith(VALUE):
            return self._positions_by(()).get(_encoded(_decode_key(key)))
        if key.startswith(INDEX):
            number = _decode_key(key)
            is_there = type(number) is int and 0 <= number < len(self._items)
            return number if is_there else None
        return None

    def _positions_by(self, names: tuple[str, ...]) -> dict[bytes, int]:
        """Return the positions of items by the JSON of these fields, or of the item without names.

        For equal items, the position is the position of the first item.
        """
        index = self._indices.get(names)
        if index is None:
            if len(self._indices) > _MAX_KEY_SETS:
                raise ValueError(f"a list has more than {_MAX_KEY_SETS} different sets of keys")
            index = self._indices[names] = {}
            for position, item in enumerate(self._items):
                if not names:
                    index.setdefault(_encoded(item), position)
                elif isinstance(item, dict):
                    index.setdefault(_encoded(selected(item, names)), position)
        return index


def selected(item: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: item[name] for name in names if name in item}


def key_fields(key: str) -> dict[str, Any]:
    value = _decode_key(key)
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{key[:_MAX_EXCERPT_CHARACTERS]!r} is not a set of key fields")
    return cast("dict[str, Any]", value)


def _decode_key(key: str) -> Any:
    try:
        return json.decode(key[2:])
    except ValueError:
        raise ValueError(f"{key[:_MAX_EXCERPT_CHARACTERS]!r} does not end in JSON") from None


def _encoded(value: object) -> bytes:
    return json.encode(value, order="deterministic")
