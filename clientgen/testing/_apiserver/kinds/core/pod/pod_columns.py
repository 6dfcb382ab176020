"""The columns of Pods, whose status is one word: what stands in its way, if anything."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from clientgen.runtime._printing.human_durations import since

from ....tables.columns import AGE, NAME, NONE, Column, Printer, View, dig, field, members

if TYPE_CHECKING:
    from collections.abc import Iterable

_GATED: Final = "SchedulingGated"
_FINISHED: Final = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


class _PodView(View):
    """A Pod, with what the columns show of its containers."""

    @cached_property
    def sidecars(self) -> frozenset[str]:
        """The names of init containers that keep running (sidecars)."""
        return frozenset(
            container.get("name", "")
            for container in self.items("spec", "initContainers")
            if container.get("restartPolicy") == "Always"
        )

    @cached_property
    def blocked(self) -> tuple[int, dict[str, Any]] | None:
        """The first init container that the others still wait for, and its index."""
        for place, status in enumerate(self.items("status", "initContainerStatuses")):
            if not (_succeeded(status) or self._runs_beside(status)):
                return place, status
        return None

    @property
    def initializing(self) -> bool:
        """Whether the init containers still run."""
        return self.blocked is not None and not self.has_condition("Initialized")

    def has_condition(self, kind: str) -> bool:
        """Return whether the condition of that type is True."""
        return any(
            condition.get("type") == kind and condition.get("status") == "True"
            for condition in self.items("status", "conditions")
        )

    def _runs_beside(self, status: dict[str, Any]) -> bool:
        return status.get("name") in self.sidecars and bool(status.get("started"))

    def _begun(self) -> list[dict[str, Any]]:
        """List the init containers up to the one that blocks."""
        statuses = self.items("status", "initContainerStatuses")
        return statuses if self.blocked is None else statuses[: self.blocked[0] + 1]

    @property
    def ready(self) -> str:
        """The number of ready containers, of those that keep running."""
        beside = [
            status
            for status in self._begun()
            if not _succeeded(status) and self._runs_beside(status) and status.get("ready")
        ]
        regular = [] if self.initializing else [each for each in self._regular() if _is_up(each)]
        total = len(self.items("spec", "containers")) + len(self.sidecars)
        return f"{len(beside) + len(regular)}/{total}"

    def _regular(self) -> list[dict[str, Any]]:
        return self.items("status", "containerStatuses")

    @property
    def restarts(self) -> str:
        """The number of restarts of containers, and the time since the last."""
        counted = self._begun()
        if not self.initializing:
            counted = [each for each in counted if each.get("name") in self.sidecars]
            counted += self._regular()
        count = sum(status.get("restartCount") or 0 for status in counted)
        last = _last_end(counted)
        return f"{count} ({since(last, self.now)} ago)" if count and last else str(count)

    @property
    def reason(self) -> str:
        """The word in the Status column."""
        if self.terminating and self.text("status", "reason") == "NodeLost":
            return "Unknown"
        if self.terminating and self.at("status", "phase") not in _FINISHED:
            return "Terminating"
        if self.initializing:
            return self._why_blocked()
        return self._why_not_running(self._own_reason())

    def _own_reason(self) -> str:
        for condition in self.items("status", "conditions"):
            if (condition.get("type"), condition.get("reason")) == ("PodScheduled", _GATED):
                return _GATED
        reason = self.text("status", "reason") or self.text("status", "phase")
        # A later condition may say that init containers are done although one still blocks.
        return reason if self.blocked is None else self._why_blocked()

    def _why_blocked(self) -> str:
        assert self.blocked is not None
        place, status = self.blocked
        waiting = dig(status, "state", "waiting", "reason")
        if dig(status, "state", "terminated") is not None:
            return f"Init:{_end_of(status)}"
        if waiting and waiting != "PodInitializing":
            return f"Init:{waiting}"
        return f"Init:{place}/{len(self.items('spec', 'initContainers'))}"

    def _why_not_running(self, reason: str) -> str:
        """Return the reason of the first container that has one, or the reason given."""
        failure = ""
        for status in reversed(self._regular()):
            waiting = dig(status, "state", "waiting", "reason")
            if waiting:
                reason = waiting
            elif dig(status, "state", "terminated") is not None:
                reason = _end_of(status)
                failure = reason if dig(status, "state", "terminated", "exitCode") else failure
        return self._completed(failure) if reason == "Completed" else reason

    def _completed(self, failure: str) -> str:
        """Return the reason of a pod of which a container has completed."""
        running = any(map(_is_up, self._regular()))
        if running and self.has_condition("Ready"):
            return "Running"
        return failure or ("NotReady" if running else "Completed")

    @property
    def gates(self) -> str:
        """The number of open readiness gates, of all."""
        gates = [gate.get("conditionType", "") for gate in self.items("spec", "readinessGates")]
        return f"{sum(map(self.has_condition, gates))}/{len(gates)}" if gates else NONE

    @property
    def address(self) -> str:
        """The first IP address."""
        addresses = self.items("status", "podIPs")
        return str(addresses[0].get("ip") or NONE) if addresses else NONE


def _succeeded(status: dict[str, Any]) -> bool:
    ended = dig(status, "state", "terminated")
    return ended is not None and not ended.get("exitCode")


def _is_up(status: dict[str, Any]) -> bool:
    """Return whether a regular container runs and is ready."""
    state = members(status, "state")
    waits = dig(state, "waiting", "reason")
    return (
        bool(status.get("ready"))
        and state.get("running") is not None
        and not waits
        and state.get("terminated") is None
    )


def _end_of(status: dict[str, Any]) -> str:
    ended = members(status, "state", "terminated")
    if ended.get("reason"):
        return str(ended["reason"])
    if ended.get("signal"):
        return f"Signal:{ended['signal']}"
    return f"ExitCode:{ended.get('exitCode') or 0}"


def _last_end(statuses: Iterable[dict[str, Any]]) -> str | None:
    ends: list[str | None] = [
        dig(status, "lastState", "terminated", "finishedAt") for status in statuses
    ]
    return max(filter(None, ends), default=None)


def _row_conditions(pod: _PodView) -> list[dict[str, Any]] | None:
    phase = pod.text("status", "phase")
    if phase not in _FINISHED:
        return None
    return [{"type": "Completed", "status": "True", "reason": phase, "message": _FINISHED[phase]}]


_COLUMNS: Final[tuple[Column, ...]] = (
    NAME,
    Column("Ready", "How many of the containers are ready.", lambda pod: pod.ready),
    Column("Status", "What the containers do, or what keeps them.", lambda pod: pod.reason),
    Column("Restarts", "How often containers restarted, and when last.", lambda pod: pod.restarts),
    AGE,
    Column("IP", "The Pod's address.", lambda pod: pod.address, priority=1, doc="status.podIP"),
    Column(
        "Node",
        "The node the Pod is on.",
        field("spec.nodeName", NONE),
        priority=1,
        doc="spec.nodeName",
    ),
    Column(
        "Nominated Node",
        "The node where room is being made for the Pod.",
        field("status.nominatedNodeName", NONE),
        priority=1,
        doc="status.nominatedNodeName",
    ),
    Column(
        "Readiness Gates",
        "How many of the extra conditions for readiness hold.",
        lambda pod: pod.gates,
        priority=1,
        doc="spec.readinessGates",
    ),
)

PRINTER: Final = Printer(_COLUMNS, view=_PodView, conditions=_row_conditions)
