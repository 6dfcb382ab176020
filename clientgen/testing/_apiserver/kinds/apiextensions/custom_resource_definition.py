"""CustomResourceDefinition: names, versions and schemas of custom resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen import _apiextensions
from clientgen._json import part, parts, texts

from ..immutable_parts import count_generation, restore, restore_all_but_status
from ..strategy import Strategy

if TYPE_CHECKING:
    from datetime import datetime

    from clientgen._apimachinery.failures import Cause

    from ...object_reader import ObjectReader

CLEANUP: Final = "customresourcecleanup.apiextensions.k8s.io"
"""The finalizer that keeps a definition until its instances are gone."""


class CustomResourceDefinitionStrategy(Strategy):
    """The strategy for CustomResourceDefinitions."""

    allow_unconditional_update = False
    conflict_names_resource = True

    def default(self, value: dict[str, Any], *, keep_nulls: bool = False) -> None:
        """Derive names from others; the conversion is None."""
        _apiextensions.default_definition(value)

    def before_create(self, value: dict[str, Any], reader: ObjectReader) -> None:
        """Set a status without conditions; the storage version is the first one stored."""
        value["metadata"]["generation"] = 1
        names = {"kind": "", "plural": ""}
        stored = _storage_version(value)
        value["status"] = {"acceptedNames": names, "conditions": None, "storedVersions": stored}

    def before_update(
        self, new: dict[str, Any], old: dict[str, Any], subresource: str, reader: ObjectReader
    ) -> None:
        """Keep status and spec apart; add a new storage version to the stored ones."""
        if subresource == "status":
            restore_all_but_status(new, old)
            if not part(new, "status").get("storedVersions"):
                new.setdefault("status", {})["storedVersions"] = _storage_version(new)
            return
        restore(new, old, "status")
        count_generation(new, old, with_status=False)
        stored = texts(part(new, "status"), "storedVersions")
        for version in _storage_version(new):  # the validation refuses more than one
            if version not in stored:
                new.setdefault("status", {})["storedVersions"] = [*stored, version]

    def causes(
        self,
        new: dict[str, Any],
        old: dict[str, Any] | None,
        subresource: str,
        reader: ObjectReader,
    ) -> list[Cause]:
        """Apply the rules for definitions, and for structural schemas."""
        return [] if subresource == "status" else _apiextensions.validate_definition(new, old)

    def warnings(
        self, new: dict[str, Any], old: dict[str, Any] | None, subresource: str
    ) -> list[str]:
        """Warn of formats that mean nothing."""
        return _apiextensions.definition_warnings(new, old)

    def begin_deletion(self, obj: dict[str, Any], now: datetime) -> bool:
        """Only mark a definition: its controller deletes the instances, then the definition."""
        metadata = obj["metadata"]
        if metadata.get("deletionTimestamp"):
            return False
        metadata["deletionTimestamp"] = now.strftime("%Y-%m-%dT%H:%M:%SZ")
        present = texts(metadata, "finalizers")
        metadata["finalizers"] = present if CLEANUP in present else [*present, CLEANUP]
        obj["status"] = _apiextensions.ending(obj, now, begun=False)
        return True


def _storage_version(definition: dict[str, Any]) -> list[str]:
    versions = parts(part(definition, "spec"), "versions")
    return [each["name"] for each in versions if each.get("storage") and "name" in each][:1]
