"""Layout of generated Python: folded calls and imports; `literals` lays out texts.

The layout is black's own, so that formatting has nothing left to do, in the derived synchronous
modules too, where the words are shorter.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable

from clientgen.generator.literals import WIDTH, quoted

# The indentation of attributes, and of the parts of their types.
_ATTRIBUTE = "    "
_PIECES = re.compile(r"""[\[\](){}]| \| |, |"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w.]+|.""")
_OPENING, _CLOSING = frozenset("[({"), frozenset("])}")


def section(module: str) -> int:
    """Which block of imports a module belongs to: standard library, third party, this package."""
    if module.startswith("."):
        return 2
    return 0 if module.partition(".")[0] in sys.stdlib_module_names else 1


def module_order(module: str) -> tuple[int, int, str]:
    """Return the sort key of an import: by blocks, and the farthest modules first."""
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


def fold(text: str) -> str:
    """Fold each line of code that is too long: an argument a line, with a trailing comma.

    black keeps both forms as they are, in the derived flavour too, where the words are shorter.
    """
    return "\n".join(_fold_call(line) if len(line) > WIDTH else line for line in text.split("\n"))


def _fold_call(line: str) -> str:
    """The head of a class or function, or a statement, with what is in its parentheses folded."""
    head, bracket, rest = line.partition("(")
    if not bracket or line.lstrip().startswith('"'):
        return line
    arguments, tail = _arguments(rest)
    if not arguments:
        return line
    indent = " " * (len(line) - len(line.lstrip()))
    inner = [argument(each, len(indent) + 4) for each in arguments]
    return "\n".join([f"{head}(", *inner, f"{indent}){tail}"])


def argument(text: str, indent: int) -> str:
    """An argument on a line of its own, of a call or of the head of a function; or on several."""
    line = f"{' ' * indent}{text},"
    name, colon, annotation = text.partition(": ")
    members = _split(annotation, " | ") if name.isidentifier() and colon else []
    if len(line) <= WIDTH or len(members) < 2 or " = " in annotation:  # noqa: PLR2004 - a union
        return fold(line)
    pad = " " * indent
    return f"{pad}{name}: (\n{_union(members, indent + 4)}\n{pad}),"


def _arguments(rest: str) -> tuple[list[str], str]:
    """The arguments of a call and what follows, from the text behind its parenthesis."""
    inner, tail = rest, ""
    depth = 0
    for piece in _PIECES.finditer(rest):
        depth += (piece[0] in _OPENING) - (piece[0] in _CLOSING)
        if depth < 0:
            inner, tail = rest[: piece.start()], rest[piece.end() :]
            break
    return [argument for argument in _split(inner.removesuffix(","), ", ") if argument], tail


def attribute(name: str, annotation: str, value: str = "") -> str:
    """An attribute of a class, `name: annotation = value`; what is too long is folded.

    Args:
        name: The attribute.
        annotation: Its type: names, subscripts and unions of them.
        value: None, a call, or nothing.
    """
    head = f"{_ATTRIBUTE}{name}: "
    if _fits(head + annotation + _equals(value)):
        return head + annotation + _equals(value)
    value = _folded_value(value)
    if _fits(head + annotation + _equals(value)):
        return head + annotation + _equals(value)
    if value and _fits(f"{head}{annotation} = ("):
        inner = textwrap.indent(f"{_ATTRIBUTE}{value}", "    ")
        return f"{head}{annotation} = (\n{inner}\n{_ATTRIBUTE})"
    members = _split(annotation, " | ")
    if len(members) > 1 or "[" not in annotation:
        return f"{head}(\n{_union(members, 8)}\n{_ATTRIBUTE}){_equals(value)}"
    return _folded(head, annotation, 4) + _equals(value)


def _folded_value(value: str) -> str:
    function, bracket, rest = value.partition("(")
    arguments = _arguments(rest)[0]
    if not bracket or not arguments:
        return value
    inner = [f"{_ATTRIBUTE}    {argument}," for argument in arguments]
    return "\n".join([f"{function}(", *inner, f"{_ATTRIBUTE})"])


def _equals(value: str) -> str:
    return f" = {value}" if value else ""


def _fits(text: str) -> bool:
    """Return whether the first line of a text is short enough."""
    return len(text.partition("\n")[0]) <= WIDTH


def _split(text: str, separator: str) -> list[str]:
    """The parts of a type between separators that are not inside of brackets or strings."""
    parts = [""]
    depth = 0
    for piece in _PIECES.findall(text):
        depth += (piece in _OPENING) - (piece in _CLOSING)
        if depth == 0 and piece == separator:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _type(head: str, annotation: str, indent: int, tail: str = "") -> str:
    """`head` and a type, on a line or folded."""
    if _fits(head + annotation + tail):
        return head + annotation + tail
    members = _split(annotation, " | ")
    if len(members) > 1:
        return _union(members, indent, tail)
    return _folded(head, annotation, indent) + tail


def _union(members: list[str], indent: int, tail: str = "") -> str:
    """A type of alternatives on lines of their own."""
    pad = " " * indent
    if _fits(pad + " | ".join(members) + tail):
        return pad + " | ".join(members) + tail
    heads = [pad, *[f"{pad}| "] * (len(members) - 1)]
    tails = [*[""] * (len(members) - 1), tail]
    return "\n".join(
        _type(head, member, indent, end)
        for head, member, end in zip(heads, members, tails, strict=True)
    )


def _folded(head: str, annotation: str, indent: int) -> str:
    """`head` and a type with its arguments on lines of their own."""
    generic, bracket, rest = annotation.partition("[")
    if not bracket:
        return head + annotation
    inner = rest.removesuffix("]")
    arguments = _split(inner, ", ")
    pad = " " * (indent + 4)
    if _fits(pad + inner) or len(arguments) == 1:
        lines = [_type(pad, inner, indent + 4)]
    else:
        lines = [_type(pad, argument, indent + 4, ",") for argument in arguments]
    return "\n".join([f"{head}{generic}[", *lines, f"{' ' * indent}]"])


def strings(texts: Iterable[str]) -> str:
    """A tuple of strings."""
    listed = [quoted(text) for text in texts]
    return f"({', '.join(listed)}{',' if len(listed) == 1 else ''})"
