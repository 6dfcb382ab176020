"""Shard selectors, as the server reads them: an expression in CEL that is parsed, never evaluated.

k8s.io/apiserver: pkg/sharding/parser.go, in 1.36. docs/internals/sharding.md, 1 has the facts.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from clientgen._apimachinery.failures import unclassified
from clientgen.runtime._http.shard_ranges import HASH_SPACE, ShardField, shard_hash

if TYPE_CHECKING:
    from .storage.store import Record

_MAX_DEPTH: Final = 100
"""The deepest nesting that is read; the real parser has a limit of 250."""
_DIGITS: Final = 16
_FIELDS: Final = ("object.metadata.uid", "object.metadata.namespace")
_NAMES: Final = {"Call": 1, "Name": 3, "List": 4, "Literal": 5, "Map": 6, "Member": 7}
"""The kinds of expressions, with their numbers in cel-go's syntax trees."""
_TOKEN: Final = re.compile(
    r"""(?x) (?:\s|//[^\n]*)*
    (?: (?P<text>(?P<prefix>[rR]?[bB]?|[bB][rR])
          (?P<quote>'''|\"\"\"|'|\")(?P<inner>.*?)(?<!\\)(?P=quote))
      | (?P<number>0x[0-9a-fA-F]+u?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+u?)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<symbol>\|\||&&|==|!=|<=|>=|\.\?|[-+*/%<>!?:.,()\[\]{}])
      | (?P<end>\Z) )""",
    re.DOTALL,
)
_STARTS: Final = re.compile(r"\s*[\w'\"(\[{.!-]")
_EXPRESSION: Final = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
    "BYTES, IDENTIFIER}"
)
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([0-3][0-7]{2})|(.))", re.S)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_BINARY: Final = (("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">=", "in"), ("+", "-"))
_FACTORS: Final = ("*", "/", "%")
_LEVELS: Final = (*_BINARY, _FACTORS)
_GO_TYPES: Final = {"null": "structpb.NullValue", "true": "bool", "false": "bool"}


@dataclass(frozen=True, slots=True)
class ShardTest:
    """The test that a shard selector is.

    Attributes:
        field: the field that is hashed.
        ranges: starts and ends.
        text: the selector as lists repeat it.
    """

    field: ShardField
    ranges: tuple[tuple[int, int], ...]
    text: str

    def __call__(self, record: Record) -> bool:
        """Tell whether an object is in the shard."""
        point = shard_hash(record.uid if self.field == _FIELDS[0] else record.namespace)
        return any(start <= point < end for start, end in self.ranges)


def shard_test(text: str) -> ShardTest:
    """The test that a shard selector is.

    Raises:
        Failure: 500, as the real server says of it without a reason.
    """
    try:
        return _test(text.strip())
    except _Refused as refused:
        raise unclassified(f"invalid shard selector: {refused}") from None


class _Refused(Exception):  # noqa: N818 - an answer, not a defect
    """The reason why a selector is refused."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A part of an expression.

    Attributes:
        kind: its name in `_NAMES`.
        name: of a call, a name or a member; the Go type of a literal.
        parts: the arguments of a call, or what a member belongs to.
        value: the text of a literal string.
    """

    kind: str
    name: str = ""
    parts: tuple[_Node, ...] = ()
    value: str | None = None

    @property
    def number(self) -> int:
        return _NAMES[self.kind]


_Range: TypeAlias = "tuple[str, int, int, str]"


def _test(text: str) -> ShardTest:
    if not text:
        raise _Refused(
            "empty shard selector is not allowed; omit the parameter for unfiltered lists"
        )
    ranges = _ranges(_Parser(text).whole())
    first = ranges[0][0]
    for field, *_ in ranges:
        if field != first:
            raise _Refused(
                f"all shard ranges must use the same field, got {_go(first)} and {_go(field)}"
            )
    shown = " || ".join(each[3] for each in ranges)
    return ShardTest(cast("ShardField", first), tuple(each[1:3] for each in ranges), shown)


