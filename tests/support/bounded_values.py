"""Values of a given size, for a field of a schema: numbers, texts, lists and maps."""

# JSON by hand has no types to speak of.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

Sized: TypeAlias = Callable[[int], Any]
_NAMING = (
    "name",
    "key",
    "type",
    "id",
    "uid",
    "ip",
    "operator",
    "device",
    "driver",
    "fieldPath",
    "expression",
)
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+(/\d+)?")


def sized(schema: Any, unit: str, known: list[Any]) -> Iterator[Sized]:
    """Yield functions that make a value of a size, or None if they cannot.

    `known` are values that objects have.
    """
    reference = schema.get("$ref", "").rpartition(".")[2]
    kind = schema.get("type")
    if unit == "":
        yield from _numbers(schema, reference, known)
    elif kind == "array":
        yield from _lists(known)
    elif kind == "object" and "additionalProperties" in schema:
        yield from _maps(known)
    elif kind == "string":
        yield from _texts(known)
    else:
        yield lambda size: {"a": "b" * (size - len('{"a":""}'))}


def _numbers(schema: Any, reference: str, known: list[Any]) -> Iterator[Sized]:
    if schema.get("type") == "array":
        yield lambda size: [size]
    elif "additionalProperties" in schema:
        yield from (partial(_of_each_key, value) for value in known or [{"cpu": "1"}])
    elif reference == "Quantity":
        yield str
    else:
        yield lambda size: size


def _texts(known: list[Any]) -> Iterator[Sized]:
    yield lambda size: "a" * size
    yield from (partial(_grown, value) for value in islice(known, 3))
    yield lambda size: "'" + "a" * (size - 2) + "'"
    yield from (str(value).ljust for value in islice(known, 3))
    yield lambda size: ("a" * 61 + ".") * (size // 62) + "a" * (size % 62)
    yield lambda size: "example.com/" + "a" * (size - 12)
    yield lambda size: "1.0.0-" + "a" * (size - 6)


def _lists(known: list[Any]) -> Iterator[Sized]:
    items = [item for value in known if isinstance(value, list) for item in value]
    yield partial(_first, [item for n, item in enumerate(items) if item not in items[:n]])
    for item in islice([*items, "a"], 4):
        yield from (partial(_varied, item, vary) for vary in (_named, _whole, _alike))


def _maps(known: list[Any]) -> Iterator[Sized]:
    items = [item for value in known if isinstance(value, dict) for item in value.values()]
    yield from (partial(_of_numbered_keys, item) for item in islice([*items, "1", "a"], 4))


def _of_each_key(value: Any, size: int) -> Any:
    return {key: str(size) for key in value}


def _of_numbered_keys(item: Any, size: int) -> Any:
    return {f"k{number}": item for number in range(size)}


def _grown(value: str, size: int) -> Any:
    return (value + "a" * (size - len(value)))[:size]


def _first(items: list[Any], size: int) -> Any:
    return items[:size] if size <= len(items) else None


def _varied(item: Any, vary: Callable[[Any, int], Any], size: int) -> Any:
    return [vary(item, number) for number in range(size)]


def _alike(value: Any, number: int) -> Any:
    del number
    return value


def _named(value: Any, number: int) -> Any:
    """The same, under another name."""
    if not isinstance(value, dict):
        return _whole(value, number)
    named = [key for key in _NAMING if isinstance(value.get(key), str)][:1]
    return {**value, **{key: _whole(value[key], number) for key in named}}


def _whole(value: Any, number: int) -> Any:
    """The same, with every text and number another one."""
    if isinstance(value, dict):
        return {key: _whole(each, number) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each, number) for each in value]
    if isinstance(value, str):
        return _other(value, number)
    return value + number if isinstance(value, int) and not isinstance(value, bool) else value


def _other(text: str, number: int) -> str:
    if found := _ADDRESS.fullmatch(text):
        return f"10.0.{number // 256}.{number % 256}{found[1] or ''}"
    return f"{text}{number}" if number else text
