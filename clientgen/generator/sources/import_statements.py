"""Resolves import statements without running them."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator

from clientgen.generator.ir import PythonClass


def absolute(written: str, level: int, package: str) -> str:
    """The module that `from ..x import y` takes names from; "" if there is no such package.

    Args:
        written: what stands behind the dots.
        level: how many dots there are.
        package: the package the statement stands in.
    """
    try:
        return importlib.util.resolve_name("." * level + written, package)
    except ImportError:  # more dots than packages: importing will tell
        return ""


def imported_names(tree: ast.AST, package: str) -> Iterator[tuple[str, PythonClass]]:
    """The names that `from a import b` brings, anywhere in a module, and what they are there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            source = absolute(node.module or "", node.level, package)
            for name in node.names:
                yield name.asname or name.name, PythonClass(source, name.name)


def imported_modules(tree: ast.AST, package: str) -> Iterator[str]:
    """The modules import statements may mean: `from a import b` is `a`, and perhaps `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
    for _, name in imported_names(tree, package):
        yield name.module
        yield f"{name.module}.{name.name}"
