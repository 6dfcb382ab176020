"""CEL's extension for strings, as of the version that Kubernetes has (2).

The C++ library brings an extension of this kind too, but one that leaves no room for Kubernetes'
`indexOf` and `lastIndexOf` of lists.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any, Final

from clientgen._json import is_array, is_object

_UPPER: Final = {ord("a") + at: ord("A") + at for at in range(26)}
_LOWER: Final = {upper: lower for lower, upper in _UPPER.items()}
_VERB: Final = re.compile(r"%(?:%|(?:\.(\d+))?([sdfebxXo]))|%")
_MAX_PRECISION_DIGITS: Final = 3  # digits of the number of digits
_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_QUOTED: Final = {
    "\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v",
    "\\": r"\\", '"': r"\"",
}  # fmt: skip


def char_at(text: str, at: int) -> str:
    """The character at a place; nothing at the very end.

    Raises:
        ValueError: there is no such place.
    """
    if not 0 <= at <= len(text):
        raise ValueError(f"index out of range: {at}")
    return text[at : at + 1]


def index_of(text: str, part: str, start: int = 0) -> int:
    """Return the index of the first occurrence of a part, or -1.

    Raises:
        ValueError: the start is negative.
    """
    if not part:
        return start
    if start < 0:
        raise ValueError(f"index out of range: {start}")
    return text.find(part, start) if start < len(text) else -1


def last_index_of(text: str, part: str, end: int | None = None) -> int:
    """Return the index of the last occurrence of a part that starts at `end` at most, or -1.

    Raises:
        ValueError: the end is negative.
    """
    if end is None:
        return text.rfind(part)
    if not part:
        return end
    if end < 0:
        raise ValueError(f"index out of range: {end}")
    return text.rfind(part, 0, end + len(part)) if end < len(text) else -1


def substring(text: str, start: int, end: int | None = None) -> str:
    """The part from `start` up to `end`.

    Raises:
        ValueError: there is no such part.
    """
    stop = len(text) if end is None else end
    if end is not None and start > end:
        raise ValueError(f"invalid substring range. start: {start}, end: {end}")
    for place in (start, stop):
        if not 0 <= place <= len(text):
            raise ValueError(f"index out of range: {place}")
    return text[start:stop]


def replaced(text: str, old: str, new: str, many: int = -1) -> str:
    """The text with a part replaced, at most `many` times if that is not negative."""
    return text.replace(old, new, many)


def split(text: str, mark: str, many: int = -1) -> list[str]:
    """The parts between the marks, at most `many` if that is not negative."""
    if many == 0:
        return []
    if not mark:
        parts = list(text)
        return (
            parts
            if many < 0 or len(parts) <= many
            else [*parts[: many - 1], "".join(parts[many - 1 :])]
        )
    return text.split(mark, many - 1 if many > 0 else -1)


def join(parts: list[str], mark: str = "") -> str:
    """The parts in one text."""
    return mark.join(parts)


def lower_ascii(text: str) -> str:
    """Small letters for ASCII capitals."""
    return text.translate(_LOWER)


def upper_ascii(text: str) -> str:
    """Capitals for small ASCII letters."""
    return text.translate(_UPPER)


def quoted(text: str) -> str:
    """The text as a literal."""
    return f'"{"".join(_QUOTED.get(character, character) for character in text)}"'


def formatted(text: str, values: list[Any]) -> str:
    """The text with `%s`, `%d` and so on replaced by values.

    Raises:
        ValueError: a verb is unknown or does not fit its value, or there are too few values.
    """
    rest = iter(values)

    def filled(verb: re.Match[str]) -> str:
        if verb[0] == "%%":
            return "%"
        if not verb[2]:
            raise ValueError("unrecognized formatting clause")
        for value in rest:
            return _formatted(_plain(value), verb[2], _precision(verb[1] or "6"))
        raise ValueError("not enough arguments to format")

    return _VERB.sub(filled, text)


def _precision(digits: str) -> int:
    if len(digits) > _MAX_PRECISION_DIGITS:
        raise ValueError(f"invalid precision: {digits[:20]}")
    return int(digits)


def _plain(value: Any) -> Any:
    plain = getattr(value, "plain_value", None)
    return plain() if plain is not None else value


def _formatted(value: Any, verb: str, digits: int) -> str:
    if verb == "s":
        return _formatted_value(value)
    if verb == "f":
        return f"{float(value):.{digits}f}"
    if verb == "e":
        mantissa, _, exponent = f"{float(value):e}".partition("e")
        return f"{mantissa}×10{exponent.removeprefix('+').translate(_RAISED)}"  # noqa: RUF001 - as Go does
    if verb in "xX" and isinstance(value, (str, bytes, bytearray)):
        hexadecimal = (value.encode() if isinstance(value, str) else bytes(value)).hex()
        return hexadecimal.upper() if verb == "X" else hexadecimal
    if isinstance(value, int):
        return format(value, verb)
    raise ValueError(f"error during formatting: {_VERBS[verb]}, was given {_go_type(value)}")


_VERBS: Final = {
    "b": "only integers and bools can be formatted as binary",
    "d": "decimal clause can only be used on integers",
    "o": "octal clause can only be used on integers",
    **dict.fromkeys("xX", "only integers, byte buffers, and strings can be formatted as hex"),
}


def _go_type(value: Any) -> str:
    names: tuple[tuple[type, str], ...] = (
        (str, "string"), (float, "double"), (list, "list"), (dict, "map")
    )  # fmt: skip
    return next((name for kind, name in names if isinstance(value, kind)), "null_type")


def _formatted_value(value: Any) -> str:  # noqa: PLR0911 - one line for each type
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode(errors="replace")
    if is_array(value):
        return f"[{', '.join(_shown_within(item) for item in value)}]"
    if is_object(value):
        pairs = sorted((_shown_within(key), _shown_within(item)) for key, item in value.items())
        return f"{{{', '.join(f'{key}:{shown_value}' for key, shown_value in pairs)}}}"
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return f"{value.total_seconds():g}s"
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else str(value).lower()  # the rest: numbers and types


def _shown_within(value: Any) -> str:
    """A value in a list or a map, where texts are quoted and numbers have six digits."""
    value = _plain(value)
    if isinstance(value, str):
        return quoted(value)
    return f"{value:.6f}" if isinstance(value, float) else _formatted_value(value)
