"""The objects that belong to a primary object: how they are marked, and whose an object is.

An owner reference leads from an object to its primary, where the garbage collector allows one.
Otherwise a label and an annotation do.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from .._http.path_segments import check_segment
from .._models.arguments import check_object, type_of
from .._models.unstructured import Unstructured
from .owners import set_owner
from .reconcile_loop import Request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._http.resource import Resource
    from .._models.meta_v1 import ObjectMeta, OwnerReference
    from .._models.unstructured import Object

DEPENDENT: Final = "clientgen.dev/dependent"
"""The annotation with the controller and the name of the dependent."""
PRIMARY: Final = "clientgen.dev/primary"
"""The annotation of an object that cannot have an owner reference: its primary."""
PRIMARY_UID: Final = "clientgen.dev/primary-uid"
"""The label of an object that cannot have an owner reference: the uid of its primary."""
PRIMARY_INDEX: Final = "clientgen.dev/primary-uid"
"""The index of objects by the uids of their primaries."""

_FIELDS_OF_SERVERS: Final = (
    "creationTimestamp",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
)
_PARTS_OF_PRIMARY: Final = 4


class Desired(NamedTuple):
    """An object that a dependent wants."""

    key: str
    """The key in the cache: `namespace/name`."""
    manifest: Unstructured
    is_collected: bool
    """Whether the garbage collector deletes the object with its primary."""


class Claim(NamedTuple):
    """Whose an existing object is."""

    whose: Literal["ours", "nobody", "leaving", "other"]
    why: str = ""


def desired_object(
    value: object, resource: Resource, primary: Object, mark: str, labels: Mapping[str, str]
) -> Desired:
    """Return what to apply for the object that a dependent's function returned.

    Args:
        value: A model or a manifest.
        resource: The resource of the dependent.
        primary: The primary object, which was read from the server.
        mark: The value of the annotation `DEPENDENT`.
        labels: Labels that all objects of the dependent have.

    Raises:
        TypeError: The value is not an object of the kind.
        ValueError: It has no name, has fields that only servers set, or cannot be in its namespace.
    """
    check_object(f"the dependent {mark}", value)
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    given = {**kind, **cast("Any", value)} if isinstance(value, Mapping) else cast("Any", value)
    obj = Unstructured.of(given)
    if (obj.api_version, obj.kind) != (resource.api_version, resource.kind):
        raise TypeError(
            f"the dependent {mark} must return a {resource.api_version} {resource.kind}, not a"
            f" {obj.api_version} {obj.kind}"
        )
    _check_fields(obj, mark)
    made = Unstructured(_without_none(obj))
    _place(made, resource, primary, mark)
    metadata = made.metadata
    made["metadata"].pop("labels", None)  # an empty map would be owned, for nothing
    if obj.metadata.labels or labels:
        metadata.labels = {**obj.metadata.labels, **labels}
    metadata.annotations = {**metadata.annotations, DEPENDENT: mark}
    owner: ObjectMeta = cast("Any", primary).metadata
    is_collected = owner.namespace in {"", metadata.namespace}
    if is_collected:
        set_owner(made, primary)
    else:
        metadata.labels = {**metadata.labels, PRIMARY_UID: owner.uid}
        metadata.annotations = {**metadata.annotations, PRIMARY: primary_text(primary)}
    if (resource.group, resource.kind) == ("", "Secret"):
        _encode_string_data(made)
    space = metadata.namespace
    return Desired(f"{space}/{metadata.name}" if space else metadata.name, made, is_collected)


def _check_fields(obj: Unstructured, mark: str) -> None:
    if "status" in obj:
        raise ValueError(
            f"the dependent {mark} returned an object with a status: the controller of the"
            f" {obj.kind} writes that; leave it out"
        )
    metadata: Any = obj.get("metadata")
    given = [name for name in _FIELDS_OF_SERVERS if isinstance(metadata, dict) and name in metadata]
    if given:
        raise ValueError(
            f"the dependent {mark} returned an object with metadata.{given[0]}, which only servers"
            " set: make a new object with the fields that you want, instead of changing one that"
            " was read"
        )
    if not obj.metadata.name:
        raise ValueError(f"the dependent {mark} returned a {obj.kind} without metadata.name")


def _place(obj: Unstructured, resource: Resource, primary: Object, mark: str) -> None:
    """Set the namespace of an object: by default that of its primary."""
    metadata = obj.metadata
    if resource.namespaced:
        metadata.namespace = metadata.namespace or cast("Any", primary).metadata.namespace
        if not metadata.namespace:
            raise ValueError(
                f"the dependent {mark} returned a {obj.kind} without metadata.namespace, and its"
                " primary has no namespace either"
            )
        check_segment("namespace", metadata.namespace)
    elif metadata.namespace:
        raise ValueError(
            f"the dependent {mark} returned a {obj.kind} with a namespace, and the kind has none"
        )
    check_segment("name", metadata.name)


def _without_none(value: Any) -> Any:
    """Return a value without members that are None: the server would take them as unset."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return {name: _without_none(inner) for name, inner in members if inner is not None}
    if isinstance(value, list):
        return [_without_none(item) for item in cast("list[object]", value)]
    return value


