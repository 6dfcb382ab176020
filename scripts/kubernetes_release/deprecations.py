"""Since when each version of a built-in kind is deprecated, as Go's API types say it.

Read off `zz_generated.prerelease-lifecycle.go` of the types: the release that deprecates a kind,
the one that drops it, and its replacement.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path

__all__ = ["deprecations_table"]

_RELEASE: Final = re.compile(
    r"^func \(in \*(\w+)\) APILifecycle(Deprecated|Removed)\(\).*?return 1, (\d+)$",
    re.DOTALL | re.MULTILINE,
)
_REPLACEMENT: Final = re.compile(
    r"^func \(in \*(\w+)\) APILifecycleReplacement\(\).*?"
    r'Group: "([^"]*)", Version: "(\w+)", Kind: "(\w+)"',
    re.DOTALL | re.MULTILINE,
)
_GROUP: Final = re.compile(r'^const GroupName = "([^"]*)"', re.MULTILINE)


def deprecations_table(
    folder: Path, served: AbstractSet[tuple[str, str]], minor: int
) -> dict[str, list[int | str | None]]:
    """By `apiVersion Kind`: deprecated since, removed in, replacement.

    Args:
        folder: of checkouts of Kubernetes' repositories.
        served: the kinds that a server of this release has, as apiVersion and kind.
        minor: the release. Deprecations of later ones are left out.
    """
    table: dict[str, list[int | str | None]] = {}
    for path in sorted(folder.rglob("zz_generated.prerelease-lifecycle.go")):
        for api_version, kind, entry in _deprecated(path):
            since = entry[0]
            if (api_version, kind) in served and isinstance(since, int) and since <= minor:
                table[f"{api_version} {kind}"] = entry
    return dict(sorted(table.items()))


def _deprecated(path: Path) -> Iterator[tuple[str, str, list[int | str | None]]]:
    group = _GROUP.search(path.with_name("register.go").read_text("utf-8"))
    assert group, path
    version = path.parent.name
    api_version = f"{group[1]}/{version}" if group[1] else version
    text = path.read_text("utf-8")
    releases = {(kind, event): int(minor) for kind, event, minor in _RELEASE.findall(text)}
    instead = {kind: f"{group}/{version} {new}" for kind, group, version, new in _replaced(text)}
    for (kind, event), since in releases.items():
        if event == "Deprecated":
            yield api_version, kind, [since, releases.get((kind, "Removed")), instead.get(kind, "")]


def _replaced(text: str) -> list[tuple[str, str, str, str]]:
    return _REPLACEMENT.findall(text)
