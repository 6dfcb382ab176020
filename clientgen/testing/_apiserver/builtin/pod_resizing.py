"""Validates changes of a pod's resources through `resize`.

https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value
from clientgen._apimachinery.optional_parts import part, parts

from ..kinds.shared.containers import container_causes
from ..kinds.shared.quantities import amount
from .pod_strategies import qos_class
from .validating import checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__: list[str] = []

_RESIZABLE: Final = frozenset(["cpu", "memory"])


@checks_change("", "pods", part="resize")
def _resize_causes(new: dict[str, Any], old: dict[str, Any]) -> list[Cause]:
    """What is wrong with a write to `resize`, the general rules for containers aside.

    Only cpu and memory change, and never so that the class of the pod would.
    """
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
    """The container without what a resize may change."""
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
