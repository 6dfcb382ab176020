"""Requests at random, most of them nearly right: every verb, patch, body and query, mutated."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from clientgen.runtime._http.request import HttpRequest

JSON = "application/json"
YAML = "application/yaml"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
PROTOBUF = "application/vnd.kubernetes.protobuf"
PATCHES = (MERGE, APPLY, JSON_PATCH, STRATEGIC)
KINDS = (JSON, JSON, JSON, YAML, PROTOBUF, "text/plain", "", "application/json;charset=utf-8", ";")
NAMESPACE = "/api/v1/namespaces/default"
GROUP = "/apis/shop.example/v1/namespaces/default/cups"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
DIGITS = "9" * 5_000

CONTAINER = {
    "name": "main",
    "image": "busybox",
    "ports": [{"containerPort": 80}],
    "env": [{"name": "A", "value": "b"}],
    "resources": {"requests": {"cpu": "100m"}, "limits": {"cpu": "1", "memory": "1Gi"}},
}
POD = {"containers": [CONTAINER], "volumes": [{"name": "v", "emptyDir": {}}]}
LABELS = {"matchLabels": {"app": "web"}}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": POD}
RULE = {"rule": "self.size > 0 && self.names.all(x, x.startsWith('a'))", "message": "m"}
CUPS = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "x-kubernetes-validations": [RULE],
            "properties": {
                "size": {"type": "integer", "default": 1},
                "names": {
                    "type": "array",
                    "default": [],
                    "items": {"type": "string"},
                    "x-kubernetes-list-type": "set",
                },
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "port": {"x-kubernetes-int-or-string": True},
            },
        }
    },
}
SCALE = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
VERSION = {
    "name": "v1",
    "served": True,
    "storage": True,
    "schema": {"openAPIV3Schema": CUPS},
    "subresources": {"status": {}, "scale": SCALE},
    "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
}


def _object(api_version: str, kind: str, **parts: Any) -> dict[str, Any]:
    metadata = {"name": "a", "labels": {"app": "web"}, "annotations": {"a": "b"}}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


def definition(plural: str = "cups") -> dict[str, Any]:
    """The definition of `cups`, or of another kind that is like it."""
    names = {"plural": plural, "kind": plural.title()}
    spec = {"group": "shop.example", "scope": "Namespaced", "names": names, "versions": [VERSION]}
    made = _object("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=spec)
    return {**made, "metadata": {"name": f"{plural}.shop.example"}}


WORKLOAD = {"selector": LABELS, "template": TEMPLATE}
PLACES: list[tuple[str, dict[str, Any]]] = [
    (f"{NAMESPACE}/pods", _object("v1", "Pod", spec=POD)),
    (f"{NAMESPACE}/configmaps", _object("v1", "ConfigMap", data={"a": "b"})),
    (f"{NAMESPACE}/secrets", _object("v1", "Secret", data={"a": "Yg=="}, type="Opaque")),
    (f"{NAMESPACE}/services", _object("v1", "Service", spec={"ports": [{"port": 80}]})),
    ("/api/v1/nodes",
        _object("v1", "Node", spec={"taints": [{"key": "a", "effect": "NoSchedule"}]})),
    ("/api/v1/namespaces", _object("v1", "Namespace")),
    (f"{NAMESPACE}/events", _object("v1", "Event", involvedObject={"namespace": "default"})),
    (f"{NAMESPACE}/serviceaccounts", _object("v1", "ServiceAccount")),
    (f"{NAMESPACE}/persistentvolumeclaims", _object("v1", "PersistentVolumeClaim",
        spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}})),
    ("/apis/apps/v1/namespaces/default/deployments",
        _object("apps/v1", "Deployment", spec={"replicas": 1, **WORKLOAD})),
    ("/apis/apps/v1/namespaces/default/daemonsets", _object("apps/v1", "DaemonSet", spec=WORKLOAD)),
    ("/apis/apps/v1/namespaces/default/statefulsets",
        _object("apps/v1", "StatefulSet", spec={"serviceName": "s", **WORKLOAD})),
    ("/apis/batch/v1/namespaces/default/cronjobs", _object("batch/v1", "CronJob", spec={
        "schedule": "*/5 * * * *",
        "jobTemplate": {"spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}}}})),
    ("/apis/batch/v1/namespaces/default/jobs",
        _object("batch/v1", "Job", spec={"template": {"spec": {**POD, "restartPolicy": "Never"}}})),
    ("/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
        _object("networking.k8s.io/v1", "NetworkPolicy", spec={"podSelector": LABELS})),
    ("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
        _object("autoscaling/v2", "HorizontalPodAutoscaler", spec={"maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}})),
    ("/apis/coordination.k8s.io/v1/namespaces/default/leases",
        _object("coordination.k8s.io/v1", "Lease", spec={"holderIdentity": "a"})),
    ("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        _object("authorization.k8s.io/v1", "SelfSubjectAccessReview",
            spec={"resourceAttributes": {"verb": "get", "resource": "pods"}})),
    (ROLES, _object("rbac.authorization.k8s.io/v1", "ClusterRole",
        rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}])),
    (GROUP, _object("shop.example/v1", "Cups", spec={"size": 1, "names": ["a"], "any": {"x": 1}})),
    (DEFINITIONS, definition("jugs")),
]  # fmt: skip

JUNK: list[Any] = [
    None, True, 0, -1, 2**31, 2**63, 2**64, 1.5, 1e300, "", "a", "x" * 300, "\0", "\u2028", "1",
    DIGITS, [], {}, [None], [{}], [[]], {"": None}, {"a": {}}, ["a", "a"], "2001-99-99", "*", "..",
    "a/b", "1e999", "-", "=", "${x}", "%", {"f:metadata": {".": {}}}, {"k:{}": {}}, {"v:1": {}},
    {"$patch": "delete"}, {"$patch": "replace"}, [{"$patch": "delete"}], {"$retainKeys": ["a"]},
    {"$setElementOrder/containers": [{"name": "main"}]}, {"$deleteFromPrimitiveList/a": [1]},
    {"matchLabels": {"a": "b"}}, {"type": "string"}, "self.all(x, true)", "self.map(x, x + x)",
]  # fmt: skip
NAMES = [
    "metadata", "spec", "status", "name", "namespace", "finalizers", "ownerReferences", "uid",
    "managedFields", "resourceVersion", "labels", "annotations", "generateName", "conditions",
    "deletionTimestamp", "creationTimestamp", "apiVersion", "kind", "items", "data", "rules",
    "deprecated.daemonset.template.generation", "kubectl.kubernetes.io/last-applied-configuration",
    "x-kubernetes-validations", "default", "additionalProperties", "pattern", "format", "type",
]  # fmt: skip
QUERIES = [
    "watch=1&timeoutSeconds=1", "watch=true&allowWatchBookmarks=1", "limit=1", "dryRun=All",
    "fieldManager=m&force=true", "fieldManager=n", "fieldValidation=Strict", "pretty=1",
    "resourceVersion=9", "resourceVersion=0&resourceVersionMatch=Exact", "sendInitialEvents=true",
    "labelSelector=app%20in%20(web,b),!c", "fieldSelector=metadata.name%3Da", "orphanDependents=1",
    "propagationPolicy=Foreground", "gracePeriodSeconds=0", "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEi",
    "includeObject=Object", "timeout=1s", "export=1",
]  # fmt: skip
GARBAGE = [b"\0", b"\xff", b"}", b'"', b"\\u", b"&a *a", b"<<: ", b"- ", b"e9999", b""]
SENT = ["a", "", "Bearer a.b.c", "system:masters", "x" * 9_000, "\0"]
POINTERS = [
    "", "/", "/spec", "/metadata/labels", "/metadata/labels/a", "/spec/containers/0", "/data/a",
    "/spec/containers/-", "/metadata/annotations/a~1b", "/spec/any", "-1", "/spec/-1",
    f"/spec/{DIGITS}", "/metadata",
]  # fmt: skip
ACCEPTED = [
    "", "", "", JSON, JSON, YAML, PROTOBUF, "*/*", "q=;,",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "application/yaml;q=0.x",
]  # fmt: skip
PARTS = [
    "/status", "/status", "/scale", "/token", "/eviction", "/log", "/binding", "/resize", "/x",
    "/ephemeralcontainers", "/proxy/a", "/finalize", "/approval",
]  # fmt: skip


class Fuzzer:
    """Makes requests; the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def request(self) -> HttpRequest:
        """The next one."""
        chance = self._chance
        path, value = chance.choice(PLACES)
        if path != DEFINITIONS and chance.random() < 0.3:
            value = {**value, "metadata": {**value["metadata"], "name": chance.choice("bcde")}}
        method = chance.choice(["POST", "POST", "PUT", "PATCH", "PATCH", "GET", "DELETE"])
        if chance.random() < 0.02:
            method = chance.choice(["HEAD", "OPTIONS", "TRACE", "", "get"])
        if method != "POST" or chance.random() < 0.1:
            path += self._name(value)
            path += chance.choice(PARTS) if chance.random() < 0.3 else ""
        kind = chance.choice(PATCHES if method == "PATCH" else KINDS)
        headers = [("content-type", kind), ("accept", chance.choice(ACCEPTED)), *self._headers()]
        return HttpRequest(method, path + self._query(), tuple(headers), self._body(value, kind))

    def _name(self, value: dict[str, Any]) -> str:
        if self._chance.random() < 0.1:
            return ""
        name = value["metadata"]["name"]
        other = self._chance.choice([".", "..", "%2f", "%", "\u00e9", "a" * 300, DIGITS, "a%00"])
        return f"/{other if self._chance.random() < 0.1 else name}"

    def _headers(self) -> Iterator[tuple[str, str]]:
        if self._chance.random() < 0.1:
            name = self._chance.choice(
                ["impersonate-user", "impersonate-group", "impersonate-extra-a%ff", "authorization",
                 "if-none-match", "user-agent", "content-type", "host"]
            )  # fmt: skip
            yield name, self._chance.choice(SENT)

    def _query(self) -> str:
        chance = self._chance
        if chance.random() < 0.5:
            return ""
        chosen = chance.sample(QUERIES, chance.choice([1, 1, 2, 3]))
        if chance.random() < 0.3:
            name = chosen[0].partition("=")[0]
            chosen[0] = f"{name}={quote(str(chance.choice(JUNK)))}"
        return "?" + "&".join(chosen)

    # ------------------------------------------------------------------------------- bodies

    def _body(self, value: dict[str, Any], kind: str) -> bytes | None:
        chance = self._chance
        if chance.random() < 0.05:
            return chance.choice([None, b"", b"null", b"[]", b"1", b"k8s\0", b"\xff\xfe", b"{"])
        made: Any = self.spoiled(value)
        if kind == JSON_PATCH and chance.random() < 0.9:
            made = self._operations(made)
        text = json.dumps(made, ensure_ascii=chance.random() < 0.5)
        if chance.random() < 0.1:
            text = text.replace('"a"', self._deep(), 1)
        body = text.encode("utf-8", "surrogatepass")
        if kind == PROTOBUF:
            body = b"k8s\0" + body
        return self._garbled(body) if chance.random() < 0.1 else body

    def _deep(self) -> str:
        levels = self._chance.choice([50, 250, 300, 900, 2_000, 20_000])
        open_, close = self._chance.choice([("[", "]"), ('{"a":', "}"), ('{"f:a":', "}")])
        return open_ * levels + "{}" + close * levels

    def _garbled(self, body: bytes) -> bytes:
        chance = self._chance
        at = chance.randrange(len(body) + 1)
        junk = chance.choice(GARBAGE)
        end = min(len(body), at + chance.choice([0, 1, 5, 50]))
        return body[:at] + junk + body[end:]

    def spoiled(self, value: dict[str, Any]) -> dict[str, Any]:
        """A value with some of it replaced by what does not belong there."""
        chance = self._chance
        value = copy.deepcopy(value)
        for _ in range(chance.choice([0, 0, 1, 1, 2, 3])):
            holder, key = chance.choice(list(_places(value)) or [(value, "x")])
            junk = copy.deepcopy(chance.choice(JUNK))
            if chance.random() < 0.3 and isinstance(holder, dict):
                holder[chance.choice(NAMES)] = junk
            elif chance.random() < 0.2 and isinstance(holder, list):
                holder.extend(copy.deepcopy(holder) * chance.choice([1, 30]))
            else:
                holder[key] = junk
        return value

    def _operations(self, value: dict[str, Any]) -> list[Any]:
        chance = self._chance
        made: list[Any] = []
        for _ in range(chance.choice([1, 2, 5, 60])):
            operation = {
                "op": chance.choice(
                    ["add", "remove", "replace", "move", "copy", "test", "x", None]
                ),
                "path": chance.choice(POINTERS),
                "from": chance.choice(POINTERS),
                "value": chance.choice([*JUNK, value]),
            }
            for name in chance.sample(list(operation), chance.choice([0, 0, 1])):
                del operation[name]
            made.append(chance.choice([operation] * 9 + [None, {}, "x"]))
        return made


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in list(inside):
        yield value, key
        if isinstance(each, (dict, list)):
            yield from _places(each)
