"""The contents of each file, with all Python names.

This is the last stage that knows what an API is: templates only print plans. A clash of names is
found here, before anything is rendered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from clientgen._problems import Problems, did_you_mean
from clientgen.generator import python_names
from clientgen.generator.config_records import Renames
from clientgen.generator.expansions import Expansion
from clientgen.generator.ir import META_V1, Api, ModelId
from clientgen.generator.plan.chosen_names import chosen_names
from clientgen.generator.plan.group_versions import group_version_files
from clientgen.generator.plan.model_classes import late_imports
from clientgen.generator.plan.package_files import package_files
from clientgen.generator.plan.plan_records import (
    AccessorPlan,
    ClientPlan,
    FieldPlan,
    FilePlan,
    GroupVersionPlan,
    InformerPlan,
    KindsPlan,
    ListerPlan,
    MethodPlan,
    ModelPlan,
    Modules,
    ResourcePlan,
    Symbol,
)
from clientgen.generator.plan.views import view_classes, views_files
from clientgen.generator.sources.used_packages import meta_models

__all__ = [
    "AccessorPlan",
    "ClientPlan",
    "FieldPlan",
    "FilePlan",
    "GroupVersionPlan",
    "InformerPlan",
    "KindsPlan",
    "ListerPlan",
    "MethodPlan",
    "ModelPlan",
    "Modules",
    "ResourcePlan",
    "Symbol",
    "plan",
]

_NO_RENAMES = Renames()


def plan(
    api: Api, expansions: Mapping[str, Expansion], renames: Renames = _NO_RENAMES
) -> tuple[tuple[FilePlan, ...], Modules]:
    """Plan the files of a package.

    Args:
        api: what to generate.
        expansions: classes to mix into clients and listers, by `group/version/Kind`.
        renames: names of the user's choice.

    Raises:
        ClientgenError: two things would get one name.
    """
    problems = Problems()
    _check_expansions(api, expansions, problems)
    names = chosen_names(api, renames, problems)
    packages = _packages(api, names, renames, problems)
    own = frozenset(model.id for gv in api.group_versions for model in gv.own)
    modules = Modules(
        packages,
        api.imported,
        names,
        api.left_out,
        api.packaged,
        own,
        frozenset(_lists(api)),
        view_classes(api, names, problems),
    )
    late_modules = late_imports(api, modules)
    files = [
        file
        for group_version in api.group_versions
        for file in group_version_files(
            group_version,
            modules,
            late_modules[modules.package(group_version.group_version)],
            expansions,
            problems,
        )
    ]
    files += views_files(api, modules, files)
    files += package_files(api, modules, problems)
    problems.raise_if_any()
    return tuple(sorted(files, key=lambda file: file.path)), modules


def _check_expansions(api: Api, expansions: Mapping[str, Expansion], problems: Problems) -> None:
    kinds = {f"{gv.group_version}/{r.kind}" for gv in api.group_versions for r in gv.resources}
    for key in sorted(expansions.keys() - kinds):
        hint = did_you_mean(key, sorted(kinds), "Write it like 'apps/v1/Deployment'.")
        problems.add("", f"the expansion of {key!r} matches no kind", hint)


def _lists(api: Api) -> Iterable[ModelId]:
    """The lists of kinds."""
    models = chain(meta_models(), *(gv.models for gv in api.group_versions))
    return (model.id for model in models if model.item)


def _packages(
    api: Api, names: python_names.ChosenNames, renames: Renames, problems: Problems
) -> dict[str, str]:
    groups = [gv.group_version.group for gv in api.group_versions]
    packages = python_names.group_packages([*groups, META_V1.group], names.packages)
    owner: dict[str, str] = {}
    for group, package in packages.items():
        if package in owner:
            new_name = renames.groups.get(group) or renames.groups.get(owner[package])
            problems.add(
                new_name.where if new_name else "",
                f"the groups {owner[package]!r} and {group!r} both become the package {package!r}",
                "Give one of them another name (`rename`), or leave it out.",
            )
        owner[package] = group
    return packages
