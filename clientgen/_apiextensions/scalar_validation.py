"""Validates scalars: enumerations, strings and numbers.

See `schema_validation`, whose checks are made of these.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clientgen._apimachinery.failures import (
    Cause,
    invalid_value,
    not_supported,
    too_long,
    type_invalid,
)

from .correlation import same
from .formats import STRING_FORMATS
from .libraries import compiled, pattern_error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .correlation import Pair

NO_FIELD: Final = "<nil>"
"""Placeholder for the field of a message without one."""

_INT_RANGES: Final = {"int32": 31}
_MULTIPLE_TOLERANCE: Final = 1e-9
_MAX_FLOAT32: Final = 3.4028234663852886e38

Facet: TypeAlias = "Callable[[Any, str, list[Cause], Pair | None], int]"
"""Adds what is wrong with a value at a path; returns how many checks it made."""


def mistyped(path: str, wanted: str, value: str) -> Cause:
    """The complaint about a value of the wrong type or format."""
    shown = path.removeprefix(".")
    return type_invalid(path, value, f'{shown} in body must be of type {wanted}: "{value}"')


def is_whole(number: float) -> bool:
    """Return whether a number is whole, or as good as."""
    if math.isinf(number) or math.isnan(number) or abs(number) > 2**53 - 1:
        return False
    rounded = float(int(number))
    if number == rounded:
        return True
    if rounded == 0:
        return False
    return abs(number - rounded) / (abs(number) + abs(rounded)) < _MULTIPLE_TOLERANCE


def enum(values: list[Any]) -> Facet:
    """Values there are."""

    def facet(value: Any, path: str, causes: list[Cause], _pair: Pair | None) -> int:
        if value is None or not any(_is_one(value, allowed) for allowed in values):
            causes.append(not_supported(path, value, values))
        return 0

    return facet


def _is_one(value: Any, allowed: Any) -> bool:
    if type(value) is float and type(allowed) is int:
        return int(value) == allowed  # the server converts the value to the type of the known one
    return same(value, allowed)


def strings(raw: Mapping[str, Any], name: str) -> list[Facet]:
    """The length and the pattern of strings, and their format."""
    most, least = raw.get("maxLength"), raw.get("minLength")
    pattern = raw.get("pattern") or ""
    matches = _pattern(pattern) if pattern else None

    def facet(value: Any, path: str, causes: list[Cause], _pair: Pair | None) -> int:
        shown = path.removeprefix(".")
        if most is not None and len(value) > most:
            causes.append(too_long(path, f"may not be more than {most} bytes"))
        elif least is not None and len(value) < least:
            why = f"{shown} in body should be at least {least} chars long"
            causes.append(invalid_value(path, value, why))
        elif matches is not None and not matches(value):
            why = f"{shown} in body should match '{pattern}'"
            causes.append(invalid_value(path, value, why))
        return 0

    fits = STRING_FORMATS.get(name.replace("-", ""))
    return [facet, _formatted(name, fits)] if fits else [facet]


def _pattern(pattern: str) -> Callable[[str], bool]:
    if pattern_error(pattern):
        return lambda _: False  # no definition with such a pattern is accepted
    search = compiled(pattern).search
    return lambda text: search(text) is not None


def _formatted(name: str, fits: Callable[[str], bool]) -> Facet:
    def facet(value: Any, path: str, causes: list[Cause], _pair: Pair | None) -> int:
        if not fits(value):
            causes.append(mistyped(path, name, value))
        return 0

    return facet


def number(raw: Mapping[str, Any], sole: str, name: str) -> Facet:
    """The range and the bounds of numbers."""
    bounds = [
        bound
        for bound in (_multiple(raw, sole, name), _most(raw, sole, name), _least(raw, sole, name))
        if bound is not None
    ]

    def facet(value: Any, path: str, causes: list[Cause], pair: Pair | None) -> int:
        _check_range(value, sole, name, "Checked", path, causes)
        for bound in bounds:
            bound(value, path, causes, pair)
        return 1

    return facet


def _check_range(  # noqa: PLR0917 - all of them are told in the complaint
    value: float, sole: str, name: str, what: str, path: str, causes: list[Cause]
) -> bool:
    if _in_range(value, sole, name):
        return True
    form = f"with format {name}" if name else "(default format)"
    text = f"{what} value must be of type {sole} {form} in {path.removeprefix('.')}"
    causes.append(invalid_value(NO_FIELD, "", text))
    return False


def _in_range(value: float, sole: str, name: str) -> bool:
    if sole == "integer":
        bits = _INT_RANGES.get(name, 63)
        return value == int(value) and -(2**bits) <= value < 2**bits
    return name != "float" or abs(value) <= _MAX_FLOAT32


def _multiple(raw: Mapping[str, Any], sole: str, name: str) -> Facet | None:
    factor = raw.get("multipleOf")
    if factor is None:
        return None

    def facet(value: Any, path: str, causes: list[Cause], _pair: Pair | None) -> int:
        is_integer = isinstance(value, int)
        fits = _check_range(factor, sole, name, "MultipleOf", path, causes)
        step = int(factor) if is_integer and fits else factor
        if step <= 0:
            why = (
                f"factor MultipleOf declared for {path.removeprefix('.')} must be positive: {step}"
            )
            causes.append(invalid_value(path, step, why))
        elif not (value % step == 0 if is_integer and fits else is_whole(_quotient(value, step))):
            why = f"{path.removeprefix('.')} in body should be a multiple of {factor}"
            causes.append(invalid_value(path, value, why))
        return 0

    return facet


def _quotient(value: float, step: float) -> float:
    return 1 / step * value if step < 1 else value / step


def _most(raw: Mapping[str, Any], sole: str, name: str) -> Facet | None:
    limit, exclusive = raw.get("maximum"), bool(raw.get("exclusiveMaximum"))
    words = "less than" if exclusive else "less than or equal to"
    return _bound(limit, exclusive, words, "Maximum", sole, name, lambda value, most: value > most)


def _least(raw: Mapping[str, Any], sole: str, name: str) -> Facet | None:
    limit, exclusive = raw.get("minimum"), bool(raw.get("exclusiveMinimum"))
    words = "greater than" if exclusive else "greater than or equal to"
    return _bound(
        limit, exclusive, words, "Minimum", sole, name, lambda value, least: value < least
    )


def _bound(  # noqa: PLR0917 - one bound, in all its words
    limit: float | None,
    exclusive: bool,
    words: str,
    what: str,
    sole: str,
    name: str,
    beyond: Callable[[float, float], bool],
) -> Facet | None:
    if limit is None:
        return None

    def facet(value: Any, path: str, causes: list[Cause], _pair: Pair | None) -> int:
        fits = _check_range(limit, sole, name, f"{what} boundary", path, causes)
        # The server compares integers with the bound cut to an integer.
        against = int(limit) if isinstance(value, int) and fits else limit
        if beyond(value, against) or (exclusive and value == against):
            why = f"{path.removeprefix('.')} in body should be {words} {limit:g}"
            causes.append(invalid_value(path, value, why))
        return 0

    return facet
