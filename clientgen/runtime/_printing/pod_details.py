"""What a description shows of a pod, and of the pod template of a workload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._conditions.json_fields import flag, items, number, part, reason_and_message, text, texts
from .ages import moment_text
from .entries import NONE, Block, Words, pairs
from .go_texts import sprint

if TYPE_CHECKING:
    from datetime import datetime

    from .._conditions.json_fields import Json

_GROUPS: Final = {
    "Init Containers": ("initContainers", "initContainerStatuses"),
    "Containers": ("containers", "containerStatuses"),
    "Ephemeral Containers": ("ephemeralContainers", "ephemeralContainerStatuses"),
}
_PROBES: Final = {
    "Liveness": "livenessProbe",
    "Readiness": "readinessProbe",
    "Startup": "startupProbe",
}


def describe_pod(obj: Json, now: datetime) -> Block:
    """Return what people read most of a pod: where it runs, its containers and its volumes."""
    spec, status = part(obj, "spec"), part(obj, "status")
    block = Block(
        [
            ("Node", text(spec, "nodeName") or NONE),
            ("Status", _phase(obj)),
            ("IPs", Words(text(each, "ip") for each in items(status, "podIPs"))),
        ]
    )
    if started := text(status, "startTime"):
        block.append(("Started", moment_text(started, now)))
    if account := text(spec, "serviceAccountName"):
        block.append(("Service Account", account))
    if priority := text(spec, "priorityClassName"):
        block.append(("Priority Class", priority))
    if quality := text(status, "qosClass"):
        block.append(("QoS Class", quality))
    return Block([*block, *_containers_and_more(spec, status, now)])


def pod_template(template: Json) -> Block:
    """Return the labels, containers and volumes of a pod template."""
    spec = part(template, "spec")
    block = Block([("Labels", pairs(part(template, "metadata", "labels")))])
    if annotations := part(template, "metadata", "annotations"):
        block.append(("Annotations", pairs(annotations, ": ")))
    if account := text(spec, "serviceAccountName"):
        block.append(("Service Account", account))
    return Block([*block, *_containers_and_more(spec, {}, None)])


def _phase(obj: Json) -> str:
    phase = text(obj, "status", "phase") or "<unknown>"
    if text(obj, "metadata", "deletionTimestamp"):
        phase = f"Terminating, {phase}"
    words = reason_and_message(part(obj, "status"))
    return f"{phase} ({words})" if words else phase


def _containers_and_more(spec: Json, status: Json, now: datetime | None) -> Block:
    block = Block()
    for label, (field, statuses) in _GROUPS.items():
        states = {text(each, "name"): each for each in items(status, statuses)}
        found = Block(
            (text(each, "name"), _container(each, states.get(text(each, "name"), {}), now))
            for each in items(spec, field)
        )
        if found:
            block.append((label, found))
    if volumes := Words(map(_volume, items(spec, "volumes"))):
        block.append(("Volumes", volumes))
    if selector := part(spec, "nodeSelector"):
        block.append(("Node Selector", pairs(selector)))
    if tolerations := Words(map(_toleration, items(spec, "tolerations"))):
        block.append(("Tolerations", tolerations))
    return block


def _container(container: Json, status: Json, now: datetime | None) -> Block:
    block = Block([("Image", text(container, "image") or NONE)])
    if ports := Words(map(_port, items(container, "ports"))):
        block.append(("Ports", ports))
    for label in ("Command", "Args"):
        if words := texts(container, label.lower()):
            block.append((label, Words(words)))
    block += _states(status, now) if status else ()
    for label in ("Requests", "Limits"):
        if amounts := part(container, "resources", label.lower()):
            block.append((label, pairs(amounts, " ")))
    block += [
        (label, _probe(part(container, name)))
        for label, name in _PROBES.items()
        if part(container, name)
    ]
    if variables := _environment(container):
        block.append(("Environment", variables))
    if mounts := Words(map(_mount, items(container, "volumeMounts"))):
        block.append(("Mounts", mounts))
    return block


def _states(status: Json, now: datetime | None) -> Block:
    block = Block([("State", _state(part(status, "state"), now))])
    if last := part(status, "lastState"):
        block.append(("Last State", _state(last, now)))
    block += [
        ("Ready", sprint(flag(status, "ready"))),
        ("Restart Count", str(number(status, "restartCount"))),
    ]
    return block


def _state(state: Json, now: datetime | None) -> str:
    if running := part(state, "running"):
        return f"Running since {moment_text(text(running, 'startedAt'), now)}"
    if ended := part(state, "terminated"):
        words = reason_and_message(ended) or "no reason"
        code = f"exit code {number(ended, 'exitCode')}"
        return f"Terminated: {words}, {code}, {moment_text(text(ended, 'finishedAt'), now)}"
    if "running" in state:
        return "Running"
    return f"Waiting: {reason_and_message(part(state, 'waiting')) or 'no reason'}"


def _port(port: Json) -> str:
    name = f" ({text(port, 'name')})" if text(port, "name") else ""
    host = f", host port {number(port, 'hostPort')}" if number(port, "hostPort") else ""
    return f"{number(port, 'containerPort')}/{text(port, 'protocol') or 'TCP'}{name}{host}"


def _probe(probe: Json) -> str:
    if http := part(probe, "httpGet"):
        scheme, path = text(http, "scheme").lower() or "http", text(http, "path") or "/"
        what = f"{scheme}://{text(http, 'host')}:{http.get('port')}{path}"
    elif tcp := part(probe, "tcpSocket"):
        what = f"tcp://{text(tcp, 'host')}:{tcp.get('port')}"
    elif grpc := part(probe, "grpc"):
        what = f"grpc://:{grpc.get('port')}/{text(grpc, 'service')}"
    else:
        command = part(probe, "exec").get("command")
        what = f"exec {sprint(command)}" if command else "unknown"
    times = ", ".join(
        f"{word} {number(probe, name, default=default)}{unit}"
        for word, name, unit, default in (
            ("every", "periodSeconds", "s", 10),
            ("timeout", "timeoutSeconds", "s", 1),
            ("failures", "failureThreshold", "", 3),
        )
    )
    return f"{what} ({times})"


def _environment(container: Json) -> Block:
    block = Block()
    for each in items(container, "envFrom"):
        kind = "Secret" if "secretRef" in each else "ConfigMap"
        source = text(each, "secretRef", "name") or text(each, "configMapRef", "name")
        block.append((f"{text(each, 'prefix')}*", f"all keys of {kind} {source}"))
    for each in items(container, "env"):
        block.append((text(each, "name"), _variable(each)))
    return block


def _variable(variable: Json) -> str:
    source = part(variable, "valueFrom")
    for kind, name in (("Secret", "secretKeyRef"), ("ConfigMap", "configMapKeyRef")):
        if reference := part(source, name):
            return f"key {text(reference, 'key')} of {kind} {text(reference, 'name')}"
    if path := text(source, "fieldRef", "fieldPath"):
        return f"field {path}"
    if resource := text(source, "resourceFieldRef", "resource"):
        return f"resource {resource}"
    return sprint(source) if source else text(variable, "value") or '""'


def _mount(mount: Json) -> str:
    path = f"/{text(mount, 'subPath')}" if text(mount, "subPath") else ""
    mode = "ro" if flag(mount, "readOnly") else "rw"
    return f"{text(mount, 'mountPath')} from {text(mount, 'name')}{path} ({mode})"


def _volume(volume: Json) -> str:
    kinds = [name for name in volume if name != "name"]
    kind = kinds[0] if kinds else "emptyDir"
    source = part(volume, kind)
    names = ("claimName", "secretName", "name", "path", "driver", "server")
    name = next((text(source, each) for each in names if text(source, each)), "")
    return f"{text(volume, 'name')}: {kind} {name}".rstrip()


def _toleration(toleration: Json) -> str:
    key, value = text(toleration, "key") or "*", text(toleration, "value")
    effect = f":{text(toleration, 'effect')}" if text(toleration, "effect") else ""
    seconds: Any = toleration.get("tolerationSeconds")
    limit = f" for {seconds}s" if isinstance(seconds, int) else ""
    return f"{key}{f'={value}' if value else ''}{effect}{limit}"
