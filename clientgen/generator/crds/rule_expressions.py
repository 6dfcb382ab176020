"""Rules as CEL: the syntax tree of a function becomes an expression with the same outcome.

What could end otherwise in CEL is refused: what may raise an exception in Python, what may overflow
64 bits, and what the two languages do differently.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any, Final, cast

from clientgen.generator.crds.rule_fields import FieldError, Reader
from clientgen.generator.crds.rule_frames import ElsewhereError, Frame, Scope
from clientgen.generator.crds.rule_sources import (
    FunctionSource,
    RefusedError,
    constant_named,
    is_pattern,
    is_rule,
    source_of,
)
from clientgen.generator.crds.rule_texts import Texts
from clientgen.generator.crds.rule_values import (
    ATOM,
    Bool,
    List,
    Map,
    Nothing,
    Object,
    Request,
    Str,
    Value,
    has_objects,
    widest,
)
from clientgen.runtime._models.meta_v1 import ObjectMeta

MAX_COST: Final = 10_000_000
"""What an expression may cost (apiextensions: StaticEstimatedCostLimit)."""
_MAX_LENGTH: Final = 16_384
_MAX_DEPTH: Final = 16
_MAX_STEPS: Final = 20_000
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
_HASHABLE: Final = (FunctionType, type, type(len))


class Translator(Texts):
    """Translates functions: their statements, names, fields and calls."""

    def __init__(self, reader: Reader, *, is_policy: bool) -> None:
        super().__init__(reader, is_policy=is_policy)
        self._handlers: dict[type[ast.expr], Callable[[Frame, Any], Value]] = {
            ast.Constant: self._of_constant, ast.Name: self._name, ast.Attribute: self._attribute,
            ast.BoolOp: self._logic, ast.Compare: self._truth, ast.UnaryOp: self._unary,
            ast.BinOp: self._arithmetic, ast.IfExp: self._if_expression, ast.Call: self._call,
            ast.Subscript: self._subscript, ast.JoinedStr: self._formatted,
            ast.Tuple: self._listed, ast.List: self._listed, ast.Set: self._listed,
            ast.ListComp: self._comprehension,
        }  # fmt: skip
        self._functions: dict[Any, Callable[[Frame, ast.Call], Value]] = {
            len: self._len, all: self._all, any: self._any_of, sum: self._sum, min: self._min,
            max: self._max, abs: self._abs, bool: self._bool, str: self._str, set: self._set,
            getattr: self._getattr, re.fullmatch: self._fullmatch, re.match: self._match,
            re.search: self._search,
        }  # fmt: skip

    def condition(self, source: FunctionSource, scope: Scope) -> str:
        """Return the expression of a function that returns whether an object is valid.

        Raises:
            RefusedError: it cannot be translated.
            ElsewhereError: it reads what this place does not have.
        """
        frame = Frame(source, scope)
        return self._whole(source, self._block(frame, source.body(), self._truth).text)

    def text(self, source: FunctionSource, scope: Scope) -> str:
        """Return the expression of a function that returns a text. Raises what `condition` does."""
        frame = Frame(source, scope)
        value = self._block(frame, source.body(), self._split_text)
        if not isinstance(value.type, Str):
            what = f"the message must be a text, not {value.type.name}"
            raise RefusedError(source.where, what)
        return self._whole(source, value.text)

    def _split_text(self, frame: Frame, node: ast.expr) -> Value:
        return self._split(frame, node, lambda: self._present(frame, node))

    def _bound(self, frame: Frame, name: str, node: ast.expr) -> Frame:
        value = self._split(frame, node, lambda: self._any(frame, node))
        return frame.having({name: value})

    def _whole(self, source: FunctionSource, text: str) -> str:
        if len(text) > _MAX_LENGTH:
            what = f"the expression would have {len(text)} characters, more than {_MAX_LENGTH}"
            raise RefusedError(source.where, what, "split the rule")
        return text

    def _block(
        self,
        frame: Frame,
        statements: list[ast.stmt],
        made: Callable[[Frame, ast.expr], Value],
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
                return self._block(self._bound(frame, name, value), rest, made)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                return self._block(self._bound(frame, name, value), rest, made)
            case ast.If():
                return self._if(frame, first, rest, made)
            case _:
                hint = "loops are all(...), any(...) and sum(...); see docs/guides/rules.md"
                raise self._refused(frame, first, "this statement cannot be translated", hint)

    def _if(
        self,
        frame: Frame,
        node: ast.If,
        rest: list[ast.stmt],
        made: Callable[[Frame, ast.expr], Value],
    ) -> Value:
        test = self._truth(frame, node.test)
        with self._knowing(self._implied(frame, node.test, holds=True)):
            then = self._block(frame, [*node.body, *rest], made)
        with self._knowing(self._implied(frame, node.test, holds=False)):
            other = self._block(frame, [*node.orelse, *rest], made)
        return self._chosen(frame, node, test, then, other)

    def _any(self, frame: Frame, node: ast.expr) -> Value:
        """Return a value that may be absent."""
        self._spend(1)
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise self._refused(frame, node, "the rule has too many branches", "split it")
        handler = self._handlers.get(type(node))
        if handler is None:
            raise self._refused(frame, node, "this expression cannot be translated")
        value = handler(frame, node)
        if len(value.text) > _MAX_LENGTH:
            raise self._refused(frame, node, "its CEL would be too long", "split the rule")
        return value

    def _of_constant(self, frame: Frame, node: ast.Constant) -> Value:
        return self._literal(frame, node, node.value)

    def _name(self, frame: Frame, node: ast.Name) -> Value:
        if node.id in frame.scope:
            return self._narrowed(frame.scope[node.id])
        return self._constant(frame, node)

    def _unary(self, frame: Frame, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self._truth(frame, node)
        return self._signed(frame, node)

    def _attribute(self, frame: Frame, node: ast.Attribute) -> Value:
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

    def _field(self, frame: Frame, node: ast.AST, base: Value, attribute: str) -> Value:
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
        frame: Frame,
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

    def _listed(self, frame: Frame, node: ast.Tuple | ast.List | ast.Set) -> Value:
        items = [self._present(frame, item) for item in node.elts]
        if not items:
            return Value(List(Nothing(), 0), "[]")
        if len({type(item.type) for item in items}) > 1 or has_objects(items[0].type):
            raise self._refused(frame, node, "its items must be plain values of one type")
        text = f"[{', '.join(item.text for item in items)}]"
        return Value(List(widest([item.type for item in items]), len(items)), text)

    def _subscript(self, frame: Frame, node: ast.Subscript) -> Value:
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

    def _if_expression(self, frame: Frame, node: ast.IfExp) -> Value:
        test = self._truth(frame, node.test)
        with self._knowing(self._implied(frame, node.test, holds=True)):
            then = self._present(frame, node.body)
        with self._knowing(self._implied(frame, node.test, holds=False)):
            other = self._present(frame, node.orelse)
        return self._chosen(frame, node, test, then, other)

    def _call(self, frame: Frame, node: ast.Call) -> Value:
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

    def _inlined(self, frame: Frame, node: ast.Call, function: FunctionType) -> Value:
        if function in self._calls or len(self._calls) >= _MAX_DEPTH:
            raise self._refused(frame, node, f"{function.__name__} calls itself, directly or not")
        source = source_of(function)
        names = source.parameters()
        arguments = self._arguments(frame, node, len(names))
        scope = {name: self._any(frame, each) for name, each in zip(names, arguments, strict=True)}
        before, self._calls = self._calls, (*self._calls, function)
        try:
            return self._block(Frame(source, scope), source.body(), self._any)
        finally:
            self._calls = before

    def _getattr(self, frame: Frame, node: ast.Call) -> Value:
        base, name = self._arguments(frame, node, 2)
        if not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
            raise self._refused(frame, node, "the name of an attribute must be written out")
        attribute = ast.copy_location(ast.Attribute(base, name.value), node)
        return self._attribute(frame, attribute)

    def _method(self, frame: Frame, node: ast.Call, function: ast.Attribute) -> Value:
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

    def _got(self, frame: Frame, node: ast.Call, base: Value) -> Value:
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
