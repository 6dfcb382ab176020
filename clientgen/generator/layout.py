"""How generated Python is laid out: folded calls, imports, literals and docstrings.

The layout is black's own, so that formatting has nothing left to do, in the derived synchronous
modules too, where the words are shorter.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable

__all__ = [
    "WIDTH",
    "docstring",
    "fold",
    "from_import",
    "import_order",
    "inner_import",
    "module_order",
    "none_by_default",
    "quoted",
    "section",
    "sensitive",
]

WIDTH = 100


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


def sensitive(attributes: tuple[str, ...]) -> str:
    """The class keyword that keeps attributes out of reprs."""
    listed = ", ".join(map(quoted, attributes)) + ("," if len(attributes) == 1 else "")
    return f", sensitive=({listed})" if attributes else ""


def quoted(text: str) -> str:
    """A string literal as black writes it: double quotes where that needs no more escapes."""
    literal = repr(text)
    if literal[0] == '"' or '"' in text:
        return literal
    return f'"{literal[1:-1]}"'


_PARAGRAPHS = re.compile(r"\n\s*\n")
_LAID_OUT = re.compile(r"\s|[-*+\d]")
_QUOTES = '"""'


def docstring(text: str, indent: int) -> str:
    """A docstring that says any text; the first line comes without its indentation."""
    width, pad = WIDTH - indent, " " * indent
    first, *rest = _PARAGRAPHS.split(_escape(text).strip() or "…")
    if not rest and "\n" not in first and len(first) + 2 * len(_QUOTES) <= width:
        return f"{_QUOTES}{_close(first)}{_QUOTES}"
    opening = _paragraph(first, width, initial_indent=" " * len(_QUOTES)).lstrip()
    paragraphs = [opening, *(_paragraph(part, width) for part in rest)]
    lines = (_QUOTES + "\n\n".join(paragraphs)).splitlines()
    return "\n".join([lines[0], *(pad + line if line else "" for line in lines[1:]), pad + _QUOTES])


def _paragraph(text: str, width: int, initial_indent: str = "") -> str:
    """Prose is filled; lines that are laid out (lists, examples) stay lines, folded if need be."""
    lines = [line.rstrip() for line in text.splitlines()]
    if not any(_LAID_OUT.match(line) for line in lines[1:]):
        lines = [" ".join(lines)]
    first, *rest = lines
    filled = [_fill(first, width, initial_indent), *(_fill(line, width) for line in rest)]
    return "\n".join(filled)


def _fill(line: str, width: int, initial_indent: str = "") -> str:
    return textwrap.fill(
        line,
        width=width,
        initial_indent=initial_indent,
        subsequent_indent=" " * (len(line) - len(line.lstrip())),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _escape(text: str) -> str:
    """Text that may stand between triple quotes, whatever it says."""
    clean = text.replace("\\", "\\\\").replace(_QUOTES, '\\"\\"\\"').replace("\t", "    ")
    return "".join(char for char in clean if char == "\n" or char.isprintable())


def _close(text: str) -> str:
    """A quote at the end is kept from ending the docstring early."""
    return f'{text[:-1]}\\"' if text.endswith('"') else text
