"""The meta/v1 types, which all Kubernetes APIs share.

They live here and not in generated packages, so that packages generated from different specs use
the same `ObjectMeta` and raise the same `Status`. The field descriptions follow
https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/. The scalars of meta/v1
(Time, MicroTime, FieldsV1, Patch) are plain Python types here, and `model_codec.decode_event`
returns WatchEvents.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .model import NO_RAW, Literal, Model, Raw, Time, auto, constant, field
from .reprs import HIDDEN, LAST_APPLIED, model_items

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import SupportsIndex

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
    """The fields that one manager owns, by API version and subresource."""

    manager: str = ""
    """The field manager, for example `kubectl` or a controller."""
    operation: Literal["Apply", "Update"] | str = ""
    """The operation that made the manager the owner of the fields."""
    api_version: str = field(default="", name="apiVersion")
    """The group and version in which the fields are named."""
    time: Time | None = None
    """When the set of fields last changed."""
    fields_type: str = ""
    """The format of the fields. `FieldsV1` is the only one."""
    fields_v1: Raw = field(default=NO_RAW, name="fieldsV1")
    """The fields as JSON, byte for byte; `raw_value()` decodes it."""
    subresource: str = ""
    """The subresource that was written; empty for the object itself."""


class OwnerReference(Model):
    """An owner of this object. When all owners are gone, the object is deleted."""

    api_version: str = field(name="apiVersion")
    """The owner's group and version."""
    kind: str
    """The owner's kind."""
    name: str
    """The owner's name."""
    uid: str
    """The owner's uid, which distinguishes it from other objects of the same name."""
    controller: bool | None = None
    """Whether the owner is the controller of this object. At most one owner is the controller."""
    block_owner_deletion: bool | None = None
    """Whether foreground deletion of the owner waits for this object."""


class ObjectMeta(Model):
    """Metadata of a stored object: its name, labels and history."""

    name: str = ""
    """The name, unique within the kind and namespace. It never changes."""
    generate_name: str = ""
    """A prefix. If `name` is empty, the server appends five random characters."""
    namespace: str = ""
    """The namespace; empty for cluster-scoped objects."""
    self_link: str = ""
    """No longer set by servers."""
    uid: str = ""
    """Identifies this object among all objects that ever had its name. Set by the server."""
    resource_version: str = ""
    """Changes with every write. Compare it for equality; send it to detect conflicts."""
    generation: int | None = None
    """Counts changes of the desired state. Set by the server."""
    creation_timestamp: Time | None = None
    """When the server created the object."""
    deletion_timestamp: Time | None = None
    """When the object is due to be deleted. Set by the server on a delete request."""
    deletion_grace_period_seconds: int | None = None
    """The seconds the object has to shut down after a delete request."""
    labels: dict[str, str] = field(default_factory=dict)
    """Short key-value pairs for selecting objects."""
    annotations: dict[str, str] = field(default_factory=dict)
    """Key-value pairs for tools and people. Selectors cannot use them."""
    owner_references: list[OwnerReference] = field(default_factory=list)
    """The objects that this object depends on."""
    finalizers: list[str] = field(default_factory=list)
    """The controllers that still have to clean up before the object is removed."""
    managed_fields: list[ManagedFieldsEntry] = field(default_factory=list)
    """Which manager owns which fields. Maintained by the server for server-side apply."""

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Yield the set fields for rich, except the manifest in kubectl's annotation."""
        return [*model_items(_without_manifest(self))]


class ShardInfo(Model):
    """The part of a collection that a sharded list contains."""

    selector: str
    """The shard selector of the list request."""


class ListMeta(Model):
    """Metadata of a list: its version, and the token of the next page."""

    self_link: str = ""
    """No longer set by servers."""
    resource_version: str = ""
    """The version of the listed state. Start a watch from it."""
    continue_: str = field(default="", name="continue")
    """The token of the next page, if there is one. It expires within minutes."""
    remaining_item_count: int | None = None
    """The number of objects after this page, if the server knows it."""
    shard_info: ShardInfo | None = None
    """Set if the list is a shard of the collection."""


