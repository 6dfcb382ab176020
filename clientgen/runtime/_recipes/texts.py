"""Checks of arguments that are mappings of texts, such as labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .._models.arguments import type_of
from ..errors import one_line


def check_texts(call: str, what: str, value: object, *, removes: bool = False) -> dict[str, Any]:
    """Check an argument that maps texts to texts, and copy it.

    Args:
        call: The name of the called function, for messages.
        what: The name of the argument, for messages.
        value: The argument.
        removes: Whether values may be None.

    Raises:
        TypeError: It is not a mapping, or a key or value is of a wrong type.
        ValueError: It is empty, or a key is empty.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{call}: {what} must be a dict, not {type_of(value)}")
    texts = dict(cast("Mapping[object, object]", value))
    if not texts:
        raise ValueError(f"{call}: {what} is empty")
    for name, each in texts.items():
        if not isinstance(name, str):
            raise TypeError(f"{call}: the names in {what} must be texts, not {type_of(name)}")
        if not name:
            raise ValueError(f"{call}: a name in {what} is empty")
        if not (isinstance(each, str) or (removes and each is None)):
            allowed = "a text, or None to remove it" if removes else "a text"
            raise TypeError(
                f"{call}: {what}[{one_line(repr(name))}] must be {allowed}, not {type_of(each)}"
            )
    return cast("dict[str, Any]", texts)
