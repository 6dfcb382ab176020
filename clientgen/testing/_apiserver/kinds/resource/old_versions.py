"""Claims and slices of v1beta1, whose requests and devices have other members than later ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...served_resources import Resource

    Item = dict[str, Any]

_OLD: Final = "v1beta1"
_OWN: Final = frozenset(["name", "exactly", "firstAvailable"])
"""The members of a request that all versions have there."""
_UNSET: Final = frozenset(["nodeName", "allNodes"])


def converted(obj: dict[str, Any], source: Resource, version: str) -> dict[str, Any]:
    """Return a claim, a template or a slice of another version in this one."""
    if (source.version == _OLD) == (version == _OLD):
        return dict(obj)
    if version == _OLD:
        return _with(obj, _old_request, _old_device)
    return _with(obj, _new_request, _new_device)


def as_validated(obj: dict[str, Any], resource: Resource) -> dict[str, Any]:
    """Return an object as the rules, and the errors, see it: never as in v1beta1."""
    return _with(obj, _new_request, _new_device) if resource.version == _OLD else obj


def _with(
    obj: dict[str, Any], request: Callable[[Item], Item], device: Callable[[Item], Item]
) -> dict[str, Any]:
    spec = part(obj, "spec")
    if part(spec, "spec"):  # of a template
        return {**obj, "spec": _with(spec, request, device)}
    if "pool" in spec:  # of a slice; v1beta1 cannot tell false and empty from unset
        spec = {key: value for key, value in spec.items() if value or key not in _UNSET}
        if spec.get("devices") is not None:
            spec["devices"] = [device(each) for each in parts(spec, "devices")]
        return {**obj, "spec": spec}
    claim = part(spec, "devices")
    if not claim.get("requests"):
        return dict(obj)
    requests = [request(each) for each in parts(claim, "requests")]
    return {**obj, "spec": {**spec, "devices": {**claim, "requests": requests}}}


def _old_request(request: Item) -> Item:
    rest = {name: value for name, value in request.items() if name != "exactly"}
    return {**rest, **part(request, "exactly")}


def _new_request(request: Item) -> Item:
    own = {name: value for name, value in request.items() if name in _OWN}
    wanted = {name: value for name, value in request.items() if name not in _OWN}
    return {**own, "exactly": wanted} if any(wanted.values()) else own


def _old_device(device: Item) -> Item:
    basic = {name: value for name, value in device.items() if name != "name"}
    return {"name": device.get("name") or "", "basic": basic}


def _new_device(device: Item) -> Item:
    return {"name": device.get("name") or "", **part(device, "basic")}
