"""Warnings for requests of storage and other resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part

from .ip_warnings import quoted
from .quantities import amount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WHOLE_BYTES: Final = ("memory", "ephemeral-storage")


def claim_spec_warnings(spec: dict[str, Any], field: str) -> Iterator[str]:
    """Warn of a claim that asks for a fraction of a byte."""
    for side in ("requests", "limits"):
        amounts = part(part(spec, "resources"), side)
        yield from fraction_warnings(amounts, f"{field}.resources.{side}", "storage")


def fraction_warnings(amounts: Mapping[str, Any], field: str, *names: str) -> Iterator[str]:
    for name in names or _WHOLE_BYTES:
        if name in amounts and amount(amounts[name]) % 1:
            value = quoted(str(amounts[name]))
            yield f"{field}[{name}]: fractional byte value {value} is invalid, must be an integer"
