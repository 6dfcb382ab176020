"""Pods as an API server lists them: about 9.8 kB each, half of it managedFields.

Made up, the same on every run: 250 deployments of 20 pods, so that neighbours share their template
and what the controller manager owns, and differ in what the kubelet writes, as in a real cluster.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any, cast

__all__ = ["COUNT", "PAGE", "list_of", "pods", "write_all"]

COUNT = 5_000
PAGE = 500
_REPLICAS = 20
_VERSION = "1842937"

Json = dict[str, Any]


def pods(count: int = COUNT) -> list[Json]:
    """Make the first `count` pods, in the order a server lists them."""
    dice = random.Random(20260101)
    made: list[Json] = []
    for deployment in range((count + _REPLICAS - 1) // _REPLICAS):
        template = _Template(dice, deployment)
        made.extend(template.pod(dice, replica) for replica in range(_REPLICAS))
    return made[:count]


def list_of(items: list[Json], token: str = "", left: int = 0) -> Json:
    """Put pods into a list, or a page of one."""
    metadata: Json = {"resourceVersion": _VERSION}
    if token:
        metadata |= {"continue": token, "remainingItemCount": left}
    return {"kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": items}


def write_all(folder: Path, count: int = COUNT) -> None:
    """Write what the server serves and the decoders read."""
    folder.mkdir(parents=True, exist_ok=True)
    all_pods = pods(count)
    _write(folder / "list.json", list_of(all_pods))
    for start in range(0, count, PAGE):
        end = start + PAGE
        token = f"page-{end}" if end < count else ""
        _write(folder / f"page-{start}.json", list_of(all_pods[start:end], token, count - end))
    _write(folder / "small.json", list_of(all_pods[:10]))
    whole = _served(all_pods[7])
    _write(folder / "pod.json", whole)
    _write(folder / "newer.json", list_of([_newer(pod) for pod in all_pods]))
    lines = (_compact({"type": "MODIFIED", "object": _served(pod)}) for pod in all_pods)
    (folder / "events.ndjson").write_text("".join(f"{line}\n" for line in lines))


def _served(pod: Json) -> Json:
    """Items of a list do not say what they are; objects and events do."""
    return {"kind": "Pod", "apiVersion": "v1", **pod}


def _newer(pod: Json) -> Json:
    """The pod of a server that is newer than any package: one more field in its spec."""
    return {**pod, "spec": {**pod["spec"], "fieldFromTheFuture": {"enabled": True, "weight": 7}}}


def _write(path: Path, value: Json) -> None:
    path.write_text(_compact(value))


def _compact(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"))


class _Template:
    """A deployment, its replica set and their pod template."""

    def __init__(self, dice: random.Random, index: int) -> None:
        team = dice.choice(["payments", "search", "catalogue", "identity", "shipping"])
        self.app = f"{team}-{dice.choice(['api', 'worker', 'gateway', 'cache'])}-{index:03d}"
        self.namespace = f"team-{team}"
        self.hash = _letters(dice, 9)
        self.owner_uid = _uid(dice)
        self.image = f"registry.example.com/{team}/{self.app}:v1.{dice.randrange(40)}.3"
        self.image_id = f"registry.example.com/{team}/{self.app}@sha256:{_hex(dice, 64)}"
        self.labels = {
            "app.kubernetes.io/component": dice.choice(["backend", "frontend"]),
            "app.kubernetes.io/instance": self.app,
            "app.kubernetes.io/name": self.app,
            "app.kubernetes.io/version": f"1.{dice.randrange(40)}.3",
            "pod-template-hash": self.hash,
        }
        self.annotations = {
            "prometheus.io/path": "/metrics",
            "prometheus.io/port": "9102",
            "prometheus.io/scrape": "true",
        }

    def pod(self, dice: random.Random, replica: int) -> Json:
        """Make one of the pods."""
        name = f"{self.app}-{self.hash}-{_letters(dice, 5)}"
        started = f"2026-01-{1 + replica:02d}T08:{dice.randrange(60):02d}:{dice.randrange(60):02d}Z"
        metadata = self._metadata(dice, name, started)
        spec = self._spec(_letters(dice, 5), f"node-{dice.randrange(120):03d}")
        status = self._status(dice, started)
        metadata["managedFields"] = self._managed(metadata, spec, status, started)
        return {"metadata": metadata, "spec": spec, "status": status}

    def _metadata(self, dice: random.Random, name: str, started: str) -> Json:
        owner = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": f"{self.app}-{self.hash}",
            "uid": self.owner_uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }
        return {
            "name": name,
            "generateName": f"{self.app}-{self.hash}-",
            "namespace": self.namespace,
            "uid": _uid(dice),
            "resourceVersion": str(dice.randrange(1_000_000, 1_842_937)),
            "creationTimestamp": started,
            "labels": self.labels,
            "annotations": self.annotations,
            "ownerReferences": [owner],
        }

    def _spec(self, suffix: str, node: str) -> Json:
        token = f"kube-api-access-{suffix}"
        return {
            "volumes": [
                {
                    "name": "config",
                    "configMap": {"name": f"{self.app}-config", "defaultMode": 420},
                },
                {"name": "tmp", "emptyDir": {"sizeLimit": "256Mi"}},
                _token_volume(token),
            ],
            "containers": [self._app(token), self._proxy(token)],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": self.app,
            "serviceAccount": self.app,
            "nodeName": node,
            "securityContext": {"runAsUser": 10001, "runAsNonRoot": True, "fsGroup": 10001},
            "affinity": {"podAntiAffinity": self._spread()},
            "schedulerName": "default-scheduler",
            "tolerations": [
                _toleration("node.kubernetes.io/not-ready"),
                _toleration("node.kubernetes.io/unreachable"),
            ],
            "priority": 0,
            "enableServiceLinks": True,
            "preemptionPolicy": "PreemptLowerPriority",
        }

    def _spread(self) -> Json:
        term = {
            "labelSelector": {"matchLabels": {"app.kubernetes.io/name": self.app}},
            "topologyKey": "kubernetes.io/hostname",
        }
        weighted = {"weight": 100, "podAffinityTerm": term}
        return {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}

    def _app(self, token: str) -> Json:
        host = {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}
        password = {"secretKeyRef": {"name": f"{self.app}-db", "key": "password"}}
        return {
            "name": "app",
            "image": self.image,
            "args": ["--listen=:8080", "--config=/etc/app/config.yaml", "--log-format=json"],
            "ports": [
                {"name": "http", "containerPort": 8080, "protocol": "TCP"},
                {"name": "metrics", "containerPort": 9102, "protocol": "TCP"},
            ],
            "env": [
                {"name": "POD_NAME", "valueFrom": host},
                {"name": "DB_PASSWORD", "valueFrom": password},
                {"name": "LOG_LEVEL", "value": "info"},
            ],
            "resources": {
                "limits": {"cpu": "2", "memory": "1Gi"},
                "requests": {"cpu": "250m", "memory": "512Mi"},
            },
            "volumeMounts": [
                {"name": "config", "readOnly": True, "mountPath": "/etc/app"},
                {"name": "tmp", "mountPath": "/tmp"},
                _token_mount(token),
            ],
            "livenessProbe": _probe("/healthz", 10),
            "readinessProbe": _probe("/readyz", 5),
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "imagePullPolicy": "IfNotPresent",
            "securityContext": {
                "capabilities": {"drop": ["ALL"]},
                "readOnlyRootFilesystem": True,
                "allowPrivilegeEscalation": False,
            },
        }

    def _proxy(self, token: str) -> Json:
        return {
            "name": "proxy",
            "image": "registry.example.com/mesh/proxy:v2.11.0",
            "args": ["--upstream=127.0.0.1:8080"],
            "ports": [{"name": "proxy", "containerPort": 15001, "protocol": "TCP"}],
            "resources": {
                "limits": {"memory": "128Mi"},
                "requests": {"cpu": "50m", "memory": "64Mi"},
            },
            "volumeMounts": [_token_mount(token)],
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "imagePullPolicy": "IfNotPresent",
        }

    def _status(self, dice: random.Random, started: str) -> Json:
        host = f"10.0.{dice.randrange(4)}.{dice.randrange(1, 250)}"
        address = f"10.244.{dice.randrange(120)}.{dice.randrange(1, 250)}"
        kinds = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"]
        return {
            "phase": "Running",
            "conditions": [_condition(kind, started) for kind in [*kinds, "PodScheduled"]],
            "hostIP": host,
            "hostIPs": [{"ip": host}],
            "podIP": address,
            "podIPs": [{"ip": address}],
            "startTime": started,
            "containerStatuses": [
                _running(dice, "app", self.image, self.image_id, started),
                _running(
                    dice,
                    "proxy",
                    "registry.example.com/mesh/proxy:v2.11.0",
                    f"registry.example.com/mesh/proxy@sha256:{'5e' * 32}",
                    started,
                ),
            ],
            "qosClass": "Burstable",
        }

    def _managed(self, metadata: Json, spec: Json, status: Json, started: str) -> list[Json]:
        given = ("generateName", "labels", "annotations", "ownerReferences")
        skipped = ("nodeName", "tolerations", "volumes", "priority", "preemptionPolicy")
        template = {key: value for key, value in spec.items() if key not in skipped}
        template["volumes"] = spec["volumes"][:2]
        template["containers"] = [_unmounted(each) for each in spec["containers"]]
        created = {"metadata": {key: metadata[key] for key in given}, "spec": template}
        return [
            _manager("kube-controller-manager", created, started),
            {**_manager("kubelet", {"status": status}, started), "subresource": "status"},
        ]


def _manager(name: str, owned: Json, time: str) -> Json:
    return {
        "manager": name,
        "operation": "Update",
        "apiVersion": "v1",
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": _fields(owned, ()),
    }


# What tells the items of a list apart, by the name of the list.
_KEYS: dict[str, tuple[str, ...]] = {
    "ownerReferences": ("uid",),
    "containers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "ports": ("containerPort", "protocol"),
    "volumeMounts": ("mountPath",),
    "conditions": ("type",),
    "podIPs": ("ip",),
    "hostIPs": ("ip",),
}
# Lists and maps that are owned whole.
_ATOMIC = {"args", "containerStatuses", "matchLabels", "drop", "fieldRef", "secretKeyRef"}


def _fields(owned: Json, own: tuple[str, ...]) -> Json:
    """Say in the form of FieldsV1 which fields an owner has."""
    fields: Json = {".": {}} if own else {}
    for key, value in owned.items():
        fields[f"f:{key}"] = _field(key, value)
    return fields


def _field(key: str, value: Any) -> Json:
    if key in _ATOMIC:
        return {}
    if isinstance(value, dict):
        own = () if key in {"metadata", "spec", "status"} else ("map",)
        return _fields(cast("Json", value), own)
    if isinstance(value, list) and key in _KEYS:
        items: Json = {".": {}}
        for item in cast("list[Json]", value):
            name = {each: item[each] for each in _KEYS[key]}
            items[f"k:{_compact(name)}"] = _fields(item, ("item",))
        return items
    return {}


def _unmounted(container: Json) -> Json:
    """A container as the template has it: admission adds the mount of the token."""
    mounts = [each for each in container["volumeMounts"] if "kube-api" not in each["name"]]
    rest = {key: value for key, value in container.items() if key != "volumeMounts"}
    return {**rest, "volumeMounts": mounts} if mounts else rest


def _token_volume(name: str) -> Json:
    field = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    items = [{"key": "ca.crt", "path": "ca.crt"}]
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": items}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": field}]}},
    ]
    return {"name": name, "projected": {"sources": sources, "defaultMode": 420}}


def _token_mount(name: str) -> Json:
    path = "/var/run/secrets/kubernetes.io/serviceaccount"
    return {"name": name, "readOnly": True, "mountPath": path}


def _probe(path: str, period: int) -> Json:
    return {
        "httpGet": {"path": path, "port": "http", "scheme": "HTTP"},
        "initialDelaySeconds": 5,
        "timeoutSeconds": 1,
        "periodSeconds": period,
        "successThreshold": 1,
        "failureThreshold": 3,
    }


def _toleration(key: str) -> Json:
    return {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}


def _condition(kind: str, time: str) -> Json:
    return {
        "type": kind,
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": time,
    }


def _running(dice: random.Random, name: str, image: str, image_id: str, time: str) -> Json:
    return {
        "name": name,
        "state": {"running": {"startedAt": time}},
        "lastState": {},
        "ready": True,
        "restartCount": 0,
        "image": image,
        "imageID": image_id,
        "containerID": f"containerd://{_hex(dice, 64)}",
        "started": True,
    }


def _uid(dice: random.Random) -> str:
    raw = _hex(dice, 32)
    return f"{raw[:8]}-{raw[8:12]}-4{raw[13:16]}-a{raw[17:20]}-{raw[20:]}"


def _hex(dice: random.Random, length: int) -> str:
    return f"{dice.getrandbits(4 * length):0{length}x}"


def _letters(dice: random.Random, length: int) -> str:
    """Kubernetes' random names leave out vowels and look-alikes."""
    return "".join(dice.choices("bcdfghjklmnpqrstvwxz2456789", k=length))


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
