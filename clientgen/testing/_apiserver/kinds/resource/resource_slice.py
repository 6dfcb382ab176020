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
    qualified_name_problems,
    subdomain_problems,
)
from clientgen._json import part, parts, texts

from ...tables.columns import AGE, NAME, Column, Printer, field
from .. import selector_fields
from ..shared.common_checks import driver_name, matches, unique
from ..shared.device_names import attribute_name_causes, device_taint_causes, pool_name_causes
from ..shared.ip_warnings import quoted
from ..shared.pod_scheduling import node_selector_causes
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_DEVICES: Final = 128
_MAX_ADVANCED_DEVICES: Final = 64
_MAX_ATTRIBUTES: Final = 32
_MAX_TAINTS: Final = 16
_MAX_CONDITIONS: Final = 4
_BINDING: Final = ("bindingConditions", "bindingFailureConditions")
_MAX_VALUE_LENGTH: Final = 64
_PLACES: Final = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_ONE_OF: Final = f"exactly one of {', '.join(f'`{each}`' for each in _PLACES)} is required"
_VERSION: Final = re.compile(
    r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?"
)
_SINGLE: Final = ("bool", "int", "string", "version")
"""The types of attributes; lists are dropped, as the gate for them is off."""


class ResourceSliceStrategy(Strategy):
    """The strategy for ResourceSlices."""

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

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the pool, the nodes and the devices."""
        spec = part(obj, "spec")
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
        yield from _devices(parts(spec, "devices"))

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


def _devices(devices: list[dict[str, Any]]) -> Iterator[Cause]:
    flat = [{**part(each, "basic"), **each} for each in devices]  # v1beta1 has them in `basic`
    advanced = any(each.get("taints") or each.get("consumesCounters") for each in flat)
    most = _MAX_ADVANCED_DEVICES if advanced else _MAX_DEVICES
    if len(flat) > most:
        yield too_many("spec.devices", len(flat), most)
        return
    names: set[str] = set()
    for index, device in enumerate(flat):
        at, name = f"spec.devices[{index}]", device.get("name") or ""
        yield from _device(device, name, at)
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
    for key in capacity:
        yield from attribute_name_causes(key, f"{path}.capacity")
    yield from _conditions(device, path)
    taints = parts(device, "taints")
    if len(taints) > _MAX_TAINTS:
        yield too_many(f"{path}.taints", len(taints), _MAX_TAINTS)
        return
    for index, taint in enumerate(taints):
        yield from device_taint_causes(taint, f"{path}.taints[{index}]")


def _conditions(device: dict[str, Any], path: str) -> Iterator[Cause]:
    """Check that a device names conditions for success and for failure, or neither."""
    for member, other in (_BINDING, _BINDING[::-1]):
        names = texts(device, member)
        if len(names) > _MAX_CONDITIONS:
            yield too_many(f"{path}.{member}", len(names), _MAX_CONDITIONS)
        for index, name in enumerate(names):
            yield from matches(f"{path}.{member}[{index}]", name, qualified_name_problems)
        yield from unique(f"{path}.{member}", names)
        if names and not device.get(other):
            why = f"{other} are required to use {member}"
            yield invalid_value(f"{path}.{other}", None, why)


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
