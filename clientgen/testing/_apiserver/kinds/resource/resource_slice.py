"""ResourceSlice: the devices of a driver on one or more nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    invalid_value,
    required,
    too_long,
    too_many,
)
from clientgen._apimachinery.name_syntax import (
    label_problems,
    subdomain_problems,
)
from clientgen._json import part, parts

from ...tables.columns import AGE, NAME, Column, Printer, field
from .. import selector_fields
from ..shared.common_checks import driver_name, matches
from ..shared.device_names import attribute_name_causes, device_taint_causes, pool_name_causes
from ..shared.ip_warnings import quoted
from ..shared.pod_scheduling import node_selector_causes
from ..strategy import Strategy
from .binding_conditions import binding_causes
from .device_capacity import capacity_causes, consumption_causes, counter_set_causes
from .old_versions import as_validated, converted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...served_resources import Resource

_MAX_DEVICES: Final = 128
_MAX_ADVANCED_DEVICES: Final = 64
_MAX_ATTRIBUTES: Final = 32
_MAX_TAINTS: Final = 16
_MAX_VALUE_LENGTH: Final = 64
_PLACES: Final = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_ONE_OF: Final = f"exactly one of {', '.join(f'`{each}`' for each in _PLACES)} is required"
_DEVICE_PLACES: Final = _PLACES[:3]
_IF_BY_DEVICE: Final = "`perDeviceNodeSelection` is set to true in the ResourceSlice spec"
_ONE_OF_DEVICE: Final = (
    f"exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when {_IF_BY_DEVICE}"
)
_ONLY_BY_DEVICE: Final = (
    f"`nodeName`, `nodeSelector` and `allNodes` can only be set if {_IF_BY_DEVICE}"
)
_VERSION: Final = re.compile(
    r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?"
)
_SINGLE: Final = ("bool", "int", "string", "version")
"""The types of attributes; lists are dropped, as the gate for them is off."""


class ResourceSliceStrategy(Strategy):
    """The strategy for ResourceSlices."""

    is_converted = True
    generation_fields = ("spec",)
    delete_returns_object = True
    selectable_fields = {
        "spec.nodeName": selector_fields.text("spec.nodeName"),
        "spec.driver": selector_fields.text("spec.driver"),
    }
    immutable_fields = ("spec.pool.name", "spec.driver", "spec.nodeName")
    printer = Printer(
        (
            NAME,
            Column("Node", "Where the devices are.", field("spec.nodeName"), doc="spec.nodeName"),
            Column("Driver", "The driver they are of.", field("spec.driver"), doc="spec.driver"),
            Column("Pool", "The pool they are of.", field("spec.pool.name"), doc="spec.pool.name"),
            AGE,
        )
    )

    def from_version(self, obj: dict[str, Any], source: Resource) -> dict[str, Any]:
        """Move the members of devices."""
        return converted(obj, source, self.resource.version)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the pool, the nodes and the devices."""
        spec = part(as_validated(obj, self.resource), "spec")
        yield from driver_name("spec.driver", spec.get("driver"))
        pool = part(spec, "pool")
        yield from pool_name_causes(pool.get("name") or "", "spec.pool.name")
        count, generation = pool.get("resourceSliceCount") or 0, pool.get("generation") or 0
        if count <= 0:
            yield invalid_value("spec.pool.resourceSliceCount", count, "must be greater than zero")
        if generation < 0:
            why = "must be greater than or equal to zero"
            yield invalid_value("spec.pool.generation", generation, why)
        yield from _place(spec)
        if spec.get("sharedCounters") is not None and spec.get("devices") is not None:
            why = "only one of `sharedCounters` or `devices` is allowed"
            yield invalid_value("spec", "", why)
        yield from _devices(parts(spec, "devices"), placed=bool(spec.get("perDeviceNodeSelection")))
        yield from counter_set_causes(parts(spec, "sharedCounters"), "spec.sharedCounters")

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of drivers with uppercase letters."""
        driver = new["spec"].get("driver") or ""
        if driver != driver.lower():
            yield (
                f"spec.driver: driver names should be lowercase; {quoted(driver)} contains "
                "uppercase characters"
            )


def _place(spec: dict[str, Any]) -> Iterator[Cause]:
    """Check that the nodes of the devices are given in exactly one way."""
    name, selector = spec.get("nodeName"), spec.get("nodeSelector")
    if name:
        yield from matches("spec.nodeName", name, subdomain_problems)
    elif name is not None:
        why = "must be either unset or set to a non-empty string"
        yield invalid_value("spec.nodeName", name, why)
    if selector is not None:
        yield from node_selector_causes(selector, "spec.nodeSelector")
        terms = parts(selector, "nodeSelectorTerms")
        if len(terms) != 1:
            why = "must have exactly one node selector term"
            yield invalid_value("spec.nodeSelector.nodeSelectorTerms", terms, why)
    for member in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(member) is False:
            why = "must be either unset or set to true"
            yield invalid_value(f"spec.{member}", False, why)
    chosen = [
        each for each in _PLACES if spec.get(each) or (selector is not None and each == _PLACES[1])
    ]
    if not chosen:
        yield required("spec", _ONE_OF)
    elif len(chosen) > 1:
        shown = f"{{{', '.join(f'`{each}`' for each in chosen)}}}"
        yield invalid_value("spec", shown, f"{_ONE_OF}, but multiple fields are set")


def _devices(devices: list[dict[str, Any]], *, placed: bool) -> Iterator[Cause]:
    advanced = any(each.get("taints") or each.get("consumesCounters") for each in devices)
    most = _MAX_ADVANCED_DEVICES if advanced else _MAX_DEVICES
    if len(devices) > most:
        yield too_many("spec.devices", len(devices), most)
        return
    names: set[str] = set()
    for index, device in enumerate(devices):
        at, name = f"spec.devices[{index}]", device.get("name") or ""
        yield from _device(device, name, at)
        yield from _device_place(device, at, placed=placed)
        if name in names:
            yield duplicate(at, name)
        names.add(name)


def _device(device: dict[str, Any], name: str, path: str) -> Iterator[Cause]:
    yield from matches(f"{path}.name", name, label_problems)
    attributes, capacity = part(device, "attributes"), part(device, "capacity")
    total = len(attributes) + len(capacity)
    if total > _MAX_ATTRIBUTES:
        why = f"the total number of attributes and capacities must not exceed {_MAX_ATTRIBUTES}"
        yield invalid_value(path, total, why)
    for key, attribute in attributes.items():
        yield from attribute_name_causes(key, f"{path}.attributes")
        yield from _attribute(attribute or {}, f"{path}.attributes[{key}]")
    shared = bool(device.get("allowMultipleAllocations"))
    for key, each in capacity.items():
        yield from attribute_name_causes(key, f"{path}.capacity")
        yield from capacity_causes(each or {}, f"{path}.capacity[{key}]", shared=shared)
    yield from consumption_causes(parts(device, "consumesCounters"), f"{path}.consumesCounters")
    yield from binding_causes(device, path)
    taints = parts(device, "taints")
    if len(taints) > _MAX_TAINTS:
        yield too_many(f"{path}.taints", len(taints), _MAX_TAINTS)
        return
    for index, taint in enumerate(taints):
        yield from device_taint_causes(taint, f"{path}.taints[{index}]")


def _device_place(device: dict[str, Any], path: str, *, placed: bool) -> Iterator[Cause]:
    """Check the nodes of one device; they are its own matter only if the slice says so."""
    name, selector = device.get("nodeName"), device.get("nodeSelector")
    if not placed:
        if any(device.get(each) is not None for each in _DEVICE_PLACES):
            yield invalid_value(path, None, _ONLY_BY_DEVICE)
        return
    if name:
        yield from matches(f"{path}.nodeName", name, subdomain_problems)
    elif name is not None:
        yield invalid_value(f"{path}.nodeName", name, "must not be empty")
    if selector is not None:
        yield from node_selector_causes(selector, f"{path}.nodeSelector")
    if device.get("allNodes") is False:
        why = "must be either unset or set to true"
        yield invalid_value(f"{path}.allNodes", False, why)
    chosen = [each for each in _DEVICE_PLACES if device.get(each) not in (None, "", False)]
    if not chosen:
        yield required(path, _ONE_OF_DEVICE)
    elif len(chosen) > 1:
        shown = f"{{{', '.join(f'`{each}`' for each in chosen)}}}"
        yield invalid_value(path, shown, _ONE_OF_DEVICE)


def _attribute(attribute: dict[str, Any], path: str) -> Iterator[Cause]:
    chosen = [kind for kind in _SINGLE if attribute.get(kind) is not None]
    for kind in chosen:
        at = f"{path}.{kind}"
        if kind in ("string", "version"):
            yield from _value(attribute[kind], kind, at)
    if len(chosen) != 1:
        shown = attribute if chosen else ""
        yield invalid_value(path, shown, "exactly one value must be specified")


def _value(value: str, kind: str, path: str) -> Iterator[Cause]:
    if kind == "version" and not _VERSION.fullmatch(value):
        why = "must be a string compatible with semver.org spec 2.0.0"
        yield invalid_value(path, value, why)
    if len(value.encode()) > _MAX_VALUE_LENGTH:
        yield too_long(path, f"may not be more than {_MAX_VALUE_LENGTH} bytes")
