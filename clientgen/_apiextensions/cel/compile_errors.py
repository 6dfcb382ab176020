"""Errors of expressions that do not compile, where cel-go says or places them differently.

Facts: docs/internals/kubernetes-semantics.md, 1.13.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .constructors import Constructed

_ERROR: Final = re.compile(r"ERROR: <input>:(\d+):(\d+): (.*?)\n \| [^\n]*\n \| \.*\^", re.DOTALL)
_UNDECLARED: Final = re.compile(r"undeclared reference to '([\w.]+)' \(in container ''\)")
_OVERLOAD: Final = re.compile(
    r"(found no matching overload for '(\w+)' applied to )'\(([^,()]+(?:\([^()]*\))?)(?:, )?(.*)\)'"
)


def compile_errors(problem: str, text: str, constructed: Constructed, *, composed: bool) -> str:
    """Return the errors of an expression in the words of cel-go.

    Args:
        problem: the library's words for them, which begin with what failed.
        text: the expression as it was written.
        constructed: the expression as it was compiled.
        composed: whether the policy has variables.
    """
    lines = constructed.text.split("\n")

    def told(error: re.Match[str]) -> str:
        row, column = int(error[1]), int(error[2])
        position = sum(len(line) + 1 for line in lines[: row - 1]) + column - 1
        return _told(error[3], text, constructed.origin(position), composed=composed)

    return _ERROR.sub(told, problem)


def _told(message: str, text: str, position: int, *, composed: bool) -> str:
    if undeclared := _UNDECLARED.fullmatch(message):
        first, dot, rest = undeclared[1].partition(".")
        if dot and first == "variables" and composed:
            message = f"undefined field '{rest.split('.')[0]}'"
        elif dot:
            message = f"undeclared reference to '{first}' (in container '')"
            position = max(text.rfind(first, 0, position), 0)
        elif constructor := re.compile(rf"{first}\s*(?={{)").match(text, position):
            position = constructor.end()
    elif (overload := _OVERLOAD.fullmatch(message)) and _is_member(overload[2], text, position):
        message = f"{overload[1]}'{overload[3]}.({overload[4]})'"
    before = text[:position]
    row, start = before.count("\n") + 1, before.rfind("\n") + 1
    line = text[start:].partition("\n")[0]
    column = position - start
    return f"ERROR: <input>:{row}:{column + 1}: {message}\n | {line}\n | {'.' * column}^"


def _is_member(function: str, text: str, position: int) -> bool:
    """Return whether a call, whose bracket is at the position, is one of a member."""
    return bool(re.search(rf"\.\s*{function}\s*$", text[:position]))
