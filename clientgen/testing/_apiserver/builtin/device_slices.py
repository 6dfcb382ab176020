"""Validates devices published by drivers, and device taint rules."""

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
from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.checks import conditions_causes, driver_name, immutable, matches, unique
from ..kinds.shared.device_names import attribute_name_causes, device_taint_causes, pool_name_causes
from ..kinds.shared.pod_scheduling import node_selector_causes
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_GROUP: Final = "resource.k8s.io"
_MOST_DEVICES: Final = 128
_MOST_ADVANCED: Final = 64
_MOST_ATTRIBUTES: Final = 32
_MOST_TAINTS: Final = 16
_MOST_CONDITIONS: Final = 4
_BINDING: Final = ("bindingConditions", "bindingFailureConditions")
_LONGEST_VALUE: Final = 64
_PLACES: Final = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_ONE_OF: Final = f"exactly one of {', '.join(f'`{each}`' for each in _PLACES)} is required"
_VERSION: Final = re.compile(
    r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?"
)
_SINGLE: Final = ("bool", "int", "string", "version")
"""What an attribute is; lists are dropped, as the gate for them is off."""


@checks(_GROUP, "resourceslices")
def _slice(slices: dict[str, Any]) -> Iterator[Cause]:
    spec = part(slices, "spec")
    yield from driver_name("spec.driver", spec.get("driver"))
    pool = part(spec, "pool")
    yield from pool_name_causes(pool.get("name") or "", "spec.pool.name")
    count, generation = pool.get("resourceSliceCount") or 0, pool.get("generation") or 0
    if count <= 0:
        yield invalid_value("spec.pool.resourceSliceCount", count, "must be greater than zero")
    if generation < 0:
        said = "must be greater than or equal to zero"
        yield invalid_value("spec.pool.generation", generation, said)
    yield from _place(spec)
    yield from _devices(parts(spec, "devices"))


def _place(spec: dict[str, Any]) -> Iterator[Cause]:
    """On which nodes devices are: said in exactly one way."""
    name, selector = spec.get("nodeName"), spec.get("nodeSelector")
    if name:
        yield from matches("spec.nodeName", name, subdomain_problems)
    elif name is not None:
        said = "must be either unset or set to a non-empty string"
        yield invalid_value("spec.nodeName", name, said)
    if selector is not None:
        yield from node_selector_causes(selector, "spec.nodeSelector")
        terms = parts(selector, "nodeSelectorTerms")
        if len(terms) != 1:
            said = "must have exactly one node selector term"
            yield invalid_value("spec.nodeSelector.nodeSelectorTerms", terms, said)
    for member in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(member) is False:
            said = "must be either unset or set to true"
            yield invalid_value(f"spec.{member}", False, said)
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
    most = _MOST_ADVANCED if advanced else _MOST_DEVICES
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


def _device(device: dict[str, Any], name: str, field: str) -> Iterator[Cause]:
    yield from matches(f"{field}.name", name, label_problems)
    attributes, capacity = part(device, "attributes"), part(device, "capacity")
    total = len(attributes) + len(capacity)
    if total > _MOST_ATTRIBUTES:
        said = f"the total number of attributes and capacities must not exceed {_MOST_ATTRIBUTES}"
        yield invalid_value(field, total, said)
    for key, attribute in attributes.items():
        yield from attribute_name_causes(key, f"{field}.attributes")
        yield from _attribute(attribute or {}, f"{field}.attributes[{key}]")
    for key in capacity:
        yield from attribute_name_causes(key, f"{field}.capacity")
    yield from _conditions(device, field)
    taints = parts(device, "taints")
    if len(taints) > _MOST_TAINTS:
        yield too_many(f"{field}.taints", len(taints), _MOST_TAINTS)
        return
    for index, taint in enumerate(taints):
        yield from device_taint_causes(taint, f"{field}.taints[{index}]")


def _conditions(device: dict[str, Any], field: str) -> Iterator[Cause]:
    """A device that is to be got ready names what tells success, and what tells failure."""
    for member, other in (_BINDING, _BINDING[::-1]):
        names = texts(device, member)
        if len(names) > _MOST_CONDITIONS:
            yield too_many(f"{field}.{member}", len(names), _MOST_CONDITIONS)
        for index, name in enumerate(names):
            yield from matches(f"{field}.{member}[{index}]", name, qualified_name_problems)
        yield from unique(f"{field}.{member}", names)
        if names and not device.get(other):
            said = f"{other} are required to use {member}"
            yield invalid_value(f"{field}.{other}", None, said)


def _attribute(attribute: dict[str, Any], field: str) -> Iterator[Cause]:
    chosen = [kind for kind in _SINGLE if attribute.get(kind) is not None]
    for kind in chosen:
        at = f"{field}.{kind}"
        if kind in ("string", "version"):
            yield from _value(attribute[kind], kind, at)
    if len(chosen) != 1:
        shown = attribute if chosen else ""
        yield invalid_value(field, shown, "exactly one value must be specified")


def _value(value: str, kind: str, field: str) -> Iterator[Cause]:
    if kind == "version" and not _VERSION.fullmatch(value):
        said = "must be a string compatible with semver.org spec 2.0.0"
        yield invalid_value(field, value, said)
    if len(value.encode()) > _LONGEST_VALUE:
        yield too_long(field, f"may not be more than {_LONGEST_VALUE} bytes")


@checks_change(_GROUP, "resourceslices")
def _slice_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = part(new, "spec"), part(old, "spec")
    name, was = part(after, "pool").get("name"), part(before, "pool").get("name")
    yield from immutable("spec.pool.name", name, was)
    for member in ("driver", "nodeName"):
        yield from immutable(f"spec.{member}", after.get(member), before.get(member))


@checks(_GROUP, "devicetaintrules")
def _taint_rule(rule: dict[str, Any]) -> Iterator[Cause]:
    spec = part(rule, "spec")
    chosen, at = part(spec, "deviceSelector"), "spec.deviceSelector"
    if chosen.get("driver") is not None:
        yield from driver_name(f"{at}.driver", chosen["driver"])
    if chosen.get("pool") is not None:
        yield from pool_name_causes(chosen["pool"], f"{at}.pool")
    if chosen.get("device") is not None:
        yield from matches(f"{at}.device", chosen["device"], label_problems)
    yield from device_taint_causes(part(spec, "taint"), "spec.taint")


@checks_change(_GROUP, "devicetaintrules", part="status")
def _taint_status(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    conditions = parts(part(new, "status"), "conditions")
    yield from conditions_causes(conditions, "status.conditions")
