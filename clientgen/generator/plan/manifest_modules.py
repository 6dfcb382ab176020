"""The modules of typed manifests: beside each module of models, a `TypedDict` for each model.

Lists have none, since nobody writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from clientgen.generator.ir import META_V1
from clientgen.generator.plan.plan_records import FilePlan, ModelPlan, Modules, Symbol, shown
from clientgen.generator.python_names import manifest_class
from clientgen.generator.sources.used_packages import shared_types

_TEMPLATE = "manifests.py.j2"


def manifest_files(files: Sequence[FilePlan], own: Sequence[ModelPlan] = ()) -> list[FilePlan]:
    """The files of the manifests of a group version.

    Args:
        files: those of its models: one, or an index and its parts.
        own: models whose classes the user wrote; they are in no file.
    """
    if len(files) == 1:
        return [_file(files[0], (*files[0].models, *own), {})]
    index, *parts, last = files
    models = [*((part, part.models) for part in parts), (last, (*last.models, *own))]
    where = {
        manifest_class(model.name): _module(part.path)
        for part, defined in models
        for model in _written(defined)
    }
    folder = index.module.rpartition(".")[0]
    reexports = tuple(Symbol(f"{folder}.{where[name]}", name) for name in sorted(where))
    return [
        replace(_file(index, (), {}), template="parts.py.j2", reexports=reexports),
        *(_file(part, defined, where) for part, defined in models),
    ]


def meta_manifests_file(modules: Modules, newer: FilePlan | None = None) -> FilePlan:
    """The manifests of meta/v1: those of the runtime, and those of the spec that are newer."""
    file = newer or FilePlan(
        f"{modules.package(META_V1)}/manifests.py",
        _TEMPLATE,
        f"Typed manifests of the {shown(META_V1)} API.",
        "the spec",
    )
    shared = (modules.manifest(model) for model in shared_types())
    return replace(file, reexports=tuple(sorted(symbol for symbol in shared if symbol)))


def _file(file: FilePlan, models: Sequence[ModelPlan], where: Mapping[str, str]) -> FilePlan:
    written = tuple(_written(models))
    folder, slash, _ = file.path.rpartition("/")
    return replace(
        file,
        path=f"{folder}{slash}{_module(file.path)}.py",
        template=_TEMPLATE,
        docstring=file.docstring.replace("Models", "Typed manifests", 1),
        defines=tuple(manifest_class(model.name) for model in written),
        models=written,
        parts=where,
    )


def _module(path: str) -> str:
    """The module of manifests beside a module of models: `manifests_2` beside `models_2.py`."""
    return path.rpartition("/")[2].removesuffix(".py").replace("models", "manifests", 1)


def _written(models: Iterable[ModelPlan]) -> Iterable[ModelPlan]:
    return (model for model in models if not model.item)
