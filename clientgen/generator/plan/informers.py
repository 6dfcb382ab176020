"""The listers and informers of a package: which kinds have them, and in which files.

The rules are those of client-go's generators: a lister where there is get and list, an informer
where there is list and watch. Unlike there, a kind without verbs has no lister either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clientgen._problems import Problems
from clientgen.generator import python_names
from clientgen.generator.expansions import Expansion
from clientgen.generator.ir import Api, GroupVersionApi, ModelId, Resource
from clientgen.generator.plan.plan_records import (
    FilePlan,
    GroupVersionPlan,
    InformerPlan,
    ListerPlan,
    Modules,
    check_distinct,
    mixin,
    shown,
)

_NONE = Expansion()


def listers_file(
    api: GroupVersionApi,
    modules: Modules,
    source: str,
    expansions: Mapping[str, Expansion],
    problems: Problems,
) -> Iterable[FilePlan]:
    """The file of a group version's listers, if it has any.

    Args:
        api: the group version.
        modules: where its files are and what kinds are called.
        source: what they are generated from.
        expansions: classes to mix in, by `group/version/Kind`.
        problems: takes clashes of names, and classes that fit nowhere.
    """
    where = shown(api.group_version)
    listers = tuple(_listers(api, modules, expansions, problems))
    # Of two resources with one kind, the clients have told already.
    named = {(name, lister.resource.kind): None for lister in listers for name in _names(lister)}
    check_distinct(named, where, "listers of", problems)
    if listers:
        yield FilePlan(
            f"{modules.package(api.group_version)}/listers.py",
            "listers.py.j2",
            f"Listers for the {where} API. They read the caches of informers.",
            source,
            defines=tuple(name for name, _ in named),
            listers=listers,
        )


def _listers(
    api: GroupVersionApi,
    modules: Modules,
    expansions: Mapping[str, Expansion],
    problems: Problems,
) -> Iterable[ListerPlan]:
    for resource in api.resources:
        key = f"{resource.group_version}/{resource.kind}"
        wanted = expansions.get(key, _NONE)
        if _has_lister(resource):
            yield _lister(resource, modules.kind_name(resource), wanted)
        elif wanted.lister or wanted.namespace_lister:
            problems.add("", f"the expansion of {key!r} is for a lister, but the kind has none")
        if wanted.namespace_lister and not resource.namespaced:
            what = f"the expansion of {key!r} is for a namespace lister"
            problems.add("", f"{what}, but the kind is cluster-scoped", "Call it `lister`.")


def _lister(resource: Resource, kind: str, expansion: Expansion) -> ListerPlan:
    return ListerPlan(
        resource=resource,
        name=f"{kind}Lister",
        constant=python_names.resource_constant(_accessor(resource)),
        expansion=mixin(expansion.lister),
        of_namespace=f"{kind}NamespaceLister" if expansion.namespace_lister else "",
        namespace_expansion=mixin(expansion.namespace_lister),
    )


def _names(lister: ListerPlan) -> list[str]:
    return [lister.name, lister.of_namespace] if lister.of_namespace else [lister.name]


def informers_file(api: GroupVersionApi, modules: Modules, source: str) -> Iterable[FilePlan]:
    """The file of a group version's informers, if it has any; see `listers_file`."""
    gv = api.group_version
    informers = _informers(api, modules)
    if informers:
        of = _class(api, modules)
        yield FilePlan(
            f"{modules.package(gv)}/async_informers.py",
            "async_informers.py.j2",
            f"Informers for the {shown(gv)} API.",
            source,
            defines=(of, *(informer.name for informer in informers)),
            informers=informers,
            of=of,
            api_version=shown(gv),
        )


def factory_file(api: Api, modules: Modules) -> FilePlan:
    """The file of the factory that hands all informers out."""
    return FilePlan(
        "async_informer_factory.py",
        "async_informer_factory.py.j2",
        "Shared informers for every API group version.",
        "the spec",
        defines=("AsyncInformerFactory",),
        group_versions=tuple(
            _group_version(gv, modules) for gv in api.group_versions if _informers(gv, modules)
        ),
    )


def _group_version(api: GroupVersionApi, modules: Modules) -> GroupVersionPlan:
    gv = api.group_version
    return GroupVersionPlan(
        group_version=gv,
        accessor=python_names.group_version_accessor(modules.packages[gv.group], gv),
        of=_class(api, modules),
        module=f".{modules.package(gv).replace('/', '.')}.async_informers",
    )


def _class(api: GroupVersionApi, modules: Modules) -> str:
    gv = api.group_version
    return f"Async{python_names.group_version_class(modules.packages[gv.group], gv)}Informers"


def _informers(api: GroupVersionApi, modules: Modules) -> tuple[InformerPlan, ...]:
    return tuple(
        _informer(resource, resource.list_model, modules.kind_name(resource))
        for resource in api.resources
        if resource.list_model and _has_informer(resource)
    )


def _informer(resource: Resource, list_model: ModelId, kind: str) -> InformerPlan:
    accessor = _accessor(resource)
    return InformerPlan(
        resource=resource,
        list_model=list_model,
        name=f"Async{kind}Informer",
        accessor=accessor,
        constant=python_names.resource_constant(accessor),
        lister=f"{kind}Lister" if _has_lister(resource) else "",
    )


def _has_lister(resource: Resource) -> bool:
    """client-go, lister-gen: get and list."""
    return resource.has_lister and {"get", "list"} <= resource.verbs


def _has_informer(resource: Resource) -> bool:
    """client-go, informer-gen: list and watch."""
    return resource.has_informer and {"list", "watch"} <= resource.verbs


def _accessor(resource: Resource) -> str:
    return python_names.resource_accessor(resource.kind, resource.plural)
