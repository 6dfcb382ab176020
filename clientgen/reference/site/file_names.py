"""The names of files and anchors: made from foreign names, and never paths that lead elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clientgen.generator.ir import PythonClass
    from clientgen.reference.records import Home, Type

_OTHER: Final = re.compile(r"[^A-Za-z0-9_-]")
_MAX_CHARS: Final = 100
# No file can be called so on Windows, whatever its ending is; `index` is the page of a folder.
_TAKEN: Final = frozenset(
    {
        *("index", "con", "prn", "aux", "nul"),
        *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
    }
)
OTHERS: Final = "other"
"""The folder of types that are no part of the package, with a folder for each of their modules."""


def plain(name: str) -> str:
    """A name in letters, digits, hyphens and underscores."""
    return _OTHER.sub("_", name)[:_MAX_CHARS] or "_"


def folder_of(home: Home) -> str:
    """The folder of a group version: `core/v1`."""
    return _folder(home.folder.split("/"))


def _folder(parts: Iterable[str]) -> str:
    return "/".join(map(plain, parts))


class Paths:
    """The path of the page of each type. No two differ only by upper and lower case."""

    def __init__(self, types: Iterable[tuple[Type, Home | None]]) -> None:
        """Choose paths for types, each with the group version that it is a part of."""
        self._paths: dict[PythonClass, str] = {}
        used: set[str] = set()
        for type_, home in types:
            folder = folder_of(home) if home else _folder([OTHERS, *type_.import_from.split(".")])
            self._paths[type_.id] = path = _free(f"{folder}/{plain(type_.id.name)}", used)
            used.add(path.removesuffix(".html").lower())

    def __contains__(self, name: PythonClass) -> bool:
        """Return whether a type has a page."""
        return name in self._paths

    def of(self, name: PythonClass) -> str:
        """The path of the page of a type, from the top of the site."""
        return self._paths[name]


def _free(wanted: str, used: set[str]) -> str:
    path, number = wanted, 1
    while path.lower() in used or path.rpartition("/")[2].lower() in _TAKEN:
        number += 1
        path = f"{wanted}-{number}"
    return f"{path}.html"


def anchors(prefix: str, names: Iterable[str]) -> dict[str, str]:
    """An anchor for each name of a page."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        anchor = wanted = f"{prefix}-{plain(name)}"
        number = 1
        while anchor in used:
            number += 1
            anchor = f"{wanted}-{number}"
        used.add(anchor)
        found[name] = anchor
    return found
