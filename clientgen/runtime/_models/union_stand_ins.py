"""Classes that stand for unions of models in the annotations that msgspec reads.

msgspec decodes one class, not one of several. For the field `target: Http | Tcp` it is given a
class of its own, which `unions` decodes.
"""

from __future__ import annotations

import types
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from msgspec import Raw, Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

UNIONS = (Union, types.UnionType)
_GENERIC = (Annotated, list, dict)


class StandIn(type):
    """The metaclass of stand-ins: the objects of the members are instances of a stand-in."""

    __members__: tuple[type[Any], ...] = ()

    def __instancecheck__(cls, instance: object) -> bool:
        """Return whether an object is of a member, or raw JSON of none."""
        return isinstance(instance, (*cls.__members__, Raw))


@cache
def _stand_in(members: tuple[type[Any], ...]) -> StandIn:
    name = " | ".join(member.__name__ for member in members)
    return StandIn(name, (), {"__members__": members})


def _unalias(annotation: Any) -> Any:
    """Return the type that `type Target = Http | Tcp` of Python 3.12 stands for."""
    while _is_alias(annotation):
        annotation = annotation.__value__
    return annotation


def members_of(annotation: Any) -> tuple[type[Any], ...]:
    """Return the models of a union of at least two models; empty for other types."""
    annotation = _unalias(annotation)
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) not in UNIONS:
        return ()
    members = tuple(_flat(annotation))
    are_models = all(isinstance(each, type) and issubclass(each, Struct) for each in members)
    return members if are_models and len(members) > 1 else ()


def _flat(annotation: Any) -> Iterator[Any]:
    """Yield the members of a union but None, also those of unions with names inside of it."""
    annotation = _unalias(annotation)
    if get_origin(annotation) in UNIONS:
        for each in get_args(annotation):
            yield from _flat(each)
    elif annotation is not type(None):
        yield annotation


def _allows_none(annotation: Any) -> bool:
    annotation = _unalias(annotation)
    is_union = get_origin(annotation) in UNIONS
    return annotation is type(None) or (is_union and any(map(_allows_none, get_args(annotation))))


def _is_alias(annotation: Any) -> bool:
    return type(annotation).__name__ == "TypeAliasType"


def with_stand_ins(annotation: Any) -> Any:
    """Return an annotation with a stand-in for each union of models."""
    if get_origin(annotation) is Annotated:
        arguments = get_args(annotation)
        return Annotated[(with_stand_ins(arguments[0]), *arguments[1:])]
    members = members_of(annotation)
    if members:
        stand_in = _stand_in(members)
        return stand_in | None if _allows_none(annotation) else stand_in
    return _rebuilt(annotation, with_stand_ins)


def without_stand_ins(annotation: Any) -> Any:
    """Return an annotation as it was declared, with unions instead of their names."""
    if isinstance(annotation, StandIn):
        return Union[annotation.__members__]  # noqa: UP007 - of a tuple
    if _is_alias(annotation) and (members := members_of(annotation)):
        none = (type(None),) if _allows_none(annotation) else ()
        return Union[(*members, *none)]
    if get_origin(annotation) is Annotated:
        arguments = get_args(annotation)
        return Annotated[(without_stand_ins(arguments[0]), *arguments[1:])]
    return _rebuilt(annotation, without_stand_ins)


def _rebuilt(annotation: Any, change: Callable[[Any], Any]) -> Any:
    """Return a generic type or union with changed arguments; the same one if none changes."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin not in _GENERIC and origin not in UNIONS:
        return annotation
    changed: tuple[Any, ...] = tuple(change(argument) for argument in arguments)
    if all(new is old for new, old in zip(changed, arguments, strict=True)):
        return annotation
    generic: Any = Union if origin in UNIONS else origin
    return generic[changed]
