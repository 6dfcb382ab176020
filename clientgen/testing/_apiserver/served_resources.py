"""Resources: one for each plural of each group version that is served."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clientgen._gvk import GroupVersionKind
from clientgen._openapi.resolved import UNKNOWN, ResolvedSchema

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Subresource:
    """A part of an object with a path of its own, such as `status` or `scale`.

    `kind` is that of the body (Scale, Eviction, TokenRequest, or the object's own); `verbs` are
    discovery's (get, patch, update, create).
    """

    name: str
    kind: GroupVersionKind
    verbs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resource:
    """One plural of one group version.

    Attributes:
        verbs: discovery's: create, delete, deletecollection, get, list, patch, update, watch.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    verbs: frozenset[str]
    singular: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: Mapping[str, Subresource] = field(default_factory=dict[str, Subresource])
    schema: ResolvedSchema = UNKNOWN
    list_kind: str = ""

    @property
    def api_version(self) -> str:
        """`v1`, `apps/v1`: what stands in objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_resource(self) -> str:
        """`pods`, `deployments.apps`: what error messages say, and the name of the storage."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def gvk(self) -> GroupVersionKind:
        """Group, version and kind."""
        return GroupVersionKind(self.group, self.version, self.kind)

    @property
    def has_status(self) -> bool:
        """Whether the status is written apart from the rest."""
        return "status" in self.subresources
