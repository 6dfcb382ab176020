"""ApplySets: which objects belong to a set, as KEP-3659 and kubectl know it.

A parent object (a Secret, a ConfigMap or a custom resource) stands for the set. Its annotations
name the kinds and namespaces of the members, the members have a label with the id of the set.
k8s.io/kubectl: pkg/cmd/apply/applyset.go, applyset_pruner.go;
https://git.k8s.io/enhancements/keps/sig-cli/3659-kubectl-apply-prune
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Collection  # noqa: TC003 - get_type_hints() looks it up here
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct

import clientgen

from .._http.path_segments import check_segment
from .._models.decode_error import ClientError
from .apply_order import CRD_KIND, NAMESPACE_KIND, deletion_order, group_kind
from .apply_plan import ObjectKey
from .set_objects import mapping, metadata_of, names_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .._http.resource import Resource

__all__ = [
    "IS_PARENT_TYPE",
    "PART_OF",
    "ApplySet",
    "ApplySetError",
    "ApplySetScope",
    "Member",
    "Parent",
    "check_prune",
    "foreign_set",
    "kept_because",
    "members_to_prune",
]

_DOMAIN: Final = "applyset.kubernetes.io/"
_ID: Final = f"{_DOMAIN}id"
_TOOLING: Final = f"{_DOMAIN}tooling"
_KINDS: Final = f"{_DOMAIN}contains-group-kinds"
_NAMESPACES: Final = f"{_DOMAIN}additional-namespaces"
PART_OF: Final = f"{_DOMAIN}part-of"
"""The label of members; its value is the id of their set."""
IS_PARENT_TYPE: Final = f"{_DOMAIN}is-parent-type"
"""The label of CustomResourceDefinitions whose objects may be parents."""

_BUILTIN: Final = frozenset({"Secret", "ConfigMap"})


class ApplySetError(ClientError):
    """An ApplySet cannot be used, or an object belongs to another one. The message says why."""

    __module__ = "clientgen.runtime"  # where it is public, and tracebacks say so


class ApplySet(Struct, frozen=True):
    """Names an ApplySet, so that `apply(prune=...)` can delete what no longer belongs to it.

    It is the ApplySet of KEP-3659, which kubectl knows: `kubectl apply --prune --applyset=NAME`.
    """

    name: str
    """The name of the parent object."""
    kind: str = "Secret"
    """The kind of the parent object: Secret, ConfigMap, or `Kind.group` of a custom resource.

    A custom resource must exist, and its definition must have the label
    `applyset.kubernetes.io/is-parent-type`.
    """
    namespace: str | None = None
    """The namespace of the parent object; by default that of the manifest set."""
    tool: str = f"clientgen/v{clientgen.__version__}"
    """The program that manages the set, `NAME/VERSION`. Sets of other programs are refused."""
    prune_namespaces: Collection[str] = ()
    """The Namespaces that pruning may delete, with everything in them."""
    prune_definitions: Collection[str] = ()
    """The CustomResourceDefinitions that pruning may delete, with all objects of their kinds."""

    def __post_init__(self) -> None:
        """Check the names.

        Raises:
            ValueError: the name or the tool is not valid.
            TypeError: a string is given where names are expected.
        """
        check_segment("name of an ApplySet", self.name)
        if self.namespace is not None:
            check_segment("namespace of an ApplySet", self.namespace)
        name, slash, version = self.tool.rpartition("/")
        if not (name and slash and version):
            raise ValueError(f"tool must be 'NAME/VERSION', not {self.tool!r}")
        for option in ("prune_namespaces", "prune_definitions"):
            if isinstance(getattr(self, option), str):
                raise TypeError(f"{option} takes a list of names, not a string")

    @property
    def tool_name(self) -> str:
        """The name of the program, without its version."""
        return self.tool.rpartition("/")[0]

    @property
    def is_builtin(self) -> bool:
        """Whether the parent is a Secret or a ConfigMap, which can be created."""
        return self.kind in _BUILTIN


def check_prune(prune: object) -> None:
    """See to it that the argument `prune` is an ApplySet, if it is given.

    Raises:
        TypeError: it is something else.
    """
    if prune is not None and not isinstance(prune, ApplySet):
        raise TypeError('prune must be an ApplySet: ApplySet("shop")')


class ApplySetScope(Struct, frozen=True):
    """Where members of a set may be: their kinds, as `Kind.group`, and their namespaces."""

    kinds: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()

    def __or__(self, other: ApplySetScope) -> ApplySetScope:
        return ApplySetScope(self.kinds | other.kinds, self.namespaces | other.namespaces)

    @classmethod
    def of(cls, keys: Iterable[ObjectKey]) -> ApplySetScope:
        """The scope that has these objects."""
        objects = list(keys)
        namespaces = {key.namespace for key in objects if key.namespace}
        return cls(frozenset(key.group_kind for key in objects), frozenset(namespaces))


class Parent(Struct, frozen=True):
    """The parent object of a set."""

    apply_set: ApplySet
    resource: Resource
    namespace: str
    """Empty if it is cluster-scoped."""

    @property
    def key(self) -> ObjectKey:
        """The object that it is."""
        kind = group_kind(self.resource.group, self.resource.kind)
        return ObjectKey(kind, self.namespace, self.apply_set.name)

    @property
    def path(self) -> str:
        """The URL path of the object."""
        return self.resource.object_path(self.namespace or None, self.apply_set.name)

    @property
    def id(self) -> str:
        """The id of the set, which follows from the name of the parent."""
        parts = (self.apply_set.name, self.namespace, self.resource.kind, self.resource.group)
        digest = sha256(".".join(parts).encode()).digest()
        return f"applyset-{urlsafe_b64encode(digest).decode().rstrip('=')}-v1"

    @property
    def labels(self) -> dict[str, str]:
        """The labels of members."""
        return {PART_OF: self.id}

    @property
    def field_manager(self) -> str:
        """The field manager of the labels and annotations of the parent."""
        return f"{self.apply_set.tool_name}-applyset"

    def scope_in(self, live: Mapping[str, Any] | None) -> ApplySetScope:
        """Read from the parent where members are.

        Args:
            live: the parent object; None if there is none yet.

        Raises:
            ApplySetError: it is no parent, another program's, or not one that can be created.
        """
        if live is None:
            if not self.apply_set.is_builtin:
                raise self._refused("does not exist; only Secrets and ConfigMaps are created")
            return ApplySetScope()
        labels, annotations = names_in(live, "labels"), names_in(live, "annotations")
        self._check(labels, annotations)
        namespaces = _split(annotations.get(_NAMESPACES, ""))
        try:
            for each in namespaces:
                check_segment("namespace", each)
        except ValueError as error:
            raise self._refused(f"has a wrong annotation {_NAMESPACES}: {error}") from None
        own = {self.namespace} - {""}
        return ApplySetScope(_split(annotations[_KINDS]), namespaces | own)

    def _check(self, labels: Mapping[str, str], annotations: Mapping[str, str]) -> None:
        tooling = annotations.get(_TOOLING)
        if tooling is None:
            raise self._refused(f"exists and is no ApplySet: it has no annotation {_TOOLING}")
        manager = tooling.rpartition("/")[0] or tooling
        if manager != self.apply_set.tool_name:
            raise self._refused(
                f"is managed by {manager!r}, not by {self.apply_set.tool_name!r}; to continue"
                f" its work, say ApplySet(..., tool={tooling!r})"
            )
        if labels.get(_ID) != self.id:
            wrong = f"{labels[_ID]!r}" if _ID in labels else "missing"
            raise self._refused(f"has a wrong label {_ID}: it is {wrong}, not {self.id!r}")
        if _KINDS not in annotations:
            raise self._refused(f"has no annotation {_KINDS}: the kinds of its members are unknown")

    def _refused(self, problem: str) -> ApplySetError:
        return ApplySetError(f"the parent of the ApplySet, {self.key}, {problem}")

    def manifest(self, scope: ApplySetScope) -> dict[str, Any]:
        """The parent to apply: its labels and annotations, and nothing else."""
        namespaces = sorted(scope.namespaces - {self.namespace})
        metadata: dict[str, Any] = {"name": self.apply_set.name}
        if self.namespace:
            metadata["namespace"] = self.namespace
        metadata["labels"] = {_ID: self.id}
        metadata["annotations"] = {
            _TOOLING: self.apply_set.tool,
            _KINDS: ",".join(sorted(scope.kinds)),
            _NAMESPACES: ",".join(namespaces),
        }
        return {
            "apiVersion": self.resource.api_version,
            "kind": self.resource.kind,
            "metadata": metadata,
        }


def _split(annotation: str) -> frozenset[str]:
    return frozenset(annotation.split(",")) - {""}


class Member(Struct, frozen=True):
    """An object that has the label of a set."""

    key: ObjectKey
    resource: Resource
    uid: str
    resource_version: str
    owner: str
    """The kind and name of the controller that made it, if one did."""

    @property
    def path(self) -> str:
        """The URL path of the object."""
        return self.resource.object_path(self.key.namespace or None, self.key.name)

    @classmethod
    def read(
        cls, obj: Mapping[str, Any], resource: Resource, namespace: str, set_id: str
    ) -> Member | None:
        """Read what a server listed; None for an object that is no member after all.

        Raises:
            ApplySetError: it is no object with a name and a uid, or of another namespace, or the
                name is none for a path.
        """
        if names_in(obj, "labels").get(PART_OF) != set_id:
            return None
        fields = metadata_of(obj)
        name, uid = fields.get("name"), fields.get("uid")
        if not (isinstance(name, str) and name and isinstance(uid, str) and uid):
            raise ApplySetError(f"the server listed {resource.plural} without a name and a uid")
        if (fields.get("namespace") or "") != namespace:
            raise ApplySetError(f"the server listed {resource.plural} of another namespace")
        try:  # before anything is deleted
            check_segment("name", name)
            if namespace:
                check_segment("namespace", namespace)
        except ValueError as error:
            raise ApplySetError(f"the server listed {resource.plural}: {error}") from None
        return cls(
            ObjectKey(group_kind(resource.group, resource.kind), namespace, name),
            resource,
            uid,
            str(fields.get("resourceVersion") or ""),
            _controller_in(fields.get("ownerReferences")),
        )


def _controller_in(references: object) -> str:
    for each in cast("list[object]", references) if isinstance(references, list) else ():
        owner = mapping(each)
        if owner.get("controller") is True:
            return f"{owner.get('kind')} {owner.get('name')}"
    return ""


def members_to_prune(
    members: Iterable[Member], parent: Parent, applied: Collection[ObjectKey], uids: Collection[str]
) -> list[Member]:
    """The members that the manifests no longer have, in the order in which they are deleted.

    Args:
        members: all objects with the label of the set.
        parent: the parent of the set, which is never one of its members.
        applied: the objects of the manifests.
        uids: their uids: one object may be served by two groups.
    """
    gone = {
        each.uid: each
        for each in members
        if each.key not in applied and each.uid not in uids and each.key != parent.key
    }
    return deletion_order(gone.values(), lambda each: each.key.group_kind)


def kept_because(member: Member, apply_set: ApplySet) -> str:
    """Why a member is not pruned; empty if it may be."""
    name = member.key.name
    if member.key.group_kind == NAMESPACE_KIND and name not in apply_set.prune_namespaces:
        return f"to delete it, say ApplySet(..., prune_namespaces=[{name!r}])"
    if member.key.group_kind == CRD_KIND and name not in apply_set.prune_definitions:
        return f"to delete it, say ApplySet(..., prune_definitions=[{name!r}])"
    if member.owner:
        # Controllers copy labels: EndpointSlices have those of their Service.
        return f"{member.owner} controls it"
    return ""


def foreign_set(live: Mapping[str, Any] | None, parent: Parent) -> str:
    """The id of another ApplySet that an object is a member of; empty if there is none."""
    value = names_in(live, "labels").get(PART_OF, "")
    return value if value != parent.id else ""
