"""Amounts of resources as numbers, to compare them.

Facts: docs/internals/kubernetes-semantics.md, 1.12.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

_FACTORS: Final[dict[str, Decimal]] = {
    **{
        suffix: Decimal(10) ** power
        for suffix, power in {
            "n": -9,
            "u": -6,
            "m": -3,
            "k": 3,
            "M": 6,
            "G": 9,
            "T": 12,
            "P": 15,
            "E": 18,
        }.items()
    },
    **{f"{suffix}i": Decimal(1024) ** power for power, suffix in enumerate("KMGTPE", 1)},
}


def amount(quantity: object) -> Decimal:
    """Return the number of a quantity, or 0 for other values."""
    text = str(quantity)
    for length in (2, 1):
        factor = _FACTORS.get(text[-length:])
        if factor is not None:
            return _number(text[:-length]) * factor
    return _number(text)


def _number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal(0)
