"""The libraries behind patterns and rules, loaded by the first definition that needs them.

None of them comes with types, so what they give is `Any`; and loading them takes longer than all
the rest of this package.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


class MissingLibrary(Exception):  # noqa: N818 - says what is missing
    """A definition needs a library that is not installed."""


def _module(name: str, library: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingLibrary(
            f"patterns, formats and rules of custom resources need {library}: "
            "install clientgen with its extra 'testing'"
        ) from None


@cache
def cel() -> Any:
    """cel-expr-python: the Common Expression Language."""
    return _module("cel_expr_python.cel", "cel-expr-python")


@cache
def proto(name: str) -> Any:
    """A module of Protobuf, which the language takes types, times and durations from."""
    return _module(f"google.protobuf.{name}", "protobuf")


@cache
def re2() -> Any:
    """google-re2: regular expressions as Go has them."""
    return _module("re2", "google-re2")


def compiled(pattern: str) -> Any:
    """A compiled pattern.

    Raises:
        re2.error: the pattern is not valid.
    """
    options = re2().Options()
    options.log_errors = False
    return re2().compile(pattern, options)


def pattern_error(pattern: str) -> str:
    """Return the reason why a pattern is invalid; empty if it is valid."""
    try:
        compiled(pattern)
    except re2().error as error:
        text = error.args[0]
        return text.decode() if isinstance(text, bytes) else str(text)
    return ""
