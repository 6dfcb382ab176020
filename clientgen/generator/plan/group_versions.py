"""The files of a group version: models, resources, clients, listers and informers."""

from __future__ import annotations

from collections.abc import Mapping

from clientgen._gvk import GroupVersion
from clientgen._problems import Problems
from clientgen.generator import python_names
from clientgen.generator.expansions import Expansion
from clientgen.generator.ir import META_V1, GroupVersionApi
from clientgen.generator.plan.clients import (
    accessor_plan,
    client_names,
    client_plans,
    resource_plans,
)
from clientgen.generator.plan.informers import informers_file, listers_file
from clientgen.generator.plan.manifest_modules import manifest_files, meta_manifests_file
from clientgen.generator.plan.model_classes import defined_first, model_plans, own_plans
from clientgen.generator.plan.model_parts import in_parts
from clientgen.generator.plan.plan_records import ClientPlan, FilePlan, Modules, Symbol, shown


def group_version_files(
    api: GroupVersionApi,
    modules: Modules,
    late_modules: frozenset[str],
    expansions: Mapping[str, Expansion],
    problems: Problems,
) -> list[FilePlan]:
    """The files of a group version; without resources it is only models.

    Args:
        api: the group version.
        modules: where every model is.
        late_modules: the folders whose models import these back.
        expansions: classes to mix in, by `group/version/Kind`.
        problems: takes clashes of names.
    """
    gv, folder = api.group_version, modules.package(api.group_version)
    source = f"apis/{gv}" if gv.group else f"api/{gv}"
    models = model_plans(api, modules, late_modules, problems)
    file = FilePlan(
        f"{folder}/models.py",
        "models.py.j2",
        f"Models of the {shown(gv)} API.",
        source,
        defines=tuple(model.name for model in models),
        models=models,
        late=late_modules,
    )
    files = in_parts(file, defined_first(api.models))
    manifests = manifest_files(files, own_plans(api, modules))
    if gv == META_V1:
        manifests = [meta_manifests_file(modules, manifests[0])]
    files += manifests
    if gv != META_V1:
        title = f"The {shown(gv)} API."
        path, template = f"{folder}/__init__.py", "group_version.py.j2"
        # Of the kinds of another package, there may be nothing but views.
        existing = _classes(gv, modules) if api.models or api.resources else ()
        files.append(FilePlan(path, template, title, source, reexports=existing))
    clients = client_plans(api, modules, expansions, problems)
    if clients:
        name = f"Async{python_names.group_version_class(modules.packages[gv.group], gv)}Client"
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
        f"Resources of the {api_version} API.",
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
        f"Clients for the {api_version} API.",
        source,
        defines=tuple(client_names(clients, name)),
        clients=clients,
        accessors=tuple(accessor_plan(client) for client in clients),
        of=name,
        api_version=api_version,
    )
