"""Empty lists and maps, with or without a value from the user or the server.

An unset list reads as an empty list and is not sent. A list that the server sent empty is sent back
empty; otherwise the server would apply the default of the schema. msgspec omits empty values that
are exactly of type `list` or `dict`, so lists that were received empty have their own class. The
strict decoder rejects empty lists, which takes no time. The lenient decoder then creates objects of
these classes.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, ForwardRef, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta

from .shared_texts import shares_texts, sharing, unsharing
from .union_stand_ins import without_stand_ins

K = TypeVar("K")
V = TypeVar("V")


class EmptyList(list[V]):
    """A list that was received empty. It is sent, whether it is still empty or not."""

    __slots__ = ()


class EmptyDict(dict[K, V]):
    """A map that was received empty. It is sent, whether it is still empty or not."""

    __slots__ = ()


class UnsetList(list[V]):
    """The value of an unset list field that has a default in its schema.

    `matches: list[Match] = field(default_factory=UnsetList)`: while the list is empty, it is not
    sent, and the server applies its default. Any other empty list that you assign is sent.
    """

    __slots__ = ()


class UnsetDict(dict[K, V]):
    """The value of an unset map field that has a default in its schema; see UnsetList."""

    __slots__ = ()


class UnsetInt(int):
    """The class of `UNSET_ZERO`."""

    __slots__ = ()

    def __reduce__(self) -> str:
        """Preserve identity in copies, including those in other processes."""
        return "UNSET_ZERO"


UNSET_ZERO: Final = UnsetInt()
"""The value of an unset number field that servers omit when it is zero.

`replicas: int = field(default=UNSET_ZERO)`: the field reads as 0 and is not sent. A 0 that you
assign is sent.
"""

EMPTIES: Final[dict[type, type]] = {list: EmptyList, dict: EmptyDict}
"""The classes of lists and maps that were received empty, by their plain class."""

_FILLED: Final = Meta(min_length=1, extra={"filled": True})
# The names of `_Filled` and `_Shared` in string annotations, added to the namespace of the class.
_FILLED_NAME: Final = "__filled__"
_SHARED_NAME: Final = "__shared__"
_Field: Final[type] = type(msgspec.field(default=None))


class _Filled:
    """`_Filled[list[str]]` annotates a list that the strict decoder rejects if it is empty."""

    def __class_getitem__(cls, annotation: Any) -> Any:
        extras = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
        plain = get_args(annotation)[0] if extras else annotation
        if (get_origin(plain) or plain) not in EMPTIES:
            return annotation
        if any(isinstance(extra, Meta) and extra.min_length is not None for extra in extras):
            return annotation
        return Annotated[annotation, _FILLED]


class _Shared:
    """`_Shared[list[str]]` annotates a list whose strings are shared by decoded objects."""

    def __class_getitem__(cls, annotation: Any) -> Any:
        return sharing(annotation)


def annotate_for_decoding(namespace: dict[str, Any], *, rejects_empty: bool) -> None:
    """Annotate the fields of a new class for the strict decoder, so that it shares strings.

    Args:
        namespace: the body of the class; it is modified.
        rejects_empty: whether the decoder also rejects empty optional lists and maps.
    """
    declared = namespace.get("__annotations__", {})
    marked = dict(declared)
    for name, annotation in declared.items():
        if "ClassVar" in str(annotation):
            continue
        if shares_texts(name, annotation):
            marked[name] = _marked(marked[name], _Shared, _SHARED_NAME)
        if rejects_empty and _reads_empty(namespace.get(name)):
            marked[name] = _marked(marked[name], _Filled, _FILLED_NAME)
    if marked != declared:
        namespace["__annotations__"] = marked
        namespace[_SHARED_NAME], namespace[_FILLED_NAME] = _Shared, _Filled


def _marked(annotation: Any, mark: Any, name: str) -> Any:
    """Apply a mark to an annotation. Text is marked with the name, and evaluated later."""
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    return f"{name}[{annotation}]" if isinstance(annotation, str) else mark[annotation]


def as_declared(annotation: Any) -> Any:
    """Return an annotation as the class declared it, without the marks for the decoder."""
    annotation = without_stand_ins(unsharing(annotation))
    if get_origin(annotation) is not Annotated:
        return annotation
    plain, *extras = get_args(annotation)
    remaining = tuple(extra for extra in extras if extra is not _FILLED)
    return Annotated[(plain, *remaining)] if remaining else plain


def _reads_empty(declared: object) -> bool:
    """Return whether an absent field reads as an empty list or map that msgspec omits."""
    if isinstance(declared, _Field):
        return declared.default_factory in EMPTIES  # type: ignore[attr-defined, unused-ignore]
    return declared.__class__ in EMPTIES and not declared
