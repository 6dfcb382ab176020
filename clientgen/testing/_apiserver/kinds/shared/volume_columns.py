"""Columns that persistent volumes and the claims on them share."""

from __future__ import annotations

from typing import Final

from ...tables.columns import UNSET, Column, View, field

_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"


def access_modes(view: View, *path: str) -> str:
    """Show access modes in short."""
    named = view.items(*path)
    return ",".join(short for mode, short in _MODES.items() if mode in named)


def phase(view: View) -> str:
    """Show the phase, or that the object is being deleted."""
    return "Terminating" if view.terminating else view.text("status", "phase")


def _storage_class(view: View) -> str:
    annotations: dict[str, str] = view.at("metadata", "annotations") or {}
    return annotations.get(_CLASS, view.text("spec", "storageClassName"))


STORAGE_CLASS: Final = Column("StorageClass", "Its class.", _storage_class)
ATTRIBUTES_CLASS: Final = Column(
    "VolumeAttributesClass",
    "The class of its attributes.",
    field("spec.volumeAttributesClassName", UNSET),
)
VOLUME_MODE: Final = Column(
    "VolumeMode",
    "Whether it holds a file system or raw blocks.",
    field("spec.volumeMode", UNSET),
    priority=1,
    doc="spec.volumeMode",
)
