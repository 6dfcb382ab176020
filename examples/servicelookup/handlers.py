"""What both flavours share."""

from __future__ import annotations

from clientgen.runtime.controllers import Request

from .api.servicelookup.v1alpha1 import PodToService


def same_name(record: PodToService) -> list[Request]:
    """The pod of a record, which has its name."""
    return [Request(record.metadata.namespace, record.metadata.name)]
