"""Items of `set` and `map` lists that are there twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import json

from clientgen._apimachinery.failures import Cause, duplicate, invalid_value
from clientgen._json import is_array, is_container, is_object

from .correlation import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .structure import Structure


def repeated(value: Any, structure: Structure | None, path: str = "") -> list[Cause]:
    """The items that are there a second time, anywhere in the value."""
    if structure is None:
        return []
    if is_object(value):
        return [
            cause for member_causes in _members(value, structure, path) for cause in member_causes
        ]
    if is_array(value):
        return _in_list(value, structure, path)
    return []


def _members(value: dict[str, Any], structure: Structure, path: str) -> Iterator[list[Cause]]:
    for name, member in value.items():
        if is_container(member):
            substructure = structure.properties.get(name)
            if substructure is not None:
                yield repeated(member, substructure, f"{path}.{name}" if path else name)
            else:
                yield repeated(member, structure.additional, f"{path}[{name}]")


def _in_list(value: list[Any], structure: Structure, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if structure.list_type == "set":
        causes = [duplicate(f"{path}[{at}]", value[at]) for at in _second(value)]
    elif structure.list_type == "map":
        causes = _in_map(value, structure, path)
    for at, item in enumerate(value):
        if is_container(item):
            causes += repeated(item, structure.items, f"{path}[{at}]")
    return causes


def _in_map(value: list[Any], structure: Structure, path: str) -> list[Cause]:
    for at, item in enumerate(value):
        if item is not None and not is_object(item):
            why = "must be an object for an array of list-type map"
            return [invalid_value(f"{path}[{at}]", item, why)]
    keys = [key_of(structure, item) if is_object(item) else {} for item in value]
    return [duplicate(f"{path}[{at}]", keys[at]) for at in _second(keys)]


def _second(values: Iterable[Any]) -> Iterator[int]:
    """Yield the index of the second occurrence of each value that occurs more than once."""
    counts: dict[bytes, int] = {}
    for at, item in enumerate(values):
        text = json.encode(item, order="deterministic")
        counts[text] = counts.get(text, 0) + 1
        if counts[text] == 2:  # noqa: PLR2004 - the second one
            yield at
