"""Which groups, versions and resources there are, in the legacy and the aggregated form.

Built-in and custom resources differ in small things: the order of verbs, whether `responseKind` is
spelled out, and whether methods other than GET are refused.

Facts: docs/internals/kubernetes-semantics.md, 1.8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ..discovery_facts import GROUPS, storage_version_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..served_resources import Resource, Subresource

AGGREGATED: Final = {
    "g": "apidiscovery.k8s.io",
    "v": "v2",
    "as": "APIGroupDiscoveryList",
}
"""The parameters of the media type that asks for everything at once."""

_CUSTOM_VERBS: Final = (
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "create",
    "update",
    "watch",
)
_WRITING_VERBS: Final = ("create", "patch", "update")
_PRIORITIES: Final = {"": 0, "beta": 1, "alpha": 2}
_KUBERNETES_VERSION: Final = re.compile(r"v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?")


@dataclass(frozen=True, slots=True)
class Served:
    """A resource, and the group and version in which its objects are stored.

    Attributes:
        is_ending: whether its definition goes, so that its objects are no longer written.
    """

    resource: Resource
    stored: tuple[str, str]
    is_custom: bool = False
    is_ending: bool = False

    @property
    def verbs(self) -> list[str]:
        """In the order in which discovery lists them."""
        if self.is_custom:
            without = _WRITING_VERBS if self.is_ending else ()
            return [verb for verb in _CUSTOM_VERBS if verb not in without]
        return sorted(self.resource.verbs)

    def names(self) -> dict[str, Any]:
        """Return the fields that both forms share."""
        names: dict[str, Any] = {"verbs": self.verbs}
        if self.resource.short_names:
            names["shortNames"] = list(self.resource.short_names)
        if self.resource.categories:
            names["categories"] = list(self.resource.categories)
        return names


@dataclass
class Discovery:
    """The discovery documents of one moment: what is served does not change here.

    Attributes:
        served: the resources.
        broken: group versions whose API server, behind an APIService, cannot be reached.
    """

    served: Iterable[Served]
    broken: frozenset[tuple[str, str]] = frozenset()
    _groups: dict[str, dict[str, list[Served]]] = field(init=False)

    def __post_init__(self) -> None:
        found: dict[str, dict[str, list[Served]]] = {}
        for each in sorted(self.served, key=lambda each: each.resource.plural):
            versions = found.setdefault(each.resource.group, {})
            versions.setdefault(each.resource.version, []).append(each)
        for group, version in self.broken:
            found.setdefault(group, {})[version] = []
        self._groups = {
            group: dict(sorted(found[group].items(), key=lambda item: version_rank(item[0])))
            for group in sorted(found, key=lambda group: (GROUPS.get(group, len(GROUPS)), group))
        }

    def has(self, group: str, version: str) -> bool:
        """Return whether anything is served in a version of a group."""
        return version in self._groups.get(group, {})

    def is_custom(self, group: str, version: str) -> bool:
        """Return whether all that is served there are custom resources."""
        return all(each.is_custom for each in self._groups[group][version])

    @cached_property
    def paths(self) -> list[str]:
        """The paths of groups and versions."""
        core = self._groups.get("", {})
        paths = ["/api", *(f"/api/{version}" for version in core), "/apis", "/apis/"]
        for group, versions in self._named:
            paths.append(f"/apis/{group}")
            paths.extend(f"/apis/{group}/{version}" for version in versions)
        return sorted(paths)

    @property
    def _named(self) -> Iterator[tuple[str, dict[str, list[Served]]]]:
        return ((group, versions) for group, versions in self._groups.items() if group)

    # ------------------------------------------------------------------------------ legacy

    def core_versions(self, address: str) -> dict[str, Any]:
        """The answer of `/api`; `address` is where the client found the server."""
        return {
            "kind": "APIVersions",
            "versions": list(self._groups.get("", {})),
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
        }

    def groups(self) -> dict[str, Any]:
        """The answer of `/apis`."""
        groups = [_group(group, versions) for group, versions in self._named]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}

    def group(self, name: str) -> dict[str, Any] | None:
        """The answer of `/apis/{group}`, None for an unknown group."""
        versions = self._groups.get(name) if name else None
        if versions is None:
            return None
        return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)}

    def resources(self, group: str, version: str) -> dict[str, Any]:
        """The answer of `/api/{version}` and `/apis/{group}/{version}`."""
        listed = [
            entry
            for each in self._groups[group][version]
            for entry in (_resource(each), *_subresources(each))
        ]
        # The core group's list is the only one without apiVersion.
        head = {"kind": "APIResourceList"} | ({"apiVersion": "v1"} if group else {})
        name = f"{group}/{version}" if group else version
        return {**head, "groupVersion": name, "resources": listed}

    # -------------------------------------------------------------------------- aggregated

    def aggregated(self, *, core: bool) -> dict[str, Any]:
        """All groups with all their resources; of `/api` the core group alone."""
        groups = [("", self._groups.get("", {}))] if core else list(self._named)
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": "apidiscovery.k8s.io/v2",
            "metadata": {},
            "items": [self._discovered_group(group, versions) for group, versions in groups],
        }

    def _discovered_group(self, group: str, versions: Mapping[str, list[Served]]) -> dict[str, Any]:
        listed = [
            self._discovered_version(group, version, served) for version, served in versions.items()
        ]
        return {"metadata": {"name": group} if group else {}, "versions": listed}

    def _discovered_version(self, group: str, version: str, served: list[Served]) -> dict[str, Any]:
        if (group, version) in self.broken:
            return {"version": version, "freshness": "Stale"}
        resources = [_discovered(each) for each in served]
        return {"version": version, "resources": resources, "freshness": "Current"}


def version_rank(version: str) -> tuple[int, int, int, str]:
    """Stable versions before betas before alphas, newer ones first; then all others by name."""
    parts = _KUBERNETES_VERSION.fullmatch(version)
    if parts is None:
        return len(_PRIORITIES), 0, 0, version
    major, stage, number = parts.groups(default="")
    return _PRIORITIES[stage], -int(major), -int(number or 0), ""


def _group(name: str, versions: Iterable[str]) -> dict[str, Any]:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _resource(each: Served) -> dict[str, Any]:
    resource = each.resource
    entry: dict[str, Any] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        **each.names(),
    }
    # Resources that can be read and created are stored; reviews and bindings are not.
    if {"get", "create"} <= resource.verbs:
        entry["storageVersionHash"] = storage_version_hash(*each.stored, resource.kind)
    return entry


def _subresources(each: Served) -> Iterator[dict[str, Any]]:
    own = each.resource
    for subresource in _ordered(each):
        kind = subresource.kind
        foreign = {"group": kind.group, "version": kind.version}
        yield {
            "name": f"{own.plural}/{subresource.name}",
            "singularName": "",
            "namespaced": own.namespaced,
            **(foreign if (kind.group, kind.version) != (own.group, own.version) else {}),
            "kind": kind.kind,
            "verbs": list(subresource.verbs),
        }


def _ordered(each: Served) -> list[Subresource]:
    """Sort subresources: built-in ones by name; of custom resources the status, then the scale."""
    found: Mapping[str, Subresource] = each.resource.subresources
    return [found[name] for name in sorted(found, reverse=each.is_custom)]


def _discovered(each: Served) -> dict[str, Any]:
    resource = each.resource
    own = (resource.group, resource.version)
    entry: dict[str, Any] = {
        "resource": resource.plural,
        "responseKind": _response_kind(each, *own, resource.kind),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        **each.names(),
    }
    subresources = [
        {
            "subresource": part.name,
            "responseKind": _response_kind(
                each, part.kind.group, part.kind.version, part.kind.kind
            ),
            "verbs": list(part.verbs),
        }
        for part in _ordered(each)
    ]
    return entry | ({"subresources": subresources} if subresources else {})


def _response_kind(each: Served, group: str, version: str, kind: str) -> dict[str, str]:
    """Empty group and version mean those of the resource; custom resources spell them out."""
    own = (each.resource.group, each.resource.version)
    if (group, version) == own and not each.is_custom:
        return {"group": "", "version": "", "kind": kind}
    return {"group": group, "version": version, "kind": kind}
