"""The meta/v1 types, which every Kubernetes API shares.

They live here, not in generated packages, so that packages generated from different specs work on
the same `ObjectMeta` and raise the same `Status`. Facts about the fields are those of
https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/. The scalars of meta/v1
(Time, MicroTime, FieldsV1, Patch) are plain Python types here, and a WatchEvent is what
`codec.decode_event` returns.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .model import NO_RAW, Literal, Model, Raw, Time, auto, constant, field
from .reprs import HIDDEN, LAST_APPLIED, model_items

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "APIGroup",
    "APIGroupList",
    "APIResource",
    "APIResourceList",
    "APIVersions",
    "Condition",
    "DeleteOptions",
    "FieldSelectorRequirement",
    "GroupVersionForDiscovery",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "ManagedFieldsEntry",
    "ModelList",
    "ObjectMeta",
    "OwnerReference",
    "PartialObjectMetadata",
    "PartialObjectMetadataList",
    "Preconditions",
    "ServerAddressByClientCIDR",
    "ShardInfo",
    "Status",
    "StatusCause",
    "StatusDetails",
]

T = TypeVar("T")


class ManagedFieldsEntry(Model):
    """The fields one manager owns, through one version and subresource of the API."""

    manager: str = ""
    """Who owns the fields, for example `kubectl` or a controller."""
    operation: Literal["Apply", "Update"] | str = ""
    """How they came to be owned."""
    api_version: str = field(default="", name="apiVersion")
    """The group and version the fields are named in."""
    time: Time | None = None
    """When the set of fields last changed."""
    fields_type: str = ""
    """The format of the fields; there is only `FieldsV1`."""
    fields_v1: Raw = field(default=NO_RAW, name="fieldsV1")
    """The fields as JSON, kept to the byte; `raw_value()` reads it."""
    subresource: str = ""
    """The subresource written to, empty for the object itself."""


class OwnerReference(Model):
    """The object that owns this one: when every owner is gone, this one is removed."""

    api_version: str = field(name="apiVersion")
    """The owner's group and version."""
    kind: str
    """The owner's kind."""
    name: str
    """The owner's name."""
    uid: str
    """The owner's uid, so that a namesake does not count."""
    controller: bool | None = None
    """Whether the owner is the controller of this object; at most one is."""
    block_owner_deletion: bool | None = None
    """Whether a foreground deletion of the owner waits for this object."""


class ObjectMeta(Model):
    """What every stored object carries: its name, labels and history."""

    name: str = ""
    """The name, unique among its kind within the namespace; it never changes."""
    generate_name: str = ""
    """A prefix: the server appends five random characters when `name` is empty."""
    namespace: str = ""
    """The namespace; empty for objects of the whole cluster."""
    self_link: str = ""
    """Not filled by servers any more."""
    uid: str = ""
    """Names this very object among all that ever had its name; set by the server."""
    resource_version: str = ""
    """Changes with every write: compare for equality, and send back to detect conflicts."""
    generation: int | None = None
    """Counts the changes of the desired state; set by the server."""
    creation_timestamp: Time | None = None
    """When the server created the object."""
    deletion_timestamp: Time | None = None
    """When the object is to be gone; set by the server once deletion was asked for."""
    deletion_grace_period_seconds: int | None = None
    """How long the object has to end by itself once deletion was asked for."""
    labels: dict[str, str] = field(default_factory=dict)
    """Short texts to select objects by."""
    annotations: dict[str, str] = field(default_factory=dict)
    """Texts for tools and people; nothing selects by them."""
    owner_references: list[OwnerReference] = field(default_factory=list)
    """The objects this one depends on."""
    finalizers: list[str] = field(default_factory=list)
    """Who still has to clean up before the object may go."""
    managed_fields: list[ManagedFieldsEntry] = field(default_factory=list)
    """Which manager owns which field; kept by the server for server-side apply."""

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Show what is set to rich, but not the manifest kubectl keeps in an annotation."""
        return [*model_items(_without_manifest(self))]


class ShardInfo(Model):
    """Which part of a collection a sharded list holds."""

    selector: str
    """The shard selector the list was asked for with."""


class ListMeta(Model):
    """What every list carries: its version, and how to read on."""

    self_link: str = ""
    """Not filled by servers any more."""
    resource_version: str = ""
    """The state the list shows: start a watch from it."""
    continue_: str = field(default="", name="continue")
    """Asks for the next page when there is one; dies within minutes."""
    remaining_item_count: int | None = None
    """How many objects follow this page, where the server knows."""
    shard_info: ShardInfo | None = None
    """Set when the list is one shard of the collection."""


class ModelList(Model, Generic[T]):
    """A list as the server sends it; iterate it for its items."""

    metadata: ListMeta = auto(ListMeta)
    """The version of the list, and how to read on."""
    items: list[T] = field(default_factory=lambda: [])  # noqa: PIE807 - `list` would not be sent
    """The objects; always sent, even when there are none."""

    def __iter__(self) -> Iterator[T]:
        """Iterate the items."""
        return iter(self.items)

    def __len__(self) -> int:
        """Count the items."""
        return len(self.items)


class LabelSelectorRequirement(Model):
    """One condition on a label."""

    key: str
    """The label."""
    operator: Literal["DoesNotExist", "Exists", "In", "NotIn"] | str
    """How the label's value relates to `values`."""
    values: list[str] = field(default_factory=list)
    """The values of `In` and `NotIn`; empty for the others."""


