"""Constructed objects of MutatingAdmissionPolicies: `Object.spec{replicas: 3}`, `JSONPatch{...}`.

The library can only construct messages whose members it knows. These may have any, so they become
maps before an expression is compiled: `{"@type": "Object.spec", "replicas": 3}`. For checks they
become calls of functions, one for each type, whose result has that type.

Facts: docs/internals/kubernetes-semantics.md, 1.13.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_array, is_object

from .escaped_names import LITERALS

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPE: Final = "@type"
"""The key of a map that names the type it was constructed as. No member can have this name."""

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*)"""
    # A literal without an end goes to the end of the text, so that it is looked at once.
    r"""|(?P<literal>(?:[bB]?[rR][bB]?)(?:'''.*?(?:'''|\Z)|\"\"\".*?(?:\"\"\"|\Z)|'[^'\n]*'?|"[^"\n]*"?)"""
    r"""|[bB]?(?P<quote>'''|\"\"\"|'|")(?:\\.|(?!(?P=quote)).)*(?:(?P=quote)|\Z))"""
    r"""|(?P<escaped>`[^`\n]*`)"""
    r"""|(?P<name>\.?[A-Za-z_]\w*(?:\s*\.\s*(?:[A-Za-z_]\w*|`[^`\n]*`))*)"""
    r"""|(?P<other>.)""",
    re.DOTALL,
)
_CONSTRUCTED: Final = re.compile(r"\.?(?:Object(?:\..+)?|JSONPatch)", re.DOTALL)
_ANY: Final = re.compile(r"\b(?:Object|JSONPatch)[\s.{]")
_MAX_EXPRESSION_LENGTH: Final = 100_000
"""The library refuses longer expressions."""
_MAX_DEPTH: Final = 250
"""The library refuses expressions that are nested deeper."""
_OPENING: Final = "({["
_CLOSING: Final = ")}]"


@dataclass(slots=True)
class Constructed:
    """An expression without constructors.

    Attributes:
        types: the names of the types that it constructs.
        origins: the positions of its parts, here and in the expression as it was.
    """

    text: str
    types: list[str] = field(default_factory=list[str])
    origins: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])

    def origin(self, position: int) -> int:
        """Return the position in the expression as it was."""
        at = bisect_right(self.origins, position, key=lambda origin: origin[0]) - 1
        here, there = self.origins[at]
        return there + position - here


def as_maps(text: str) -> str:
    """Return the expression with a map for each constructor."""
    return _rewritten(text, functions=False).text


def as_functions(text: str) -> Constructed:
    """Return the expression with a call of `construct0`, `construct1`... for each constructor."""
    return _rewritten(text, functions=True)


def _rewritten(text: str, *, functions: bool) -> Constructed:
    if len(text) > _MAX_EXPRESSION_LENGTH or not _ANY.search(text):
        return Constructed(text)
    return _Rewriting(text, functions=functions).done()


def _group(token: re.Match[str]) -> str:
    return "literal" if token["quote"] else token.lastgroup or ""


@dataclass(slots=True)
class _Bracket:
    """An open bracket; for a constructor, whether the name of a member comes next."""

    closing: str
    constructs: bool = False
    awaits_member: bool = False


