"""Names as kubectl takes them: `po`, `pods.spec.containers`, `deployments.v1.apps`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clientgen._problems import ClientgenError, Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clientgen._gvk import GroupVersion
    from clientgen.reference.package_reader import Api
    from clientgen.reference.records import Field, Resource, Type

_VERSION: Final = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")
_STABLE: Final = 2
_LEVELS: Final = {"alpha": 0, "beta": 1, None: _STABLE}
_STEP: Final = re.compile(r"(?:\[[^\]]*\])+$")
_LAST_GROUP: Final = 10_000
_MAX_NAMES: Final = 12


@dataclass(frozen=True, slots=True)
class Target:
    """What a path leads to: a resource, or a field of it."""

    resource: Resource
    root: Type
    fields: tuple[Field, ...]
    parent: Type
    """The type that has the last field."""
    type: Type | None
    """The type of the value."""

    @property
    def python(self) -> str:
        """How Python reads the value: `pod.spec.containers[0].image`."""
        path = variable(self.resource.kind)
        for number, field in enumerate(self.fields, start=1):
            is_last = number == len(self.fields)
            path += f".{field.attribute}{'' if is_last else field.shape.steps}"
        return path


def variable(kind: str) -> str:
    """The name of a variable for an object: `PersistentVolume` is `persistent_volume`."""
    from clientgen.generator.python_names import attribute  # other callers do not need it

    return attribute(kind)


def find(
    api: Api, path: str, api_version: str, ranks: Mapping[str, int], elsewhere: str = ""
) -> Target:
    """Return what a path leads to.

    Args:
        api: where to look.
        path: the name of a resource, and fields of it, with dots between them.
        api_version: only in this group version, if it is not empty.
        ranks: the ranks of groups; a name that several groups have is that of the first.
        elsewhere: where else the resource may be; part of the message if it is not found.

    Raises:
        ClientgenError: there is no such resource or field; the message says what is near.
    """
    words = [word for word in path.split(".") if word]
    if not words:
        raise ClientgenError([Problem("", "name a resource, such as `pods`")])
    resource, rest = _resource(api, words, api_version, ranks, elsewhere)
    root = api.type(resource.type) if resource.type else None
    if root is None:
        what = f"the class of {resource.kind} has no source that could be read"
        raise ClientgenError([Problem(words[0], what)])
    return _walk(api, resource, root, rest)


def _resource(
    api: Api, words: Sequence[str], api_version: str, ranks: Mapping[str, int], elsewhere: str
) -> tuple[Resource, list[str]]:
    """The resource, and the words that are left for fields."""
    name = words[0].lower()
    called = [each for each in api.resources if name in names_of(each)]
    if not called:
        raise ClientgenError([_unknown_resource(api, words[0], api_version, elsewhere)])
    if api_version:
        chosen = [each for each in called if str(each.group_version) == api_version]
        if not chosen:
            versions = ", ".join(sorted({str(each.group_version) for each in called}))
            what = f"{api_version} has no resource `{words[0]}`"
            raise ClientgenError([Problem(words[0], what, f"it is in {versions}")])
        return chosen[0], list(words[1:])
    candidates = [(each, rest) for each in called for rest in _after_group(each, words[1:])]
    return min(candidates, key=lambda pair: (len(pair[1]), rank_of(pair[0].group_version, ranks)))


def _after_group(resource: Resource, words: Sequence[str]) -> list[list[str]]:
    """What is left of the words without the group: `apps` or `v1.apps` in front."""
    left = [list(words)]
    group, version = resource.group_version.group, resource.group_version.version
    for qualifier in (group, f"{version}.{group}" if group else version):
        parts = qualifier.split(".") if qualifier else []
        if parts and [word.lower() for word in words[: len(parts)]] == parts:
            left.append(list(words[len(parts) :]))
    return left[-1:]


def names_of(resource: Resource) -> set[str]:
    """The names of a resource, in lower case."""
    names = {resource.plural, resource.singular, resource.kind, *resource.short_names}
    return {name.lower() for name in names}


def few(names: Sequence[str]) -> str:
    """The names, or the first of many."""
    more = len(names) - _MAX_NAMES
    return ", ".join(names[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


def rank_of(group_version: GroupVersion, ranks: Mapping[str, int]) -> tuple[object, ...]:
    """Groups in the order of discovery, then versions: stable ones first, newest first."""
    found = _VERSION.fullmatch(group_version.version)
    rank = ranks.get(group_version.group, _LAST_GROUP)
    if found is None:
        return rank, group_version.group, 1, 0, 0, group_version.version
    level = _LEVELS[found[2]]
    number, step = int(found[1]), int(found[3] or 0)
    return rank, group_version.group, -level - 1, -number, -step, ""


def _unknown_resource(api: Api, name: str, api_version: str, elsewhere: str) -> Problem:
    if not api.resources:
        return Problem(name, "there are no resources to look in")
    if api_version and api_version not in {str(each.group_version) for each in api.resources}:
        versions = sorted({str(each.group_version) for each in api.resources})
        hint = did_you_mean(api_version, versions, f"there are {', '.join(versions)}")
        return Problem(name, f"there is no group version {api_version}", hint)
    everything = [each for resource in api.resources for each in (resource.plural, resource.kind)]
    packages = " and ".join(package.name for package in api.packages)
    plurals = sorted({each.plural for each in api.resources})
    hint = did_you_mean(name, everything, f"there are {few(plurals)}.")
    hint = f"{hint} {elsewhere}" if elsewhere else hint.removesuffix(".")
    return Problem(name, f"{packages} has no resource of this name", hint)


def _walk(api: Api, resource: Resource, root: Type, words: Iterable[str]) -> Target:
    fields: list[Field] = []
    parent, where = root, resource.plural
    current: Type | None = root
    for written in words:
        word = _STEP.sub("", written)
        if current is None:
            what = f"`{where}` is of the type {fields[-1].shape.word}, which has no fields"
            raise ClientgenError([Problem(f"{where}.{word}", what)])
        field = current.field(word)
        if field is None:
            raise ClientgenError([_unknown_field(api, current, word, where)])
        fields.append(field)
        parent = current
        where = f"{where}.{field.name}"
        current = api.type(field.shape.type) if field.shape.type else None
    return Target(resource, root, tuple(fields), parent, current)


def _unknown_field(api: Api, type_: Type, word: str, where: str) -> Problem:
    names = [each.name for each in type_.fields]
    nested = [
        f"{where}.{each.name}.{word}"
        for each in type_.fields
        if each.shape.type and (inner := api.type(each.shape.type)) and inner.field(word)
    ]
    hint = did_you_mean(word, names)
    if not hint and nested:
        hint = f"did you mean `{nested[0]}`?"
    hint = hint or (f"it has {few(names)}" if names else "it has no fields")
    return Problem(f"{where}.{word}", f"{type_.name} has no field `{word}`", hint)
