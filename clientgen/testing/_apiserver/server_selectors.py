"""Label and field selectors, as the server reads them.

https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/ and field-selectors.

Facts: docs/internals/kubernetes-semantics.md, 1.2 ("Selectors").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from clientgen._apimachinery.failures import bad_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

LabelTest: TypeAlias = "Callable[[Mapping[str, str]], bool]"

_TOKEN: Final = re.compile(r"\s*(!=|==|=|!|>|<|,|\(|\)|[^\s!=<>,()]+)")
_NAME: Final = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?").fullmatch
_PREFIX: Final = re.compile(
    r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
).fullmatch
_SYMBOLS: Final = frozenset(["!=", "==", "=", "!", ">", "<", ",", "(", ")"])
_MAX_PREFIX_LENGTH: Final = 253
_MAX_TERMS: Final = 1_000
"""The maximum number of requirements. The real server takes as many as fit into a URL."""


def _refuse(why: str) -> Exception:
    return bad_request(f"unable to parse requirement: {why}")


def label_test(text: str) -> LabelTest | None:
    """Return the test of a label selector; None if it selects everything.

    Raises:
        Failure: 400, when it cannot be parsed.
    """
    tests = tuple(islice(_Labels(text).requirements(), _MAX_TERMS + 1)) if text.strip() else ()
    _check_number(len(tests))
    if not tests:
        return None
    if len(tests) == 1:
        return tests[0]
    return lambda labels: all(test(labels) for test in tests)


def _check_number(terms: int) -> None:
    if terms > _MAX_TERMS:
        raise bad_request(f"a selector may have {_MAX_TERMS} requirements at most")


class _Labels:
    """Reads `a=b,c in (d,e),!f` from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        position = 0
        text = text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            assert match is not None  # every character is of some token
            self._tokens.append(match.group(1))
            position = match.end()
        self._next = 0

    def _peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        self._next += 1
        return token

    def requirements(self) -> Iterable[LabelTest]:
        while True:
            yield self._requirement()
            separator = self._take()
            if not separator:
                return
            if separator != ",":
                raise _refuse(f"found '{separator}', expected: ',' or 'end of string'")
            if not self._peek():
                raise _refuse("found '', expected: identifier after ','")

    def _requirement(self) -> LabelTest:
        absent = self._peek() == "!"
        if absent:
            self._take()
        key = _checked_key(self._take())
        if absent:
            return lambda labels: key not in labels
        if self._peek() in ("", ","):
            return lambda labels: key in labels
        return self._comparison(key, self._take())

    def _comparison(self, key: str, operator: str) -> LabelTest:
        match operator:
            case "=" | "==":
                value = self._value()
                return lambda labels: labels.get(key) == value
            case "!=":
                value = self._value()
                return lambda labels: labels.get(key) != value
            case "in":
                values = self._values()
                return lambda labels: key in labels and labels[key] in values
            case "notin":
                values = self._values()
                return lambda labels: labels.get(key) not in values
            case ">" | "<":
                return _compared(key, operator, self._value())
            case _:
                expected = "in, notin, =, ==, !=, gt, lt"
                raise _refuse(f"found '{operator}', expected: {expected}")

    def _value(self) -> str:
        if self._peek() in ("", ","):
            return ""
        return _checked_value(self._take())

    def _values(self) -> frozenset[str]:
        if (opening := self._take()) != "(":
            raise _refuse(f"found '{opening}' expected: '('")
        values: set[str] = set()
        while True:
            values.add(self._value() if self._peek() != ")" else "")
            separator = self._take()
            if separator == ")":
                return frozenset(values)
            if separator != ",":
                raise _refuse(f"found '{separator}', expected: ',' or ')'")


def _checked_key(key: str) -> str:
    prefix, slash, name = key.rpartition("/")
    wrong_prefix = slash and (not _PREFIX(prefix) or len(prefix) > _MAX_PREFIX_LENGTH)
    if key in _SYMBOLS or not _NAME(name) or wrong_prefix:
        raise _refuse(f'<nil>: Invalid value: "{key}": not a label key')
    return key


def _checked_value(value: str) -> str:
    if value in _SYMBOLS or (value and not _NAME(value)):
        raise _refuse(f'values[0]: Invalid value: "{value}": not a label value')
    return value


def _compared(key: str, operator: str, value: str) -> LabelTest:
    bound = _integer(value)
    if bound is None:
        why = "for 'Gt', 'Lt' operators, the value must be an integer"
        raise _refuse(f'values[0]: Invalid value: "{value}": {why}')

    def test(labels: Mapping[str, str]) -> bool:
        number = _integer(labels.get(key, ""))
        if number is None:
            return False
        return number > bound if operator == ">" else number < bound

    return test


def _integer(text: str) -> int | None:
    """A whole number of 64 bits, as labels may hold one."""
    if re.fullmatch(r"[+-]?[0-9]{1,19}", text) is None:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


# ---------------------------------------------------------------------------------- fields


@dataclass(frozen=True, slots=True)
class FieldTerm:
    """One comparison of a field selector."""

    field: str
    value: str
    equal: bool


def field_terms(text: str) -> tuple[FieldTerm, ...]:
    """The comparisons a field selector asks for, all of which have to hold.

    Raises:
        Failure: 400, when it cannot be parsed.
    """
    parts = _split(text)
    _check_number(len(parts))
    return tuple(_term(part) for part in parts if part)


def _split(text: str) -> list[str]:
    """Split at commas that have no backslash in front."""
    return re.findall(r"(?:\\.|[^,\\]|\\$)+", text)


def _term(part: str) -> FieldTerm:
    match = re.match(r"((?:\\.|[^\\=!])*)(==|!=|=)(.*)", part, re.DOTALL)
    if match is None:
        raise bad_request(f"invalid selector: '{part}'; can't understand '{part}'")
    field, operator, value = match.groups()
    return FieldTerm(field, _unescaped(value), operator != "!=")


def _unescaped(value: str) -> str:
    wrong = re.search(r"\\([^\\,=]|$)|(?<!\\)[=]", re.sub(r"\\[\\,=]", "", value))
    if wrong:
        raise bad_request(
            f"invalid field selector: invalid escape sequence or unescaped value: {value}"
        )
    return re.sub(r"\\([\\,=])", r"\1", value)
