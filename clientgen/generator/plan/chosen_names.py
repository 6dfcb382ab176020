"""Checks the names that a user chose against what there is to be named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clientgen._gvk import GroupVersion
from clientgen._problems import Problems, did_you_mean
from clientgen.generator import python_names
from clientgen.generator.config_records import PlacedText, Renames
from clientgen.generator.ir import META_MODULE, META_V1, Api, GroupVersionApi, ModelId, Resource
from clientgen.generator.sources.used_packages import is_shared, shared_types


def chosen_names(api: Api, renames: Renames, problems: Problems) -> python_names.ChosenNames:
    """Return the names for this API. Report those that name nothing or cannot be used.

    The list of a kind that is renamed follows it, unless it has a name of its own choice: with
    `CronTab = "Job"` a `CronTabList` is a `JobList`.
    """
    known_types = _known(api)
    classes: dict[tuple[GroupVersion, str], str] = {}
    for key, new_name in sorted(renames.classes.items()):
        name = known_types.get(key)
        if name is None:
            _name_nothing(key, new_name, known_types, "type", problems)
        elif _is_free(api, name, new_name, problems):
            classes[name] = new_name.text
    followers = dict(_lists(api, classes))
    groups = {gv.group_version.group: None for gv in api.group_versions}
    packages = dict(_packages(renames, groups, problems))
    return python_names.ChosenNames({**followers, **classes}, packages)


def _known(api: Api) -> dict[str, tuple[GroupVersion, str]]:
    """Return every name that becomes a class, by the keys of the configuration."""
    names_by_class = {f"{META_V1}/{model.name}": (META_V1, model.name) for model in shared_types()}
    for gv in api.group_versions:
        names = {model.id.name for model in gv.models} | {r.kind for r in gv.resources}
        names_by_class |= {f"{gv.group_version}/{name}": (gv.group_version, name) for name in names}
    for model in api.imported:
        names_by_class[f"{model.group_version}/{model.name}"] = (model.group_version, model.name)
    return names_by_class


def _is_free(
    api: Api, name: tuple[GroupVersion, str], new_name: PlacedText, problems: Problems
) -> bool:
    """Return whether a class can get another name: not if it exists already."""
    model = ModelId(*name)
    if not is_shared(model) and model not in api.imported:
        return True
    existing = api.imported.get(model)
    module = existing.module if existing else META_MODULE
    what = f"{model.name} already exists in {module} and keeps its name"
    problems.add(new_name.where, what, "remove it")
    return False


def _lists(
    api: Api, classes: Mapping[tuple[GroupVersion, str], str]
) -> Iterable[tuple[tuple[GroupVersion, str], str]]:
    for gv in api.group_versions:
        for resource in gv.resources:
            chosen = classes.get((gv.group_version, resource.kind))
            if chosen and _has_regular_list(gv, resource):
                yield (gv.group_version, f"{resource.kind}List"), f"{chosen}List"


def _has_regular_list(gv: GroupVersionApi, resource: Resource) -> bool:
    return resource.list_model == ModelId(gv.group_version, f"{resource.kind}List")


def _packages(
    renames: Renames, groups: Iterable[str], problems: Problems
) -> Iterable[tuple[str, str]]:
    shown = {group or "core": group for group in groups if group != META_V1.group}
    for group, new_name in sorted(renames.groups.items()):
        if (group or "core") not in shown:
            _name_nothing(group or "core", new_name, shown, "group", problems)
        elif python_names.group_packages([group], {group: new_name.text})[group] != new_name.text:
            what = f"`{new_name.text}` is the name of a module in every package"
            problems.add(new_name.where, what, "choose another name")
        else:
            yield group, new_name.text


def _name_nothing(
    key: str, new_name: PlacedText, candidates: Iterable[str], what: str, problems: Problems
) -> None:
    hint = did_you_mean(key, sorted(candidates), "nothing of that name is generated")
    problems.add(new_name.where, f"there is no {what} `{key}`", hint)
