"""Deployments roll out ReplicaSets.

https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.labels import selects
from clientgen._json import part

from .control_plane import Controller
from .deployment_rollouts import Rollout
from .deployment_status import counted_status, deadline_left, rollout_status, set_paused
from .objects import controller_of, key
from .played_kinds import DEPLOYMENTS, PODS, REPLICA_SETS
from .pod_control import claimed, owner_key
from .pod_state import is_going
from .status_conditions import condition_of

if TYPE_CHECKING:
    from collections.abc import Iterable


class Deployments(Controller):
    """The controller of Deployments."""

    name = "deployment-controller"
    needs = (PODS, REPLICA_SETS, DEPLOYMENTS)
    watches = (DEPLOYMENTS, REPLICA_SETS, PODS)

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield the Deployment of a ReplicaSet, or those that could adopt it.

        Pods count only when they are gone: a Deployment that recreates its pods waits for that.
        """
        if kind == DEPLOYMENTS:
            if after is not None:
                yield key(after)
        elif kind == PODS:
            if after is None and before is not None:
                yield from self._of_pod(before)
        else:
            yield from owner_key("Deployment", before, after)
            if after is not None and controller_of(after) is None:
                yield from self._adopters(after)

    def _of_pod(self, pod: dict[str, Any]) -> Iterable[str]:
        for owner in owner_key("ReplicaSet", pod):
            yield from owner_key("Deployment", self._plane.objects.get(REPLICA_SETS, owner))

    def _adopters(self, replica_set: dict[str, Any]) -> Iterable[str]:
        metadata = replica_set["metadata"]
        for value in self._plane.objects.all(DEPLOYMENTS, metadata["namespace"]):
            if selects(value["spec"]["selector"], part(metadata, "labels")):
                yield key(value)

    def sync(self, key: str) -> None:
        """Bring one Deployment a step on."""
        deployment = self._plane.objects.copy(DEPLOYMENTS, key)
        if deployment is None or not deployment["spec"].get("selector"):
            return
        selector = deployment["spec"]["selector"]
        sets = claimed(self._plane, REPLICA_SETS, deployment, selector)
        rollout = Rollout(self._plane, deployment, sets)
        if is_going(deployment):
            self._write(rollout, counted_status(rollout, self._plane.timestamp()))
            return
        if set_paused(deployment, self._plane.timestamp()):
            rollout.write_status()
        if deployment["spec"].get("paused") or rollout.is_scaled():
            rollout.scale()
            self._write(rollout, counted_status(rollout, self._plane.timestamp()))
        elif deployment["spec"]["strategy"]["type"] == "Recreate":
            rollout.recreate()
            self._finish(rollout)
        else:
            rollout.roll()
            self._finish(rollout)

    def _finish(self, rollout: Rollout) -> None:
        now = self._plane.now()
        self._write(rollout, rollout_status(rollout, now))
        seconds = deadline_left(rollout.deployment, now)
        progressing = condition_of(part(rollout.deployment, "status"), "Progressing")
        if seconds is not None and progressing is not None:
            self._plane.set_alarm(self, key(rollout.deployment), seconds)

    def _write(self, rollout: Rollout, status: dict[str, Any]) -> None:
        if status != part(rollout.deployment, "status"):
            rollout.deployment["status"] = status
            rollout.write_status()
