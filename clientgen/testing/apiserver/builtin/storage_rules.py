"""What kinds that have to do with storage may say and how they may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from ..parts import part, parts, texts
from .checks import immutable, matches, one_of, selector_causes, text
from .quantities import amount
from .texts import qualified_name_problems, subdomain_problems
from .validating import checks, checks_change
from .volumes import source_causes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

__all__ = ["claim_causes"]

_ACCESS: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_MODES: Final = ("Block", "Filesystem")
_RECLAIMS: Final = ("Delete", "Recycle", "Retain")
_CHANGEABLE_CLAIM: Final = ("resources", "volumeAttributesClassName")
_ONCE: Final = ("volumeName", "storageClassName")
"""Members of a claim that are given a value once."""
_FIXED_CLAIM: Final = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName "
    "for bound claims"
)


def _access_modes(modes: list[str], field: str) -> Iterator[Cause]:
    for mode in modes:
        yield from one_of(field, mode, _ACCESS)
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        yield forbidden_value(field, "may not use ReadWriteOncePod with other access modes")


def _size(field: str, quantity: object) -> Iterator[Cause]:
    if amount(quantity) <= 0:
        yield invalid_value(field, quantity, "must be greater than zero")


# --------------------------------------------------------------------------------- claims


@checks("", "persistentvolumeclaims")
def _claim(claim: dict[str, Any]) -> Iterator[Cause]:
    yield from claim_causes(claim["spec"], "spec")


def claim_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with what a claim asks for."""
    modes = texts(spec, "accessModes")
    if not modes:
        yield required(f"{field}.accessModes", "at least 1 access mode is required")
    yield from selector_causes(spec.get("selector"), f"{field}.selector")
    yield from _access_modes(modes, f"{field}.accessModes")
    size = (part(part(spec, "resources"), "requests")).get("storage")
    if size is None:
        yield required(f"{field}.resources[storage]")
    else:
        yield from _size(f"{field}.resources[storage]", size)
    name = spec.get("storageClassName")
    yield from text(f"{field}.storageClassName", name, subdomain_problems, needed=False)
    yield from one_of(f"{field}.volumeMode", spec.get("volumeMode"), _MODES, needed=False)


@checks_change("", "persistentvolumeclaims")
def _claim_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"], old["spec"]
    free = [field for field in _ONCE if before.get(field) in (None, "")]
    if part(old, "status").get("phase") == "Bound":
        free += _CHANGEABLE_CLAIM
    if _without(after, free) != _without(before, free):
        yield forbidden_value("spec", _FIXED_CLAIM)
    if _asked(after) < _asked(before):
        said = "field can not be less than status.capacity"
        yield forbidden_value("spec.resources.requests.storage", said)
    yield from immutable("volumeMode", after.get("volumeMode"), before.get("volumeMode"))


def _without(spec: dict[str, Any], fields: list[str]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key not in fields}


def _asked(spec: dict[str, Any]) -> Decimal:
    """How much storage a claim asks for."""
    return amount(part(part(spec, "resources"), "requests").get("storage", 0))


# -------------------------------------------------------------------------------- volumes


@checks("", "persistentvolumes")
def _volume(volume: dict[str, Any]) -> Iterator[Cause]:
    spec = volume["spec"]
    modes = texts(spec, "accessModes")
    if not modes:
        yield required("spec.accessModes")
    yield from _access_modes(modes, "spec.accessModes")
    yield from _capacity(spec.get("capacity"))
    yield from _volume_source(spec)
    policy = spec.get("persistentVolumeReclaimPolicy")
    yield from one_of("spec.persistentVolumeReclaimPolicy", policy, _RECLAIMS)
    if part(spec, "hostPath").get("path") == "/" and policy == "Recycle":
        said = "may not be 'recycle' for a hostPath mount of '/'"
        yield forbidden_value("spec.persistentVolumeReclaimPolicy", said)
    name = spec.get("storageClassName")
    yield from text("spec.storageClassName", name, subdomain_problems, needed=False)
    yield from one_of("spec.volumeMode", spec.get("volumeMode"), _MODES, needed=False)


