"""Node: a machine that runs pods."""

from __future__ import annotations

from ipaddress import ip_network
from json import JSONDecodeError, loads
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
)
from clientgen._apimachinery.name_syntax import (
    cidr_problems,
    label_value_problems,
    qualified_name_problems,
)
from clientgen._json import part, parts, texts
from clientgen.runtime._printing.human_durations import UNKNOWN

from ...tables.columns import AGE, NAME, NONE, Column, Printer, View, field
from ..defaults import TypeDefaults, set_empty
from ..metadata import MetadataChecks
from ..selector_fields import switch
from ..shared.common_checks import matches, one_of
from ..shared.container_resources import quantity_causes
from ..shared.ip_warnings import network_warnings
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...object_reader import ObjectReader

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_AVOID: Final = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_FAMILIES: Final = 2
_NOT_READY: Final = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
_ROLE_PREFIX: Final = "node-role.kubernetes.io/"
_ROLE_LABEL: Final = "kubernetes.io/role"


def _status(view: View) -> str:
    ready = {
        condition.get("type"): condition.get("status")
        for condition in view.items("status", "conditions")
    }.get("Ready")
    shown = "Unknown" if ready is None else "Ready" if ready == "True" else "NotReady"
    return f"{shown},SchedulingDisabled" if view.at("spec", "unschedulable") else shown


def _roles(view: View) -> str:
    """The roles that labels give: `node-role.kubernetes.io/ROLE` or `kubernetes.io/role=ROLE`."""
    labels: dict[str, str] = view.at("metadata", "labels") or {}
    roles = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    roles.add(labels.get(_ROLE_LABEL, ""))
    return ",".join(sorted(roles - {""})) or NONE


def _address(kind: str, name: str, about: str) -> Column:
    def cell(view: View) -> str:
        for address in view.items("status", "addresses"):
            if address.get("type") == kind:
                return str(address.get("address", ""))
        return NONE

    return Column(name, about, cell, priority=1, doc="status.addresses")


def _info(name: str, about: str, member: str, priority: int = 1) -> Column:
    path = f"status.nodeInfo.{member}"
    return Column(
        name, about, field(path, UNKNOWN if priority else ""), priority=priority, doc=path
    )


_COLUMNS: Final = (
    NAME,
    Column("Status", "Whether Pods can run there.", _status),
    Column("Roles", "What it is for.", _roles),
    AGE,
    _info("Version", "The kubelet's version.", "kubeletVersion", priority=0),
    _address("InternalIP", "Internal-IP", "Its address inside the cluster."),
    _address("ExternalIP", "External-IP", "Its address from outside."),
    _info("OS-Image", "Its operating system.", "osImage"),
    _info("Kernel-Version", "Its kernel.", "kernelVersion"),
    _info("Container-Runtime", "What runs its containers.", "containerRuntimeVersion"),
)


def _set_pod_cidrs(spec: dict[str, Any]) -> None:
    """Complete `podCIDR` and `podCIDRs`, which say the same."""
    cidr, cidrs = spec.get("podCIDR"), texts(spec, "podCIDRs")
    if cidr and cidrs[:1] != [cidr]:
        spec["podCIDRs"] = [cidr]
    elif cidrs:
        set_empty(spec, podCIDR=cidrs[0])


def _set_allocatable(status: dict[str, Any]) -> None:
    if status.get("capacity"):
        set_empty(status, allocatable=dict(status["capacity"]))


