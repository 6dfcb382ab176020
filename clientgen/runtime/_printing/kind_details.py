"""What a description shows of the common kinds: pods, workloads, services, nodes, config maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._conditions.json_fields import flag, items, number, part, text, texts
from .ages import moment_text
from .entries import NONE, Block, Value, Words, entries_of, pairs
from .go_texts import sprint
from .pod_details import describe_pod, pod_template
from .secret_details import size_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from .._conditions.json_fields import Json


def _workload(obj: Json, _now: datetime) -> Block:
    spec, status = part(obj, "spec"), part(obj, "status")
    block = Block([("Selector", _selector(part(spec, "selector"))), ("Replicas", _replicas(obj))])
    for label, name in _STRATEGIES.items():
        if part(spec, name):
            block.append((label, entries_of(part(spec, name))))
    if flag(spec, "paused"):
        block.append(("Paused", "true"))
    if service := text(spec, "serviceName"):
        block.append(("Service", service))
    generation = number(obj, "metadata", "generation")
    observed = number(status, "observedGeneration")
    if generation and observed < generation:
        block.append(("Generation", f"{generation}, of which the controller has seen {observed}"))
    block.append(("Pod Template", pod_template(part(spec, "template"))))
    return block


_STRATEGIES: Final = {"Strategy": "strategy", "Update Strategy": "updateStrategy"}
# What a count is called, and the names of its field: those of DaemonSets are other ones.
_COUNTS: Final = {
    "current": ("replicas", "currentNumberScheduled"),
    "updated": ("updatedReplicas", "updatedNumberScheduled"),
    "ready": ("readyReplicas", "numberReady"),
    "available": ("availableReplicas", "numberAvailable"),
    "unavailable": ("unavailableReplicas", "numberUnavailable"),
}


def _replicas(obj: Json) -> str:
    status = part(obj, "status")
    wanted = number(obj, "spec", "replicas", default=1)
    counts = [f"{number(status, 'desiredNumberScheduled', default=wanted)} desired"]
    for word, names in _COUNTS.items():
        found = [status[name] for name in names if isinstance(status.get(name), int)]
        counts += [f"{found[0]} {word}"] if found else []
    return ", ".join(counts)


def _selector(selector: Mapping[str, Any]) -> Value:
    words = [f"{name}={sprint(value)}" for name, value in part(selector, "matchLabels").items()]
    for each in items(selector, "matchExpressions"):
        values = texts(each, "values")
        within = f" ({','.join(values)})" if values else ""
        words.append(f"{text(each, 'key')} {text(each, 'operator')}{within}")
    return ", ".join(words) or NONE


def _job(obj: Json, now: datetime) -> Block:
    spec, status = part(obj, "spec"), part(obj, "status")
    counts = ", ".join(
        f"{number(status, name)} {name}" for name in ("active", "ready", "succeeded", "failed")
    )
    block = Block(
        [
            ("Parallelism", sprint(spec.get("parallelism", 1))),
            ("Completions", sprint(spec.get("completions", NONE))),
            ("Backoff Limit", sprint(spec.get("backoffLimit", NONE))),
            ("Pods", counts),
        ]
    )
    for label, name in (("Started", "startTime"), ("Completed", "completionTime")):
        if then := text(status, name):
            block.append((label, moment_text(then, now)))
    block.append(("Pod Template", pod_template(part(spec, "template"))))
    return block


def _cron_job(obj: Json, now: datetime) -> Block:
    spec, status = part(obj, "spec"), part(obj, "status")
    last = text(status, "lastScheduleTime")
    active = [text(each, "name") for each in items(status, "active")]
    return Block(
        [
            ("Schedule", f"{text(spec, 'schedule')} {text(spec, 'timeZone')}".strip()),
            ("Suspended", sprint(flag(spec, "suspend"))),
            ("Concurrency Policy", text(spec, "concurrencyPolicy") or "Allow"),
            ("Last Schedule", moment_text(last, now) if last else NONE),
            ("Active Jobs", Words(active)),
            ("Pod Template", pod_template(part(spec, "jobTemplate", "spec", "template"))),
        ]
    )


def _service(obj: Json, _now: datetime) -> Block:
    spec = part(obj, "spec")
    block = Block(
        [
            ("Type", text(spec, "type") or "ClusterIP"),
            ("Selector", pairs(part(spec, "selector"))),
            ("IPs", Words(texts(spec, "clusterIPs") or [text(spec, "clusterIP") or NONE])),
            ("Ports", Words(map(_service_port, items(spec, "ports")))),
        ]
    )
    addresses = [
        text(each, "ip") or text(each, "hostname")
        for each in items(obj, "status", "loadBalancer", "ingress")
    ]
    for label, values in (
        ("External Name", [text(spec, "externalName")]),
        ("External IPs", texts(spec, "externalIPs")),
        ("Load Balancer", addresses),
        ("Session Affinity", [text(spec, "sessionAffinity").replace("None", "")]),
        ("External Traffic Policy", [text(spec, "externalTrafficPolicy")]),
    ):
        if any(values):
            block.append((label, Words(values)))
    return block


def _service_port(port: Json) -> str:
    name = f"{text(port, 'name')} " if text(port, "name") else ""
    target = port.get("targetPort", number(port, "port"))
    node = f", node port {number(port, 'nodePort')}" if number(port, "nodePort") else ""
    return f"{name}{number(port, 'port')}/{text(port, 'protocol') or 'TCP'} to {target}{node}"


_SYSTEM: Final = (
    "kubeletVersion",
    "containerRuntimeVersion",
    "osImage",
    "kernelVersion",
    "architecture",
)


def _node(obj: Json, _now: datetime) -> Block:
    spec, status = part(obj, "spec"), part(obj, "status")
    info = part(status, "nodeInfo")
    addresses = (
        f"{text(each, 'type')}: {text(each, 'address')}" for each in items(status, "addresses")
    )
    return Block(
        [
            ("Unschedulable", sprint(flag(spec, "unschedulable"))),
            ("Taints", Words(map(_taint, items(spec, "taints")))),
            ("Addresses", Words(addresses)),
            ("Capacity", entries_of(part(status, "capacity"))),
            ("Allocatable", entries_of(part(status, "allocatable"))),
            ("System", entries_of({name: info[name] for name in _SYSTEM if name in info})),
        ]
    )


def _taint(taint: Json) -> str:
    value = f"={text(taint, 'value')}" if text(taint, "value") else ""
    return f"{text(taint, 'key')}{value}:{text(taint, 'effect')}"


def _config_map(obj: Json, _now: datetime) -> Block:
    data = Block(
        (name, Words(str(value).splitlines())) for name, value in part(obj, "data").items()
    )
    data += [(name, size_text(value)) for name, value in part(obj, "binaryData").items()]
    return Block([("Data", data)])


DETAILS: Final[Mapping[str, Callable[[Json, datetime], Block]]] = {
    "Pod": describe_pod,
    "Deployment.apps": _workload,
    "StatefulSet.apps": _workload,
    "DaemonSet.apps": _workload,
    "ReplicaSet.apps": _workload,
    "Job.batch": _job,
    "CronJob.batch": _cron_job,
    "Service": _service,
    "Node": _node,
    "ConfigMap": _config_map,
}
"""What is shown of kinds, by the kind with its group. All other kinds show all of their fields."""
