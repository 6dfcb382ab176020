"""Expressions of admission: checked when they are written, run by nobody here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..failures import Cause, invalid_value

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["device_expression_causes", "expression_causes"]

_KNOWN: Final = ("object", "oldObject", "request", "namespaceObject", "authorizer")


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
    from ..custom.cel.expressions import BadExpression, check_types
    from ..custom.libraries import MissingLibrary

    try:
        check_types(text, names, wanted)
    except BadExpression as problem:
        yield invalid_value(field, text, str(problem))
    except MissingLibrary:
        return
