"""How generated Python is laid out: folded calls and imports; texts are laid out by `literals`.

The layout is black's own, so that formatting has nothing left to do, in the derived synchronous
modules too, where the words are shorter.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from clientgen.generator.literals import WIDTH, quoted

__all__ = [
    "fold",
    "from_import",
    "import_order",
    "inner_import",
    "module_order",
    "naming_attributes",
    "none_by_default",
    "section",
]


def section(module: str) -> int:
    """Which block of imports a module belongs to: standard library, third party, this package."""
    if module.startswith("."):
        return 2
    return 0 if module.partition(".")[0] in sys.stdlib_module_names else 1


def module_order(module: str) -> tuple[int, int, str]:
    """Where the import of a module stands: by blocks, and what is farther away first."""
    return section(module), len(module.lstrip(".")) - len(module), module


def import_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions: isort's order."""
    bare = name.split(" ", maxsplit=1)[0]
    return (0 if bare.isupper() else 1 if bare[:1].isupper() else 2), name


def from_import(module: str, names: list[str], indent: int = 0) -> str:
    """An import, a name a line if it is long."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH - indent:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def inner_import(module: str, name: str) -> str:
    """An import inside a method."""
    return from_import(module, [name], indent=8)


def fold(head: str, arguments: Iterable[str], tail: str = "") -> str:
    """`head(arguments)tail` on one line, or an argument a line with a trailing comma.

    Black keeps both as they are, in the derived flavour too, where the words are shorter.
    """
    listed = [argument for argument in arguments if argument]
    line = f"{head}({', '.join(listed)}){tail}"
    if len(line) <= WIDTH or not listed:
        return line
    indent = " " * (len(head) - len(head.lstrip()))
    return "\n".join([f"{head}(", *(f"{indent}    {a}," for a in listed), f"{indent}){tail}"])


def none_by_default(declaration: str) -> str:
    """An attribute that is None by default; a long union is put in parentheses."""
    if len(declaration) + len(" = None") <= WIDTH:
        return f"{declaration} = None"
    name, _, annotation = declaration.partition(": ")
    return f"{name}: (\n        {annotation}\n    ) = None"


def naming_attributes(keyword: str, attributes: tuple[str, ...]) -> str:
    """A class keyword that names attributes, `sensitive=("data",)`; nothing if there are none."""
    if not attributes:
        return ""
    listed = ", ".join(map(quoted, attributes)) + ("," if len(attributes) == 1 else "")
    line = f"{keyword}=({listed})"
    if len(line) + len("    ,") <= WIDTH:
        return line
    return "\n".join(
        [f"{keyword}=(", *(f"        {quoted(each)}," for each in attributes), "    )"]
    )
