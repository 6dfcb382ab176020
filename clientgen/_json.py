"""JSON values: telling them apart, and taking parts of objects that may be absent or null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Tell whether it is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Tell whether it is an array."""
    return isinstance(value, list)


def is_container(value: object) -> bool:
    """Tell whether it is an object or an array."""
    return isinstance(value, (dict, list))


def part(obj: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    """The object that is a member, empty when there is none."""
    return (obj.get(name) if obj else None) or {}


def parts(obj: Mapping[str, Any] | None, name: str) -> list[dict[str, Any]]:
    """The list of objects that is a member, empty when there is none."""
    return (obj.get(name) if obj else None) or []


def texts(obj: Mapping[str, Any] | None, name: str) -> list[str]:
    """The list of strings that is a member, empty when there is none."""
    return (obj.get(name) if obj else None) or []


def listed(obj: Mapping[str, Any] | None, name: str) -> list[Any]:
    """The list that is a member, empty when there is none."""
    return (obj.get(name) if obj else None) or []
