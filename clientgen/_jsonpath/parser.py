"""Reads paths and templates. One pass, a character at a time; nesting is limited."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

from clientgen._text_cache import cached_if_short

from . import steps
from .source import Place
from .templates import Action, Range, Text

if TYPE_CHECKING:
    from .steps import Step
    from .templates import Node

_MAX_DEPTH: Final = 20  # filters in filters, and ranges in ranges
_MAX_DIGITS: Final = 18  # the digits of a number, which has 64 bits in Go
_FIELD_ENDS: Final = frozenset(" \t\r\n.,[]$@{}")
_FILTER_ENDS: Final = _FIELD_ENDS | frozenset("()<>=!")
_SLICE: Final = re.compile(r"(-?\d*)(?::(-?\d*))?(?::(-?\d*))?[ \t]*(?=[,\]])")
_NUMBER: Final = re.compile(r"[+-]?\d[\d.]*")
_OPERATOR: Final = re.compile(r"[<>=!]+")
_WORD: Final = re.compile(r"\w+")
_ESCAPE: Final = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})")
_ESCAPES: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
}
_CONSTANTS: Final = {"true": True, "false": False}
_NOT_A_TEXT: Final = range(0xD800, 0xE000)  # halves of surrogate pairs


@cached_if_short
def parse(path: str) -> tuple[Step, ...]:
    """Return the steps of a path that starts with a dot, a bracket, `$` or `@`.

    Raises:
        ValueError: `path` cannot be read.
    """
    return _Parser(path.strip()).path()


@cached_if_short
def parse_template(text: str) -> tuple[Node, ...]:
    """Return the parts of a template.

    Raises:
        ValueError: `text` cannot be read.
    """
    return _Parser(text).template()


def relaxed(path: str) -> str:
    """Return a path without braces and with a leading dot, from kubectl's relaxed notation.

    `{.metadata.name}`, `{metadata.name}`, `.metadata.name` and `metadata.name` are the same path.
    """
    inner = path.strip()
    if inner.startswith("{") and inner.endswith("}"):
        inner = inner[1:-1].strip()
    return inner if inner.startswith((".", "[", "$", "@")) else f".{inner}"


class _Parser:
    """One reading of a text, from its start."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    # ---- what a text may be ---------------------------------------------------------------------

    def path(self) -> tuple[Step, ...]:
        """Read the text as one path."""
        found = self._steps("")
        if self._at < len(self._text):
            raise self._unexpected()
        return found

    def template(self) -> tuple[Node, ...]:
        """Read the text as a template."""
        found, end = self._nodes()
        if end is not None:
            raise end.error("{end} without {range}")
        return found

    # ---- templates ------------------------------------------------------------------------------

    def _nodes(self) -> tuple[tuple[Node, ...], Place | None]:
        """Read up to `{end}`, or to the end of the text. Returns the place of the `{end}`."""
        nodes: list[Node] = []
        while self._at < len(self._text):
            brace = self._text.find("{", self._at)
            if brace != self._at:
                brace = len(self._text) if brace < 0 else brace
                nodes.append(Text(self._text[self._at : brace]))
                self._at = brace
                continue
            place = self._place()
            self._at += 1
            if self._has_word("end"):
                self._close(place)
                return tuple(nodes), place
            nodes.append(self._range(place) if self._has_word("range") else self._action(place))
        return tuple(nodes), None

    def _action(self, place: Place) -> Action:
        found = self._steps("}")
        self._close(place)
        return Action(found)

    def _range(self, place: Place) -> Range:
        steps_of_range = self._action(place).steps
        self._enter(place)
        body, end = self._nodes()
        self._depth -= 1
        if end is None:
            raise place.error("{range} without {end}")
        return Range(steps_of_range, body)

    def _close(self, place: Place) -> None:
        self._skip_spaces()
        if self._at >= len(self._text):
            raise place.error("unclosed action: a } is missing")
        if self._text[self._at] != "}":
            raise self._unexpected()
        self._at += 1

    def _has_word(self, word: str) -> bool:
        """Return whether a word comes next, and skip it."""
        self._skip_spaces()
        matched = _WORD.match(self._text, self._at)
        if matched is None or matched[0] != word:
            return False
        self._at = matched.end()
        return True

    # ---- paths ----------------------------------------------------------------------------------

    def _steps(self, ends: str) -> tuple[Step, ...]:
        """Read steps, up to one of the characters of `ends`, or to the end of the text."""
        found: list[Step] = []
        after_descent = False
        while not self._is_at_end(ends):
            is_descent = self._text.startswith("..", self._at)
            if is_descent and after_descent:
                raise self._place().error("invalid multiple recursive descent")
            added = self._step(is_filter=")" in ends)
            after_descent = is_descent and len(added) == 1
            found += added
        return tuple(found)

    def _is_at_end(self, ends: str) -> bool:
        self._skip_spaces()
        return self._at >= len(self._text) or self._text[self._at] in ends

    def _step(self, *, is_filter: bool) -> list[Step]:
        """Read the next step. `$` and `@` are the current object: they add no step."""
        text, at = self._text, self._at
        character = text[at]
        if character in "$@":
            self._at += 1
            return []
        if character == "[":
            return [self._bracket()]
        if text.startswith("..", at):
            return self._descent(is_filter=is_filter)
        if character == ".":
            self._at += 1
            name = self._name(_FILTER_ENDS if is_filter else _FIELD_ENDS)
            return self._field(name) if name else []
        return [steps.literal(self._literal(is_filter=is_filter))]

    def _literal(self, *, is_filter: bool) -> str | float | bool:
        """Read a quoted string, a number or a boolean."""
        text, at = self._text, self._at
        if text[at] in "\"'":
            return self._quoted()
        if matched := _NUMBER.match(text, at):
            self._at = matched.end()
            return _number(matched[0], Place(text, at))
        if (matched := _WORD.match(text, at)) and matched[0] in _CONSTANTS:
            self._at = matched.end()
            return _CONSTANTS[matched[0]]
        hint = ": a filter compares paths, quoted text, numbers and booleans" if is_filter else ""
        raise self._place().error(f"unexpected {self._excerpt()}{hint}")

    def _descent(self, *, is_filter: bool) -> list[Step]:
        self._at += 2
        name = ""
        if _WORD.match(self._text, self._at):
            name = self._name(_FILTER_ENDS if is_filter else _FIELD_ENDS)
        return [steps.everything(), *(self._field(name) if name else [])]

    def _name(self, ends: frozenset[str]) -> str:
        """Read the name of a field. A backslash makes the next character a part of the name."""
        start, text = self._at, self._text
        while self._at < len(text) and text[self._at] not in ends:
            self._at += 2 if text[self._at] == "\\" else 1
        self._at = min(self._at, len(text))
        return text[start : self._at]

    @staticmethod
    def _field(name: str) -> list[Step]:
        return [steps.wildcard() if name == "*" else steps.field(re.sub(r"\\(.?)", r"\1", name))]

    # ---- brackets -------------------------------------------------------------------------------

    def _bracket(self) -> Step:
        place = self._place()
        self._at += 1
        parts = [self._part(place)]
        while self._next_in_bracket(place) == ",":
            self._at += 1
            parts.append(self._part(place))
        if self._text[self._at] != "]":
            raise self._place().error(f"invalid array index: {self._excerpt()}")
        self._at += 1
        if len(parts) == 1 and len(parts[0]) == 1:
            return parts[0][0]
        return steps.union(parts)

    def _part(self, place: Place) -> list[Step]:
        character = self._next_in_bracket(place)
        if character == "?":
            return [self._filter()]
        if character == "*":
            self._at += 1
            return [steps.slice_of(None, None, None, place)]
        if character == "'":
            return self._key()
        return [self._slice()]

    def _next_in_bracket(self, place: Place) -> str:
        self._skip_spaces()
        if self._at >= len(self._text):
            raise place.error("unterminated array: a ] is missing")
        return self._text[self._at]

    def _slice(self) -> Step:
        place = self._place()
        matched = _SLICE.match(self._text, self._at)
        if matched is None or not matched[0].strip():
            hint = "" if matched is None else "; [*] selects all items"
            raise place.error(f"invalid array index: {self._excerpt()}{hint}")
        self._at = matched.end()
        start, end, stride = (_whole(each, place) for each in matched.groups())
        if stride is not None and stride < 1:
            raise place.error("the step of a slice must be greater than 0")
        if matched[2] is None and start is not None:
            return steps.index(start, place)
        return steps.slice_of(start, end, stride, place)

    def _key(self) -> list[Step]:
        r"""Read a quoted name. It is read like a name after a dot: `['a.b']` is `.a.b`.

        A backslash makes the next character a part of the name: `['a\.b']` is one name.
        """
        place = self._place()
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise place.error("unterminated quoted name")
        text, self._at = self._text[self._at + 1 : end], end + 1
        names = [each[0] for each in re.finditer(r"(?:\\.|[^.\\])+", text)]
        if not names:
            raise place.error("invalid array index: the name is empty")
        return [step for name in names for step in self._field(name)]

    def _filter(self) -> Step:
        place = self._place()
        self._enter(place)
        self._at += 1
        self._skip_spaces()
        self._expect("(", place)
        left = self._operand(place)
        comparison = self._comparison()
        right = self._operand(place) if comparison else None
        self._expect(")", place)
        self._depth -= 1
        if right is None:
            return steps.existing(left, place)
        return steps.compared(left, comparison, right, place)

    def _operand(self, place: Place) -> tuple[Step, ...]:
        """Read one side of a comparison: a path from the item, or a literal."""
        start = self._at
        found = self._steps(")<>=!")
        if not self._text[start : self._at].strip():
            raise place.error("a side of the filter is empty")
        return found

    def _comparison(self) -> str:
        place = self._place()
        matched = _OPERATOR.match(self._text, self._at)
        found = matched[0] if matched else ""
        if matched and found not in steps.OPERATORS:
            raise place.error(f"unrecognized filter operator {found[:20]}")
        self._at += len(found)
        return found

    def _expect(self, character: str, place: Place) -> None:
        if self._at >= len(self._text):
            raise place.error("unterminated filter: write [?(PATH)] or [?(PATH==VALUE)]")
        if self._text[self._at] != character:
            raise self._unexpected()
        self._at += 1

    # ---- text and places ------------------------------------------------------------------------

    def _quoted(self) -> str:
        place, quote = self._place(), self._text[self._at]
        self._at += 1
        characters: list[str] = []
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            if character == quote:
                return "".join(characters)
            characters.append(self._escaped(quote) if character == "\\" else character)
        raise place.error("unterminated quoted string")

    def _escaped(self, quote: str) -> str:
        """Read what follows a backslash, as Go's `strconv.UnquoteChar`."""
        at, character = self._at, self._text[self._at : self._at + 1]
        if character == quote or character in _ESCAPES:
            self._at += 1
            return _ESCAPES.get(character, character)
        if matched := _ESCAPE.match(self._text, at):
            digits = matched[1] or matched[2] or matched[3]
            code = int(digits, 16) if digits else int(matched[4], 8)
            if code <= sys.maxunicode and code not in _NOT_A_TEXT:
                self._at = matched.end()
                return chr(code)
        raise Place(self._text, at - 1).error(f"unknown escape \\{character}")

    def _skip_spaces(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
            self._at += 1

    def _enter(self, place: Place) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise place.error(f"the path is nested more than {_MAX_DEPTH} levels deep")

    def _place(self) -> Place:
        return Place(self._text, self._at)

    def _excerpt(self) -> str:
        return repr(self._text[self._at : self._at + 20])

    def _unexpected(self) -> ValueError:
        if self._at >= len(self._text):
            return self._place().error("the path ends too early")
        return self._place().error(f"unexpected {self._excerpt()}")


def _whole(text: str | None, place: Place) -> int | None:
    if not text:
        return None
    if text == "-" or len(text) > _MAX_DIGITS:
        raise place.error(f"array index {text[:40]} is not a number")
    return int(text)


def _number(text: str, place: Place) -> float:
    if len(text) <= _MAX_DIGITS:
        try:
            return float(text) if "." in text else int(text)
        except ValueError:
            pass
    raise place.error(f"cannot parse number {text[:40]}")
