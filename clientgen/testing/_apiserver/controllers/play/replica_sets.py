"""ReplicaSets keep a number of equal pods.

https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure
from clientgen._json import part

from .control_plane import Controller
from .objects import controller_of, key
from .played_kinds import PODS, REPLICA_SETS
from .pod_control import PodControl, claimed, from_template, keys_for_pod, to_delete
from .pod_state import is_active, is_going, is_ready, seconds_until_available
from .status_conditions import condition_of, remove_condition, set_condition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .control_plane import ControlPlane

_MAX_BURST_PODS: Final = 500
_FAILURE: Final = "ReplicaFailure"


class ReplicaSets(Controller):
    """The controller of ReplicaSets."""

    name = "replicaset-controller"
    needs = (PODS, REPLICA_SETS)
    watches = (REPLICA_SETS, PODS)

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(plane)
        self._pods = PodControl(plane, self.name)

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield the ReplicaSets of a pod, or those that could adopt it."""
        if kind == REPLICA_SETS:
            if after is not None:
                yield key(after)
            return
        yield from keys_for_pod(self._plane, "ReplicaSet", REPLICA_SETS, before, after)

    def sync(self, key: str) -> None:
        """Create or delete pods, and write the status."""
        objects = self._plane.objects
        replica_set = objects.copy(REPLICA_SETS, key)
        if replica_set is None:
            return
        spec = replica_set["spec"]
        pods = claimed(self._plane, PODS, replica_set, spec["selector"])
        active = [pod for pod in pods if is_active(pod)]
        going = len([pod for pod in pods if is_going(pod)])
        failure: Failure | None = None
        if not is_going(replica_set):
            try:
                self._manage(replica_set, active)
            except Failure as refused:
                failure = refused
        status = self._status(replica_set, active, going, failure)
        if status != replica_set.get("status"):
            replica_set["status"] = status
            objects.update_status(REPLICA_SETS, replica_set)
        self._watch_minimum(key, active, spec.get("minReadySeconds") or 0)
        if failure is not None:
            raise failure

    def _manage(self, replica_set: dict[str, Any], active: list[dict[str, Any]]) -> None:
        difference = len(active) - (replica_set["spec"].get("replicas") or 0)
        name = replica_set["metadata"]["name"]
        for _ in range(min(-difference, _MAX_BURST_PODS)):
            self._pods.create(replica_set, from_template(replica_set["spec"]["template"], name))
        if difference > 0:
            related = self._related(replica_set)
            for pod in to_delete(active, min(difference, _MAX_BURST_PODS), related):
                self._pods.delete(replica_set, pod)

    def _related(self, replica_set: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the active pods of all ReplicaSets of the same owner."""
        owner, namespace = controller_of(replica_set), replica_set["metadata"]["namespace"]
        if owner is None:
            return []
        objects = self._plane.objects
        return [
            pod
            for other in objects.controlled(REPLICA_SETS, owner["uid"], namespace)
            for pod in objects.controlled(PODS, other["metadata"]["uid"], namespace)
            if is_active(pod)
        ]

    def _status(
        self,
        replica_set: dict[str, Any],
        active: list[dict[str, Any]],
        going: int,
        failure: Failure | None,
    ) -> dict[str, Any]:
        spec, before = replica_set["spec"], part(replica_set, "status")
        labels = part(part(spec["template"], "metadata"), "labels")
        now, minimum = self._plane.now(), spec.get("minReadySeconds") or 0
        counted = {
            "fullyLabeledReplicas": sum(
                labels.items() <= part(pod["metadata"], "labels").items() for pod in active
            ),
            "readyReplicas": sum(is_ready(pod) for pod in active),
            "availableReplicas": sum(
                seconds_until_available(pod, minimum, now) == 0 for pod in active
            ),
        }
        status: dict[str, Any] = {
            "replicas": len(active),
            **{name: number for name, number in counted.items() if number},
            "terminatingReplicas": going,
            "observedGeneration": replica_set["metadata"].get("generation", 1),
        }
        if before.get("conditions"):
            status["conditions"] = before["conditions"]
        self._set_failure(status, len(active) - (spec.get("replicas") or 0), failure)
        return status

    def _set_failure(
        self, status: dict[str, Any], difference: int, failure: Failure | None
    ) -> None:
        if failure is None:
            remove_condition(status, _FAILURE)
        elif condition_of(status, _FAILURE) is None:
            condition = {
                "type": _FAILURE,
                "status": "True",
                "lastTransitionTime": self._plane.timestamp(),
                "reason": "FailedCreate" if difference < 0 else "FailedDelete",
                "message": failure.message,
            }
            set_condition(status, condition)
        if not status.get("conditions"):
            status.pop("conditions", None)

    def _watch_minimum(self, key: str, active: list[dict[str, Any]], minimum: int) -> None:
        """Come back when a pod that is ready becomes available."""
        now = self._plane.now()
        left = [seconds_until_available(pod, minimum, now) for pod in active]
        soon = min((each for each in left if each), default=None)
        if soon is not None:
            self._plane.come_back(self, key, soon)
