"""Checks of numbers of pods, which several kinds share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value

from .checks import is_not_negative

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["count_or_percent", "counts"]

_PERCENT: Final = re.compile("[0-9]+%")
_WHOLE: Final = 100


def count_or_percent(field: str, value: int | str | None, *, whole: bool = True) -> Iterator[Cause]:
    """Check a number of pods, or a share of them that is at most the `whole`."""
    if isinstance(value, str):
        if not _PERCENT.fullmatch(value):
            why = (
                "a valid percent string must be a numeric string followed by an ending '%' "
                "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
            )
            yield invalid_value(field, value, why)
        elif whole and int(value[:-1]) > _WHOLE:
            yield invalid_value(field, value, "must not be greater than 100%")
    else:
        yield from is_not_negative(field, value)


def counts(status: dict[str, Any], fields: Iterable[str]) -> Iterator[Cause]:
    """Check that numbers of a status are not negative."""
    for field in fields:
        yield from is_not_negative(f"status.{field}", status.get(field))