class LabelSelector(Model):
    """Selects objects by label; all conditions must hold, and an empty one selects everything."""

    match_labels: dict[str, str] = field(default_factory=dict)
    """Labels and the values they must have."""
    match_expressions: list[LabelSelectorRequirement] = field(default_factory=list)
    """Conditions that are more than equality."""


class FieldSelectorRequirement(Model):
    """One condition on a field."""

    key: str
    """The field."""
    operator: Literal["DoesNotExist", "Exists", "In", "NotIn"] | str
    """How the field's value relates to `values`."""
    values: list[str] = field(default_factory=list)
    """The values of `In` and `NotIn`; empty for the others."""


class Condition(Model):
    """One aspect of an object's state, as its controller last saw it."""

    type: str
    """The aspect, in CamelCase or `example.com/CamelCase`."""
    status: Literal["False", "True", "Unknown"] | str
    """Whether it holds."""
    observed_generation: int | None = None
    """The generation of the object the condition speaks of."""
    last_transition_time: Time
    """When the status last changed."""
    reason: str
    """Why, in one CamelCase word for programs."""
    message: str
    """Why, in words for people."""


class Preconditions(Model):
    """What must still be true for an object to be deleted; a conflict otherwise."""

    uid: str | None = None
    """The uid it must have."""
    resource_version: str | None = None
    """The resource version it must have."""


class DeleteOptions(Model):
    """The body of a delete call."""

    api_version: str = constant("v1", name="apiVersion")
    kind: Literal["DeleteOptions"] = constant("DeleteOptions")
    grace_period_seconds: int | None = None
    """How long the object may take to end; 0 is at once."""
    preconditions: Preconditions | None = None
    """What must still be true of the object."""
    orphan_dependents: bool | None = None
    """The older way to say what becomes of dependents; use `propagation_policy`."""
    propagation_policy: Literal["Background", "Foreground", "Orphan"] | str | None = None
    """What becomes of the objects this one owns."""
    dry_run: list[str] = field(default_factory=list)
    """`["All"]` checks everything and changes nothing."""
    ignore_store_read_error_with_cluster_breaking_potential: bool | None = None
    """Delete an object that can no longer be read from the store; breaks what relied on it."""


class StatusCause(Model):
    """One of the reasons of a failure."""

    reason: str | None = None
    """The cause in one CamelCase word for programs."""
    message: str | None = None
    """The cause in words for people."""
    field: str | None = None
    """The path of the field that caused it, such as `spec.ports[0].port`."""


class StatusDetails(Model):
    """What a failure was about."""

    name: str | None = None
    """The name of the object."""
    group: str | None = None
    """The group of the resource."""
    kind: str | None = None
    """The plural of the resource, or for some reasons its kind."""
    uid: str | None = None
    """The uid of the object."""
    causes: list[StatusCause] = field(default_factory=list)
    """Every single cause, where there are several."""
    retry_after_seconds: int | None = None
    """When to try again."""


