"""Mutations: sources of the generator with one small mistake in each."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Mutation", "of_python", "of_template"]

_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_FUNCTIONS = {"sorted": "list", "any": "all", "all": "any", "min": "max", "max": "min"}
_DISPLAYS = ast.List | ast.Set | ast.Tuple | ast.Dict
# Only type checkers look at what is in these.
_FOR_CHECKERS = {"Literal", "cast", "TypeVar"}


@dataclass(frozen=True, slots=True)
class Mutation:
    """One mistake in one file."""

    file: Path
    line: int
    what: str
    text: str
    """The whole source with the mistake."""
    runs: range | None = None
    """The lines of which one runs in a case that can notice it; None for those of every case."""

    def __str__(self) -> str:
        return f"{self.file.parent.name}/{self.file.name}:{self.line}: {self.what}"


def of_template(file: Path) -> Iterator[Mutation]:
    """Yield mutations of a template: without a line, with a condition negated, with an empty loop.

    Blank lines and the folding of lines are left: where they are wrong, black mends them.
    """
    lines = file.read_text("utf-8").splitlines(keepends=True)
    for number, line in enumerate(lines):
        for what, new in _template_lines(line):
            text = "".join([*lines[:number], new, *lines[number + 1 :]])
            yield Mutation(file, number + 1, what, text)


def _template_lines(line: str) -> Iterator[tuple[str, str]]:
    for match in re.finditer(r"\{%-? (?:el)?if (.+?) -?%\}|\bif (.+?) else\b", line):
        group = 1 if match[1] else 2
        yield f"negates {match[group]}", _replaced(line, match.span(group), f"not ({match[group]})")
    for match in re.finditer(r" if ([^%{]+?) \}\}", line):
        if " else " not in match[0]:
            yield f"negates {match[1]}", _replaced(line, match.span(1), f"not ({match[1]})")
    for match in re.finditer(r"\{% for .+? in (.+?) %\}", line):
        yield f"no {match[1]}", _replaced(line, match.span(1), f"({match[1]}, [])[1]")
    if line.strip() and not re.match(r"\{%-? *(?:if|elif|else|endif|for|end|filter)", line.strip()):
        yield f"without {line.strip()}", ""


def _replaced(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


def of_python(file: Path) -> Iterator[Mutation]:
    """Yield mutations of a module: statements, conditions, operators, constants, arguments."""
    source = file.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for place, new, what in _places(ast.parse(source)):
        node, statement = place
        begin = starts[node.lineno - 1] + node.col_offset
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        end = starts[node.end_lineno - 1] + node.end_col_offset
        text = (source[:begin] + new.encode() + source[end:]).decode()
        runs = statement and range(statement.lineno, (statement.end_lineno or 0) + 1)
        yield Mutation(file, node.lineno, what, text, runs)


_Place = tuple[ast.expr | ast.stmt, ast.expr | ast.stmt | None]


def _places(module: ast.Module) -> Iterator[tuple[_Place, str, str]]:
    """Yield what is replaced, with the lines that run it, by what, and what that does."""
    for node, inside in _walk(module, inside=False):
        if isinstance(node, ast.stmt):
            yield from (((old, old if inside else None), *rest) for old, *rest in _statement(node))
        if isinstance(node, ast.expr):
            for new, what in _expression(node, inside=inside):
                yield (node, node if inside else None), f"({new})", what


def _walk(node: ast.AST, *, inside: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Yield everything that runs, and whether it does so inside of a function."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        within = inside or (name == "body" and isinstance(node, ast.FunctionDef | ast.Lambda))
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _says_nothing(child):
                continue
            yield child, within
            yield from _walk(child, inside=within)


def _says_nothing(node: ast.AST) -> bool:
    """Return whether no output depends on it: imports, docstrings, assertions, hints of types."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "__all__"
    if isinstance(node, ast.Subscript | ast.Call):
        called = node.value if isinstance(node, ast.Subscript) else node.func
        return ast.unparse(called) in _FOR_CHECKERS
    return False


def _statement(node: ast.stmt) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    shown = ast.unparse(node).split("\n")[0]
    match node:
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Delete():
            yield node, "pass", f"without {shown}"
        case ast.Continue() | ast.Break():
            yield node, "pass", f"without {shown}"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield node, "pass", f"without {shown}"
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield value, "(None)", f"None in {shown}"
        case ast.If() | ast.While():
            yield node.test, f"(not ({ast.unparse(node.test)}))", f"negates {shown}"
        case ast.For():
            yield node.iter, "(())", f"never {shown}"
        case _:
            pass


