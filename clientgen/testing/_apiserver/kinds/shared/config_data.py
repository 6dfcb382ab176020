"""The data of ConfigMaps and Secrets: their keys, their size, and when they are immutable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value
from clientgen._apimachinery.name_syntax import config_key_problems
from clientgen._json import part

from .common_checks import matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_BYTES: Final = 1024 * 1024
_IMMUTABLE: Final = "field is immutable when `immutable` is set"


def key_causes(field: str, key: str) -> Iterator[Cause]:
    """Check a key of a ConfigMap or Secret."""
    yield from matches(field, key, config_key_problems)


def decoded_size(data: Mapping[str, str]) -> int:
    """Count the bytes that base64 texts stand for."""
    return sum(len(text) * 3 // 4 - text[-2:].count("=") for text in data.values())


def immutable_causes(new: dict[str, Any], old: dict[str, Any], *fields: str) -> Iterator[Cause]:
    """Refuse changes of these fields once `immutable` is true."""
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        yield forbidden_value("immutable", _IMMUTABLE)
    for field in fields:
        if part(new, field) != part(old, field):
            yield forbidden_value(field, _IMMUTABLE)
