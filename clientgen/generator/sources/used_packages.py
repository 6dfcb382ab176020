"""Packages in `uses`: generated before, and imported from instead of generated again.

A package says in its manifest which folder holds the models of which group version. It is looked
for as Python would look, in the directories of the configuration first, and never imported: see
`python_models`. What a used package itself takes from another one is known as well.
"""

from __future__ import annotations

import ast
import importlib
import keyword
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

import clientgen
from clientgen._gvk import GroupVersion
from clientgen._problems import Problems
from clientgen.generator.api_words import Words
from clientgen.generator.ir import META_MODULE, META_V1, Imported, Model, ModelId, PythonClass
from clientgen.generator.package_manifest import MANIFEST, Manifest
from clientgen.generator.sources.python_models import (
    ModelModule,
    defined,
    models_of,
    parts_of,
)
from clientgen.generator.sources.spec import Input

_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
# The name of a type in the API: a kind, or the end of a definition's name.
_NAME = re.compile(r"[-A-Za-z0-9_]+")
_AGAIN = "Generate it again with this version of clientgen."

_META_SOURCE = "clientgen.runtime._models.meta_v1"


@dataclass(frozen=True, slots=True)
class GeneratedPackage:
    """A generated package: its import name, where it is, and what its manifest says."""

    name: str
    folder: str
    spec: ModuleSpec
    data: bytes
    manifest: Manifest

    def read(self, path: str) -> bytes:
        """The bytes of one of its files, from a folder or a zip.

        Raises:
            OSError: there is none.
        """
        return read_data(self.spec, f"{self.folder}/{path}")


def gather(names: Sequence[str], paths: Sequence[Path], where: str = "uses") -> tuple[Input, ...]:
    """Read the manifests of packages, whose contents change only with their manifests.

    Args:
        names: as they are imported.
        paths: directories to look in before those of Python itself.
        where: the place that names them, for messages.

    Raises:
        ClientgenError: one is not there, or is not a package this clientgen can take types from.
    """
    packages = _packages(names, paths, where)
    return tuple(
        Input(f"{package.name}/{MANIFEST}", f"{package.folder}/{MANIFEST}", package.data)
        for package in packages
    )


def parse(names: Sequence[str], paths: Sequence[Path], where: str = "uses") -> Imported:
    """Return the models of packages, as classes and as shapes; the first package with one counts.

    Raises:
        ClientgenError: as `gather`, or a module is missing or not Python.
    """
    problems = Problems()
    packages = _packages(names, paths, where)
    modules = [module for package in packages for module in _modules(package, problems)]
    problems.raise_if_any()
    classes: dict[ModelId, PythonClass] = {}
    ids: dict[PythonClass, ModelId] = {}
    for module in modules:
        for model, cls, place in defined(module):
            classes.setdefault(model, cls)
            ids[cls] = ids[place] = model
    models: dict[ModelId, Model] = {}
    for module in modules:
        for shape in models_of(module, ids, problems):
            models.setdefault(shape.id, shape)
    problems.raise_if_any()
    return Imported(classes, tuple(models[key] for key in sorted(models)), _provided(packages))


@cache
def meta_models() -> tuple[Model, ...]:
    """The shapes of the runtime's own types, meta/v1."""
    file = Path(clientgen.__file__).with_name("runtime") / "_models" / "meta_v1.py"
    tree = ast.parse(file.read_bytes())
    problems = Problems()
    module = ModelModule(_META_SOURCE, META_V1, str(file), tree, whole=META_MODULE)
    return models_of(module, {}, problems)


@cache
def shared_types() -> frozenset[ModelId]:
    """The types of meta/v1 that the runtime has; one that is newer is generated like any other."""
    return frozenset(model.id for model in meta_models())


def is_shared(model: ModelId) -> bool:
    """Return whether the runtime has the model."""
    return model.group_version == META_V1 and model in shared_types()


def _provided(packages: Iterable[GeneratedPackage]) -> dict[GroupVersion, str]:
    """The package that has the clients of a group version."""
    folders: dict[GroupVersion, str] = {}
    for package in packages:
        for group_version in package.manifest.group_versions or ():
            folders.setdefault(GroupVersion.parse(group_version), package.name)
    return folders


def _packages(names: Sequence[str], paths: Sequence[Path], where: str) -> list[GeneratedPackage]:
    """The packages and those that they use, in the order they are named in."""
    importlib.invalidate_caches()  # one may have been generated a moment ago
    problems = Problems()
    packages: dict[str, GeneratedPackage] = {}
    waiting = [(name, where) for name in names]
    for name, asked_by in waiting:
        if name in packages:
            continue
        package = find_package(name, paths, asked_by, problems)
        if package:
            packages[name] = package
            waiting += [(used, f"{asked_by}: {name}") for used in package.manifest.uses]
    problems.raise_if_any()
    return list(packages.values())


