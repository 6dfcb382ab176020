"""One Go source as far as markers need it: comments, struct types, and which API group it is of.

Go is taken apart into words, strings and comments, so that text which merely looks like a type or a
comment, in a string or in a function, is not taken for one. Nothing else of Go is understood.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, takewhile

from clientgen._problems import Problems

_TEXTS = r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>"(?:\\.|[^"\\\n])*"|`[^`]*`)
  | (?P<rune>'(?:\\.|[^'\\\n])+')
  | (?P<open>/\*|["`'])
"""
_TOKEN = re.compile(_TEXTS + r"| (?P<word>\w+) | (?P<mark>[^\s\w])", re.VERBOSE | re.DOTALL)
_IN_BODY = re.compile(_TEXTS + r"| (?P<mark>[{}])", re.VERBOSE | re.DOTALL)
_NUMBERS = [f"{kind}{bits}" for kind in ("int", "uint", "float") for bits in ("", 8, 16, 32, 64)]
_NO_STRUCT = frozenset(
    ("any", "bool", "byte", "chan", "error", "func", "interface", "map", "rune", "string")
).union(_NUMBERS)
_OPENING, _CLOSING = "([{", ")]}"
# The variables that Kubernetes' own packages, code-generator's and kubebuilder's register kinds by.
_GROUP_VARIABLES = ("SchemeGroupVersion", "GroupVersion")
# go/ast: such a line talks to a tool (`//go:build`) and is no part of the text of a comment.
_DIRECTIVE = re.compile(r"//(?:line |extern |export |[a-z0-9]+:[a-z0-9])")


@dataclass(frozen=True, slots=True)
class Block:
    """Comments without a blank line between them, by their text and the lines they stand on."""

    lines: tuple[tuple[int, str], ...]
    first: int
    last: int

    def markers(self) -> Iterator[tuple[int, str]]:
        """The lines that start with a plus sign; gengo trims blanks, and a tab means code."""
        for number, text in self.lines:
            if text.strip(" ").startswith("+"):
                yield number, text.strip()


@dataclass(frozen=True, slots=True)
class GoType:
    """A type of a package and the two comment blocks that count: the further one comes first."""

    name: str
    line: int
    is_struct: bool
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class GroupLiteral:
    """`GroupVersion{Group: ..., Version: ...}`: a string, or the name of a constant, or None."""

    line: int
    group: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class GoFile:
    """The declarations at the top of a file; `loose` are the comments that belong to no type."""

    shown: str
    types: tuple[GoType, ...] = ()
    loose: tuple[Block, ...] = ()
    constants: Mapping[str, str] = field(default_factory=dict[str, str])
    literal: GroupLiteral | None = None


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int
    # The open bracket around it: "(" of a declaration of several, "{" of a body.
    around: str


