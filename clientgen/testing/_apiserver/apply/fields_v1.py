"""FieldsV1: a set of paths as the JSON object that stands in managedFields.

Every element is a member. One with nothing below it is `{}`; one that has something below it and is
in the set itself as well says so by a member `.`.
"""

from __future__ import annotations

from typing import Any, Final

from clientgen._json import is_object
from clientgen._text_cache import ContentCache, encoded

from .field_paths import Set, canonical, in_order

_SELF: Final = "."
_LEAF: Final[dict[str, Any]] = {}
_KNOWN: Final = ContentCache[Set](128)


def encode(paths: Set) -> dict[str, Any]:
    """The set as FieldsV1, made once; not to be changed."""
    if paths.fields is None:
        paths.fields = _encoded(paths)
    return paths.fields


def _encoded(paths: Set) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for element in in_order(paths.members | paths.children.keys()):
        below = paths.children.get(element)
        if below is None:
            made[element] = _LEAF
        elif element in paths.members:
            made[element] = {_SELF: _LEAF, **encode(below)}
        else:
            made[element] = encode(below)
    return made


def decode(fields: Any) -> Set:
    """The set that FieldsV1 stands for; elements of an unknown kind are left out.

    The last few sets are kept: most writes change nothing of what others own, and the objects of
    one controller are owned alike.

    Raises:
        ValueError: it is no FieldsV1.
    """
    text = encoded(fields)
    found = _KNOWN.get(text)
    if found is None:
        found = _decoded(fields)
        _KNOWN.put(text, found)
    return found


def _decoded(fields: Any) -> Set:
    made = Set()
    for text, below in _members(fields).items():
        element = None if text == _SELF else canonical(text)
        if element is not None:
            _take(made, element, below)
    return made


def _take(made: Set, element: str, below: Any) -> None:
    if not below and below == {}:  # most are leaves
        made.members.add(element)
        return
    found = _decoded(below)
    made.attach(element, found)
    if not found or _SELF in below:
        made.members.add(element)


def _members(fields: Any) -> dict[str, Any]:
    if fields is None:
        return {}
    if not is_object(fields):
        msg = f"not FieldsV1: {fields!r}"
        raise ValueError(msg)
    return fields
