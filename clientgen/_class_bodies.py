"""Fields of class bodies, and the strings below them."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class AnnotatedField(NamedTuple):
    """A field of a class body.

    Attributes:
        name: its name.
        statement: the annotated assignment.
        text: the string in the next statement, without the indent; empty if there is none.
    """

    name: str
    statement: ast.AnnAssign
    text: str


def annotated_fields(body: Sequence[ast.stmt]) -> Iterator[AnnotatedField]:
    """Yield the annotated names of a class body, in order."""
    for statement, below in pairwise([*body, ast.Pass()]):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield AnnotatedField(statement.target.id, statement, _string(below))


def _string(statement: ast.stmt) -> str:
    match statement:
        case ast.Expr(value=ast.Constant(value=str() as text)):
            return inspect.cleandoc(text)
        case _:
            return ""
