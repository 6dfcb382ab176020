"""Loops in rules: generators and comprehensions become the macros of CEL."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from clientgen.generator.crds.rule_conditions import Conditions
from clientgen.generator.crds.rule_frames import Frame
from clientgen.generator.crds.rule_values import (
    ATOM,
    FALSE,
    MAX_REQUEST,
    RELATION,
    SCALARS,
    TRUE,
    Int,
    List,
    Map,
    Str,
    Value,
    boolean,
    integer,
    joined,
    negated,
)

_EMPTY: Final = ("[]", "{}")
_UNLIMITED_ITEMS: Final = MAX_REQUEST // 2
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


class Loops(Conditions):
    """Translates loops."""

    def _compared(self, frame: Frame, node: ast.Compare) -> Value:
        unique = self._unique(frame, node)
        return super()._compared(frame, node) if unique is None else unique

    def _unique(self, frame: Frame, node: ast.Compare) -> Value | None:
        """Return `len(set(items)) == len(items)`, also with a set comprehension; else None."""
        match node:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="len"), args=[kept]),
                ops=[ast.Eq()],
                comparators=[ast.Call(func=ast.Name(id="len"), args=[listed])],
            ):
                generator, item = _of_set(kept)
            case _:
                return None
        if generator is None or ast.dump(generator.iter) != ast.dump(listed):
            return None
        with self._loop(frame, generator) as (inner, around, one):
            first = self._split(inner, node, lambda: self._present(inner, item))
            if not isinstance(first.type, SCALARS):
                raise self._refused(frame, node, f"{first.type.name} cannot be in a set here")
            with self._loop(frame, generator) as (nested, _, other):
                second = self._split(nested, node, lambda: self._present(nested, item))
                self._spend(2)
        same = f"{first.at(RELATION + 1)} == {second.at(RELATION + 1)}"
        return boolean(f"{around}.all({one}, {around}.exists_one({other}, {same}))")

    def _len(self, frame: Frame, node: ast.Call) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        if isinstance(argument, ast.GeneratorExp):
            raise self._refused(frame, node, "a generator has no length")
        value = self._present(frame, argument)
        if value.text in _EMPTY:
            return integer(0, 0, "0")
        match value.type:
            case List(size=size) | Map(size=size) | Str(length=size):
                return integer(0, size or MAX_REQUEST, f"{value.at(ATOM)}.size()")
            case _:
                raise self._refused(frame, node, f"{value.type.name} has no length")

    def _all(self, frame: Frame, node: ast.Call) -> Value:
        return self._quantified(frame, node, "all")

    def _any_of(self, frame: Frame, node: ast.Call) -> Value:
        return self._quantified(frame, node, "exists")

    def _quantified(self, frame: Frame, node: ast.Call, macro: str) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        if not isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
            hint = "write it as in `all(item.size > 0 for item in items)`"
            raise self._refused(frame, node, "its argument must be a generator", hint)

        return self._looped(frame, argument.generators, macro, argument.elt)

    def _looped(
        self, frame: Frame, generators: list[ast.comprehension], macro: str, result: ast.expr
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
        if around in _EMPTY:
            return TRUE if macro == "all" else FALSE
        return boolean(f"{around}.{macro}({variable}, {body.text})")

    def _tests(self, frame: Frame, generator: ast.comprehension) -> tuple[list[Value], set[str]]:
        tests: list[Value] = []
        facts: set[str] = set()
        for each in generator.ifs:
            with self._knowing(facts):
                tests.append(self._truth(frame, each))
                facts |= self._implied(frame, each, holds=True)
        return tests, facts

    @contextmanager
    def _loop(
        self, frame: Frame, generator: ast.comprehension
    ) -> Generator[tuple[Frame, str, str]]:
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
        try:
            yield frame.having(scope_of(variable)), around.at(ATOM), variable
        finally:
            self._factor, self._names = before

    def _source_of_loop(
        self, frame: Frame, generator: ast.comprehension
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

    def _sum(self, frame: Frame, node: ast.Call) -> Value:
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

    def _comprehension(self, frame: Frame, node: ast.ListComp | ast.GeneratorExp) -> Value:
        if len(node.generators) != 1:
            raise self._refused(frame, node, "several loops in a list cannot be translated")
        (generator,) = node.generators
        with self._loop(frame, generator) as (inner, around, variable):
            tests, facts = self._tests(inner, generator)
            with self._knowing(facts):
                item = self._split(inner, node.elt, lambda: self._item(inner, node.elt, variable))
            source = self._present(frame, _iterated(generator)).type
        size = source.size if isinstance(source, (List, Map)) else None
        condition = joined(tests, by="&&")
        text = around if condition == TRUE else f"{around}.filter({variable}, {condition.text})"
        if item.text != variable or isinstance(source, Map):
            text = f"{text}.map({variable}, {item.text})"
        return Value(List(item.type, size), text)

    def _item(self, frame: Frame, node: ast.expr, variable: str) -> Value:
        item = self._any(frame, node)
        return item if item.text == variable else self._whole_value(frame, node, item)

    def _set(self, frame: Frame, node: ast.Call) -> Value:
        raise self._refused(frame, node, "CEL has no sets", "write `all(...)` or `any(...)`")


def _of_set(node: ast.expr) -> tuple[ast.comprehension | None, ast.expr]:
    """Return the loop that makes a set, and its items; None if it is no such set."""
    match node:
        case ast.SetComp(elt=item, generators=[ast.comprehension(ifs=[]) as generator]):
            return generator, item
        case ast.Call(func=ast.Name(id="set"), args=[items]):
            name = ast.copy_location(ast.Name("item"), node)
            return ast.comprehension(name, items, [], 0), name
        case _:
            return None, node


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
