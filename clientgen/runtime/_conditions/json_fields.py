"""Reading the JSON of objects: a field that is missing or has another type reads as its default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ..errors import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Json",
    "condition_of",
    "conditions",
    "flag",
    "generation_problem",
    "items",
    "kind_of",
    "number",
    "part",
    "said",
    "text",
]

Json: TypeAlias = "dict[str, Any]"


def _value(obj: object, path: tuple[str, ...]) -> object:
    for name in path:
        if not isinstance(obj, dict):
            return None
        obj = cast("Json", obj).get(name)
    return obj


def part(obj: object, *path: str) -> Json:
    """The object at a path, or an empty one."""
    value = _value(obj, path)
    return cast("Json", value) if isinstance(value, dict) else {}


def items(obj: object, *path: str) -> Iterator[Json]:
    """The objects in the list at a path."""
    value = _value(obj, path)
    if isinstance(value, list):
        yield from (each for each in cast("list[object]", value) if isinstance(each, dict))


def number(obj: object, *path: str, default: int = 0) -> int:
    """The integer at a path."""
    value = _value(obj, path)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def text(obj: object, *path: str) -> str:
    """The string at a path, or an empty one."""
    value = _value(obj, path)
    return value if isinstance(value, str) else ""


def flag(obj: object, *path: str) -> bool:
    """Whether there is a true at a path."""
    return _value(obj, path) is True


def conditions(obj: Json) -> Iterator[Json]:
    """The conditions in the status of an object."""
    return items(obj, "status", "conditions")


def condition_of(obj: Json, type_: str) -> Json:
    """The condition of a type, in whatever case the type is written; empty if there is none."""
    wanted = type_.casefold()
    for each in conditions(obj):
        if text(each, "type").casefold() == wanted:
            return each
    return {}


def said(condition: object) -> str:
    """The reason and the message of a condition or of a container's state, in one line."""
    words = (text(condition, "reason"), text(condition, "message"))
    return one_line(": ".join(word for word in words if word))


def kind_of(obj: Json) -> str:
    """The kind with its group, such as `Deployment.apps` or `Pod`."""
    group, slash, _ = text(obj, "apiVersion").rpartition("/")
    return f"{text(obj, 'kind')}.{group}" if slash else text(obj, "kind")


def generation_problem(obj: Json, *, required: bool = False) -> str:
    """Say that the controller has not seen the present spec; empty if it has, or nothing tells.

    With `required`, a status without observedGeneration is one of a controller that has not seen
    the object.
    """
    generation = number(obj, "metadata", "generation")
    observed = number(obj, "status", "observedGeneration", default=-1)
    if observed >= generation or (observed < 0 and not required) or not generation:
        return ""
    seen = f"it has seen {observed}" if observed > 0 else "it has seen none"
    return f"its controller has not seen generation {generation} yet ({seen})"
