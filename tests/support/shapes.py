"""What generated modules are made of, and whether there is anything else in one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

__all__ = ["strange", "texts_in"]

# What the templates write, and no more.
_NODES = (
    *(ast.Module, ast.Expr, ast.Constant, ast.ImportFrom, ast.alias, ast.If),
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Add, ast.ClassDef, ast.Name, ast.Load),
    *(ast.Store, ast.Tuple, ast.List, ast.Dict, ast.Subscript, ast.BinOp, ast.BitOr, ast.BoolOp),
    *(ast.Or, ast.Compare, ast.Is, ast.NotIn, ast.FunctionDef, ast.AsyncFunctionDef),
    *(ast.arguments, ast.arg, ast.Return, ast.Await, ast.Raise, ast.JoinedStr),
    *(ast.FormattedValue, ast.keyword, ast.Attribute, ast.Call),
)
_BUILTINS = frozenset(
    {"str", "int", "float", "bool", "bytes", "list", "dict", "object", "type", "property"}
    | {"classmethod", "BaseException"}
)
# The package itself loads its own modules, whose names are in its template.
_LAZY = frozenset({"getattr", "import_module", "AttributeError", "__name__"})
_MODULES = (
    "clientgen.runtime",
    "typing",
    "collections.abc",
    "datetime",
    "functools",
    "os",
    "types",
    "msgspec",
)
_STATEMENTS = frozenset(
    {"scheme.add_kinds(_KINDS, __name__)", "scheme.add_resources(_RESOURCES, __name__)"}
)
_WITH_CODE = frozenset(
    {
        "f'{type(self).__name__}({self._rest!r})'",
        "f'module {__name__!r} has no attribute {name!r}'",
    }
)


def strange(source: str) -> list[str]:
    """Everything in a module that no template writes."""
    tree = ast.parse(source)
    needs_name = ("_MODULES[name]", "add_kinds", "_module = __name__")
    lazy = _LAZY if any(text in source for text in needs_name) else frozenset[str]()
    nodes = list(ast.walk(tree))
    known = _bound(nodes) | _BUILTINS | lazy
    places = [what for node in nodes for what in _strange(node, known)]
    return places + list(_hidden(tree, nodes))


def _strange(node: ast.AST, known: frozenset[str]) -> Iterator[str]:
    if type(node) not in _NODES:
        yield f"a {type(node).__name__}"
    elif isinstance(node, ast.Name) and node.id not in known:
        yield f"the name {node.id}"
    elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
        if ast.unparse(node.value) not in _STATEMENTS:
            yield f"an expression: {ast.unparse(node)}"
    elif isinstance(node, ast.JoinedStr) and ast.unparse(node) not in _WITH_CODE:
        yield f"a text with code: {ast.unparse(node)}"
    elif isinstance(node, ast.ImportFrom) and not node.level:
        if not (node.module or "").startswith((*_MODULES, "__future__", "importlib")):
            yield f"an import of {node.module}"
    elif isinstance(node, ast.Call) and not _is_named(node.func):
        yield f"a call: {ast.unparse(node)}"


def _is_named(called: ast.expr) -> bool:
    """Whether what is called is a name, or an attribute of one."""
    while isinstance(called, ast.Attribute):
        called = called.value
    return isinstance(called, ast.Name) or ast.unparse(called) == "scheme"


def _bound(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names that a module makes itself."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return frozenset(names)


def _hidden(tree: ast.Module, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Names that mean something else where they are used: an argument, an attribute of a class."""
    outer = {name for node in tree.body for name in _made_by(node)}
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*node.args.args, node.args.kwarg, *node.args.kwonlyargs]
            yield from (
                f"the argument {a.arg} hides a class" for a in arguments if a and a.arg in outer
            )
        elif isinstance(node, ast.ClassDef):
            yield from _hidden_in(node)


def _made_by(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.ClassDef):
        yield node.name


def _hidden_in(body: ast.ClassDef) -> Iterator[str]:
    seen: set[str] = set()
    for line in body.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            used = {n.id for n in ast.walk(line.value or line.target) if isinstance(n, ast.Name)}
            used -= {line.target.id}
            yield from (f"the attribute {name} hides a name" for name in sorted(used & seen))
            seen.add(line.target.id)


def texts_in(source: str) -> set[str]:
    """Every text in a module."""
    nodes = ast.walk(ast.parse(source))
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str)}
