"""The APIServices of a server's own group versions, which it registers when it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_GROUPS: Final = {
    "": 18000,
    "apps": 17800,
    "events.k8s.io": 17750,
    "authentication.k8s.io": 17700,
    "authorization.k8s.io": 17600,
    "autoscaling": 17500,
    "batch": 17400,
    "certificates.k8s.io": 17300,
    "networking.k8s.io": 17200,
    "policy": 17100,
    "rbac.authorization.k8s.io": 17000,
    "storage.k8s.io": 16800,
    "apiextensions.k8s.io": 16700,
    "admissionregistration.k8s.io": 16700,
    "scheduling.k8s.io": 16600,
    "coordination.k8s.io": 16500,
    "node.k8s.io": 16300,
    "discovery.k8s.io": 16200,
    "resource.k8s.io": 16200,
    "flowcontrol.apiserver.k8s.io": 16100,
    "internal.apiserver.k8s.io": 16000,
}
"""The priorities of groups."""
_OTHER: Final = 1000
_VERSIONS: Final = {
    "v1": 15, "v2": 30, "v1beta2": 15, "v1beta1": 9, "v1alpha1": 9, "v1alpha2": 12, "v1alpha3": 1
}  # fmt: skip
_ODD: Final = {
    ("", "v1"): 1,
    ("flowcontrol.apiserver.k8s.io", "v1"): 21,
    ("resource.k8s.io", "v1"): 21,
    ("admissionregistration.k8s.io", "v1beta1"): 12,
    ("coordination.k8s.io", "v1beta1"): 13,
}
_AGGREGATED: Final = "apiregistration.k8s.io"


def api_services(served: Iterable[tuple[str, str]], now: str) -> Iterator[dict[str, Any]]:
    """List an APIService for each group and version; the group of APIServices has none."""
    for group, version in sorted(set(served)):
        if group == _AGGREGATED:
            continue
        yield {
            "apiVersion": f"{_AGGREGATED}/v1",
            "kind": "APIService",
            "metadata": {
                "name": f"{version}.{group}",
                "labels": {"kube-aggregator.kubernetes.io/automanaged": "onstart"},
            },
            "spec": {
                **({"group": group} if group else {}),
                "version": version,
                "groupPriorityMinimum": _GROUPS.get(group, _OTHER),
                "versionPriority": _ODD.get((group, version)) or _VERSIONS.get(version, _OTHER),
            },
            "status": {"conditions": [{**_AVAILABLE, "lastTransitionTime": now}]},
        }


_AVAILABLE: Final = {
    "type": "Available",
    "status": "True",
    "reason": "Local",
    "message": "Local APIServices are always available",
}
