"""JSON values: their shapes, and when two are the same.

1 equals True in Python and not in JSON. 1 and 1.0 are the same number in both.
"""

from __future__ import annotations

from typing import Any

from msgspec import json

from clientgen._json import is_array, is_container, is_object


def metadata_of(value: dict[str, Any] | None) -> dict[str, Any]:
    """An object's metadata, whether it has any or not."""
    found = value.get("metadata") if value else None
    return found if is_object(found) else {}


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, the order of members apart."""
    if one is other:
        return True
    if one != other:
        return False
    if not is_container(one):
        return isinstance(one, bool) == isinstance(other, bool)
    return json.encode(one) == json.encode(other) or _alike(one, other)


def _alike(one: Any, other: Any) -> bool:
    """Return whether `same` holds for two values that Python finds equal."""
    if is_object(one):
        return all(_alike(each, other[name]) for name, each in one.items())
    if is_array(one):
        return all(_alike(each, other[index]) for index, each in enumerate(one))
    return isinstance(one, bool) == isinstance(other, bool)
