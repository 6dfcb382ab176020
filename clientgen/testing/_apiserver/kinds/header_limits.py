"""Limits for warnings, which are sent as headers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_CHARS: Final = 4096
_MAX_CHARS_PER_HEADER: Final = 256


def fitting(warnings: Iterable[str]) -> list[str]:
    """List the warnings that may be sent; they are shortened when there are too many."""
    texts: list[str] = []
    written = 0
    for text in warnings:
        texts.append(text)
        written += len(text)
        if written > _MAX_CHARS:
            return _cut(texts)
    return texts


def _cut(texts: list[str]) -> list[str]:
    kept: list[str] = []
    for text in texts:
        if sum(map(len, kept)) + min(len(text), _MAX_CHARS_PER_HEADER) > _MAX_CHARS:
            break
        kept.append(text[:_MAX_CHARS_PER_HEADER])
    return kept
