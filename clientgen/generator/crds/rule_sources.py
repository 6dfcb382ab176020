"""The source of rules: the syntax trees of their functions. Nothing is run."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeGuard

from clientgen.generator.python_types.module_loader import shown
from clientgen.runtime._admission.rules import Rule


class RefusedError(Exception):
    """What cannot be translated, where, and what to do."""

    def __init__(self, where: str, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.where = where
        self.what = what
        self.hint = hint


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A function with its syntax tree.

    Attributes:
        function: the function; its globals are the constants that rules may use.
        node: its definition, or the lambda.
        file: its file, for messages.
    """

    function: Callable[..., Any]
    node: ast.FunctionDef | ast.Lambda
    file: str

    @property
    def where(self) -> str:
        """The place of its definition."""
        return self.at(self.node)

    def at(self, node: ast.AST) -> str:
        """Return the place of a part of it."""
        return f"{self.file}:{getattr(node, 'lineno', self.node.lineno)}"

    def parameters(self) -> list[str]:
        """Return the names of its parameters.

        Raises:
            RefusedError: they are not plain ones.
        """
        arguments = self.node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            raise RefusedError(self.where, "only plain parameters can be translated")
        return [each.arg for each in (*arguments.posonlyargs, *arguments.args)]

    def body(self) -> list[ast.stmt]:
        """Return its statements; a lambda has one."""
        if isinstance(self.node, ast.FunctionDef):
            return self.node.body
        return [ast.copy_location(ast.Return(self.node.body), self.node)]


def is_rule(value: object) -> TypeGuard[Rule[Any]]:
    """Return whether a value of a module is a rule."""
    return isinstance(value, Rule)


def is_pattern(value: object) -> TypeGuard[re.Pattern[Any]]:
    """Return whether a constant is a compiled pattern."""
    return isinstance(value, re.Pattern)


def source_of(function: Callable[..., Any]) -> FunctionSource:
    """Return a function with its syntax tree.

    Raises:
        RefusedError: it is no function of Python with a source, or it has variables of a function
            around it.
    """
    if not isinstance(function, FunctionType):
        what = f"{getattr(function, '__name__', function)!r} is no function with a source"
        raise RefusedError("", what, "write it with `def`")
    place = Path(function.__code__.co_filename)
    line = function.__code__.co_firstlineno
    file = shown(place, Path())
    where = f"{file}:{line}"
    if function.__code__.co_freevars:
        names = ", ".join(function.__code__.co_freevars)
        what = f"{function.__name__} uses variables of the function around it: {names}"
        raise RefusedError(where, what, "move it, and them, to the module")
    found = _nodes(str(place), "".join(linecache.getlines(str(place), function.__globals__)))
    at = found.get((function.__name__, line), [])
    if len(at) != 1:
        hint = "write it in a file, and one lambda in a line"
        raise RefusedError(where, f"the source of {function.__name__} cannot be read", hint)
    return FunctionSource(function, at[0], file)


@lru_cache(maxsize=64)
def _nodes(_file: str, text: str) -> dict[tuple[str, int], list[ast.FunctionDef | ast.Lambda]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[tuple[str, int], list[ast.FunctionDef | ast.Lambda]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found.setdefault((node.name, first), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), []).append(node)
    return found


def constant_named(source: FunctionSource, node: ast.expr) -> Any:
    """Return what a name of the module stands for, such as `limits.MAX`; nothing is run.

    Raises:
        LookupError: it is no name of the module.
    """
    if isinstance(node, ast.Name):
        names: dict[str, Any] = getattr(source.function, "__globals__", {})
        if node.id in names:
            return names[node.id]
        return vars(builtins)[node.id]
    if isinstance(node, ast.Attribute):
        owner = constant_named(source, node.value)
        if isinstance(owner, ModuleType):
            return vars(owner)[node.attr]
        if isinstance(owner, type):
            return inspect.getattr_static(owner, node.attr, None)
    raise LookupError
