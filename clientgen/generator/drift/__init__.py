"""Differences between two packages, as users notice them.

The existing package is read, never imported, and compared with what would be written.
"""

from __future__ import annotations

from collections.abc import Callable

from clientgen.generator.drift.code import same_code
from clientgen.generator.drift.contents import contents
from clientgen.generator.drift.drift_report import changes
from clientgen.generator.drift.moves import Move, moves
from clientgen.generator.package_manifest import Manifest

__all__ = ["Move", "Read", "drift", "moves", "same_code"]

Read = Callable[[str], str | None]
"""Gives the text of a file by its path in the package; None if there is none."""


def drift(old: Manifest, read_old: Read, new: Manifest, read_new: Read) -> tuple[str, ...]:
    """List the changes, a line each: kinds first, then types, then the names of modules.

    Args:
        old: the manifest of the package that is there.
        read_old: reads its files.
        new: the manifest of what would be written, with its files.
        read_new: reads those.
    """
    differing = {path for path in old.files.keys() | new.files.keys() if _differs(path, old, new)}
    before = contents(old, read_old, differing)
    after = contents(new, read_new, differing)
    return (*changes(before, after), *(str(move) for move in moves(old, new)))


def _differs(path: str, old: Manifest, new: Manifest) -> bool:
    return old.files.get(path) != new.files.get(path)
