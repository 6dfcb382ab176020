"""The specs of persistent volumes, which attachments may have inline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import subdomain_problems
from clientgen._json import part, texts

from .common_checks import one_of, text
from .pod_scheduling import node_selector_causes
from .quantities import amount
from .volume_claims import MODES, access_mode_causes, size_causes
from .volume_validation import source_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_SOURCES: Final = ("capacity", "claimRef", "nodeAffinity")
"""Members of a spec that are objects, but no sources."""

_RECLAIMS: Final = ("Delete", "Recycle", "Retain")


def volume_causes(spec: dict[str, Any], field: str, *, inline: bool = False) -> Iterator[Cause]:
    """List the mistakes in a volume; an `inline` one belongs to an attachment."""
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
    """Refuse the members that a volume of an attachment cannot have."""
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
        why = f"may not specify volumeMode other than Filesystem {context}"
        yield forbidden_value(f"{field}.volumeMode", why)


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
        why = "has to be specified when using volumeAttributesClassName"
        yield required(f"{field}.csi", why)


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
        if name not in NOT_SOURCES and isinstance(value, dict)
    }
    if not sources:
        yield required(field, "must specify a volume type")
    yield from source_causes(sources, field, persistent=True)
    if list(sources) == ["local"] and spec.get("nodeAffinity") is None:
        yield required(f"{field}.nodeAffinity", "Local volume requires node affinity")
