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
    from collections.abc import Callable

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


def members_of(annotation: Any) -> tuple[type[Any], ...]:
    """Return the models of a union of at least two models; empty for other types."""
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) not in UNIONS:
        return ()
    members = tuple(each for each in get_args(annotation) if each is not type(None))
    are_models = all(isinstance(each, type) and issubclass(each, Struct) for each in members)
    return members if are_models and len(members) > 1 else ()


def with_stand_ins(annotation: Any) -> Any:
    """Return an annotation with a stand-in for each union of models."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    members = members_of(annotation) if origin in UNIONS else ()
    if members:
        stand_in = _stand_in(members)
        return stand_in | None if type(None) in arguments else stand_in
    if origin is Annotated:
        return Annotated[(with_stand_ins(arguments[0]), *arguments[1:])]
    return _rebuilt(annotation, with_stand_ins)


def without_stand_ins(annotation: Any) -> Any:
    """Return an annotation as it was declared; see `with_stand_ins`."""
    if isinstance(annotation, StandIn):
        return Union[annotation.__members__]  # noqa: UP007 - of a tuple
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
