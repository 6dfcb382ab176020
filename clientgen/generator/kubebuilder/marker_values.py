"""The values of markers: what stands behind `=` in `+kubebuilder:...`.

The grammar is that of Kubernetes' controller-tools: text in `"..."` (with Go's escapes), in `'...'`
and raw in backticks, or bare up to the next delimiter; numbers; true and false; lists as `{a, b}`
or `a;b`; maps as `{key: value}`. Nothing may be left over.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Final, TypeAlias, cast

ValueKind: TypeAlias = str
"""One of "flag", "bool", "int", "number", "string", "json", "any", or a list: "[string]"."""

_INT: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ESCAPE: Final = re.compile(
    r"\\(?:x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})"
    r"|(?P<octal>[0-7]{3})|(?P<other>.?))"
)
_PLAIN_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", '"': '"', "'": "'",
}  # fmt: skip
_CALLED: Final = {
    "bool": "true or false",
    "int": "a whole number",
    "number": "a number",
    "json": "JSON",
}


class MarkerValueError(Exception):
    """A value that cannot be read: what is wrong with it, and what to write."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def read_value(text: str, kind: ValueKind) -> Any:
    """Read a value that stands alone.

    Raises:
        MarkerValueError: it is not of this kind, or more stands behind it.
    """
    if kind == "json":
        return _json(text)
    reader = _Reader(text)
    value = reader.value(kind)
    reader.end()
    return value


def read_arguments(text: str, kinds: dict[str, ValueKind]) -> dict[str, Any]:
    """Read `name=value,name=value`.

    Raises:
        MarkerValueError: a name is unknown or given twice, or a value is not of its kind.
    """
    reader, arguments = _Reader(text), dict[str, Any]()
    while True:
        name = reader.name()
        if name not in kinds:
            what = f"it has no argument `{name}`" if name else "an argument has no name"
            raise MarkerValueError(what, f"it has {', '.join(kinds)}")
        if name in arguments:
            raise MarkerValueError(f"`{name}` is given twice", "remove one")
        arguments[name] = reader.argument(name, kinds[name])
        if not reader.take(","):
            reader.end()
            return arguments


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = "write JSON, with texts in double quotes"
        raise MarkerValueError(f"`{text}` is not JSON", hint) from error


