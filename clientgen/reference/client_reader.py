"""Clients of a group version: their methods in both flavours, their listers and informers."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from clientgen.reference.annotations import merged
from clientgen.reference.records import Method, Piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clientgen.generator.ir import PythonClass
    from clientgen.reference.modules import Module, Modules

MethodNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_PLACE: Final = re.compile(r"[A-Za-z_]\w*")
_OPTION: Final = re.compile(r"    (\w+): (.*)")
_MAX_COLUMNS: Final = 88
_RESOURCE_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class ResourceLine:
    """`PODS = Resource("", "v1", "pods", "Pod", namespaced=True)` in a module of resources."""

    constant: str
    plural: str
    kind: str
    namespaced: bool


@dataclass(frozen=True, slots=True)
class ClientClass:
    """A class of clients: what resource it is of, and its methods."""

    name: str
    constant: str
    methods: tuple[MethodNode, ...]
    is_collection: bool
    bases: tuple[str, ...] = ()


def resource_lines(module: Module) -> Iterator[ResourceLine]:
    """Yield the resources of a group version."""
    for name, value in module.aliases.items():
        match value:
            case ast.Call(func=ast.Name(id="Resource"), args=args, keywords=keywords):
                words = [str(each.value) for each in args if isinstance(each, ast.Constant)]
                scope = {each.arg: each.value for each in keywords}.get("namespaced")
                namespaced = isinstance(scope, ast.Constant) and scope.value is True
                if len(words) == _RESOURCE_WORDS:
                    yield ResourceLine(name, words[2], words[3], namespaced)
            case _:
                pass


def client_classes(module: Module) -> Iterator[ClientClass]:
    """Yield the classes of clients of a module, without the client of the group version."""
    for node in module.classes.values():
        if not node.name.endswith(("Client", "Collection")):
            continue
        constants = {
            target.id: value.id
            for each in node.body
            if isinstance(each, ast.Assign) and isinstance(value := each.value, ast.Name)
            for target in each.targets
            if isinstance(target, ast.Name)
        }
        is_collection = node.name.endswith("Collection")
        constant, methods = constants.get("resource", ""), public_methods(node)
        bases = tuple(map(_base_name, node.bases))
        yield ClientClass(node.name, constant, methods, is_collection, bases)


def public_methods(node: ast.ClassDef) -> tuple[MethodNode, ...]:
    """The public methods of a class; of one with overloads, the implementation."""
    methods = {
        each.name: each
        for each in node.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        and not each.name.startswith("_")
    }
    return tuple(methods.values())


def _base_name(base: ast.expr) -> str:
    written = base.value if isinstance(base, ast.Subscript) else base
    return written.id if isinstance(written, ast.Name) else ""


def accessors(module: Module) -> dict[str, str]:
    """Return the method of the group version's client for each class of clients."""
    found: dict[str, str] = {}
    for node in module.classes.values():
        bases = {ast.unparse(base) for base in node.bases}
        if bases & {"GroupVersionClient", "AsyncGroupVersionClient"}:
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.returns is not None:
                    found[ast.unparse(each.returns).strip("'\"")] = each.name
    return found


class Heads:
    """Writes the heads of methods, with links to types."""

    def __init__(
        self, module: Module, modules: Modules, known: Mapping[str, PythonClass] | None = None
    ) -> None:
        """Write heads for a module; `known` says what its type variables stand for."""
        self._module = module
        self._modules = modules
        self._known = known or {}
        self._links: dict[str, PythonClass | None] = dict(self._known)

    def head(self, node: MethodNode) -> tuple[Piece, ...]:
        """The head of a method without `self`, on one line or with a line for each argument."""
        start = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        returns = f" -> {_unquoted(node.returns)}" if node.returns is not None else ""
        arguments = list(_arguments(node.args))
        line = f"{start} {node.name}({', '.join(arguments)}){returns}"
        if len(line) > _MAX_COLUMNS:
            inner = "".join(f"    {argument},\n" for argument in arguments if argument != "*")
            if "*" in arguments:
                inner = "".join(f"    {argument},\n" for argument in arguments)
            line = f"{start} {node.name}(\n{inner}){returns}"
        return merged(self._pieces(line, node.name))

    def _pieces(self, line: str, own_name: str) -> Iterator[Piece]:
        end = 0
        for match in _PLACE.finditer(line):
            link = None if match[0] == own_name else self.link(match[0])
            if link is not None:
                yield Piece(line[end : match.start()])
                yield Piece(link.name if match[0] in self._known else match[0], link)
                end = match.end()
        yield Piece(line[end:])

    def link(self, name: str) -> PythonClass | None:
        """The type that a name in the module means; None if it means something else."""
        if name not in self._links:
            known = name in self._module.imports
            found = self._modules.find(self._module.name, name) if known else None
            self._links[name] = found.name if found and found.node is not None else None
        return self._links[name]


def method_of(
    node: MethodNode,
    twin: MethodNode,
    heads: tuple[Heads, Heads],
    *,
    everywhere: bool,
    own: bool = False,
) -> Method:
    """Return a method.

    Args:
        node: the method of the synchronous client.
        twin: that of the asyncio client.
        heads: what writes the heads of both.
        everywhere: whether the client for all namespaces has it.
        own: whether the user wrote it.
    """
    text, options = _split(ast.get_docstring(node) or "")
    needed = tuple(_needed(node.args))
    bodies = [annotation for name, annotation in needed if name == "body"]
    return Method(
        node.name,
        heads[0].head(node),
        heads[1].head(twin),
        text,
        options,
        everywhere,
        isinstance(twin, ast.AsyncFunctionDef),
        needed,
        _unquoted(node.returns) if node.returns is not None else "",
        heads[0].link(bodies[0].partition(" ")[0]) if bodies else None,
        own,
    )


def _unquoted(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)


def _arguments(arguments: ast.arguments) -> Iterator[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    for number, each in enumerate(positional):
        if each.arg != "self":
            default = arguments.defaults[number - missing] if number >= missing else None
            yield _argument(each, default)
    if arguments.kwonlyargs:
        yield "*"
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _argument(each, default)
    if arguments.kwarg is not None:
        yield f"**{_argument(arguments.kwarg, None)}"


def _needed(arguments: ast.arguments) -> Iterator[tuple[str, str]]:
    """Yield the arguments without a default, and their annotations."""
    positional = [*arguments.posonlyargs, *arguments.args]
    for each in positional[1 : len(positional) - len(arguments.defaults)]:
        yield each.arg, _unquoted(each.annotation) if each.annotation is not None else ""


def _argument(argument: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {_unquoted(argument.annotation)}" if argument.annotation is not None else ""
    value = f" = {ast.unparse(default)}" if default is not None else ""
    return f"{argument.arg}{annotation}{value}"


def _split(docstring: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A docstring: its text, and the options in its section `Args`."""
    text, _, section = docstring.partition("\n\nArgs:\n")
    options: dict[str, str] = {}
    for line in section.partition("\n\n")[0].split("\n"):
        match = _OPTION.fullmatch(line)
        if match:
            options[match[1]] = match[2]
        elif options:
            options[next(reversed(options))] += f" {line.strip()}"
    return text, tuple(options.items())
