"""Validates volume claims, including claim templates of volumes and stateful sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value, required
from clientgen._apimachinery.name_syntax import label_problems, subdomain_problems
from clientgen._json import part, texts

from .common_checks import matches, one_of, selector_causes, text
from .quantities import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

MODES: Final = ("Block", "Filesystem")
"""The forms in which a container can have a volume."""
_ACCESS: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")


def access_mode_causes(modes: list[str], field: str) -> Iterator[Cause]:
    """Check the access modes of a volume."""
    for mode in modes:
        yield from one_of(field, mode, _ACCESS)
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        yield forbidden_value(field, "may not use ReadWriteOncePod with other access modes")


def size_causes(field: str, quantity: object) -> Iterator[Cause]:
    """Check that an amount of storage is positive."""
    if amount(quantity) <= 0:
        yield invalid_value(field, quantity, "must be greater than zero")


def claim_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check what a claim asks for."""
    modes = texts(spec, "accessModes")
    if not modes:
        yield required(f"{field}.accessModes", "at least 1 access mode is required")
    yield from selector_causes(spec.get("selector"), f"{field}.selector")
    yield from access_mode_causes(modes, f"{field}.accessModes")
    size = (part(part(spec, "resources"), "requests")).get("storage")
    if size is None:
        yield required(f"{field}.resources[storage]")
    else:
        yield from size_causes(f"{field}.resources[storage]", size)
    for member in ("storageClassName", "volumeAttributesClassName"):
        yield from text(f"{field}.{member}", spec.get(member), subdomain_problems, needed=False)
    yield from one_of(f"{field}.volumeMode", spec.get("volumeMode"), MODES, needed=False)
    yield from _data_sources(spec, field)


def _data_sources(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    for member, value in (("dataSource", source), ("dataSourceRef", reference)):
        if value is not None:
            yield from _data_source(value, f"{field}.{member}")
    namespace = part(spec, "dataSourceRef").get("namespace")
    if namespace:
        yield from matches(f"{field}.dataSourceRef.namespace", namespace, label_problems)
    if source is None or reference is None:
        return
    if namespace:
        why = "may not be specified when dataSourceRef.namespace is specified"
        yield invalid_value(field, f"{field}.dataSource", why)
    elif _reference(source) != _reference(reference):
        yield invalid_value(field, f"{field}.dataSource", "must match dataSourceRef")


def _reference(source: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(source.get(member) or "" for member in ("apiGroup", "kind", "name"))


def _data_source(source: dict[str, Any], field: str) -> Iterator[Cause]:
    group, kind, name = _reference(source)
    for member, value in (("name", name), ("kind", kind)):
        if not value:
            yield required(f"{field}.{member}")
    if not group and kind != "PersistentVolumeClaim":
        why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        yield invalid_value(field, kind, why)
    yield from text(f"{field}.apiGroup", group, subdomain_problems, needed=False)
