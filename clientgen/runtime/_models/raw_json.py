"""Raw JSON, which is kept byte for byte: the values of `Raw` fields."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, json

from .encoder import encode


def raw(value: object) -> Raw:
    """Encode a model, or any JSON-like value, as raw JSON for a `Raw` field."""
    return Raw(encode(value))


def raw_value(value: Raw) -> Any:
    """Decode the raw JSON of a `Raw` field; None if the field is absent."""
    return json.decode(value) if bytes(value) else None
