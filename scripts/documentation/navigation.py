"""The navigation of the site, as zensical.toml has it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

Entries: TypeAlias = Sequence["str | Mapping[str, str | Entries]"]


def navigation(root: Path) -> list[tuple[str, str]]:
    """Return the title and the path of each page. The page of a section has the section's title."""
    config = tomllib.loads((root / "zensical.toml").read_text("utf-8"))
    return list(_pages(config["project"]["nav"], ""))


def _pages(entries: Entries, section: str) -> Iterator[tuple[str, str]]:
    for entry in entries:
        if isinstance(entry, str):
            yield section, entry
            continue
        for title, value in entry.items():
            if isinstance(value, str):
                yield title, value
            else:
                yield from _pages(value, title)