class ModelList(Model, Generic[T]):
    """A list of objects as the server sends it. Iterating it yields its items."""

    metadata: ListMeta = auto(ListMeta)
    """The version of the list, and the token of the next page."""
    items: list[T] = field(default_factory=lambda: [])  # noqa: PIE807 - `list` would not be sent
    """The objects. Always sent, even if the list is empty."""

    def __iter__(self) -> Iterator[T]:
        """Iterate over the items."""
        return iter(self.items)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.items)

    def __getitem__(self, index: SupportsIndex) -> T:
        """Return the item at an index: `pods[0]`."""
        return self.items[index]


class LabelSelectorRequirement(Model):
    """One condition on a label."""

    key: str
    """The label."""
    operator: Literal["DoesNotExist", "Exists", "In", "NotIn"] | str
    """The relation of the label's value to `values`."""
    values: list[str] = field(default_factory=list)
    """The values of `In` and `NotIn`; empty for other operators."""


class LabelSelector(Model):
    """Selects objects by label. All conditions must hold. An empty selector selects everything."""

    match_labels: dict[str, str] = field(default_factory=dict)
    """Labels with the values they must have."""
    match_expressions: list[LabelSelectorRequirement] = field(default_factory=list)
    """Conditions other than equality."""


class FieldSelectorRequirement(Model):
    """One condition on a field."""

    key: str
    """The field."""
    operator: Literal["DoesNotExist", "Exists", "In", "NotIn"] | str
    """The relation of the field's value to `values`."""
    values: list[str] = field(default_factory=list)
    """The values of `In` and `NotIn`; empty for other operators."""


class Condition(Model):
    """One aspect of an object's state, as observed by its controller."""

    type: str
    """The aspect, in CamelCase or `example.com/CamelCase`."""
    status: Literal["False", "True", "Unknown"] | str
    """Whether the condition holds."""
    observed_generation: int | None = None
    """The object's generation that the condition refers to."""
    last_transition_time: Time
    """When the status last changed."""
    reason: str
    """The reason, as one CamelCase word for programs."""
    message: str
    """A human-readable explanation of the reason."""


class Preconditions(Model):
    """Conditions for a deletion. If a condition is not met, the server responds with a conflict."""

    uid: str | None = None
    """The uid the object must have."""
    resource_version: str | None = None
    """The resource version the object must have."""


class DeleteOptions(Model):
    """The body of a delete request."""

    api_version: str = constant("v1", name="apiVersion")
    kind: Literal["DeleteOptions"] = constant("DeleteOptions")
    grace_period_seconds: int | None = None
    """The seconds the object has to shut down; 0 means immediately."""
    preconditions: Preconditions | None = None
    """Conditions that the object must meet."""
    orphan_dependents: bool | None = None
    """Deprecated: use `propagation_policy`."""
    propagation_policy: Literal["Background", "Foreground", "Orphan"] | str | None = None
    """The policy for the objects that this object owns."""
    dry_run: list[str] = field(default_factory=list)
    """`["All"]` runs all checks but changes nothing."""
    ignore_store_read_error_with_cluster_breaking_potential: bool | None = None
    """Delete an object that the server can no longer read. May break what depends on the object."""


class StatusCause(Model):
    """One cause of a failure."""

    reason: str | None = None
    """The cause, as one CamelCase word for programs."""
    message: str | None = None
    """A human-readable description of the cause."""
    field: str | None = None
    """The path of the field that caused the failure, such as `spec.ports[0].port`."""


class StatusDetails(Model):
    """Details of a failure."""

    name: str | None = None
    """The name of the object."""
    group: str | None = None
    """The group of the resource."""
    kind: str | None = None
    """The plural of the resource, or with some values of `reason` its kind."""
    uid: str | None = None
    """The uid of the object."""
    causes: list[StatusCause] = field(default_factory=list)
    """The individual causes, if there are several."""
    retry_after_seconds: int | None = None
    """The seconds to wait before retrying."""


