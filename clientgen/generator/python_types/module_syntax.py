"""Reads a module's source without importing it: classes, fields, docstrings and markers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from clientgen._class_bodies import annotated_fields
from clientgen._problems import Problems
from clientgen.generator.genclient import MarkerLine
from clientgen.generator.python_types.comments import Block, Comments

MODULE_TAGS = ("groupName", "versionName", "groupGoName")
"""The markers that speak of a whole module, besides the switches of Go's generators."""
_TYPE_TAGS = ("genclient", "resourceName")
_SWITCHES = "k8s:"


@dataclass(frozen=True, slots=True)
class FieldSource:
    """A field as it is declared."""

    name: str
    annotation: ast.expr
    markers: tuple[MarkerLine, ...]
    docstring: str
    where: str


@dataclass(frozen=True, slots=True)
class ClassSource:
    """A class as it is declared; a class inside another has the name `Outer.Inner`."""

    name: str
    docstring: str
    markers: tuple[MarkerLine, ...]
    fields: Mapping[str, FieldSource]
    where: str


@dataclass(frozen=True, slots=True)
class ModuleSource:
    """A module as it is written.

    `aliases` are its assignments of types by name, `imported` where names are imported from: the
    module, as it is written, how many packages up, and the name there.
    """

    name: str
    file: str
    docstring: str
    markers: tuple[MarkerLine, ...]
    classes: Mapping[str, ClassSource]
    aliases: Mapping[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    imported: Mapping[str, tuple[str, int, str]] = field(
        default_factory=dict[str, tuple[str, int, str]]
    )


def tag_of(text: str) -> str:
    """The tag of a marker: `+groupName=x` is `groupName`."""
    return text.removeprefix("+").partition("=")[0].strip()


def read_source(name: str, file: str, data: bytes, problems: Problems) -> ModuleSource | None:
    """Read a module; None if it is not Python.

    Args:
        name: its dotted name.
        file: how messages call it.
        data: its source.
        problems: takes what is wrong, misplaced markers included.
    """
    try:
        tree = ast.parse(data)
        return _Reader(name, file, tree, Comments(data), problems).read()
    except SyntaxError as error:
        place = f"{file}:{error.lineno}" if error.lineno else file
        problems.add(place, f"this is not Python: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes; what has no end
        problems.add(file, f"this is not Python: {error}")
    return None


class _Reader:
    """Reads one module, giving each block of comments to what it stands above."""

    def __init__(
        self, name: str, file: str, tree: ast.Module, comments: Comments, problems: Problems
    ) -> None:
        self._name = name
        self._file = file
        self._tree = tree
        self._comments = comments
        self._problems = problems
        self._first_class = 0
        self._module_markers: list[MarkerLine] = []

    def read(self) -> ModuleSource:
        classes = list(self._classes(self._tree.body, ""))
        self._check_once()
        self._place_left()
        for line, text in self._comments.trailing:
            what = f"`{text}` follows code on the same line"
            self._problems.add(f"{self._file}:{line}", what, "put it on the line above")
        return ModuleSource(
            self._name,
            self._file,
            ast.get_docstring(self._tree) or "",
            tuple(self._module_markers),
            {class_source.name: class_source for class_source in classes},
            dict(type_aliases(self._tree.body)),
            dict(_imported(self._tree.body)),
        )

    def _check_once(self) -> None:
        """Report classes with the name of an earlier one, which Python drops silently."""
        first: dict[str, ast.ClassDef] = {}
        for node in self._tree.body:
            if isinstance(node, ast.ClassDef) and first.setdefault(node.name, node) is not node:
                what = f"the class `{node.name}` is defined twice"
                hint = f"rename one; the first is at {self._file}:{first[node.name].lineno}"
                self._problems.add(f"{self._file}:{node.lineno}", what, hint)

    def _classes(self, body: Iterable[ast.stmt], outer: str) -> Iterator[ClassSource]:
        for statement in body:
            if isinstance(statement, ast.ClassDef):
                yield from self._class(statement, outer)
            else:
                yield from self._classes(_inner(statement), outer)

    def _class(self, node: ast.ClassDef, outer: str) -> Iterator[ClassSource]:
        name = f"{outer}{node.name}"
        line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        markers = self._above_class(line, node.col_offset)
        fields = {field_source.name: field_source for field_source in self._fields(node.body)}
        inner = list(self._classes(node.body, f"{name}."))
        docstring = ast.get_docstring(node) or ""
        yield ClassSource(name, docstring, markers, fields, f"{self._file}:{node.lineno}")
        yield from inner

    def _above_class(self, line: int, column: int) -> tuple[MarkerLine, ...]:
        first = not self._first_class
        self._first_class = self._first_class or line
        closest = self._comments.above(line)
        second = self._comments.second_above(closest.start if closest else line, column)
        lines_above = second.lines(self._file) if second else ()
        if first:
            # Markers of the module may stand right above its first class.
            self._module_markers += [line for line in lines_above if _is_of_module(line.text)]
            lines_above = tuple(line for line in lines_above if not _is_of_module(line.text))
        return (*lines_above, *(closest.lines(self._file) if closest else ()))

    def _fields(self, body: Sequence[ast.stmt]) -> Iterator[FieldSource]:
        for name, statement, docstring in annotated_fields(body):
            block = self._comments.above(statement.lineno)
            yield FieldSource(
                name,
                statement.annotation,
                block.lines(self._file) if block else (),
                docstring,
                f"{self._file}:{statement.lineno}",
            )

    def _place_left(self) -> None:
        """Blocks above no class and no field speak of the module, if they stand at its top."""
        next_statements: dict[int, ast.stmt] = {}
        for node in ast.walk(self._tree):  # outer statements first
            if isinstance(node, ast.stmt):
                next_statements.setdefault(node.lineno, node)
        for block in self._comments.left():
            next_one = next_statements.get(block.end + 1)
            for line in block.lines(self._file):
                if self._is_of_module(line, block, next_one):
                    self._module_markers.append(line)
                else:
                    self._misplaced(line, next_one)

    def _is_of_module(self, line: MarkerLine, block: Block, node: ast.stmt | None) -> bool:
        at_top = block.column == 0 and (not self._first_class or block.end < self._first_class)
        if tag_of(line.text).startswith(_TYPE_TAGS) or not at_top:
            return False
        is_top_level = node is None or isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)
        return is_top_level or _is_of_module(line.text)

    def _misplaced(self, line: MarkerLine, node: ast.stmt | None) -> None:
        if _is_of_module(line.text):
            hint = "put markers of a module at its top, before the first class"
        else:
            hint = "put it directly above the classor the field that it applies to"
        what = f"`{line.text}` is above {_statement_title(node)}"
        self._problems.add(line.where, what, hint)


def _is_of_module(text: str) -> bool:
    tag = tag_of(text)
    return tag in MODULE_TAGS or tag.startswith(_SWITCHES)


def _statement_title(node: ast.stmt | None) -> str:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return f"the function `{node.name}`, not above a class"
        case ast.Import() | ast.ImportFrom():
            return "an import, not above a class"
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            return "an assignment, not above a class"
        case _:
            return "something other than a class or a field"


def _inner(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements of an `if` or `try`; functions have a life of their own."""
    if isinstance(statement, ast.If | ast.Try):
        for part in ("body", "orelse", "finalbody"):
            yield from getattr(statement, part, ())


def flat_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, and those in its `if` and `try`."""
    for statement in body:
        yield statement
        yield from flat_statements(_inner(statement))


def type_aliases(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """`Phase = Literal["A", "B"]`, also annotated, also as `type Phase = ...` of newer Pythons."""
    for statement in flat_statements(body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _ if type(statement).__name__ == "TypeAlias":
                node: ast.expr = getattr(statement, "value")  # noqa: B009 - not in Python 3.11
                target: ast.Name = getattr(statement, "name")  # noqa: B009
                yield target.id, node
            case _:
                pass


def _imported(body: Iterable[ast.stmt]) -> Iterator[tuple[str, tuple[str, int, str]]]:
    for statement in flat_statements(body):
        if isinstance(statement, ast.ImportFrom):
            for name in statement.names:
                place = (statement.module or "", statement.level, name.name)
                yield name.asname or name.name, place
