"""Tables of Nodes."""

from __future__ import annotations

from typing import Final

from .columns import AGE, NAME, NONE, Column, Printer, View, field
from .durations import UNKNOWN

__all__ = ["PRINTERS"]

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


_NODE: Final = (
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

PRINTERS: Final = {
    ("", "Node"): Printer(_NODE),
}
