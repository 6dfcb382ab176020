"""Which file holds what, in which order, under which Python names.

The last stage that knows what an API is: templates only write down what stands in a plan. A clash
of names is found here, before anything is rendered.
"""

from __future__ import annotations

from collections.abc import Mapping

from clientgen.generator import naming
from clientgen.generator.config_records import Renames
from clientgen.generator.expansions import Expansion
from clientgen.generator.ir import META_V1, Api, GroupVersionApi
from clientgen.generator.plan.clients import (
    accessor_plan,
    client_names,
    client_plans,
    has_calls,
    resource_plans,
)
from clientgen.generator.plan.informers import factory_file, informers_file, listers_file
from clientgen.generator.plan.models import late_imports, model_plans
from clientgen.generator.plan.records import (
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
    shown,
)
from clientgen.generator.plan.renaming import chosen_names
from clientgen.generator.plan.scheme import scheme_file
from clientgen.generator.problems import Problems
from clientgen.generator.sources.packages import shared_types
from clientgen.gvk import GroupVersion

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
    modules = Modules(packages, api.imported, names, api.left_out)
    late = late_imports(api, modules)
    files = [
        file
        for group_version in api.group_versions
        for file in _group_version_files(
            group_version,
            modules,
            late[modules.package(group_version.group_version)],
            expansions,
            problems,
        )
    ]
    files += _package_files(api, modules)
    problems.raise_if_any()
    return tuple(sorted(files, key=lambda file: file.path)), modules


def _check_expansions(api: Api, expansions: Mapping[str, Expansion], problems: Problems) -> None:
    known = {f"{gv.group_version}/{r.kind}" for gv in api.group_versions for r in gv.resources}
    for key in sorted(expansions.keys() - known):
        problems.add(
            "", f"the expansion of {key!r} fits no kind", "Write it like 'apps/v1/Deployment'."
        )


def _packages(
    api: Api, names: naming.ChosenNames, renames: Renames, problems: Problems
) -> dict[str, str]:
    groups = [gv.group_version.group for gv in api.group_versions]
    packages = naming.group_packages([*groups, META_V1.group], names.packages)
    seen: dict[str, str] = {}
    for group, package in packages.items():
        if package in seen:
            said = renames.groups.get(group) or renames.groups.get(seen[package])
            problems.add(
                said.where if said else "",
                f"the groups {seen[package]!r} and {group!r} both become the package {package!r}",
                "Give one of them another name (`rename`), or leave it out.",
            )
        seen[package] = group
    return packages


def _group_version_files(
    api: GroupVersionApi,
    modules: Modules,
    late: frozenset[str],
    expansions: Mapping[str, Expansion],
    problems: Problems,
) -> list[FilePlan]:
    gv, folder = api.group_version, modules.package(api.group_version)
    source = f"apis/{gv}" if gv.group else f"api/{gv}"
    models = model_plans(api, modules, late, problems)
    files = [
        FilePlan(
            f"{folder}/models.py",
            "models.py.j2",
            f"Models of the {shown(gv)} API.",
            source,
            defines=tuple(model.name for model in models),
            models=models,
            late=late,
        )
    ]
    if gv != META_V1:
        title = f"The {shown(gv)} API."
        path, template = f"{folder}/__init__.py", "group_version.py.j2"
        files.append(FilePlan(path, template, title, source, reexports=_classes(gv, modules)))
    clients = client_plans(api, modules, expansions, problems)
    if clients:
        name = f"Async{naming.group_version_class(modules.packages[gv.group], gv)}Client"
        files.append(_resources_file(folder, clients, shown(gv), source))
        files.append(_clients_file(folder, clients, name, shown(gv), source))
    files += listers_file(api, modules, source, expansions, problems)
    files += informers_file(api, modules, source)
    return files


def _classes(group_version: GroupVersion, modules: Modules) -> tuple[Symbol, ...]:
    """The classes of a group version that exist already: users import them from here as well."""
    own = (
        model
        for model in modules.imported
        if model.group_version == group_version and model not in modules.left_out
    )
    return tuple(sorted(map(modules.symbol, own)))


def _resources_file(
    folder: str, clients: tuple[ClientPlan, ...], api_version: str, source: str
) -> FilePlan:
    resources = resource_plans(clients)
    return FilePlan(
        f"{folder}/resources.py",
        "resources.py.j2",
        f"The endpoints of the {api_version} API.",
        source,
        defines=tuple(resource.constant for resource in resources),
        resources=resources,
    )


def _clients_file(
    folder: str, clients: tuple[ClientPlan, ...], name: str, api_version: str, source: str
) -> FilePlan:
    return FilePlan(
        f"{folder}/async_clients.py",
        "async_clients.py.j2",
        f"Clients of the {api_version} API.",
        source,
        defines=tuple(client_names(clients, name)),
        clients=clients,
        accessors=tuple(accessor_plan(client) for client in clients),
        of=name,
        api_version=api_version,
    )


def _package_files(api: Api, modules: Modules) -> list[FilePlan]:
    served = [gv for gv in api.group_versions if any(map(has_calls, gv.resources))]
    plans = tuple(_group_version(gv.group_version, modules) for gv in served)
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
            "The types every API shares, meta/v1.",
            "the spec",
            reexports=tuple(_meta_types(api, modules)),
        ),
        FilePlan(
            "async_clientset.py",
            "async_clientset.py.j2",
            "Typed access to every API group version.",
            "the spec",
            defines=("AsyncClientset",),
            group_versions=plans,
        ),
        factory_file(api, modules),
        scheme_file(api, modules),
        FilePlan("__init__.py", "package.py.j2", "Typed Kubernetes clients.", "the spec"),
    ]


def _meta_types(api: Api, modules: Modules) -> list[Symbol]:
    """The types of meta/v1: the runtime's, and those of the spec that are newer."""
    newer = (gv for gv in api.group_versions if gv.group_version == META_V1)
    found = [
        *shared_types(),
        *(m.id for gv in newer for m in gv.models),
    ]
    return sorted(map(modules.symbol, found))


def _group_version(group_version: GroupVersion, modules: Modules) -> GroupVersionPlan:
    package = modules.packages[group_version.group]
    prefix = naming.group_version_class(package, group_version)
    folder = modules.package(group_version).replace("/", ".")
    return GroupVersionPlan(
        group_version=group_version,
        accessor=naming.group_version_accessor(package, group_version),
        of=f"Async{prefix}Client",
        module=f".{folder}.async_clients",
    )
