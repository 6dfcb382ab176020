"""The scale of a custom resource: where it keeps its replicas and its selector.

Paths are plain member names behind dots (`.spec.replicas`), as definitions may have them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from clientgen._apimachinery.failures import Cause, internal_error, invalid_value
from clientgen._json import is_object, part

_MAX_REPLICAS: Final = 2**31 - 1
_SHOWN: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


@dataclass(frozen=True, slots=True)
class ScalePaths:
    """`subresources.scale` of a version."""

    spec_replicas: str
    status_replicas: str
    selector: str = ""

    def read(self, value: dict[str, Any]) -> dict[str, Any]:
        """The autoscaling/v1 Scale of an object.

        Raises:
            Failure: 500, the object does not say how many replicas it wants.
        """
        wanted = _at(value, self.spec_replicas)
        if wanted is None:
            raise internal_error(f'the spec replicas field "{self.spec_replicas}" does not exist')
        status: dict[str, Any] = {"replicas": _at(value, self.status_replicas) or 0}
        if selector := (self.selector and _at(value, self.selector)):
            status["selector"] = selector
        metadata = value["metadata"]
        return {
            "kind": "Scale",
            "apiVersion": "autoscaling/v1",
            "metadata": {name: metadata[name] for name in _SHOWN if name in metadata},
            "spec": {"replicas": wanted} if wanted else {},
            "status": status,
        }

    def write(self, value: dict[str, Any], scale: dict[str, Any]) -> dict[str, Any]:
        """The object with the replicas the scale wants; that there are too few shows later."""
        *parents, last = self.spec_replicas.lstrip(".").split(".")
        place = value
        for name in parents:
            place = place.setdefault(name, {})
        place[last] = part(scale, "spec").get("replicas") or 0
        return value

    def causes(self, value: dict[str, Any], *, status_only: bool = False) -> list[Cause]:
        """Check the replicas and the selector of an object."""
        paths = (
            [self.status_replicas] if status_only else [self.spec_replicas, self.status_replicas]
        )
        causes = [cause for path in paths for cause in _count_causes(_at(value, path), path)]
        selector = _at(value, self.selector) if self.selector else None
        if selector is not None and not isinstance(selector, str):
            why = _mistyped(selector, self.selector, "string")
            causes.append(invalid_value(self.selector, "", why))
        return causes


def _count_causes(count: Any, path: str) -> list[Cause]:
    if count is None:
        return []
    if not isinstance(count, int) or isinstance(count, bool):
        return [invalid_value(path, 0, _mistyped(count, path, "int64"))]
    if count < 0:
        return [invalid_value(path, count, "should be a non-negative integer")]
    if count > _MAX_REPLICAS:
        return [invalid_value(path, count, f"should be less than or equal to {_MAX_REPLICAS}")]
    return []


_GO_TYPES: Final = (
    (bool, "bool"),
    (str, "string"),
    (int, "int64"),
    (float, "float64"),
    (list, "[]interface {}"),
    (dict, "map[string]interface {}"),
)


def _go_type(value: object) -> str:
    return next(name for kind, name in _GO_TYPES if isinstance(value, kind))


def _mistyped(value: Any, path: str, wanted: str) -> str:
    """Return the server's words for a member of a wrong type."""
    shown = str(value).lower() if value is True or value is False else value
    return f"{path} accessor error: {shown} is of the type {_go_type(value)}, expected {wanted}"


def _at(value: Any, path: str) -> Any:
    for name in path.lstrip(".").split("."):
        if not is_object(value) or name not in value:
            return None
        value = value[name]
    return value
