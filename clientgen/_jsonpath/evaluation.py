"""Evaluation of a path where a path that does not fit selects nothing."""

from __future__ import annotations

from typing import Any

from .parser import parse
from .steps import Budget, run


def evaluate(path: str, value: Any) -> list[Any]:
    """List the values that `path` selects in a JSON value, in order.

    A path that does not fit the value, such as an index beyond the end of a list, selects nothing.

    Raises:
        ValueError: `path` cannot be read.
    """
    steps = parse(path)
    try:
        return run(steps, value, Budget())
    except ValueError:
        return []
