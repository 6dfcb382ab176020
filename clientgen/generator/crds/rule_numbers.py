"""Numbers in rules: what overflows in CEL, or ends otherwise, is refused."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from clientgen.generator.crds.rule_frames import Base, Frame
from clientgen.generator.crds.rule_values import (
    ATOM,
    EXACT,
    INT64,
    PRODUCT,
    RELATION,
    SUM,
    TERNARY,
    UNARY,
    Float,
    Int,
    Str,
    Value,
    integer,
)

_SIGNS: Final[Mapping[type[ast.operator], tuple[str, int]]] = {
    ast.Add: ("+", SUM), ast.Sub: ("-", SUM), ast.Mult: ("*", PRODUCT),
}  # fmt: skip


class Numbers(Base):
    """Translates arithmetic."""

    def _signed(self, frame: Frame, node: ast.UnaryOp) -> Value:
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
        self, frame: Frame, node: ast.AST, bounds: tuple[int, int], text: str, level: int
    ) -> Value:
        low, high = bounds
        if low < INT64[0] or high > INT64[1]:
            hint = "limit the fields, as in `Annotated[int, Meta(ge=0, le=1000)]`"
            raise self._refused(frame, node, "it may overflow 64 bits, where CEL fails", hint)
        return integer(low, high, text, level)

    def _arithmetic(self, frame: Frame, node: ast.BinOp) -> Value:
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

    def _of_floats(self, frame: Frame, node: ast.BinOp, left: Value, right: Value) -> Value:
        left, right = (self._double(frame, node, each) for each in (left, right))
        sign, level = _SIGNS[type(node.op)]
        return Value(Float(), f"{left.at(level)} {sign} {right.at(level + 1)}", level)

    def _double(self, frame: Frame, node: ast.AST, value: Value) -> Value:
        if not isinstance(value.type, Int):
            return value
        if type(value.constant) is int and abs(value.constant) <= EXACT:
            return self._literal(frame, node, float(value.constant))
        if max(-value.type.low, value.type.high) > EXACT:
            hint = "limit the integer to 2**53"
            raise self._refused(frame, node, "large integers are not exact beside a float", hint)
        return Value(Float(), f"double({value.text})")

    def _of_integers(self, frame: Frame, node: ast.BinOp, left: Value, right: Value) -> Value:
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

    def _divided(self, frame: Frame, node: ast.BinOp, left: Value, right: Value) -> Value:
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

    def _alike(self, frame: Frame, node: ast.AST, one: Value, other: Value) -> tuple[Value, Value]:
        """Return two values of one type, which may be compared."""
        if {type(one.type), type(other.type)} == {Int, Float}:
            return self._double(frame, node, one), self._double(frame, node, other)
        if type(one.type) is not type(other.type):
            what = f"{one.type.name} is compared with {other.type.name}"
            raise self._refused(frame, node, what, "compare values of one type")
        return one, other

    def _extreme(self, frame: Frame, node: ast.Call, sign: str) -> Value:
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

    def _min(self, frame: Frame, node: ast.Call) -> Value:
        return self._extreme(frame, node, "<=")

    def _max(self, frame: Frame, node: ast.Call) -> Value:
        return self._extreme(frame, node, ">=")

    def _abs(self, frame: Frame, node: ast.Call) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        value = self._present(frame, argument)
        if not isinstance(value.type, Int):
            raise self._refused(frame, node, "abs is translated for integers only")
        low, high = value.type.low, value.type.high
        least = 0 if low <= 0 <= high else min(abs(low), abs(high))
        text = f"{value.at(RELATION + 1)} < 0 ? -{value.at(ATOM)} : {value.at(TERNARY + 1)}"
        return self._int(frame, node, (least, max(-low, high)), text, TERNARY)
