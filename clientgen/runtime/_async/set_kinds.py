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
    from .rest import AsyncRest

__all__ = ["AsyncKindFinder"]

_PARENTS: Final = (
    Resource("", "v1", "secrets", "Secret"),
    Resource("", "v1", "configmaps", "ConfigMap"),
)


def _agree(one: Resource, other: Resource) -> bool:
    return (one.plural, one.namespaced) == (other.plural, other.namespaced)


def _described(resource: Resource) -> str:
    return f"{'namespaced' if resource.namespaced else 'cluster-scoped'} {resource.plural}"


class AsyncKindFinder:
    """The resources of the kinds of one set.

    A kind whose CustomResourceDefinition is in the set needs no server that has it.
    """

    def __init__(self, rest: AsyncRest, scheme: Scheme, objects: Sequence[SetObject]) -> None:
        self._discovery = discovery_of(rest)
        self._scheme = scheme
        self._objects = objects
        self._is_certain = False

    async def of_objects(
        self, deadline: float | None
    ) -> tuple[dict[GroupVersionKind, Resource], dict[GroupVersionKind, Exception]]:
        """Find the resources of all objects; and for other kinds, why there is none.

        Raises:
            ManifestError: a definition among the objects contradicts what is known of its kind.
            ApiError, TransportError: the server did not say which kinds it has.
        """
        self._is_certain = False
        defined = defined_resources(self._objects)
        resources: dict[GroupVersionKind, Resource] = {}
        unknown: dict[GroupVersionKind, Exception] = {}
        for gvk in {each.gvk: None for each in self._objects}:
            if gvk in defined:
                resources[gvk] = await self._agreed(gvk, defined[gvk], deadline)
                continue
            try:
                resources[gvk] = self._registered(gvk) or await self._find(gvk, deadline)
            except (NoResourceMatch, ValueError) as error:
                unknown[gvk] = error
        return resources, unknown

    async def _agreed(
        self, gvk: GroupVersionKind, defined: Resource, deadline: float | None
    ) -> Resource:
        """Check the definition of a kind against the scheme and the server.

        Otherwise a manifest could redirect the requests for other objects.
        """
        known = self._registered(gvk)
        if known is None:
            known = await self._discovered(gvk, deadline)
            if known is not None and not _agree(known, defined):
                self._discovery.invalidate()  # the kind may have been deleted in the meantime
                known = await self._discovered(gvk, deadline)
        if known is None:
            return defined
        if not _agree(known, defined):
            where = next(each.where for each in self._objects if each.gvk == gvk)
            raise ManifestError(
                f"{where}: the CustomResourceDefinition of {defined.kind} in the manifests defines"
                f" {_described(defined)}, but they are known as {_described(known)}"
            )
        return known

    async def _discovered(self, gvk: GroupVersionKind, deadline: float | None) -> Resource | None:
        try:
            return await self._discovery.find(gvk, deadline)
        except (NoResourceMatch, ValueError):
            return None

    def _registered(self, gvk: GroupVersionKind) -> Resource | None:
        try:
            return self._scheme.resource(gvk)
        except LookupError:
            return None

    async def of_group_kind(
        self, kind: str, known: Iterable[Resource], deadline: float | None
    ) -> Resource | None:
        """Find the resource of a kind and its group, such as `Deployment.apps`.

        Returns:
            None if the server has no such kind, so that it has no such objects either.

        Raises:
            DiscoveryFailed: nobody knows whether the server has it.
            ApiError, TransportError: the server did not say which kinds it has.
        """
        name, _, group = kind.partition(".")
        for resource in (*known, *_PARENTS):
            if (resource.kind, resource.group) == (name, group):
                return resource
        try:
            return await self._find(GroupVersionKind(group, "", name), deadline)
        except DiscoveryFailed:
            raise
        except (NoResourceMatch, ValueError):
            return None

    async def _find(self, gvk: GroupVersionKind, deadline: float | None) -> Resource:
        """Find a kind. That it is not there must be true now, so the server is asked once more."""
        try:
            return await self._discovery.find(gvk, deadline)
        except NoResourceMatch:
            if self._is_certain:
                raise
            self._is_certain = True
            self._discovery.invalidate()
        return await self._discovery.find(gvk, deadline)

    async def moved(self, resource: Resource, deadline: float | None) -> Resource | None:
        """Ask the server once more where the objects of a kind are, after a 404 for one of them.

        What is known of kinds may be minutes old, also that of other programs.

        Returns:
            The resource, if it has another plural or scope now; None if it is the same, or if the
            scheme says which it is.

        Raises:
            NoResourceMatch: the server does not have the kind any more.
            DiscoveryFailed: nobody knows whether the server has it.
            ApiError, TransportError: the server did not say which kinds it has.
        """
        if self._registered(resource.gvk) is not None:
            return None
        if not self._is_certain:
            self._is_certain = True
            self._discovery.invalidate()
        found = await self._discovery.find(resource.gvk, deadline)
        return None if _agree(found, resource) else found

    def forget(self) -> None:
        """Ask the server again from now on: it got new kinds."""
        self._discovery.invalidate()
