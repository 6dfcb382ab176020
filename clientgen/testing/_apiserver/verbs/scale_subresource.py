"""The scale subresource: the number of replicas, wherever a kind keeps it.

A write to the scale is a write to the replicas of the object behind it, and is owned there under
the subresource `scale`.

Facts: docs/internals/kubernetes-semantics.md, 1.4.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure, bad_request, invalid, unclassified
from clientgen._json import part

from ..admission import Attributes, chain_of
from ..apply import SCALE_VERSION, Writer, applied, for_scale, from_scale, replicas_path, updated
from ..kinds.kind_codecs import Codec
from ..patches.patch_types import APPLY, Patch, patch_type, read_patch
from ..requests.request_bodies import body_resource, complain, mismatch, object_of
from ..requests.request_options import write_options
from ..storage.versioned_view import VersionedView
from .update import Update

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen._apimachinery.decoding import Parsed
    from clientgen._openapi.resolved import ResolvedSchema

    from ..apply.field_paths import Path
    from ..requests.request_info import RequestInfo
    from ..requests.request_options import WriteOptions
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..served_resources import Resource
    from ..storage.cluster_state import ClusterState
    from ..storage.store import Record

_SCALE: Final = "io.k8s.api.autoscaling.v1.Scale"
_UNSET: Final = -2147483648


def scale(cluster: ClusterState, info: RequestInfo, shown: Rendering) -> Answer:
    """Read, update or patch the scale of an object."""
    parent = VersionedView(info.strategy, cluster.registry)
    resource = body_resource(cluster, info)
    shown = replace(shown, view=VersionedView.of(resource, cluster.registry))
    if info.verb == "get":
        access = ScaleAccess(cluster, info, parent)
        return shown.value(
            access.read(parent.value(cluster.existing(info.resource, info.namespace, info.name)))
        )
    kind = "UpdateOptions" if info.verb == "update" else "PatchOptions"
    media = patch_type(info.request, info.strategy.codec) if info.verb == "patch" else ""
    options = write_options(info.request, kind, apply=media == APPLY)
    access = ScaleAccess(cluster, info, parent)
    write = _ScaleUpdate(cluster, info, options, resource, access.owned)
    if info.verb == "update":
        body = object_of(info.request, shown.view.strategy.codec, cluster.spec.schemas)
        complain(info.request, body.problems, options.validation, resource)
        value = access.update(write, body.value)
    else:
        parsed = read_patch(info.request.body, media, checked=options.validation != "Ignore")
        if media == APPLY:
            complain(info.request, parsed.complaints(), options.validation)
            value = access.apply(write, parsed.value, resource)
        else:
            value = access.patch(write, Patch(media, parsed.value, resource), parsed)
    return shown.value(value)


class _ScaleUpdate(Update):
    """A write to an object of which admission sees the scale."""

    def __init__(
        self,
        cluster: ClusterState,
        info: RequestInfo,
        options: WriteOptions,
        body: Resource,
        read: Callable[[dict[str, Any]], dict[str, Any]],
    ) -> None:
        super().__init__(cluster, info, options)
        self._body = body
        self._read = read

    def _attributes(self, value: dict[str, Any], old: dict[str, Any] | None) -> Attributes:
        attributes = super()._attributes(value, old)
        attributes.strategy = self.cluster.registry.strategy_of(self._body)
        attributes.kind = self._body.gvk
        attributes.object = self._read(value)
        attributes.old_object = None if old is None else self._read(old)
        return attributes

    def _admitted(self, value: dict[str, Any], old: dict[str, Any] | None) -> dict[str, Any]:
        chain = chain_of(self.cluster)
        if not chain.is_active:
            return value
        attributes = self._attributes(value, old)
        chain.admit(attributes)
        scale = attributes.object or {}
        return self.strategy.from_scale(deepcopy(value), scale)


class ScaleAccess:
    """Reads and writes the scale of one object."""

    def __init__(self, cluster: ClusterState, info: RequestInfo, parent: VersionedView) -> None:
        self._cluster = cluster
        self._info = info
        self._resource = info.resource
        self._parent = parent
        self._strategy = parent.strategy

    def read(self, value: dict[str, Any]) -> dict[str, Any]:
        """The scale of an object."""
        return self._strategy.to_scale(value)

    def update(self, write: Update, scale: dict[str, Any]) -> dict[str, Any]:
        """Scale as a PUT says."""
        metadata = scale["metadata"]
        write.check_target(metadata)
        record = self._record()
        write.check_uid(record, metadata)
        return self._write(write, record, scale)

    def patch(self, write: Update, change: Patch, parsed: Parsed) -> dict[str, Any]:
        """Scale as a patch says."""
        body = change.resource
        record = self._record()
        result = change.of(self._current_scale(self._parent.value(record)))
        refuse = change.undecodable(result)
        if not isinstance(result, dict):
            raise refuse("json: cannot unmarshal into a Scale")
        value: dict[str, Any] = {**result}
        scale, unknown = Codec(body).clean(value, self._cluster.spec.schemas, refuse)
        write.complain(parsed.complaints(unknown), refuse)
        write.check_target(scale["metadata"])
        return self._write(write, record, scale)

    def apply(self, write: Update, config: dict[str, Any], body: Resource) -> dict[str, Any]:
        """Scale by server-side apply."""
        if config.get("kind") != body.kind:
            raise bad_request("invalid object type")
        record = self._record()
        metadata = part(config, "metadata")
        if metadata.get("name", self._info.name) != self._info.name:
            raise mismatch("name", metadata["name"], self._info.name)
        live = self._parent.value(record)
        old = self.owned(live)
        if not self._strategy.converts_scale and "managedFields" not in old["metadata"]:
            raise unclassified(
                "failed to create manager for existing fields: failed to convert live object "
                f"{self._unconverted()}"
            )
        force = write.options.force
        scale = applied(old, config, self._writer(write), self._schema_of, force=force)
        if not self._strategy.converts_scale and scale["spec"] != old["spec"]:
            raise unclassified(f"failed to convert new object {self._unconverted()}")
        return self._store(write, record, live, scale)

    def _record(self) -> Record:
        return self._cluster.existing(self._resource, self._info.namespace, self._info.name)

    def _write(self, write: Update, record: Record, scale: dict[str, Any]) -> dict[str, Any]:
        causes = self._strategy.scale_causes(scale)
        if causes:
            raise invalid("autoscaling", "Scale", self._info.name, causes)
        live = self._parent.value(record)
        old = self.owned(live)
        version = scale["metadata"].get("resourceVersion")
        new = {**old, "metadata": {"resourceVersion": version}, "spec": scale.get("spec") or {}}
        updated(old, new, self._writer(write), self._schema_of)
        return self._store(write, record, live, new)

    def _store(
        self, write: Update, record: Record, live: dict[str, Any], scale: dict[str, Any]
    ) -> dict[str, Any]:
        if scale["spec"].get("replicas") == _UNSET:
            raise bad_request("the spec replicas field cannot be empty")
        value = self._with(live, scale)
        write.strategy.default(value)
        metadata = value["metadata"]
        if version := scale["metadata"].get("resourceVersion"):
            metadata["resourceVersion"] = version
        entries = from_scale(
            metadata.pop("managedFields", None),
            scale["metadata"].get("managedFields"),
            self._resource.api_version,
            self._paths(),
        )
        if entries:
            metadata["managedFields"] = entries
        return self.read(write.replace(record, value, owned=True).value)

    # ------------------------------------------------------------------------ ownership

    def _unconverted(self) -> str:
        """Real servers cannot tell a custom resource's scale in the resource's own version."""
        return (
            f"(/{self._info.name}; {SCALE_VERSION}, Kind=Scale) to proper version: "
            f"request to convert CR to an invalid group/version: {SCALE_VERSION}"
        )

    def _current_scale(self, live: dict[str, Any]) -> dict[str, Any]:
        """The scale, also of an object that does not say how many replicas it wants."""
        try:
            return self.read(live)
        except Failure:  # a write may say it
            return self.read(self._with(live, {"spec": {"replicas": _UNSET}}))

    def owned(self, live: dict[str, Any]) -> dict[str, Any]:
        """The scale with the owners that the object's replicas have."""
        scale = self._current_scale(live)
        entries = for_scale(live["metadata"].get("managedFields"), self._paths())
        if entries:
            scale["metadata"] = {**scale["metadata"], "managedFields": entries}
        return scale

    def _paths(self) -> dict[str, Path | None]:
        """Return the path of the replicas in each version; None where it has no scale."""
        paths = self._strategy.replicas_paths()
        return {
            version: None if path is None else replicas_path(path)
            for version, path in paths.items()
        }

    def _writer(self, write: Update) -> Writer:
        return Writer(write.options.manager, SCALE_VERSION, "scale", self._cluster.now())

    def _schema_of(self, version: str) -> ResolvedSchema | None:
        known = version == SCALE_VERSION and _SCALE in self._cluster.spec.schemas.definitions
        return self._cluster.spec.schemas.named(_SCALE) if known else None

    def _with(self, value: dict[str, Any], scale: dict[str, Any]) -> dict[str, Any]:
        return self._strategy.from_scale(deepcopy(value), scale)
