"""Paths within a volume that hide each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clientgen._json import part, parts

from .ip_warnings import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class _Path:
    path: str
    source: str = ""

    def __str__(self) -> str:
        return f"{quoted(self.path)} ({self.source})" if self.source else quoted(self.path)


@dataclass(slots=True)
class _Folder:
    """A place in a tree of paths: those that end here, and what is below."""

    paths: list[_Path] = field(default_factory=list[_Path])
    below: dict[str, _Folder] = field(default_factory=dict[str, "_Folder"])

    def meet(self, path: _Path) -> Iterator[_Path]:
        """Add a path to the tree; those that are the same, above it or below it."""
        at = self
        for name in path.path.split("/"):
            at = at.below.setdefault(name, _Folder())
            yield from at.paths
        inner = list(at.below.values())
        while inner:
            folder = inner.pop()
            yield from folder.paths
            inner += folder.below.values()
        at.paths.append(path)


def overlap_warnings(volumes: list[dict[str, Any]]) -> Iterator[str]:
    """Warn of paths within a volume that hide each other."""
    for volume in volumes:
        for kind, title, name in (
            ("configMap", "ConfigMap", "name"),
            ("secret", "Secret", "secretName"),
            ("downwardAPI", "DownwardAPI", ""),
        ):
            source = part(volume, kind)
            shown = f"{title} {quoted(source.get(name) or '')}" if name else title
            yield from _warnings(volume, shown, _overlaps(_paths(source)))
        yield from _projected(volume)


def _warnings(volume: dict[str, Any], kind: str, overlaps: Iterable[str]) -> Iterator[str]:
    name = quoted(volume.get("name") or "")
    yield from (f"volume {name} ({kind}): overlapping paths: {each}" for each in overlaps)


def _paths(source: dict[str, Any], shown: str = "") -> list[_Path]:
    return [_Path((item.get("path") or "").rstrip("/"), shown) for item in parts(source, "items")]


def _overlaps(paths: Iterable[_Path]) -> Iterator[str]:
    root = _Folder()
    for path in paths:
        if path.path:
            yield from (f"{path} with {other}" for other in root.meet(path))


def _projected(volume: dict[str, Any]) -> Iterator[str]:
    paths: list[_Path] = []
    for source in parts(part(volume, "projected"), "sources"):
        if not any(value is not None for value in source.values()):
            name = quoted(volume.get("name") or "")
            yield f"volume {name} (Projected) has no sources provided"
        paths += _source_paths(source)
    yield from _warnings(volume, "Projected", _overlaps(paths))


def _source_paths(source: dict[str, Any]) -> list[_Path]:
    for kind, title in (("configMap", "ConfigMap"), ("secret", "Secret")):
        if part(source, kind).get("items") is not None:
            return _paths(source[kind], f"{title} {quoted(source[kind].get('name') or '')}")
    if part(source, "downwardAPI").get("items") is not None:
        return _paths(source["downwardAPI"], "DownwardAPI")
    token = part(source, "serviceAccountToken")
    return [_Path((token.get("path") or "").rstrip("/"), "ServiceAccountToken")] if token else []