class _Reader:
    """One text, read from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def _peek(self) -> str:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        return self._text[self._at : self._at + 1]

    def take(self, sign: str) -> bool:
        """Step over a sign if it comes next."""
        if self._peek() != sign:
            return False
        self._at += 1
        return True

    def end(self) -> None:
        """Refuse what is left."""
        if self._peek():
            rest = self._text[self._at :]
            hint = "put the text in backticks or double quotes"
            raise MarkerValueError(f"there is more text after the value: `{rest}`", hint)

    def name(self) -> str:
        """The name of an argument, with its equals sign."""
        start, end = self._at, self._text.find("=", self._at)
        if end < 0:
            rest = self._text[start:].strip()
            raise MarkerValueError(f"its argument `{rest}` has no value", f"write `{rest}=...`")
        self._at = end + 1
        return self._text[start:end].strip()

    def argument(self, name: str, kind: ValueKind) -> Any:
        """The value of an argument; what is wrong names the argument."""
        try:
            return self.value(kind)
        except MarkerValueError as error:
            raise MarkerValueError(f"`{name}`: {error.what}", error.hint) from error

    def value(self, kind: ValueKind) -> Any:
        """A value of this kind."""
        try:
            if kind.startswith("["):
                return self._list(kind[1:-1])
            return self._any_or_list() if kind == "any" else self._one(kind)
        except RecursionError:
            raise MarkerValueError("its value is nested too deeply") from None

    def _one(self, kind: ValueKind, stops: str = ",;}") -> Any:
        if kind == "any":
            return self._any(stops)
        if kind == "string":
            return self._string(stops)
        text = self._bare(stops)
        if kind == "bool" and text in ("true", "false"):
            return text == "true"
        if kind in ("int", "number") and _INT.fullmatch(text):
            return int(text)
        if kind == "number" and _NUMBER.fullmatch(text):
            return float(text)
        raise MarkerValueError(f"`{text}` is not {_CALLED[kind]}")

    def _string(self, stops: str) -> str:
        return self._quoted() if self._peek() in ('"', "'", "`") else self._bare(stops)

    def _bare(self, stops: str) -> str:
        self._peek()
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in stops:
            self._at += 1
        return self._text[start : self._at].strip()

    def _quoted(self) -> str:
        quote, start = self._text[self._at], self._at + 1
        end = start
        while end < len(self._text) and self._text[end] != quote:
            end += 2 if quote != "`" and self._text[end] == "\\" else 1
        if end >= len(self._text):
            hint = f"close it with {quote}"
            raise MarkerValueError(f"the text `{self._text[start - 1 :]}` does not end", hint)
        self._at = end + 1
        inside = self._text[start:end]
        return inside if quote == "`" else _ESCAPE.sub(_unescape, inside)

    def _list(self, kind: ValueKind) -> list[Any]:
        if self._peek() == "{":
            return self._braced_list(kind)
        if not self._peek():
            raise MarkerValueError("its list is empty", "write `a;b` or `{a, b}`")
        return self._more([self._one(kind)], kind)

    def _more(self, items: list[Any], kind: ValueKind) -> list[Any]:
        while self.take(";"):
            if self._peek():  # a last semicolon ends the list
                items.append(self._one(kind))
        return items

    def _braced_list(self, kind: ValueKind) -> list[Any]:
        self.take("{")
        items: list[Any] = []
        while not self.take("}"):
            if items and not self.take(","):
                raise MarkerValueError("a list is not closed", "write `{a, b}`")
            if self._peek() in ("", ","):
                raise MarkerValueError(
                    "a list has an empty item or is not closed", "write `{a, b}`"
                )
            items.append(self._one(kind))
        return items

    def _any_or_list(self) -> Any:
        value = self._any(",;}")
        return self._more([value], "any") if self._peek() == ";" else value

    def _any(self, stops: str) -> Any:
        if self._peek() == "{":
            return self._map() if self._is_map() else self._braced_list("any")
        if self._peek() in ('"', "'", "`"):
            return self._quoted()
        return _guess(self._bare(stops))

    def _is_map(self) -> bool:
        """Return whether a name and a colon come first; `{}` is a map, too."""
        ahead = _Reader(self._text)
        ahead._at = self._at + 1
        if ahead._peek() in ("}", ""):
            return True
        if ahead._peek() == "{":
            return False
        ahead._string(":,;}{")
        return ahead._peek() == ":"

    def _map(self) -> dict[str, Any]:
        self.take("{")
        members: dict[str, Any] = {}
        while not self.take("}"):
            if members and not self.take(","):
                raise MarkerValueError("a map is not closed", "write `{key: value}`")
            key = self._string(":,;}")
            if not self.take(":"):
                raise MarkerValueError(f"the map key `{key}` has no value", "write `{key: value}`")
            members[key] = self._any(",}")
        return members


def _guess(text: str) -> object:
    if text in ("true", "false"):
        return text == "true"
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _unescape(match: re.Match[str]) -> str:
    groups = match.groupdict()
    for name, base in (("x", 16), ("u", 16), ("U", 16), ("octal", 8)):
        if groups[name]:
            code = int(cast("str", groups[name]), base)
            if code > sys.maxunicode:
                raise MarkerValueError(f"`{match[0]}` is not a character")
            return chr(code)
    other = match["other"]
    if other not in _PLAIN_ESCAPES:
        hint = "double the backslash, or put the text in backticks"
        raise MarkerValueError(f"`{match[0]}` is not an escape", hint)
    return _PLAIN_ESCAPES[other]
