"""ResourceClaimTemplate: ResourceClaims are made after it, one for each pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import Cause, forbidden_value
from clientgen._apimachinery.labels import annotations_causes, labels_causes
from clientgen._json import part

from ...tables.columns import AGE, NAME, Printer
from ..metadata import MetadataChecks
from ..strategy import Strategy
from .device_requests import REQUEST_TYPES, claim_causes
from .old_versions import as_validated, converted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...served_resources import Resource


class ResourceClaimTemplateStrategy(Strategy):
    """The strategy for ResourceClaimTemplates."""

    types = REQUEST_TYPES
    is_converted = True
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    delete_returns_object = True
    immutable_fields = ("spec",)
    printer = Printer((NAME, AGE))

    def from_version(self, obj: dict[str, Any], source: Resource) -> dict[str, Any]:
        """Move the members of requests."""
        return converted(obj, source, self.resource.version)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the metadata and the requests of the claims."""
        spec = part(as_validated(obj, self.resource), "spec")
        metadata = part(spec, "metadata")
        for member in sorted(metadata.keys() - {"annotations", "labels"}):
            if metadata[member]:
                named = "uID" if member == "uid" else member
                yield forbidden_value(f"spec.metadata.{named}", "cannot be set")
        yield from annotations_causes(metadata.get("annotations"), "spec.metadata.annotations")
        yield from labels_causes(metadata.get("labels"), "spec.metadata.labels")
        yield from claim_causes(part(part(spec, "spec"), "devices"), "spec.spec.devices")
