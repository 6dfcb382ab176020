"""Evictions: deletes of pods that respect disruption budgets.

https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/. What a budget allows is what
its status says; counting healthy pods is a controller's work.

Facts: docs/internals/kubernetes-semantics.md, 1.10.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.decoding import parse
from clientgen._apimachinery.failures import (
    Cause,
    Failure,
    forbidden,
    status_success,
    unclassified,
)
from clientgen._apimachinery.labels import selects
from clientgen._json import part, parts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from ..access.tokens import timestamp
from ..requests.request_bodies import body_resource
from ..requests.request_options import delete_options
from ..storage.versioned_view import VersionedView
from .delete import Deletion
from .posted_object import PostedObject, check_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from ..requests.api_request import Request
    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState

_OLD_EVICTION: Final = "policy/v1beta1"
_MAX_DISRUPTED: Final = 2000
_RETRY_SECONDS: Final = 10
_ALLOWED: Final = "DisruptionAllowed"
_UNGUARDED: Final = {*FINAL_PHASES, "Pending"}


@dataclass(frozen=True, slots=True)
class Eviction:
    """The steps of an eviction, in this order, each only if the one before succeeded.

    Attributes:
        budget: the PodDisruptionBudget to store, with one disruption less; None when none counts.
        pod: the Pod to store before it is deleted, with the condition that says why it goes. The
            preconditions of the delete hold for this write already.
    """

    budget: dict[str, Any] | None
    pod: dict[str, Any]


def evict(pod: dict[str, Any], budgets: Iterable[dict[str, Any]], now: datetime) -> Eviction:
    """Decide on an eviction.

    Args:
        pod: the pod as it is stored.
        budgets: all PodDisruptionBudgets of the namespace.
        now: the time.

    Raises:
        Failure: 429 when a budget does not allow it, 500 when several budgets cover the pod, 403
            when a budget waits for too many pods to go.
    """
    decided = None if _is_unguarded(pod) else _decremented(pod, budgets, now)
    return Eviction(decided, _marked(pod, now))


def _is_unguarded(pod: Mapping[str, Any]) -> bool:
    """Return whether the pod does not count for budgets: it does not run, or is being deleted."""
    going = bool(pod["metadata"].get("deletionTimestamp"))
    return going or part(pod, "status").get("phase") in _UNGUARDED


def _decremented(
    pod: Mapping[str, Any], budgets: Iterable[dict[str, Any]], now: datetime
) -> dict[str, Any] | None:
    """The one budget of the pod, with the pod taken from it; None when it need not be."""
    labels = part(pod["metadata"], "labels")
    covering = [budget for budget in budgets if _covers(budget, labels)]
    if len(covering) > 1:
        raise unclassified(
            "This pod has more than one PodDisruptionBudget, "
            "which the eviction subresource does not support."
        )
    if not covering or _may_go_unhealthy(pod, covering[0]):
        return None
    [budget] = covering
    _check_allowed(budget)
    return _taken(budget, pod["metadata"]["name"], now)


def _covers(budget: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    selector: dict[str, Any] | None = part(budget, "spec").get("selector")
    if selector is None:
        return False
    return selects(selector, labels)


def _may_go_unhealthy(pod: Mapping[str, Any], budget: Mapping[str, Any]) -> bool:
    """Return whether a pod that is not ready may be evicted although the budget allows none."""
    conditions = parts(part(pod, "status"), "conditions")
    ready = any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)
    if ready:
        return False
    if part(budget, "spec").get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = part(budget, "status")
    desired: int = status.get("desiredHealthy", 0)
    return desired > 0 and status.get("currentHealthy", 0) >= desired


def _check_allowed(budget: Mapping[str, Any]) -> None:
    name, status = budget["metadata"]["name"], part(budget, "status")
    if status.get("observedGeneration", 0) < budget["metadata"].get("generation", 0):
        why = f"The disruption budget {name} is still being processed by the server."
        raise _refused(why, retry_after=_RETRY_SECONDS)
    allowed = status.get("disruptionsAllowed", 0)
    if allowed < 0:
        raise _forbidden(name, "pdb disruptions allowed is negative")
    if len(part(status, "disruptedPods")) > _MAX_DISRUPTED:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _forbidden(name, why)
    if allowed == 0:
        raise _refused(_nothing_to_spare(name, status))


def _nothing_to_spare(name: str, status: Mapping[str, Any]) -> str:
    for each in parts(status, "conditions"):
        if each.get("type") == _ALLOWED and each.get("reason") == "SyncFailed":
            why = "does not allow evicting pods currently because it failed sync"
            return f"The disruption budget {name} {why}: {each.get('message', '')}"
    desired, current = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    return f"The disruption budget {name} needs {desired} healthy pods and has {current} currently"


def _refused(why: str, *, retry_after: int | None = None) -> Failure:
    message = "Cannot evict pod as it would violate the pod's disruption budget."
    cause = Cause("DisruptionBudget", why)
    return Failure(429, "TooManyRequests", message, causes=[cause], retry_after=retry_after)


def _forbidden(name: str, why: str) -> Failure:
    return forbidden("policy", "poddisruptionbudget", name, why)


# ------------------------------------------------------------------------------- changes


def _taken(budget: dict[str, Any], pod: str, now: datetime) -> dict[str, Any]:
    budget = deepcopy(budget)
    status: dict[str, Any] = budget["status"]
    status["disruptionsAllowed"] -= 1
    if status["disruptionsAllowed"] == 0:
        condition = {
            "type": _ALLOWED,
            "status": "False",
            "observedGeneration": budget["metadata"].get("generation", 0),
            "reason": "InsufficientPods",
            "message": "",
        }
        _set_condition(status, condition, now)
    status["disruptedPods"] = {**part(status, "disruptedPods"), pod: timestamp(now)}
    return budget


def _marked(pod: dict[str, Any], now: datetime) -> dict[str, Any]:
    pod = deepcopy(pod)
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": None,
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    _set_condition(pod.setdefault("status", {}), condition, now)
    return pod


def _set_condition(status: dict[str, Any], condition: dict[str, Any], now: datetime) -> None:
    """Set a condition. Its time changes only with its status."""
    conditions = list(parts(status, "conditions"))
    moment = timestamp(now)
    for index, each in enumerate(conditions):
        if each.get("type") == condition["type"]:
            if each.get("status") == condition["status"]:
                moment = each.get("lastTransitionTime") or moment
            conditions[index] = {**condition, "lastTransitionTime": moment}
            break
    else:
        conditions.append({**condition, "lastTransitionTime": moment})
    status["conditions"] = conditions


def _api_version(request: Request) -> str:
    given: dict[str, Any] | None = parse(request.body, request.content_type).value
    return str((given or {}).get("apiVersion")) if isinstance(given, dict) else ""


def evict_pod(cluster: ClusterState, info: RequestInfo, shown: Rendering) -> Answer:
    """POST to `pods/eviction`."""
    resource = body_resource(cluster, info)
    if _api_version(info.request) == _OLD_EVICTION:
        resource = replace(resource, version="v1beta1")
    posted = PostedObject(cluster, info, resource)
    posted.check_namespace()
    posted.admit()
    check_name(info.name, posted.value, "Eviction")
    options = delete_options({}, part(posted.value, "deleteOptions"))
    options = replace(options, dry_run=options.dry_run or posted.options.dry_run)
    record = posted.record(info.name)
    budgets = cluster.list("policy", "poddisruptionbudgets", info.namespace)
    plan = evict(posted.view.value(record), budgets, cluster.now())
    if plan.budget is not None and not options.dry_run:
        _store(cluster, "policy", "poddisruptionbudgets", plan.budget)
    deletion = Deletion(cluster, posted.view, options)
    deletion.check_preconditions(record)
    if not options.dry_run:
        # The condition is written first; the delete is of that version.
        record = posted.collection.put(plan.pod, posted.view.form)
        deletion = Deletion(cluster, posted.view, replace(options, preconditions={}))
    deletion.delete(record)
    return posted.answer(shown, status_success(201))


def _store(cluster: ClusterState, group: str, plural: str, value: dict[str, Any]) -> None:
    resource = cluster.registry.any_version(group, plural)
    if resource is not None:
        view = VersionedView.of(resource, cluster.registry)
        cluster.store.collection(cluster.registry.storage_of(resource)).put(value, view.form)
