"""JSON that is kept to the byte: the values of `Raw` fields."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, json

from .encoder import encode

__all__ = ["raw", "raw_value"]


def raw(value: object) -> Raw:
    """Make JSON that is kept to the byte out of a model or any JSON-like value."""
    return Raw(encode(value))


def raw_value(value: Raw) -> Any:
    """Read JSON that was kept to the byte; None when there is none."""
    return json.decode(value) if bytes(value) else None
