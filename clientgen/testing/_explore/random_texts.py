"""Random texts in objects: hexadecimal numbers that differ between equal runs.

A hash of a spec looks like a uid, but is the same in each run, and a wrong hash is a bug. So a
field counts as random only if its texts differ between runs with other uids, times and versions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import json

from clientgen._json import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Place: TypeAlias = "tuple[str, str]"
"""A resource, and the path of a field without the numbers of items."""

_HEX: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?<![0-9a-f])(?=[a-f]*[0-9])[0-9a-f]{8,}(?![0-9a-f])"
)


def without_random(text: str) -> str:
    """Replace the parts of a text that may be random."""
    return _HEX.sub("<random>", text)


class RandomTexts:
    """Knows the fields whose texts are not random; at first none."""

    def __init__(self) -> None:
        self._fixed: frozenset[Place] = frozenset()

    def learn(self, *runs: tuple[dict[str, list[str]], object]) -> None:
        """Learn the fields that are equal in all of these runs: pairs of a state and a value."""
        first, *others = [_texts_by_place(state, value) for state, value in runs]
        self._fixed = frozenset(
            place
            for place, texts in first.items()
            if all(sorted(texts) == sorted(other.get(place, ())) for other in others)
        )

    def state(self, state: dict[str, list[str]]) -> dict[str, list[str]]:
        """Return a state without its random texts."""
        plain: dict[str, list[str]] = {}
        for title, texts in state.items():
            resource, _, where = title.partition(" ")
            plain_title = f"{resource} {self._without_random((resource, 'name'), where)}"
            plain.setdefault(plain_title, []).extend(
                self._object(resource, each) if _HEX.search(each) else each for each in texts
            )
        for values in plain.values():
            values.sort()
        return plain

    def value(self, value: object) -> object:
        """Return a JSON value without its random texts."""
        return _map_texts(value, ("", ""), self._without_random)

    def _object(self, resource: str, text: str) -> str:
        value = _map_texts(json.decode(text), (resource, ""), self._without_random)
        return json.encode(value, order="sorted").decode()

    def _without_random(self, place: Place, text: str) -> str:
        return text if place in self._fixed else without_random(text)


def may_be_random(state: dict[str, list[str]], value: object) -> bool:
    """Whether a state or a value contains texts that may be random."""
    return bool(_texts_by_place(state, value))


def _texts_by_place(state: dict[str, list[str]], value: object) -> dict[Place, list[str]]:
    found: dict[Place, list[str]] = {}

    def note_text(place: Place, text: str) -> str:
        if words := _HEX.findall(text):
            found.setdefault(place, []).extend(words)
        return text

    for title, texts in state.items():
        resource, _, where = title.partition(" ")
        note_text((resource, "name"), where)
        for each in texts:
            if _HEX.search(each):
                _map_texts(json.decode(each), (resource, ""), note_text)
    _map_texts(value, ("", ""), note_text)
    return found


def _map_texts(value: Any, place: Place, text: Callable[[Place, str], str]) -> Any:
    resource, path = place
    if isinstance(value, str):
        return text(place, value)
    if is_array(value):
        return sorted((_map_texts(part, place, text) for part in value), key=_sort_key)
    if is_object(value):
        return _with_keys(
            (
                _map_texts(name, (resource, f"{path}{{}}"), text),
                _map_texts(part, (resource, f"{path}.{without_random(str(name))}"), text),
            )
            for name, part in value.items()
        )
    return value


def _with_keys(parts: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Make a dict. Keys may have become equal without their random parts; they get numbers."""
    by_key: dict[Any, list[Any]] = {}
    for key, part in parts:
        by_key.setdefault(key, []).append(part)
    made: dict[Any, Any] = {}
    for key, several in by_key.items():
        made[key], *others = sorted(several, key=_sort_key)
        made.update((f"{key} {number}", part) for number, part in enumerate(others, 2))
    return made


def _sort_key(value: Any) -> bytes:
    return json.encode(value, order="sorted")
