"""Expressions of admission policies and webhooks, whose variables may be of any type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..libraries import MissingLibrary
from .expressions import BadExpression, check_types

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["expression_problem"]


def expression_problem(text: str, names: Iterable[str], wanted: tuple[str, ...]) -> str:
    """Return the problem of an expression on these variables that must have a `wanted` type.

    The result is empty if the expression is right, or if CEL's library is not installed.
    """
    try:
        check_types(text, names, wanted)
    except BadExpression as problem:
        return str(problem)
    except MissingLibrary:
        return ""
    return ""
