"""Python's regular expressions as RE2, which CEL has.

A pattern is parsed as Python does, and written anew. What means something else in RE2, or depends
on a version of Unicode, is refused.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import Any, Final

# Python has no public parser of patterns; the private one has another name since 3.11.
_parser: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_UNLIMITED: Final = int(_parser.MAXREPEAT)
_MAX_REPEAT: Final = 1000  # of RE2
_SHORT: Final = {(0, _UNLIMITED): "*", (1, _UNLIMITED): "+", (0, 1): "?"}
_ASCII_CATEGORIES: Final = {
    "CATEGORY_DIGIT": "0-9",
    "CATEGORY_WORD": "0-9A-Za-z_",
    "CATEGORY_SPACE": r"\t-\r ",
}
_SPECIAL: Final = frozenset(r"\.+*?()|[]{}^$")
_SPECIAL_IN_CLASS: Final = frozenset(r"\[]^-")


class PatternError(ValueError):
    """A pattern that RE2 would read otherwise; `hint` says what to write instead."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


def re2(pattern: str, flags: int = 0) -> str:
    """Return a pattern that matches the same texts.

    Args:
        pattern: a pattern of Python.
        flags: its flags; `re.ASCII` is the only one that can be translated.

    Raises:
        PatternError: there is none.
    """
    try:
        parsed: Any = _parser.parse(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"the pattern is none: {error}") from None
    used = (flags | int(parsed.state.flags)) & ~int(re.UNICODE)
    if used & ~int(re.ASCII):
        raise PatternError("flags other than re.ASCII cannot be translated", "write out both cases")
    return _Writer(ascii_only=bool(used & int(re.ASCII))).sequence(parsed)


class _Writer:
    """Writes a parsed pattern."""

    def __init__(self, *, ascii_only: bool) -> None:
        self._ascii_only = ascii_only

    def sequence(self, items: Any) -> str:
        return "".join(self._item(str(operation), argument) for operation, argument in items)

    def _item(self, operation: str, argument: Any) -> str:  # noqa: C901, PLR0911 - a case for each
        match operation:
            case "LITERAL":
                return _escaped(argument)
            case "NOT_LITERAL":
                return f"[^{_escaped(argument, _SPECIAL_IN_CLASS)}]"
            case "ANY":
                return r"[^\n]"
            case "IN":
                return self._class(argument)
            case "BRANCH":
                return f"(?:{'|'.join(self.sequence(branch) for branch in argument[1])})"
            case "SUBPATTERN":
                _, added, removed, inner = argument
                if added or removed:
                    raise PatternError("a group with flags cannot be translated")
                return f"(?:{self.sequence(inner)})"
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self._repeated(*argument)
            case "AT" if str(argument) in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
                return "^"
            case "AT" if str(argument) == "AT_END_STRING":
                return "$"
            case "AT" if str(argument) == "AT_END":
                hint = r"use re.fullmatch, or write \Z"
                raise PatternError("`$` also matches before a last line break", hint)
            case _:
                name = operation.lower().replace("_", " ")
                raise PatternError(f"RE2 has no such construct: {name}")

    def _repeated(self, low: Any, high: Any, inner: Any) -> str:
        low, high = int(low), int(high)
        if max(low, 0 if high == _UNLIMITED else high) > _MAX_REPEAT:
            raise PatternError(f"RE2 repeats at most {_MAX_REPEAT} times")
        text = self.sequence(inner)
        if len(inner) != 1 or str(inner[0][0]) in ("MAX_REPEAT", "MIN_REPEAT", "AT"):
            text = f"(?:{text})"
        most = "" if high == _UNLIMITED else str(high)
        counts = f"{{{low}}}" if low == high else f"{{{low},{most}}}"
        return text + _SHORT.get((low, high), counts)

    def _class(self, members: Any) -> str:
        parts: list[str] = []
        for operation, argument in members:
            match str(operation):
                case "NEGATE":
                    parts.append("^")
                case "LITERAL":
                    parts.append(_escaped(argument, _SPECIAL_IN_CLASS))
                case "RANGE":
                    low, high = (_escaped(code, _SPECIAL_IN_CLASS) for code in argument)
                    parts.append(f"{low}-{high}")
                case _:
                    parts.append(self._category(str(argument)))
        return f"[{''.join(parts)}]"

    def _category(self, name: str) -> str:
        if name not in _ASCII_CATEGORIES:
            raise PatternError("the opposite of a class of characters cannot be translated")
        if not self._ascii_only:
            what = r"`\d`, `\w` and `\s` match all of Unicode in Python, and ASCII in RE2"
            raise PatternError(what, "write the characters, as in [0-9], or pass re.ASCII")
        return _ASCII_CATEGORIES[name]


def _escaped(code: int, special: frozenset[str] = _SPECIAL) -> str:
    character = chr(code)
    if character in special:
        return f"\\{character}"
    if 0x20 <= code < 0x7F:  # noqa: PLR2004 - printable ASCII
        return character
    return f"\\x{{{code:x}}}"
