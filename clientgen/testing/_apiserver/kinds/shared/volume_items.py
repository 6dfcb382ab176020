"""Files in volumes that are made of other objects' content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._json import parts

from .common_checks import relative_path
from .container_validation import field_reference, resource_reference

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_MODE: Final = 0o777
_VOLUME_FIELDS: Final = frozenset(
    {
        "metadata.name",
        "metadata.namespace",
        "metadata.labels",
        "metadata.annotations",
        "metadata.uid",
    }
)


def mode_causes(field: str, mode: int | None) -> Iterator[Cause]:
    """Check the mode of a file."""
    if mode is not None and not 0 <= mode <= _MAX_MODE:
        why = "must be a number between 0 and 0777 (octal), both inclusive"
        yield invalid_value(field, mode, why)


def items_causes(source: dict[str, Any], field: str) -> Iterator[Cause]:
    """Which keys of a source become files, and where."""
    for index, item in enumerate(parts(source, "items")):
        at = f"{field}.items[{index}]"
        if not item.get("key"):
            yield required(f"{at}.key")
        path = item.get("path") or ""
        if not path:
            yield required(f"{at}.path")
        yield from relative_path(f"{at}.path", path)
        yield from mode_causes(f"{at}.mode", item.get("mode"))


def downward_causes(source: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check the files of a downward API volume."""
    yield from mode_causes(f"{field}.defaultMode", source.get("defaultMode"))
    for item in parts(source, "items"):
        if not item.get("path"):
            yield required(f"{field}.path")
        yield from relative_path(f"{field}.path", item.get("path") or "")
        if item.get("fieldRef") is not None:
            yield from field_reference(item["fieldRef"], f"{field}.fieldRef", _VOLUME_FIELDS)
            if item.get("resourceFieldRef") is not None:
                why = "fieldRef and resourceFieldRef can not be specified simultaneously"
                yield invalid_value(field, "resource", why)
        elif item.get("resourceFieldRef") is not None:
            at = f"{field}.resourceFieldRef"
            yield from resource_reference(item["resourceFieldRef"], at, volume=True)
        else:
            yield required(field, "one of fieldRef and resourceFieldRef is required")
        yield from mode_causes(f"{field}.mode", item.get("mode"))
