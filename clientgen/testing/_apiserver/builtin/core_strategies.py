"""What creating and changing objects of the core group brings with it, Pods and Services apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import forbidden
from clientgen._apimachinery.optional_parts import part, texts

from ..kinds.shared.quantities import amount
from .strategies import on_create, on_update

if TYPE_CHECKING:
    from decimal import Decimal

    from ..object_reader import ObjectReader

__all__: list[str] = []

_SOURCES: Final = (
    ("", "PersistentVolumeClaim"),
    ("snapshot.storage.k8s.io", "VolumeSnapshot"),
)


# ----------------------------------------------------------------------------- namespaces


# ---------------------------------------------------------------------------------- nodes


# -------------------------------------------------------------------------------- storage


def _protect(obj: dict[str, Any], finalizer: str) -> None:
    finalizers = texts(obj["metadata"], "finalizers")
    if finalizer not in finalizers:
        obj["metadata"]["finalizers"] = [*finalizers, finalizer]


@on_create("", "persistentvolumes")
def _create_volume(volume: dict[str, Any], reader: ObjectReader) -> None:
    _protect(volume, "kubernetes.io/pv-protection")
    now = reader.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    volume["status"] = {"phase": "Pending", "lastPhaseTransitionTime": now}


@on_update("", "persistentvolumes", "status")
def _update_volume_status(new: dict[str, Any], old: dict[str, Any], reader: ObjectReader) -> None:
    before, after = part(old, "status"), part(new, "status")
    given = after.get("lastPhaseTransitionTime")
    if after.get("phase") != before.get("phase") and given in (
        None,
        before.get("lastPhaseTransitionTime"),
    ):
        after["lastPhaseTransitionTime"] = reader.now().strftime("%Y-%m-%dT%H:%M:%SZ")


@on_create("", "persistentvolumeclaims")
def _create_claim(claim: dict[str, Any], reader: ObjectReader) -> None:
    _protect(claim, "kubernetes.io/pvc-protection")
    spec = claim["spec"]
    _drop_sources(spec)
    _agree_on_source(spec)
    legacy = "volume.beta.kubernetes.io/storage-class"
    if spec.get("storageClassName") is None and legacy not in (
        part(claim["metadata"], "annotations")
    ):
        found = _chosen_by_default(
            reader.list("storage.k8s.io", "storageclasses"),
            "storageclass.kubernetes.io/is-default-class",
            "storageclass.beta.kubernetes.io/is-default-class",
        )
        if found:
            spec["storageClassName"] = found


@on_update("", "persistentvolumeclaims")
def _update_claim(new: dict[str, Any], old: dict[str, Any], reader: ObjectReader) -> None:
    """A bound claim grows only if its storage class allows it (PersistentVolumeClaimResize)."""
    before, after = (_size(each) for each in (old, new))
    if after <= before or part(old, "status").get("phase") != "Bound":
        return
    name = old["spec"].get("storageClassName") or ""
    found = reader.get("storage.k8s.io", "storageclasses", "", name) if name else None
    if not (found or {}).get("allowVolumeExpansion"):
        why = (
            "only dynamically provisioned pvc can be resized and the storageclass that provisions "
            "the pvc must support resize"
        )
        raise forbidden("", "persistentvolumeclaims", new["metadata"]["name"], why)


def _size(claim: dict[str, Any]) -> Decimal:
    return amount(part(part(claim["spec"], "resources"), "requests").get("storage", 0))


def _drop_sources(spec: dict[str, Any]) -> None:
    """Take away sources of kinds that are none, and namespaces, which a feature gate keeps off."""
    source = part(spec, "dataSource")
    if source and (source.get("apiGroup") or "", source.get("kind")) not in _SOURCES:
        del spec["dataSource"]
    part(spec, "dataSourceRef").pop("namespace", None)


def _agree_on_source(spec: dict[str, Any]) -> None:
    """The old member for the data source says the same as the new one."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source and not reference:
        spec["dataSourceRef"] = dict(source)
    elif reference and not source and not reference.get("namespace"):
        spec["dataSource"] = dict(reference)


@on_create("storage.k8s.io", "volumeattributesclasses")
def _create_attributes_class(attributes: dict[str, Any], reader: ObjectReader) -> None:
    del reader
    _protect(attributes, "kubernetes.io/vac-protection")


def _chosen_by_default(classes: list[dict[str, Any]], *annotations: str) -> str:
    """The name of the youngest class that is marked as the default one."""
    marked = [
        each["metadata"]
        for each in classes
        if any(
            part(each["metadata"], "annotations").get(annotation) == "true"
            for annotation in annotations
        )
    ]
    marked.sort(key=lambda metadata: metadata["name"])
    youngest = max(marked, key=lambda metadata: metadata["creationTimestamp"], default=None)
    return youngest["name"] if youngest else ""


@on_create("networking.k8s.io", "ingresses")
def _create_ingress(ingress: dict[str, Any], reader: ObjectReader) -> None:
    annotated = "kubernetes.io/ingress.class" in part(ingress["metadata"], "annotations")
    if ingress["spec"].get("ingressClassName") is not None or annotated:
        return
    classes = reader.list("networking.k8s.io", "ingressclasses")
    found = _chosen_by_default(classes, "ingressclass.kubernetes.io/is-default-class")
    if found:
        ingress["spec"]["ingressClassName"] = found


# ----------------------------------------------------------------------------- small kinds
