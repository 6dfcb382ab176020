"""Parts of objects that may be missing or null, both of which mean empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["part", "parts", "texts"]


def part(obj: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A member that is an object."""
    value: dict[str, Any] | None = obj.get(name)
    return value or {}


def parts(obj: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """A member that is a list of objects."""
    values: list[dict[str, Any]] | None = obj.get(name)
    return values or []


def texts(obj: Mapping[str, Any], name: str) -> list[str]:
    """A member that is a list of strings."""
    values: list[str] | None = obj.get(name)
    return values or []
