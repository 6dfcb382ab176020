"""Owner references: the owners of an object, and the owner that controls it.

The rules are controller-runtime's (pkg/controller/controllerutil) and apimachinery's
(metav1.NewControllerRef).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._models.arguments import type_of
from .._models.meta_v1 import OwnerReference, PartialObjectMetadata
from .._models.model import Model
from .._models.unstructured import Unstructured

if TYPE_CHECKING:
    from .._models.meta_v1 import ObjectMeta
    from .._models.unstructured import Object

_METADATA_API_VERSION = PartialObjectMetadata().api_version


def owned_by(
    owner: Object, *, controller: bool = True, block_owner_deletion: bool = True
) -> OwnerReference:
    """Create the reference to an owner, for `owner_references` of the owned objects.

    When the owner is deleted, the owned objects are garbage collected.

    Args:
        owner: An object that was read from the server.
        controller: Whether the owner is the controller of the object. `owns()` of controllers
            follows controller references only, unless it is called with `every_owner=True`.
        block_owner_deletion: Whether foreground deletion of the owner waits for the object.

    Raises:
        ValueError: The owner has no uid, because it was not read from the server.
        TypeError: `owner` is not an object with apiVersion, kind and metadata.
    """
    value: Any = owner
    api_version, kind = (getattr(value, name, "") for name in ("api_version", "kind"))
    is_object = isinstance(value, (Model, Unstructured)) and hasattr(value, "metadata")
    if not is_object or not api_version or not kind or api_version == _METADATA_API_VERSION:
        raise TypeError(f"an owner must have apiVersion, kind and metadata, not {type_of(owner)}")
    metadata = _metadata(owner)
    if not metadata.name or not metadata.uid:
        raise ValueError(
            f"the {kind} {metadata.name!r} has no uid: an owner must be read from the server first"
        )
    return OwnerReference(
        api_version=api_version,
        kind=kind,
        name=metadata.name,
        uid=metadata.uid,
        controller=controller or None,
        block_owner_deletion=block_owner_deletion or None,
    )


def set_owner(
    obj: Object, owner: Object, *, controller: bool = True, block_owner_deletion: bool = True
) -> None:
    """Add an owner reference to an object. An older reference to the same owner is replaced.

    Args:
        obj: The object to change. Set its namespace first.
        owner: The owner, which was read from the server.
        controller: Whether the owner is the controller of the object.
        block_owner_deletion: Whether foreground deletion of the owner waits for the object.

    Raises:
        ValueError: The owner is in another namespace than the object, or the object is
            cluster-scoped and the owner is not: the garbage collector would delete the object. Or
            another owner already controls the object. Or the owner was not read from the server.
        TypeError: `owner` is not an object with apiVersion, kind and metadata.
    """
    reference = owned_by(owner, controller=controller, block_owner_deletion=block_owner_deletion)
    _check_namespaces(obj, owner)
    metadata = _metadata(obj)
    others = [each for each in metadata.owner_references if not _is_same(each, reference)]
    other_controllers = [each for each in others if each.controller] if controller else []
    if other_controllers:
        rival = other_controllers[0]
        raise ValueError(
            f"{_kind_and_name(obj)} is already controlled by the {rival.kind} {rival.name!r}"
        )
    metadata.owner_references = [*others, reference]


def has_owner(obj: Object, owner: Object) -> bool:
    """Return whether an object has a reference to this owner, in any version of its kind.

    A reference to an earlier owner of the same name, which has another uid, does not count: the
    garbage collector does not take it for this owner, either.

    Raises:
        ValueError: The owner was not read from the server.
        TypeError: `owner` is not an object with apiVersion, kind and metadata.
    """
    wanted = owned_by(owner)
    found = (each for each in _metadata(obj).owner_references if _is_same(each, wanted))
    return any(each.uid == wanted.uid for each in found)


def remove_owner(obj: Object, owner: Object) -> bool:
    """Remove the references to an owner from an object, in any version of the owner's kind.

    References to earlier owners of the same kind and name are removed, too. If no owner is left,
    the garbage collector never deletes the object.

    Returns:
        Whether the object had such a reference.

    Raises:
        ValueError: The owner was not read from the server.
        TypeError: `owner` is not an object with apiVersion, kind and metadata.
    """
    reference, metadata = owned_by(owner), _metadata(obj)
    others = [each for each in metadata.owner_references if not _is_same(each, reference)]
    had_one = len(others) < len(metadata.owner_references)
    if had_one:
        metadata.owner_references = others
    return had_one


def controller_of(obj: Object) -> OwnerReference | None:
    """Return the reference to the owner that controls an object; None if it has no controller.

    (apimachinery: metav1.GetControllerOf.)
    """
    return next((each for each in _metadata(obj).owner_references if each.controller), None)


def _metadata(obj: Any) -> ObjectMeta:
    return obj.metadata  # type: ignore[no-any-return]


def _check_namespaces(obj: Object, owner: Object) -> None:
    owner_namespace, namespace = _metadata(owner).namespace, _metadata(obj).namespace
    if not owner_namespace or owner_namespace == namespace:
        return
    where = f"is in the namespace {namespace!r}" if namespace else "has no namespace"
    raise ValueError(
        f"{_kind_and_name(obj)} {where}, but its owner, {_kind_and_name(owner)}, is in"
        f" {owner_namespace!r}: owner and object must be in the same namespace"
    )


def _is_same(one: OwnerReference, other: OwnerReference) -> bool:
    """Return whether two references name the same object, in any version.

    The uids may differ, because an older owner with the same name was deleted. (controller-runtime:
    referSameObject.)
    """
    groups = {each.api_version.rpartition("/")[0] for each in (one, other)}
    return len(groups) == 1 and (one.kind, one.name) == (other.kind, other.name)


def _kind_and_name(obj: Any) -> str:
    return f"the {obj.kind} {obj.metadata.name!r}"
