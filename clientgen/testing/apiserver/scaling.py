"""The scale subresource: the number of replicas, wherever a kind keeps it (fact sheet 1.4).

A write to the scale is a write to the replicas of the object behind it, and is owned there under
the subresource `scale`.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from . import builtin
from .apply import from_scale, replicas_path
from .bodies import cleaned, mismatch
from .failures import bad_request, invalid, not_found, unclassified

if TYPE_CHECKING:
    from .cluster import Cluster
    from .resources import Resource
    from .routing import Target
    from .store import Record
    from .views import View
    from .writing import Change, Writing

__all__ = ["Scaling"]


class Scaling:
    """Reads and writes the scale of one object."""

    def __init__(self, cluster: Cluster, target: Target, parent: View) -> None:
        self._cluster = cluster
        self._target = target
        self._resource = target.resource
        self._parent = parent

    def read(self, value: dict[str, Any]) -> dict[str, Any]:
        """The scale of an object."""
        custom = self._resource.custom
        if custom is None:
            return builtin.to_scale(self._resource, value)
        assert custom.scale is not None  # or there would be no such subresource
        return custom.scale.read(value)

    def update(self, writing: Writing, scale: dict[str, Any]) -> dict[str, Any]:
        """Scale as a PUT says."""
        name = scale["metadata"].get("name")
        if name != self._target.name:
            raise mismatch("name", str(name), self._target.name)
        record = self._record(writing)
        return self._write(writing, record, scale)

    def patch(self, writing: Writing, change: Change, body: Resource) -> dict[str, Any]:
        """Scale as a patch says."""
        record = self._record(writing)
        result = change.of(self.read(self._parent.value(record)))
        refuse = change.undecodable(result)
        if not isinstance(result, dict):
            raise refuse("json: cannot unmarshal into a Scale")
        scale, _ = cleaned(result, body, self._cluster.spec.schemas, refuse)
        return self._write(writing, record, scale)

    def apply(self, writing: Writing, config: Any, body: Resource) -> dict[str, Any]:
        """Scale by server-side apply."""
        if not isinstance(config, dict) or config.get("kind") != body.kind:
            raise bad_request("invalid object type")
        metadata = config.get("metadata") or {}
        if metadata.get("name", self._target.name) != self._target.name:
            raise mismatch("name", metadata["name"], self._target.name)
        record = self._record(writing)
        live = self._parent.value(record)
        replicas = (config.get("spec") or {}).get("replicas")
        parent: dict[str, Any] = self._parent.titled({"metadata": {"name": self._target.name}})
        if replicas is not None:
            parent = self._with(parent, {"spec": {"replicas": replicas}})
        value = writing.merged(live, parent)
        if self._resource.custom is not None:
            raise unclassified(
                f"failed to convert new object (/{self._target.name}; autoscaling/v1, Kind=Scale) "
                "to proper version: request to convert CR to an invalid group/version: autoscaling/v1"
            )
        return self.read(writing.replace(record, value, owned=True).value)

    def _record(self, writing: Writing) -> Record:
        record = writing.current()
        if record is None:
            raise not_found(self._resource.group, self._resource.plural, self._target.name)
        return record

    def _write(self, writing: Writing, record: Record, scale: dict[str, Any]) -> dict[str, Any]:
        causes = [] if self._resource.custom else builtin.scale_causes(scale)
        if causes:
            raise invalid("autoscaling", "Scale", self._target.name, causes)
        value = self._with(self._parent.value(record), scale)
        value["metadata"]["resourceVersion"] = scale["metadata"].get("resourceVersion")
        custom = self._resource.custom
        if custom is not None:
            self._disown(value)
        return self.read(writing.replace(record, value, owned=custom is not None).value)

    def _disown(self, value: dict[str, Any]) -> None:
        """Scales of custom resources cannot be converted: nobody owns the replicas afterwards."""
        entries = value["metadata"].pop("managedFields", None)
        if not entries:
            return
        paths = {
            each.api_version: replicas_path(each.custom.scale.spec_replicas)
            for each in self._cluster.registry.custom_resources()
            if each.group_resource == self._resource.group_resource
            and each.custom is not None
            and each.custom.scale is not None
        }
        left = from_scale(entries, [], self._resource.api_version, paths)
        if left:
            value["metadata"]["managedFields"] = left

    def _with(self, value: dict[str, Any], scale: dict[str, Any]) -> dict[str, Any]:
        custom = self._resource.custom
        value = deepcopy(value)
        if custom is None:
            return builtin.from_scale(self._resource, value, scale)
        assert custom.scale is not None
        return custom.scale.write(self._resource, value, scale)