def _ranges(node: _Node) -> list[_Range]:
    """The ranges in an expression; chains of `||` lean to the left, so they are unrolled."""
    if node.kind != "Call":
        raise _Refused(
            f"unexpected expression kind {node.number}; expected shardRange() call or || operator"
        )
    if node.name == "_||_":
        return [each for part in node.parts for each in _ranges(part)]
    if node.name != "shardRange":
        raise _Refused(
            f"unsupported function {_go(node.name)}; only shardRange() and || are allowed"
        )
    arguments = node.parts
    if len(arguments) != 3:  # noqa: PLR2004 - the field, the start and the end
        raise _Refused(f"shardRange() requires exactly 3 arguments, got {len(arguments)}")
    field = _path(arguments[0])
    if field not in _FIELDS:
        raise _Refused(
            f"unsupported field path {_go(field)}; supported: object.metadata.uid, "
            "object.metadata.namespace"
        )
    start, end = _hex(arguments[1], "hexStart"), _hex(arguments[2], "hexEnd")
    if int(start, 16) >= int(end, 16):
        raise _Refused(f"shard range start {start} must be less than end {end}")
    return [(field, int(start, 16), int(end, 16), f"shardRange({field}, '{start}', '{end}')")]


def _path(node: _Node) -> str:
    if node.kind == "Name":
        return node.name
    if node.kind == "Member":
        return f"{_path(node.parts[0])}.{node.name}"
    raise _Refused(
        "shardRange() first argument: expected field path (e.g. object.metadata.uid), got "
        f"expression kind {node.number}"
    )


def _hex(node: _Node, name: str) -> str:
    if node.kind != "Literal":
        raise _Refused(
            f"{name} must be a string literal (e.g. '0xff'), got expression kind {node.number}"
        )
    text = node.value
    if text is None:
        raise _Refused(f"{name} must be a string literal, got {node.name}")
    if not text.startswith("0x"):
        raise _Refused(f"{name} must have '0x' prefix, got {_go(text)}")
    problem = _digits_problem(text.removeprefix("0x"), text)
    if problem:
        raise _Refused(f"{name}{problem}")
    return text


def _digits_problem(digits: str, text: str) -> str:
    if not digits:
        return ": hex value is required after '0x'"
    size = len(digits.encode())
    if size > _DIGITS + 1:
        return f": hex value too long ({size} chars, max {_DIGITS + 1}): {_go(digits)}"
    for character in digits:
        if character not in "0123456789abcdef":
            return f": invalid hex character {_go(character)} in {_go(text)}"
    if size > _DIGITS and int(digits, 16) != HASH_SPACE:
        return f": 17-digit hex value must be '0x{HASH_SPACE:x}' (2^64), got {_go(text)}"
    if size < _DIGITS:
        meant = _go(f"0x{digits:0>16}")
        return f" must be a 0x-prefixed 16-digit hex value, got {_go(text)} (did you mean {meant}?)"
    return ""


def _go(text: str) -> str:
    """A text in quotes, as Go's %q has it."""
    return json.dumps(text, ensure_ascii=False)


# --------------------------------------------------------------------------------- parser


