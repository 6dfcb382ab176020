"""Modules, found and parsed without importing them, and what the names in them mean."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from clientgen._problems import ClientgenError, Problem
from clientgen.generator.ir import PythonClass
from clientgen.generator.package_manifest import has_header
from clientgen.generator.python_types.module_syntax import flat_statements, type_aliases
from clientgen.generator.sources.import_statements import absolute
from clientgen.generator.sources.used_packages import find_module, read_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

# The runtime's classes of meta/v1, and the modules that users and generated code import them from.
META: Final = "clientgen.runtime._models.meta_v1"
RUNTIME: Final = "clientgen.runtime"
VIEWS: Final = "clientgen.runtime.views"
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
# An import may lead to an import, but not in a circle.
_MAX_STEPS: Final = 20

ReadText: TypeAlias = "Callable[[str], bytes | None]"
"""Gives the contents of a file by its path in a package; None if there is none."""


@dataclass(frozen=True, slots=True)
class Module:
    """A module: its classes, the types that it gives other names, and its imports."""

    name: str
    data: bytes
    classes: Mapping[str, ast.ClassDef]
    aliases: Mapping[str, ast.expr]
    imports: Mapping[str, PythonClass]
    stars: tuple[str, ...]
    tree: ast.Module

    @property
    def is_generated(self) -> bool:
        """Whether clientgen wrote it."""
        return has_header(self.data) or self.name == META


@dataclass(frozen=True, slots=True)
class Found:
    """The meaning of a name: a class, another annotation, or only a name of another module."""

    name: PythonClass
    module: Module | None = None
    node: ast.ClassDef | None = None
    alias: ast.expr | None = None


@dataclass(slots=True)
class Modules:
    """The modules of packages that are read, of packages on Python's path, and of the runtime.

    Args:
        paths: folders to look in before Python's path.
        packages: functions that read the files of packages, by the packages' names.
    """

    paths: Sequence[Path] = ()
    packages: dict[str, ReadText] = field(default_factory=dict[str, ReadText])
    _parsed: dict[str, Module | None] = field(default_factory=dict[str, "Module | None"])

    def get(self, name: str) -> Module | None:
        """Return a module; None if there is no source of it.

        Raises:
            ClientgenError: it is not Python.
        """
        if name not in self._parsed:
            data, is_package = self._data(name)
            self._parsed[name] = None if data is None else parsed(name, data, is_package=is_package)
        return self._parsed[name]

    def find(self, module: str, name: str) -> Found:
        """Return what a name in a module means, through as many imports as it takes.

        Raises:
            ClientgenError: a module on the way is not Python.
        """
        place = PythonClass(module, name)
        for _ in range(_MAX_STEPS):
            found = self._here(place)
            if isinstance(found, Found):
                return found
            place = found
        return Found(place)

    def _here(self, place: PythonClass) -> Found | PythonClass:
        """What a name is where it is looked for, or the place that it is imported from."""
        if place.module == RUNTIME or place.module.startswith(f"{RUNTIME}."):
            meta = self.get(META)
            node = meta.classes.get(place.name) if meta else None
            return Found(PythonClass(META, place.name) if node else place, meta, node)
        module = self.get(place.module)
        if module is None:
            return Found(place)
        node = module.classes.get(place.name)
        if node is not None:
            return Found(place, module, node)
        if place.name in module.aliases:
            return Found(place, module, alias=module.aliases[place.name])
        imported = module.imports.get(place.name)
        return imported or self._from_stars(module, place)

    def _from_stars(self, module: Module, place: PythonClass) -> Found | PythonClass:
        for star in module.stars:
            other = self.get(star)
            names = (other.classes, other.imports, other.aliases) if other else ()
            if any(place.name in each for each in names):
                return PythonClass(star, place.name)
        return Found(place)

    def _data(self, name: str) -> tuple[bytes | None, bool]:
        """The source of a module, and whether it is the `__init__` of a package."""
        if not _NAME.fullmatch(name):
            return None, False
        top, _, rest = name.partition(".")
        while top not in self.packages and rest:
            head, _, rest = rest.partition(".")
            top = f"{top}.{head}"
        if top not in self.packages:
            return _installed(name, self.paths)
        read, path = self.packages[top], rest.replace(".", "/")
        data = read(f"{path}.py") if path else None
        if data is not None:
            return data, False
        return read(f"{path}/__init__.py" if path else "__init__.py"), True


def _installed(name: str, paths: Sequence[Path]) -> tuple[bytes | None, bool]:
    """The source of a module that Python would import; it is not imported."""
    spec = find_module(name, paths)
    if spec is None or not (spec.origin or "").endswith(".py"):
        return None, False
    try:
        return read_data(spec, str(spec.origin)), spec.submodule_search_locations is not None
    except OSError:
        return None, False


def parsed(name: str, data: bytes, *, is_package: bool) -> Module:
    """Parse a module.

    Raises:
        ClientgenError: it is not Python.
    """
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ClientgenError([Problem(name, f"this module is not Python: {error}")]) from error
    package = name if is_package else name.rpartition(".")[0]
    statements = list(flat_statements(tree.body))
    imports = list(_imports(statements, package))
    return Module(
        name,
        data,
        {each.name: each for each in statements if isinstance(each, ast.ClassDef)},
        dict(type_aliases(tree.body)),
        {here: there for here, there in imports if here != "*"},
        tuple(there.module for here, there in imports if here == "*"),
        tree,
    )


def _imports(statements: Sequence[ast.stmt], package: str) -> Iterator[tuple[str, PythonClass]]:
    for statement in statements:
        if isinstance(statement, ast.ImportFrom):
            source = absolute(statement.module or "", statement.level, package)
            for alias in statement.names:
                yield alias.asname or alias.name, PythonClass(source, alias.name)
