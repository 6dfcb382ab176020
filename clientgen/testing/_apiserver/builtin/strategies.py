"""What the API server does with an object between defaulting and validation.

A client creates and changes only its part of an object: the status is written apart, a generation
counts changes of the content, and some kinds have things allocated for them. What is alike for all
kinds is here; what a kind does beyond it is registered with `@on_create` and `@on_update`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .filling import fill
from .kinds import BEGINS_UNCOUNTED, HAS_GENERATION, KEPT_BY_STATUS, STATUS_IS_THE_CLIENTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..resources import Resource
    from ..world import World

__all__ = ["Create", "Update", "on_create", "on_update", "prepare_create", "prepare_update"]

Create: TypeAlias = "Callable[[dict[str, Any], World], None]"
Update: TypeAlias = "Callable[[dict[str, Any], dict[str, Any], World], None]"

_CREATES: Final[dict[tuple[str, str], Create]] = {}
_UPDATES: Final[dict[tuple[str, str, str], Update]] = {}
_HEAD: Final = ("apiVersion", "kind", "metadata")


def on_create(group: str, plural: str) -> Callable[[Create], Create]:
    """Register what else happens when an object of a kind is created."""

    def register(prepare: Create) -> Create:
        _CREATES[group, plural] = prepare
        return prepare

    return register


def on_update(group: str, plural: str, subresource: str = "") -> Callable[[Update], Update]:
    """Register what else happens when an object of a kind, or a part of it, is changed."""

    def register(prepare: Update) -> Update:
        _UPDATES[group, plural, subresource] = prepare
        return prepare

    return register


def prepare_create(resource: Resource, obj: dict[str, Any], world: World) -> None:
    """Make a defaulted object into what is stored: status, generation, what is allocated.

    Raises:
        Failure: what the object asks for cannot be had.
    """
    key = (resource.group, resource.plural)
    if resource.has_status and key not in STATUS_IS_THE_CLIENTS:
        obj.pop("status", None)
        fill(resource.schema, obj)
    if key in HAS_GENERATION and key not in BEGINS_UNCOUNTED:
        obj["metadata"]["generation"] = 1
    prepare = _CREATES.get(key)
    if prepare is not None:
        prepare(obj, world)


def prepare_update(
    resource: Resource, new: dict[str, Any], old: dict[str, Any], subresource: str, world: World
) -> None:
    """Put back what a write to this part of the object does not change; count its generation.

    Raises:
        Failure: what the change asks for cannot be had.
    """
    key = (resource.group, resource.plural)
    if subresource == "status":
        _keep_all_but(new, old, "status")
        for field in KEPT_BY_STATUS.get(key, ()):
            _keep(new["metadata"], old["metadata"], field)
    elif resource.has_status and subresource != "approval":
        _keep(new, old, "status")
    prepare = _UPDATES.get((*key, subresource))
    if prepare is not None:
        prepare(new, old, world)
    _count(key, new, old, subresource)


def _keep(new: dict[str, Any], old: dict[str, Any], field: str) -> None:
    new.pop(field, None)
    if field in old:
        new[field] = old[field]


def _keep_all_but(new: dict[str, Any], old: dict[str, Any], part: str) -> None:
    for field in {*new, *old}.difference(_HEAD, {part}):
        _keep(new, old, field)


def _count(
    key: tuple[str, str], new: dict[str, Any], old: dict[str, Any], subresource: str
) -> None:
    metadata, before = new["metadata"], old["metadata"]
    _keep(metadata, before, "generation")
    content = HAS_GENERATION.get(key, ())
    changed = any(new.get(field) != old.get(field) for field in content)
    if key == ("discovery.k8s.io", "endpointslices"):
        changed = changed or metadata.get("labels") != before.get("labels")
    if key == ("apps", "deployments") and not subresource:
        changed = changed or metadata.get("annotations") != before.get("annotations")
    if changed:
        metadata["generation"] = before.get("generation", 0) + 1