def find_package(
    name: str, paths: Sequence[Path], where: str, problems: Problems
) -> GeneratedPackage | None:
    """Find a generated package; None, with a problem, if there is none that can be read.

    Args:
        name: as it is imported.
        paths: directories to look in before those of Python itself.
        where: the place that names it, for messages.
        problems: takes what is wrong.
    """
    spec = find_module(name, paths)
    if spec is None or not spec.submodule_search_locations:
        looked = ", ".join(map(str, paths))
        hint = "Install it, or generate it first."
        if looked:
            hint += f" Looked in {looked} and on Python's path."
        problems.add(where, f"there is no package `{name}`", hint)
        return None
    folder = next(iter(spec.submodule_search_locations))
    try:
        data = read_data(spec, f"{folder}/{MANIFEST}")
    except OSError:
        what = f"the package `{name}` was not generated by clientgen: it has no {MANIFEST}"
        problems.add(where, what, "Name a generated package such as `kubeapi`.")
        return None
    manifest = Manifest.parse(data)
    if manifest is None:
        problems.add(where, f"the {MANIFEST} of the package `{name}` cannot be read", _AGAIN)
        return None
    if not _is_sound(manifest):
        what = f"the {MANIFEST} of the package `{name}` was edited: it contains an invalid name"
        problems.add(where, what, _AGAIN)
        return None
    if manifest.group_versions is None:
        what = f"the package `{name}` is from an older clientgen, {manifest.version or 'unknown'}"
        problems.add(where, f"{what}, and does not list its types", _AGAIN)
        return None
    return GeneratedPackage(name, folder, spec, data, manifest)


def _is_sound(manifest: Manifest) -> bool:
    """Return whether its words are of an API, and its folders and packages can be imported from."""
    words = Words(Problems())
    group_versions = manifest.group_versions or {}
    versions = map(GroupVersion.parse, group_versions)
    modules = (*(folder.replace("/", ".") for folder in group_versions.values()), *manifest.uses)
    return (
        all(words.name(version, "") for version in versions)
        and all(map(_is_module, modules))
        and all(map(_NAME.fullmatch, manifest.names.values()))
    )


def _is_module(name: str) -> bool:
    parts = name.split(".")
    return _MODULE.fullmatch(name) is not None and not any(map(keyword.iskeyword, parts))


def _modules(package: GeneratedPackage, problems: Problems) -> Iterator[ModelModule]:
    for group_version, folder in (package.manifest.group_versions or {}).items():
        models_module = _module(package, group_version, f"{folder}/models.py", problems)
        if models_module is None:
            continue
        yield models_module
        for name in parts_of(models_module):
            part = _module(package, group_version, f"{folder}/{name}.py", problems)
            if part is not None:
                yield replace(part, whole=models_module.name)


def _module(
    package: GeneratedPackage, group_version: str, path: str, problems: Problems
) -> ModelModule | None:
    shown = f"{package.folder}/{path}"
    try:
        tree = ast.parse(package.read(path), shown)
    except OSError:
        problems.add(shown, f"is missing, but {MANIFEST} lists it", _AGAIN)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        problems.add(shown, f"is not Python: {error}", _AGAIN)
    else:
        name = ".".join([package.name, *path.removesuffix(".py").split("/")])
        home = GroupVersion.parse(group_version)
        return ModelModule(name, home, shown, tree, _names(package, group_version))
    return None


def _names(package: GeneratedPackage, group_version: str) -> dict[str, str]:
    """Map the names of a group version's renamed classes to their names in the API."""
    named = ((key.rpartition("/"), name) for key, name in package.manifest.names.items())
    return {class_: name for (home, _, class_), name in named if home == group_version}


def find_module(name: str, paths: Sequence[Path]) -> ModuleSpec | None:
    """Find a module or package without importing it or what it is part of."""
    top, *rest = name.split(".")
    spec = PathFinder.find_spec(top, [str(path) for path in paths])
    if spec is None or (spec.origin is None and not rest):
        spec = _first(finder.find_spec(top, None) for finder in sys.meta_path) or spec
    full = top
    for part in rest:
        if spec is None:
            return None
        full = f"{full}.{part}"
        spec = PathFinder.find_spec(full, spec.submodule_search_locations)
    return spec


def _first(specs: Iterable[ModuleSpec | None]) -> ModuleSpec | None:
    return next((spec for spec in specs if spec is not None), None)


def read_data(spec: ModuleSpec, path: str) -> bytes:
    """Read a file of a package, from a folder or a zip.

    Raises:
        OSError: there is none.
    """
    get_data = getattr(spec.loader, "get_data", None)
    data = get_data(path) if get_data else Path(path).read_bytes()
    assert isinstance(data, bytes)
    return data
