"""Markers in Python sources that say which rights a program needs.

    # +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch

The grammar is controller-tools': pkg/rbac/parser.go and pkg/markers. A value is a list that is
separated by semicolons, or is in braces and separated by commas; texts may be in quotes. `core` is
the group "".
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import deque
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

from clientgen._problems import ClientgenError, Problem, did_you_mean

from .access import Access

if TYPE_CHECKING:
    from collections.abc import Iterator

_START: Final = re.compile(r"#+\s*\+kubebuilder:rbac:(.*)")
_LISTS: Final = ("groups", "resources", "resourceNames", "urls", "verbs")
_MAX_SHOWN_CHARS: Final = 40
_MAX_RIGHTS: Final = 10_000
_TEXTS: Final = ("featureGate", "namespace", "roleName")
_TOKEN: Final = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|[{},;=]|[^\s{},;="'`]+)\s*""")


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker.

    Attributes:
        where: its file and line.
        role: its roleName; empty without one.
        rights: what it asks for; wildcards as they are.
    """

    where: str
    role: str
    rights: tuple[Access, ...]


def markers(source: bytes, name: str) -> list[Marker]:
    """Read the markers in the comments of a Python source.

    Raises:
        ClientgenError: it is no Python, or a marker is malformed.
    """
    if b"+kubebuilder:rbac" not in source:
        return []
    found: list[Marker] = []
    problems: list[Problem] = []
    for line, text in _comments(source, name):
        match = _START.fullmatch(text.strip())
        if match is None:
            continue
        where = f"{name}:{line}"
        try:
            found.append(_marker(where, match[1]))
        except _Malformed as malformed:
            problems.append(Problem(where, f"+kubebuilder:rbac: {malformed}", malformed.hint))
    if problems:
        raise ClientgenError(problems)
    return found


class _Malformed(Exception):  # noqa: N818 - names what was read
    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.hint = hint


def _comments(source: bytes, name: str) -> Iterator[tuple[int, str]]:
    try:
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError) as error:
        raise ClientgenError([Problem(name, f"it is not Python: {error}")]) from None


def _marker(where: str, text: str) -> Marker:
    values = dict[str, list[str]]()
    for key, value in _arguments(text):
        if key not in (*_LISTS, *_TEXTS):
            raise _Malformed(
                f"unknown argument `{_short(key)}`", did_you_mean(key, (*_LISTS, *_TEXTS))
            )
        if key in values:
            raise _Malformed(f"`{key}` is given twice")
        if key in _TEXTS and len(value) != 1:
            raise _Malformed(f"`{key}` is one text")
        values[key] = value
    if not values.get("verbs"):
        raise _Malformed("it has no verbs", "add verbs=get;list;watch")
    [namespace] = values.get("namespace", [""])
    [role] = values.get("roleName", [""])
    return Marker(where, role, tuple(_rights(values, namespace)))


def _rights(values: dict[str, list[str]], namespace: str) -> Iterator[Access]:
    verbs, urls = values["verbs"], values.get("urls", [])
    resources = values.get("resources", [])
    if not resources and not urls:
        raise _Malformed("it has neither resources nor urls", "add groups=batch,resources=jobs")
    if urls and namespace:
        raise _Malformed("urls belong to no namespace", "remove `namespace`")
    if resources and "groups" not in values:
        raise _Malformed("it has no groups", 'add groups=batch; that of the core is groups=""')
    lists = (verbs, values.get("groups", [""]), resources, values.get("resourceNames") or [""])
    if prod(map(len, lists)) > _MAX_RIGHTS:
        raise _Malformed(f"it has more than {_MAX_RIGHTS} rights")
    for verb, url in product(verbs, urls):
        yield Access(verb, path=url)
    names = values.get("resourceNames") or [""]
    groups = ["" if group == "core" else group for group in values.get("groups", [])]
    for group, whole, verb, name in product(groups, resources, verbs, names):
        resource, _, subresource = whole.partition("/")
        if not resource:
            raise _Malformed(f"{whole!r} is no resource")
        yield Access(verb, resource, group, subresource, namespace, name)


def _arguments(text: str) -> Iterator[tuple[str, list[str]]]:
    tokens = deque(_tokens(text))
    while tokens:
        key = tokens.popleft()
        if not tokens or tokens.popleft() != "=" or not key.isalpha():
            raise _Malformed(f"there is no name=value at `{_short(key)}`")
        yield key, _value(tokens)
        if tokens and tokens.popleft() != ",":
            raise _Malformed(f"there is no comma after the value of `{key}`")
        if not tokens and text.rstrip().endswith(","):
            raise _Malformed("it ends with a comma")


def _tokens(text: str) -> Iterator[str]:
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _Malformed(f"a quote is not closed in `{_short(text[position:])}`")
        yield match[1]
        position = match.end()


def _value(tokens: deque[str]) -> list[str]:
    """Take the texts of a value from the tokens."""
    separator, end = ";", ","
    if tokens and tokens[0] == "{":
        tokens.popleft()
        separator, end = ",", "}"
    values: list[str] = []
    while tokens and tokens[0] != end:
        values.append(_token_text(tokens.popleft()))
        if tokens and tokens[0] == separator:
            tokens.popleft()
        elif tokens and tokens[0] != end:
            raise _Malformed(f"there is no `{separator}` before `{_short(tokens[0])}`")
    if end == "}":
        if not tokens:
            raise _Malformed("a brace is not closed")
        tokens.popleft()
    if not values:
        raise _Malformed("a value is empty", 'the group of the core is ""')
    return values


def _short(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}..."


def _token_text(token: str) -> str:
    if token in ("{", "}", ",", ";", "="):
        raise _Malformed(f"`{token}` is out of place")
    if token[0] == '"':
        return re.sub(r"\\(.)", r"\1", token[1:-1])
    return token[1:-1] if token[0] in "'`" else token
