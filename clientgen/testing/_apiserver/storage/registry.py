"""The resources that are served now: those of the spec, and custom resources."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from clientgen._gvk import GroupVersionKind

from ..kinds.catalog import strategy_of
from ..kinds.custom_strategy import CustomStrategy
from ..served_resources import Resource, Subresource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clientgen._apiextensions import CustomVersion, Definition
    from clientgen._openapi.resolved import ResolvedSchema

    from ..kinds.strategy import Strategy
    from ..served_spec import Spec
    from .conversions import Conversions

_VERBS: Final = frozenset(
    ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
)
_PART_VERBS: Final = ("get", "patch", "update")
_SCALE: Final = GroupVersionKind("autoscaling", "v1", "Scale")


class Registry:
    """Finds resources by group, version and plural.

    Attributes:
        revision: grows whenever what is served changes.
        conversions: has webhooks convert objects of definitions.
        asks_webhooks: whether a webhook converts objects of a definition.
    """

    def __init__(self, spec: Spec, conversions: Conversions) -> None:
        self.spec = spec
        self.conversions = conversions
        self.revision = 0
        self.asks_webhooks = False
        self._built_in = {(each.group, each.version, each.plural): each for each in spec.resources}
        self._built_in_groups = {each.group for each in spec.resources}
        self._built_in_kinds = _by_kind(spec.resources)
        self._strategies: dict[tuple[str, str, str, str], Strategy] = {}
        self._custom: dict[str, tuple[Definition, tuple[Resource, ...]]] = {}
        self._shapes: dict[str, str] = {}
        self._found: dict[tuple[str, str, str], Resource] = dict(self._built_in)
        self._kinds: dict[tuple[str, str], dict[str, Resource]] = dict(self._built_in_kinds)
        self._group_versions: dict[str, set[str]] = {}
        self._refresh()

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """The resource of that name, None when it is not served."""
        return self._found.get((group, version, plural))

    def strategy_of(self, resource: Resource) -> Strategy:
        """Return the strategy of a resource, or of the kind of a subresource's body."""
        try:  # every request asks for it, more than once
            return self._strategies[
                resource.group, resource.version, resource.plural, resource.kind
            ]
        except KeyError:
            strategy = self._strategies[_key(resource)] = strategy_of(resource)
            return strategy

    def storage_of(self, resource: Resource) -> str:
        """Return the name of the collection that holds a resource in all its versions."""
        return self.strategy_of(resource).collection

    def of_kind(self, group: str, version: str, kind: str) -> Resource | None:
        """The resource whose objects are of that kind, None when it is not served."""
        return self._kinds.get((group, kind), {}).get(version)

    def any_version(self, group: str, plural: str) -> Resource | None:
        """The resource in its first version, None when it is not served."""
        for resource in self._found.values():
            if resource.group == group and resource.plural == plural:
                return resource
        return None

    def versions_of(self, group: str) -> set[str]:
        """The versions a group is served in; empty for an unknown group."""
        return self._group_versions.get(group, set())

    def is_custom(self, group: str) -> bool:
        """Return whether all that is served in a group is from definitions."""
        return group not in self._built_in_groups

    def resources(self) -> Iterator[Resource]:
        """All resources, those of the spec first."""
        return iter(self._found.values())

    def custom_strategies(self) -> Iterator[CustomStrategy]:
        """Yield the strategies of the resources that definitions made."""
        for resource in self.custom_resources():
            strategy = self.strategy_of(resource)
            assert isinstance(strategy, CustomStrategy)
            yield strategy

    def custom_resources(self) -> Iterator[Resource]:
        """The resources that definitions made."""
        for _, resources in self._custom.values():
            yield from resources

    def namespaced(self) -> Iterator[Resource]:
        """One resource for each collection of namespaced objects."""
        seen: set[str] = set()
        for resource in self._found.values():
            storage = self.storage_of(resource)
            if resource.namespaced and "delete" in resource.verbs and storage not in seen:
                seen.add(storage)
                yield resource

    def schema_of(self, resource: Resource, api_version: str) -> ResolvedSchema | None:
        """The schema of a resource's kind in one of its versions, None when it has no such."""
        group, _, version = api_version.rpartition("/")
        defined = self._custom.get(resource.group_resource)
        if defined is not None:
            versions = defined[0].versions if group == resource.group else ()
            return next((each.schema for each in versions if each.name == version), None)
        served = self.of_kind(group, version, resource.kind)
        return served.schema if served else None

    # ------------------------------------------------------------------ custom resources

    def define(self, definition: Definition) -> None:
        """Serve what a CustomResourceDefinition defines, in place of what it defined before."""
        name = f"{definition.names['plural']}.{definition.group}"
        resources = tuple(_resources(definition))
        if self._forget(name):
            self._custom[name] = (definition, resources)
            self._refresh()
        else:
            self._custom[name] = (definition, resources)
            self.revision += 1
            self.asks_webhooks = self.asks_webhooks or definition.conversion == "Webhook"
            self._add(resources)
        self._shapes[name] = str(self.revision)
        self._set_strategies(name)

    def mark_ending(self, name: str, *, ending: bool) -> None:
        """Note whether the instances of a definition are being removed."""
        defined = self._custom.get(name)
        if defined is not None and defined[0].is_ending != ending:
            self._custom[name] = (replace(defined[0], is_ending=ending), defined[1])
            self._set_strategies(name)
            self.revision += 1

    def undefine(self, name: str) -> None:
        """Stop serving a definition."""
        if self._forget(name):
            self._refresh()

    def _forget(self, name: str) -> bool:
        defined = self._custom.pop(name, None)
        for resource in defined[1] if defined else ():
            self._strategies.pop(_key(resource), None)
        return defined is not None

    def _set_strategies(self, name: str) -> None:
        definition, resources = self._custom[name]
        versions = {version.name: version for version in definition.versions}
        for resource in resources:
            version, shape = versions[resource.version], self._shapes[name]
            strategy = CustomStrategy(resource, version, definition, shape, self.conversions)
            self._strategies[_key(resource)] = strategy

    def is_defined(self, name: str) -> bool:
        """Return whether the definition of that name is served."""
        return name in self._custom

    def _refresh(self) -> None:
        self.revision += 1
        self.asks_webhooks = any(
            definition.conversion == "Webhook" for definition, _ in self._custom.values()
        )
        self._found = dict(self._built_in)
        self._kinds = {key: dict(value) for key, value in self._built_in_kinds.items()}
        self._group_versions = {}
        for group, version, _ in self._built_in:
            self._group_versions.setdefault(group, set()).add(version)
        self._add(self.custom_resources())

    def _add(self, resources: Iterable[Resource]) -> None:
        for resource in resources:
            self._found[resource.group, resource.version, resource.plural] = resource
            by_version = self._kinds.setdefault((resource.group, resource.kind), {})
            by_version[resource.version] = resource
            self._group_versions.setdefault(resource.group, set()).add(resource.version)


