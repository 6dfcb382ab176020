"""Random texts: numbers that are written in hexadecimal digits, and differ in equal runs.

A hash of a spec looks like a uid, and is the same in each run: a wrong one is a finding. So a
place of an object holds random texts only if they differ between runs with other uids, times and
versions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import json

from clientgen._json import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["RandomTexts", "may_be_random", "without_random"]

Place: TypeAlias = "tuple[str, str]"
"""A resource, and the path of a field without the numbers of items."""

_HEX: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?<![0-9a-f])(?=[a-f]*[0-9])[0-9a-f]{8,}(?![0-9a-f])"
)


def without_random(text: str) -> str:
    """The text with a word instead of what may be random."""
    return _HEX.sub("<random>", text)


class RandomTexts:
    """Knows the places whose texts are not random. At first, there are none."""

    def __init__(self) -> None:
        self._fixed: frozenset[Place] = frozenset()

    def learn(self, *runs: tuple[dict[str, list[str]], object]) -> None:
        """Take the places that are equal in all of these runs; each is a state and a value."""
        first, *others = [_found(state, value) for state, value in runs]
        self._fixed = frozenset(
            place
            for place, texts in first.items()
            if all(sorted(texts) == sorted(other.get(place, ())) for other in others)
        )

    def state(self, state: dict[str, list[str]]) -> dict[str, list[str]]:
        """A state without its random texts."""
        plain: dict[str, list[str]] = {}
        for title, texts in state.items():
            resource, _, where = title.partition(" ")
            shown = f"{resource} {self._text((resource, 'name'), where)}"
            plain.setdefault(shown, []).extend(
                self._json(resource, each) if _HEX.search(each) else each for each in texts
            )
        for values in plain.values():
            values.sort()
        return plain

    def value(self, value: object) -> object:
        """A JSON value without its random texts."""
        return _walked(value, ("", ""), self._text)

    def _json(self, resource: str, text: str) -> str:
        value = _walked(json.decode(text), (resource, ""), self._text)
        return json.encode(value, order="sorted").decode()

    def _text(self, place: Place, text: str) -> str:
        return text if place in self._fixed else without_random(text)


def may_be_random(state: dict[str, list[str]], value: object) -> bool:
    """Whether there is a text that may be random."""
    return bool(_found(state, value))


def _found(state: dict[str, list[str]], value: object) -> dict[Place, list[str]]:
    found: dict[Place, list[str]] = {}

    def note(place: Place, text: str) -> str:
        if words := _HEX.findall(text):
            found.setdefault(place, []).extend(words)
        return text

    for title, texts in state.items():
        resource, _, where = title.partition(" ")
        note((resource, "name"), where)
        for each in texts:
            if _HEX.search(each):
                _walked(json.decode(each), (resource, ""), note)
    _walked(value, ("", ""), note)
    return found


def _walked(value: Any, place: Place, text: Callable[[Place, str], str]) -> Any:
    resource, path = place
    if isinstance(value, str):
        return text(place, value)
    if is_array(value):
        return sorted((_walked(part, place, text) for part in value), key=_sort_key)
    if is_object(value):
        return _with_keys(
            (
                _walked(name, (resource, f"{path}{{}}"), text),
                _walked(part, (resource, f"{path}.{without_random(str(name))}"), text),
            )
            for name, part in value.items()
        )
    return value


def _with_keys(parts: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Make a dict. Keys that were random may be equal now; then the second gets a number."""
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
