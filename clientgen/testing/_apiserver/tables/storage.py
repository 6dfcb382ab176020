"""Tables of volumes, the claims on them, their classes and drivers."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from .columns import AGE, NAME, NONE, UNSET, Column, Printer, View, field, size

__all__ = ["PRINTERS"]

_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_DEFAULT: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def _modes(view: View, *path: str) -> str:
    named = view.items(*path)
    return ",".join(short for mode, short in _MODES.items() if mode in named)


def _phase(view: View) -> str:
    return "Terminating" if view.terminating else view.text("status", "phase")


def _storage_class(view: View) -> str:
    annotations: dict[str, str] = view.at("metadata", "annotations") or {}
    return annotations.get(_CLASS, view.text("spec", "storageClassName"))


def _claim(view: View) -> str:
    claim = view.at("spec", "claimRef")
    return "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}"


_ATTRIBUTES: Final = field("spec.volumeAttributesClassName", UNSET)
_VOLUME_MODE: Final = Column(
    "VolumeMode",
    "Whether it holds a file system or raw blocks.",
    field("spec.volumeMode", UNSET),
    priority=1,
    doc="spec.volumeMode",
)

_VOLUME: Final = (
    NAME,
    Column("Capacity", "Its size.", field("spec.capacity.storage", "0"), doc="spec.capacity"),
    Column(
        "Access Modes",
        "How it can be mounted.",
        lambda view: _modes(view, "spec", "accessModes"),
        doc="spec.accessModes",
    ),
    Column(
        "Reclaim Policy",
        "What becomes of it when its claim is gone.",
        field("spec.persistentVolumeReclaimPolicy"),
        doc="spec.persistentVolumeReclaimPolicy",
    ),
    Column("Status", "Whether it is bound.", _phase, doc="status.phase"),
    Column("Claim", "The claim it is bound to.", _claim, doc="spec.claimRef"),
    Column("StorageClass", "Its class.", _storage_class),
    Column("VolumeAttributesClass", "The class of its attributes.", _ATTRIBUTES),
    Column("Reason", "Why it failed.", field("status.reason"), doc="status.reason"),
    AGE,
    _VOLUME_MODE,
)


def _if_bound(view: View, text: str) -> str:
    """A claim without a volume has neither size nor modes yet."""
    return text if view.text("spec", "volumeName") else ""


_VOLUME_CLAIM: Final = (
    NAME,
    Column("Status", "Whether it is bound.", _phase, doc="status.phase"),
    Column("Volume", "The volume it has.", field("spec.volumeName"), doc="spec.volumeName"),
    Column(
        "Capacity",
        "The volume's size.",
        lambda view: _if_bound(view, view.text("status", "capacity", "storage") or "0"),
        doc="status.capacity",
    ),
    Column(
        "Access Modes",
        "How the volume can be mounted.",
        lambda view: _if_bound(view, _modes(view, "status", "accessModes")),
        doc="status.accessModes",
    ),
    Column("StorageClass", "Its class.", _storage_class),
    Column("VolumeAttributesClass", "The class of its attributes.", _ATTRIBUTES),
    AGE,
    _VOLUME_MODE,
)


def _name_of_class(view: View) -> str:
    annotations: dict[str, str] = view.at("metadata", "annotations") or {}
    default = any(annotations.get(key) == "true" for key in _DEFAULT)
    return f"{view.name} (default)" if default else view.name


_STORAGE_CLASS: Final = (
    replace(NAME, cell=_name_of_class),
    Column("Provisioner", "What makes the volumes.", field("provisioner"), doc="provisioner"),
    Column(
        "ReclaimPolicy",
        "What becomes of volumes when claims are gone.",
        field("reclaimPolicy", "Delete"),
        doc="reclaimPolicy",
    ),
    Column(
        "VolumeBindingMode",
        "When claims get their volumes.",
        field("volumeBindingMode", "Immediate"),
        doc="volumeBindingMode",
    ),
    Column(
        "AllowVolumeExpansion",
        "Whether volumes can grow.",
        field("allowVolumeExpansion", missing=False),
        doc="allowVolumeExpansion",
    ),
    AGE,
)

_ATTRIBUTES_CLASS: Final = (
    NAME,
    Column("DriverName", "The driver it is for.", field("driverName"), doc="driverName"),
    AGE,
)

_ATTACHMENT: Final = (
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

# ------------------------------------------------------------------ CSI


def _yes_or_no(name: str, about: str, member: str, *, missing: bool = False) -> Column:
    path = f"spec.{member}"
    return Column(name, about, field(path, missing=missing), type="boolean", doc=path)


def _audiences(view: View) -> str:
    requests = view.at("spec", "tokenRequests")
    if requests is None:
        return UNSET
    return ",".join(each.get("audience", "") for each in requests)


_CSI_DRIVER: Final = (
    NAME,
    _yes_or_no(
        "AttachRequired", "Whether volumes are attached first.", "attachRequired", missing=True
    ),
    _yes_or_no("PodInfoOnMount", "Whether it is told of the Pod.", "podInfoOnMount"),
    _yes_or_no("StorageCapacity", "Whether it tells what room it has.", "storageCapacity"),
    Column("TokenRequests", "Whom it gets tokens for.", _audiences, doc="spec.tokenRequests"),
    _yes_or_no("RequiresRepublish", "Whether mounts are renewed.", "requiresRepublish"),
    Column(
        "Modes",
        "The kinds of volumes it serves.",
        lambda view: ",".join(view.items("spec", "volumeLifecycleModes")) or NONE,
        doc="spec.volumeLifecycleModes",
    ),
    AGE,
)

_CSI_NODE: Final = (
    NAME,
    Column("Drivers", "How many drivers the node has.", size("spec.drivers"), type="integer"),
    AGE,
)

PRINTERS: Final = {
    ("", "PersistentVolume"): Printer(_VOLUME),
    ("", "PersistentVolumeClaim"): Printer(_VOLUME_CLAIM),
    ("storage.k8s.io", "StorageClass"): Printer(_STORAGE_CLASS),
    ("storage.k8s.io", "VolumeAttributesClass"): Printer(_ATTRIBUTES_CLASS),
    ("storage.k8s.io", "VolumeAttachment"): Printer(_ATTACHMENT),
    ("storage.k8s.io", "CSIDriver"): Printer(_CSI_DRIVER),
    ("storage.k8s.io", "CSINode"): Printer(_CSI_NODE),
}
