"""Bindings of pods to nodes, which schedulers make.

Facts: docs/internals/kubernetes-semantics.md, 1.10.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    bad_request,
    conflict,
    not_supported,
    required,
    status_success,
    unclassified,
)
from clientgen._json import part, parts

from ..access.tokens import timestamp
from ..requests.request_bodies import body_resource
from .posted_object import PostedObject, check_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState

_SCHEDULED: Final = "PodScheduled"
_BINDING: Final = "pods/binding"


def bind(pod: dict[str, Any], binding: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The pod, bound to the node that a Binding names, with the Binding's labels and annotations.

    https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/binding-v1/

    Raises:
        Failure: 500 without a reason for a target that is no node, 409 for a pod that is bound,
            going or gated, or has another uid or version than the Binding says.
    """
    check_target(binding)
    metadata = part(binding, "metadata")
    _check_preconditions(pod, metadata)
    _check_free(pod)
    pod = deepcopy(pod)
    pod["spec"]["nodeName"] = part(binding, "target")["name"]
    for name in ("labels", "annotations"):
        if metadata.get(name):
            pod["metadata"][name] = {**part(pod["metadata"], name), **metadata[name]}
    _schedule(pod, now)
    return pod


def check_target(binding: Mapping[str, Any]) -> None:
    """Refuse a binding to anything but a node, before the pod is looked for.

    Raises:
        Failure: 500, as real servers have it.
    """
    causes = _target_causes(part(binding, "target"))
    if causes:
        text = str(causes[0]) if len(causes) == 1 else f"[{', '.join(map(str, causes))}]"
        raise unclassified(text)


def _target_causes(target: Mapping[str, Any]) -> list[Cause]:
    kind = target.get("kind") or ""
    known = kind in ("", "Node")
    causes = [] if known else [not_supported("target.kind", kind, ["Node", "<empty>"])]
    return causes if target.get("name") else [*causes, required("target.name")]


def _check_preconditions(pod: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    name = pod["metadata"]["name"]
    for field, word in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        given, actual = metadata.get(field), pod["metadata"].get(field)
        if given and given != actual:
            key = f"/registry/pods/{pod['metadata'].get('namespace', '')}/{name}"
            why = (
                f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, "
                f"AdditionalErrorMsg: Precondition failed: {word} in precondition: {given}, "
                f"{word} in object meta: {actual}"
            )
            raise conflict("", "pods", name, why)


def _check_free(pod: Mapping[str, Any]) -> None:
    name, spec = pod["metadata"]["name"], part(pod, "spec")
    why = ""
    if pod["metadata"].get("deletionTimestamp"):
        why = f"pod {name} is being deleted, cannot be assigned to a host"
    elif spec.get("nodeName"):
        why = f'pod {name} is already assigned to node "{spec["nodeName"]}"'
    elif spec.get("schedulingGates"):
        why = f"pod {name} has non-empty .spec.schedulingGates"
    if why:
        raise conflict("", _BINDING, name, why)


def _schedule(pod: dict[str, Any], now: datetime) -> None:
    status: dict[str, Any] = pod.setdefault("status", {})
    condition = {
        "type": _SCHEDULED,
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": timestamp(now),
    }
    others = [each for each in parts(status, "conditions") if each.get("type") != _SCHEDULED]
    status["conditions"] = [*others, condition]


def bind_pod(cluster: ClusterState, info: RequestInfo, shown: Rendering) -> Answer:
    """POST to `pods/binding`, or to the older `bindings`, which name the pod themselves."""
    if info.subresource:
        posted = PostedObject(cluster, info, body_resource(cluster, info))
        check_name(info.name, posted.value, "Binding")
    else:
        pods = cluster.registry.any_version("", "pods")
        assert pods is not None  # or nothing could be bound
        of_pods = info.of_resource(pods, cluster.registry.strategy_of(pods))
        posted = PostedObject(cluster, of_pods, info.resource)
    posted.check_namespace()
    posted.admit()
    check_target(posted.value)
    name: str = posted.value["metadata"].get("name") or ""
    if not name:
        raise bad_request("Name parameter required.")
    bound = bind(posted.view.value(posted.record(name)), posted.value, cluster.now())
    if not posted.options.dry_run:
        posted.collection.put(bound, posted.view.form)
    return posted.answer(shown, status_success(201))
