"""The `resize` subresource of Pods, which changes the resources of containers.

https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value
from clientgen._json import part, parts

from ...shared.container_validation import container_causes
from ...shared.quantities import amount
from .qos import qos_class

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_RESIZABLE: Final = frozenset(["cpu", "memory"])


def prepare_resize(new: dict[str, Any], old: dict[str, Any]) -> None:
    """Take only the resources of containers; the validation refuses other containers."""
    keep_metadata(new, old)
    spec = dict(old["spec"])
    for member in ("containers", "initContainers"):
        before, after = parts(spec, member), parts(new["spec"], member)
        if [each["name"] for each in before] != [each["name"] for each in after]:
            spec[member] = after
        elif before:
            spec[member] = [_resized(*pair) for pair in zip(before, after, strict=True)]
    new["spec"] = spec


def keep_metadata(new: dict[str, Any], old: dict[str, Any]) -> None:
    """Restore the labels and annotations, which subresources cannot change."""
    for field in ("labels", "annotations"):
        new["metadata"].pop(field, None)
        if field in old["metadata"]:
            new["metadata"][field] = old["metadata"][field]


def _resized(container: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    resources: dict[str, Any] = {
        member: source[member] for member in ("resources", "resizePolicy") if member in source
    }
    return {**container, **resources}


def resize_causes(new: dict[str, Any], old: dict[str, Any]) -> list[Cause]:
    """Check that only cpu and memory change, and the quality of service does not."""
    before, after = part(old, "spec"), part(new, "spec")
    if part(before, "os").get("name") == "windows":
        return [forbidden_value("[]", "windows pods cannot be resized")]
    volumes = {each.get("name", ""): each for each in parts(after, "volumes")}
    causes: list[Cause] = []
    for field in ("containers", "initContainers"):
        for index, container in enumerate(parts(after, field)):
            causes += container_causes(container, f"spec.{field}[{index}]", volumes, after)
    was = part(old, "status").get("qosClass") or qos_class(before)
    if qos_class(after) != was:
        why = "Pod QOS Class may not change as a result of resizing"
        causes.append(invalid_value("spec", was, why))
    if _names(before) != _names(after):
        why = "containers may not be added or removed on resize"
        return [*causes, forbidden_value("spec.containers", why)]
    for field in ("containers", "initContainers"):
        for index, (one, other) in enumerate(_pairs(before, after, field)):
            causes += _removed(one, other, f"spec.{field}[{index}].resources")
    if not causes and not _only_resources_differ(before, after):
        causes.append(forbidden_value("spec", "only cpu and memory resources are mutable"))
    return causes


def _pairs(
    before: Mapping[str, Any], after: Mapping[str, Any], field: str
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    return zip(parts(before, field), parts(after, field), strict=True)


def _names(spec: Mapping[str, Any]) -> list[list[str]]:
    fields = ("containers", "initContainers")
    return [[each.get("name", "") for each in parts(spec, field)] for field in fields]


def _removed(before: Mapping[str, Any], after: Mapping[str, Any], field: str) -> list[Cause]:
    return [
        forbidden_value(f"{field}.{side}", f"resource {side} cannot be removed")
        for side in ("requests", "limits")
        if part(part(before, "resources"), side).keys()
        & _RESIZABLE - part(part(after, "resources"), side).keys()
    ]


def _only_resources_differ(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return all(
        _frozen(one) == _frozen(other)
        for field in ("containers", "initContainers")
        for one, other in _pairs(before, after, field)
    )


def _frozen(container: Mapping[str, Any]) -> dict[str, Any]:
    """Return the container without what a resize may change."""
    resources = part(container, "resources")
    kept: dict[str, Any] = {
        side: {
            name: amount(value)
            for name, value in part(resources, side).items()
            if name not in _RESIZABLE
        }
        for side in ("requests", "limits")
    }
    return {**container, "resources": {**resources, **kept}}
