"""CEL expressions that choose devices, checked when they are written.

Nothing is checked where CEL's library is not installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen import _apiextensions
from clientgen._apimachinery.failures import Cause, invalid_value

if TYPE_CHECKING:
    from collections.abc import Iterator


def device_expression_causes(path: str, text: str) -> Iterator[Cause]:
    """Check an expression that chooses devices."""
    problem = _apiextensions.expression_problem(text, ["device"], ("BOOL",))
    if problem:
        yield invalid_value(path, text, problem)
