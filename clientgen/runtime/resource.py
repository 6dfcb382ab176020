"""Which endpoint of the API: a resource, and the URL paths below it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from clientgen.gvk import GroupVersionKind, GroupVersionResource

__all__ = ["Resource"]

# What every ordinary name consists of; anything else takes the slow way.
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:_-]*").fullmatch


class Resource(Struct, frozen=True):
    """A kind of object and where the API serves it.

    `plural` is the name in the URL. `path` builds URL paths by the rules of
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
        """The type's name."""
        from clientgen.gvk import GroupVersionKind  # start-up does not need it

        return GroupVersionKind(self.group, self.version, self.kind)

    @property
    def gvr(self) -> GroupVersionResource:
        """The endpoint's name."""
        from clientgen.gvk import GroupVersionResource  # start-up does not need it

        return GroupVersionResource(self.group, self.version, self.plural)

    @property
    def name(self) -> str:
        """The resource with its group, as in `deployments.apps`; the core group has no suffix."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(
        self, namespace: str | None = None, name: str | None = None, subresource: str = ""
    ) -> str:
        """The URL path of the collection, of one object, or of a subresource.

        Without a namespace a namespaced collection is that of all namespaces.

        Raises:
            ValueError: a segment is empty, `.`, `..` or holds `/` or `%`, as client-go refuses
                them; or a namespace is missing or out of place.
        """
        group = f"/apis/{self.group}" if self.group else "/api"
        path = f"{group}/{self.version}"
        if namespace is not None:
            path = f"{path}/namespaces/{self._namespace(namespace)}"
        path = f"{path}/{self.plural}"
        if name is None:
            return path
        if namespace is None and self.namespaced:
            raise ValueError(f"{self.plural} live in namespaces: one {self.kind} needs a namespace")
        path = f"{path}/{_segment('name', name)}"
        return f"{path}/{_segment('subresource', subresource)}" if subresource else path

    def _namespace(self, namespace: str) -> str:
        if not self.namespaced:
            raise ValueError(f"{self.plural} do not live in namespaces")
        if not namespace:
            raise ValueError("the namespace is empty; leave it out to mean all namespaces")
        return _segment("namespace", namespace)


def _segment(what: str, value: str) -> str:
    if _PLAIN(value):
        return value
    if not value:
        raise ValueError(f"the {what} is empty")
    if value in {".", ".."} or "/" in value or "%" in value:
        raise ValueError(
            f"{value!r} cannot be a {what}: it may not be '.' or '..' or hold '/' or '%'"
        )
    from urllib.parse import quote  # hardly ever needed

    return quote(value, safe="")
