# Derived from _async/set_kinds.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Finds the resources of kinds: in a scheme, in the manifests themselves, or by discovery."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clientgen._gvk import GroupVersionKind

from .._http.resource import Resource
from .._manifests.apply_plan import defined_resources
from .._manifests.manifest_documents import ManifestError
from ..errors import DiscoveryFailed, NoResourceMatch
from .discovery import discovery_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._manifests.scheme import Scheme
    from .._manifests.set_objects import SetObject
    from .rest import Rest

_BUILTIN_PARENTS: Final = (
    Resource("", "v1", "secrets", "Secret"),
    Resource("", "v1", "configmaps", "ConfigMap"),
)


def _is_same_resource(one: Resource, other: Resource) -> bool:
    return (one.plural, one.namespaced) == (other.plural, other.namespaced)


def _describe(resource: Resource) -> str:
    return f"{'namespaced' if resource.namespaced else 'cluster-scoped'} {resource.plural}"


class KindFinder:
    """Finds the resources of the kinds of one set.

    A kind whose CustomResourceDefinition is in the set need not exist on the server.
    """

    def __init__(self, rest: Rest, scheme: Scheme, objects: Sequence[SetObject]) -> None:
        self._discovery = discovery_of(rest)
        self._scheme = scheme
        self._objects = objects
        self._is_discovery_fresh = False

    def of_objects(
        self, deadline: float | None
    ) -> tuple[dict[GroupVersionKind, Resource], dict[GroupVersionKind, Exception]]:
        """Find the resources of all objects, and the errors of kinds without a resource.

        Raises:
            ManifestError: a definition among the objects contradicts the scheme or the server.
            ApiError, TransportError: discovery failed.
        """
        self._is_discovery_fresh = False
        defined = defined_resources(self._objects)
        resources: dict[GroupVersionKind, Resource] = {}
        unknown: dict[GroupVersionKind, Exception] = {}
        for gvk in {each.gvk: None for each in self._objects}:
            if gvk in defined:
                resources[gvk] = self._check_definition(gvk, defined[gvk], deadline)
                continue
            try:
                resources[gvk] = self._registered(gvk) or self._find(gvk, deadline)
            except (NoResourceMatch, ValueError) as error:
                unknown[gvk] = error
        return resources, unknown

    def _check_definition(
        self, gvk: GroupVersionKind, defined: Resource, deadline: float | None
    ) -> Resource:
        """Check the definition of a kind against the scheme and the server.

        Without this check, a manifest could redirect the requests for other objects.
        """
        known = self._registered(gvk)
        if known is None:
            known = self._discovered(gvk, deadline)
            if known is not None and not _is_same_resource(known, defined):
                self._discovery.invalidate()  # the kind may have been deleted meanwhile
                known = self._discovered(gvk, deadline)
        if known is None:
            return defined
        if not _is_same_resource(known, defined):
            where = next(each.where for each in self._objects if each.gvk == gvk)
            raise ManifestError(
                f"{where}: the CustomResourceDefinition of {defined.kind} in the manifests defines"
                f" {_describe(defined)}, but they are known as {_describe(known)}"
            )
        return known

    def _discovered(self, gvk: GroupVersionKind, deadline: float | None) -> Resource | None:
        try:
            return self._discovery.find(gvk, deadline)
        except (NoResourceMatch, ValueError):
            return None

    def _registered(self, gvk: GroupVersionKind) -> Resource | None:
        try:
            return self._scheme.resource(gvk)
        except LookupError:
            return None

    def of_group_kind(
        self, kind: str, known: Iterable[Resource], deadline: float | None
    ) -> Resource | None:
        """Find the resource of a kind and its group, such as `Deployment.apps`.

        Returns:
            None if the server does not have the kind.

        Raises:
            DiscoveryFailed: the group is unavailable.
            ApiError, TransportError: discovery failed.
        """
        name, _, group = kind.partition(".")
        for resource in (*known, *_BUILTIN_PARENTS):
            if (resource.kind, resource.group) == (name, group):
                return resource
        try:
            return self._find(GroupVersionKind(group, "", name), deadline)
        except DiscoveryFailed:
            raise
        except (NoResourceMatch, ValueError):
            return None

    def _find(self, gvk: GroupVersionKind, deadline: float | None) -> Resource:
        """Find a kind. A missing kind is looked up again without the cache of discovery."""
        try:
            return self._discovery.find(gvk, deadline)
        except NoResourceMatch:
            if self._is_discovery_fresh:
                raise
            self._is_discovery_fresh = True
            self._discovery.invalidate()
        return self._discovery.find(gvk, deadline)

    def changed_resource(self, resource: Resource, deadline: float | None) -> Resource | None:
        """Find the resource of a kind again, after a 404 for one of its objects.

        The cached discovery may be minutes old.

        Returns:
            The resource, if its plural or scope has changed; None if it is unchanged, or if the
            scheme knows it.

        Raises:
            NoResourceMatch: the server does not have the kind any more.
            DiscoveryFailed: the group is unavailable.
            ApiError, TransportError: discovery failed.
        """
        if self._registered(resource.gvk) is not None:
            return None
        if not self._is_discovery_fresh:
            self._is_discovery_fresh = True
            self._discovery.invalidate()
        found = self._discovery.find(resource.gvk, deadline)
        return None if _is_same_resource(found, resource) else found

    def forget(self) -> None:
        """Forget the cached discovery, because the server has new kinds."""
        self._discovery.invalidate()
