"""The rules by which empty fields of built-in types are written or left out.

The schema does not tell: it is in the `json` tags of the Go types, which `fields.json` holds as far
as they differ from the rule (scripts/update-kubernetes writes it). The rule is: a required field is
always written; any other is left out when it is empty (`false`, `0`, `""`, `[]`, `{}`), unless it
is an object of named fields, which is kept when it was given. A name in the table is followed by

* `*`: a pointer. The empty value is kept when it was given; null stands for an absent object.
* `!`: always written, though not required.
* `?`: left out when empty, though required.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

_MARKS: Final = "*!?"


class Presence(NamedTuple):
    """The fields of one type that the rule does not cover."""

    pointers: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()
    droppable: frozenset[str] = frozenset()


_BY_RULE: Final = Presence()


def presence(definition: str) -> Presence:
    """Return the exceptional fields of the definition of that name."""
    package, _, name = definition.rpartition(".")
    listed: str = _table().get(package, {}).get(name, "")
    return _read(listed) if listed else _BY_RULE


@cache
def _table() -> dict[str, Any]:
    text = resources.files(__name__.rpartition(".")[0]).joinpath("fields.json").read_bytes()
    table: dict[str, Any] = json.loads(text)
    return table


def _read(listed: str) -> Presence:
    marked = [(entry.rstrip(_MARKS), entry) for entry in listed.split()]
    return Presence(
        *(frozenset(name for name, entry in marked if mark in entry) for mark in _MARKS)
    )
