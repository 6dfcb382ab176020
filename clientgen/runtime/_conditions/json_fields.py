"""Reads fields of JSON objects. A field that is missing or of another type has its default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ..errors import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

Json: TypeAlias = "dict[str, Any]"


def _value(obj: object, path: tuple[str, ...]) -> object:
    for name in path:
        if not isinstance(obj, dict):
            return None
        obj = cast("Json", obj).get(name)
    return obj


def part(obj: object, *path: str) -> Json:
    """Return the object at a path, or an empty object."""
    value = _value(obj, path)
    return cast("Json", value) if isinstance(value, dict) else {}


def items(obj: object, *path: str) -> Iterator[Json]:
    """Yield the objects in the list at a path."""
    value = _value(obj, path)
    if isinstance(value, list):
        yield from (each for each in cast("list[object]", value) if isinstance(each, dict))


def number(obj: object, *path: str, default: int = 0) -> int:
    """Return the integer at a path."""
    value = _value(obj, path)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def text(obj: object, *path: str) -> str:
    """Return the string at a path, or an empty string."""
    value = _value(obj, path)
    return value if isinstance(value, str) else ""


def texts(obj: object, *path: str) -> list[str]:
    """Return the strings in the list at a path."""
    value = _value(obj, path)
    values = cast("list[object]", value) if isinstance(value, list) else []
    return [each for each in values if isinstance(each, str)]


def flag(obj: object, *path: str) -> bool:
    """Return whether the value at a path is true."""
    return _value(obj, path) is True


def conditions(obj: Json) -> Iterator[Json]:
    """Yield the conditions in the status of an object."""
    return items(obj, "status", "conditions")


def condition_of(obj: Json, type_: str) -> Json:
    """Return the condition of a type, ignoring case; empty if the object has no such condition."""
    wanted = type_.casefold()
    for each in conditions(obj):
        if text(each, "type").casefold() == wanted:
            return each
    return {}


def reason_and_message(condition: object) -> str:
    """Join the reason and the message of a condition or a container's state, in one line."""
    words = (text(condition, "reason"), text(condition, "message"))
    return one_line(": ".join(word for word in words if word))


def kind_of(obj: Json) -> str:
    """Return the kind with its group, such as `Deployment.apps` or `Pod`."""
    group, slash, _ = text(obj, "apiVersion").rpartition("/")
    return f"{text(obj, 'kind')}.{group}" if slash else text(obj, "kind")


def generation_problem(obj: Json, *, required: bool = False) -> str:
    """Return a message if the controller has not seen the current spec; empty otherwise.

    A status without observedGeneration counts as current, unless it is `required`.
    """
    generation = number(obj, "metadata", "generation")
    observed = number(obj, "status", "observedGeneration", default=-1)
    if observed >= generation or (observed < 0 and not required) or not generation:
        return ""
    seen = f"it has seen {observed}" if observed > 0 else "it has seen none"
    return f"its controller has not seen generation {generation} yet ({seen})"
