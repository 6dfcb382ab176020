"""Whether two texts of a module are the same code."""

from __future__ import annotations

import ast


def same_code(before: str, after: str) -> bool:
    """Return whether two modules differ in comments, docstrings and layout at most."""
    try:
        return _dump(before) == _dump(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _dump(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            # A text that stands alone says something about what is above it.
            node.body = [part for part in node.body if not _is_text(part)]
    return ast.dump(tree)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
