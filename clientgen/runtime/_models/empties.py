"""Lists and maps that are empty: whether somebody said so.

A list that nobody set reads as an empty list and is left out of what is sent. One that a server
sent empty goes back empty, because a default of its schema would take its place. msgspec leaves
out what is empty and exactly a `list` or `dict`. So what was sent empty is of a class of its own.
The strict decoder takes no empty ones, which costs it nothing; the lenient reader then makes them.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta

__all__ = [
    "EMPTIES",
    "UNSET_ZERO",
    "EmptyDict",
    "EmptyList",
    "UnsetDict",
    "UnsetList",
    "note_empties",
    "unfilled",
]

K = TypeVar("K")
V = TypeVar("V")


class EmptyList(list[V]):
    """A list that was sent empty. It goes back, empty or filled since."""

    __slots__ = ()


class EmptyDict(dict[K, V]):
    """A map that was sent empty. It goes back, empty or filled since."""

    __slots__ = ()


class UnsetList(list[V]):
    """The list of a field that has a default in its schema, while nobody set it.

    `matches: list[Match] = field(default_factory=UnsetList)`: as long as it is empty it is left
    out, and the server puts its default there. Any other empty list that you assign is sent, and
    stays empty.
    """

    __slots__ = ()


class UnsetDict(dict[K, V]):
    """The map of a field that has a default in its schema, while nobody set it; see UnsetList."""

    __slots__ = ()


class UnsetInt(int):
    """The class of the one zero that nobody set."""

    __slots__ = ()

    def __reduce__(self) -> str:
        """Be the same one in copies, also in those of other processes."""
        return "UNSET_ZERO"


UNSET_ZERO: Final = UnsetInt()
"""The number of a field that servers leave out when it is zero, while nobody set it.

`replicas: int = field(default=UNSET_ZERO)`: it reads as 0 and is left out; a 0 that you assign is
sent.
"""

EMPTIES: Final[dict[type, type]] = {list: EmptyList, dict: EmptyDict}
"""What stands for an empty value that was sent, by the class of the one that nobody set."""

_FILLED: Final = Meta(min_length=1, extra={"filled": True})
# The name that annotations are given to evaluate it by, in the class that they belong to.
_EVALUATED: Final = "__filled__"
_Field: Final[type] = type(msgspec.field(default=None))


class _Filled:
    """The annotation of what the strict decoder takes only when it is not empty."""

    def __class_getitem__(cls, annotation: Any) -> Any:
        known = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
        plain = get_args(annotation)[0] if known else annotation
        if (get_origin(plain) or plain) not in EMPTIES:
            return annotation
        if any(isinstance(each, Meta) and each.min_length is not None for each in known):
            return annotation
        return Annotated[annotation, _FILLED]


def note_empties(namespace: dict[str, Any]) -> None:
    """Have the strict decoder of a class that is made now refuse empty optional lists and maps."""
    annotations = namespace.get("__annotations__", {})
    noted = [
        name
        for name, annotation in annotations.items()
        if _reads_empty(namespace.get(name)) and "ClassVar" not in str(annotation)
    ]
    if noted:
        namespace["__annotations__"] = annotations = {**annotations}
        namespace[_EVALUATED] = _Filled
    for name in noted:
        annotation = annotations[name]
        later = f"{_EVALUATED}[{annotation}]"
        annotations[name] = (
            later if isinstance(annotation, str) else _Filled.__class_getitem__(annotation)
        )


def unfilled(annotation: Any) -> Any:
    """Return an annotation as it was written."""
    if get_origin(annotation) is not Annotated:
        return annotation
    plain, *known = get_args(annotation)
    left = tuple(each for each in known if each is not _FILLED)
    return Annotated[(plain, *left)] if left else plain


def _reads_empty(declared: object) -> bool:
    """Whether a field is an empty list or map when it is absent, and msgspec leaves it out."""
    if isinstance(declared, _Field):
        return declared.default_factory in EMPTIES  # type: ignore[attr-defined, unused-ignore]
    return declared.__class__ in EMPTIES and not declared
