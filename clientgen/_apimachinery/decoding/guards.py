"""Type guards for JSON values."""

from __future__ import annotations

from typing import Any, TypeGuard

__all__ = ["is_array", "is_object"]


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether it is an object."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Tell whether it is a list."""
    return isinstance(value, list)