def _capacity(capacity: dict[str, Any] | None) -> Iterator[Cause]:
    if not capacity:
        yield required("spec.capacity")
    if not capacity or set(capacity) != {"storage"}:
        yield not_supported("spec.capacity", capacity, ("storage",))
    for name, quantity in (capacity or {}).items():
        yield from _size(f"spec.capacity[{name}]", quantity)
        if amount(quantity) < 0:
            said = "must be a valid resource quantity"
            yield invalid_value(f"spec.capacity[{name}]", quantity, said)


def _volume_source(spec: dict[str, Any]) -> Iterator[Cause]:
    apart = ("capacity", "claimRef", "nodeAffinity")
    sources: dict[str, Any] = {
        name: value for name, value in spec.items() if name not in apart and isinstance(value, dict)
    }
    if not sources:
        yield required("spec", "must specify a volume type")
    yield from source_causes(sources, "spec")
    if "local" in sources and spec.get("nodeAffinity") is None:
        yield required("spec.nodeAffinity", "Local volume requires node affinity")
    if "csi" in sources and not sources["csi"].get("volumeHandle"):
        yield required("spec.csi.volumeHandle")


@checks_change("", "persistentvolumes")
def _volume_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"], old["spec"]
    source = _source_name(before)
    if source and after.get(source) != before.get(source):
        said = "spec.persistentvolumesource is immutable after creation"
        yield forbidden_value("spec.persistentvolumesource", said)
    yield from immutable("volumeMode", after.get("volumeMode"), before.get("volumeMode"))


def _source_name(spec: dict[str, Any]) -> str:
    apart = ("capacity", "claimRef", "nodeAffinity")
    return next((k for k, v in spec.items() if isinstance(v, dict) and k not in apart), "")


# -------------------------------------------------------------------------------- classes


@checks("storage.k8s.io", "storageclasses")
def _storage_class(storage: dict[str, Any]) -> Iterator[Cause]:
    provisioner = storage.get("provisioner") or ""
    if not provisioner:
        yield required("provisioner")
    else:
        yield from matches("provisioner", provisioner.lower(), qualified_name_problems)
    if "" in part(storage, "parameters"):
        yield invalid_value("parameters", "", "field can not be empty.")
    yield from one_of("reclaimPolicy", storage.get("reclaimPolicy"), ("Delete", "Retain"))
    mode = storage.get("volumeBindingMode")
    yield from one_of("volumeBindingMode", mode, ("Immediate", "WaitForFirstConsumer"))


@checks_change("storage.k8s.io", "storageclasses")
def _class_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    for field in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"):
        yield from immutable(field, new.get(field), old.get(field))


@checks("storage.k8s.io", "csidrivers")
def _driver(driver: dict[str, Any]) -> Iterator[Cause]:
    spec = driver["spec"]
    known = ("File", "None", "ReadWriteOnceWithFSType")
    yield from one_of("spec.fsGroupPolicy", spec.get("fsGroupPolicy"), known)
    for mode in texts(spec, "volumeLifecycleModes"):
        yield from one_of("spec.volumeLifecycleModes", mode, ("Persistent", "Ephemeral"))


@checks("storage.k8s.io", "csinodes")
def _csi_node(node: dict[str, Any]) -> Iterator[Cause]:
    for index, driver in enumerate(parts(node["spec"], "drivers")):
        for field in ("name", "nodeID"):
            if not driver.get(field):
                yield required(f"spec.drivers[{index}].{field}")


@checks("storage.k8s.io", "volumeattachments")
def _attachment(attachment: dict[str, Any]) -> Iterator[Cause]:
    spec = attachment["spec"]
    if not spec.get("attacher"):
        yield required("spec.attacher")
    source = part(spec, "source")
    chosen = [name for name in ("inlineVolumeSpec", "persistentVolumeName") if source.get(name)]
    if len(chosen) != 1:
        said = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
        yield required("spec.source", said)
    yield from matches("spec.nodeName", spec.get("nodeName") or "", subdomain_problems)
