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

if TYPE_CHECKING:
    from collections.abc import Iterator


class ResourceClaimTemplateStrategy(Strategy):
    """The strategy for ResourceClaimTemplates."""

    types = REQUEST_TYPES
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    delete_returns_object = True
    immutable_fields = ("spec",)
    printer = Printer((NAME, AGE))

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the metadata and the requests of the claims."""
        spec = part(obj, "spec")
        metadata = part(spec, "metadata")
        for member in sorted(metadata.keys() - {"annotations", "labels"}):
            if metadata[member]:
                named = "uID" if member == "uid" else member
                yield forbidden_value(f"spec.metadata.{named}", "cannot be set")
        yield from annotations_causes(metadata.get("annotations"), "spec.metadata.annotations")
        yield from labels_causes(metadata.get("labels"), "spec.metadata.labels")
        yield from claim_causes(part(part(spec, "spec"), "devices"), "spec.spec.devices")
