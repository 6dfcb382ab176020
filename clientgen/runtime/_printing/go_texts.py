"""JSON values as Go prints them: `fmt.Sprint` and `json.Marshal`."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, Final, cast

from msgspec import json

# The exponents of floats that Go writes without an exponent: in `%v`, and in JSON.
_PLAIN: Final = range(-4, 6)
_PLAIN_IN_JSON: Final = range(-6, 21)
_UNSAFE: Final = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}


def go_text(value: Any, null: str = "<no value>") -> str:
    """Return a value as Go's JSONPath prints it: objects and lists as JSON, `null` for null."""
    if value is None:
        return null
    return go_json(value) if isinstance(value, (dict, list)) else sprint(value)


def sprint(value: Any) -> str:
    """Return a value as Go's `fmt.Sprint`: `map[a:1 b:2]`, `[1 2]`, `1e+06`, `<nil>`."""
    if value is None:
        return "<nil>"
    if isinstance(value, dict):
        members = sorted(cast("dict[str, Any]", value).items())
        return f"map[{' '.join([f'{name}:{sprint(each)}' for name, each in members])}]"
    if isinstance(value, list):
        return f"[{' '.join([sprint(each) for each in cast('list[object]', value)])}]"
    if isinstance(value, bool):
        return str(value).lower()
    return _float_text(value, _PLAIN, "02d") if isinstance(value, float) else str(value)


def go_json(value: Any) -> str:
    """Return a value as Go's `json.Marshal`: keys are sorted; the text is safe in HTML."""
    if isinstance(value, dict):
        members = sorted(cast("dict[str, Any]", value).items())
        return f"{{{','.join([f'{_quoted(name)}:{go_json(each)}' for name, each in members])}}}"
    if isinstance(value, list):
        return f"[{','.join([go_json(each) for each in cast('list[object]', value)])}]"
    if isinstance(value, float):
        return _float_text(value, _PLAIN_IN_JSON, "d")
    return _quoted(value) if isinstance(value, str) else json.encode(value).decode()


def _quoted(text: str) -> str:
    return json.encode(text).decode().translate(_UNSAFE)


def _float_text(value: float, plain: range, exponent_format: str) -> str:
    """Return the shortest decimal that reads back as the same number, as Go's `strconv`."""
    if not math.isfinite(value):
        return {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, "NaN")
    exact = Decimal(repr(value))
    exponent = exact.adjusted() if value else 0
    if exponent in plain:
        text = f"{exact:f}"
        return text.rstrip("0").removesuffix(".") if "." in text else text
    digits = "".join(map(str, exact.as_tuple().digits)).rstrip("0")
    sign = "-" if value < 0 else ""
    fraction = f".{digits[1:]}" if digits[1:] else ""
    power = f"{'-' if exponent < 0 else '+'}{abs(exponent):{exponent_format}}"
    return f"{sign}{digits[0]}{fraction}e{power}"
