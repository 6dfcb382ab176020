"""JSON values: types, and members that may be absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Return whether a value is an array."""
    return isinstance(value, list)


def is_container(value: object) -> bool:
    """Return whether a value is an object or an array."""
    return isinstance(value, (dict, list))


def part(obj: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    """Return a member that is an object; empty if the member is absent or null."""
    return (obj.get(name) if obj else None) or {}


def parts(obj: Mapping[str, Any] | None, name: str) -> list[dict[str, Any]]:
    """Return a member that is a list of objects; empty if the member is absent or null."""
    return (obj.get(name) if obj else None) or []


def texts(obj: Mapping[str, Any] | None, name: str) -> list[str]:
    """Return a member that is a list of strings; empty if the member is absent or null."""
    return (obj.get(name) if obj else None) or []


def listed(obj: Mapping[str, Any] | None, name: str) -> list[Any]:
    """Return a member that is a list; empty if the member is absent or null."""
    return (obj.get(name) if obj else None) or []
