"""Groups whose package has another name than before: every import of it breaks.

The package of a group is its first label. When another group with that label comes, both take one
more (`config` -> `config_k8ssandra`), unless `[rename]` says which of them keeps the short name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clientgen._gvk import GroupVersion
from clientgen.generator.package_manifest import Manifest


@dataclass(frozen=True, slots=True)
class Move:
    """A group, what its package was called, and what it is called now."""

    group: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"~ {self.group}: its package `{self.old}` becomes `{self.new}`"

    @property
    def keeping(self) -> str:
        """The line below `[rename]` that keeps the old name."""
        return f'"{self.group}" = "{self.old}"'


def moves(old: Manifest | None, new: Manifest) -> tuple[Move, ...]:
    """The groups whose package has another name in the new manifest, in order."""
    if old is None:
        return ()
    before, after = dict(_packages(old)), dict(_packages(new))
    return tuple(
        Move(group, before[group], after[group])
        for group in sorted(before.keys() & after.keys())
        if before[group] != after[group]
    )


def _packages(manifest: Manifest) -> Iterator[tuple[str, str]]:
    for group_version, folder in (manifest.group_versions or {}).items():
        yield GroupVersion.parse(group_version).group or "core", folder.partition("/")[0]
