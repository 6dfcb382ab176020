"""Hashes of templates in names and labels."""

from __future__ import annotations

from typing import Any, Final

from msgspec import json

_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
_PRIME: Final = 16777619
_BASIS: Final = 2166136261


def template_hash(value: Any, collisions: int | None = None) -> str:
    """Return the hash of a template, in the letters of generated names.

    A real controller hashes the Go value, so its hashes of the same template are others.
    """
    data = json.encode(value, order="deterministic")
    if collisions is not None:
        data += collisions.to_bytes(8, "little")
    number = _BASIS
    for byte in data:
        number = ((number ^ byte) * _PRIME) & 0xFFFFFFFF
    return safe_name(str(number))


def safe_name(text: str) -> str:
    """Return a text in letters that make no words, as the API machinery encodes hashes."""
    return "".join(_ALPHABET[ord(letter) % len(_ALPHABET)] for letter in text)
