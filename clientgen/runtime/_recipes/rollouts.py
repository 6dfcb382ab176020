"""Restarts and revisions of Deployments, StatefulSets and DaemonSets, by kubectl's rules.

kubectl: pkg/polymorphichelpers: objectrestarter.go, rollback.go, history.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from .._conditions.causes import selector_of
from .._conditions.json_fields import Json, flag, items, number, part, text
from .._http.patches import JsonPatch, MergePatch, StrategicMergePatch
from .._http.resource import Resource
from .._models.model import Model
from ..errors import OperationRefused, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from .._http.patches import Patch

__all__ = [
    "WORKLOADS",
    "Revision",
    "check_has_name",
    "check_not_paused",
    "choose_revision",
    "controller_of",
    "history_of",
    "history_resource",
    "pause_patch",
    "resource_of",
    "restart_patch",
    "selector_of",
    "undo_patch",
]

WORKLOADS: Final = {
    ("apps/v1", kind): Resource("apps", "v1", plural, kind)
    for kind, plural in (
        ("DaemonSet", "daemonsets"),
        ("Deployment", "deployments"),
        ("StatefulSet", "statefulsets"),
    )
}
_REPLICA_SETS: Final = Resource("apps", "v1", "replicasets", "ReplicaSet")
_REVISIONS: Final = Resource("apps", "v1", "controllerrevisions", "ControllerRevision")

_RESTARTED_AT: Final = "kubectl.kubernetes.io/restartedAt"
_REVISION: Final = "deployment.kubernetes.io/revision"
_CHANGE_CAUSE: Final = "kubernetes.io/change-cause"
_match_number: Final = re.compile(r"[0-9]{1,19}").fullmatch
_HASH_LABEL: Final = "pod-template-hash"
# Annotations that a rollback does not restore from the ReplicaSet.
_OWN_ANNOTATIONS: Final = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        _REVISION,
        "deployment.kubernetes.io/revision-history",
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deprecated.deployment.rollback.to",
    }
)


class Revision(Struct, frozen=True):
    """A revision in the history of a workload.

    Attributes:
        number: The number of the revision; larger numbers are newer.
        change_cause: The annotation `kubernetes.io/change-cause`, or an empty text.
        template: The Pod template.
    """

    number: int
    change_cause: str
    template: dict[str, Any]
    source: dict[str, Any]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(number={self.number}, change_cause={self.change_cause!r})"


def resource_of(
    what: object,
    call: str,
    among: Mapping[tuple[str, str], Resource] = WORKLOADS,
    message: str = "only a Deployment, StatefulSet or DaemonSet of apps/v1 has rollouts",
) -> Resource:
    """Return the resource of a workload or of its class.

    Args:
        what: The workload or its class.
        call: The name of the called function, for messages.
        among: The allowed kinds.
        message: The beginning of the message for other kinds.

    Raises:
        TypeError: `what` is of another kind.
    """
    if isinstance(what, type):
        constants = what.__constants__ if issubclass(what, Model) else {}
        kind, version = constants.get("kind"), constants.get("api_version")
    else:
        kind, version = getattr(what, "kind", ""), getattr(what, "api_version", "")
    candidates = among.get((str(version), str(kind)))
    if candidates is None:
        shown = what.__name__ if isinstance(what, type) else type(what).__name__
        hint = f": write {call}(k, Deployment, {_quoted(what)})" if isinstance(what, str) else ""
        raise TypeError(f"{message}, not {shown}{hint}")
    return candidates


def _quoted(name: str) -> str:
    return f'"{one_line(name)}"'


def check_has_name(call: str, kind: str, name: object) -> None:
    """Check that a workload has a name.

    Raises:
        ValueError: The name is empty.
    """
    if name is None or name == "":
        raise ValueError(f'{call} needs the name of the {kind}: {call}(k, {kind}, "web")')


def check_not_paused(obj: Json, subject: str) -> None:
    """Check that a Deployment is not paused.

    Raises:
        OperationRefused: The Deployment is paused.
    """
    if flag(obj, "spec", "paused"):
        raise OperationRefused(f"{subject} is paused: set spec.paused to false first")


def restart_patch(now: datetime) -> MergePatch:
    """Return the patch that replaces all Pods, by a new annotation in the Pod template."""
    annotations = {_RESTARTED_AT: now.isoformat(timespec="seconds").replace("+00:00", "Z")}
    return MergePatch({"spec": {"template": {"metadata": {"annotations": annotations}}}})


def pause_patch(obj: Json, subject: str, *, paused: bool) -> MergePatch:
    """Return the patch that pauses or resumes a Deployment.

    Raises:
        OperationRefused: The Deployment is in that state already.
        TypeError: The object is of another kind.
    """
    if text(obj, "kind") != "Deployment":
        raise TypeError(f"only Deployments can be paused, not {subject}")
    if flag(obj, "spec", "paused") == paused:
        raise OperationRefused(f"{subject} is {'already' if paused else 'not'} paused")
    return MergePatch({"spec": {"paused": True if paused else None}})


# ---- history ------------------------------------------------------------------------------------


def history_resource(kind: str) -> Resource:
    """Return the resource that keeps the history of a kind."""
    return _REPLICA_SETS if kind == "Deployment" else _REVISIONS


def history_of(obj: Json, candidates: Iterable[Json]) -> list[Revision]:
    """Return the revisions of a workload among ReplicaSets or ControllerRevisions, oldest first."""
    uid = text(obj, "metadata", "uid")
    own = [each for each in candidates if uid and text(controller_of(each), "uid") == uid]
    revisions = [_revision(each) for each in own]
    return sorted((each for each in revisions if each.number), key=lambda each: each.number)


def controller_of(obj: Json) -> Json:
    """Return the owner reference of the controller of an object, or an empty object."""
    for each in items(obj, "metadata", "ownerReferences"):
        if flag(each, "controller"):
            return each
    return {}


def _revision(source: Json) -> Revision:
    annotations = part(source, "metadata", "annotations")
    if text(source, "kind") == "ReplicaSet":
        shown = text(annotations, _REVISION)
        value = int(shown) if _match_number(shown) else 0
        template = part(source, "spec", "template")
    else:
        value = number(source, "revision")
        template = part(source, "data", "spec", "template")
    template = {name: each for name, each in template.items() if name != "$patch"}
    return Revision(value, text(annotations, _CHANGE_CAUSE), template, source)


def choose_revision(history: Sequence[Revision], to_revision: int | None, subject: str) -> Revision:
    """Return the revision with a number; by default the revision before the newest.

    Raises:
        OperationRefused: The history has no such revision.
    """
    if to_revision is None:
        if len(history) < 2:  # noqa: PLR2004 - the newest revision is the current revision
            raise OperationRefused(f"{subject} has no earlier revision to go back to")
        return history[-2]
    for each in history:
        if each.number == to_revision:
            return each
    numbers = ", ".join(str(each.number) for each in history) or "none"
    raise OperationRefused(f"{subject} has no revision {to_revision}; it has {numbers}")


def undo_patch(obj: Json, revision: Revision) -> Patch | None:
    """Return the patch that restores a revision; None if it is the current revision."""
    if _without_hash(part(obj, "spec", "template")) == _without_hash(revision.template):
        return None
    if text(obj, "kind") != "Deployment":
        # Restore only the template, because the revision's data may contain more.
        template = {**revision.template, "$patch": "replace"}
        return StrategicMergePatch({"spec": {"template": template}})
    present = part(obj, "metadata", "annotations")
    annotations = {name: present[name] for name in _OWN_ANNOTATIONS & present.keys()}
    earlier = part(revision.source, "metadata", "annotations")
    annotations |= {name: earlier[name] for name in earlier if name not in _OWN_ANNOTATIONS}
    template = _without_hash(revision.template)
    operations: list[Json] = [
        # Fail if the Deployment was replaced meanwhile.
        {"op": "test", "path": "/metadata/uid", "value": text(obj, "metadata", "uid")},
        {"op": "replace", "path": "/spec/template", "value": template},
        {"op": "add", "path": "/metadata/annotations", "value": annotations},
    ]
    return JsonPatch(operations)


def _without_hash(template: Json) -> Json:
    metadata = dict(part(template, "metadata"))
    labels = {k: v for k, v in part(metadata, "labels").items() if k != _HASH_LABEL}
    metadata.pop("labels", None)
    metadata.pop("creationTimestamp", None)
    if labels:
        metadata["labels"] = labels
    return {**template, "metadata": metadata}
