"""Telling JSON values apart, and taking parts of objects that may be absent or null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_container", "is_list", "is_object", "listed", "part"]


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether it is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Tell whether it is a list."""
    return isinstance(value, list)


def is_container(value: Any) -> bool:
    """Tell whether it has values in it."""
    return isinstance(value, (dict, list))


def part(raw: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    """The object that is a member, empty when there is none."""
    return (raw.get(name) if raw else None) or {}


def listed(raw: Mapping[str, Any] | None, name: str) -> list[Any]:
    """The list that is a member, empty when there is none."""
    return (raw.get(name) if raw else None) or []
