"""The kinds a package registers with a scheme: what manifests of its APIs can hold.

Those of the group versions it has resources of, and those of the user's own modules. Other types,
such as the Scale of custom resources, belong to the package of their own API.
"""

from __future__ import annotations

from collections.abc import Iterable

from clientgen._gvk import GroupVersionKind
from clientgen.generator.ir import Api, GroupVersionApi, ModelId
from clientgen.generator.plan.clients import has_calls
from clientgen.generator.plan.plan_records import FilePlan, KindsPlan, Modules


def scheme_file(api: Api, modules: Modules) -> FilePlan:
    """The file that registers the kinds of a package."""
    return FilePlan(
        "scheme.py",
        "scheme.py.j2",
        "Registers the kinds and resources of this package with a `Scheme`.",
        "the spec",
        defines=("add_to_scheme",),
        kinds=tuple(_kinds_plans(api, modules)),
        resource_modules=dict(_resource_modules(api, modules)),
    )


def _resource_modules(api: Api, modules: Modules) -> Iterable[tuple[str, str]]:
    for group_version in api.group_versions:
        if any(map(has_calls, group_version.resources)):
            folder = modules.package(group_version.group_version).replace("/", ".")
            yield str(group_version.group_version), f".{folder}.resources"


def _kinds_plans(api: Api, modules: Modules) -> Iterable[KindsPlan]:
    kinds = dict(each for gv in api.group_versions if gv.resources for each in _kinds(gv, api))
    for model in api.kinds:
        kinds[model.group_version.with_kind(model.name)] = model
    by_version: dict[str, dict[str, list[str]]] = {}
    for gvk in sorted(kinds):
        symbol = modules.symbol(kinds[gvk])
        name = gvk.kind if symbol.name == gvk.kind else f"{gvk.kind}:{symbol.name}"
        of_version = by_version.setdefault(str(gvk.group_version), {})
        of_version.setdefault(symbol.module, []).append(name)
    for api_version, names in by_version.items():
        by_module = {module: tuple(names[module]) for module in sorted(names)}
        yield KindsPlan(api_version, by_module)


def _kinds(group_version: GroupVersionApi, api: Api) -> Iterable[tuple[GroupVersionKind, ModelId]]:
    """Yield the kinds that the package defines, and imported kinds that it has clients of."""
    for model in group_version.models:
        if model.gvk is not None:
            yield model.gvk, model.id
    for resource in group_version.resources:
        gv = resource.group_version
        if resource.model in api.imported:
            yield gv.with_kind(resource.kind), resource.model
        listed = resource.list_model
        if listed is not None and listed in api.imported:
            yield gv.with_kind(listed.name), listed
