"""PersistentVolume: storage that the cluster has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value
from clientgen._json import is_object, part, parts

from ...tables.columns import AGE, NAME, Column, Printer, View, field
from ..defaults import TypeDefaults, set_empty, set_missing
from ..metadata import MetadataChecks
from ..shared.common_checks import immutable
from ..shared.node_labels import expression_warnings
from ..shared.persistent_volumes import NOT_SOURCES, volume_causes
from ..shared.protection_finalizers import protect
from ..shared.volume_columns import (
    ATTRIBUTES_CLASS,
    STORAGE_CLASS,
    VOLUME_MODE,
    access_modes,
    phase,
)
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...object_reader import ObjectReader

_EXPANDS: Final = "controllerExpandSecretRef"
_BETA_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_VOLUME_ANNOTATIONS: Final[Mapping[str, str]] = {
    _BETA_CLASS: 'deprecated since v1.8; use "storageClassName" attribute instead',
    "volume.beta.kubernetes.io/mount-options": (
        'deprecated since v1.31; use "mountOptions" attribute instead'
    ),
}
_VOLUMES: Final[Mapping[str, str]] = {
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_SHOWN_AS: Final[Mapping[str, str]] = {"storageos": "storageOS"}


def _claim(view: View) -> str:
    claim = view.at("spec", "claimRef")
    return "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}"


_COLUMNS: Final = (
    NAME,
    Column("Capacity", "Its size.", field("spec.capacity.storage", "0"), doc="spec.capacity"),
    Column(
        "Access Modes",
        "How it can be mounted.",
        lambda view: access_modes(view, "spec", "accessModes"),
        doc="spec.accessModes",
    ),
    Column(
        "Reclaim Policy",
        "What becomes of it when its claim is gone.",
        field("spec.persistentVolumeReclaimPolicy"),
        doc="spec.persistentVolumeReclaimPolicy",
    ),
    Column("Status", "Whether it is bound.", phase, doc="status.phase"),
    Column("Claim", "The claim it is bound to.", _claim, doc="spec.claimRef"),
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    Column("Reason", "Why it failed.", field("status.reason"), doc="status.reason"),
    AGE,
    VOLUME_MODE,
)


def _set_defaults(volume: dict[str, Any]) -> None:
    spec = volume.setdefault("spec", {})
    set_empty(spec, persistentVolumeReclaimPolicy="Retain")
    set_missing(spec, volumeMode="Filesystem")
    volume["status"] = part(volume, "status")
    set_empty(volume["status"], phase="Pending")


class PersistentVolumeStrategy(Strategy):
    """The strategy for PersistentVolumes."""

    types = {"core.v1.PersistentVolume": TypeDefaults(fill=_set_defaults)}
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    delete_returns_object = True
    printer = Printer(_COLUMNS)

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Protect the volume, and note that it is pending since now."""
        protect(obj, "kubernetes.io/pv-protection")
        obj["status"] = {"phase": "Pending", "lastPhaseTransitionTime": _now(reader)}

    def prepare_for_status_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Note the time of a change of the phase, unless the client does."""
        before, after = part(old, "status"), part(new, "status")
        previous = before.get("lastPhaseTransitionTime")
        is_noted = after.get("lastPhaseTransitionTime") not in (None, previous)
        if after.get("phase") != before.get("phase") and not is_noted:
            after["lastPhaseTransitionTime"] = _now(reader)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the spec."""
        yield from volume_causes(obj["spec"], "spec")

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the source, the mode and the place of the volume."""
        yield from self.validate(new)
        after, before = new["spec"], old["spec"]
        yield from self.validate(new)  # the server looks at it twice
        if _sources(after, before) != _sources(before, before):
            why = "spec.persistentvolumesource is immutable after creation"
            yield forbidden_value("spec.persistentvolumesource", why)
        yield from immutable("volumeMode", after.get("volumeMode"), before.get("volumeMode"))
        name, named = "volumeAttributesClassName", before.get("volumeAttributesClassName")
        if named is not None and after.get(name) is None:
            yield forbidden_value(f"spec.{name}", "update from non-nil value to nil is forbidden")
        if before.get("nodeAffinity") is not None:
            affinity = after.get("nodeAffinity")
            yield from immutable("nodeAffinity", affinity, before["nodeAffinity"])

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of deprecated annotations, policies and sources."""
        yield from _warnings(new)


def _now(reader: ObjectReader) -> str:
    return reader.now().strftime("%Y-%m-%dT%H:%M:%SZ")


def _warnings(volume: dict[str, Any]) -> Iterator[str]:
    spec = volume["spec"]
    for name, why in _VOLUME_ANNOTATIONS.items():
        if name in part(volume["metadata"], "annotations"):
            yield f"metadata.annotations[{name}]: {why}"
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        why = "Instead, the recommended approach is to use dynamic provisioning."
        at = "spec.persistentVolumeReclaimPolicy"
        yield f"{at}: The Recycle reclaim policy is deprecated. {why}"
    terms = parts(part(part(spec, "nodeAffinity"), "required"), "nodeSelectorTerms")
    for index, term in enumerate(terms):
        at = f"spec.nodeAffinity.required.nodeSelectorTerms[{index}]"
        yield from expression_warnings(term, at)
    for kind, why in _VOLUMES.items():
        if spec.get(kind) is not None:
            yield f"spec.{_SHOWN_AS.get(kind, kind)}: {why}"


def _sources(spec: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return the source of a volume; a secret to expand it with may be added later."""
    sources: dict[str, Any] = {
        k: v for k, v in spec.items() if k not in NOT_SOURCES and is_object(v)
    }
    if "csi" in sources and _EXPANDS not in part(old, "csi"):
        sources["csi"] = {k: v for k, v in part(sources, "csi").items() if k != _EXPANDS}
    return sources
