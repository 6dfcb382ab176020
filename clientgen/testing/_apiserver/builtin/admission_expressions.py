"""Expressions of admission: checked when they are written, run by nobody here.

What checks them is custom resources' own (`custom`), which stands above this package; `check_by`
is how it is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from clientgen._apimachinery.failures import Cause, invalid_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Checker: TypeAlias = Callable[[str, Iterable[str], tuple[str, ...]], str]

__all__ = ["check_by", "device_expression_causes", "expression_causes"]

_KNOWN: Final = ("object", "oldObject", "request", "namespaceObject", "authorizer")
_CHECKERS: Final[list[Checker]] = []


def check_by(checker: Checker) -> None:
    """Say what checks expressions: from a text, its variables and wanted types to what is wrong."""
    _CHECKERS[:] = [checker]


def device_expression_causes(field: str, text: str) -> Iterator[Cause]:
    """What is wrong with an expression that chooses devices."""
    return _causes(field, text, ["device"], ("BOOL",))


def expression_causes(
    field: str, text: str, *wanted: str, params: bool = False, variables: bool = False
) -> Iterator[Cause]:
    """What is wrong with an expression that has a value of one of these types.

    It is not looked at where CEL's library is not installed.
    """
    names = [*_KNOWN, *(["params"] if params else []), *(["variables"] if variables else [])]
    return _causes(field, text, names, wanted)


def _causes(field: str, text: str, names: list[str], wanted: tuple[str, ...]) -> Iterator[Cause]:
    for checker in _CHECKERS:
        problem = checker(text, names, wanted)
        if problem:
            yield invalid_value(field, text, problem)
