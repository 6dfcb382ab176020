"""Server-side apply: merges the configurations of several managers into an object.

Facts: docs/internals/kubernetes-semantics.md, 1.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import bad_request, conflict
from clientgen._json import is_object, part

from .. import apply
from .update import Update

if TYPE_CHECKING:
    from .create import Outcome


class Apply(Update):
    """One write to one object by server-side apply."""

    def apply(self, config: dict[str, Any]) -> Outcome:
        """Server-side apply: create the object, or merge into it what is applied."""
        self._check_applied(config)
        record = self.current()
        metadata = config["metadata"]
        if record is None:
            return self._create_applied(config)
        live = self.view.value(record)
        version = metadata.get("resourceVersion")
        if version == "" and not self.strategy.allow_unconditional_update:
            raise self._unversioned()
        if version and version != live["metadata"]["resourceVersion"]:
            raise self._conflict(record)
        value = self._merged(live, config)
        return self.replace(record, value, owned=True)

    def _check_applied(self, config: dict[str, Any]) -> None:
        kind = config.get("kind")
        if kind and kind != self.resource.kind:
            raise bad_request(f"invalid object type: {config.get('apiVersion')}, Kind={kind}")
        metadata: Any = part(config, "metadata")
        if not is_object(metadata):
            raise bad_request(f"json: cannot unmarshal metadata: {metadata!r} is no object")
        if self.current() is not None:
            metadata.setdefault("name", self.info.name)
        self.check_target(metadata)
        config["metadata"] = metadata

    def _create_applied(self, config: dict[str, Any]) -> Outcome:
        metadata = config["metadata"]
        if self.info.subresource:
            raise self._missing()
        metadata.pop("resourceVersion", None)
        self._may_create()
        self.cluster.check_namespace(self.resource, self.info.namespace, metadata)
        self.strategy.check_create(metadata.get("name", ""))
        uid = metadata.get("uid")
        if uid:
            why = (
                f"uid mismatch: the provided object specified uid {uid}, and no existing object "
                "was found"
            )
            resource = self.resource
            raise conflict(resource.group, resource.plural, self.info.name, why)
        value = self._merged(None, config)
        return self._create(value)

    def _merged(self, live: dict[str, Any] | None, config: dict[str, Any]) -> dict[str, Any]:
        """Return the object that a configuration makes of the stored one."""
        value = apply.applied(
            live,
            config,
            self._writer(),
            self._schema_of,
            force=self.options.force,
            ignored=self._ignored(),
            convert=self._conversion(),
        )
        value, _ = self.strategy.codec.clean(self.view.titled(value), self.cluster.spec.schemas)
        self.strategy.default(value, keep_nulls=True)
        return value