class _Parser:
    """Reads the expressions of CEL, without macros, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._next()

    def whole(self) -> _Node:
        """The whole text."""
        node = self._ternary()
        if self._group != "end":
            raise self._unexpected("<EOF>")
        return node

    def _next(self) -> None:
        matched = _TOKEN.match(self._text, self._at)
        if matched is None:
            rest = self._text[self._at :].lstrip()
            raise _Refused(f"CEL parse error: Syntax error: token recognition error at: '{rest}'")
        self._match, self._at = matched, matched.end()
        self._group = next(
            name
            for name in ("text", "number", "name", "symbol", "end")
            if matched[name] is not None
        )
        self._symbol: str = matched[self._group] if self._group != "end" else "<EOF>"

    def _unexpected(self, expected: str) -> _Refused:
        if self._symbol == ".?":
            return _Refused("CEL parse error: unsupported syntax '.?'")
        if expected == ")" and self._symbol == "<EOF>":
            return _Refused("CEL parse error: Syntax error: missing ')' at '<EOF>'")
        # ANTLR passes over a token if the expression goes on with the token after it.
        is_extra = expected == ")" or _STARTS.match(self._text, self._at) is not None
        what = "extraneous" if is_extra else "mismatched"
        wanted = _EXPRESSION if expected == _EXPRESSION else f"'{expected}'"
        return _Refused(
            f"CEL parse error: Syntax error: {what} input '{self._symbol}' expecting {wanted}"
        )

    def _takes(self, *symbols: str) -> str:
        """Read one of some symbols; empty if another token is next."""
        is_symbol = self._group == "symbol" or self._symbol == "in"
        if not is_symbol or self._symbol not in symbols:
            return ""
        taken = self._symbol
        self._next()
        return taken

    def _expects(self, symbol: str) -> None:
        if not self._takes(symbol):
            raise self._unexpected(symbol)

    def _ternary(self) -> _Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _Refused("CEL parse error: expression recursion limit exceeded: 250")
        node = self._binary(0)
        if self._takes("?"):
            then = self._binary(0)
            self._expects(":")
            node = _Node("Call", "_?_:_", (node, then, self._ternary()))
        self._depth -= 1
        return node

    def _binary(self, level: int) -> _Node:
        if level == len(_LEVELS):
            return self._unary()
        node = self._binary(level + 1)
        while symbol := self._takes(*_LEVELS[level]):
            right = self._binary(level + 1)
            if symbol == "||" and node.name == "_||_":
                node = _Node("Call", "_||_", (*node.parts, right))
            else:
                node = _Node("Call", f"_{symbol}_" if symbol != "in" else "@in", (node, right))
        return node

    def _unary(self) -> _Node:
        symbols = 0
        first = symbol = self._takes("!", "-")
        while symbol:
            symbols, symbol = symbols + 1, self._takes(first)
        node = self._member()
        return _Node("Call", f"{first}_", (node,)) if symbols % 2 else node

    def _member(self) -> _Node:
        node = self._primary()
        while symbol := self._takes(".", "["):
            if symbol == "[":
                node = _Node("Call", "_[_]", (node, self._ternary()))
                self._expects("]")
                continue
            name = self._name()
            if self._takes("("):
                node = _Node("Call", name, self._listed(")"))
            else:
                node = _Node("Member", name, (node,))
        if self._symbol == ".?":
            raise self._unexpected("")
        return node

    def _name(self) -> str:
        name = self._symbol
        if self._group != "name":
            raise self._unexpected("IDENTIFIER")
        self._next()
        return name

    def _primary(self) -> _Node:
        if self._takes("("):
            node = self._ternary()
            self._expects(")")
            return node
        if self._takes("["):
            return _Node("List", parts=self._listed("]"))
        if self._takes("{"):
            return self._map()
        if self._group in ("text", "number"):
            return self._string() if self._group == "text" else self._number()
        return self._named()

    def _named(self) -> _Node:
        """A variable, a call of a function, or a literal that is a word."""
        lead = self._takes(".")
        if self._group != "name":
            raise self._unexpected(_EXPRESSION)
        name = self._name()
        if not lead and name in _GO_TYPES:
            return _Node("Literal", _GO_TYPES[name])
        if self._takes("("):
            return _Node("Call", lead + name, self._listed(")"))
        return _Node("Name", lead + name)

    def _listed(self, end: str) -> tuple[_Node, ...]:
        """Expressions up to a symbol."""
        if self._takes(end):
            return ()
        parts = [self._ternary()]
        while self._takes(","):
            if end == "]" and self._symbol == end:
                break
            parts.append(self._ternary())
        self._expects(end)
        return tuple(parts)

    def _map(self) -> _Node:
        while not self._takes("}"):
            self._ternary()
            self._expects(":")
            self._ternary()
            if not self._takes(",") and self._symbol != "}":
                raise self._unexpected("}")
        return _Node("Map")

    def _string(self) -> _Node:
        matched = self._match
        self._next()
        prefix = matched["prefix"].lower()
        if "b" in prefix:
            return _Node("Literal", "[]uint8")
        inner = matched["inner"]
        return _Node("Literal", "string", value=inner if "r" in prefix else _unescaped(inner))

    def _number(self) -> _Node:
        token = self._symbol
        self._next()
        if token.endswith("u"):
            return _Node("Literal", "uint64")
        return _Node("Literal", "float64" if "." in token else "int64")


def _unescaped(text: str) -> str:
    def character(matched: re.Match[str]) -> str:
        short, long, octal, plain = matched.groups()
        if short or long:
            return chr(int(short or long, 16))
        return chr(int(octal, 8)) if octal else _ESCAPED.get(plain, plain)

    return _ESCAPE.sub(character, text)
