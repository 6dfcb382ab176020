"""PersistentVolumeClaim: a request for storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden,
    forbidden_value,
    invalid_value,
    not_supported,
)
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._json import part

from ...tables.columns import AGE, NAME, Column, Printer, View, field
from ..defaults import TypeDefaults, set_empty, set_missing
from ..metadata import MetadataChecks
from ..shared.claim_warnings import claim_spec_warnings
from ..shared.common_checks import immutable
from ..shared.default_class import default_class
from ..shared.protection_finalizers import protect
from ..shared.quantities import amount
from ..shared.volume_claims import claim_causes
from ..shared.volume_columns import (
    ATTRIBUTES_CLASS,
    STORAGE_CLASS,
    VOLUME_MODE,
    access_modes,
    phase,
)
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from ...object_reader import ObjectReader

_SOURCES: Final = (
    ("", "PersistentVolumeClaim"),
    ("snapshot.storage.k8s.io", "VolumeSnapshot"),
)
_CHANGEABLE_CLAIM: Final = ("resources", "volumeAttributesClassName")
_RESIZES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizePending",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
)
_BETA_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_FIXED_CLAIM: Final = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName "
    "for bound claims"
)


def _if_bound(view: View, text: str) -> str:
    """Show a text for claims that have a volume; others have neither size nor modes."""
    return text if view.text("spec", "volumeName") else ""


_COLUMNS: Final = (
    NAME,
    Column("Status", "Whether it is bound.", phase, doc="status.phase"),
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
        lambda view: _if_bound(view, access_modes(view, "status", "accessModes")),
        doc="status.accessModes",
    ),
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    AGE,
    VOLUME_MODE,
)


def _set_phase(claim: dict[str, Any]) -> None:
    claim["status"] = part(claim, "status")
    set_empty(claim["status"], phase="Pending")


class PersistentVolumeClaimStrategy(Strategy):
    """The strategy for PersistentVolumeClaims."""

    types = {
        "core.v1.PersistentVolumeClaim": TypeDefaults(fill=_set_phase),
        "core.v1.PersistentVolumeClaimSpec": TypeDefaults(
            fill=lambda spec: set_missing(spec, volumeMode="Filesystem")
        ),
    }
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    delete_returns_object = True
    printer = Printer(_COLUMNS)

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Protect the claim, and give it the default storage class."""
        protect(obj, "kubernetes.io/pvc-protection")
        spec = obj["spec"]
        _drop_sources(spec)
        _agree_on_source(spec)
        legacy = "volume.beta.kubernetes.io/storage-class"
        if spec.get("storageClassName") is None and legacy not in (
            part(obj["metadata"], "annotations")
        ):
            default = default_class(
                reader.list("storage.k8s.io", "storageclasses"),
                "storageclass.kubernetes.io/is-default-class",
                "storageclass.beta.kubernetes.io/is-default-class",
            )
            if default:
                spec["storageClassName"] = default

    def prepare_for_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Let a bound claim grow only if its storage class allows it.

        Raises:
            Failure: 403.
        """
        before, after = (_requested(each["spec"]) for each in (old, new))
        if after <= before or part(old, "status").get("phase") != "Bound":
            return
        name = old["spec"].get("storageClassName") or ""
        storage_class = reader.get("storage.k8s.io", "storageclasses", "", name) if name else None
        if not (storage_class or {}).get("allowVolumeExpansion"):
            why = (
                "only dynamically provisioned pvc can be resized and the storageclass that "
                "provisions the pvc must support resize"
            )
            raise forbidden("", "persistentvolumeclaims", new["metadata"]["name"], why)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the spec."""
        yield from claim_causes(obj["spec"], "spec")

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the spec, apart from the few members that may change."""
        yield from self.validate(new)
        after, before = new["spec"], old["spec"]
        free = [] if before.get("volumeName") else ["volumeName"]
        if before.get("storageClassName") is None:
            free.append("storageClassName")
        if part(old, "status").get("phase") == "Bound":
            free += _CHANGEABLE_CLAIM
        if _without(after, free) != _without(before, free):
            yield forbidden_value("spec", _FIXED_CLAIM)
        if _requested(after) < _requested(before) and _requested(after) <= _capacity(old):
            why = "field can not be less than status.capacity"
            yield forbidden_value("spec.resources.requests.storage", why)
        yield from immutable("volumeMode", after.get("volumeMode"), before.get("volumeMode"))

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check capacities and the state of resizing."""
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

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of a deprecated annotation and of unusual requests."""
        if _BETA_CLASS in part(new["metadata"], "annotations"):
            why = 'deprecated since v1.8; use "storageClassName" attribute instead'
            yield f"metadata.annotations[{_BETA_CLASS}]: {why}"
        yield from claim_spec_warnings(new["spec"], "spec")


def _drop_sources(spec: dict[str, Any]) -> None:
    """Drop sources of other kinds, and namespaces, which are behind a feature gate."""
    source = part(spec, "dataSource")
    if source and (source.get("apiGroup") or "", source.get("kind")) not in _SOURCES:
        del spec["dataSource"]
    part(spec, "dataSourceRef").pop("namespace", None)


def _agree_on_source(spec: dict[str, Any]) -> None:
    """Copy the data source between its old and its new member."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source and not reference:
        spec["dataSourceRef"] = dict(source)
    elif reference and not source and not reference.get("namespace"):
        spec["dataSource"] = dict(reference)


def _without(spec: dict[str, Any], fields: list[str]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key not in fields}


def _requested(spec: dict[str, Any]) -> Decimal:
    """Return the storage that a claim requests."""
    return amount(part(part(spec, "resources"), "requests").get("storage", 0))


def _capacity(claim: dict[str, Any]) -> Decimal:
    """Return the storage that a claim has."""
    return amount(part(part(claim, "status"), "capacity").get("storage", 0))


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
