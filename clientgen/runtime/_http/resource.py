"""`Resource`: a kind of object and its URL paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from .path_segments import segment

if TYPE_CHECKING:
    from clientgen._gvk import GroupVersionKind, GroupVersionResource


class Resource(Struct, frozen=True):
    """A kind of object and the endpoint that serves it.

    `plural` is the name in the URL. Collections and objects have separate paths; see
    https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """The `apiVersion` of the kind: `apps/v1`, or `v1` for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def gvk(self) -> GroupVersionKind:
        """Group, version and kind."""
        from clientgen._gvk import GroupVersionKind  # imported late: rarely needed

        return GroupVersionKind(self.group, self.version, self.kind)

    @property
    def gvr(self) -> GroupVersionResource:
        """Group, version and resource."""
        from clientgen._gvk import GroupVersionResource  # imported late: rarely needed

        return GroupVersionResource(self.group, self.version, self.plural)

    @property
    def name(self) -> str:
        """The plural qualified by its group, such as `deployments.apps`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def collection_path(self, namespace: str | None = None) -> str:
        """Return the URL path of the collection: in a namespace, or across all namespaces.

        Raises:
            ValueError: the namespace is not a valid name (see `path_segments`), or the resource is
                not namespaced.
        """
        root = f"/apis/{self.group}" if self.group else "/api"
        if namespace is None:
            return f"{root}/{self.version}/{self.plural}"
        if not self.namespaced:
            raise ValueError(f"{self.plural} are cluster-scoped, so no namespace can be given")
        return f"{root}/{self.version}/namespaces/{segment('namespace', namespace)}/{self.plural}"

    def object_path(self, namespace: str | None, name: str, subresource: str = "") -> str:
        """Return the URL path of one object, or of its subresource.

        Raises:
            ValueError: the name, the namespace or the subresource is not valid (see
                `path_segments.segment`), or the namespace is missing or not allowed.
        """
        if namespace is None and self.namespaced:
            raise ValueError(f"{self.plural} are namespaced: one {self.kind} needs a namespace")
        path = f"{self.collection_path(namespace)}/{segment('name', name)}"
        return f"{path}/{segment('subresource', subresource)}" if subresource else path
