"""Pods that controllers create, delete and choose."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure, forbidden
from clientgen._apimachinery.labels import selects
from clientgen._json import part, parts

from .objects import CONTROLLER_MANAGER, controller_of, key, owner_reference
from .played_kinds import PODS
from .pod_state import is_going, is_ready, phase_of, restarts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .control_plane import ControlPlane

_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}
_COST: Final = "controller.kubernetes.io/pod-deletion-cost"


def owner_key(kind: str, *values: dict[str, Any] | None) -> Iterable[str]:
    """Yield the keys of the owners of a kind that control one of the objects."""
    for value in values:
        reference = controller_of(value) if value is not None else None
        if reference is not None and reference.get("kind") == kind:
            namespace = value["metadata"].get("namespace", "") if value else ""
            yield f"{namespace}/{reference['name']}"


def keys_for_pod(
    plane: ControlPlane,
    kind: str,
    resource: str,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
) -> Iterable[str]:
    """Yield the keys of the objects that control a pod, and of those that could adopt it."""
    yield from owner_key(kind, before, after)
    if after is not None and controller_of(after) is None:
        labels = part(after["metadata"], "labels")
        for value in plane.objects.all(resource, after["metadata"]["namespace"]):
            if selects(part(value["spec"], "selector"), labels):
                yield key(value)


class PodControl:
    """Creates and deletes the pods of one kind of controller, and writes events about it."""

    def __init__(self, plane: ControlPlane, component: str) -> None:
        self._plane = plane
        self._component = component

    def create(
        self, owner: dict[str, Any], pod: dict[str, Any], message: str = ""
    ) -> dict[str, Any]:
        """Create a pod of an owner; the event has a message of its own if there is one.

        Raises:
            Failure: there are too many pods, or the server refuses it.
        """
        pod["metadata"]["namespace"] = owner["metadata"]["namespace"]
        pod["metadata"]["ownerReferences"] = [owner_reference(owner)]
        try:
            self._check_number(pod)
            created = self._plane.objects.create(PODS, pod)
        except Failure as failure:
            self._event(owner, "FailedCreate", f"Error creating: {failure.message}", warning=True)
            raise
        text = message or f"Created pod: {created['metadata']['name']}"
        self._event(owner, "SuccessfulCreate", text)
        return created

    def _check_number(self, pod: dict[str, Any]) -> None:
        most = self._plane.settings.max_pods
        if self._plane.objects.count(PODS) >= most:
            name = pod["metadata"].get("name") or pod["metadata"].get("generateName", "")
            why = f"play() creates pods only up to {most} in the cluster: raise its max_pods"
            raise forbidden("", "pods", name, why)

    def delete(self, owner: dict[str, Any], pod: dict[str, Any], message: str = "") -> None:
        """Delete a pod of an owner; the event has a message of its own if there is one."""
        if is_going(pod):
            return
        self._plane.objects.delete(PODS, pod)
        text = message or f"Deleted pod: {pod['metadata']['name']}"
        self._event(owner, "SuccessfulDelete", text)

    def _event(
        self, owner: dict[str, Any], reason: str, message: str, *, warning: bool = False
    ) -> None:
        self._plane.recorder.record(owner, self._component, reason, message, warning=warning)


def from_template(template: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the pod that a template describes, with a generated name."""
    metadata = part(template, "metadata")
    kept = {
        each: deepcopy(metadata[each])
        for each in ("labels", "annotations", "finalizers")
        if metadata.get(each)
    }
    return {
        "metadata": {"generateName": f"{name}-", **kept},
        "spec": deepcopy(part(template, "spec")),
    }


def claimed(
    plane: ControlPlane, kind: str, owner: dict[str, Any], selector: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the objects of an owner: it adopts those that it selects, and releases others."""
    uid, namespace = owner["metadata"]["uid"], owner["metadata"]["namespace"]
    mine: list[dict[str, Any]] = []
    for value in plane.objects.controlled(kind, uid, namespace):
        if selects(selector, part(value["metadata"], "labels")):
            mine.append(value)
        elif not is_going(owner):
            _release(plane, kind, value, uid)
    if is_going(owner):
        return mine
    orphans = plane.objects.controlled(kind, "", namespace)
    return mine + [
        _adopt(plane, kind, each, owner)
        for each in orphans
        if selects(selector, part(each["metadata"], "labels")) and not is_going(each)
    ]


def _release(plane: ControlPlane, kind: str, value: dict[str, Any], uid: str) -> None:
    changed = plane.objects.copy(kind, key(value))
    if changed is not None:
        references = changed["metadata"].pop("ownerReferences")
        if left := [each for each in references if each.get("uid") != uid]:
            changed["metadata"]["ownerReferences"] = left
        plane.objects.update(kind, changed, CONTROLLER_MANAGER)


def _adopt(
    plane: ControlPlane, kind: str, value: dict[str, Any], owner: dict[str, Any]
) -> dict[str, Any]:
    changed = plane.objects.copy(kind, key(value))
    assert changed is not None, "it was just read"
    references = parts(changed["metadata"], "ownerReferences")
    changed["metadata"]["ownerReferences"] = [*references, owner_reference(owner)]
    return plane.objects.update(kind, changed, CONTROLLER_MANAGER)


def to_delete(
    pods: Sequence[dict[str, Any]], number: int, related: Sequence[dict[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Choose the pods to delete: those that would be missed least.

    Args:
        pods: the pods of a ReplicaSet.
        number: how many of them to delete.
        related: the pods of the same workload, which the choice spreads over nodes.
    """
    on_node: dict[str, int] = {}
    for pod in related or pods:
        if phase_of(pod) == "Running" and is_ready(pod):
            node = part(pod, "spec").get("nodeName", "")
            on_node[node] = on_node.get(node, 0) + 1

    def rank(pod: dict[str, Any]) -> tuple[Any, ...]:
        node = part(pod, "spec").get("nodeName", "")
        return (
            bool(node),
            _PHASES.get(phase_of(pod), 0),
            is_ready(pod),
            _cost(pod),
            -on_node.get(node, 0),
            -restarts_of(pod),
            _negated(pod["metadata"].get("creationTimestamp", "")),
            pod["metadata"]["uid"],
        )

    return sorted(pods, key=rank)[:number]


def _cost(pod: dict[str, Any]) -> int:
    text = str(part(pod["metadata"], "annotations").get(_COST, "0"))
    try:
        return int(text[:11])
    except ValueError:
        return 0


def _negated(text: str) -> tuple[int, ...]:
    """Return a key that sorts later times first."""
    return tuple(-ord(letter) for letter in text)