class NodeStrategy(Strategy):
    """The strategy for Nodes."""

    types = {
        "core.v1.NodeSpec": TypeDefaults(fill=_set_pod_cidrs),
        "core.v1.NodeStatus": TypeDefaults(fill=_set_allocatable),
    }
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    keeps_status_on_create = True
    selectable_fields = {"spec.unschedulable": switch("spec.unschedulable")}
    printer = Printer(_COLUMNS)

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Keep pods off a new node until it is ready."""
        taints = parts(obj["spec"], "taints")
        if not any(_NOT_READY.items() <= taint.items() for taint in taints):
            obj["spec"]["taints"] = [*taints, dict(_NOT_READY)]

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check taints, resources and networks."""
        yield from _node_causes(obj)
        yield from _network_causes(obj["spec"])

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the networks and the provider once they are known."""
        yield from self.validate(new)
        yield from _node_causes(new)  # the server looks at it twice
        yield from _change_causes(new["spec"], old["spec"])

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the node again, and that no address is listed twice."""
        yield from _node_causes(new)
        seen: set[tuple[object, object]] = set()
        for index, address in enumerate(parts(part(new, "status"), "addresses")):
            pair = (address.get("type"), address.get("address"))
            if pair in seen:
                yield duplicate(f"status.addresses[{index}]", address)
            seen.add(pair)

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of a deprecated member and of unusual networks."""
        spec = new["spec"]
        if spec.get("externalID"):
            yield "spec.externalID: this field is deprecated, and is unused by Kubernetes"
        for index, network in enumerate(texts(spec, "podCIDRs")):
            yield from network_warnings(f"spec.podCIDRs[{index}]", network)


def _node_causes(node: dict[str, Any]) -> Iterator[Cause]:
    yield from _avoided(part(node["metadata"], "annotations").get(_AVOID))
    yield from _taints(node["spec"])
    for side in ("capacity", "allocatable"):
        for name, quantity in part(part(node, "status"), side).items():
            yield from quantity_causes(name, quantity, f"status.{side}.{name}")


def _network_causes(spec: dict[str, Any]) -> Iterator[Cause]:
    networks, path = texts(spec, "podCIDRs"), "spec.podCIDRs"
    for index, network in enumerate(networks):
        yield from matches(f"{path}[{index}]", network, cidr_problems)
    if len(networks) > 1:
        unsound = [each for each in networks if cidr_problems(each)]
        versions = {ip_network(each).version for each in networks if each not in unsound}
        if unsound:
            failed = "invalid PodCIDRs. failed to check with dual stack with error:"
            why = f"invalid CIDR address: {unsound[0]}"
            yield Cause("InternalError", f"Internal error: {failed}{why}", path)
        if unsound or len(versions) < _FAMILIES or len(networks) > _FAMILIES:
            why = "may specify no more than one CIDR for each IP family"
            yield invalid_value(path, networks, why)


def _avoided(text: str | None) -> Iterator[Cause]:
    """Pods that a node would rather not have."""
    try:
        avoided = loads(text) if text else None
    except JSONDecodeError as problem:
        yield invalid_value("metadata.annotations.AvoidPods", _AVOID, str(problem))
        return
    if isinstance(avoided, dict):
        for index, entry in enumerate(parts({**avoided}, "preferAvoidPods")):
            if not part(entry, "podSignature").get("podController"):
                at = f"metadata.annotations.{_AVOID}[{index}].PodSignature"
                yield required(at)


def _taints(spec: dict[str, Any]) -> Iterator[Cause]:
    seen: set[tuple[object, object]] = set()
    for index, taint in enumerate(parts(spec, "taints")):
        # The server tells taints as if they were metadata.
        at, effect = f"metadata.taints[{index}]", taint.get("effect")
        yield from matches(f"{at}.key", taint.get("key") or "", qualified_name_problems)
        problems = label_value_problems(taint.get("value") or "")
        if problems:
            yield invalid_value(f"{at}.value", taint["value"], ";".join(problems))
        if not effect:
            yield required(f"{at}.effect")
        else:
            yield from one_of(f"{at}.effect", effect, _EFFECTS)
        if (taint.get("key"), effect) in seen:
            yield duplicate(at, taint)
        seen.add((taint.get("key"), effect))


def _change_causes(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    before, after = texts(old, "podCIDRs"), texts(new, "podCIDRs")
    why = 'node updates may not change podCIDR except from "" to valid'
    if before and len(before) != len(after):
        yield forbidden_value("spec.podCIDRs", why)
    elif before:
        changed = sum(one != other for one, other in zip(before, after, strict=True))
        yield from (forbidden_value("spec.podCIDRs", why) for _ in range(changed))
    if old.get("providerID") and new.get("providerID") != old["providerID"]:
        why = 'node updates may not change providerID except from "" to valid'
        yield forbidden_value("spec.providerID", why)
    if (new.get("externalID") or "") != (old.get("externalID") or ""):
        yield forbidden_value("spec.externalID", "may not be updated")
