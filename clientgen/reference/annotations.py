"""Annotations of fields: the type for people, for Python, and the class that it leads to."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from clientgen.generator.literals import quoted
from clientgen.reference.records import Piece, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from clientgen.reference.modules import Found, Module

    Reader = Callable[["Annotations", ast.Subscript], Shape]

# Scalars, as `kubectl explain` calls them.
_WORDS: Final[Mapping[str, str]] = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "bytes": "string",
    "datetime": "Time",
    "Time": "Time",
    "MicroTime": "MicroTime",
    "Quantity": "Quantity",
    "Quantities": "map[string]Quantity",
    "IntOrString": "IntOrString",
    "Raw": "Object",
    "Any": "Object",
    "Unstructured": "Object",
}
_LISTS: Final = frozenset({"list", "List", "Sequence", "tuple", "set", "frozenset"})
_MAPS: Final = frozenset({"dict", "Dict", "Mapping"})
_INT_OR_STRING: Final = frozenset({"integer", "string"})
# What `Annotated[..., Meta(ge=0)]` says of a value, by the keyword of a schema.
_META: Final[Mapping[str, str]] = {
    "ge": "minimum",
    "gt": "minimum",
    "le": "maximum",
    "lt": "maximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
}
_OPEN: Final[Mapping[str, str]] = {"gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}
_LENGTHS: Final[Mapping[str, str]] = {"[": "Items", "m": "Properties"}
_MAX_DEPTH: Final = 50


class Annotations:
    """Reads the annotations of one module."""

    def __init__(self, module: Module, find: Callable[[str, str], Found], depth: int = 0) -> None:
        """Read for a module; `find` returns what a name in a module means."""
        self._module = module
        self._find = find
        self._depth = depth

    def read(self, node: ast.expr) -> Shape:
        """The shape that an annotation describes."""
        match node:
            case ast.Constant(value=str() as text):
                shape = self._quoted(text)
            case ast.Constant(value=None):
                shape = Shape("", _plain("None"))
            case ast.BinOp(op=ast.BitOr()):
                shape = self._union(list(_members(node)))
            case ast.Subscript():
                shape = self._subscript(node)
            case ast.Name(id=name):
                shape = self._named(self._module.name, name, name)
            case ast.Attribute(attr=name):
                shape = self._named(self._module_of(node.value), name, ast.unparse(node))
            case _:
                shape = Shape("Object", _plain(ast.unparse(node)))
        return shape

    def _quoted(self, text: str) -> Shape:
        try:
            inner = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return Shape("Object", _plain(text))
        if isinstance(inner, ast.Constant):
            return Shape("Object", _plain(text))
        return self.read(inner)

    def _module_of(self, owner: ast.expr) -> str:
        """The module that `v1` in `v1.Widget` is."""
        place = self._module.imports.get(owner.id) if isinstance(owner, ast.Name) else None
        return f"{place.module}.{place.name}" if place else self._module.name

    def _named(self, module: str, name: str, written: str) -> Shape:
        found = self._find(module, name)
        if found.node is not None:
            return Shape(found.name.name, (Piece(written, found.name),), found.name)
        if found.alias is not None and found.module is not None and self._depth < _MAX_DEPTH:
            return Annotations(found.module, self._find, self._depth + 1).read(found.alias)
        word = _WORDS.get(found.name.name, "Object")
        steps = '["key"]' if word.startswith("map") else ""
        return Shape(word, _plain(written), steps=steps)

    def _subscript(self, node: ast.Subscript) -> Shape:
        name = _last_name(node.value)
        arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Literal":
            shape = _literal(arguments)
        elif name in _LISTS:
            shape = self._container(name, "[]", "[0]", arguments[:1])
        elif name in _MAPS:
            shape = self._container(name, "map[string]", '["key"]', arguments)
        elif name == "Annotated":
            shape = _limited(self.read(arguments[0]), arguments[1:])
        elif name in {"Union", "Optional"}:
            none = [ast.Constant(None)] if name == "Optional" else []
            shape = self._union([*arguments, *none])
        else:
            shape = Shape("Object", _plain(ast.unparse(node)))
        return shape

    def _container(self, name: str, word: str, step: str, arguments: Sequence[ast.expr]) -> Shape:
        shapes = [self.read(argument) for argument in arguments]
        inner = shapes[-1]
        python = [Piece(f"{name}["), *_joined([each.python for each in shapes], ", "), Piece("]")]
        word += inner.word
        return Shape(word, merged(python), inner.type, step + inner.steps, inner.values)

    def _union(self, nodes: Sequence[ast.expr]) -> Shape:
        shapes = [self.read(node) for node in nodes]
        python = merged(_joined([shape.python for shape in shapes], " | "))
        values = tuple(value for shape in shapes for value in shape.values)
        members = [shape for shape in shapes if shape.word]
        words = dict.fromkeys(shape.word for shape in members)
        if words.keys() == _INT_OR_STRING:
            return Shape("IntOrString", python, values=values)
        if len(words) != 1:
            return Shape("Object", python, values=values)
        return replace(members[0], python=python, values=values)


def _plain(text: str) -> tuple[Piece, ...]:
    return (Piece(text),)


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _members(node: ast.expr) -> Iterator[ast.expr]:
    """The members of `A | B | C`, without recursion: a union may be long."""
    right: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        right.append(node.right)
        node = node.left
    yield node
    yield from reversed(right)


def _literal(arguments: Sequence[ast.expr]) -> Shape:
    values = [each.value for each in arguments if isinstance(each, ast.Constant)]
    word = "integer" if values and isinstance(values[0], int) else "string"
    shown = [quoted(each) if isinstance(each, str) else str(each) for each in values]
    python = _plain(f"Literal[{', '.join(shown)}]")
    return Shape(word, python, values=tuple(map(str, values)))


def _limited(shape: Shape, metas: Iterable[ast.expr]) -> Shape:
    """The shape with what `Meta(...)` says of it."""
    limits: dict[str, object] = {}
    for meta in metas:
        if isinstance(meta, ast.Call) and _last_name(meta.func) == "Meta":
            for keyword in meta.keywords:
                limits |= _limit(keyword.arg or "", keyword.value, shape)
    return replace(shape, limits={**shape.limits, **limits})


def _limit(argument: str, node: ast.expr, shape: Shape) -> dict[str, object]:
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return {}
    if argument in _META:
        is_open = {_OPEN[argument]: True} if argument in _OPEN else {}
        return {_META[argument]: value, **is_open}
    if argument in {"min_length", "max_length"}:
        return {f"{argument[:3]}{_LENGTHS.get(shape.word[:1], 'Length')}": value}
    return {}


def _joined(parts: Sequence[tuple[Piece, ...]], by: str) -> Iterator[Piece]:
    for number, part in enumerate(parts):
        if number:
            yield Piece(by)
        yield from part


def merged(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """The same line with neighbours joined that are no links."""
    line: list[Piece] = []
    for piece in pieces:
        if line and line[-1].type is None and piece.type is None:
            line[-1] = Piece(line[-1].text + piece.text)
        else:
            line.append(piece)
    return tuple(line)
