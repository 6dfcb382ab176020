"""Requests for devices: the content of claims, and parts that device classes share."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    invalid_value,
    not_supported,
    required,
    too_long,
    too_many,
)
from clientgen._apimachinery.name_syntax import label_problems, subdomain_problems
from clientgen._json import parts, texts

from ..defaults import TypeDefaults, set_empty
from ..shared.common_checks import driver_name, matches, text
from ..shared.device_expressions import device_expression_causes
from ..shared.device_names import attribute_name_causes, device_toleration_causes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_LIST_ITEMS: Final = 32
_MAX_CHOICES: Final = 8
_MAX_TEXT_BYTES: Final = 10 * 1024
_ONE_OF: Final = "exactly one of `exactly` or `firstAvailable` is required"
_REFERENCE: Final = (
    "must be the name of a request in the claim or the name of a request and a subrequest "
    "separated by '/'"
)
_MODES: Final = ("All", "ExactCount")


def _set_defaults(request: dict[str, Any]) -> None:
    set_empty(request, allocationMode="ExactCount")
    if request["allocationMode"] == "ExactCount" and not request.get("count"):
        request["count"] = 1


def _set_old_defaults(request: dict[str, Any]) -> None:
    if request.get("deviceClassName"):
        _set_defaults(request)


REQUEST_TYPES: Final = {
    **{
        f"resource.{name}": TypeDefaults(fill=_set_defaults)
        for name in (
            "v1.ExactDeviceRequest",
            "v1beta2.ExactDeviceRequest",
            "v1.DeviceSubRequest",
            "v1beta2.DeviceSubRequest",
            "v1beta1.DeviceSubRequest",
        )
    },
    "resource.v1beta1.DeviceRequest": TypeDefaults(fill=_set_old_defaults),
}
"""The defaults of requests."""


def each_causes(
    items: list[dict[str, Any]], most: int, path: str, rule: Callable[..., Iterator[Cause]]
) -> Iterator[Cause]:
    """Check that there are not too many items, then each of them."""
    if len(items) > most:
        yield too_many(path, len(items), most)
        return
    for index, item in enumerate(items):
        yield from rule(item, f"{path}[{index}]")


def unique_causes(items: list[dict[str, Any]], member: str, path: str) -> Iterator[Cause]:
    """Check that no two items have the same name."""
    seen: set[str] = set()
    for index, item in enumerate(items):
        name = item.get(member) or ""
        if name in seen:
            yield duplicate(f"{path}[{index}]", name)
        seen.add(name)


def claim_causes(claim: dict[str, Any], path: str) -> Iterator[Cause]:
    """Check the requests, constraints and configurations of a claim."""
    requests = parts(claim, "requests")
    known = {f"{name}" for name in request_names(requests)}
    yield from each_causes(requests, MAX_LIST_ITEMS, f"{path}.requests", _request)
    yield from unique_causes(requests, "name", f"{path}.requests")

    def constraint(each: dict[str, Any], at: str) -> Iterator[Cause]:
        yield from references_causes(texts(each, "requests"), known, f"{at}.requests")
        name, other = each.get("matchAttribute"), each.get("distinctAttribute")
        if name is None and other is None:
            why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but'
            yield required(at, f"{why} multiple fields are set")
        elif name is not None:
            yield from _attribute(name, f"{at}.matchAttribute")
        else:
            yield from _attribute(other or "", f"{at}.distinctAttribute")

    def config(each: dict[str, Any], at: str) -> Iterator[Cause]:
        yield from references_causes(texts(each, "requests"), known, f"{at}.requests")
        yield from config_causes(each, at)

    yield from each_causes(
        parts(claim, "constraints"), MAX_LIST_ITEMS, f"{path}.constraints", constraint
    )
    yield from each_causes(parts(claim, "config"), MAX_LIST_ITEMS, f"{path}.config", config)


def request_names(requests: list[dict[str, Any]]) -> Iterator[str]:
    """List the names of the requests of a claim, and of those within them."""
    for request in requests:
        name = request.get("name") or ""
        yield name
        yield from (f"{name}/{each.get('name') or ''}" for each in parts(request, "firstAvailable"))


def _attribute(name: str, path: str) -> Iterator[Cause]:
    yield from attribute_name_causes(name, path)
    if "/" not in name:
        why = "a fully qualified name must be a domain and a name separated by a slash"
        yield invalid_value(path, name, why)


def references_causes(names: list[str], known: set[str], path: str) -> Iterator[Cause]:
    """Check the names of requests that a part of a claim is about."""
    if len(names) > MAX_LIST_ITEMS:
        yield too_many(path, len(names), MAX_LIST_ITEMS)
        return
    seen: set[str] = set()
    for index, name in enumerate(names):
        at = f"{path}[{index}]"
        yield from reference_causes(name, known, at)
        if name in seen:
            yield duplicate(at, name)
        seen.add(name)


def reference_causes(name: str, known: set[str], path: str) -> Iterator[Cause]:
    """Check the name of a request that is referred to."""
    if name.count("/") > 1:
        yield invalid_value(path, name, _REFERENCE)
        return
    for segment in name.split("/"):
        yield from matches(path, segment, label_problems)
    if name not in known:
        yield invalid_value(path, name, _REFERENCE)


def _request(request: dict[str, Any], path: str) -> Iterator[Cause]:
    yield from matches(f"{path}.name", request.get("name") or "", label_problems)
    choices, exactly = parts(request, "firstAvailable"), request.get("exactly")
    if choices and exactly is not None:
        yield invalid_value(path, None, f"{_ONE_OF}, but multiple fields are set")
    elif choices:
        at = f"{path}.firstAvailable"
        yield from each_causes(choices, _MAX_CHOICES, at, _choice)
        yield from unique_causes(choices, "name", at)
    elif exactly is not None:
        yield from _wanted(exactly, f"{path}.exactly")
    else:
        yield required(path, _ONE_OF)


def _choice(request: dict[str, Any], path: str) -> Iterator[Cause]:
    yield from matches(f"{path}.name", request.get("name") or "", label_problems)
    yield from _wanted(request, path)


def _wanted(request: dict[str, Any], path: str) -> Iterator[Cause]:
    kind = request.get("deviceClassName")
    yield from text(f"{path}.deviceClassName", kind, subdomain_problems)
    yield from each_causes(
        parts(request, "selectors"), MAX_LIST_ITEMS, f"{path}.selectors", device_selector_causes
    )
    mode, count = request.get("allocationMode") or "", request.get("count") or 0
    if mode == "All" and count:
        why = "must not be specified when allocationMode is 'All'"
        yield invalid_value(f"{path}.count", count, why)
    elif mode == "ExactCount" and count <= 0:
        yield invalid_value(f"{path}.count", count, "must be greater than zero")
    elif mode not in _MODES:
        yield not_supported(f"{path}.allocationMode", mode, _MODES)
    for index, toleration in enumerate(parts(request, "tolerations")):
        yield from device_toleration_causes(toleration, f"{path}.tolerations[{index}]")


def device_selector_causes(selector: dict[str, Any], path: str) -> Iterator[Cause]:
    """Check an expression that chooses devices."""
    expression = selector.get("cel")
    if expression is None:
        yield required(f"{path}.cel")
        return
    written, at = expression.get("expression") or "", f"{path}.cel.expression"
    if len(written.encode()) > _MAX_TEXT_BYTES:
        yield too_long(at, f"may not be more than {_MAX_TEXT_BYTES} bytes")
    else:
        yield from device_expression_causes(at, written)


def config_causes(config: dict[str, Any], path: str) -> Iterator[Cause]:
    """Check a configuration of a driver."""
    opaque, at = config.get("opaque"), f"{path}.opaque"
    if opaque is None:
        yield required(at)
        return
    yield from driver_name(f"{at}.driver", opaque.get("driver"))
    yield from raw_causes(opaque.get("parameters"), f"{at}.parameters")


def raw_causes(value: object, path: str) -> Iterator[Cause]:
    """Check an object that a driver understands."""
    if value is None:
        yield required(path)
    elif len(dumps(value, separators=(",", ":"), ensure_ascii=False).encode()) > _MAX_TEXT_BYTES:
        yield too_long(path, f"may not be more than {_MAX_TEXT_BYTES} bytes")
    elif not isinstance(value, dict):
        yield invalid_value(path, "<value omitted>", "must be a valid JSON object")
