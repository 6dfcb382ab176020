"""Names for objects without a name, made from their places.

A name must not change its meaning when a definition gets another property, so it depends on the
place of the object alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TypeAlias

from clientgen.generator.python_names import class_name

Path: TypeAlias = tuple[str, ...]
"""The definition an object is in, and the properties that lead to it."""

_MAX_NAME_LENGTH = 60
_MAX_PREFIX_LENGTH = 24
_LAST_PARTS = 3
_OWN_PARTS = (("spec",), ("status",))
_NO_LETTERS = re.compile(r"[^A-Za-z0-9]+")


def place_names(paths: Iterable[Path], used: Iterable[str] = ()) -> dict[Path, str]:
    """A name for each place: `CronTabSpecJobTemplate`.

    A name that would be longer than 60 characters is that of the definition, a mark of the whole
    path, and the last three properties or as many as fit. Places that would be called alike all
    have the mark; one that would be called like a definition has a number.

    Args:
        paths: the places.
        used: the names of definitions.
    """
    alike: dict[str, list[Path]] = {}
    for path in paths:
        name = class_name(_joined(path))
        alike.setdefault(name if _is_short(path, name) else _shortened(path), []).append(path)
    names = {
        path: name if len(path_of_name) == 1 else _marked(path, name)
        for name, path_of_name in alike.items()
        for path in path_of_name
    }
    return _numbered(names, {class_name(name) for name in used})


def _is_short(path: Path, name: str) -> bool:
    """Return whether a name is kept. Parts of a kind keep theirs, however long the kind's is."""
    return len(name) <= _MAX_NAME_LENGTH or (
        path[1:] in _OWN_PARTS and len(name) <= 2 * _MAX_NAME_LENGTH
    )


def _marked(path: Path, name: str) -> str:
    marked = f"{name}_{_mark(path)}"
    return marked if _is_short(path, marked) else _shortened(path)


def _mark(path: Path) -> str:
    return sha256("\n".join(path).encode()).hexdigest()[:4]


def _shortened(path: Path) -> str:
    """`FlinkDeployment_4f1a_SecurityContextWindowsOptions`."""
    mark = _mark(path)
    start = class_name(path[0])[:_MAX_PREFIX_LENGTH]
    room = _MAX_NAME_LENGTH - len(f"{start}_{mark}_")
    end = ""
    for name in reversed(path[1:][-_LAST_PARTS:]):
        longer = _capitalised(name) + end
        if end and len(longer) > room:
            break
        end = longer[:room]
    return f"{start}_{mark}_{end}"


def _numbered(names: Mapping[Path, str], used_names: set[str]) -> dict[Path, str]:
    used, wanted = set(used_names), set(names.values())
    chosen: dict[Path, str] = {}
    for path in sorted(names):
        name, number = names[path], 1
        while name in used or (number > 1 and name in wanted):
            number += 1
            name = f"{names[path]}{number}"
        used.add(name)
        chosen[path] = name
    return chosen


def _joined(path: Path) -> str:
    """The words of a path: `pod-template` and `pod_template` -> `PodTemplate`."""
    start, *properties = path
    return start + "".join(map(_capitalised, properties))


def _capitalised(name: str) -> str:
    parts = _NO_LETTERS.split(name)
    return "".join(part[:1].upper() + part[1:] for part in parts) or "Field"
