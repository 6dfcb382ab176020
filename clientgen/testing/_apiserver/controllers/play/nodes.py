"""Nodes to run pods on, in clusters that have none."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts
from clientgen._shipped import KUBERNETES

from .control_plane import Controller
from .objects import KUBELET, key
from .played_kinds import NODES
from .status_conditions import condition_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .control_plane import ControlPlane

_FIRST_ADDRESS: Final = IPv4Address("192.168.0.10")
_RESOURCES: Final = {
    "cpu": "8",
    "ephemeral-storage": "100Gi",
    "hugepages-1Gi": "0",
    "hugepages-2Mi": "0",
    "memory": "32Gi",
    "pods": "110",
}
_CONDITIONS: Final = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "sufficient PID available"),
    ("Ready", "True", "KubeletReady", "posting ready status"),
)


def make_nodes(plane: ControlPlane, number: int | None) -> None:
    """Add this many nodes; None means one, if there are none."""
    if plane.objects.view(NODES) is None:
        return
    if number is None:
        number = 0 if plane.objects.count(NODES) else 1
    index = 0
    for _ in range(number):
        index += 1
        while plane.objects.get(NODES, f"node-{index}") is not None:
            index += 1
        _make(plane, index)


def _make(plane: ControlPlane, index: int) -> None:
    name = f"node-{index}"
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
    }
    cidr = f"10.{244 + index // 256}.{index % 256}.0/24"
    spec = {"podCIDR": cidr, "podCIDRs": [cidr]}
    node = {"metadata": {"name": name, "labels": labels}, "spec": spec}
    plane.objects.create(NODES, node, KUBELET)


class Nodes(Controller):
    """Kubelets that report their nodes as ready, and the controller that taints nodes.

    A node whose status has a Ready condition keeps it: tests can have nodes fail.
    """

    name = "node-controller"
    needs = (NODES,)
    watches = (NODES,)

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(plane)
        self._number = 0

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield nodes that are new or have changed."""
        del kind, before
        if after is not None:
            yield key(after)

    def sync(self, key: str) -> None:
        """Report a new node as ready, and taint it as its conditions ask."""
        node = self._plane.objects.copy(NODES, key)
        if node is None:
            return
        if condition_of(part(node, "status"), "Ready") is None:
            self._number += 1
            node["status"] = _status(node, self._number, self._plane.timestamp())
            node = self._plane.objects.update_status(NODES, node, KUBELET)
        taints = _taints(node)
        if taints != parts(part(node, "spec"), "taints"):
            node["spec"] = {**part(node, "spec"), "taints": taints}
            self._plane.objects.update(NODES, node)


def _taints(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the taints of a node, with those that follow from its state."""
    spec = part(node, "spec")
    ready = (condition_of(part(node, "status"), "Ready") or {}).get("status")
    wanted = {
        "node.kubernetes.io/not-ready": ready == "False",
        "node.kubernetes.io/unreachable": ready == "Unknown",
        "node.kubernetes.io/unschedulable": bool(spec.get("unschedulable")),
    }
    taints = [
        each
        for each in parts(spec, "taints")
        if each.get("effect") != "NoSchedule" or wanted.get(each.get("key", ""), True)
    ]
    there = {each.get("key") for each in taints if each.get("effect") == "NoSchedule"}
    missing = [name for name, is_wanted in wanted.items() if is_wanted and name not in there]
    return [*taints, *({"key": name, "effect": "NoSchedule"} for name in missing)]


def _status(node: dict[str, Any], number: int, now: str) -> dict[str, Any]:
    name, given = node["metadata"]["name"], part(node, "status")
    return {
        "capacity": given.get("capacity") or dict(_RESOURCES),
        "allocatable": given.get("allocatable") or given.get("capacity") or dict(_RESOURCES),
        "conditions": [
            *parts(given, "conditions"),
            *(
                {
                    "type": kind,
                    "status": status,
                    "lastHeartbeatTime": now,
                    "lastTransitionTime": now,
                    "reason": reason,
                    "message": f"kubelet {'is' if kind == 'Ready' else 'has'} {text}",
                }
                for kind, status, reason, text in _CONDITIONS
                if condition_of(given, kind) is None
            ),
        ],
        "addresses": given.get("addresses")
        or [
            {"type": "InternalIP", "address": str(_FIRST_ADDRESS + number)},
            {"type": "Hostname", "address": name},
        ],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": _info(number)
        | {name: each for name, each in part(given, "nodeInfo").items() if each},
    }


def _info(number: int) -> dict[str, str]:
    return {
        "machineID": f"{number:032x}",
        "systemUUID": f"{number:032x}",
        "bootID": f"{number:032x}",
        "kernelVersion": "6.12.0",
        "osImage": "clientgen",
        "containerRuntimeVersion": "containerd://2.1.0",
        "kubeletVersion": f"v{KUBERNETES}.0",
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": "amd64",
    }


def host_ip(node: dict[str, Any] | None) -> str:
    """Return the address of a node."""
    for address in parts(part(node or {}, "status"), "addresses"):
        if address.get("type") == "InternalIP":
            return str(address.get("address", ""))
    return str(_FIRST_ADDRESS)
