"""Variables that outlive a process of the program: those of modules, classes and outer functions.

A process that was killed has lost them. In a run they are still there, and in the next run, too.
"""

from __future__ import annotations

import sys
from collections import deque
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

__all__ = ["Outliving"]

_VALUES: Final = (dict, list, set, deque, bytearray, int, float, str, bytes, tuple, frozenset)
_MOST_ITEMS: Final = 10_000
_NAMED: Final = 5


class Outliving:
    """Compares variables with what they were at first.

    Args:
        modules: the modules of the program, by name.
        functions: the program, whose variables of outer functions count, too.
    """

    def __init__(self, modules: Callable[[], dict[str, ModuleType]], *functions: object) -> None:
        self._modules = modules
        self._functions = functions
        self._before = self._values()

    def changed(self) -> list[str]:
        """The names of the variables that have another value now."""
        before = self._before
        now = self._values()
        return sorted(name for name in before if name in now and before[name] != now[name])

    def hint(self) -> str:
        """A sentence about them; empty if there are none."""
        names = self.changed()
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return f"These have changed: {', '.join(names[:_NAMED])}{more}." if names else ""

    def _values(self) -> dict[str, str]:
        return {name: _text(value) for name, value in self._variables() if _counts(value)}

    def _variables(self) -> Iterator[tuple[str, Any]]:
        modules = {
            name: module for name, module in self._modules().items() if not _is_generated(name)
        }
        for name, module in modules.items():
            for word, value in _public(module):
                yield f"{name}.{word}", value
                is_class = isinstance(value, type) and value.__module__ == name
                if is_class or type(value).__module__ in modules:
                    for field, inner in _public(value):
                        yield f"{name}.{word}.{field}", inner
        for function in self._functions:
            yield from _outer_variables(function)


def _public(owner: object) -> Iterator[tuple[str, Any]]:
    for name, value in tuple(getattr(owner, "__dict__", {}).items()):
        if not name.startswith("__"):
            yield name, value


def _outer_variables(function: object) -> Iterator[tuple[str, Any]]:
    """The variables of the functions around this one, which it uses."""
    words = getattr(getattr(function, "__code__", None), "co_freevars", ())
    cells = getattr(function, "__closure__", None) or ()
    for word, cell in zip(words, cells, strict=False):
        with suppress(ValueError):  # it has no value yet
            yield f"{word} (in a function around build)", cell.cell_contents


def _counts(value: object) -> bool:
    return isinstance(value, _VALUES) and (
        not isinstance(value, (dict, list, set, deque)) or len(value) <= _MOST_ITEMS  # pyright: ignore[reportUnknownArgumentType]
    )


def _text(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - whatever a class of the program raises
        return ""


def _is_generated(name: str) -> bool:
    """Whether a module belongs to a package that clientgen has generated."""
    file = getattr(sys.modules.get(name.partition(".")[0]), "__file__", None)
    return file is not None and _has_manifest(str(file))


@cache
def _has_manifest(package: str) -> bool:
    return (Path(package).parent / "_manifest.json").exists()
