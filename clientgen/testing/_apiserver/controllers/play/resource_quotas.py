"""ResourceQuotas count what their namespace uses. Nothing is refused for being too much.

https://kubernetes.io/docs/concepts/policy/resource-quotas/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts
from clientgen.runtime._conditions.pods import FINAL_PHASES
from clientgen.runtime._models.quantity import Quantity

from .control_plane import Controller
from .objects import key
from .played_kinds import CLAIMS, PODS, QUOTAS, SERVICES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_COUNTED: Final = (
    "configmaps", CLAIMS, "replicationcontrollers", QUOTAS, "secrets", SERVICES,
)  # fmt: skip
_OF_CLASS: Final = ".storageclass.storage.k8s.io/"
_COUNT: Final = "count/"
_RESYNC_INTERVAL_SECONDS: Final = 300.0


class ResourceQuotas(Controller):
    """The controller of ResourceQuotas."""

    name = "resourcequota"
    needs = (QUOTAS, PODS)
    watches = (QUOTAS, PODS, SERVICES, CLAIMS, "configmaps", "replicationcontrollers", "secrets")

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield a quota, or all quotas of a namespace in which something has changed."""
        value = after or before
        assert value is not None, "something changed"
        if kind == QUOTAS and after is not None:
            yield key(after)
            return
        for quota in self._plane.objects.all(QUOTAS, value["metadata"]["namespace"]):
            yield key(quota)

    def sync(self, key: str) -> None:
        """Write the status of one quota."""
        quota = self._plane.objects.copy(QUOTAS, key)
        if quota is None:
            return
        hard = part(part(quota, "spec"), "hard")
        used = {name: each for name in hard if (each := self._used(quota, name)) is not None}
        status = {"hard": dict(hard), "used": used}
        if status != part(quota, "status"):
            quota["status"] = status
            self._plane.objects.update_status(QUOTAS, quota)
        if any(name.startswith(_COUNT) for name in hard):  # of kinds that nobody watches
            self._plane.set_alarm(self, key, _RESYNC_INTERVAL_SECONDS)

    def _used(self, quota: dict[str, Any], name: str) -> str | None:
        """Return how much of a resource is used; None if it cannot be counted."""
        namespace = quota["metadata"]["namespace"]
        if name.startswith(_COUNT):
            return self._number(name.removeprefix(_COUNT), namespace)
        if name in _COUNTED:
            return self._number(name, namespace)
        if name.startswith("services."):
            return str(sum(_is_of(name, each) for each in self._all(SERVICES, namespace)))
        if name == "requests.storage" or _OF_CLASS in name:
            return _of_claims(name, self._all(CLAIMS, namespace))
        pods = [pod for pod in self._all(PODS, namespace) if _runs(pod) and _in_scope(quota, pod)]
        if name == PODS:
            return str(len(pods))
        kind = "limits" if name.startswith("limits.") else "requests"
        resource = name.removeprefix(f"{kind}.")
        return str(_total(_of_pod(pod, kind, resource) for pod in pods))

    def _all(self, kind: str, namespace: str) -> list[dict[str, Any]]:
        objects = self._plane.objects
        return objects.all(kind, namespace) if objects.view(kind) is not None else []

    def _number(self, kind: str, namespace: str) -> str:
        return str(len(self._all(kind, namespace)))


def _total(quantities: Iterable[Quantity]) -> Quantity:
    total = Quantity(0)
    for each in quantities:
        total = total + each if total else each
    return total


def _runs(pod: dict[str, Any]) -> bool:
    return part(pod, "status").get("phase") not in FINAL_PHASES


def _is_of(name: str, service: dict[str, Any]) -> bool:
    """Return whether a service counts as `services.nodeports` or `services.loadbalancers`."""
    kind = part(service, "spec").get("type")
    if name == "services.loadbalancers":
        return bool(kind == "LoadBalancer")
    return bool(kind in ("NodePort", "LoadBalancer"))


def _of_claims(name: str, claims: list[dict[str, Any]]) -> str:
    wanted, _, what = name.rpartition(_OF_CLASS)
    chosen = [
        part(each, "spec")
        for each in claims
        if not wanted or part(each, "spec").get("storageClassName") == wanted
    ]
    if what == CLAIMS:
        return str(len(chosen))
    return str(
        _total(
            Quantity(part(part(each, "resources"), "requests").get("storage", 0)) for each in chosen
        )
    )


def _of_pod(pod: dict[str, Any], kind: str, resource: str) -> Quantity:
    """Return what a pod asks for: all its containers together, or the largest that comes before."""
    spec = part(pod, "spec")

    def of(container: dict[str, Any]) -> Quantity:
        return Quantity(part(part(container, "resources"), kind).get(resource, 0))

    beside = [each for each in parts(spec, "initContainers") if each.get("restartPolicy")]
    before = [each for each in parts(spec, "initContainers") if not each.get("restartPolicy")]
    running = _total(map(of, [*beside, *parts(spec, "containers")]))
    largest = max([running, *map(of, before)])
    return _total([largest, Quantity(part(spec, "overhead").get(resource, 0))])


def _in_scope(quota: dict[str, Any], pod: dict[str, Any]) -> bool:
    spec = part(quota, "spec")
    if not all(_SCOPES[scope](pod) for scope in spec.get("scopes") or () if scope in _SCOPES):
        return False
    expressions = parts(part(spec, "scopeSelector"), "matchExpressions")
    return all(_matches(each, pod) for each in expressions)


def _matches(expression: dict[str, Any], pod: dict[str, Any]) -> bool:
    scope: str = expression.get("scopeName", "")
    operator: str = expression.get("operator", "")
    if scope in _SCOPES:
        return _SCOPES[scope](pod)
    value = part(pod, "spec").get("priorityClassName", "")
    if operator in ("Exists", "DoesNotExist"):
        return bool(value) == (operator == "Exists")
    return (value in (expression.get("values") or ())) == (operator == "In")


def _is_best_effort(pod: dict[str, Any]) -> bool:
    return bool(part(pod, "status").get("qosClass") == "BestEffort")


def _ends(pod: dict[str, Any]) -> bool:
    return part(pod, "spec").get("activeDeadlineSeconds") is not None


_SCOPES: Final[dict[str, Callable[[dict[str, Any]], bool]]] = {
    "BestEffort": _is_best_effort,
    "NotBestEffort": lambda pod: not _is_best_effort(pod),
    "Terminating": _ends,
    "NotTerminating": lambda pod: not _ends(pod),
}