class Status(Model):
    """What the server says of a call, above all of one that failed."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["Status"] = constant("Status")
    metadata: ListMeta = auto(ListMeta)
    """Holds a new `continue_` where an old one expired."""
    status: Literal["Failure", "Success"] | str | None = None
    """How the call ended."""
    message: str | None = None
    """What happened in words for people."""
    reason: str | None = None
    """Why it failed, in one CamelCase word for programs; may be empty."""
    details: StatusDetails | None = None
    """What the failure was about."""
    code: int | None = None
    """The HTTP status code."""


class PartialObjectMetadata(Model, forbid_unknown_fields=False):
    """An object of any kind, reduced to its metadata; the rest is dropped when reading.

    Watch bookmarks are such objects: for some kinds the server fills the rest with noise.
    """

    api_version: str = constant("meta.k8s.io/v1", name="apiVersion")
    kind: str = constant("PartialObjectMetadata")
    metadata: ObjectMeta = auto(ObjectMeta)
    """The object's metadata."""


class PartialObjectMetadataList(ModelList[PartialObjectMetadata]):
    """A list of objects of any kind, reduced to their metadata."""

    api_version: str = constant("meta.k8s.io/v1", name="apiVersion")
    kind: str = constant("PartialObjectMetadataList")


class GroupVersionForDiscovery(Model):
    """One version of a group."""

    group_version: str
    """Group and version, such as `apps/v1`."""
    version: str
    """The version alone."""


class ServerAddressByClientCIDR(Model):
    """The address a client of a certain network reaches the server by."""

    client_cidr: str = field(name="clientCIDR")
    """The client's network."""
    server_address: str
    """The server's address: a host name or IP, and perhaps a port."""


class APIGroup(Model):
    """A group and its versions, as the server offers them."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["APIGroup"] = constant("APIGroup")
    name: str
    """The group; empty for the core group."""
    versions: list[GroupVersionForDiscovery]
    """The versions, the preferred one first."""
    preferred_version: GroupVersionForDiscovery | None = None
    """The version the server prefers."""
    server_address_by_client_cidrs: list[ServerAddressByClientCIDR] = field(
        default_factory=list, name="serverAddressByClientCIDRs"
    )
    """Where clients of certain networks reach the group."""


class APIGroupList(Model):
    """The groups a server offers: the answer at `/apis`."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["APIGroupList"] = constant("APIGroupList")
    groups: list[APIGroup]
    """The groups."""


class APIResource(Model):
    """A resource or subresource, and what can be done with it."""

    name: str
    """The plural, with a slash and the subresource where it is one."""
    singular_name: str
    """The singular; often empty."""
    namespaced: bool
    """Whether its objects live in namespaces."""
    group: str | None = None
    """The group of its kind, where it is not the group of the list."""
    version: str | None = None
    """The version of its kind, where it is not the version of the list."""
    kind: str
    """The kind of its objects."""
    verbs: list[str]
    """What can be done with it."""
    short_names: list[str] = field(default_factory=list)
    """Shorter names for people to type."""
    categories: list[str] = field(default_factory=list)
    """The sets of resources it belongs to, such as `all`."""
    storage_version_hash: str | None = None
    """Changes when the version objects are stored in does."""


class APIResourceList(Model):
    """The resources of a group and version: the answer at `/apis/<group>/<version>`."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["APIResourceList"] = constant("APIResourceList")
    group_version: str
    """The group and version, such as `apps/v1`."""
    resources: list[APIResource]
    """The resources."""


class APIVersions(Model):
    """The versions of the core group: the answer at `/api`."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["APIVersions"] = constant("APIVersions")
    versions: list[str]
    """The versions."""
    server_address_by_client_cidrs: list[ServerAddressByClientCIDR] = field(
        name="serverAddressByClientCIDRs"
    )
    """Where clients of certain networks reach the server."""


def _without_manifest(meta: ObjectMeta) -> ObjectMeta:
    """Return `meta`, or a copy whose annotation of kubectl's is hidden."""
    # A server may send anything, and what it sent is kept: the annotations need not be a map.
    annotations = cast("object", meta.annotations)
    if not isinstance(annotations, dict) or LAST_APPLIED not in annotations:
        return meta
    shown = copy(meta)
    shown.annotations = {**meta.annotations, LAST_APPLIED: HIDDEN}
    return shown
