"""Owner references: who owns an object, and which owner controls it.

The rules are controller-runtime's (pkg/controller/controllerutil) and apimachinery's
(metav1.NewControllerRef).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._models.arguments import named
from .._models.meta_v1 import OwnerReference, PartialObjectMetadata
from .._models.model import Model
from .._models.unstructured import Unstructured

if TYPE_CHECKING:
    from .._models.meta_v1 import ObjectMeta
    from .._models.unstructured import Object

__all__ = ["owned_by", "set_owner"]

_OF_METADATA = PartialObjectMetadata().api_version


def owned_by(owner: Object, *, controller: bool = True) -> OwnerReference:
    """Make the reference to an owner, for `owner_references` of the objects that it owns.

    When the owner is deleted, they are garbage collected. A deletion of the owner in the foreground
    waits for them.

    Args:
        owner: An object that was read from the server.
        controller: Whether the owner is the controller of the object. `owns()` of controllers looks
            at controllers only.

    Raises:
        ValueError: The owner has no uid, because it was not read from the server.
        TypeError: It is no object of a kind.
    """
    value: Any = owner
    api_version, kind = (getattr(value, name, "") for name in ("api_version", "kind"))
    is_object = isinstance(value, (Model, Unstructured)) and hasattr(value, "metadata")
    if not is_object or not api_version or not kind or api_version == _OF_METADATA:
        raise TypeError(f"an owner is an object of a kind, not {named(owner)}")
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
        block_owner_deletion=True,
    )


def set_owner(obj: Object, owner: Object, *, controller: bool = True) -> None:
    """Make an object owned. An older reference to the same owner is replaced, others stay.

    Args:
        obj: The object, which is changed. Set its namespace first.
        owner: The owner, which was read from the server.
        controller: Whether the owner is the controller of the object.

    Raises:
        ValueError: The owner lives in another namespace than the object, or in one while the object
            is cluster-scoped: the garbage collector would delete the object. Or another owner
            controls the object already. Or the owner was not read from the server.
        TypeError: The owner is no object of a kind.
    """
    reference = owned_by(owner, controller=controller)
    _check_namespaces(obj, owner)
    metadata = _metadata(obj)
    others = [each for each in metadata.owner_references if not _is_same(each, reference)]
    rivals = [each for each in others if each.controller] if controller else []
    if rivals:
        raise ValueError(
            f"{_shown(obj)} is controlled by the {rivals[0].kind} {rivals[0].name!r} already"
        )
    metadata.owner_references = [*others, reference]


def _metadata(obj: Any) -> ObjectMeta:
    return obj.metadata  # type: ignore[no-any-return]


def _check_namespaces(obj: Object, owner: Object) -> None:
    home, mine = _metadata(owner).namespace, _metadata(obj).namespace
    if not home or home == mine:
        return
    where = f"is in the namespace {mine!r}" if mine else "has no namespace"
    raise ValueError(
        f"{_shown(obj)} {where}, but its owner, {_shown(owner)}, is in {home!r}:"
        " owner and object must be in the same one"
    )


def _is_same(one: OwnerReference, other: OwnerReference) -> bool:
    """Tell whether two references name the same object, in whatever version (c-r: referSameObject).

    The uid may differ: the older owner of that name is gone.
    """
    groups = {each.api_version.rpartition("/")[0] for each in (one, other)}
    return len(groups) == 1 and (one.kind, one.name) == (other.kind, other.name)


def _shown(obj: Any) -> str:
    return f"the {obj.kind} {obj.metadata.name!r}"
