"""PodDisruptionBudgets count their pods, so that evictions know what they may do.

https://kubernetes.io/docs/tasks/run-application/configure-pdb/
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.labels import selects
from clientgen._json import part, parts

from .control_plane import Controller
from .objects import controller_of, key
from .played_kinds import DEPLOYMENTS, DISRUPTION_BUDGETS, PODS, REPLICA_SETS, STATEFUL_SETS
from .pod_state import is_going, is_ready
from .rollout_sizes import resolved_count
from .status_conditions import condition_of, moment, remove_condition

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALLOWED: Final = "DisruptionAllowed"
_DISRUPTION_TIMEOUT: Final = timedelta(minutes=2)
_SCALES: Final = {
    "ReplicaSet": REPLICA_SETS,
    "StatefulSet": STATEFUL_SETS,
    "Deployment": DEPLOYMENTS,
    "ReplicationController": "replicationcontrollers",
}


class DisruptionBudgets(Controller):
    """The controller of PodDisruptionBudgets."""

    name = "controllermanager"
    needs = (PODS, DISRUPTION_BUDGETS)
    watches = (DISRUPTION_BUDGETS, PODS, DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS)

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield budgets: those that select a pod; all of a namespace for other objects."""
        value = after or before
        assert value is not None, "something changed"
        if kind == DISRUPTION_BUDGETS:
            if after is not None:
                yield key(after)
            return
        namespace = value["metadata"].get("namespace", "")
        for budget in self._plane.objects.all(DISRUPTION_BUDGETS, namespace):
            if kind != PODS or _covers(budget, value):
                yield key(budget)

    def sync(self, key: str) -> None:
        """Write the status of one budget."""
        budget = self._plane.objects.copy(DISRUPTION_BUDGETS, key)
        if budget is None:
            return
        pods = [
            pod
            for pod in self._plane.objects.all(PODS, budget["metadata"]["namespace"])
            if _covers(budget, pod)
        ]
        status = self._status(budget, pods)
        if status != part(budget, "status"):
            budget["status"] = status
            self._plane.objects.update_status(DISRUPTION_BUDGETS, budget)
        if status.get("disruptedPods"):
            self._plane.set_alarm(self, key, _DISRUPTION_TIMEOUT.total_seconds() + 1)

    def _status(self, budget: dict[str, Any], pods: list[dict[str, Any]]) -> dict[str, Any]:
        disrupted = self._disrupted(budget, pods)
        healthy = sum(
            is_ready(pod) and not is_going(pod) and pod["metadata"]["name"] not in disrupted
            for pod in pods
        )
        expected, desired = self._expected(budget["spec"], pods)
        allowed = max(0, healthy - desired) if expected > 0 else 0
        generation = budget["metadata"].get("generation", 1)
        status: dict[str, Any] = {
            "observedGeneration": generation,
            "disruptionsAllowed": allowed,
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "expectedPods": expected,
            "conditions": list(parts(part(budget, "status"), "conditions")),
        }
        if disrupted:
            status["disruptedPods"] = disrupted
        self._set_allowed(status, generation)
        return status

    def _disrupted(self, budget: dict[str, Any], pods: list[dict[str, Any]]) -> dict[str, str]:
        """Return the pods that were evicted, as far as they are not gone yet."""
        there = {pod["metadata"]["name"] for pod in pods if not is_going(pod)}
        return {
            name: since
            for name, since in part(part(budget, "status"), "disruptedPods").items()
            if name in there
            and (then := moment(since)) is not None
            and self._plane.now() - then < _DISRUPTION_TIMEOUT
        }

    def _expected(self, spec: dict[str, Any], pods: list[dict[str, Any]]) -> tuple[int, int]:
        """Return how many pods there should be, and how many have to be healthy."""
        most, least = spec.get("maxUnavailable"), spec.get("minAvailable")
        if most is not None:
            total = self._scale(pods)
            return total, max(0, total - resolved_count(most, total, up=True))
        if isinstance(least, str):
            total = self._scale(pods)
            return total, resolved_count(least, total, up=True)
        return len(pods), least or 0

    def _scale(self, pods: list[dict[str, Any]]) -> int:
        """Return how many pods the controllers of these want."""
        scales: dict[str, int] = {}
        for pod in pods:
            owner = self._scalable(pod)
            if owner is not None:
                scales[owner["metadata"]["uid"]] = part(owner, "spec").get("replicas") or 0
        return sum(scales.values())

    def _scalable(self, value: dict[str, Any]) -> dict[str, Any] | None:
        reference = controller_of(value)
        kind = _SCALES.get(reference["kind"]) if reference is not None else None
        if reference is None or kind is None or self._plane.objects.view(kind) is None:
            return None
        place = f"{value['metadata']['namespace']}/{reference['name']}"
        owner = self._plane.objects.get(kind, place)
        if owner is None or owner["metadata"]["uid"] != reference["uid"]:
            return None
        return (self._scalable(owner) or owner) if kind == REPLICA_SETS else owner

    def _set_allowed(self, status: dict[str, Any], generation: int) -> None:
        enough = status["disruptionsAllowed"] > 0
        condition: dict[str, Any] = {
            "type": _ALLOWED,
            "status": "True" if enough else "False",
            "observedGeneration": generation,
            "lastTransitionTime": self._plane.timestamp(),
            "reason": "SufficientPods" if enough else "InsufficientPods",
            "message": "",
        }
        current = condition_of(status, _ALLOWED)
        if current is not None and current.get("status") == condition["status"]:
            condition["lastTransitionTime"] = current.get("lastTransitionTime")
        if current != condition:
            remove_condition(status, _ALLOWED)
            status["conditions"].append(condition)


def _covers(budget: dict[str, Any], pod: dict[str, Any]) -> bool:
    selector = part(budget, "spec").get("selector")
    return selector is not None and selects(selector, part(pod["metadata"], "labels"))