class Status(Model):
    """The result of a request, usually of a failed request."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["Status"] = constant("Status")
    metadata: ListMeta = auto(ListMeta)
    """Has a new `continue_` after the old token has expired."""
    status: Literal["Failure", "Success"] | str | None = None
    """Whether the request succeeded."""
    message: str | None = None
    """A human-readable description."""
    reason: str | None = None
    """The reason of the failure, as one CamelCase word for programs. May be empty."""
    details: StatusDetails | None = None
    """Details of the failure."""
    code: int | None = None
    """The HTTP status code."""


class PartialObjectMetadata(Model, forbid_unknown_fields=False):
    """An object of any kind, reduced to its metadata. Other fields are dropped.

    Watch bookmarks are such objects: for some kinds, servers fill the other fields with noise.
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
    """The address at which clients of a certain network reach the server."""

    client_cidr: str = field(name="clientCIDR")
    """The client's network."""
    server_address: str
    """The server's address: a host name or IP, optionally with a port."""


class APIGroup(Model):
    """An API group and its versions."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["APIGroup"] = constant("APIGroup")
    name: str
    """The group; empty for the core group."""
    versions: list[GroupVersionForDiscovery]
    """The versions. The preferred version comes first."""
    preferred_version: GroupVersionForDiscovery | None = None
    """The version that the server prefers."""
    server_address_by_client_cidrs: list[ServerAddressByClientCIDR] = field(
        default_factory=list, name="serverAddressByClientCIDRs"
    )
    """The addresses by which clients of certain networks reach the group."""


class APIGroupList(Model):
    """The API groups of a server: the response of `/apis`."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["APIGroupList"] = constant("APIGroupList")
    groups: list[APIGroup]
    """The groups."""


class APIResource(Model):
    """A resource or subresource, and the verbs it supports."""

    name: str
    """The plural; for a subresource, the plural and its name: `pods/status`."""
    singular_name: str
    """The singular; often empty."""
    namespaced: bool
    """Whether the objects are namespaced."""
    group: str | None = None
    """The group of the kind, if it is not the group of the list."""
    version: str | None = None
    """The version of the kind, if it is not the version of the list."""
    kind: str
    """The kind of the objects."""
    verbs: list[str]
    """The supported verbs."""
    short_names: list[str] = field(default_factory=list)
    """Short names, such as `po` for pods."""
    categories: list[str] = field(default_factory=list)
    """The groups of resources that the resource belongs to, such as `all`."""
    storage_version_hash: str | None = None
    """Changes when the server starts to store the objects in another version."""


class APIResourceList(Model):
    """The resources of a group version: the response of `/apis/<group>/<version>`."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["APIResourceList"] = constant("APIResourceList")
    group_version: str
    """The group and version, such as `apps/v1`."""
    resources: list[APIResource]
    """The resources."""


class APIVersions(Model):
    """The versions of the core group: the response of `/api`."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["APIVersions"] = constant("APIVersions")
    versions: list[str]
    """The versions."""
    server_address_by_client_cidrs: list[ServerAddressByClientCIDR] = field(
        name="serverAddressByClientCIDRs"
    )
    """The addresses by which clients of certain networks reach the server."""


def _without_manifest(meta: ObjectMeta) -> ObjectMeta:
    """Return `meta`, or a copy in which kubectl's annotation is hidden."""
    # The lenient decoder keeps values of any type, so the annotations need not be a dict.
    annotations = cast("object", meta.annotations)
    if not isinstance(annotations, dict) or LAST_APPLIED not in annotations:
        return meta
    shown = copy(meta)
    shown.annotations = {**meta.annotations, LAST_APPLIED: HIDDEN}
    return shown
