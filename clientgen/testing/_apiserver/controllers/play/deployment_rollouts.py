"""One Deployment and its ReplicaSets: creates, scales and deletes them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure
from clientgen._json import part
from clientgen.runtime._conditions.pods import FINAL_PHASES

from .deployment_status import has_deadline, is_complete
from .objects import key, owner_reference
from .played_kinds import DEPLOYMENTS, PODS, REPLICA_SETS
from .pod_state import is_going, phase_of
from .rollout_sizes import max_surge, max_unavailable, share
from .status_conditions import condition_of, set_condition
from .template_hashes import template_hash

if TYPE_CHECKING:
    from .control_plane import ControlPlane

_HASH: Final = "pod-template-hash"
_REVISION: Final = "deployment.kubernetes.io/revision"
_HISTORY: Final = "deployment.kubernetes.io/revision-history"
_DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
_MAX: Final = "deployment.kubernetes.io/max-replicas"
_OWN: Final = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        "deprecated.deployment.rollback.to",
        _REVISION,
        _HISTORY,
        _DESIRED,
        _MAX,
    }
)
_MAX_HISTORY_LENGTH: Final = 2000
_MAX_DIGITS: Final = 10
_CONFLICT: Final = 409
_COMPONENT: Final = "deployment-controller"


class Rollout:
    """One look at a Deployment.

    Attributes:
        deployment: the Deployment, which changes as it is written.
        new: the ReplicaSet of its template; None until there is one.
        old: the other ReplicaSets, the oldest first.
    """

    def __init__(
        self, plane: ControlPlane, deployment: dict[str, Any], sets: list[dict[str, Any]]
    ) -> None:
        self._plane = plane
        self.deployment = deployment
        ordered = sorted(sets, key=_age)
        template = deployment["spec"]["template"]
        equal = (each for each in ordered if _without_hash(each["spec"]["template"]) == template)
        self.new: dict[str, Any] | None = next(equal, None)
        self.old = [each for each in ordered if each is not self.new]

    @property
    def sets(self) -> list[dict[str, Any]]:
        """All ReplicaSets, the new one last."""
        return [*self.old, *([self.new] if self.new is not None else [])]

    @property
    def replicas(self) -> int:
        """How many pods the Deployment shall have."""
        replicas: int = self.deployment["spec"].get("replicas") or 0
        return replicas

    def write_status(self) -> None:
        """Write the status, and the annotations, of the Deployment."""
        self.deployment = self._plane.objects.update_status(DEPLOYMENTS, self.deployment)

    # --------------------------------------------------------------------------- decisions

    def is_scaled(self) -> bool:
        """Return whether the Deployment was scaled since its ReplicaSets were."""
        self._find_new(create=False)
        return any(
            _number(each, _DESIRED) not in (None, self.replicas)
            for each in self.sets
            if _size(each)
        )

    def roll(self) -> None:
        """Take the next step of a rolling update."""
        new = self._find_new(create=True)
        assert new is not None, "it was created"
        if self._grow(new):
            return
        if self._shrink_old(new):
            return
        if is_complete(self.deployment, part(self.deployment, "status")):
            self._clean_up()

    def recreate(self) -> None:
        """Stop the old pods; when they are gone, start the new ones."""
        self._find_new(create=False)
        active = [each for each in self.old if _size(each)]
        for each in active:
            self._resize(each, 0)
        if active or self._old_pods_run():
            return
        new = self._find_new(create=True)
        assert new is not None, "it was created"
        self._resize(new, self.replicas)
        if is_complete(self.deployment, part(self.deployment, "status")):
            self._clean_up()

    def scale(self) -> None:
        """Spread a new number of replicas over the ReplicaSets; do not roll out."""
        self._find_new(create=False)
        active = [each for each in self.sets if _size(each)]
        if len(active) <= 1:
            only = active[0] if active else self.new or (self.old[-1] if self.old else None)
            if only is not None:
                self._resize(only, self.replicas)
        elif self._is_saturated():
            for each in self.old:
                self._resize(each, 0)
        elif self.deployment["spec"]["strategy"]["type"] == "RollingUpdate":
            self._scale_in_proportion(active)
        if self.deployment["spec"].get("paused"):
            self._clean_up()

    # ----------------------------------------------------------------------- ReplicaSets

    def _find_new(self, *, create: bool) -> dict[str, Any] | None:
        """Return the ReplicaSet of the template, and see to its number and annotations."""
        revision = str(max((_revision(each) for each in self.old), default=0) + 1)
        if self.new is not None:
            self._renew(self.new, revision)
        elif create:
            self.new = self._create(revision)
        return self.new

    def _renew(self, new: dict[str, Any], revision: str) -> None:
        """Have a ReplicaSet that was there before be the newest one."""
        changed = deepcopy(new)
        minimum = self.deployment["spec"].get("minReadySeconds") or 0
        is_changed = _annotate(changed, self.deployment, revision)
        if (changed["spec"].get("minReadySeconds") or 0) != minimum:
            changed["spec"]["minReadySeconds"] = minimum
            is_changed = True
        if is_changed:
            self.new = new = self._plane.objects.update(REPLICA_SETS, changed)
        is_changed = self._set_revision(part(new["metadata"], "annotations").get(_REVISION, ""))
        status = self.deployment.setdefault("status", {})
        if has_deadline(self.deployment) and condition_of(status, "Progressing") is None:
            name = new["metadata"]["name"]
            self._progress("FoundNewReplicaSet", f'Found new replica set "{name}"')
            is_changed = True
        if is_changed:
            self.write_status()

    def _create(self, revision: str) -> dict[str, Any]:
        spec, metadata = self.deployment["spec"], self.deployment["metadata"]
        collisions = part(self.deployment, "status").get("collisionCount")
        digest = template_hash(spec["template"], collisions)
        template, selector = deepcopy(spec["template"]), deepcopy(spec["selector"])
        labels = {**part(part(template, "metadata"), "labels"), _HASH: digest}
        template["metadata"] = {**part(template, "metadata"), "labels": labels}
        selector["matchLabels"] = {**part(selector, "matchLabels"), _HASH: digest}
        name = f"{metadata['name'][: 252 - len(digest)]}-{digest}"
        value: dict[str, Any] = {
            "metadata": {
                "name": name,
                "namespace": metadata["namespace"],
                "labels": dict(labels),
                "ownerReferences": [owner_reference(self.deployment)],
            },
            "spec": {
                "replicas": self._first_size(),
                "selector": selector,
                "template": template,
            },
        }
        if spec.get("minReadySeconds"):
            value["spec"]["minReadySeconds"] = spec["minReadySeconds"]
        _annotate(value, self.deployment, revision)
        _note_sizes(value, self.deployment)
        return self._store(value, revision)

    def _store(self, value: dict[str, Any], revision: str) -> dict[str, Any]:
        name, size = value["metadata"]["name"], _size(value)
        try:
            created = self._plane.objects.create(REPLICA_SETS, value)
        except Failure as failure:
            self._refused(failure, name)
            raise
        if size:
            self._event("ScalingReplicaSet", f"Scaled up replica set {name} from 0 to {size}")
        self._set_revision(revision)
        if has_deadline(self.deployment):
            self._progress("NewReplicaSetCreated", f'Created new replica set "{name}"')
        self.write_status()
        return created

    def _refused(self, failure: Failure, name: str) -> None:
        if (
            failure.code == _CONFLICT
        ):  # another template has the same hash, or somebody took the name
            status = self.deployment.setdefault("status", {})
            status["collisionCount"] = (status.get("collisionCount") or 0) + 1
        else:
            message = f'Failed to create new replica set "{name}": {failure.message}'
            self._progress("ReplicaSetCreateError", message, status="False")
            self._event("ReplicaSetCreateError", message, warning=True)
        self.write_status()

    def _first_size(self) -> int:
        if self.deployment["spec"]["strategy"]["type"] != "RollingUpdate":
            return self.replicas
        total = sum(map(_size, self.old))
        return max(0, min(self.replicas, self.replicas + max_surge(self.deployment) - total))

    def _set_revision(self, revision: str) -> bool:
        metadata = self.deployment["metadata"]
        if part(metadata, "annotations").get(_REVISION) == revision:
            return False
        metadata["annotations"] = {**part(metadata, "annotations"), _REVISION: revision}
        return True

    def _progress(self, reason: str, message: str, *, status: str = "True") -> None:
        now = self._plane.timestamp()
        condition = {
            "type": "Progressing",
            "status": status,
            "lastUpdateTime": now,
            "lastTransitionTime": now,
            "reason": reason,
            "message": message,
        }
        set_condition(self.deployment.setdefault("status", {}), condition)

    def _event(self, reason: str, message: str, *, warning: bool = False) -> None:
        self._plane.recorder.record(self.deployment, _COMPONENT, reason, message, warning=warning)

    # -------------------------------------------------------------------------- sizes

    def _resize(self, replica_set: dict[str, Any], size: int, *, notes: bool = False) -> bool:
        """Scale a ReplicaSet. Return whether its size has changed."""
        before = _size(replica_set)
        if before == size and not notes:
            return False
        changed = deepcopy(replica_set)
        changed["spec"]["replicas"] = size
        is_noted = _note_sizes(changed, self.deployment)
        if before == size and not is_noted:
            return False
        stored = self._plane.objects.update(REPLICA_SETS, changed)
        self._replace(replica_set, stored)
        if before == size:
            return False
        way, name = "up" if before < size else "down", stored["metadata"]["name"]
        self._event("ScalingReplicaSet", f"Scaled {way} replica set {name} from {before} to {size}")
        return True

    def _replace(self, before: dict[str, Any], after: dict[str, Any]) -> None:
        if self.new is before:
            self.new = after
        self.old = [after if each is before else each for each in self.old]

    def _grow(self, new: dict[str, Any]) -> bool:
        """Scale the new ReplicaSet as far as the surge allows."""
        size = _size(new)
        if size >= self.replicas:
            return self._resize(new, self.replicas)
        total = sum(map(_size, self.sets))
        most = self.replicas + max_surge(self.deployment)
        if total >= most:
            return False
        return self._resize(new, size + min(most - total, self.replicas - size))

    def _shrink_old(self, new: dict[str, Any]) -> bool:
        """Scale old ReplicaSets down as far as enough pods stay available."""
        old = [each for each in self.old if _size(each)]
        if not old:
            return False
        least = self.replicas - max_unavailable(self.deployment)
        missing = _size(new) - _available(new)
        most = sum(map(_size, self.sets)) - least - missing
        if most <= 0:
            return False
        cleaned = self._shrink({key(each): _size(each) - _available(each) for each in old}, most)
        available = sum(map(_available, self.sets))
        rest = [each for each in self.old if _size(each)]
        scaled = self._shrink({key(each): _size(each) for each in rest}, available - least)
        return cleaned + scaled > 0

    def _shrink(self, by: dict[str, int], most: int) -> int:
        """Scale old ReplicaSets down, by so many pods each and so many in all."""
        done = 0
        for each in list(self.old):
            number = min(by.get(key(each), 0), most - done)
            if number > 0:
                self._resize(each, _size(each) - number)
                done += number
        return done

    def _is_saturated(self) -> bool:
        new = self.new
        if new is None:
            return False
        return (
            _size(new) == self.replicas
            and _number(new, _DESIRED) == self.replicas
            and _available(new) == self.replicas
        )

    def _scale_in_proportion(self, active: list[dict[str, Any]]) -> None:
        most = self.replicas + max_surge(self.deployment) if self.replicas else 0
        left = most - sum(map(_size, active))
        newest_first = sorted(active, key=_age, reverse=True)
        # The largest first; of equal ones, the newer gets more and the older loses more.
        ordered = sorted(
            newest_first if left > 0 else newest_first[::-1], key=lambda each: -_size(each)
        )
        sizes: list[int] = []
        for each in ordered:
            before = _number(each, _MAX) or part(self.deployment, "status").get("replicas") or 0
            more = share(_size(each), before, self.deployment, left)
            sizes.append(_size(each) + more)
            left -= more
        sizes[0] = max(0, sizes[0] + left)
        for each, size in zip(ordered, sizes, strict=True):
            self._resize(each, size, notes=True)

    # ------------------------------------------------------------------------- the past

    def _old_pods_run(self) -> bool:
        """Return whether a pod of an old ReplicaSet has not ended yet."""
        objects, namespace = self._plane.objects, self.deployment["metadata"]["namespace"]
        return any(
            phase_of(pod) not in FINAL_PHASES
            for each in self.old
            for pod in objects.controlled(PODS, each["metadata"]["uid"], namespace)
        )

    def _clean_up(self) -> None:
        """Delete the oldest ReplicaSets, as many as the history is too long."""
        limit = self.deployment["spec"].get("revisionHistoryLimit")
        alive = [each for each in self.old if not is_going(each)]
        if limit is None or len(alive) <= limit:
            return
        for each in sorted(alive, key=_revision)[: len(alive) - limit]:
            status = part(each, "status")
            if not status.get("replicas") and not _size(each) and _is_observed(each, status):
                self._plane.objects.delete(REPLICA_SETS, each)


def _is_observed(replica_set: dict[str, Any], status: dict[str, Any]) -> bool:
    observed: int = status.get("observedGeneration", 0)
    return bool(observed >= replica_set["metadata"].get("generation", 0))


def _size(replica_set: dict[str, Any]) -> int:
    size: int = replica_set["spec"].get("replicas") or 0
    return size


def _available(replica_set: dict[str, Any]) -> int:
    available: int = part(replica_set, "status").get("availableReplicas") or 0
    return available


def _age(replica_set: dict[str, Any]) -> tuple[str, int, str]:
    metadata = replica_set["metadata"]
    return (metadata.get("creationTimestamp", ""), _revision(replica_set), metadata["name"])


def _number(replica_set: dict[str, Any], annotation: str) -> int | None:
    text = part(replica_set["metadata"], "annotations").get(annotation, "")
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None


def _revision(replica_set: dict[str, Any]) -> int:
    return _number(replica_set, _REVISION) or 0


def _without_hash(template: dict[str, Any]) -> dict[str, Any]:
    metadata = part(template, "metadata")
    labels = {name: value for name, value in part(metadata, "labels").items() if name != _HASH}
    return {**template, "metadata": {**metadata, "labels": labels}}


def _annotate(replica_set: dict[str, Any], deployment: dict[str, Any], revision: str) -> bool:
    """Give a ReplicaSet the annotations of its Deployment, and its number; tell if one is new."""
    metadata = replica_set["metadata"]
    before = part(metadata, "annotations")
    inherited = {
        name: text
        for name, text in part(deployment["metadata"], "annotations").items()
        if name not in _OWN
    }
    annotations = {**before, **inherited}
    old = before.get(_REVISION, "")
    if not old.isdecimal() or int(old) < int(revision):
        annotations[_REVISION] = revision
        if old:
            past = [each for each in before.get(_HISTORY, "").split(",") if each]
            while past and len(",".join([*past, old])) > _MAX_HISTORY_LENGTH:
                past.pop(0)
            annotations[_HISTORY] = ",".join([*past, old])
    metadata["annotations"] = annotations
    return bool(annotations != before)


def _note_sizes(replica_set: dict[str, Any], deployment: dict[str, Any]) -> bool:
    """Note the size of the Deployment, to see later whether it was scaled."""
    metadata, replicas = replica_set["metadata"], deployment["spec"].get("replicas") or 0
    before = part(metadata, "annotations")
    noted = {_DESIRED: str(replicas), _MAX: str(replicas + max_surge(deployment))}
    metadata["annotations"] = {**before, **noted}
    return bool(metadata["annotations"] != before)
