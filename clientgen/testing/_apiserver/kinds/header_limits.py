"""Limits for warnings, which are sent as headers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["fitting"]

_MOST_CHARACTERS: Final = 4096
_MOST_OF_ONE: Final = 256


def fitting(warnings: Iterable[str]) -> list[str]:
    """List the warnings that may be sent; they are shortened when there are too many."""
    texts: list[str] = []
    written = 0
    for text in warnings:
        texts.append(text)
        written += len(text)
        if written > _MOST_CHARACTERS:
            return _cut(texts)
    return texts


def _cut(texts: list[str]) -> list[str]:
    kept: list[str] = []
    for text in texts:
        if sum(map(len, kept)) + min(len(text), _MOST_OF_ONE) > _MOST_CHARACTERS:
            break
        kept.append(text[:_MOST_OF_ONE])
    return kept