class _Rewriting:
    """Goes through the tokens of an expression once."""

    def __init__(self, text: str, *, functions: bool) -> None:
        self._text = text
        matches = list(_TOKEN.finditer(text))
        self._tokens = [(_group(each), each[0]) for each in matches]
        self._starts = [each.start() for each in matches]
        self._functions = functions
        self._out: list[str] = []
        self._open: list[_Bracket] = []
        self._types: list[str] = []
        self._is_valid = True
        self._braces: dict[int, int] = {}
        """The brackets of constructors: pieces of the result, and positions in the text."""

    def done(self) -> Constructed:
        at = length = 0
        origins: list[tuple[int, int]] = []
        while at < len(self._tokens):
            if len(self._open) > _MAX_DEPTH or not self._is_valid:
                return Constructed(self._text)
            pieces = len(self._out)
            origins.append((length, self._starts[at]))
            at = self._step(at)
            for index in range(pieces, len(self._out)):
                if index in self._braces:
                    origins.append((length, self._braces[index]))
                length += len(self._out[index])
        return Constructed("".join(self._out), self._types, origins or [(0, 0)])

    def _step(self, at: int) -> int:
        group, word = self._tokens[at]
        inner = self._open[-1] if self._open else None
        if group == "name" and _CONSTRUCTED.fullmatch(word):
            brace = self._next(at)
            if brace is not None and self._tokens[brace][1] == "{":
                self._construct(re.sub(r"\s+|`", "", word).removeprefix("."), brace)
                return brace + 1
        if inner is not None and inner.constructs and inner.awaits_member:
            self._member(group, word, inner)
        elif group == "other":
            self._bracket(word, inner)
        else:
            self._out.append(word)
        return at + 1

    def _next(self, at: int) -> int | None:
        """The position of the next word that is no space."""
        for position in range(at + 1, len(self._tokens)):
            if self._tokens[position][0] != "space":
                return position
        return None

    def _construct(self, name: str, brace: int) -> None:
        following = self._next(brace)
        is_empty = following is not None and self._tokens[following][1] == "}"
        comma = "" if is_empty else ","
        if self._functions:
            if name not in self._types:
                self._types.append(name)
            self._out.append(f"construct{self._types.index(name)}")
            self._braces[len(self._out)] = self._starts[brace]
            self._out.append("({")
            self._open.append(_Bracket("})", constructs=True, awaits_member=True))
        else:
            self._out.append(f'{{"{TYPE}":"{name}"{comma}')
            self._open.append(_Bracket("}", constructs=True, awaits_member=True))

    def _member(self, group: str, word: str, inner: _Bracket) -> None:
        if group in ("name", "escaped"):
            inner.awaits_member = False
            self._is_valid = word not in LITERALS
            self._out.append('"' + word.strip("`") + '"')
        elif word == "}":
            self._bracket(word, inner)
        else:  # spaces, the mark of an optional member
            self._out.append(word)

    def _bracket(self, word: str, inner: _Bracket | None) -> None:
        if word in _OPENING:
            self._open.append(_Bracket(_CLOSING[_OPENING.index(word)]))
        elif word in _CLOSING and inner is not None and inner.closing.startswith(word):
            self._open.pop()
            self._out.append(inner.closing)
            return
        elif word == "," and inner is not None and inner.constructs:
            inner.awaits_member = True
        self._out.append(word)


def quoted_names(text: str) -> Iterator[int]:
    """Yield the positions of names in backquotes, which Kubernetes does not have."""
    if "`" not in text or len(text) > _MAX_EXPRESSION_LENGTH:
        return
    for token in _TOKEN.finditer(text):
        if _group(token) in ("name", "escaped"):
            marks = re.finditer("`", token[0])
            yield from (
                token.start() + mark.start() for at, mark in enumerate(marks) if at % 2 == 0
            )


def without_types(value: Any) -> Any:
    """Return a value with plain objects in place of constructed ones."""
    if is_object(value):
        return {name: without_types(each) for name, each in value.items() if name != TYPE}
    if is_array(value):
        return [without_types(each) for each in value]
    return value


def type_problems(value: Any, path: str) -> Iterator[str]:
    """Yield the constructed objects that do not stand where their type's name says.

    Args:
        value: what was constructed.
        path: the name that its type must have.
    """
    if is_array(value):
        for each in value:
            yield from type_problems(each, path)
    elif is_object(value):
        name = value.get(TYPE)
        if name is None:
            for each in value.values():
                yield from type_problems(each, path)
            return
        if name != path:
            yield (
                f'unexpected type name "{name}", expected "{path}", which matches field name path '
                "from root Object type"
            )
        for member, each in value.items():
            if member != TYPE:
                yield from type_problems(each, f"{path}.{member}")


def escaped_key(key: str) -> str:
    """Return a key as it stands in the path of a JSON patch."""
    return key.replace("~", "~0").replace("/", "~1")
