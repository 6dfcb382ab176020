"""The scalars of built-in types: what is taken, and how it is written (fact 1.12).

Each function gives the value as the server writes it, or raises Mismatch.
"""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, datetime
from decimal import ROUND_UP
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from clientgen.runtime._models.quantity import Quantity

from .body import type_word

if TYPE_CHECKING:
    from collections.abc import Callable

_INT32: Final = 2**31
_INT64: Final = 2**63
_ZONE: Final = r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
_DAY: Final = r"([0-9]{4}-[0-9]{2}-[0-9]{2}T)"
_CLOCK: Final = r"([0-9]{1,2})(:[0-9]{2}:[0-9]{2})"
_TIME: Final = re.compile(rf"{_DAY}{_CLOCK}(?:[.,][0-9]+)?({_ZONE})")
_MICRO_TIME: Final = re.compile(rf"{_DAY}{_CLOCK}(\.[0-9]{{6}})({_ZONE})")
_NO_TIME: Final = datetime(1, 1, 1, tzinfo=UTC)
_LINE_BREAKS: Final = str.maketrans("", "", "\r\n")
_MAX_CACHED_CHARS: Final = 1024
_MILLI: Final = re.compile(r"[0-9]+(m|[kMGTPE]i?|)")
_DIGITS: Final = re.compile(
    r"[+-]?0*([1-9][0-9]*)?(?:\.([0-9]*))?(?:([numkMGTPE]?)|[eE]([+-]?[0-9]{1,3}))"
)
_EXPONENT: Final = re.compile(r"[eE][+-]?[0-9]")
_POWERS: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_MAX_QUICK_DIGITS: Final = 18
_NANO: Final = -9


class Mismatch(Exception):  # noqa: N818 - control flow: the caller makes a Failure of it
    """A value that does not fit its field; the path is filled in on the way out."""

    def __init__(self, value: Any, wanted: str, why: str = "") -> None:
        super().__init__(wanted)
        self.value = value
        self.wanted = wanted
        self.why = why
        self.path: list[str] = []
        self.owner = ""

    def __str__(self) -> str:
        """Say it as Go's decoder does."""
        if self.why:
            return self.why
        shown = type_word(self.value)
        if shown == "number" and self.wanted.startswith("int"):
            shown = f"number {self.value}"
        where = ".".join((self.owner, *self.path))
        return f"json: cannot unmarshal {shown} into Go struct field {where} of type {self.wanted}"


def string(value: Any) -> str:
    """Text."""
    if type(value) is str:
        return value
    raise Mismatch(value, "string")


def boolean(value: Any) -> bool:
    """True or false."""
    if type(value) is bool:
        return value
    raise Mismatch(value, "bool")


def int32(value: Any) -> int:
    """An integer of 32 bits; `80.0` is none."""
    if type(value) is int and -_INT32 <= value < _INT32:
        return value
    raise Mismatch(value, "int32")


def int64(value: Any) -> int:
    """An integer of 64 bits."""
    if type(value) is int and -_INT64 <= value < _INT64:
        return value
    raise Mismatch(value, "int64")


def number(value: Any) -> int | float:
    """Any number."""
    if type(value) is int or type(value) is float:
        return value
    raise Mismatch(value, "float64")


def int_or_string(value: Any) -> int | str:
    """An integer of 32 bits, or text."""
    if type(value) is str:
        return value
    return int32(value)


def byte_string(value: Any) -> str:
    """Standard base64 with padding; line breaks are taken out."""
    text = string(value).translate(_LINE_BREAKS)
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode()
    except (binascii.Error, ValueError):
        raise Mismatch(value, "[]uint8", "illegal base64 data at input byte 0") from None


def time(value: Any) -> str | None:
    """RFC 3339 with a zone; whole seconds of UTC. The zero time is written as null."""
    moment = _moment(value, _TIME)
    return None if moment == _NO_TIME else f"{moment:%Y-%m-%dT%H:%M:%SZ}".zfill(20)


