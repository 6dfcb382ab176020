"""What kinds that have to do with storage may say and how they may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.decoding.guards import is_object
from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import qualified_name_problems, subdomain_problems
from clientgen._apimachinery.optional_parts import part, texts

from ..kinds.shared.checks import immutable, one_of, text
from ..kinds.shared.pod_scheduling import node_selector_causes
from ..kinds.shared.quantities import amount
from ..kinds.shared.volume_claims import MODES, access_mode_causes, claim_causes, size_causes
from ..kinds.shared.volumes import source_causes
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

__all__ = ["volume_causes"]

_RECLAIMS: Final = ("Delete", "Recycle", "Retain")
_CHANGEABLE_CLAIM: Final = ("resources", "volumeAttributesClassName")
_RESIZES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizePending",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
)
_NOT_SOURCES: Final = ("capacity", "claimRef", "nodeAffinity")
_EXPANDS: Final = "controllerExpandSecretRef"
_FIXED_CLAIM: Final = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName "
    "for bound claims"
)


# --------------------------------------------------------------------------------- claims


@checks("", "persistentvolumeclaims")
def _claim(claim: dict[str, Any]) -> Iterator[Cause]:
    yield from claim_causes(claim["spec"], "spec")


@checks_change("", "persistentvolumeclaims", part="status")
def _claim_status_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    status = part(new, "status")
    yield from _not_negative(part(status, "capacity"), "status.capacity")
    at = "status.allocatedResourceStatuses"
    for name, state in part(status, "allocatedResourceStatuses").items():
        yield from _resource_key(name, at)
        if state not in _RESIZES:
            yield not_supported(at, name, _RESIZES)
    for name, size in part(status, "allocatedResources").items():
        problems = list(_resource_key(name, "status.allocatedResources"))
        yield from problems or _not_negative({name: size}, "status.allocatedResources")


def _resource_key(name: str, field: str) -> Iterator[Cause]:
    problems = qualified_name_problems(name)
    yield from (invalid_value(field, name, problem) for problem in problems)
    domain, slash, _ = name.rpartition("/")
    native = not slash or domain == "kubernetes.io" or domain.endswith(".kubernetes.io")
    if not problems and native and name != "storage":
        yield not_supported(field, name, ("storage",))


def _not_negative(amounts: dict[str, Any], field: str) -> Iterator[Cause]:
    for name, size in amounts.items():
        if amount(size) < 0:
            yield invalid_value(f"{field}[{name}]", size, "must be a valid resource quantity")


@checks_change("", "persistentvolumeclaims")
def _claim_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"], old["spec"]
    free = [] if before.get("volumeName") else ["volumeName"]
    if before.get("storageClassName") is None:
        free.append("storageClassName")
    if part(old, "status").get("phase") == "Bound":
        free += _CHANGEABLE_CLAIM
    if _without(after, free) != _without(before, free):
        yield forbidden_value("spec", _FIXED_CLAIM)
    if _asked(after) < _asked(before) and _asked(after) <= _held(old):
        said = "field can not be less than status.capacity"
        yield forbidden_value("spec.resources.requests.storage", said)
    yield from immutable("volumeMode", after.get("volumeMode"), before.get("volumeMode"))


def _without(spec: dict[str, Any], fields: list[str]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key not in fields}


def _asked(spec: dict[str, Any]) -> Decimal:
    """How much storage a claim asks for."""
    return amount(part(part(spec, "resources"), "requests").get("storage", 0))


def _held(claim: dict[str, Any]) -> Decimal:
    """How much storage a claim has."""
    return amount(part(part(claim, "status"), "capacity").get("storage", 0))


# -------------------------------------------------------------------------------- volumes


@checks("", "persistentvolumes")
def _volume(volume: dict[str, Any]) -> Iterator[Cause]:
    yield from volume_causes(volume["spec"], "spec")


def volume_causes(spec: dict[str, Any], field: str, *, inline: bool = False) -> Iterator[Cause]:
    """What is wrong with a volume; an `inline` one belongs to an attachment."""
    if inline:
        yield from _inline(spec, field)
    modes = texts(spec, "accessModes")
    if not modes:
        yield required(f"{field}.accessModes")
    yield from access_mode_causes(modes, f"{field}.accessModes")
    if not inline:
        yield from _capacity(spec.get("capacity"), f"{field}.capacity")
        yield from _reclaiming(spec, field)
        if spec.get("nodeAffinity") is not None:
            yield from _affinity(spec["nodeAffinity"], f"{field}.nodeAffinity")
        name = spec.get("storageClassName")
        yield from text(f"{field}.storageClassName", name, subdomain_problems, needed=False)
        yield from one_of(f"{field}.volumeMode", spec.get("volumeMode"), MODES, needed=False)
    yield from _volume_source(spec, field)
    yield from _attributes_class(spec, field)


def _inline(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """What a volume of an attachment may not say."""
    context = "in the context of inline volumes"
    for member in ("claimRef", "capacity", "nodeAffinity", "storageClassName"):
        if spec.get(member):
            yield forbidden_value(f"{field}.{member}", f"may not be specified {context}")
    if spec.get("csi") is None:
        yield required(f"{field}.csi", f"has to be specified {context}")
    policy, mode = spec.get("persistentVolumeReclaimPolicy"), spec.get("volumeMode")
    if policy and policy != "Retain":
        at = f"{field}.persistentVolumeReclaimPolicy"
        yield forbidden_value(at, f"may only be Retain {context}")
    if mode not in (None, "Filesystem"):
        said = f"may not specify volumeMode other than Filesystem {context}"
        yield forbidden_value(f"{field}.volumeMode", said)


def _reclaiming(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    policy, at = spec.get("persistentVolumeReclaimPolicy"), f"{field}.persistentVolumeReclaimPolicy"
    yield from one_of(at, policy or None, _RECLAIMS, needed=False)
    if part(spec, "hostPath").get("path") == "/" and policy == "Recycle":
        yield forbidden_value(at, "may not be 'recycle' for a hostPath mount of '/'")


def _affinity(affinity: dict[str, Any], field: str) -> Iterator[Cause]:
    if affinity.get("required") is None:
        yield required(f"{field}.required", "must specify required node constraints")
    else:
        yield from node_selector_causes(affinity["required"], f"{field}.required")


def _attributes_class(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    name, at = spec.get("volumeAttributesClassName"), f"{field}.volumeAttributesClassName"
    if name is None:
        return
    if not name:
        yield required(at, "an empty string is disallowed")
    yield from text(at, name, subdomain_problems, needed=False)
    if spec.get("csi") is None:
        said = "has to be specified when using volumeAttributesClassName"
        yield required(f"{field}.csi", said)


def _capacity(capacity: dict[str, Any] | None, field: str) -> Iterator[Cause]:
    if not capacity:
        yield required(field)
    if not capacity or set(capacity) != {"storage"}:
        yield not_supported(field, capacity, ("storage",))
    for name, quantity in (capacity or {}).items():
        if amount(quantity) < 0:
            yield invalid_value(f"{field}[{name}]", quantity, "must be a valid resource quantity")
        yield from size_causes(f"{field}[{name}]", quantity)


def _volume_source(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    sources: dict[str, Any] = {
        name: value
        for name, value in spec.items()
        if name not in _NOT_SOURCES and isinstance(value, dict)
    }
    if not sources:
        yield required(field, "must specify a volume type")
    yield from source_causes(sources, field, persistent=True)
    if list(sources) == ["local"] and spec.get("nodeAffinity") is None:
        yield required(f"{field}.nodeAffinity", "Local volume requires node affinity")


@checks_change("", "persistentvolumes")
def _volume_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"], old["spec"]
    yield from _volume(new)  # the server looks at it twice
    if _sources(after, before) != _sources(before, before):
        said = "spec.persistentvolumesource is immutable after creation"
        yield forbidden_value("spec.persistentvolumesource", said)
    yield from immutable("volumeMode", after.get("volumeMode"), before.get("volumeMode"))
    name, named = "volumeAttributesClassName", before.get("volumeAttributesClassName")
    if named is not None and after.get(name) is None:
        yield forbidden_value(f"spec.{name}", "update from non-nil value to nil is forbidden")
    if before.get("nodeAffinity") is not None:
        affinity = after.get("nodeAffinity")
        yield from immutable("nodeAffinity", affinity, before["nodeAffinity"])


def _sources(spec: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Where a volume's content is from; a secret to expand it with may be added later."""
    found: dict[str, Any] = {
        k: v for k, v in spec.items() if k not in _NOT_SOURCES and is_object(v)
    }
    if "csi" in found and _EXPANDS not in part(old, "csi"):
        found["csi"] = {k: v for k, v in part(found, "csi").items() if k != _EXPANDS}
    return found
