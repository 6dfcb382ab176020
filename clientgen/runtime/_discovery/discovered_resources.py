"""The results of discovery: resources, their subresources, and groups that could not be read."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from clientgen._gvk import GroupVersionKind, GroupVersionResource

from .._http.resource import Resource

ResourceName: TypeAlias = str | GroupVersionKind | GroupVersionResource | Resource
"""The name of a resource: a string as in kubectl, a kind, or a resource itself."""


class ApiSubresource(Struct, frozen=True):
    """A subresource, and the kind of its objects.

    Attributes:
        name: the name, such as `status` or `scale`.
        api_version: the `apiVersion` of the kind: `autoscaling/v1` for a scale.
        kind: the kind.
        verbs: the verbs that the server allows, such as `get`, `patch`, `update`.
    """

    name: str
    api_version: str
    kind: str
    verbs: tuple[str, ...] = ()


class ApiResource(Resource, frozen=True):
    """A resource, with all fields of the server's discovery documents.

    Attributes:
        singular: the singular name, such as `deployment`.
        verbs: the verbs that the server allows, such as `get` and `deletecollection`.
        short_names: the short names, such as `deploy`.
        categories: the categories to which the resource belongs, such as `all`.
        subresources: the subresources, such as `status` and `scale`.
    """

    singular: str = ""
    verbs: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[ApiSubresource, ...] = ()

    def subresource(self, name: str) -> ApiSubresource | None:
        """Return the subresource of this name; None if there is none."""
        for each in self.subresources:
            if each.name == name:
                return each
        return None

    def __str__(self) -> str:
        return f"{self.plural}.{self.version}.{self.group}" if self.group else self.plural


class DiscoveryFailure(Struct, frozen=True):
    """A group version whose resources are not known, because its API server is not available.

    Attributes:
        group: the group, such as `metrics.k8s.io`.
        version: the version, such as `v1beta1`; empty if no version of the group is known.
        message: the reason why the group version could not be read.
    """

    group: str
    version: str
    message: str

    def __str__(self) -> str:
        return f"{'/'.join(filter(None, (self.group, self.version)))}: {self.message}"


class Discovered(Struct, frozen=True):
    """The resources of a server.

    Attributes:
        resources: the core group first, then groups in the server's order; in each group, the
            preferred version first.
        failures: the group versions that could not be read.
    """

    resources: tuple[ApiResource, ...] = ()
    failures: tuple[DiscoveryFailure, ...] = ()

    def has_path(self, path: str) -> bool:
        """Return whether a URL path belongs to one of the resources."""
        return any(has_path(each, path) for each in self.resources)


def has_path(resource: Resource, path: str) -> bool:
    """Return whether a URL path belongs to a resource: a collection, an object or a subresource."""
    collection = resource.collection_path()
    if path == collection:
        return True
    if not resource.namespaced:
        return path.startswith(f"{collection}/")
    root = f"{collection.removesuffix(resource.plural)}namespaces/"
    _, _, rest = path.removeprefix(root).partition("/")
    return path.startswith(root) and f"{rest}/".startswith(f"{resource.plural}/")
