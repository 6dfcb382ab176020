"""Checks of arguments that are mappings or lists of texts, such as labels and names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from .._models.arguments import type_of
from ..errors import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_mapping(call: str, what: str, value: object) -> dict[Any, Any]:
    """Check that an argument is a mapping, and copy it.

    Raises:
        TypeError: It is not.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{call}: {what} must be a dict, not {type_of(value)}")
    return dict(cast("dict[Any, Any]", value))


def check_names(call: str, what: str, value: object) -> list[str]:
    """Check that an argument is a list of texts, and copy it.

    Raises:
        TypeError: It is not, or it is one text.
    """
    names = list(cast("Iterable[object]", value)) if _is_list(value) else [None]
    if not all(isinstance(each, str) for each in names):
        raise TypeError(f"{call}: {what} must be a list of texts, not {type_of(value)}")
    return cast("list[str]", names)


def _is_list(value: object) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, (str, bytes, Mapping))


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
    texts = check_mapping(call, what, value)
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
