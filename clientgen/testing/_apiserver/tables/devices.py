"""Tables of dynamic resource allocation, and of requests for certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from . import durations
from .columns import AGE, NAME, NONE, Column, Printer, View, field, since

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PRINTERS"]


def _claim_state(view: View) -> str:
    states = ["deleted"] if view.terminating else []
    if view.at("status", "allocation") is None:
        states += [] if states else ["pending"]
    else:
        states += ["allocated"] + ["reserved"] * bool(view.items("status", "reservedFor"))
    return ",".join(states)


_NAMED: Final = (NAME, AGE)

_CLAIM: Final = (NAME, Column("State", "Whether it was met.", _claim_state), AGE)

_SLICE: Final = (
    NAME,
    Column("Node", "Where the devices are.", field("spec.nodeName"), doc="spec.nodeName"),
    Column("Driver", "The driver they are of.", field("spec.driver"), doc="spec.driver"),
    Column("Pool", "The pool they are of.", field("spec.pool.name"), doc="spec.pool.name"),
    AGE,
)


def _taint(name: str, about: str, member: str) -> Column:
    path = f"spec.taint.{member}"
    return Column(name, about, field(path), doc=path)


_TAINT: Final = (
    NAME,
    _taint("Key", "The taint's key.", "key"),
    _taint("Value", "The taint's value.", "value"),
    _taint("Effect", "What becomes of claims that do not tolerate it.", "effect"),
    Column(
        "TimeAdded",
        "The time since it was put on.",
        since("spec.taint.timeAdded", ""),
        doc="spec.taint.timeAdded",
    ),
    AGE,
)

# ------------------------------------------------------------------ the state of pools


class _PoolStatus(View):
    """A ResourcePoolStatusRequest and the totals of the pools it found."""

    @property
    def outcome(self) -> dict[str, Any] | None:
        """The condition that says how it ended; None while it has not."""
        for condition in self.items("status", "conditions"):
            if condition.get("type") in _OUTCOMES and condition.get("status") == "True":
                found: dict[str, Any] = condition
                return found
        return None

    @property
    def failed(self) -> bool:
        """Whether it ended badly."""
        return self.outcome is not None and self.outcome["type"] == "Failed"

    def total(self, count: Callable[[dict[str, Any]], int]) -> str:
        """The sum over all pools; `-` where there is nothing to be counted."""
        if self.at("status") is None or self.failed:
            return "-"
        return str(sum(map(count, self.items("status", "pools"))))

    @property
    def state(self) -> str:
        """How it ended, and how many pools were left out."""
        if self.outcome is None:
            return "Pending"
        told, there = len(self.items("status", "pools")), self.at("status", "poolCount") or 0
        partial = not self.failed and told < there
        return f"Complete ({told}/{there} pools)" if partial else str(self.outcome["type"])

    @property
    def completed(self) -> str:
        """The time since it ended well."""
        if self.outcome is None or self.failed:
            return NONE
        return durations.since(self.outcome.get("lastTransitionTime"), self.now)


_OUTCOMES: Final = ("Complete", "Failed")


def _is_invalid(pool: dict[str, Any]) -> bool:
    return bool(pool.get("validationError"))


def _devices(name: str, member: str) -> Column:
    def cell(view: _PoolStatus) -> str:
        return view.total(lambda pool: pool.get(member) or 0)

    return Column(name, f"How many devices: {name.lower()}.", cell)


_POOL_STATUS: Final = (
    NAME,
    Column("Driver", "Whose pools are asked about.", field("spec.driver"), doc="spec.driver"),
    _devices("Total", "totalDevices"),
    _devices("Available", "availableDevices"),
    _devices("Allocated", "allocatedDevices"),
    _devices("Unavailable", "unavailableDevices"),
    Column(
        "Errors",
        "How many pools are not valid.",
        lambda view: view.total(_is_invalid),
    ),
    Column("Pools", "How many pools match.", field("status.poolCount", 0), type="integer"),
    Column("Status", "How the request goes.", lambda view: view.state),
    Column("Completed", "The time since it was answered.", lambda view: view.completed),
)

# ------------------------------------------------------------------ certificates


def _request_condition(view: View) -> str:
    types = {condition.get("type") for condition in view.items("status", "conditions")}
    decided = [kind for kind in ("Denied", "Approved") if kind in types] or ["Pending"]
    failed = ["Failed"] if "Failed" in types else []
    issued = ["Issued"] if view.text("status", "certificate") else []
    return ",".join(decided[:1] + failed + issued)


def _duration(view: View) -> str:
    seconds = view.at("spec", "expirationSeconds")
    return NONE if seconds is None else durations.human_duration(seconds)


_SIGNING_REQUEST: Final = (
    NAME,
    AGE,
    Column("SignerName", "Who should sign.", field("spec.signerName", NONE), doc="spec.signerName"),
    Column("Requestor", "Who asks for it.", field("spec.username")),
    Column(
        "RequestedDuration",
        "How long it should last.",
        _duration,
        doc="spec.expirationSeconds",
    ),
    Column("Condition", "What became of it.", _request_condition),
)

_GROUP: Final = "resource.k8s.io"

PRINTERS: Final = {
    (_GROUP, "DeviceClass"): Printer(_NAMED),
    (_GROUP, "DeviceTaintRule"): Printer(_TAINT),
    (_GROUP, "ResourceClaim"): Printer(_CLAIM),
    (_GROUP, "ResourceClaimTemplate"): Printer(_NAMED),
    (_GROUP, "ResourceSlice"): Printer(_SLICE),
    (_GROUP, "ResourcePoolStatusRequest"): Printer(_POOL_STATUS, view=_PoolStatus),
    ("certificates.k8s.io", "CertificateSigningRequest"): Printer(_SIGNING_REQUEST),
}
