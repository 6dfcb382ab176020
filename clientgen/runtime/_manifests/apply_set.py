"""ApplySets (KEP-3659): the objects that belong to a set, and the objects that are pruned.

A parent object (a Secret, a ConfigMap or a custom resource) represents the set. Its annotations
list the kinds and namespaces of the members. Each member has a label with the id of the set.
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

_DOMAIN: Final = "applyset.kubernetes.io/"
_ID_LABEL: Final = f"{_DOMAIN}id"
_TOOLING_ANNOTATION: Final = f"{_DOMAIN}tooling"
_KINDS_ANNOTATION: Final = f"{_DOMAIN}contains-group-kinds"
_NAMESPACES_ANNOTATION: Final = f"{_DOMAIN}additional-namespaces"
PART_OF: Final = f"{_DOMAIN}part-of"
"""The label of members. Its value is the id of their set."""
IS_PARENT_TYPE: Final = f"{_DOMAIN}is-parent-type"
"""The label of CustomResourceDefinitions whose objects may be parents."""

_BUILTIN_KINDS: Final = frozenset({"Secret", "ConfigMap"})


class ApplySetError(ClientError):
    """An ApplySet cannot be used, or an object belongs to another ApplySet. See the message."""

    __module__ = "clientgen.runtime"  # tracebacks and pickles name the public module


class ApplySet(Struct, frozen=True):
    """Names an ApplySet. `apply(prune=...)` deletes its members that the manifests no longer have.

    kubectl uses the same ApplySets: `kubectl apply --prune --applyset=NAME` (KEP-3659).
    """

    name: str
    """The name of the parent object."""
    kind: str = "Secret"
    """The kind of the parent object: Secret, ConfigMap, or `Kind.group` of a custom resource.

    A custom resource must exist, and its definition must have the label
    `applyset.kubernetes.io/is-parent-type`.
    """
    namespace: str | None = None
    """The namespace of the parent object. The default is the namespace of the manifest set."""
    tool: str = f"clientgen/v{clientgen.__version__}"
    """The program that manages the set, as `NAME/VERSION`. Sets of other programs are refused."""
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
        """Whether the parent is a Secret or ConfigMap. Such a parent is created if necessary."""
        return self.kind in _BUILTIN_KINDS


def check_prune(prune: object) -> None:
    """Check the argument `prune`.

    Raises:
        TypeError: `prune` is neither None nor an ApplySet.
    """
    if prune is not None and not isinstance(prune, ApplySet):
        raise TypeError('prune must be an ApplySet, such as ApplySet("shop")')


class ApplySetScope(Struct, frozen=True):
    """The kinds (as `Kind.group`) and namespaces in which members of a set may be."""

    kinds: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()

    def __or__(self, other: ApplySetScope) -> ApplySetScope:
        return ApplySetScope(self.kinds | other.kinds, self.namespaces | other.namespaces)

    @classmethod
    def of(cls, keys: Iterable[ObjectKey]) -> ApplySetScope:
        """Return the smallest scope that contains the objects."""
        objects = list(keys)
        namespaces = {key.namespace for key in objects if key.namespace}
        return cls(frozenset(key.group_kind for key in objects), frozenset(namespaces))


class Parent(Struct, frozen=True):
    """The parent object of a set."""

    apply_set: ApplySet
    resource: Resource
    namespace: str
    """The namespace of the parent; empty if the parent is cluster-scoped."""

    @property
    def key(self) -> ObjectKey:
        """The key of the parent object."""
        kind = group_kind(self.resource.group, self.resource.kind)
        return ObjectKey(kind, self.namespace, self.apply_set.name)

    @property
    def path(self) -> str:
        """The URL path of the object."""
        return self.resource.object_path(self.namespace or None, self.apply_set.name)

    @property
    def id(self) -> str:
        """The id of the set: a hash of the parent's name, namespace, kind and group."""
        parts = (self.apply_set.name, self.namespace, self.resource.kind, self.resource.group)
        # The format of KEP-3659. kubectl computes the same id, and refuses any other.
        digest = sha256(".".join(parts).encode()).digest()
        return f"applyset-{urlsafe_b64encode(digest).decode().rstrip('=')}-v1"

    @property
    def labels(self) -> dict[str, str]:
        """The labels of members."""
        return {PART_OF: self.id}

    @property
    def field_manager(self) -> str:
        """The field manager that owns the labels and annotations of the parent."""
        return f"{self.apply_set.tool_name}-applyset"

    def scope_in(self, live: Mapping[str, Any] | None) -> ApplySetScope:
        """Read the scope of the set from its parent.

        Args:
            live: the parent object; None if it does not exist.

        Raises:
            ApplySetError: the object is not a valid parent, another program manages it, or it is a
                custom resource that does not exist.
        """
        if live is None:
            if not self.apply_set.is_builtin:
                raise self._parent_error(
                    "does not exist: create it, or use a Secret or ConfigMap as the parent"
                )
            return ApplySetScope()
        labels, annotations = names_in(live, "labels"), names_in(live, "annotations")
        self._check_parent(labels, annotations)
        namespaces = _split_list(annotations.get(_NAMESPACES_ANNOTATION, ""))
        try:
            for each in namespaces:
                check_segment("namespace", each)
        except ValueError as error:
            raise self._parent_error(
                f"has a wrong annotation {_NAMESPACES_ANNOTATION}: {error}"
            ) from None
        # The annotation does not list the namespace of the parent.
        own = {self.namespace} - {""}
        return ApplySetScope(_split_list(annotations[_KINDS_ANNOTATION]), namespaces | own)

    def _check_parent(self, labels: Mapping[str, str], annotations: Mapping[str, str]) -> None:
        tooling = annotations.get(_TOOLING_ANNOTATION)
        if tooling is None:
            raise self._parent_error(
                f"exists, but has no annotation {_TOOLING_ANNOTATION}: use another name"
            )
        manager = tooling.rpartition("/")[0] or tooling
        if manager != self.apply_set.tool_name:
            raise self._parent_error(
                f"is managed by {manager!r}, not by {self.apply_set.tool_name!r}; to continue"
                f" its work, pass ApplySet(..., tool={tooling!r})"
            )
        if labels.get(_ID_LABEL) != self.id:
            actual = f"{labels[_ID_LABEL]!r}" if _ID_LABEL in labels else "missing"
            raise self._parent_error(
                f"has a wrong label {_ID_LABEL}: it is {actual}, not {self.id!r}"
            )
        if _KINDS_ANNOTATION not in annotations:
            raise self._parent_error(
                f"has no annotation {_KINDS_ANNOTATION}: the kinds of its members are unknown"
            )

    def _parent_error(self, problem: str) -> ApplySetError:
        return ApplySetError(f"the parent of the ApplySet, {self.key}, {problem}")

    def manifest(self, scope: ApplySetScope) -> dict[str, Any]:
        """Return the manifest to apply to the parent. It sets only labels and annotations."""
        namespaces = sorted(scope.namespaces - {self.namespace})
        metadata: dict[str, Any] = {"name": self.apply_set.name}
        if self.namespace:
            metadata["namespace"] = self.namespace
        metadata["labels"] = {_ID_LABEL: self.id}
        metadata["annotations"] = {
            _TOOLING_ANNOTATION: self.apply_set.tool,
            _KINDS_ANNOTATION: ",".join(sorted(scope.kinds)),
            _NAMESPACES_ANNOTATION: ",".join(namespaces),
        }
        return {
            "apiVersion": self.resource.api_version,
            "kind": self.resource.kind,
            "metadata": metadata,
        }


