"""CEL expressions of built-in kinds: checked when they are written, run by nobody here.

Nothing is checked where CEL's library is not installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clientgen import _apiextensions
from clientgen._apimachinery.failures import Cause, invalid_value

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["device_expression_causes", "expression_causes"]

_KNOWN: Final = ("object", "oldObject", "request", "namespaceObject", "authorizer")


def device_expression_causes(path: str, text: str) -> Iterator[Cause]:
    """Check an expression that chooses devices."""
    return _causes(path, text, ["device"], ("BOOL",))


def expression_causes(
    path: str, text: str, *wanted: str, params: bool = False, variables: bool = False
) -> Iterator[Cause]:
    """Check an expression that has a value of one of the `wanted` types."""
    names = [*_KNOWN, *(["params"] if params else []), *(["variables"] if variables else [])]
    return _causes(path, text, names, wanted)


def _causes(path: str, text: str, names: list[str], wanted: tuple[str, ...]) -> Iterator[Cause]:
    problem = _apiextensions.expression_problem(text, names, wanted)
    if problem:
        yield invalid_value(path, text, problem)
