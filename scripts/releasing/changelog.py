"""The changelog: the entries under `Unreleased` become those of a version."""

from __future__ import annotations

import re
from typing import Final

from .commands import ReleaseError

__all__ = [
    "check_released",
    "is_anything_unreleased",
    "is_released",
    "release_entries",
    "with_release",
]

_UNRELEASED: Final = "## Unreleased"
_HEADING: Final = re.compile(r"^## (.*)$", re.MULTILINE)


def release_entries(text: str, heading: str) -> str:
    """Return the entries below a heading of the second level.

    Raises:
        ReleaseError: there is no such heading, or nothing below it.
    """
    headings = [*_HEADING.finditer(text)]
    for index, match in enumerate(headings):
        if match[0] == heading:
            end = headings[index + 1].start() if index + 1 < len(headings) else len(text)
            entries = text[match.end() : end].strip()
            if not any(line.startswith("- ") for line in entries.splitlines()):
                raise ReleaseError(f"CHANGELOG.md: there are no entries under `{heading}`")
            return entries
    raise ReleaseError(f"CHANGELOG.md: there is no heading `{heading}`")


def with_release(text: str, version: str, date: str) -> str:
    """Return the changelog with the entries of a version, and nothing unreleased.

    Raises:
        ReleaseError: nothing is unreleased, or the version is there already.
    """
    release_entries(text, _UNRELEASED)
    if is_released(text, version):
        raise ReleaseError(f"CHANGELOG.md: {version} is there already")
    return text.replace(_UNRELEASED, f"{_UNRELEASED}\n\n## {version} - {date}", 1)


def check_released(text: str, version: str) -> None:
    """Check that a version has entries.

    Raises:
        ReleaseError: it has none.
    """
    dated = re.search(rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$", text, re.MULTILINE)
    if dated is None:
        raise ReleaseError(f"CHANGELOG.md: there is no heading `## {version} - YYYY-MM-DD`")
    release_entries(text, dated[0])


def is_released(text: str, version: str) -> bool:
    """Return whether a version has a heading."""
    return any(match[1].startswith(f"{version} ") for match in _HEADING.finditer(text))


def is_anything_unreleased(text: str) -> bool:
    """Return whether there are entries that no version has."""
    try:
        return bool(release_entries(text, _UNRELEASED))
    except ReleaseError:
        return False
