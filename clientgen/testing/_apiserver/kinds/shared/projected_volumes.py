"""Projected volumes: several sources of files in one directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value, required
from clientgen._json import parts

from .common_checks import relative_path
from .volume_items import downward_causes, items_causes, mode_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_KINDS: Final = ("secret", "configMap", "downwardAPI", "serviceAccountToken")
_MIN_TOKEN_SECONDS: Final = 600
_MAX_TOKEN_SECONDS: Final = 2**32


def projected_causes(source: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check the sources of a projected volume."""
    yield from mode_causes(f"{field}.defaultMode", source.get("defaultMode"))
    taken: set[str] = set()
    for index, projection in enumerate(parts(source, "sources")):
        at = f"{field}.sources[{index}]"
        chosen = [kind for kind in _KINDS if projection.get(kind) is not None]
        for kind in chosen:
            yield from _source(kind, projection[kind], f"{at}.{kind}", field)
            for path, shown in _paths(kind, projection[kind]):
                if path in taken:
                    yield invalid_value(field, shown, "conflicting duplicate paths")
                taken.add(path)
        if len(chosen) > 1:
            yield forbidden_value(at, "may not specify more than 1 volume type")


def _paths(kind: str, source: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """List the files that a source makes, and how the server calls each."""
    if kind in ("secret", "configMap", "downwardAPI"):
        for item in parts(source, "items"):
            path = item.get("path") or ""
            if path:
                yield path, path if kind == "downwardAPI" else source.get("name") or ""


def _source(kind: str, source: dict[str, Any], at: str, field: str) -> Iterator[Cause]:
    if kind in ("secret", "configMap"):
        if not source.get("name"):
            yield required(f"{at}.name")
        yield from items_causes(source, at)
    elif kind == "downwardAPI":
        yield from downward_causes(source, at)
    else:
        yield from _token(source, at, field)


def _token(token: dict[str, Any], at: str, field: str) -> Iterator[Cause]:
    seconds = token.get("expirationSeconds") or 0
    if seconds < _MIN_TOKEN_SECONDS:
        why = "may not specify a duration less than 10 minutes"
        yield invalid_value(f"{at}.expirationSeconds", seconds, why)
    if seconds > _MAX_TOKEN_SECONDS:
        why = "may not specify a duration larger than 2^32 seconds"
        yield invalid_value(f"{at}.expirationSeconds", seconds, why)
    if not token.get("path"):
        yield required(f"{field}.path")
    else:
        yield from _own_path(f"{field}.path", token["path"])


def _own_path(field: str, path: str) -> Iterator[Cause]:
    """Check a path within the volume; some are the kubelet's own."""
    yield from relative_path(field, path)
    if path.startswith("..") and not path.startswith("../"):
        yield invalid_value(field, path, "must not start with '..'")
