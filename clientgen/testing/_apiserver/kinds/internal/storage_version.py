"""StorageVersion: the version in which servers write a resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._apimachinery.name_syntax import (
    path_segment_problems,
    service_label_problems,
    subdomain_problems,
)

from ...tables.columns import AGE, NAME, UNSET, Column, Printer, View, field, some_of
from ..shared.common_checks import matches
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def _storage_versions(view: View) -> str:
    versions = [
        f"{each.get('apiServerID', '')}={each.get('encodingVersion', '')}"
        for each in view.items("status", "storageVersions")
    ]
    return some_of(versions, len(versions), missing=UNSET)


_COLUMNS: Final = (
    NAME,
    Column(
        "CommonEncodingVersion",
        "The version all servers write.",
        field("status.commonEncodingVersion", UNSET),
        doc="status.commonEncodingVersion",
    ),
    Column(
        "StorageVersions",
        "The version each server writes.",
        _storage_versions,
        doc="status.storageVersions",
    ),
    AGE,
)


class StorageVersionStrategy(Strategy):
    """The strategy for StorageVersions."""

    allow_unconditional_update = False
    printer = Printer(_COLUMNS)

    def name_problems(self, name: str) -> list[str]:
        """Allow every name that can be part of a path."""
        return path_segment_problems(name)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the name of a new object."""
        name = obj["metadata"].get("name") or ""
        group, dot, resource = name.rpartition(".")
        if not dot:
            why = "name must be in the form of <group>.<resource>"
            yield invalid_value("metadata.name", name, why)
        else:
            yield from matches("metadata.name", resource, service_label_problems)
            yield from matches("metadata.name", group, subdomain_problems)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterable[Cause]:
        """Allow every change: the name stays."""
        return ()
