"""The flow schemas and priority levels of a new server.

https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#defaults. This server does
not limit requests by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_API: Final = "flowcontrol.apiserver.k8s.io/v1"
_METADATA: Final = {"annotations": {"apf.kubernetes.io/autoupdate-spec": "true"}}

_LEVELS: Final = {
    "catch-all": (5, 0, 0, 0),
    "global-default": (20, 50, 128, 6),
    "leader-election": (10, 0, 16, 4),
    "node-high": (40, 25, 64, 6),
    "system": (30, 33, 64, 6),
    "workload-high": (40, 50, 128, 6),
    "workload-low": (100, 90, 128, 6),
}
"""Shares, how many of them are lent, queues (none: reject), and how many of these a flow has."""
_MAX_QUEUE_LENGTH: Final = 50

_ALL: Final[dict[str, Any]] = {
    "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"],
    "clusterScope": True,
}  # fmt: skip
_ANYTHING: Final = {
    "resourceRules": [_ALL],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
}
_PROBES: Final = {
    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"]}]
}
_LEASES: Final = {
    "apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "namespaces": ["*"]
}  # fmt: skip
_ELECTION: Final = {"resourceRules": [{"verbs": ["get", "create", "update"], **_LEASES}]}
_NODES: Final = {
    "resourceRules": [
        {**_ALL, "apiGroups": [""], "resources": ["nodes", "nodes/status"]},
        {"verbs": ["*"], **_LEASES},
    ]
}
_EVERYBODY: Final = "Group system:unauthenticated,Group system:authenticated"
_MANAGER: Final = "User system:kube-controller-manager"
_SCHEDULER: Final = "User system:kube-scheduler"
_OF_SYSTEM: Final = "ServiceAccount kube-system/*"

_SCHEMAS: Final[dict[str, tuple[int, str, str, str, dict[str, Any]]]] = {
    "catch-all": (10000, "catch-all", "ByUser", _EVERYBODY, _ANYTHING),
    "exempt": (1, "exempt", "", "Group system:masters", _ANYTHING),
    "global-default": (9900, "global-default", "ByUser", _EVERYBODY, _ANYTHING),
    "kube-controller-manager": (800, "workload-high", "ByNamespace", _MANAGER, _ANYTHING),
    "kube-scheduler": (800, "workload-high", "ByNamespace", _SCHEDULER, _ANYTHING),
    "kube-system-service-accounts": (900, "workload-high", "ByNamespace", _OF_SYSTEM, _ANYTHING),
    "probes": (2, "exempt", "", _EVERYBODY, _PROBES),
    "service-accounts": (
        9000, "workload-low", "ByUser", "Group system:serviceaccounts", _ANYTHING
    ),
    "system-leader-election": (
        100, "leader-election", "ByUser", f"{_MANAGER},{_SCHEDULER},{_OF_SYSTEM}", _ELECTION
    ),
    "system-node-high": (400, "node-high", "ByUser", "Group system:nodes", _NODES),
    "system-nodes": (500, "system", "ByUser", "Group system:nodes", _ANYTHING),
}  # fmt: skip
"""Precedence, level, distinguisher method, subjects, and rules on requests."""


def flow_control(now: str) -> Iterator[dict[str, Any]]:
    """List the priority levels and flow schemas."""
    exempt = {"nominalConcurrencyShares": 0, "lendablePercent": 0}
    yield _object("PriorityLevelConfiguration", "exempt", {"type": "Exempt", "exempt": exempt})
    for name, level in _LEVELS.items():
        limited = {"type": "Limited", "limited": _limited(*level)}
        yield _object("PriorityLevelConfiguration", name, limited)
    for name, facts in _SCHEMAS.items():
        status = {"conditions": [_not_dangling(facts[1], now)]}
        yield _object("FlowSchema", name, _schema(*facts)) | {"status": status}


def _object(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": _API, "kind": kind, "metadata": {"name": name, **_METADATA}, "spec": spec}


def _limited(shares: int, lent: int, queues: int, hand: int) -> dict[str, Any]:
    response: dict[str, Any] = {"type": "Reject"}
    if queues:
        queuing = {"queues": queues, "handSize": hand, "queueLengthLimit": _MAX_QUEUE_LENGTH}
        response = {"type": "Queue", "queuing": queuing}
    return {
        "nominalConcurrencyShares": shares, "lendablePercent": lent, "limitResponse": response
    }  # fmt: skip


def _schema(
    precedence: int, level: str, method: str, subjects: str, requests: dict[str, Any]
) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "priorityLevelConfiguration": {"name": level},
        "matchingPrecedence": precedence,
        "rules": [{"subjects": [_subject(each) for each in subjects.split(",")], **requests}],
    }
    return schema | ({"distinguisherMethod": {"type": method}} if method else {})


def _subject(text: str) -> dict[str, Any]:
    kind, name = text.split(" ")
    if kind != "ServiceAccount":
        return {"kind": kind, kind.lower(): {"name": name}}
    namespace, _, name = name.partition("/")
    return {"kind": kind, "serviceAccount": {"namespace": namespace, "name": name}}


def _not_dangling(level: str, now: str) -> dict[str, str]:
    message = (
        "This FlowSchema references the PriorityLevelConfiguration object named "
        f'"{level}" and it exists'
    )
    return {
        "type": "Dangling",
        "status": "False",
        "lastTransitionTime": now,
        "reason": "Found",
        "message": message,
    }