def _split_list(annotation: str) -> frozenset[str]:
    return frozenset(annotation.split(",")) - {""}


class Member(Struct, frozen=True):
    """An object that has the label of a set."""

    key: ObjectKey
    resource: Resource
    uid: str
    resource_version: str
    owner: str
    """The kind and name of the controlling owner; empty if there is none."""

    @property
    def path(self) -> str:
        """The URL path of the object."""
        return self.resource.object_path(self.key.namespace or None, self.key.name)

    @classmethod
    def read(
        cls, obj: Mapping[str, Any], resource: Resource, namespace: str, set_id: str
    ) -> Member | None:
        """Read a listed object. Returns None if it does not have the label of the set.

        Raises:
            ApplySetError: the object has no name or uid, is in another namespace, or has a name
                that cannot be part of a URL path.
        """
        if names_in(obj, "labels").get(PART_OF) != set_id:
            return None
        fields = metadata_of(obj)
        name, uid = fields.get("name"), fields.get("uid")
        if not (isinstance(name, str) and name and isinstance(uid, str) and uid):
            raise ApplySetError(f"the server listed {resource.plural} without a name and a uid")
        if (fields.get("namespace") or "") != namespace:
            raise ApplySetError(f"the server listed {resource.plural} of another namespace")
        try:  # the names become parts of the paths of delete requests
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
            _controlling_owner(fields.get("ownerReferences")),
        )


def _controlling_owner(references: object) -> str:
    for each in cast("list[object]", references) if isinstance(references, list) else ():
        owner = mapping(each)
        if owner.get("controller") is True:
            return f"{owner.get('kind')} {owner.get('name')}"
    return ""


def members_to_prune(
    members: Iterable[Member], parent: Parent, applied: Collection[ObjectKey], uids: Collection[str]
) -> list[Member]:
    """Return the members that the manifests no longer have, in the order of deletion.

    Args:
        members: all objects with the label of the set.
        parent: the parent of the set, which is never pruned.
        applied: the keys of the objects in the manifests.
        uids: the uids of these objects. A server may serve an object in two groups, with two keys.
    """
    # By uid, because an object in two groups is listed twice.
    removed = {
        each.uid: each
        for each in members
        if each.key not in applied and each.uid not in uids and each.key != parent.key
    }
    return deletion_order(removed.values(), lambda each: each.key.group_kind)


def reason_to_keep(member: Member, apply_set: ApplySet) -> str:
    """Return the reason why a member must not be pruned; empty if it may be pruned."""
    name = member.key.name
    if member.key.group_kind == NAMESPACE_KIND and name not in apply_set.prune_namespaces:
        return f"to delete it, pass ApplySet(..., prune_namespaces=[{name!r}])"
    if member.key.group_kind == CRD_KIND and name not in apply_set.prune_definitions:
        return f"to delete it, pass ApplySet(..., prune_definitions=[{name!r}])"
    if member.owner:
        # Controllers copy labels to the objects that they create. For example, an EndpointSlice has
        # the labels of its Service.
        return f"{member.owner} controls it"
    return ""


def foreign_set(live: Mapping[str, Any] | None, parent: Parent) -> str:
    """Return the id of another ApplySet to which an object belongs; empty if there is none."""
    value = names_in(live, "labels").get(PART_OF, "")
    return value if value != parent.id else ""
