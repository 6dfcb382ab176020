"""Durations as text: `1h30m0s` in fields of metav1.Duration, and `1h30m` in Gateway API's.

A metav1.Duration is written and read as Go's `time.Duration`
(https://pkg.go.dev/time#ParseDuration). GEP-2257 allows a part of that notation
(https://gateway-api.sigs.k8s.io/geps/gep-2257/). In Python, a duration is a `timedelta`, which
counts whole microseconds.
"""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

# Nanoseconds, the largest unit first.
_UNITS: Final = {
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1000,
    "\u00b5s": 1000,  # the micro sign, which Go writes
    "\u03bcs": 1000,  # the Greek letter
    "ns": 1,
}
_PART: Final = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)")
_GATEWAY: Final = re.compile(r"(?:[0-9]{1,5}(?:h|ms|m|s)){1,4}")
_GATEWAY_UNITS: Final = ("h", "m", "s", "ms")
_MAX_GATEWAY_HOURS: Final = 99_999
_MAX_NANOSECONDS: Final = 2**63
_MAX_CHARACTERS: Final = 100
_MICROSECOND: Final = timedelta(microseconds=1)
_SECOND: Final = 1_000_000  # microseconds
_MILLISECOND: Final = 1000


def parse_duration(text: str, *, gep2257: bool = False) -> timedelta:
    """Parse a duration, such as `1h30m`, `-1.5s` or `100ms`.

    Fractions of a microsecond are rounded, half to even.

    Args:
        text: The duration in Go's notation.
        gep2257: Accept only what Gateway API accepts: up to four whole numbers of at most five
            digits, with the units `h`, `m`, `s` and `ms`.

    Raises:
        ValueError: `text` is not a duration, or is too long for Go, about 292 years.
    """
    problem = f"{text[:60]!r} is not a duration: write numbers with units, such as "
    if gep2257:
        if not _GATEWAY.fullmatch(text):
            raise ValueError(f"{problem}1h30m; GEP-2257 allows up to four, with h, m, s and ms")
    elif len(text) > _MAX_CHARACTERS:
        raise ValueError(f"{problem}1h30m")
    sign, rest = (-1 if text[:1] == "-" else 1), text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return timedelta()
    total, at = Decimal(0), 0
    while part := _PART.match(rest, at):
        total += Decimal(part[1]) * _UNITS[part[2]]
        at = part.end()
    if not rest or at != len(rest):
        raise ValueError(f"{problem}1h30m, 1.5s or 100ms (units: h m s ms us ns)")
    if total > _MAX_NANOSECONDS - (sign > 0):
        raise ValueError(f"{text[:60]!r} is not a duration: Go's longest is about 292 years")
    microseconds = (total / 1000).to_integral_value(rounding=ROUND_HALF_EVEN)
    return timedelta(microseconds=sign * int(microseconds))


def format_duration(duration: timedelta, *, gep2257: bool = False) -> str:
    """Format a duration as a server does: `1h30m0s`, `1.5s`, `100ms`, `0s`.

    Args:
        duration: The duration.
        gep2257: Format as Gateway API does: `1h30m`, `1s500ms`.

    Raises:
        ValueError: The duration is too long for Go, about 292 years. For `gep2257`: it is negative,
            has a part of a millisecond, or has more than 99999 hours.
    """
    microseconds = duration // _MICROSECOND
    if abs(microseconds) * 1000 >= _MAX_NANOSECONDS:
        raise ValueError(f"{duration} is too long: Go's longest duration is about 292 years")
    if gep2257:
        return _format_gateway(duration, microseconds)
    text = _format_positive(abs(microseconds))
    return f"-{text}" if microseconds < 0 else text


def _format_positive(microseconds: int) -> str:
    if not microseconds:
        return "0s"
    if microseconds < _MILLISECOND:
        return f"{microseconds}\u00b5s"
    if microseconds < _SECOND:
        return f"{_fraction(microseconds, _MILLISECOND)}ms"
    minutes, rest = divmod(microseconds, 60 * _SECOND)
    seconds = f"{_fraction(rest, _SECOND)}s"
    if not minutes:
        return seconds
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes}m{seconds}" if hours else f"{minutes}m{seconds}"


def _fraction(microseconds: int, unit: int) -> str:
    return f"{(Decimal(microseconds) / unit).normalize():f}"


def _format_gateway(duration: timedelta, microseconds: int) -> str:
    milliseconds, rest = divmod(microseconds, _MILLISECOND)
    if microseconds < 0 or rest or milliseconds // 3_600_000 > _MAX_GATEWAY_HOURS:
        why = "it must be positive, of whole milliseconds, and of at most 99999 hours"
        raise ValueError(f"{duration} cannot be written as GEP-2257 says: {why}")
    parts: list[str] = []
    for unit in _GATEWAY_UNITS:
        count, milliseconds = divmod(milliseconds, _UNITS[unit] // _UNITS["ms"])
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
