"""StatefulSets: pods with names that stay, in order.

https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/. Not played: claims that are
deleted when the StatefulSet is scaled down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure
from clientgen._json import part
from clientgen.runtime._conditions.pods import FINAL_PHASES

from .control_plane import Controller
from .objects import key
from .ordinals import REVISION, claims_of, new_pod, ordinal_of, ordinals_of
from .played_kinds import CLAIMS, PODS, REVISIONS, STATEFUL_SETS
from .pod_control import PodControl, claimed, keys_for_pod
from .pod_state import is_going, is_ready, phase_of, seconds_until_available
from .revisions import History, history_of, prune, template_in
from .rollout_sizes import resolved_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .control_plane import ControlPlane

_LABEL: Final = "controller.kubernetes.io/hash"


@dataclass(slots=True)
class _Look:
    """One look at a StatefulSet.

    Attributes:
        stateful_set: the StatefulSet.
        history: its revisions.
        current: the revision that most of its pods had when an update began.
        pods: its pods, by ordinal.
        surplus: those that it shall not have, by ordinal.
    """

    stateful_set: dict[str, Any]
    history: History
    current: dict[str, Any]
    pods: dict[int, dict[str, Any]]
    surplus: dict[int, dict[str, Any]]

    @property
    def spec(self) -> dict[str, Any]:
        """Its spec."""
        spec: dict[str, Any] = self.stateful_set["spec"]
        return spec

    @property
    def is_ordered(self) -> bool:
        """Whether its pods start and end one after the other."""
        return bool(self.spec.get("podManagementPolicy") != "Parallel")

    @property
    def minimum(self) -> int:
        """How long a pod has to be ready to be available."""
        minimum: int = self.spec.get("minReadySeconds") or 0
        return minimum


class StatefulSets(Controller):
    """The controller of StatefulSets."""

    name = "statefulset-controller"
    needs = (PODS, STATEFUL_SETS, REVISIONS)
    watches = (STATEFUL_SETS, PODS, REVISIONS)

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(plane)
        self._pods = PodControl(plane, self.name)

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield StatefulSets, those of pods, and those that could adopt a pod."""
        if kind == STATEFUL_SETS:
            if after is not None:
                yield key(after)
        elif kind == PODS:
            yield from keys_for_pod(self._plane, "StatefulSet", STATEFUL_SETS, before, after)

    def sync(self, key: str) -> None:
        """Take the next step, and write the status."""
        stateful_set = self._plane.objects.copy(STATEFUL_SETS, key)
        if stateful_set is None:
            return
        look = self._look(stateful_set)
        failure: Failure | None = None
        if not is_going(stateful_set):
            try:
                self._step(look)
            except Failure as refused:
                failure = refused
        look = self._look(stateful_set, look.history)
        self._write_status(look)
        if not is_going(stateful_set):
            self._prune(look)
        left = [
            seconds_until_available(each, look.minimum, self._plane.now())
            for each in look.pods.values()
        ]
        if (soon := min((each for each in left if each), default=None)) is not None:
            self._plane.come_back(self, key, soon)
        if failure is not None:
            raise failure

    def _look(self, stateful_set: dict[str, Any], history: History | None = None) -> _Look:
        found = claimed(self._plane, PODS, stateful_set, stateful_set["spec"]["selector"])
        history = history or history_of(self._plane, stateful_set, _LABEL)
        named = part(stateful_set, "status").get("currentRevision", "")
        current = history.named(named) or history.newest
        wanted = ordinals_of(stateful_set)
        ordered = {
            ordinal: pod for pod in found if (ordinal := ordinal_of(stateful_set, pod)) is not None
        }
        return _Look(
            stateful_set,
            history,
            current,
            {ordinal: pod for ordinal, pod in sorted(ordered.items()) if ordinal in wanted},
            {ordinal: pod for ordinal, pod in sorted(ordered.items()) if ordinal not in wanted},
        )

    # ----------------------------------------------------------------------------- steps

    def _step(self, look: _Look) -> None:
        """Create the missing pods; then delete those too many; then replace the old ones."""
        for ordinal in ordinals_of(look.stateful_set):
            if self._settle_pod(look, ordinal) and look.is_ordered:
                return
        for ordinal, pod in sorted(look.surplus.items(), reverse=True):
            if self._remove_surplus(look, ordinal, pod) and look.is_ordered:
                return
        if part(look.spec, "updateStrategy").get("type") != "OnDelete":
            self._update(look)

    def _settle_pod(self, look: _Look, ordinal: int) -> bool:
        """See to the pod with an ordinal. Return whether the ones after it have to wait."""
        pod = look.pods.get(ordinal)
        if pod is None:
            self._create(look, ordinal)
            return True
        if phase_of(pod) in FINAL_PHASES:
            self._delete(look, pod)
            return True
        return is_going(pod) or not self._is_available(look, pod)

    def _is_available(self, look: _Look, pod: dict[str, Any]) -> bool:
        ready = phase_of(pod) == "Running" and is_ready(pod)
        return ready and seconds_until_available(pod, look.minimum, self._plane.now()) == 0

    def _create(self, look: _Look, ordinal: int) -> None:
        stateful_set, revision = look.stateful_set, self._revision_for(look, ordinal)
        name = revision["metadata"]["name"]
        pod = new_pod(stateful_set, ordinal, template_in(revision), name)
        about = f"Pod {pod['metadata']['name']} in StatefulSet {stateful_set['metadata']['name']}"
        for claim in claims_of(stateful_set, ordinal):
            if self._plane.objects.get(CLAIMS, key(claim)) is None:
                self._plane.objects.create(CLAIMS, claim)
                text = f"Create Claim {claim['metadata']['name']} {about} success"
                self._record(stateful_set, "SuccessfulCreate", text)
        self._pods.create(stateful_set, pod, f"Create {about} successful")

    def _revision_for(self, look: _Look, ordinal: int) -> dict[str, Any]:
        """Return the revision that a new pod gets: below the partition, it is the current one."""
        strategy = part(look.spec, "updateStrategy")
        if strategy.get("type") == "OnDelete":
            return look.history.newest
        partition = part(strategy, "rollingUpdate").get("partition") or 0
        start = ordinals_of(look.stateful_set).start
        return look.current if ordinal < start + partition else look.history.newest

    def _remove_surplus(self, look: _Look, ordinal: int, pod: dict[str, Any]) -> bool:
        """Delete a pod too many. Return whether others have to wait."""
        if is_going(pod):
            return True
        unavailable = [
            each
            for each in (*look.pods.values(), *look.surplus.values())
            if not self._is_available(look, each)
        ]
        if look.is_ordered and not self._is_available(look, pod) and pod is not unavailable[0]:
            return True
        del ordinal
        self._delete(look, pod)
        return True

    def _update(self, look: _Look) -> None:
        """Delete pods of older revisions, from the last one on, as many as may be unavailable."""
        rolling = part(part(look.spec, "updateStrategy"), "rollingUpdate")
        replicas = look.spec.get("replicas") or 0
        most = max(1, resolved_count(rolling.get("maxUnavailable", 1), replicas, up=False))
        wanted = ordinals_of(look.stateful_set)
        first = wanted.start + (rolling.get("partition") or 0)
        newest = look.history.newest["metadata"]["name"]
        missing = sum(ordinal not in look.pods for ordinal in wanted)
        missing += sum(
            is_going(each) or not self._is_available(look, each) for each in look.pods.values()
        )
        for ordinal, pod in sorted(look.pods.items(), reverse=True):
            if missing >= most or ordinal < first:
                return
            if part(pod["metadata"], "labels").get(REVISION) != newest and not is_going(pod):
                self._delete(look, pod)
                missing += 1

    def _delete(self, look: _Look, pod: dict[str, Any]) -> None:
        stateful_set = look.stateful_set
        name = stateful_set["metadata"]["name"]
        text = f"Delete Pod {pod['metadata']['name']} in StatefulSet {name} successful"
        self._pods.delete(stateful_set, pod, text)

    # ---------------------------------------------------------------------------- status

    def _write_status(self, look: _Look) -> None:
        stateful_set = look.stateful_set
        status = self._status(look, [*look.pods.values(), *look.surplus.values()])
        if status != part(stateful_set, "status"):
            stateful_set["status"] = status
            self._plane.objects.update_status(STATEFUL_SETS, stateful_set)

    def _status(self, look: _Look, pods: Sequence[dict[str, Any]]) -> dict[str, Any]:
        current, newest = (each["metadata"]["name"] for each in (look.current, look.history.newest))
        alive = [each for each in pods if not is_going(each)]
        revisions = [part(each["metadata"], "labels").get(REVISION) for each in alive]
        ready = [each for each in pods if phase_of(each) == "Running" and is_ready(each)]
        replicas = look.spec.get("replicas") or 0
        numbers = {
            "readyReplicas": len(ready),
            "currentReplicas": revisions.count(current),
            "updatedReplicas": revisions.count(newest),
        }
        kind = part(look.spec, "updateStrategy").get("type")
        done = numbers["updatedReplicas"] == numbers["readyReplicas"] == len(pods) == replicas
        if kind == "RollingUpdate" and done:
            current, numbers["currentReplicas"] = newest, numbers["updatedReplicas"]
        available = sum(self._is_available(look, each) for each in ready)
        return {
            "observedGeneration": look.stateful_set["metadata"].get("generation", 1),
            "replicas": len(pods),
            **{name: number for name, number in numbers.items() if number},
            "availableReplicas": available,
            "currentRevision": current,
            "updateRevision": newest,
            "collisionCount": look.history.collisions,
        }

    def _prune(self, look: _Look) -> None:
        pods = (*look.pods.values(), *look.surplus.values())
        used = {str(part(each["metadata"], "labels").get(REVISION)) for each in pods}
        used.add(look.current["metadata"]["name"])
        prune(self._plane, look.history, look.stateful_set, used)
