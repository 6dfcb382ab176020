"""VolumeAttachment: a volume that is attached to a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    required,
    too_long,
)
from clientgen._apimachinery.name_syntax import subdomain_problems
from clientgen._json import part

from ...tables.columns import AGE, NAME, Column, Printer, field
from ..metadata import MetadataChecks
from ..shared.class_parameters import MAX_BYTES, size_causes
from ..shared.common_checks import (
    driver_name,
    matches,
)
from ..shared.persistent_volumes import volume_causes
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_MESSAGE: Final = 1024

_COLUMNS: Final = (
    NAME,
    Column(
        "Attacher", "Who attaches it.", field("spec.attacher"), format="name", doc="spec.attacher"
    ),
    Column(
        "PV",
        "The volume.",
        field("spec.source.persistentVolumeName"),
        doc="spec.source.persistentVolumeName",
    ),
    Column("Node", "Where it is attached.", field("spec.nodeName"), doc="spec.nodeName"),
    Column(
        "Attached",
        "Whether it is attached by now.",
        field("status.attached", missing=False),
        type="boolean",
        doc="status.attached",
    ),
    AGE,
)


class VolumeAttachmentStrategy(Strategy):
    """The strategy for VolumeAttachments."""

    metadata_checks = MetadataChecks.WHOLE_AGAIN
    metadata_kept_by_status = ("labels", "annotations", "finalizers", "ownerReferences")
    delete_returns_object = True
    allow_unconditional_update = False
    immutable_fields = ("spec",)
    printer = Printer(_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check driver, volume, node and status."""
        spec = obj["spec"]
        yield from driver_name("spec.attacher", spec.get("attacher"))
        source = part(spec, "source")
        inline, name = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
        why = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
        if inline is None and name is None:
            yield required("spec.source", why)
        elif inline is not None and name is not None:
            yield forbidden_value("spec.source", why)
        elif inline is not None:
            yield from volume_causes(inline, "spec.source.inlineVolumeSpec", inline=True)
        elif not name:
            at = "spec.source.persistentVolumeName"
            yield required(at, "must specify non empty persistentVolumeName")
        yield from matches("spec.nodeName", spec.get("nodeName") or "", subdomain_problems)
        if name is not None:
            yield from matches("spec.source.persistentVolumeName", name, subdomain_problems)
        yield from _status_causes(part(obj, "status"))

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the attachment as a whole."""
        yield from self.validate(new)


def _status_causes(status: dict[str, Any]) -> Iterator[Cause]:
    yield from size_causes(part(status, "attachmentMetadata"), "status.attachmentMetadata")
    for member in ("attachError", "detachError"):
        error, at = part(status, member), f"status.{member}"
        if len((error.get("message") or "").encode()) > _MAX_MESSAGE:
            yield too_long(f"{at}.message", f"may not be more than {MAX_BYTES} bytes")
        if (error.get("errorCode") or 0) < 0:
            why = "must be between 0 and 2147483647, inclusive"
            yield invalid_value(f"{at}.errorCode", error["errorCode"], why)
