"""Assigns pods to nodes: to one with room, and with the fewest pods.

It knows node selectors, required node affinity, taints, requests of resources and the number of
pods. It does not know affinity between pods, spreading, preemption or volumes.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from ...kinds.shared.quantities import amount
from ...verbs.binding import bind
from .behaviour import behaviour_of
from .control_plane import Controller
from .node_matching import misfit
from .objects import SCHEDULER, key
from .played_kinds import NODES, PODS
from .pod_state import is_going, phase_of
from .status_conditions import condition_of, set_condition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .control_plane import ControlPlane

_NAME: Final = "default-scheduler"
_SCHEDULED: Final = "PodScheduled"


class Scheduler(Controller):
    """The scheduler."""

    name = _NAME
    needs = (PODS, NODES)
    watches = (PODS, NODES)

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(plane)
        self._unassigned: dict[str, None] = {}
        self._nodes: dict[str, dict[str, dict[str, Decimal]]] = {}

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield pods without a node; all of them, when a node changes or has more room."""
        if kind == NODES:
            yield from list(self._unassigned)
            return
        self._count(before, after)
        pod = after or before
        assert pod is not None, "something changed"
        place = key(pod)
        if after is None or after["spec"].get("nodeName") or phase_of(after) in FINAL_PHASES:
            self._unassigned.pop(place, None)
            if _is_placed(before) and not _is_placed(after):
                yield from list(self._unassigned)
        else:
            self._unassigned[place] = None
            if before is after or _concerns(before) != _concerns(after):
                yield place

    def _count(self, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
        """Count the requests of the pods of each node."""
        if before is not None and _is_placed(before):
            self._nodes.get(before["spec"]["nodeName"], {}).pop(key(before), None)
        if after is not None and _is_placed(after):
            pods = self._nodes.setdefault(after["spec"]["nodeName"], {})
            pods[key(after)] = requests_of(after)

    def sync(self, key: str) -> None:
        """Assign a pod, or say why it cannot be."""
        objects = self._plane.objects
        pod = objects.copy(PODS, key)
        if pod is None or pod["spec"].get("nodeName") or is_going(pod):
            return
        if pod["spec"].get("schedulingGates") or phase_of(pod) != "Pending":
            return
        if pod["spec"].get("schedulerName", _NAME) != _NAME:
            return
        behaviour = behaviour_of(pod, self._plane.rules)
        if behaviour.pending:
            self._fail(pod, behaviour.pending, behaviour.message)
            return
        nodes = objects.all(NODES)
        node, problems = self._choose(pod, nodes)
        if node is None:
            self._fail(pod, "Unschedulable", _summary(len(nodes), problems))
            return
        self._bind(pod, node)

    def _bind(self, pod: dict[str, Any], node: dict[str, Any]) -> None:
        name, metadata = node["metadata"]["name"], pod["metadata"]
        bound = bind(pod, {"target": {"kind": "Node", "name": name}}, self._plane.now())
        self._plane.objects.put(PODS, bound)
        message = f"Successfully assigned {metadata['namespace']}/{metadata['name']} to {name}"
        self._plane.recorder.record(pod, _NAME, "Scheduled", message, action="Binding")

    def _choose(
        self, pod: dict[str, Any], nodes: list[dict[str, Any]]
    ) -> tuple[dict[str, Any] | None, list[str]]:
        """Return the node with the fewest pods of those that fit, or why none does."""
        requests, problems = requests_of(pod), list[str]()
        best: tuple[int, dict[str, Any]] | None = None
        for node in nodes:
            problem = misfit(pod, node) or self._shortage(requests, node)
            if problem:
                problems.append(problem)
                continue
            pods = len(self._nodes.get(node["metadata"]["name"], ()))
            if best is None or pods < best[0]:
                best = (pods, node)
        return (best[1] if best else None), problems

    def _shortage(self, requests: dict[str, Decimal], node: dict[str, Any]) -> str:
        """Return what a node has too little of."""
        allocatable = part(part(node, "status"), "allocatable")
        pods = self._nodes.get(node["metadata"]["name"], {})
        if "pods" in allocatable and len(pods) >= amount(allocatable["pods"]):
            return "Too many pods"
        for name, wanted in requests.items():
            if not allocatable and name in ("cpu", "memory", "ephemeral-storage"):
                continue  # a node of a test that says nothing of its size
            used = sum((each.get(name, Decimal(0)) for each in pods.values()), Decimal(0))
            if wanted and used + wanted > amount(allocatable.get(name, "0")):
                return f"Insufficient {name}"
        return ""

    def _fail(self, pod: dict[str, Any], reason: str, message: str) -> None:
        condition = {
            "type": _SCHEDULED,
            "status": "False",
            "lastProbeTime": None,
            "lastTransitionTime": self._plane.timestamp(),
            "reason": reason,
            "message": message,
        }
        status = pod.setdefault("status", {})
        current = condition_of(status, _SCHEDULED)
        if current and (current.get("reason"), current.get("message")) == (reason, message):
            return
        status["conditions"] = [
            each for each in parts(status, "conditions") if each.get("type") != _SCHEDULED
        ]
        if current and current.get("status") == "False":
            condition["lastTransitionTime"] = current.get("lastTransitionTime")
        set_condition(status, condition)
        self._plane.objects.update_status(PODS, pod, SCHEDULER)
        self._plane.recorder.record(
            pod, _NAME, "FailedScheduling", message, warning=True, action="Scheduling"
        )


def _is_placed(pod: dict[str, Any] | None) -> bool:
    return (
        pod is not None and bool(pod["spec"].get("nodeName")) and phase_of(pod) not in FINAL_PHASES
    )


def _concerns(pod: dict[str, Any] | None) -> tuple[Any, ...]:
    """Return what the decision depends on."""
    return () if pod is None else (pod["spec"], is_going(pod))


def requests_of(pod: dict[str, Any]) -> dict[str, Decimal]:
    """Return what a pod asks a node for: its containers, or an init container that needs more."""
    spec = pod["spec"]
    total: dict[str, Decimal] = {}
    for container in parts(spec, "containers"):
        _add(total, container)
    most: dict[str, Decimal] = {}
    for container in parts(spec, "initContainers"):
        if container.get("restartPolicy") == "Always":
            _add(total, container)
        else:
            for name, text in part(part(container, "resources"), "requests").items():
                most[name] = max(most.get(name, Decimal(0)), amount(text))
    for name, wanted in most.items():
        total[name] = max(total.get(name, Decimal(0)), wanted)
    for name, text in part(spec, "overhead").items():
        total[name] = total.get(name, Decimal(0)) + amount(text)
    return total


def _add(total: dict[str, Decimal], container: dict[str, Any]) -> None:
    for name, text in part(part(container, "resources"), "requests").items():
        total[name] = total.get(name, Decimal(0)) + amount(text)


def _summary(nodes: int, problems: list[str]) -> str:
    if not nodes:
        return "no nodes available to schedule pods"
    counted = sorted({each: problems.count(each) for each in problems}.items())
    text = ", ".join(f"{number} {problem}" for problem, number in counted)
    return f"0/{nodes} nodes are available: {text}."
