"""Group versions, kinds and resources.

Kubernetes names a type by group, version and kind, and an endpoint by group, version and resource
(https://kubernetes.io/docs/reference/using-api/api-concepts/#standard-api-terminology).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class GroupVersion:
    """A group and one of its versions; the core group is the empty string."""

    group: str
    version: str

    @classmethod
    def parse(cls, api_version: str) -> GroupVersion:
        """Read an `apiVersion` such as `apps/v1` or, for the core group, `v1`."""
        group, _, version = api_version.rpartition("/")
        return cls(group, version)

    @property
    def api_version(self) -> str:
        """The `apiVersion` of manifests."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def with_kind(self, kind: str) -> GroupVersionKind:
        """Return a kind of this group version (client-go: GroupVersion.WithKind)."""
        return GroupVersionKind(self.group, self.version, kind)

    def __str__(self) -> str:
        return self.api_version


@dataclass(frozen=True, slots=True, order=True)
class GroupVersionKind:
    """Names a type."""

    group: str
    version: str
    kind: str

    @property
    def group_version(self) -> GroupVersion:
        """The group version that serves the type."""
        return GroupVersion(self.group, self.version)

    @property
    def definition_name(self) -> str:
        """The name of a custom resource in OpenAPI documents: `com.example.v1.Widget`.

        The labels of the group are reversed; the version and the kind follow.
        """
        return ".".join([*reversed(self.group.split(".")), self.version, self.kind])

    def __str__(self) -> str:
        return f"{self.group_version}/{self.kind}"


@dataclass(frozen=True, slots=True, order=True)
class GroupVersionResource:
    """Names an endpoint: `resource` is the plural in the URL."""

    group: str
    version: str
    resource: str

    @property
    def group_version(self) -> GroupVersion:
        """The group version that serves the endpoint."""
        return GroupVersion(self.group, self.version)

    def __str__(self) -> str:
        return f"{self.group_version}/{self.resource}"
