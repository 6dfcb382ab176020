"""DaemonSets run a pod on every node that fits.

https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure
from clientgen._json import part, parts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from .control_plane import Controller
from .daemon_pods import HASH, TOLERATIONS, new_daemon_pod, node_of
from .node_matching import first_untolerated, selects_node
from .objects import key
from .played_kinds import DAEMON_SETS, NODES, PODS, REVISIONS
from .pod_control import PodControl, claimed, keys_for_pod
from .pod_state import is_going, is_ready, phase_of, seconds_until_available
from .revisions import History, history_of, prune
from .rollout_sizes import resolved_count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .control_plane import ControlPlane

_GENERATION: Final = "deprecated.daemonset.template.generation"


@dataclass(slots=True)
class _Look:
    """One look at a DaemonSet.

    Attributes:
        daemon_set: the DaemonSet.
        history: its revisions.
        digest: the hash of its template.
        pods: its pods, by node, the oldest first.
        wanted: the nodes where a pod shall run.
        kept: the nodes where a pod may go on running.
    """

    daemon_set: dict[str, Any]
    history: History
    digest: str
    pods: dict[str, list[dict[str, Any]]]
    wanted: list[str]
    kept: list[str]

    @property
    def minimum(self) -> int:
        """How long a pod has to be ready to be available."""
        minimum: int = self.daemon_set["spec"].get("minReadySeconds") or 0
        return minimum

    def limits(self) -> tuple[int, int]:
        """Return how many pods more there may be, and how many may be unavailable."""
        rolling = part(part(self.daemon_set["spec"], "updateStrategy"), "rollingUpdate")
        total = len(self.wanted)
        surge = resolved_count(rolling.get("maxSurge", 0), total, up=True)
        unavailable = resolved_count(rolling.get("maxUnavailable", 1), total, up=True)
        return surge, max(unavailable, 0 if surge else 1)

    def is_new(self, pod: dict[str, Any]) -> bool:
        """Return whether a pod has the template that is wanted."""
        return part(pod["metadata"], "labels").get(HASH) == self.digest


class DaemonSets(Controller):
    """The controller of DaemonSets."""

    name = "daemonset-controller"
    needs = (PODS, NODES, DAEMON_SETS, REVISIONS)
    watches = (DAEMON_SETS, PODS, NODES, REVISIONS)

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(plane)
        self._pods = PodControl(plane, self.name)

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield DaemonSets, those of pods and those that could adopt one; all for a node."""
        if kind == DAEMON_SETS:
            if after is not None:
                yield key(after)
        elif kind == NODES:
            if before is after or _concerns(before) != _concerns(after):
                yield from map(key, self._plane.objects.all(DAEMON_SETS))
        elif kind == PODS:
            yield from keys_for_pod(self._plane, "DaemonSet", DAEMON_SETS, before, after)

    def sync(self, key: str) -> None:
        """Create and delete pods, and write the status."""
        daemon_set = self._plane.objects.copy(DAEMON_SETS, key)
        if daemon_set is None:
            return
        look = self._look(daemon_set)
        failure: Failure | None = None
        if not is_going(daemon_set):
            try:
                self._step(look)
            except Failure as refused:
                failure = refused
        look = self._look(daemon_set, look.history)
        self._write_status(look)
        if not is_going(daemon_set):
            self._prune(look)
        self._watch_minimum(key, look)
        if failure is not None:
            raise failure

    def _look(self, daemon_set: dict[str, Any], history: History | None = None) -> _Look:
        found = claimed(self._plane, PODS, daemon_set, daemon_set["spec"]["selector"])
        history = history or history_of(self._plane, daemon_set, HASH)
        pods: dict[str, list[dict[str, Any]]] = {}
        for pod in sorted(found, key=lambda each: each["metadata"]["creationTimestamp"]):
            pods.setdefault(node_of(pod), []).append(pod)
        wanted: list[str] = []
        kept: list[str] = []
        for node in self._plane.objects.all(NODES):
            runs, continues = _should_run(daemon_set, node)
            name = node["metadata"]["name"]
            wanted += [name] if runs else []
            kept += [name] if continues else []
        digest = part(history.newest["metadata"], "labels")[HASH]
        return _Look(daemon_set, history, digest, pods, wanted, kept)

    # ----------------------------------------------------------------------------- steps

    def _step(self, look: _Look) -> None:
        surge, unavailable = look.limits()
        for name in look.wanted:
            if not look.pods.get(name):
                self._create(look, name)
        for name, pods in list(look.pods.items()):
            self._tidy(look, name, pods, surge=surge)
        if part(look.daemon_set["spec"], "updateStrategy").get("type") == "OnDelete":
            return
        look = self._look(look.daemon_set, look.history)
        if surge:
            self._update_with_surge(look, surge)
        else:
            self._update(look, unavailable)

    def _create(self, look: _Look, node: str) -> None:
        generation = part(look.daemon_set["metadata"], "annotations").get(_GENERATION, "")
        pod = new_daemon_pod(look.daemon_set, node, look.digest, generation)
        self._pods.create(look.daemon_set, pod)

    def _delete(self, look: _Look, pod: dict[str, Any]) -> None:
        self._pods.delete(look.daemon_set, pod)

    def _tidy(self, look: _Look, node: str, pods: list[dict[str, Any]], *, surge: int) -> None:
        """Delete pods that have ended, are too many, or must not be on their node."""
        alive = [each for each in pods if not is_going(each)]
        if node not in look.kept:
            for pod in alive:
                self._delete(look, pod)
            return
        for pod in alive:
            if phase_of(pod) in FINAL_PHASES:
                self._report_ended(look, pod, node)
                self._delete(look, pod)
        running = [each for each in alive if phase_of(each) not in FINAL_PHASES]
        if surge:
            groups = (
                [each for each in running if look.is_new(each) is new] for new in (True, False)
            )
            extra = [pod for group in groups for pod in group[1:]]
        else:
            extra = running[1:]
        for pod in extra:
            self._delete(look, pod)

    def _report_ended(self, look: _Look, pod: dict[str, Any], node: str) -> None:
        failed = phase_of(pod) == "Failed"
        metadata = pod["metadata"]
        place = f"{metadata['namespace']}/{metadata['name']} on node {node}"
        what, then = ("failed", "kill it") if failed else ("succeeded", "delete it")
        self._plane.recorder.record(
            look.daemon_set,
            self.name,
            "FailedDaemonPod" if failed else "SucceededDaemonPod",
            f"Found {what} daemon pod {place}, will try to {then}",
            warning=failed,
        )

    def _is_available(self, look: _Look, pod: dict[str, Any]) -> bool:
        return seconds_until_available(pod, look.minimum, self._plane.now()) == 0

    def _update(self, look: _Look, most: int) -> None:
        """Delete old pods that are not available, and others as far as they may be missed."""
        missing, candidates = 0, list[dict[str, Any]]()
        for name in look.wanted:
            alive = [each for each in look.pods.get(name, ()) if not is_going(each)]
            if len(alive) != 1:
                missing += 1
            elif look.is_new(alive[0]):
                missing += not self._is_available(look, alive[0])
            elif self._is_available(look, alive[0]):
                candidates.append(alive[0])
            else:
                missing += 1
                self._delete(look, alive[0])
        for pod in candidates[: max(0, most - missing)]:
            self._delete(look, pod)

    def _update_with_surge(self, look: _Look, most: int) -> None:
        """Create new pods beside the old ones; delete the old ones when these are available."""
        more, candidates = 0, list[str]()
        for name in look.wanted:
            alive = [each for each in look.pods.get(name, ()) if not is_going(each)]
            new = [each for each in alive if look.is_new(each)]
            old = [each for each in alive if not look.is_new(each)]
            if not old:
                continue
            if new and self._is_available(look, new[0]):
                self._delete(look, old[0])
            elif new:
                more += 1
            elif self._is_available(look, old[0]):
                candidates.append(name)
            else:
                self._create(look, name)
        for name in candidates[: max(0, most - more)]:
            self._create(look, name)

    # ---------------------------------------------------------------------------- status

    def _write_status(self, look: _Look) -> None:
        status = self._status(look)
        if status != part(look.daemon_set, "status"):
            look.daemon_set["status"] = status
            self._plane.objects.update_status(DAEMON_SETS, look.daemon_set)

    def _status(self, look: _Look) -> dict[str, Any]:
        there = {
            name: sorted(pods, key=lambda each: (not is_ready(each), is_going(each)))[0]
            for name, pods in look.pods.items()
            if pods
        }
        placed = {name: there[name] for name in look.wanted if name in there}
        available = sum(self._is_available(look, each) for each in placed.values())
        numbers = {
            "updatedNumberScheduled": sum(map(look.is_new, placed.values())),
            "numberAvailable": available,
            "numberUnavailable": len(look.wanted) - available,
        }
        status = {
            "currentNumberScheduled": len(placed),
            "numberMisscheduled": sum(name not in look.wanted for name in there),
            "desiredNumberScheduled": len(look.wanted),
            "numberReady": sum(map(is_ready, placed.values())),
            "observedGeneration": look.daemon_set["metadata"].get("generation", 1),
            **{name: number for name, number in numbers.items() if number},
        }
        if look.history.collisions:
            status["collisionCount"] = look.history.collisions
        return status

    def _prune(self, look: _Look) -> None:
        digests = {
            part(pod["metadata"], "labels").get(HASH) for pods in look.pods.values() for pod in pods
        }
        used = {
            each["metadata"]["name"]
            for each in look.history.older
            if part(each["metadata"], "labels").get(HASH) in digests
        }
        prune(self._plane, look.history, look.daemon_set, used)

    def _watch_minimum(self, key: str, look: _Look) -> None:
        pods = [pod for pods in look.pods.values() for pod in pods]
        left = [seconds_until_available(each, look.minimum, self._plane.now()) for each in pods]
        if (soon := min((each for each in left if each), default=None)) is not None:
            self._plane.come_back(self, key, soon)


def _concerns(node: dict[str, Any] | None) -> tuple[Any, ...]:
    """Return what of a node decides on the pods it gets."""
    if node is None:
        return ()
    spec = part(node, "spec")
    return (node["metadata"].get("labels"), parts(spec, "taints"))


def _should_run(daemon_set: dict[str, Any], node: dict[str, Any]) -> tuple[bool, bool]:
    """Return whether a pod shall run on a node, and whether one that is there may stay."""
    spec = part(daemon_set["spec"]["template"], "spec")
    name = spec.get("nodeName")
    if (name and name != node["metadata"]["name"]) or not selects_node(spec, node):
        return False, False
    tolerant = {**spec, "tolerations": [*parts(spec, "tolerations"), *TOLERATIONS]}
    if first_untolerated(tolerant, node, ("NoExecute",)) is not None:
        return False, False
    return first_untolerated(tolerant, node, ("NoSchedule",)) is None, True