def _key(resource: Resource) -> tuple[str, str, str, str]:
    return (resource.group, resource.version, resource.plural, resource.kind)


def _by_kind(resources: Iterable[Resource]) -> dict[tuple[str, str], dict[str, Resource]]:
    by_kind: dict[tuple[str, str], dict[str, Resource]] = {}
    for resource in resources:
        by_kind.setdefault((resource.group, resource.kind), {}).setdefault(
            resource.version, resource
        )
    return by_kind


def _resources(definition: Definition) -> Iterator[Resource]:
    names: dict[str, Any] = definition.names
    template = Resource(
        group=definition.group,
        version="",
        plural=names["plural"],
        kind=names["kind"],
        namespaced=definition.scope == "Namespaced",
        verbs=_VERBS,
        singular=names.get("singular") or names["kind"].lower(),
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        list_kind=names.get("listKind") or f"{names['kind']}List",
    )
    for version in definition.versions:
        if version.served:
            yield _resource(template, version)


def _resource(template: Resource, version: CustomVersion) -> Resource:
    resource = replace(template, version=version.name, schema=version.schema)
    parts: dict[str, Subresource] = {}
    if version.has_status:
        parts["status"] = Subresource("status", resource.gvk, _PART_VERBS)
    if version.scale is not None:
        parts["scale"] = Subresource("scale", _SCALE, _PART_VERBS)
    return replace(resource, subresources=parts)