def read_go(data: bytes, shown: str, problems: Problems) -> GoFile:
    """Read a Go source; that it is none is a problem, and reads as an empty one."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.add(f"{shown}:{line}", "is not Go: these bytes are not UTF-8")
        return GoFile(shown)
    own_problems = Problems()
    tokens = list(_tokens(text, shown, own_problems))
    code = [token for token in tokens if token.kind != "comment"]
    if not own_problems and [token.text for token in code[:1]] != ["package"]:
        own_problems.add(
            f"{shown}:{code[0].line if code else 1}", "is not Go: it has no package clause"
        )
    problems.extend(own_problems)
    return _file(shown, code, _blocks(tokens), text.split("\n"))


def _tokens(text: str, shown: str, problems: Problems) -> Iterator[_Token]:
    ends = [match.start() for match in re.finditer("\n", text)]
    around = ""
    for match in _matches(text):
        kind, word = str(match.lastgroup), match.group()
        line = bisect_right(ends, match.start() - 1) + 1
        if kind == "open":
            what = "comment" if word == "/*" else "string"
            problems.add(f"{shown}:{line}", f"is not Go: the {what} that begins here is not closed")
            return
        if word in _CLOSING:
            around = around[:-1]
        yield _Token(kind, word, line, around)
        if word in _OPENING:
            around += word


def _matches(text: str) -> Iterator[re.Match[str]]:
    """The parts of a source. Of bodies, which are most of it, the braces only."""
    at, before = 0, ""
    while match := _TOKEN.search(text, at):
        yield match
        at, word = match.end(), match.group()
        if word == "{" and before != "GroupVersion":
            at = _end_of_body(text, at)
        before = word


def _end_of_body(text: str, at: int) -> int:
    """Return the position of the closing brace of a body, or of a token that does not end."""
    depth = 1
    for match in _IN_BODY.finditer(text, at):
        if match.lastgroup == "mark":
            depth += 1 if match.group() == "{" else -1
        if depth == 0 or match.lastgroup == "open":
            return match.start()
    return len(text)


def _blocks(tokens: list[_Token]) -> list[Block]:
    """The comments outside of bodies. One that follows code on its line belongs to that code."""
    groups: list[list[_Token]] = []
    code_line = 0
    for token in tokens:
        if token.kind != "comment":
            code_line = _last_line(token)
        elif token.line != code_line and "{" not in token.around:
            last = groups[-1][-1] if groups else None
            if last and _last_line(last) in (token.line, token.line - 1) and code_line < last.line:
                groups[-1].append(token)
            else:
                groups.append([token])
    return [_block(group) for group in groups]


def _last_line(token: _Token) -> int:
    return token.line + token.text.count("\n")


def _block(comments: list[_Token]) -> Block:
    lines = [line for comment in comments for line in _lines(comment)]
    return Block(tuple(lines), comments[0].line, _last_line(comments[-1]))


def _lines(comment: _Token) -> Iterator[tuple[int, str]]:
    if comment.text.startswith("//"):
        if not _DIRECTIVE.match(comment.text):
            yield comment.line, comment.text[2:]
    else:
        yield from enumerate(comment.text[2:-2].split("\n"), start=comment.line)


def _file(shown: str, code: list[_Token], blocks: list[Block], lines: list[str]) -> GoFile:
    by_end = {block.last: block for block in blocks}
    types = tuple(
        GoType(code[at].text, code[at].line, _is_struct(code, at), _above(code[at], by_end, lines))
        for at in _declared(code)
    )
    used_blocks = {block for declared in types for block in declared.blocks}
    loose = tuple(block for block in blocks if block not in used_blocks)
    return GoFile(shown, types, loose, dict(_constants(code)), _literal(code))


def _above(name: _Token, by_end: Mapping[int, Block], lines: list[str]) -> tuple[Block, ...]:
    """The comment right above a type, and the one that a single blank line parts from it."""
    closest = by_end.get(name.line - 1)
    start = closest.first if closest else name.line
    further = by_end.get(start - 2) if start > 1 and not lines[start - 2].strip() else None
    return tuple(block for block in (further, closest) if block)


def _declared(code: list[_Token]) -> Iterator[int]:
    """Yield the index of each type's name: behind `type`, or on its own line in `type ( ... )`."""
    grouped = False
    for at, token in enumerate(code[:-1]):
        following = code[at + 1]
        if not token.around:
            grouped = token.text == "(" and at > 0 and code[at - 1].text == "type"
            if token.text == "type" and following.kind == "word":
                yield at + 1
        starts = following.line > token.line or token.text in ("(", ";")
        if grouped and following.around == "(" and following.kind == "word" and starts:
            yield at + 1


def _is_struct(code: list[_Token], at: int) -> bool:
    """Return whether the type is a struct, or may be: `type Route v1.Route` is what that one is."""
    outside = (token for token in code[at + 1 :] if token.around == code[at].around)
    following = [token for token in islice(outside, 4) if token.text != "="]
    if [token.text for token in following[:2]] == ["[", "]"]:  # parameters, or the type of a list
        following = following[2:] if code[at + 2].text != "]" else []
    return any(token.kind == "word" and token.text not in _NO_STRUCT for token in following[:1])


def _constants(code: list[_Token]) -> Iterator[tuple[str, str]]:
    """The strings that names stand for: `GroupName = "..."`, `GroupName string = "..."`."""
    ended = [*code, _Token("end", "", 0, "")]
    for at in range(1, len(code) - 2):
        before, name, equals, value, after = ended[at - 1 : at + 4]
        if (name.kind, equals.text, value.kind) != ("word", "=", "string") or "{" in name.around:
            continue
        if after.text in ("+", ",") and after.line == value.line:
            continue  # not the whole value, or one of several
        typed = before.line == name.line and before.text not in ("const", "var", "(", ";")
        yield (before if typed else name).text, value.text[1:-1]


def _literal(code: list[_Token]) -> GroupLiteral | None:
    for at, token in enumerate(code):
        if token.text in _GROUP_VARIABLES and "{" not in token.around:
            words = [token.text for token in code[at + 1 : at + 6]]
            for start in (["=", "schema", ".", "GroupVersion", "{"], ["=", "GroupVersion", "{"]):
                if words[: len(start)] == start:
                    return _filled(token.line, code[at + 1 + len(start) :])
    return None


def _filled(line: int, code: list[_Token]) -> GroupLiteral:
    """`Group: "...", Version: "..."}`; what is neither a string nor a plain name stays None."""
    members: dict[str, str | None] = {}
    inside = list(takewhile(lambda token: token.text != "}", code))
    for at, token in enumerate(inside):
        colon, value, end = ([*code[at + 1 : at + 4], token, token, token])[:3]
        if token.text in ("Group", "Version") and colon.text == ":":
            plain = value.kind in ("word", "string") and end.text in (",", "}")
            members[token.text] = value.text if plain else None
    return GroupLiteral(line, members.get("Group"), members.get("Version"))
