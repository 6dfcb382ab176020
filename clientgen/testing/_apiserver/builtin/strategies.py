"""Prepares objects for writes, between defaulting and validation.

A client creates and changes only its part of an object: the status is written apart, a generation
counts changes of the content, and some kinds have things allocated for them. What is alike for all
kinds is here; what a kind does beyond it is registered with `@on_create` and `@on_update`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..object_reader import ObjectReader
    from ..resources import Resource

__all__ = ["Create", "Update", "created", "on_create", "on_update", "updated"]

Create: TypeAlias = "Callable[[dict[str, Any], ObjectReader], None]"
Update: TypeAlias = "Callable[[dict[str, Any], dict[str, Any], ObjectReader], None]"

_CREATES: Final[dict[tuple[str, str], Create]] = {}
_UPDATES: Final[dict[tuple[str, str, str], Update]] = {}


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


def created(resource: Resource, obj: dict[str, Any], reader: ObjectReader) -> None:
    """Run what is registered for a new object."""
    prepare = _CREATES.get((resource.group, resource.plural))
    if prepare is not None:
        prepare(obj, reader)


def updated(
    resource: Resource,
    subresource: str,
    new: dict[str, Any],
    old: dict[str, Any],
    reader: ObjectReader,
) -> None:
    """Run what is registered for a change of an object or a part of it."""
    prepare = _UPDATES.get((resource.group, resource.plural, subresource))
    if prepare is not None:
        prepare(new, old, reader)
