"""The user's own model classes as a source: kinds with `+genclient` get clients.

Generated code imports the classes. Like every source it is read in two steps: `gather` has the
bytes, without running anything; `parse` imports and understands.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from clientgen._gvk import GroupVersion
from clientgen._openapi.schema import Schema
from clientgen._problems import Problems
from clientgen.generator.genclient import MarkerLine
from clientgen.generator.ir import Imported, Model, ModelId, PythonClass
from clientgen.generator.python_types.class_markers import genclient_lines, markers_of_class
from clientgen.generator.python_types.class_reader import read_module
from clientgen.generator.python_types.class_records import ApiKind, TypeModule
from clientgen.generator.python_types.class_shapes import shapes_of
from clientgen.generator.python_types.declared_kinds import kinds, module_group_version
from clientgen.generator.python_types.methods import named_by_methods
from clientgen.generator.python_types.module_loader import ModuleLocation, find, searching, shown
from clientgen.generator.python_types.recursive_types import report_circles
from clientgen.generator.python_types.referenced_classes import check_reached
from clientgen.generator.sources.custom_operations import ServedKind, custom_spec
from clientgen.generator.sources.files import read_file
from clientgen.generator.sources.import_statements import imported_modules
from clientgen.generator.sources.spec import Input, Precedence, Spec

_UNSERVED = {"unservedversion", "skipversion"}
_NOT_SERVED = "no server has this version: its class says so"
_NO_CLIENT = "its class asks for no client: there is no `+genclient` above it"


@dataclass(frozen=True, slots=True)
class PythonTypes:
    """The contents of some modules: endpoints of their kinds, their classes, and their markers."""

    spec: Spec
    imported: Imported
    markers: Mapping[str, Sequence[MarkerLine]]
    shapes: Callable[[Imported], tuple[Model, ...]] = lambda _: ()
    """The shapes of the classes, when every other class is known."""


def gather(modules: Sequence[str], root: Path, paths: Sequence[Path] = ()) -> tuple[Input, ...]:
    """The sources of modules, and of what they import from the same top-level packages.

    Args:
        modules: their dotted names.
        root: the folder of the configuration; what is below it is named relative to it.
        paths: further folders to find modules in.

    Raises:
        ClientgenError: a file cannot be read.
    """
    files: dict[Path, str] = {}
    with searching(root, paths):
        for name in modules:
            location = find(name)
            if location:  # parse tells what is not there, with all else that is wrong
                _collect(name, location, files)
    return tuple(
        Input(
            _label(file, files[file], root),
            shown(file, root),
            read_file(file, shown(file, root)),
        )
        for file in sorted(files)
    )


def _collect(name: str, location: ModuleLocation, files: dict[Path, str]) -> None:
    """Add a module, the packages it is in, and what it imports from its top-level package."""
    if location.file is None or location.file.suffix != ".py" or location.file in files:
        return
    files[location.file] = name
    top = name.partition(".")[0]
    parents = [name[:end] for end, letter in enumerate(name) if letter == "."]
    for other in [*parents, *_imports(name, location)]:
        other_location = find(other) if other.partition(".")[0] == top else None
        if other_location:
            _collect(other, other_location, files)


def _imports(name: str, location: ModuleLocation) -> Iterator[str]:
    """The modules that its import statements may mean."""
    file = location.file
    try:
        tree = ast.parse(file.read_bytes()) if file else ast.Module([], [])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # parse says what is wrong with it
    is_package = file is not None and file.name == "__init__.py"
    package = name if is_package else name.rpartition(".")[0]
    yield from imported_modules(tree, package)


def _label(file: Path, name: str, root: Path) -> str:
    home = root.resolve()
    return file.relative_to(home).as_posix() if file.is_relative_to(home) else name


def parse(
    modules: Sequence[str], root: Path, paths: Sequence[Path] = (), where: str = ""
) -> PythonTypes:
    """Import modules of types and say what they offer.

    Args:
        modules: their dotted names.
        root: the folder of the configuration.
        paths: further folders to find modules in.
        where: who asks for the modules, for messages.

    Raises:
        ClientgenError: with all that is wrong with them, by file and line.
    """
    problems = Problems()
    read = [read_module(name, root, problems, paths, where) for name in dict.fromkeys(modules)]
    loaded = [module for module in read if module]
    api_kinds = kinds(loaded, problems)
    report_circles(api_kinds, loaded, problems)
    check_reached(api_kinds, loaded, problems)
    classes = _classes(loaded, api_kinds, problems)
    reasons = {str(kind.gvk): _no_client(kind) for kind in api_kinds}
    asking = [kind for kind in api_kinds if not reasons[str(kind.gvk)]]
    classes |= named_by_methods(asking, classes, root, paths, problems)
    _check_used(loaded, problems)
    if not problems:
        _check_asked(loaded, asking, problems)
    problems.raise_if_any()
    spec = custom_spec(", ".join(modules), map(_resource, asking), Precedence.CLASS)
    left_out = tuple((gvk, reason) for gvk, reason in reasons.items() if reason)
    markers = {str(kind.gvk): _markers(kind) for kind in asking}
    imported = Imported(classes, kinds={kind.gvk: _own(kind) for kind in api_kinds})
    shapes = partial(shapes_of, loaded, api_kinds)
    return PythonTypes(replace(spec, ignored=left_out), imported, markers, shapes)


def _own(kind: ApiKind) -> tuple[ModelId, ...]:
    """The class of a kind, and its list class."""
    names = (kind.kind, kind.list_class)
    return tuple(ModelId(kind.group_version, name) for name in names if name)


def _no_client(kind: ApiKind) -> str:
    """Return the reason why a kind has no client; "" if it has one."""
    markers = markers_of_class(kind.type, Problems())  # what is wrong was told by kinds
    if not markers.genclient.generate:
        return _NO_CLIENT
    return _NOT_SERVED if _UNSERVED & markers.kubebuilder.keys() else ""


def _check_used(modules: Iterable[TypeModule], problems: Problems) -> None:
    for module in modules:
        if not module.classes:
            what = f"{module.name!r} has no Model class"
            homes = ", ".join(f"`{home}`" for home in module.homes)
            hint = f"name {homes} instead, which define them" if homes else "write one"
            problems.add(module.file, what, f"remove it from `types`, or {hint}")


def _check_asked(
    modules: Iterable[TypeModule], asking: Sequence[ApiKind], problems: Problems
) -> None:
    if not asking:
        for module in modules:
            what = f"no class of {module.name!r} has a client"
            hint = "write `# +genclient` above the classes that are kinds of the API"
            problems.add(module.file, what, hint)


def _resource(kind: ApiKind) -> ServedKind:
    """Return the served kind. Its schema is an outline, because the class exists already."""
    properties: dict[str, dict[str, str]] = {field.wire_name: {} for field in kind.type.fields}
    schema = Schema({"description": kind.type.docstring, "properties": properties})
    return ServedKind(
        group=kind.group,
        version=kind.version,
        kind=kind.kind,
        list_kind=kind.list_kind,
        plural=kind.plural,
        namespaced=kind.namespaced,
        schema=schema,
        where=kind.type.where,
        status=kind.status,
        scale=kind.scale,
        selectable_fields=kind.selectable_fields,
    )


def _markers(kind: ApiKind) -> list[MarkerLine]:
    """List the markers of the class, and the switches of the whole module."""
    switches = [line for line in kind.module.markers if line.text.startswith("+k8s:")]
    return genclient_lines([*kind.type.markers, *switches])


def _classes(
    modules: Iterable[TypeModule], kinds: Sequence[ApiKind], problems: Problems
) -> dict[ModelId, PythonClass]:
    """Every class of the modules, in the group versions of the kinds beside it."""
    homes: dict[str, set[GroupVersion]] = {}
    named = {kind.type.cls: kind.kind for kind in kinds}
    reported = {kind.type.where for kind in kinds}  # kinds that are there twice
    for kind in kinds:
        homes.setdefault(kind.module.name, set()).add(kind.group_version)
    classes: dict[ModelId, PythonClass] = {}
    places: dict[ModelId, str] = {}
    for module in modules:
        stated = module_group_version(module)
        own = homes.get(module.name) or ({stated} if stated else set())
        for type_ in module.classes:
            # A class inside another is reached through that.
            if "." in type_.name or type_.name.startswith("_"):
                continue
            name = named.get(type_.cls, type_.name)
            for model in (ModelId(group_version, name) for group_version in sorted(own)):
                first = places.setdefault(model, type_.where)
                if first != type_.where and not {first, type_.where} <= reported:
                    what = f"`{name}` of {model.group_version} is defined twice"
                    problems.add(type_.where, what, f"rename one; the first is at {first}")
                classes[model] = PythonClass(module.name, type_.name)
    return classes
