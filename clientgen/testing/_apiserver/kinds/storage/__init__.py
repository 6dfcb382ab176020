"""The group storage.k8s.io."""

from __future__ import annotations

from .csi_driver import CSIDriverStrategy
from .csi_node import CSINodeStrategy
from .csi_storage_capacity import CSIStorageCapacityStrategy
from .storage_class import StorageClassStrategy
from .volume_attachment import VolumeAttachmentStrategy
from .volume_attributes_class import VolumeAttributesClassStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "CSIDriver": CSIDriverStrategy,
    "CSINode": CSINodeStrategy,
    "CSIStorageCapacity": CSIStorageCapacityStrategy,
    "StorageClass": StorageClassStrategy,
    "VolumeAttachment": VolumeAttachmentStrategy,
    "VolumeAttributesClass": VolumeAttributesClassStrategy,
}
