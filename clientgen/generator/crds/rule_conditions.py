"""Conditions in rules: comparisons, `and`, `or`, `not`, and what counts as true."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from clientgen.generator.crds.rule_frames import Frame, size_of
from clientgen.generator.crds.rule_numbers import Numbers
from clientgen.generator.crds.rule_values import (
    ATOM,
    FALSE,
    RELATION,
    SCALARS,
    Bool,
    Float,
    Found,
    Int,
    List,
    Map,
    Nothing,
    Object,
    Str,
    Type,
    Value,
    boolean,
    joined,
    negated,
)

_TWO: Final = 2
_RELATIONS: Final[Mapping[type[ast.cmpop], str]] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_ZEROS: Final[Mapping[type[Type], str]] = {Str: '""', Int: "0", Float: "0.0"}


class Conditions(Numbers):
    """Translates conditions."""

    def _truth(self, frame: Frame, node: ast.expr) -> Value:
        """Return whether a value counts as true."""
        match node:
            case ast.BoolOp():
                return self._joined(frame, node)
            case ast.UnaryOp(op=ast.Not()):
                return negated(self._truth(frame, node.operand))
            case ast.Compare():
                return self._split(frame, node, lambda: self._compared(frame, node))
            case ast.IfExp():
                test = self._truth(frame, node.test)
                with self._knowing(self._implied(frame, node.test, holds=True)):
                    then = self._truth(frame, node.body)
                with self._knowing(self._implied(frame, node.test, holds=False)):
                    other = self._truth(frame, node.orelse)
                return self._chosen(frame, node, test, then, other)
            case _:
                return self._split(
                    frame, node, lambda: self._truth_of(frame, node, self._any(frame, node))
                )

    def _truth_of(self, frame: Frame, node: ast.AST, value: Value) -> Value:
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

    def _joined(self, frame: Frame, node: ast.BoolOp) -> Value:
        is_and = isinstance(node.op, ast.And)
        parts: list[Value] = []
        facts: set[str] = set()
        for each in node.values:
            with self._knowing(facts):
                parts.append(self._truth(frame, each))
                facts |= self._implied(frame, each, holds=is_and)
        return joined(parts, by="&&" if is_and else "||")

    def _logic(self, frame: Frame, node: ast.BoolOp) -> Value:
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

    def _kind(self, frame: Frame, node: ast.BoolOp, at: int) -> type[Type]:
        facts: set[str] = set()
        for each in node.values[:at]:
            with self._knowing(facts):
                facts |= self._implied(frame, each, holds=isinstance(node.op, ast.And))
        with self._knowing(facts):
            return type(self._any(frame, node.values[at]).type)

    def _compared(self, frame: Frame, node: ast.Compare) -> Value:
        operands = [node.left, *node.comparators]
        pairs = zip(operands, node.ops, operands[1:], strict=False)
        return joined([self._pair(frame, *pair) for pair in pairs], by="&&")

    def _pair(self, frame: Frame, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Value:
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

    def _ordered(self, frame: Frame, one: Value, sign: str, node: ast.expr) -> Value:
        one, other = self._alike(frame, node, one, self._present(frame, node))
        if not isinstance(one.type, (Int, Float, Str)):
            raise self._refused(frame, node, f"the order of {one.type.name} cannot be translated")
        return boolean(f"{one.at(RELATION + 1)} {sign} {other.at(RELATION + 1)}", RELATION)

    def _equal(self, frame: Frame, left: ast.expr, right: ast.expr) -> Value:
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

    def _check_equality(self, frame: Frame, node: ast.AST, one: Value, other: Value) -> None:
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

    def _contained(self, frame: Frame, left: ast.expr, right: ast.expr) -> Value:
        container = self._present(frame, right)
        item = self._any(frame, left)
        self._spend(size_of(container.type))
        if isinstance(container.type, Str):
            item = self._whole_value(frame, left, item)
            if not isinstance(item.type, Str):
                raise self._refused(frame, left, f"{item.type.name} is looked for in a text")
            return boolean(f"{container.at(ATOM)}.contains({item.text})")
        present = [self._is_present(item)] if item.is_nullable else []
        value = item.known() if item.is_nullable else self._whole_value(frame, left, item)
        match container.type:
            case List(item=Nothing()) | List(size=0) | Map(size=0):
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

    def _bool(self, frame: Frame, node: ast.Call) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        return self._truth(frame, argument)


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
