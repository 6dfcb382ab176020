"""Expressions of admission policies and webhooks, whose variables may be of any type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..libraries import MissingLibrary
from .expressions import BadExpression, check_types

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["expression_problem"]


def expression_problem(text: str, names: Iterable[str], wanted: tuple[str, ...]) -> str:
    """What is wrong with an expression on these variables that has one of the `wanted` types.

    Nothing is when it is right, and where CEL's library is not installed.
    """
    try:
        check_types(text, names, wanted)
    except BadExpression as problem:
        return str(problem)
    except MissingLibrary:
        return ""
    return ""
