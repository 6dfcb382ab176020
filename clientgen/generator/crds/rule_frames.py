"""What the translation of all parts of rules needs: scopes, what is known, costs, refusals."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FunctionType

from clientgen.generator.crds.rule_fields import Reader, absent_literal
from clientgen.generator.crds.rule_sources import (
    FunctionSource,
    RefusedError,
    constant_named,
    is_pattern,
)
from clientgen.generator.crds.rule_values import (
    FALSE,
    MAX_REQUEST,
    RELATION,
    TERNARY,
    TRUE,
    Bool,
    Float,
    Found,
    Int,
    List,
    Map,
    Nothing,
    Other,
    Str,
    Type,
    Value,
    boolean,
    has_objects,
    is_alike,
    joined,
    literal,
    negated,
    widest,
)

Scope = Mapping[str, Value]


class ElsewhereError(Exception):
    """What the rule reads does not exist in this place; a policy may read it."""


class SplitError(Exception):
    """A value may be absent, and the operation on it needs a case for each.

    API servers know the size of a field, but not that of `orValue(...)`, which they estimate as
    the largest possible.
    """

    def __init__(self, value: Value) -> None:
        super().__init__(value.text)
        self.value = value


@dataclass(frozen=True, slots=True)
class Frame:
    """A function that is being translated: its own one, or a helper that it calls."""

    source: FunctionSource
    scope: Scope

    def having(self, names: Scope) -> Frame:
        """Return the frame with more names."""
        return replace(self, scope={**self.scope, **names})


class Base(ABC):
    """The state of a translation.

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
        self._absent: frozenset[str] = frozenset()
        self._calls: tuple[FunctionType, ...] = ()
        self._names: frozenset[str] = frozenset()
        self._factor = 1.0
        self._steps = 0
        self.cost = 0.0
        self.unlimited: list[tuple[str, str]] = []

    @abstractmethod
    def _any(self, frame: Frame, node: ast.expr) -> Value:
        """Return a value that may be absent."""

    def _present(self, frame: Frame, node: ast.expr) -> Value:
        """Return a value that is not None, as one expression."""
        return self._whole_value(frame, node, self._any(frame, node))

    def _whole_value(
        self, frame: Frame, node: ast.AST, value: Value, *, sized: bool = False
    ) -> Value:
        """Return a value that is not None, as one expression.

        Args:
            frame: the function.
            node: what is told if there is none.
            value: the value, which may be absent.
            sized: whether servers need to know its size, as for texts.
        """
        if not value.optional:
            if isinstance(value.type, (Nothing, Found)):
                raise self._refused(frame, node, f"it is {value.type.name}", "compare it with None")
            return value
        if value.is_nullable:
            raise self._refused(frame, node, "it may be None", "test `is not None` before")
        absent = absent_literal(value)
        if absent is None:
            raise self._refused(frame, node, "it cannot be read as a whole", "read its fields")
        if (sized or isinstance(value.type, (List, Map, Str))) and not self._is_policy:
            if value.text not in self._absent:
                raise SplitError(value)
            return absent
        text = f"{value.optional}.orValue({absent.text})"
        read = value.type
        if isinstance(read, Int) and isinstance(absent.type, Int):
            read = widest([read, absent.type])
        if isinstance(read, Float) and self._is_policy:
            text = f"double({text})"
        return Value(read, text)

    def _split(self, frame: Frame, node: ast.AST, make: Callable[[], Value]) -> Value:
        """Return a value, with a case for each value that may be absent."""
        try:
            return make()
        except SplitError as error:
            value = error.value
        with self._knowing({value.text}):
            then = self._split(frame, node, make)
        before, self._absent = self._absent, self._absent | {value.text}
        try:
            other = self._split(frame, node, make)
        finally:
            self._absent = before
        return self._chosen(frame, node, self._is_present(replace(value, absent=None)), then, other)

    def _chosen(self, frame: Frame, node: ast.AST, test: Value, then: Value, other: Value) -> Value:
        if test in (TRUE, FALSE):
            return then if test == TRUE else other
        if isinstance(then.type, Bool) and isinstance(other.type, Bool):
            if then == FALSE:
                return joined([negated(test), other], by="&&")
            if then == TRUE:
                return joined([test, other], by="||")
            if other == FALSE:
                return joined([test, then], by="&&")
        if not is_alike(then.type, other.type):
            what = f"it is {then.type.name} or {other.type.name}"
            raise self._refused(frame, node, what, "both branches need one type")
        if has_objects(then.type) or has_objects(other.type):
            raise self._refused(frame, node, "objects cannot be chosen", "choose their fields")
        text = f"{test.at(TERNARY + 1)} ? {then.at(TERNARY + 1)} : {other.at(TERNARY + 1)}"
        return Value(widest([then.type, other.type]), text, TERNARY)

    def _literal(self, frame: Frame, node: ast.AST, constant: object) -> Value:
        value = literal(constant)
        if value is None:
            raise self._refused(frame, node, "CEL has no such constant")
        return value

    def _constant(self, frame: Frame, node: ast.expr) -> Value:
        try:
            constant = constant_named(frame.source, node)
        except LookupError:
            raise self._refused(frame, node, "it is not known here") from None
        if is_pattern(constant):
            return Value(Other("a pattern"), "", constant=constant)
        return self._literal(frame, node, constant)

    def _narrowed(self, value: Value) -> Value:
        return value.known() if value.text in self._facts else value

    def _is_of_scope(self, frame: Frame, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return not isinstance(node, ast.Name) or node.id in frame.scope

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

    @contextmanager
    def _knowing(self, facts: Iterable[str]) -> Generator[None]:
        before = self._facts
        self._facts = before | frozenset(facts)
        try:
            yield
        finally:
            self._facts = before

    def _implied(self, frame: Frame, node: ast.expr, *, holds: bool) -> set[str]:
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
        self, frame: Frame, left: ast.expr, op: ast.cmpop, right: ast.expr, *, holds: bool
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

    def _equal_and_present(self, frame: Frame, left: ast.expr, right: ast.expr) -> set[str]:
        """Return what is not None because it is equal to something that is not."""
        known: set[str] = set()
        for one, other in ((left, right), (right, left)):
            value = self._tried(frame, other)
            if value is not None and not value.is_nullable:
                known.add(self._key(frame, one))
        return known - {""}

    def _key(self, frame: Frame, node: ast.expr) -> str:
        value = self._tried(frame, node)
        return "" if value is None or isinstance(value.type, (Found, Nothing)) else value.text

    def _tried(self, frame: Frame, node: ast.expr) -> Value | None:
        """Return a value, or None if it cannot be translated here; it costs nothing."""
        before = self.cost, list(self.unlimited)
        try:
            return self._any(frame, node)
        except (RefusedError, SplitError):
            return None
        finally:
            self.cost, self.unlimited = before

    def _arguments(
        self, frame: Frame, node: ast.Call, least: int, most: int | None = None
    ) -> list[ast.expr]:
        most = least if most is None else most
        if node.keywords or not least <= len(node.args) <= most:
            raise self._refused(frame, node, "these arguments cannot be translated")
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            raise self._refused(frame, node, "starred arguments cannot be translated")
        return node.args

    def _spend(self, units: float) -> None:
        self.cost += units * self._factor

    def _refused(self, frame: Frame, node: ast.AST, what: str, hint: str = "") -> RefusedError:
        source = ast.unparse(node).partition("\n")[0]
        shown = source if len(source) <= 60 else f"{source[:57]}..."  # noqa: PLR2004
        return RefusedError(frame.source.at(node), f"`{shown}`: {what}", hint)


def size_of(kind: Type) -> int:
    """Return how long a text, list or dict may be."""
    match kind:
        case Str(length=size) if size is not None:
            return size
        case List(size=size) | Map(size=size) if size is not None:
            return size
        case _:
            return MAX_REQUEST
