"""Rules as CEL: the syntax tree of a function becomes an expression with the same outcome.

What could end otherwise in CEL is refused: what may raise an exception in Python, what may overflow
64 bits, and what the two languages do differently.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from types import FunctionType
from typing import Any, Final, cast

from clientgen.generator.crds.rule_fields import FieldError, Reader, absent_literal
from clientgen.generator.crds.rule_patterns import PatternError, re2
from clientgen.generator.crds.rule_sources import (
    FunctionSource,
    RefusedError,
    constant_named,
    is_pattern,
    is_rule,
    source_of,
)
from clientgen.generator.crds.rule_values import (
    ATOM,
    EXACT,
    FALSE,
    INT64,
    MAX_REQUEST,
    PRODUCT,
    RELATION,
    SCALARS,
    SUM,
    TERNARY,
    TRUE,
    UNARY,
    Bool,
    Float,
    Found,
    Int,
    List,
    Map,
    Nothing,
    Object,
    Other,
    Request,
    Str,
    Type,
    Value,
    boolean,
    integer,
    joined,
    literal,
    negated,
    quoted,
    widest,
)
from clientgen.runtime._models.meta_v1 import ObjectMeta

MAX_COST: Final = 10_000_000
"""What an expression may cost (apiextensions: StaticEstimatedCostLimit)."""
_MAX_LENGTH: Final = 16_384
_MAX_DEPTH: Final = 16
_MAX_STEPS: Final = 20_000
_UNLIMITED_ITEMS: Final = MAX_REQUEST // 2
_TWO: Final = 2
_RELATIONS: Final[Mapping[type[ast.cmpop], str]] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_RESERVED_NAMES: Final = frozenset(
    [
        "self",
        "oldSelf",
        "object",
        "oldObject",
        "request",
        "params",
        "variables",
        "authorizer",
        "namespaceObject",
        "optional",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "in",
        "let",
        "loop",
        "null",
        "package",
        "namespace",
        "return",
        "true",
        "var",
        "void",
        "while",
        "size",
        "string",
        "int",
        "double",
        "bool",
        "type",
        "matches",
        "quantity",
        "url",
        "ip",
        "cidr",
        "has",
        "all",
        "exists",
        "exists_one",
        "map",
        "filter",
        "dyn",
        "bytes",
        "duration",
        "timestamp",
        "uint",
        "semver",
        "format",
        "sets",
        "math",
        "cel",
        "lists",
        "list",
        "strings",
    ]
)
_ROOT_METADATA: Final = ("self.metadata", "oldSelf.metadata", "oldSelf.value().metadata")
_USER: Final = (("username", "username", Str()), ("uid", "uid", Str()))
REQUEST: Final = Request(
    (
        ("operation", "operation", Str()),
        ("name", "name", Str()),
        ("namespace", "namespace", Str()),
        ("sub_resource", "subResource", Str()),
        ("dry_run", "dryRun", Bool()),
        ("user", "userInfo", Request((*_USER, ("groups", "groups", List(Str()))))),
    )
)

Scope = Mapping[str, Value]


class ElsewhereError(Exception):
    """What the rule reads does not exist in this place; a policy may read it."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """A function that is being translated: its own one, or a helper that it calls."""

    source: FunctionSource
    scope: Scope

    def having(self, names: Scope) -> _Frame:
        return replace(self, scope={**self.scope, **names})


class Translator:
    """Translates one function.

    Args:
        reader: reads fields.
        is_policy: whether the expression is one of a policy.

    Attributes:
        cost: what the expression may cost at most, in the units of API servers.
        unlimited: the lists and dicts without a limit that loops go over, with their places.
    """

    def __init__(self, reader: Reader, *, is_policy: bool) -> None:
        self._reader = reader
        self._is_policy = is_policy
        self._facts: frozenset[str] = frozenset()
        self._calls: tuple[FunctionType, ...] = ()
        self._names: frozenset[str] = frozenset()
        self._factor = 1.0
        self._steps = 0
        self._handlers: dict[type[ast.expr], Callable[[_Frame, Any], Value]] = {
            ast.Constant: self._of_constant, ast.Name: self._name, ast.Attribute: self._attribute,
            ast.BoolOp: self._logic, ast.Compare: self._truth, ast.UnaryOp: self._unary,
            ast.BinOp: self._arithmetic, ast.IfExp: self._if_expression, ast.Call: self._call,
            ast.Subscript: self._subscript, ast.JoinedStr: self._formatted,
            ast.Tuple: self._listed, ast.List: self._listed, ast.Set: self._listed,
            ast.ListComp: self._comprehension,
        }  # fmt: skip
        self._functions: dict[Any, Callable[[_Frame, ast.Call], Value]] = {
            len: self._len, all: self._all, any: self._any_of, sum: self._sum, min: self._min,
            max: self._max, abs: self._abs, bool: self._bool, str: self._str, set: self._set,
            getattr: self._getattr, re.fullmatch: self._fullmatch, re.match: self._match,
            re.search: self._search,
        }  # fmt: skip
        self.cost = 0.0
        self.unlimited: list[tuple[str, str]] = []

    # ---- functions ----------------------------------------------------------------------------

    def condition(self, source: FunctionSource, scope: Scope) -> str:
        """Return the expression of a function that returns whether an object is valid.

        Raises:
            RefusedError: it cannot be translated.
            ElsewhereError: it reads what this place does not have.
        """
        frame = _Frame(source, scope)
        return self._whole(source, self._block(frame, source.body(), self._truth).text)

    def text(self, source: FunctionSource, scope: Scope) -> str:
        """Return the expression of a function that returns a text. Raises what `condition` does."""
        frame = _Frame(source, scope)
        value = self._block(frame, source.body(), self._present)
        if not isinstance(value.type, Str):
            what = f"the message must be a text, not {value.type.name}"
            raise RefusedError(source.where, what)
        return self._whole(source, value.text)

    def _whole(self, source: FunctionSource, text: str) -> str:
        if len(text) > _MAX_LENGTH:
            what = f"the expression would have {len(text)} characters, more than {_MAX_LENGTH}"
            raise RefusedError(source.where, what, "split the rule")
        return text

    def _block(
        self,
        frame: _Frame,
        statements: list[ast.stmt],
        made: Callable[[_Frame, ast.expr], Value],
    ) -> Value:
        if not statements:
            what = "the function may end without `return`"
            raise RefusedError(frame.source.where, what, "return a value in every branch")
        first, *rest = statements
        match first:
            case ast.Return(value=ast.expr() as value):
                return made(frame, value)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return self._block(frame, rest, made)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return self._block(frame.having({name: self._any(frame, value)}), rest, made)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                return self._block(frame.having({name: self._any(frame, value)}), rest, made)
            case ast.If():
                return self._if(frame, first, rest, made)
            case _:
                hint = "loops are all(...), any(...) and sum(...); see docs/guides/rules.md"
                raise self._refused(frame, first, "this statement cannot be translated", hint)

    def _if(
        self,
        frame: _Frame,
        node: ast.If,
        rest: list[ast.stmt],
        made: Callable[[_Frame, ast.expr], Value],
    ) -> Value:
        test = self._truth(frame, node.test)
        with self._knowing(self._implied(frame, node.test, holds=True)):
            then = self._block(frame, [*node.body, *rest], made)
        with self._knowing(self._implied(frame, node.test, holds=False)):
            other = self._block(frame, [*node.orelse, *rest], made)
        return self._chosen(frame, node, test, then, other)

    def _chosen(
        self, frame: _Frame, node: ast.AST, test: Value, then: Value, other: Value
    ) -> Value:
        if test in (TRUE, FALSE):
            return then if test == TRUE else other
        if isinstance(then.type, Bool) and isinstance(other.type, Bool):
            if then == FALSE:
                return joined([negated(test), other], by="&&")
            if then == TRUE:
                return joined([test, other], by="||")
            if other == FALSE:
                return joined([test, then], by="&&")
        if type(then.type) is not type(other.type):
            what = f"it is {then.type.name} or {other.type.name}"
            raise self._refused(frame, node, what, "both branches need one type")
        text = f"{test.at(TERNARY + 1)} ? {then.at(TERNARY + 1)} : {other.at(TERNARY + 1)}"
        return Value(widest([then.type, other.type]), text, TERNARY)

    # ---- values -------------------------------------------------------------------------------

    def _present(self, frame: _Frame, node: ast.expr) -> Value:
        """Return a value that is not None, as one expression."""
        return self._whole_value(frame, node, self._any(frame, node))

    def _whole_value(self, frame: _Frame, node: ast.AST, value: Value) -> Value:
        if not value.optional:
            if isinstance(value.type, (Nothing, Found)):
                raise self._refused(frame, node, f"it is {value.type.name}", "compare it with None")
            return value
        if value.is_nullable:
            raise self._refused(frame, node, "it may be None", "test `is not None` before")
        absent = absent_literal(value)
        if absent is None:
            raise self._refused(frame, node, "it cannot be read as a whole", "read its fields")
        text = f"{value.optional}.orValue({absent.text})"
        read = value.type
        if isinstance(read, Int) and isinstance(absent.type, Int):
            read = widest([read, absent.type])
        if isinstance(read, Float) and self._is_policy:
            text = f"double({text})"
        return Value(read, text)

    def _any(self, frame: _Frame, node: ast.expr) -> Value:
        """Return a value that may be absent."""
        self._spend(1)
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise self._refused(frame, node, "the rule has too many branches", "split it")
        handler = self._handlers.get(type(node))
        if handler is None:
            raise self._refused(frame, node, "this expression cannot be translated")
        return handler(frame, node)

    def _of_constant(self, frame: _Frame, node: ast.Constant) -> Value:
        return self._literal(frame, node, node.value)

    def _name(self, frame: _Frame, node: ast.Name) -> Value:
        if node.id in frame.scope:
            return self._narrowed(frame.scope[node.id])
        return self._constant(frame, node)

    def _unary(self, frame: _Frame, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self._truth(frame, node)
        return self._signed(frame, node)

    def _literal(self, frame: _Frame, node: ast.AST, constant: object) -> Value:
        value = literal(constant)
        if value is None:
            raise self._refused(frame, node, "CEL has no such constant")
        return value

    def _constant(self, frame: _Frame, node: ast.expr) -> Value:
        try:
            constant = constant_named(frame.source, node)
        except LookupError:
            raise self._refused(frame, node, "it is not known here") from None
        if is_pattern(constant):
            return Value(Other("a pattern"), "", constant=constant)
        return self._literal(frame, node, constant)

    def _attribute(self, frame: _Frame, node: ast.Attribute) -> Value:
        if not self._is_of_scope(frame, node):
            return self._constant(frame, node)
        base = self._any(frame, node.value)
        match base.type:
            case Object():
                return self._field(frame, node, base, node.attr)
            case Request(members=members):
                return self._of_request(frame, node, base, members)
            case _:
                raise self._refused(frame, node, f"{base.type.name} has no attributes in rules")

    def _is_of_scope(self, frame: _Frame, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return not isinstance(node, ast.Name) or node.id in frame.scope

    def _field(self, frame: _Frame, node: ast.AST, base: Value, attribute: str) -> Value:
        if base.is_nullable:
            raise self._refused(
                frame, node, f"`{base.text}` may be None", "test `is not None` before"
            )
        owner = base.type
        assert isinstance(owner, Object)
        is_root = owner.cls is ObjectMeta and base.text in _ROOT_METADATA
        if is_root and attribute not in ("name", "generate_name"):
            raise ElsewhereError(f"it reads metadata.{attribute}")
        try:
            value = self._reader.field(base, attribute)
        except FieldError as error:
            raise self._refused(frame, node, str(error)) from None
        return self._narrowed(value)

    def _of_request(
        self,
        frame: _Frame,
        node: ast.Attribute,
        base: Value,
        members: tuple[tuple[str, str, Any], ...],
    ) -> Value:
        if not self._is_policy:
            raise ElsewhereError(f"it reads request.{node.attr}")
        for attribute, name, kind in members:
            if attribute == node.attr:
                text = f"{base.text}.{name}"
                if isinstance(kind, Request):
                    return Value(kind, text)
                zero = {Str: '""', Bool: "false", List: "[]"}[type(kind)]
                return Value(kind, f"{base.text}.?{name}.orValue({zero})")
        hint = "policies know operation, name, namespace, sub_resource, dry_run and user"
        raise self._refused(frame, node, "policies do not know this of the request", hint)

    def _narrowed(self, value: Value) -> Value:
        return value.known() if value.text in self._facts else value

    def _listed(self, frame: _Frame, node: ast.Tuple | ast.List | ast.Set) -> Value:
        items = [self._present(frame, item) for item in node.elts]
        if not items:
            return Value(List(Nothing(), 0), "[]")
        if len({type(item.type) for item in items}) > 1:
            raise self._refused(frame, node, "its items have several types")
        text = f"[{', '.join(item.text for item in items)}]"
        return Value(List(widest([item.type for item in items]), len(items)), text)

    def _subscript(self, frame: _Frame, node: ast.Subscript) -> Value:
        base = self._any(frame, node.value)
        if isinstance(base.type, Map):
            key = self._present(frame, node.slice)
            text = f"{base.at(ATOM)}[{key.text}]"
            if isinstance(key.type, Str) and text in self._facts:
                return Value(base.type.value, text)
            raise self._refused(
                frame, node, "it raises KeyError if the key is absent", "use .get(key)"
            )
        hint = "use all(...), any(...) or sum(...)"
        raise self._refused(frame, node, "it raises IndexError if the list is short", hint)

    def _if_expression(self, frame: _Frame, node: ast.IfExp) -> Value:
        test = self._truth(frame, node.test)
        with self._knowing(self._implied(frame, node.test, holds=True)):
            then = self._present(frame, node.body)
        with self._knowing(self._implied(frame, node.test, holds=False)):
            other = self._present(frame, node.orelse)
        return self._chosen(frame, node, test, then, other)

    def _formatted(self, frame: _Frame, node: ast.JoinedStr) -> Value:
        parts = [self._part(frame, part) for part in node.values]
        if not parts:
            return self._literal(frame, node, "")
        if len(parts) == 1:
            return parts[0]
        return Value(Str(), " + ".join(part.at(SUM + 1) for part in parts), SUM)

    def _part(self, frame: _Frame, node: ast.expr) -> Value:
        if isinstance(node, ast.FormattedValue):
            if node.conversion not in (-1, ord("s")) or node.format_spec is not None:
                raise self._refused(
                    frame, node, "formats cannot be translated", "leave out ! and :"
                )
            return self._as_text(frame, node.value)
        return self._present(frame, node)

    def _as_text(self, frame: _Frame, node: ast.expr) -> Value:
        value = self._present(frame, node)
        if isinstance(value.constant, Enum):
            raise self._refused(frame, node, "the text of an enumeration depends on Python")
        if isinstance(value.type, Int):
            return Value(Str(20), f"string({value.text})")
        if isinstance(value.type, Bool):
            return Value(Str(5), f'{value.at(TERNARY + 1)} ? "True" : "False"', TERNARY)
        if not isinstance(value.type, Str):
            raise self._refused(frame, node, f"the text of {value.type.name} differs in CEL")
        return value

    # ---- numbers ------------------------------------------------------------------------------

    def _signed(self, frame: _Frame, node: ast.UnaryOp) -> Value:
        value = self._present(frame, node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        match value.type:
            case Int(low=low, high=high):
                return self._int(frame, node, (-high, -low), f"-{value.at(ATOM)}", UNARY)
            case Float():
                return Value(Float(), f"-{value.at(ATOM)}", UNARY)
            case _:
                raise self._refused(frame, node, f"{value.type.name} has no sign")

    def _int(
        self, frame: _Frame, node: ast.AST, bounds: tuple[int, int], text: str, level: int
    ) -> Value:
        low, high = bounds
        if low < INT64[0] or high > INT64[1]:
            hint = "limit the fields, as in `Annotated[int, Meta(ge=0, le=1000)]`"
            raise self._refused(frame, node, "it may overflow 64 bits, where CEL fails", hint)
        return integer(low, high, text, level)

    def _arithmetic(self, frame: _Frame, node: ast.BinOp) -> Value:
        left, right = self._present(frame, node.left), self._present(frame, node.right)
        match left.type, node.op, right.type:
            case Str(), ast.Add(), Str():
                return Value(Str(), f"{left.at(SUM)} + {right.at(SUM + 1)}", SUM)
            case Int(), _, Int():
                return self._of_integers(frame, node, left, right)
            case ((Int() | Float()), (ast.Add() | ast.Sub() | ast.Mult()), (Int() | Float())):
                return self._of_floats(frame, node, left, right)
            case _:
                types = f"{left.type.name} and {right.type.name}"
                raise self._refused(frame, node, f"this operator cannot be translated for {types}")

    def _of_floats(self, frame: _Frame, node: ast.BinOp, left: Value, right: Value) -> Value:
        left, right = (self._double(frame, node, each) for each in (left, right))
        sign, level = _SIGNS[type(node.op)]
        return Value(Float(), f"{left.at(level)} {sign} {right.at(level + 1)}", level)

    def _double(self, frame: _Frame, node: ast.AST, value: Value) -> Value:
        if not isinstance(value.type, Int):
            return value
        if type(value.constant) is int and abs(value.constant) <= EXACT:
            return self._literal(frame, node, float(value.constant))
        if max(-value.type.low, value.type.high) > EXACT:
            hint = "limit the integer to 2**53"
            raise self._refused(frame, node, "large integers are not exact beside a float", hint)
        return Value(Float(), f"double({value.text})")

    def _of_integers(self, frame: _Frame, node: ast.BinOp, left: Value, right: Value) -> Value:
        a, b = left.type, right.type
        assert isinstance(a, Int) and isinstance(b, Int)  # noqa: PT018 - for type checkers
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            return self._divided(frame, node, left, right)
        if type(node.op) not in _SIGNS:
            raise self._refused(frame, node, "this operator cannot be translated", "use + - * // %")
        sign, level = _SIGNS[type(node.op)]
        text = f"{left.at(level)} {sign} {right.at(level + 1)}"
        ends = {"+": [a.low + b.low, a.high + b.high], "-": [a.low - b.high, a.high - b.low]}
        products = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        bounds = ends.get(sign, products)
        return self._int(frame, node, (min(bounds), max(bounds)), text, level)

    def _divided(self, frame: _Frame, node: ast.BinOp, left: Value, right: Value) -> Value:
        """Return a quotient or a remainder: Python rounds down, and CEL towards zero."""
        a, b = left.type, right.type
        assert isinstance(a, Int) and isinstance(b, Int)  # noqa: PT018 - for type checkers
        if b.low < 1:
            hint = "divide by a number that is greater than 0: a constant, or a field with ge=1"
            raise self._refused(frame, node, "it raises an exception for 0", hint)
        x, y, z = left.at(PRODUCT), right.at(PRODUCT + 1), right.at(SUM + 1)
        if isinstance(node.op, ast.Mod):
            if a.low >= 0:
                return integer(0, min(a.high, b.high - 1), f"{x} % {y}", PRODUCT)
            text = f"({x} % {y} + {z}) % {y}"
            low, high = -b.high + b.low, 2 * b.high
            return replace(
                self._int(frame, node, (low, high), text, PRODUCT), type=Int(0, b.high - 1)
            )
        low, high = min(a.low // b.low, a.low // b.high), max(a.high // b.low, a.high // b.high)
        if a.low >= 0:
            return integer(low, high, f"{x} / {y}", PRODUCT)
        text = f"{left.at(RELATION + 1)} >= 0 ? {x} / {y} : ({left.at(SUM)} + 1) / {y} - 1"
        return integer(low, high, text, TERNARY)

    # ---- conditions ---------------------------------------------------------------------------

    def _truth(self, frame: _Frame, node: ast.expr) -> Value:
        """Return whether a value counts as true."""
        match node:
            case ast.BoolOp():
                return self._joined(frame, node)
            case ast.UnaryOp(op=ast.Not()):
                return negated(self._truth(frame, node.operand))
            case ast.Compare():
                return self._compared(frame, node)
            case ast.IfExp():
                test = self._truth(frame, node.test)
                with self._knowing(self._implied(frame, node.test, holds=True)):
                    then = self._truth(frame, node.body)
                with self._knowing(self._implied(frame, node.test, holds=False)):
                    other = self._truth(frame, node.orelse)
                return self._chosen(frame, node, test, then, other)
            case _:
                return self._truth_of(frame, node, self._any(frame, node))

    def _truth_of(self, frame: _Frame, node: ast.AST, value: Value) -> Value:
        if isinstance(value.type, Found):
            return boolean(value.text)
        if isinstance(value.type, (Nothing, Object)):
            return FALSE if isinstance(value.type, Nothing) else self._is_present(value)
        if value.is_nullable:
            parts = [self._is_present(value), self._truth_of(frame, node, value.known())]
            return joined(parts, by="&&")
        value = self._whole_value(frame, node, value)
        match value.type:
            case Bool():
                return value
            case Str() | Int() | Float():
                zero = _ZEROS[type(value.type)]
                return boolean(f"{value.at(RELATION + 1)} != {zero}", RELATION)
            case List() | Map():
                return boolean(f"{value.at(ATOM)}.size() > 0", RELATION)
            case _:
                what = f"whether {value.type.name} counts as true cannot be translated"
                raise self._refused(frame, node, what)

    def _joined(self, frame: _Frame, node: ast.BoolOp) -> Value:
        is_and = isinstance(node.op, ast.And)
        parts: list[Value] = []
        facts: set[str] = set()
        for each in node.values:
            with self._knowing(facts):
                parts.append(self._truth(frame, each))
                facts |= self._implied(frame, each, holds=is_and)
        return joined(parts, by="&&" if is_and else "||")

    def _logic(self, frame: _Frame, node: ast.BoolOp) -> Value:
        """Return the value of `and` or `or`: a bool, or `text or default`."""
        if _is_condition(node):
            return self._truth(frame, node)
        first, *others = node.values
        value = self._any(frame, first)
        if isinstance(value.type, Bool) and not value.is_nullable:
            kinds = [self._kind(frame, node, at) for at in range(1, len(node.values))]
            if all(kind is Bool for kind in kinds):
                return self._joined(frame, node)
        if len(others) == 1 and isinstance(node.op, ast.Or):
            test = self._truth_of(frame, node, value)
            with self._knowing(self._implied(frame, first, holds=True)):
                then = self._whole_value(frame, node, self._narrowed(value))
            return self._chosen(frame, node, test, then, self._present(frame, others[0]))
        raise self._refused(
            frame, node, "its value is not always a bool", "write it as `a if b else c`"
        )

    def _kind(self, frame: _Frame, node: ast.BoolOp, at: int) -> type[Type]:
        facts: set[str] = set()
        for each in node.values[:at]:
            with self._knowing(facts):
                facts |= self._implied(frame, each, holds=isinstance(node.op, ast.And))
        with self._knowing(facts):
            return type(self._any(frame, node.values[at]).type)

    def _compared(self, frame: _Frame, node: ast.Compare) -> Value:
        operands = [node.left, *node.comparators]
        pairs = zip(operands, node.ops, operands[1:], strict=False)
        return joined([self._pair(frame, *pair) for pair in pairs], by="&&")

    def _pair(self, frame: _Frame, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Value:
        self._spend(1)
        if isinstance(op, (ast.In, ast.NotIn)):
            found = self._contained(frame, left, right)
            return found if isinstance(op, ast.In) else negated(found)
        if isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
            is_same = isinstance(op, (ast.Is, ast.Eq))
            for one, other in ((left, right), (right, left)):
                if isinstance(other, ast.Constant) and other.value is None:
                    present = self._is_present(self._any(frame, one))
                    return negated(present) if is_same else present
            if isinstance(op, (ast.Is, ast.IsNot)):
                raise self._refused(
                    frame, left, "`is` is translated for None only", "compare by =="
                )
            same = self._equal(frame, left, right)
            return same if is_same else _unequal(same)
        sign = _RELATIONS[type(op)]
        return self._ordered(frame, self._present(frame, left), sign, right)

    def _ordered(self, frame: _Frame, one: Value, sign: str, node: ast.expr) -> Value:
        one, other = self._alike(frame, node, one, self._present(frame, node))
        if not isinstance(one.type, (Int, Float, Str)):
            raise self._refused(frame, node, f"the order of {one.type.name} cannot be translated")
        return boolean(f"{one.at(RELATION + 1)} {sign} {other.at(RELATION + 1)}", RELATION)

    def _alike(self, frame: _Frame, node: ast.AST, one: Value, other: Value) -> tuple[Value, Value]:
        """Return two values of one type, which may be compared."""
        if {type(one.type), type(other.type)} == {Int, Float}:
            return self._double(frame, node, one), self._double(frame, node, other)
        if type(one.type) is not type(other.type):
            what = f"{one.type.name} is compared with {other.type.name}"
            raise self._refused(frame, node, what, "compare values of one type")
        return one, other

    def _is_present(self, value: Value) -> Value:
        if isinstance(value.type, Nothing):
            return FALSE
        if isinstance(value.type, Found):
            return boolean(value.text)
        if not value.is_nullable:
            return TRUE
        if value.optional == "oldObject":
            return boolean("oldObject != null", RELATION)
        base, dot, name = value.optional.rpartition(".?")
        if dot and value.text == f"{base}.{name}" and "?" not in base:
            return boolean(f"has({value.text})")
        return boolean(f"{value.optional}.hasValue()")

    def _equal(self, frame: _Frame, left: ast.expr, right: ast.expr) -> Value:
        one, other = self._any(frame, left), self._any(frame, right)
        nullable = [value for value in (one, other) if value.is_nullable]
        present = [self._is_present(value) for value in nullable]
        plain = [
            value.known() if value.is_nullable else self._whole_value(frame, left, value)
            for value in (one, other)
        ]
        self._check_equality(frame, left, *plain)
        first, second = self._alike(frame, left, plain[0], plain[1])
        text = f"{first.at(RELATION + 1)} == {second.at(RELATION + 1)}"
        same = boolean(text, RELATION)
        if len(nullable) < _TWO:
            return joined([*present, same], by="&&")
        both = joined([present[1], same], by="&&")
        return self._chosen(frame, left, present[0], both, negated(present[1]))

    def _check_equality(self, frame: _Frame, node: ast.AST, one: Value, other: Value) -> None:
        for value in (one, other):
            item = value.type
            if isinstance(item, (List, Map)):
                if isinstance(item, List) and item.is_unordered:
                    raise self._refused(frame, node, "servers compare this list without its order")
                item = item.item if isinstance(item, List) else item.value
            if not isinstance(item, (*SCALARS, Nothing)):
                what = f"two values of {item.name} may differ in CEL where Python finds them equal"
                raise self._refused(frame, node, what, "compare their fields")
        if isinstance(one.type, List) and isinstance(other.type, List):
            kinds = {type(one.type.item), type(other.type.item)} - {Nothing}
            if len(kinds) > 1:
                raise self._refused(frame, node, "the items of the lists have several types")

    def _contained(self, frame: _Frame, left: ast.expr, right: ast.expr) -> Value:
        container = self._present(frame, right)
        item = self._any(frame, left)
        self._spend(_size(container.type))
        if isinstance(container.type, Str):
            item = self._whole_value(frame, left, item)
            if not isinstance(item.type, Str):
                raise self._refused(frame, left, f"{item.type.name} is looked for in a text")
            return boolean(f"{container.at(ATOM)}.contains({item.text})")
        present = [self._is_present(item)] if item.is_nullable else []
        value = item.known() if item.is_nullable else self._whole_value(frame, left, item)
        match container.type:
            case List(item=Nothing()):
                return FALSE
            case List(item=member) if type(member) is type(value.type) and _is_scalar(member):
                pass
            case Map() if isinstance(value.type, Str):
                pass
            case _:
                what = f"{value.type.name} is looked for in {container.type.name}"
                raise self._refused(frame, left, what, "the items must have the type of the value")
        text = f"{value.at(RELATION + 1)} in {container.at(RELATION + 1)}"
        return joined([*present, boolean(text, RELATION)], by="&&")

    # ---- what is known ------------------------------------------------------------------------

    @contextmanager
    def _knowing(self, facts: Iterable[str]) -> Generator[None]:
        before = self._facts
        self._facts = before | frozenset(facts)
        yield
        self._facts = before

    def _implied(self, frame: _Frame, node: ast.expr, *, holds: bool) -> set[str]:
        """Return the values that are present if a condition holds, or if it does not."""
        match node:
            case ast.UnaryOp(op=ast.Not()):
                return self._implied(frame, node.operand, holds=not holds)
            case ast.BoolOp() if isinstance(node.op, ast.And) is holds:
                implied = [self._implied(frame, each, holds=holds) for each in node.values]
                return {fact for facts in implied for fact in facts}
            case ast.BoolOp():
                return set()
            case ast.Compare(ops=[op], comparators=[other]):
                return self._implied_by_pair(frame, node.left, op, other, holds=holds)
            case ast.Attribute() | ast.Name() | ast.Call(func=ast.Attribute(attr="get")) if holds:
                return {self._key(frame, node)} - {""}
            case _:
                return set()

    def _implied_by_pair(
        self, frame: _Frame, left: ast.expr, op: ast.cmpop, right: ast.expr, *, holds: bool
    ) -> set[str]:
        is_none = isinstance(right, ast.Constant) and right.value is None
        if isinstance(op, (ast.IsNot, ast.NotEq) if holds else (ast.Is, ast.Eq)) and is_none:
            return {self._key(frame, left)} - {""}
        if isinstance(op, ast.Eq) and holds and not is_none:
            return self._equal_and_present(frame, left, right)
        if isinstance(op, ast.In if holds else ast.NotIn):
            base, key = self._key(frame, right), self._key(frame, left)
            return {f"{base}[{key}]", key} - {""} if base and key else set()
        return set()

    def _equal_and_present(self, frame: _Frame, left: ast.expr, right: ast.expr) -> set[str]:
        """Return what is not None because it is equal to something that is not."""
        known: set[str] = set()
        for one, other in ((left, right), (right, left)):
            value = self._tried(frame, other)
            if value is not None and not value.is_nullable:
                known.add(self._key(frame, one))
        return known - {""}

    def _key(self, frame: _Frame, node: ast.expr) -> str:
        value = self._tried(frame, node)
        return "" if value is None or isinstance(value.type, (Found, Nothing)) else value.text

    def _tried(self, frame: _Frame, node: ast.expr) -> Value | None:
        """Return a value, or None if it cannot be translated here; it costs nothing."""
        before = self.cost, list(self.unlimited)
        try:
            return self._any(frame, node)
        except RefusedError:
            return None
        finally:
            self.cost, self.unlimited = before

    # ---- calls --------------------------------------------------------------------------------

    def _call(self, frame: _Frame, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute) and self._is_of_scope(frame, node.func):
            return self._method(frame, node, node.func)
        try:
            function = constant_named(frame.source, node.func)
        except LookupError:
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            constant = self._tried(frame, owner) if owner is not None else None
            if isinstance(node.func, ast.Attribute) and constant is not None:
                return self._method(frame, node, node.func)
            raise self._refused(frame, node, "this call cannot be translated") from None
        if is_rule(function):
            if function.takes:
                raise self._refused(frame, node, "only rules of the object alone can be called")
            return self._inlined(frame, node, cast("FunctionType", function.function))
        handler = self._functions.get(function) if isinstance(function, _HASHABLE) else None
        if handler is not None:
            return handler(frame, node)
        if isinstance(function, FunctionType):
            return self._inlined(frame, node, function)
        hint = "rules may call len, all, any, sum, min, max, abs, bool, re and functions of yours"
        raise self._refused(frame, node, "this call cannot be translated", hint)

    def _arguments(
        self, frame: _Frame, node: ast.Call, least: int, most: int | None = None
    ) -> list[ast.expr]:
        most = least if most is None else most
        if node.keywords or not least <= len(node.args) <= most:
            raise self._refused(frame, node, "these arguments cannot be translated")
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            raise self._refused(frame, node, "starred arguments cannot be translated")
        return node.args

    def _inlined(self, frame: _Frame, node: ast.Call, function: FunctionType) -> Value:
        if function in self._calls or len(self._calls) >= _MAX_DEPTH:
            raise self._refused(frame, node, f"{function.__name__} calls itself, directly or not")
        source = source_of(function)
        names = source.parameters()
        arguments = self._arguments(frame, node, len(names))
        scope = {name: self._any(frame, each) for name, each in zip(names, arguments, strict=True)}
        before, self._calls = self._calls, (*self._calls, function)
        try:
            return self._block(_Frame(source, scope), source.body(), self._any)
        finally:
            self._calls = before

    def _len(self, frame: _Frame, node: ast.Call) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        if isinstance(argument, ast.GeneratorExp):
            raise self._refused(frame, node, "a generator has no length")
        value = self._present(frame, argument)
        match value.type:
            case List(size=size) | Map(size=size) | Str(length=size):
                return integer(0, size or MAX_REQUEST, f"{value.at(ATOM)}.size()")
            case _:
                raise self._refused(frame, node, f"{value.type.name} has no length")

    def _all(self, frame: _Frame, node: ast.Call) -> Value:
        return self._quantified(frame, node, "all")

    def _any_of(self, frame: _Frame, node: ast.Call) -> Value:
        return self._quantified(frame, node, "exists")

    def _quantified(self, frame: _Frame, node: ast.Call, macro: str) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        if not isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
            hint = "write it as in `all(item.size > 0 for item in items)`"
            raise self._refused(frame, node, "its argument must be a generator", hint)

        return self._looped(frame, argument.generators, macro, argument.elt)

    def _looped(
        self, frame: _Frame, generators: list[ast.comprehension], macro: str, result: ast.expr
    ) -> Value:
        first, *others = generators
        with self._loop(frame, first) as (inner, around, variable):
            tests, facts = self._tests(inner, first)
            with self._knowing(facts):
                if others:
                    value = self._looped(inner, others, macro, result)
                else:
                    value = self._truth(inner, result)
        if macro == "all":
            body = joined([*map(negated, tests), value], by="||")
        else:
            body = joined([*tests, value], by="&&")
        return boolean(f"{around}.{macro}({variable}, {body.text})")

    def _tests(self, frame: _Frame, generator: ast.comprehension) -> tuple[list[Value], set[str]]:
        tests: list[Value] = []
        facts: set[str] = set()
        for each in generator.ifs:
            with self._knowing(facts):
                tests.append(self._truth(frame, each))
                facts |= self._implied(frame, each, holds=True)
        return tests, facts

    @contextmanager
    def _loop(
        self, frame: _Frame, generator: ast.comprehension
    ) -> Generator[tuple[_Frame, str, str]]:
        """Enter a loop: the frame within it, what it goes over, and its variable in CEL."""
        if generator.is_async:
            raise self._refused(frame, generator.iter, "asynchronous loops cannot be translated")
        names, around, scope_of = self._source_of_loop(frame, generator)
        variable = self._fresh(names[0])
        size = around.type.size if isinstance(around.type, (List, Map)) else None
        before = self._factor, self._names
        if size is None:
            self.unlimited.append((frame.source.at(generator.iter), ast.unparse(generator.iter)))
        self._factor *= _UNLIMITED_ITEMS if size is None else max(size, 1)
        self._names |= {variable}
        yield frame.having(scope_of(variable)), around.at(ATOM), variable
        self._factor, self._names = before

    def _source_of_loop(
        self, frame: _Frame, generator: ast.comprehension
    ) -> tuple[list[str], Value, Callable[[str], dict[str, Value]]]:
        match generator.target:
            case ast.Name(id=name):
                names = [name]
            case ast.Tuple(elts=[ast.Name(id=key), ast.Name(id=value)]):
                names = [key, value]
            case _:
                raise self._refused(
                    frame, generator.target, "this loop variable cannot be translated"
                )
        iterated, view = generator.iter, ""
        match iterated:
            case ast.Call(
                func=ast.Attribute(value=owner, attr="items" | "values" | "keys" as view), args=[]
            ):
                iterated = owner
            case _:
                pass
        around = self._present(frame, iterated)
        members = {"": 1, "keys": 1, "values": 1, "items": 2}[view]
        wanted = (List, Map) if not view else Map
        if not isinstance(around.type, wanted) or len(names) != members:
            what = f"a loop over {around.type.name} cannot be translated"
            raise self._refused(
                frame, generator.iter, what, "loop over a list, or over dict.items()"
            )
        return names, around, lambda variable: _members(names, around, view, variable)

    def _fresh(self, name: str) -> str:
        name = name if name not in _RESERVED_NAMES and name.isascii() else f"{name}_"
        if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
            name = "item"
        while name in self._names:
            name += "_"
        return name

    def _sum(self, frame: _Frame, node: ast.Call) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        if not isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
            hint = "write it as in `sum(1 for item in items if item.size > 0)`"
            raise self._refused(frame, node, "its argument must be a generator", hint)
        is_count = isinstance(argument.elt, ast.Constant) and argument.elt.value == 1
        listed = _iterated_items(argument) if is_count else argument
        values = self._comprehension(frame, listed)
        assert isinstance(values.type, List)
        item, size = values.type.item, values.type.size
        most = size or MAX_REQUEST
        if is_count:
            return integer(0, most, f"{values.at(ATOM)}.size()")
        if not isinstance(item, Int):
            raise self._refused(frame, node, f"the sum of {item.name} cannot be translated")
        if self._is_policy:
            raise self._refused(
                frame, node, "policies cannot add values of unknown types", "count them"
            )
        low, high = min(0, item.low * most), max(0, item.high * most)
        return self._int(frame, node, (low, high), f"{values.at(ATOM)}.sum()", ATOM)

    def _comprehension(self, frame: _Frame, node: ast.ListComp | ast.GeneratorExp) -> Value:
        if len(node.generators) != 1:
            raise self._refused(frame, node, "several loops in a list cannot be translated")
        (generator,) = node.generators
        with self._loop(frame, generator) as (inner, around, variable):
            tests, facts = self._tests(inner, generator)
            with self._knowing(facts):
                item = self._any(inner, node.elt)
                if item.text != variable:
                    item = self._whole_value(inner, node.elt, item)
            source = self._present(frame, _iterated(generator)).type
        size = source.size if isinstance(source, (List, Map)) else None
        condition = joined(tests, by="&&")
        text = around if condition == TRUE else f"{around}.filter({variable}, {condition.text})"
        if item.text != variable or isinstance(source, Map):
            text = f"{text}.map({variable}, {item.text})"
        return Value(List(item.type, size), text)

    def _set(self, frame: _Frame, node: ast.Call) -> Value:
        raise self._refused(frame, node, "CEL has no sets", "write `all(...)` or `any(...)`")

    def _extreme(self, frame: _Frame, node: ast.Call, sign: str) -> Value:
        arguments = self._arguments(frame, node, 2, 8)
        result, *others = [self._present(frame, each) for each in arguments]
        for other in others:
            if type(result.type) is not type(other.type) or not isinstance(result.type, Int):
                raise self._refused(frame, node, "min and max are translated for integers only")
            assert isinstance(other.type, Int)
            pick = min if sign == "<=" else max
            low = pick(result.type.low, other.type.low)
            high = pick(result.type.high, other.type.high)
            text = (
                f"{result.at(RELATION + 1)} {sign} {other.at(RELATION + 1)} ? "
                f"{result.at(TERNARY + 1)} : {other.at(TERNARY + 1)}"
            )
            result = integer(low, high, text, TERNARY)
        return result

    def _min(self, frame: _Frame, node: ast.Call) -> Value:
        return self._extreme(frame, node, "<=")

    def _max(self, frame: _Frame, node: ast.Call) -> Value:
        return self._extreme(frame, node, ">=")

    def _abs(self, frame: _Frame, node: ast.Call) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        value = self._present(frame, argument)
        if not isinstance(value.type, Int):
            raise self._refused(frame, node, "abs is translated for integers only")
        low, high = value.type.low, value.type.high
        least = 0 if low <= 0 <= high else min(abs(low), abs(high))
        text = f"{value.at(RELATION + 1)} < 0 ? -{value.at(ATOM)} : {value.at(TERNARY + 1)}"
        return self._int(frame, node, (least, max(-low, high)), text, TERNARY)

    def _bool(self, frame: _Frame, node: ast.Call) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        return self._truth(frame, argument)

    def _str(self, frame: _Frame, node: ast.Call) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        return self._as_text(frame, argument)

    def _getattr(self, frame: _Frame, node: ast.Call) -> Value:
        base, name = self._arguments(frame, node, 2)
        if not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
            raise self._refused(frame, node, "the name of an attribute must be written out")
        attribute = ast.copy_location(ast.Attribute(base, name.value), node)
        return self._attribute(frame, attribute)

    # ---- texts and patterns -------------------------------------------------------------------

    def _method(self, frame: _Frame, node: ast.Call, function: ast.Attribute) -> Value:
        base = self._any(frame, function.value)
        if is_pattern(base.constant):
            (subject,) = self._arguments(frame, node, 1)
            pattern = base.constant
            if not isinstance(pattern.pattern, str):
                raise self._refused(frame, node, "patterns of bytes cannot be translated")
            return self._found(frame, node, function.attr, pattern.pattern, pattern.flags, subject)
        if isinstance(base.type, Map) and function.attr == "get":
            return self._got(frame, node, base)
        base = self._whole_value(frame, function.value, base)
        if isinstance(base.type, Str):
            return self._of_text(frame, node, base, function.attr)
        what = f"{base.type.name} has no method `{function.attr}` in rules"
        raise self._refused(frame, node, what)

    def _got(self, frame: _Frame, node: ast.Call, base: Value) -> Value:
        if base.is_nullable:
            raise self._refused(frame, node, "it may be None", "test `is not None` before")
        key, *default = self._arguments(frame, node, 1, 2)
        name = self._present(frame, key)
        if not isinstance(name.type, Str):
            raise self._refused(frame, key, f"the key is {name.type.name}, not a text")
        assert isinstance(base.type, Map)
        whole = base.optional or base.at(ATOM)
        value = Value(base.type.value, f"{base.at(ATOM)}[{name.text}]")
        got = replace(value, optional=f"{whole}[?{name.text}]")
        if not default:
            return self._narrowed(got)
        other = self._present(frame, default[0])
        if type(other.type) is not type(value.type):
            raise self._refused(frame, node, f"it is {value.type.name} or {other.type.name}")
        text = f"{got.optional}.orValue({other.text})"
        return Value(widest([value.type, other.type]), text)

    def _of_text(self, frame: _Frame, node: ast.Call, base: Value, method: str) -> Value:
        self._spend(_size(base.type) / 10)
        text = base.at(ATOM)
        match method:
            case "startswith" | "endswith":
                (argument,) = self._arguments(frame, node, 1)
                name = "startsWith" if method == "startswith" else "endsWith"
                ends = argument.elts if isinstance(argument, ast.Tuple) else [argument]
                parts = [self._text(frame, each) for each in ends]
                return joined([boolean(f"{text}.{name}({part.text})") for part in parts], by="||")
            case "split":
                (argument,) = self._arguments(frame, node, 1)
                by = self._literal_text(frame, argument)
                length = _size(base.type)
                size = None if length >= MAX_REQUEST else length + 1
                return Value(List(Str(), size), f"{text}.split({quoted(by)})")
            case "replace":
                old, new = self._arguments(frame, node, 2)
                before = quoted(self._literal_text(frame, old))
                return Value(Str(), f"{text}.replace({before}, {self._text(frame, new).text})")
            case _:
                hint = "rules know startswith, endswith, split, replace, `in`, len and re"
                raise self._refused(frame, node, f"`{method}` of a text cannot be translated", hint)

    def _text(self, frame: _Frame, node: ast.expr) -> Value:
        value = self._present(frame, node)
        if not isinstance(value.type, Str):
            raise self._refused(frame, node, f"it must be a text, not {value.type.name}")
        return value

    def _literal_text(self, frame: _Frame, node: ast.expr) -> str:
        value = self._text(frame, node)
        if type(value.constant) is not str or not value.constant:
            raise self._refused(frame, node, "it must be a constant that is not empty")
        return value.constant

    def _fullmatch(self, frame: _Frame, node: ast.Call) -> Value:
        return self._of_module_re(frame, node, "fullmatch")

    def _match(self, frame: _Frame, node: ast.Call) -> Value:
        return self._of_module_re(frame, node, "match")

    def _search(self, frame: _Frame, node: ast.Call) -> Value:
        return self._of_module_re(frame, node, "search")

    def _of_module_re(self, frame: _Frame, node: ast.Call, how: str) -> Value:
        pattern, subject, *flags = self._arguments(frame, node, 2, 3)
        try:
            flag = constant_named(frame.source, flags[0]) if flags else 0
        except LookupError:
            flag = None
        if not isinstance(flag, int):
            raise self._refused(frame, node, "the flags must be a constant", "write re.ASCII")
        return self._found(frame, node, how, self._literal_text(frame, pattern), int(flag), subject)

    def _found(  # noqa: PLR0917 - a call with all its parts
        self, frame: _Frame, node: ast.AST, how: str, pattern: str, flags: int, subject: ast.expr
    ) -> Value:
        try:
            written = re2(pattern, flags)
        except PatternError as error:
            raise self._refused(frame, node, str(error), error.hint) from None
        forms = {"fullmatch": "^(?:{})$", "match": "^(?:{})", "search": "{}"}
        if how not in forms:
            raise self._refused(frame, node, f"`{how}` of a pattern cannot be translated")
        value = self._text(frame, subject)
        self._spend((1 + _size(value.type) / 10) * (1 + len(written) / 4))
        whole = forms[how].format(written)
        return Value(Found(), f"{value.at(ATOM)}.matches({quoted(whole)})")

    # ---- costs and refusals -------------------------------------------------------------------

    def _spend(self, units: float) -> None:
        self.cost += units * self._factor

    def _refused(self, frame: _Frame, node: ast.AST, what: str, hint: str = "") -> RefusedError:
        source = ast.unparse(node).partition("\n")[0]
        shown = source if len(source) <= 60 else f"{source[:57]}..."  # noqa: PLR2004
        return RefusedError(frame.source.at(node), f"`{shown}`: {what}", hint)


_SIGNS: Final[Mapping[type[ast.operator], tuple[str, int]]] = {
    ast.Add: ("+", SUM), ast.Sub: ("-", SUM), ast.Mult: ("*", PRODUCT),
}  # fmt: skip
_ZEROS: Final[Mapping[type[Type], str]] = {Str: '""', Int: "0", Float: "0.0"}
_HASHABLE: Final = (FunctionType, type, type(len))


def _unequal(same: Value) -> Value:
    one, sign, other = same.text.partition(" == ")
    if same.level == RELATION and sign and " == " not in other:
        return boolean(f"{one} != {other}", RELATION)
    return negated(same)


def _is_condition(node: ast.expr) -> bool:
    """Return whether the syntax says that a value is a bool."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return all(map(_is_condition, values))
        case _:
            return False


