"""The indexes of Jobs whose pods have one each: `0-2,5`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part

if TYPE_CHECKING:
    from collections.abc import Iterable

INDEX: Final = "batch.kubernetes.io/job-completion-index"
_MAX_DIGITS: Final = 9
MAX_INDEXES: Final = 100_000
"""The most indexes of a Job; those after it get no pods."""


def index_of(pod: dict[str, Any]) -> int | None:
    """Return the index of a pod."""
    text = str(part(pod["metadata"], "annotations").get(INDEX, ""))
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None


def indexes_in(text: str, completions: int) -> set[int]:
    """Return the indexes that a text names, up to the completions and to MAX_INDEXES."""
    found: set[int] = set()
    for each in text.split(","):
        first, _, last = each.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            stop = min(int((last or first)[:_MAX_DIGITS]) + 1, completions, MAX_INDEXES)
            found.update(range(int(first[:_MAX_DIGITS]), stop))
    return found


def indexes_text(indexes: Iterable[int]) -> str:
    """Return the text that names indexes: three and more in a row as a range."""
    ranges: list[list[int]] = []
    for index in sorted(indexes):
        if ranges and ranges[-1][1] == index - 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    texts = (
        str(first) if first == last else f"{first}{',' if last == first + 1 else '-'}{last}"
        for first, last in ranges
    )
    return ",".join(texts)