def _encode_string_data(secret: Unstructured) -> None:
    """Move `stringData` to `data`, as the server does: only `data` can be read and compared."""
    texts = cast("object", secret.pop("stringData", None))
    if not isinstance(texts, dict):
        return
    data: dict[str, Any] = dict(secret.get("data") or {})
    for name, text in cast("dict[str, object]", texts).items():
        data[name] = b64encode(str(text).encode()).decode()
    secret["data"] = data


def claim_of(live: Object, primary: Object, mark: str) -> Claim:
    """Return whose an existing object is, for a dependent that wants an object of its name."""
    metadata: ObjectMeta = cast("Any", live).metadata
    owner: ObjectMeta = cast("Any", primary).metadata
    if metadata.deletion_timestamp is not None:
        return Claim("leaving", "it is being deleted")
    controllers = [each for each in metadata.owner_references if each.controller]
    if controllers and controllers[0].uid != owner.uid:
        return _claim_of_other(controllers[0], primary)
    marked = metadata.annotations.get(PRIMARY, "")
    if not controllers and marked not in {"", primary_text(primary)}:
        return Claim("other", f"it belongs to {marked}")
    if not controllers and not marked:
        return Claim("nobody", "it exists already, and belongs to nobody")
    by = metadata.annotations.get(DEPENDENT, "").rpartition("/")[0]
    if by not in {"", mark.rpartition("/")[0]}:
        return Claim("other", f"the controller {by!r} has made it for the same primary")
    return Claim("ours")


def _claim_of_other(reference: OwnerReference, primary: Any) -> Claim:
    """Return the claim of an object that another object controls."""
    named = f"the {reference.kind} {reference.name!r}"
    groups = {each.rpartition("/")[0] for each in (reference.api_version, primary.api_version)}
    same = (reference.kind, reference.name) == (primary.kind, primary.metadata.name)
    if len(groups) == 1 and same:  # the garbage collector deletes the object
        return Claim("leaving", f"it belongs to an older object of this name: {named}")
    return Claim("other", f"it belongs to {named}")


def mark_of(obj: Any) -> str:
    """Return the mark of a dependent's object; empty if the object has none."""
    mark: str = obj.metadata.annotations.get(DEPENDENT, "")
    return mark


def primary_uids(obj: Any) -> list[str]:
    """Return the uid of the primary of an object; empty if it has none. For an index."""
    metadata: ObjectMeta = obj.metadata
    uids = [each.uid for each in metadata.owner_references if each.controller]
    return uids or [uid for uid in [metadata.labels.get(PRIMARY_UID, "")] if uid]


def is_owned(obj: Any, primary: Any) -> bool:
    """Return whether a primary controls an object by an owner reference that Kubernetes follows."""
    metadata: ObjectMeta = obj.metadata
    owner: ObjectMeta = primary.metadata
    is_near = owner.namespace in {"", metadata.namespace}
    return is_near and any(
        each.controller and each.uid == owner.uid for each in metadata.owner_references
    )


def primary_text(primary: Any) -> str:
    """Return the value of the annotation `PRIMARY`: group, kind, namespace and name."""
    group = primary.api_version.rpartition("/")[0]
    metadata: ObjectMeta = primary.metadata
    return f"{group}/{primary.kind}/{metadata.namespace}/{metadata.name}"


def requests_of_mark(obj: Any, primary: Resource) -> Iterable[Request]:
    """Return the request for the primary that the annotation of an object names.

    Anybody may write annotations, so a text that names nothing is ignored.
    """
    parts = str(obj.metadata.annotations.get(PRIMARY, "")).split("/")
    if len(parts) != _PARTS_OF_PRIMARY or (parts[0], parts[1]) != (primary.group, primary.kind):
        return []
    _, _, namespace, name = parts
    try:
        check_segment("name", name)
        if primary.namespaced:
            check_segment("namespace", namespace)
    except ValueError:
        return []
    return [Request(namespace if primary.namespaced else "", name)]


def short_key(obj: Any, primary: Any) -> str:
    """Return the name of an object, with its namespace if that is not the primary's."""
    metadata: ObjectMeta = obj.metadata
    if metadata.namespace in {"", primary.metadata.namespace}:
        return metadata.name
    return f"{metadata.namespace}/{metadata.name}"


def checked_labels(labels: object) -> Mapping[str, str]:
    """Check the labels of a dependent, and return them.

    Raises:
        TypeError: They are not a dict of texts.
    """
    if labels is None:
        return {}
    if not isinstance(labels, Mapping):
        raise TypeError(f"labels must be a dict of texts, not {type_of(labels)}")
    return cast("Mapping[str, str]", labels)