def _is_scalar(kind: Type) -> bool:
    return isinstance(kind, SCALARS)


def _size(kind: Type) -> int:
    """Return how long a text, list or dict may be."""
    match kind:
        case Str(length=size) if size is not None:
            return size
        case List(size=size) | Map(size=size) if size is not None:
            return size
        case _:
            return MAX_REQUEST


def _iterated(generator: ast.comprehension) -> ast.expr:
    match generator.iter:
        case ast.Call(func=ast.Attribute(value=owner, attr="items" | "values" | "keys"), args=[]):
            return owner
        case other:
            return other


def _iterated_items(node: ast.GeneratorExp | ast.ListComp) -> ast.ListComp:
    """Return a list of what the loop goes over, which has as many items."""
    target = node.generators[0].target
    first = target.elts[0] if isinstance(target, ast.Tuple) else target
    name = ast.Name(getattr(first, "id", "_"))
    return ast.copy_location(ast.ListComp(ast.copy_location(name, node), node.generators), node)


def _members(names: list[str], around: Value, view: str, variable: str) -> dict[str, Value]:
    if isinstance(around.type, List):
        return {names[0]: Value(around.type.item, variable)}
    assert isinstance(around.type, Map)
    key = Value(Str(), variable)
    value = Value(around.type.value, f"{around.at(ATOM)}[{variable}]")
    return {"": {names[0]: key}, "keys": {names[0]: key}, "values": {names[0]: value}}.get(
        view, {names[0]: key, names[-1]: value}
    )
