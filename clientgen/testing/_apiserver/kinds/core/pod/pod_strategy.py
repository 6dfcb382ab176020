"""The strategy of Pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from ...defaults import TypeDefaults
from ...metadata import MetadataChecks
from ...selector_fields import switch, text
from ...shared.ip_warnings import address_warnings
from ...shared.pod_warnings import pod_warnings
from ...strategy import Strategy
from .admission import match_labels, set_overhead, set_priority, tolerate
from .pod_columns import PRINTER
from .pod_object_defaults import set_addresses, set_defaults
from .qos import qos_class
from .resize import keep_metadata, prepare_resize, resize_causes
from .validation import create_causes, ephemeral_causes, pod_causes, status_causes, update_causes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clientgen._apimachinery.failures import Cause

    from ....object_reader import ObjectReader

_GATED: Final[dict[str, Any]] = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "SchedulingGated",
    "message": "Scheduling is blocked due to non-empty scheduling gates",
    "lastProbeTime": None,
}


def _addresses(pod: dict[str, Any]) -> str:
    return ",".join(each.get("ip", "") for each in parts(part(pod, "status"), "podIPs"))


class PodStrategy(Strategy):
    """The strategy for Pods."""

    types = {
        "core.v1.Pod": TypeDefaults(fill=set_defaults),
        "core.v1.PodStatus": TypeDefaults(fill=set_addresses),
    }
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    metadata_kept_by_status = ("ownerReferences",)
    fields_reset_by_status = (("metadata", "deletionTimestamp"), ("metadata", "ownerReferences"))
    delete_returns_object = True
    generation_fields = ("spec",)
    selectable_fields = {
        "spec.nodeName": text("spec.nodeName"),
        "spec.host": text("spec.nodeName"),
        "spec.restartPolicy": text("spec.restartPolicy"),
        "spec.schedulerName": text("spec.schedulerName"),
        "spec.serviceAccountName": text("spec.serviceAccountName"),
        "spec.hostNetwork": switch("spec.hostNetwork"),
        "status.phase": text("status.phase"),
        "status.podIP": text("status.podIP"),
        "status.podIPs": _addresses,
        "status.nominatedNodeName": text("status.nominatedNodeName"),
    }
    printer = PRINTER

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Run the admission plugins, and begin a status."""
        match_labels(obj)
        tolerate(obj["spec"])
        set_priority(obj, reader)
        set_overhead(obj, reader)
        status: dict[str, Any] = {"phase": "Pending", "qosClass": qos_class(obj["spec"])}
        obj["status"] = status
        if (obj["spec"].get("terminationGracePeriodSeconds") or 0) < 0:
            obj["spec"]["terminationGracePeriodSeconds"] = 1
        if obj["spec"].get("schedulingGates"):
            since = reader.now().strftime("%Y-%m-%dT%H:%M:%SZ")
            status["conditions"] = [{**_GATED, "lastTransitionTime": since}]

    def prepare_for_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Keep the priority, if the client does not send it, and the tolerations."""
        for member in ("priority", "preemptionPolicy"):
            if new["spec"].get(member) is None and member in old["spec"]:
                new["spec"][member] = old["spec"][member]
        tolerate(new["spec"])

    def prepare_for_status_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Keep the quality of service, if the client does not send it."""
        status = part(new, "status")
        if not status.get("qosClass"):
            status["qosClass"] = part(old, "status").get("qosClass") or qos_class(new["spec"])

    def prepare_for_subresource_update(
        self, subresource: str, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Take only what the subresource changes."""
        if subresource == "resize":
            prepare_resize(new, old)
        elif subresource == "ephemeralcontainers":
            keep_metadata(new, old)
            containers = parts(part(new, "spec"), "ephemeralContainers")
            new["spec"] = {**old["spec"], "ephemeralContainers": containers}
            if not containers:
                del new["spec"]["ephemeralContainers"]

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check a new pod."""
        yield from pod_causes(obj)
        yield from create_causes(obj)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the pod, and that only what can change does."""
        yield from pod_causes(new)
        yield from update_causes(new, old)

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the addresses and the quality of service."""
        yield from status_causes(new, old)

    def validate_subresource_update(
        self, subresource: str, new: dict[str, Any], old: dict[str, Any]
    ) -> Iterable[Cause]:
        """Check ephemeral containers, or resources."""
        if subresource == "ephemeralcontainers":
            return ephemeral_causes(new, old)
        return resize_causes(new, old) if subresource == "resize" else ()

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of unusual members of new pods."""
        if old is None:
            yield from pod_warnings(new)

    def warnings_on_status_write(self, new: dict[str, Any]) -> Iterator[str]:
        """Warn of unusual addresses."""
        for several in ("podIPs", "hostIPs"):
            for index, address in enumerate(parts(part(new, "status"), several)):
                path = f"status.{several}[{index}].ip"
                yield from address_warnings(path, address.get("ip") or "")

    def grace_period(self, obj: dict[str, Any], asked: int | None) -> int | None:
        """Give scheduled pods time to end."""
        spec, status = part(obj, "spec"), part(obj, "status")
        grace = int(spec.get("terminationGracePeriodSeconds", 30)) if asked is None else asked
        if grace < 0:
            grace = 1
        is_done = status.get("phase") in FINAL_PHASES
        return 0 if is_done or not spec.get("nodeName") else grace
