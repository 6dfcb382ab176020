"""What drivers say of the devices that a claim has."""

from __future__ import annotations

from ipaddress import ip_interface
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    invalid_value,
    too_long,
    too_many,
)
from clientgen._apimachinery.name_syntax import label_problems
from clientgen._json import part, parts, texts

from ..shared.common_checks import conditions_causes, driver_name, matches, unique
from ..shared.device_names import pool_name_causes
from .device_requests import raw_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_CONDITIONS: Final = 8
_MAX_ADDRESSES: Final = 16
_MAX_BYTES: Final = {"interfaceName": 256, "hardwareAddress": 128}


def allocated_device_causes(status: dict[str, Any]) -> Iterator[Cause]:
    """Check that each device is one that was allocated, and what is said of it."""
    results = parts(part(part(status, "allocation"), "devices"), "results")
    allocated = {_identity(each) for each in results}
    seen: set[str] = set()
    for index, device in enumerate(parts(status, "devices")):
        path, name = f"status.devices[{index}]", _identity(device)
        yield from driver_name(f"{path}.driver", device.get("driver"))
        yield from pool_name_causes(device.get("pool") or "", f"{path}.pool")
        yield from matches(f"{path}.device", device.get("device") or "", label_problems)
        if name not in allocated:
            yield invalid_value(path, name, "must be an allocated device in the claim")
        yield from _conditions(parts(device, "conditions"), f"{path}.conditions")
        if device.get("data") is not None:
            yield from raw_causes(device["data"], f"{path}.data")
        yield from _network(part(device, "networkData"), f"{path}.networkData")
        if name in seen:
            yield duplicate(path, name)
        seen.add(name)


def _identity(device: dict[str, Any]) -> str:
    """The name of a device among all, with the share of it that was allocated."""
    names = [device.get(each) or "" for each in ("driver", "pool", "device", "shareID")]
    return "/".join(names).removesuffix("/")


def _conditions(conditions: list[dict[str, Any]], path: str) -> Iterator[Cause]:
    if len(conditions) > _MAX_CONDITIONS:
        yield too_many(path, len(conditions), _MAX_CONDITIONS)
    yield from conditions_causes(conditions, path)


def _network(data: dict[str, Any], path: str) -> Iterator[Cause]:
    for member, most in _MAX_BYTES.items():
        if len((data.get(member) or "").encode()) > most:
            yield too_long(f"{path}.{member}", f"may not be more than {most} bytes")
    addresses = texts(data, "ips")
    if len(addresses) > _MAX_ADDRESSES:
        yield too_many(f"{path}.ips", len(addresses), _MAX_ADDRESSES)
        return
    for index, address in enumerate(addresses):
        yield from matches(f"{path}.ips[{index}]", address, _address_problems)
    yield from unique(f"{path}.ips", addresses)


def _address_problems(text: str) -> list[str]:
    """Tell what is wrong with an address that has the length of its network behind a slash."""
    try:
        canonical = str(ip_interface(text)) if "/" in text else ""
    except ValueError:
        canonical = ""
    if not canonical:
        return ["must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"]
    return [] if text == canonical else [f'must be in canonical form ("{canonical}")']
