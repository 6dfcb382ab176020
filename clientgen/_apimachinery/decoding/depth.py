"""Limits the nesting of bodies to a depth that recursive functions can handle.

The real server takes 10,000 levels. Only attackers nest like that.
"""

from __future__ import annotations

from typing import Any, Final

from clientgen._json import is_array, is_object
from clientgen._yaml.loader import BadText

MAX_DEPTH: Final = 256
"""The greatest depth of nested objects and lists."""
_CONTAINERS: Final = (dict, list)
TOO_DEEP: Final = "exceeded max depth"
"""The server's message for deeper nesting."""


def check_depth(value: Any) -> None:
    """Refuse a body that is nested too deeply.

    Raises:
        BadText: it is.
    """
    if is_too_deep(value):
        raise BadText(TOO_DEEP)


def is_too_deep(value: Any) -> bool:
    """Return whether objects and lists are nested too deeply, without recursion."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [each for inner in level for each in _within(inner)]
        if not level:
            return False
    return True


def _within(value: Any) -> list[Any]:
    """The objects and lists right inside of a value."""
    if is_object(value):
        return [member for member in value.values() if isinstance(member, _CONTAINERS)]
    if is_array(value):
        return [item for item in value if isinstance(item, _CONTAINERS)]
    return []
