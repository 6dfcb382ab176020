"""The values of plain YAML scalars, as sigs.k8s.io/yaml reads them: a variant of YAML 1.1.

kubectl and the API server read manifests with it. `y` and `on` are booleans, but `1:30` is not a
number and `2001-01-01` is not a date.
"""

from __future__ import annotations

import math
import re
from typing import Final

_TRUE: Final = ("y", "yes", "true", "on")
_FALSE: Final = ("n", "no", "false", "off")
_WORDS: Final[dict[str, bool | float | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **{form: True for word in _TRUE for form in (word, word.title(), word.upper())},
    **{form: False for word in _FALSE for form in (word, word.title(), word.upper())},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **{f"{sign}{form}": math.inf for sign in ("", "+") for form in (".inf", ".Inf", ".INF")},
    **{f"-{form}": -math.inf for form in (".inf", ".Inf", ".INF")},
}
_INTEGER: Final = re.compile(r"([+-]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|[1-9][0-9]*|0)")
_FLOAT: Final = re.compile(r"[+-]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_BASES: Final = {"x": 16, "o": 8, "b": 2}
_MIN_INTEGER, _MAX_INTEGER, _MAX_DIGITS = -(2**63), 2**64 - 1, 64


def plain_value(text: str) -> str | float | bool | None:
    """Return the value of a scalar without quotes and tag, by the rules of goyaml's resolve."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    plain = text.replace("_", "")
    match = _INTEGER.fullmatch(plain)
    integer = _integer(*match.groups()) if match is not None else None
    if integer is not None:
        return integer
    number = float(plain) if _FLOAT.fullmatch(plain) else math.inf
    return text if math.isinf(number) else number


def key_text(value: str | float | bool | None) -> str | None:
    """Return a key as a string, as in JSON; None for null, which cannot be a key."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else None if value is None else str(value)


def _integer(sign: str, digits: str) -> int | None:
    """Return an integer of at most 64 bits; None for larger ones, which are floats or strings."""
    prefix = digits[1:2].lower()
    base = _BASES.get(prefix, 8 if digits.startswith("0") else 10)
    significant = digits[2 if prefix in _BASES else 0 :].lstrip("0") or "0"
    if len(significant) > _MAX_DIGITS:  # Python refuses to convert thousands of digits
        return None
    value = int(sign + significant, base)
    return value if _MIN_INTEGER <= value <= _MAX_INTEGER else None