def micro_time(value: Any) -> str | None:
    """RFC 3339 with a zone and exactly six digits of fraction."""
    moment = _moment(value, _MICRO_TIME)
    return None if moment == _NO_TIME else f"{moment:%Y-%m-%dT%H:%M:%S.%fZ}".zfill(27)


def _moment(value: Any, form: re.Pattern[str]) -> datetime:
    """Read a time; Go lets an hour be of one digit."""
    match = form.fullmatch(string(value))
    try:
        day, hour, *rest = match.groups() if match else ("", "")
        return datetime.fromisoformat("".join((day, hour.zfill(2), *rest))).astimezone(UTC)
    except (ValueError, OverflowError):
        why = f'parsing time "{value}" as "2006-01-02T15:04:05Z07:00": cannot parse'
        raise Mismatch(value, "Time", why) from None


def quantity(value: Any) -> str:
    """An amount, written in its canonical form."""
    if type(value) is not str and type(value) is not int and type(value) is not float:
        raise _no_quantity(value)
    return _canonical(value) if _is_short(value) else _canonical.__wrapped__(value)


def milli_quantity(value: Any) -> str:
    """An amount in a resource list: what is finer than a thousandth is rounded up."""
    written = quantity(value)
    if _MILLI.fullmatch(written):
        return written
    return _rounded(written) if _is_short(written) else _rounded.__wrapped__(written)


def _is_short(value: str | float) -> bool:
    """Return whether a text may be cached: long texts would fill the memory."""
    return not isinstance(value, str) or len(value) <= _MAX_CACHED_CHARS


@lru_cache(maxsize=4096, typed=True)
def _canonical(value: str | float) -> str:
    text = (value if isinstance(value, str) else repr(value)).strip()
    if _stays(text):
        return text
    try:
        amount = Quantity(text)
    except ValueError:
        raise _no_quantity(value) from None
    if text.endswith("i") and abs(amount.value) >= _INT64:
        return str(_INT64 - 1 if amount.value > 0 else 1 - _INT64)
    return amount.canonical()


def _stays(text: str) -> bool:
    """Return whether the server takes a text for canonical, as it does with some that are not.

    Its fast parser does so, for at most 18 digits and exponents that are multiples of 3.
    """
    match = _DIGITS.fullmatch(text)
    if match is None:
        return False
    integer, fraction, suffix, exponent = match.groups()
    digits = (integer or "0") + (fraction or "")
    power = (int(exponent) if exponent else _POWERS.get(suffix, 0)) - len(fraction or "")
    quick = len(digits) <= _MAX_QUICK_DIGITS and power >= _NANO and power % 3 == 0
    return quick and digits[0] != "0" and not digits.endswith("000")


@lru_cache(maxsize=4096)
def _rounded(written: str) -> str:
    thousandths = Quantity(written).value.scaleb(3)
    rounded = thousandths.to_integral_value(ROUND_UP)
    if rounded == thousandths:
        return written
    return Quantity(f"{rounded:f}{'e-3' if _EXPONENT.search(written) else 'm'}").canonical()


def _no_quantity(value: Any) -> Mismatch:
    why = (
        "quantities must match the regular expression"
        " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )
    return Mismatch(value, "Quantity", why)


SCALARS: Final[dict[tuple[str, str], tuple[Callable[[Any], Any], Any]]] = {
    ("string", ""): (string, ""),
    ("string", "byte"): (byte_string, ""),
    ("string", "date-time"): (time, None),
    ("string", "int-or-string"): (int_or_string, 0),
    ("boolean", ""): (boolean, False),
    ("integer", "int32"): (int32, 0),
    ("integer", "int64"): (int64, 0),
    ("integer", ""): (int64, 0),
    ("number", "double"): (number, 0),
    ("number", ""): (number, 0),
}
"""By type and format of the schema: how to take a value, and the one Go starts from."""
