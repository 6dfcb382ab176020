"""The field selectors of a package: for each kind, the fields by which the server selects."""

from __future__ import annotations

from collections.abc import Iterable

from clientgen.generator import python_names
from clientgen.generator.ir import Api, GroupVersionApi, Resource
from clientgen.generator.plan.plan_records import FieldsPlan, FilePlan, Modules, shown


def fields_file(api: Api, modules: Modules) -> FilePlan:
    """The file with the selectable fields of all kinds that can be listed."""
    plans = tuple(each for gv in api.group_versions if (each := _plan(gv, modules)).kinds)
    return FilePlan(
        "fields.py",
        "fields.py.j2",
        "Fields for field selectors, by group version and kind.",
        "the spec",
        defines=tuple(plan.accessor for plan in plans),
        fields=plans,
    )


def _plan(api: GroupVersionApi, modules: Modules) -> FieldsPlan:
    package = modules.packages[api.group_version.group]
    return FieldsPlan(
        python_names.group_version_accessor(package, api.group_version),
        shown(api.group_version),
        {
            python_names.class_name(resource.kind): dict(_attributes(resource))
            for resource in api.resources
            if "list" in resource.verbs
        },
    )


def _attributes(resource: Resource) -> Iterable[tuple[str, str]]:
    paths = ["metadata.name"]
    if resource.namespaced:
        paths.append("metadata.namespace")
    for path in [*paths, *resource.selectable_fields]:
        yield "_".join(python_names.attribute(part).strip("_") for part in path.split(".")), path