def _expression(node: ast.expr, *, inside: bool) -> Iterator[tuple[str, str]]:
    for new, what in _changed(node, inside=inside):
        yield (new if isinstance(new, str) else ast.unparse(ast.fix_missing_locations(new))), what


def _changed(node: ast.expr, *, inside: bool) -> Iterator[tuple[ast.expr | str, str]]:
    match node:
        case ast.Constant() | ast.JoinedStr():
            yield from _literal(node)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield from _comprehension(node)
        case ast.Call():
            yield from _call(node)
        case ast.List() | ast.Set() | ast.Tuple() | ast.Dict():
            yield from _display(node, inside=inside)
        case _:
            yield from _operation(node)


def _operation(node: ast.expr) -> Iterator[tuple[ast.expr | str, str]]:
    shown = ast.unparse(node)
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _OPPOSITES:
            new = copy.deepcopy(node)
            new.ops = [_OPPOSITES[type(operator)]()]
            yield new, f"{ast.unparse(new)} for {shown}"
        case ast.BoolOp(values=values):
            for value in values:
                rest = [each for each in values if each is not value]
                new = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                yield new, f"without {ast.unparse(value)} of {shown}"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand, f"without not of {shown}"
        case ast.IfExp():
            test = ast.UnaryOp(ast.Not(), node.test)
            yield ast.IfExp(test, node.body, node.orelse), f"negates {shown}"
        case ast.BinOp(left=left, right=right):
            yield left, f"without {ast.unparse(right)} of {shown}"
            yield right, f"without {ast.unparse(left)} of {shown}"
        case _:
            pass


def _literal(node: ast.Constant | ast.JoinedStr) -> Iterator[tuple[str, str]]:
    shown = ast.unparse(node)
    match node:
        case ast.Constant(value=bool() as value):
            yield str(not value), f"{not value} for {value}"
        case ast.Constant(value=int() as value):
            yield str(value + 1), f"{value + 1} for {value}"
        case ast.Constant(value=str() as value):
            yield repr(f"{value}X"), f"{value + 'X'!r} for {shown}"
        case ast.JoinedStr():
            yield f"{shown} + 'X'", f"X after {shown}"
        case _:
            pass


def _comprehension(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
) -> Iterator[tuple[ast.expr, str]]:
    for number, generator in enumerate(node.generators):
        for condition in generator.ifs:
            new = copy.deepcopy(node)
            new.generators[number].ifs = [each for each in generator.ifs if each is not condition]
            yield new, f"without if {ast.unparse(condition)} of {ast.unparse(node)}"


def _call(node: ast.Call) -> Iterator[tuple[ast.expr | str, str]]:
    shown = ast.unparse(node)
    function = ast.unparse(node.func)
    if function in _FUNCTIONS:
        name = ast.Name(_FUNCTIONS[function], ast.Load())
        keywords = [] if function == "sorted" else node.keywords
        new = ast.Call(name, node.args, keywords)
        yield new, f"{ast.unparse(new)} for {shown}"
    for keyword in node.keywords:
        rest = [each for each in node.keywords if each is not keyword]
        yield ast.Call(node.func, node.args, rest), f"without {keyword.arg} of {shown}"


def _display(node: _DISPLAYS, *, inside: bool) -> Iterator[tuple[ast.expr, str]]:
    """Leave items out; a tuple in a function mostly has to have its length."""
    if isinstance(node, ast.Dict):
        for left_out, value in enumerate(node.values):
            new = ast.Dict(_without(node.keys, left_out), _without(node.values, left_out))
            yield new, f"a dict without {ast.unparse(value)}"
        return
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return
    if isinstance(node, ast.Tuple) and inside and not _is_open(node.elts):
        return
    for left_out, item in enumerate(node.elts):
        elements = _without(node.elts, left_out)
        if elements or not isinstance(node, ast.Set):
            changed = copy.copy(node)
            changed.elts = elements
            yield changed, f"without {ast.unparse(item)} of {ast.unparse(node)}"


def _is_open(elements: Iterable[ast.expr]) -> bool:
    return any(isinstance(each, ast.Starred) for each in elements)


def _without(items: list[Any], index: int) -> list[Any]:
    return [*items[:index], *items[index + 1 :]]
