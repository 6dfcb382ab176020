"""The files of the package itself, beside those of its group versions."""

from __future__ import annotations

from collections.abc import Iterable

from clientgen._gvk import GroupVersion
from clientgen._problems import Problems
from clientgen.generator import python_names
from clientgen.generator.ir import META_V1, Api
from clientgen.generator.plan.clients import has_calls
from clientgen.generator.plan.field_selectors import fields_file
from clientgen.generator.plan.informers import factory_file
from clientgen.generator.plan.manifest_modules import meta_manifests_file
from clientgen.generator.plan.plan_records import (
    FilePlan,
    GroupVersionPlan,
    Modules,
    Symbol,
    check_distinct,
    shown,
)
from clientgen.generator.plan.scheme_entries import scheme_file
from clientgen.generator.sources.used_packages import shared_types


def package_files(api: Api, modules: Modules, problems: Problems) -> list[FilePlan]:
    """Groups, meta/v1, clientset, informer factory, scheme and the package.

    Args:
        api: what to generate.
        modules: where its group versions are.
        problems: takes clashes of names.
    """
    served = [gv for gv in api.group_versions if any(map(has_calls, gv.resources))]
    plans = tuple(_group_version(gv.group_version, modules) for gv in served)
    _check_distinct(plans, modules, problems)
    folders = sorted({modules.package(gv.group_version) for gv in api.group_versions})
    groups = sorted({folder.split("/")[0] for folder in folders} | {META_V1.group})
    return [
        *(
            FilePlan(f"{group}/__init__.py", "group.py.j2", f"The {group} API group.", "the spec")
            for group in groups
        ),
        FilePlan(
            f"{modules.package(META_V1)}/__init__.py",
            "group.py.j2",
            "The types of meta/v1, which all APIs share.",
            "the spec",
            reexports=tuple(_meta_types(api, modules)),
        ),
        *([] if _has_newer_meta(api) else [meta_manifests_file(modules)]),
        FilePlan(
            "async_clientset.py",
            "async_clientset.py.j2",
            "Typed clients for every API group version.",
            "the spec",
            defines=("AsyncClientset",),
            group_versions=plans,
        ),
        factory_file(api, modules),
        fields_file(api, modules),
        scheme_file(api, modules),
        FilePlan("__init__.py", "package.py.j2", "Typed Kubernetes clients.", "the spec"),
    ]


def _check_distinct(
    plans: Iterable[GroupVersionPlan], modules: Modules, problems: Problems
) -> None:
    """Report names that clash: `a` and `b-c` give the same one as `a-b` and `c`."""
    by_folder = {modules.package(plan.group_version): plan for plan in plans}
    named = [(plan.accessor, plan.of, shown(plan.group_version)) for plan in by_folder.values()]
    own_problems = Problems()
    check_distinct(((name, gv) for name, _, gv in named), "", "group versions", own_problems)
    if not own_problems:
        check_distinct(((name, gv) for _, name, gv in named), "", "clients of", own_problems)
    problems.extend(own_problems)


def _meta_types(api: Api, modules: Modules) -> list[Symbol]:
    """The types of meta/v1: the runtime's, and those of the spec that are newer."""
    newer = (gv for gv in api.group_versions if gv.group_version == META_V1)
    models = [
        *shared_types(),
        *(m.id for gv in newer for m in gv.models),
    ]
    return sorted(map(modules.symbol, models))


def _has_newer_meta(api: Api) -> bool:
    return any(gv.group_version == META_V1 for gv in api.group_versions)


def _group_version(group_version: GroupVersion, modules: Modules) -> GroupVersionPlan:
    package = modules.packages[group_version.group]
    prefix = python_names.group_version_class(package, group_version)
    folder = modules.package(group_version).replace("/", ".")
    return GroupVersionPlan(
        group_version=group_version,
        accessor=python_names.group_version_accessor(package, group_version),
        of=f"Async{prefix}Client",
        module=f".{folder}.async_clients",
    )
