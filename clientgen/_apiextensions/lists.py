"""Items of `set` and `map` lists that are there twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import json

from clientgen._apimachinery.failures import Cause, duplicate, invalid_value

from .correlation import key_of
from .shapes import is_container, is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .structure import Structure

__all__ = ["repeated"]


def repeated(value: Any, structure: Structure | None, path: str = "") -> list[Cause]:
    """The items that are there a second time, anywhere in the value."""
    if structure is None:
        return []
    if is_object(value):
        return [cause for each in _members(value, structure, path) for cause in each]
    if is_list(value):
        return _in_list(value, structure, path)
    return []


def _members(value: dict[str, Any], structure: Structure, path: str) -> Iterator[list[Cause]]:
    for name, each in value.items():
        if is_container(each):
            substructure = structure.properties.get(name)
            if substructure is not None:
                yield repeated(each, substructure, f"{path}.{name}" if path else name)
            else:
                yield repeated(each, structure.additional, f"{path}[{name}]")


def _in_list(value: list[Any], structure: Structure, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if structure.list_type == "set":
        causes = [duplicate(f"{path}[{at}]", value[at]) for at in _second(value)]
    elif structure.list_type == "map":
        causes = _in_map(value, structure, path)
    for at, each in enumerate(value):
        if is_container(each):
            causes += repeated(each, structure.items, f"{path}[{at}]")
    return causes


def _in_map(value: list[Any], structure: Structure, path: str) -> list[Cause]:
    for at, each in enumerate(value):
        if each is not None and not is_object(each):
            why = "must be an object for an array of list-type map"
            return [invalid_value(f"{path}[{at}]", each, why)]
    keys = [key_of(structure, each) if is_object(each) else {} for each in value]
    return [duplicate(f"{path}[{at}]", keys[at]) for at in _second(keys)]


def _second(values: Iterable[Any]) -> Iterator[int]:
    """Where each value that is there more than once stands for the second time."""
    counts: dict[bytes, int] = {}
    for at, each in enumerate(values):
        text = json.encode(each, order="deterministic")
        counts[text] = counts.get(text, 0) + 1
        if counts[text] == 2:  # noqa: PLR2004 - the second one
            yield at
