"""Cases of admission policies: what is set up, what is asked, and how answers are compared.

`run` asks any server. The answers of a real one are in `tests/testing/policies`; the script
`scripts/record-policies` writes them.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

ANSWERS = Path(__file__).parents[1] / "testing" / "policies"
GROUP = "admissionregistration.k8s.io/v1"
SHOP, LAB = "shop", "lab"
Object = dict[str, Any]


class Reply(NamedTuple):
    status: int
    warnings: list[str]
    body: Any


Ask = Callable[[str, str, Mapping[str, str], Any], Reply]
"""From a method, a path, headers and a body to the reply."""

# ------------------------------------------------------------------------------- what is asked

_KINDS = {
    "ConfigMap": ("v1", "configmaps", True),
    "Secret": ("v1", "secrets", True),
    "Service": ("v1", "services", True),
    "ServiceAccount": ("v1", "serviceaccounts", True),
    "Pod": ("v1", "pods", True),
    "Namespace": ("v1", "namespaces", False),
    "Deployment": ("apps/v1", "deployments", True),
    "HorizontalPodAutoscaler": ("autoscaling/v2", "horizontalpodautoscalers", True),
    "Lease": ("coordination.k8s.io/v1", "leases", True),
    "Role": ("rbac.authorization.k8s.io/v1", "roles", True),
    "RoleBinding": ("rbac.authorization.k8s.io/v1", "rolebindings", True),
    "ClusterRole": ("rbac.authorization.k8s.io/v1", "clusterroles", False),
    "ClusterRoleBinding": ("rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
    "PriorityClass": ("scheduling.k8s.io/v1", "priorityclasses", False),
    "Widget": ("example.com/v1", "widgets", True),
    "Limit": ("example.com/v1", "limits", False),
    "CustomResourceDefinition": ("apiextensions.k8s.io/v1", "customresourcedefinitions", False),
    "ValidatingAdmissionPolicy": (GROUP, "validatingadmissionpolicies", False),
    "ValidatingAdmissionPolicyBinding": (GROUP, "validatingadmissionpolicybindings", False),
    "MutatingAdmissionPolicy": (GROUP, "mutatingadmissionpolicies", False),
    "MutatingAdmissionPolicyBinding": (GROUP, "mutatingadmissionpolicybindings", False),
    "SubjectAccessReview": ("authorization.k8s.io/v1", "subjectaccessreviews", False),
}


def obj(kind: str, name: str, namespace: str = SHOP, **rest: Any) -> Object:
    """An object; keyword arguments that begin with `m_` belong to its metadata."""
    version, _, namespaced = _KINDS[kind]
    metadata: Object = {"name": name} if name else {}
    metadata |= {key[2:]: value for key, value in rest.items() if key.startswith("m_")}
    if namespaced:
        metadata["namespace"] = namespace
    content = {key: value for key, value in rest.items() if not key.startswith("m_")}
    return {"apiVersion": version, "kind": kind, "metadata": metadata} | content


def path_of(value: Object, *, named: bool = True) -> str:
    _, plural, namespaced = _KINDS[value["kind"]]
    version = value["apiVersion"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    within = f"/namespaces/{value['metadata']['namespace']}" if namespaced else ""
    name = f"/{value['metadata']['name']}" if named else ""
    return f"{root}{within}/{plural}{name}"


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def by(self, user: str, *groups: str) -> Request:
        """The same request, sent by somebody else."""
        headers = {**self.headers, "Impersonate-User": user}
        if groups:
            headers["Impersonate-Group"] = groups[0]
        return Request(self.method, self.path, self.body, headers)

    def dry(self) -> Request:
        mark = "&" if "?" in self.path else "?"
        return Request(self.method, f"{self.path}{mark}dryRun=All", self.body, self.headers)


def create(value: Object) -> Request:
    return Request("POST", path_of(value, named=False), value)


def update(value: Object, subresource: str = "") -> Request:
    return Request("PUT", path_of(value) + (subresource and f"/{subresource}"), value)


def patch(value: Object, changes: Any, subresource: str = "", kind: str = "merge") -> Request:
    types = {"merge": "merge-patch", "json": "json-patch", "strategic": "strategic-merge-patch"}
    headers = {"Content-Type": f"application/{types[kind]}+json"}
    path = path_of(value) + (subresource and f"/{subresource}")
    return Request("PATCH", path, changes, headers)


def apply(value: Object) -> Request:
    headers = {"Content-Type": "application/apply-patch+yaml"}
    return Request("PATCH", f"{path_of(value)}?fieldManager=tester", value, headers)


def delete(value: Object) -> Request:
    return Request("DELETE", path_of(value))


def get(value: Object) -> Request:
    return Request("GET", path_of(value))


# --------------------------------------------------------------------------------- the policies


def rule(
    *resources: str, operations: str = "CREATE UPDATE", group: str = "", **rest: Any
) -> Object:
    version = rest.pop("version", "v1")
    return {
        "apiGroups": [group],
        "apiVersions": [version],
        "resources": list(resources) or ["configmaps"],
        "operations": operations.split(),
        **rest,
    }


def _constraints(on: Any) -> Object:
    if on is None:
        on = [rule()]
    return {"resourceRules": on} if isinstance(on, list) else on


def vap(name: str, *validations: Any, on: Any = None, **spec: Any) -> Object:
    """A ValidatingAdmissionPolicy; a validation may be an expression alone."""
    written = [{"expression": each} if isinstance(each, str) else each for each in validations]
    base: Object = {"matchConstraints": _constraints(on)}
    if written:
        base["validations"] = written
    return obj("ValidatingAdmissionPolicy", name, spec=base | spec)


def map_(name: str, *mutations: Any, on: Any = None, **spec: Any) -> Object:
    """A MutatingAdmissionPolicy; a mutation may be an expression alone."""
    written = []
    for each in mutations:
        if not isinstance(each, str):
            written.append(each)
        elif each.lstrip().startswith("["):
            written.append({"patchType": "JSONPatch", "jsonPatch": {"expression": each}})
        else:
            expression = {"expression": each}
            written.append({"patchType": "ApplyConfiguration", "applyConfiguration": expression})
    base: Object = {
        "matchConstraints": _constraints(on),
        "mutations": written,
        "reinvocationPolicy": "Never",
    }
    return obj("MutatingAdmissionPolicy", name, spec=base | spec)


def bind(policy: Object, name: str = "", actions: str = "Deny", **spec: Any) -> Object:
    kind = policy["kind"] + "Binding"
    policy_name = policy["metadata"]["name"]
    base: Object = {"policyName": policy_name}
    if kind.startswith("Validating"):
        base["validationActions"] = actions.split()
    return obj(kind, name or f"{policy_name}-binding", spec=base | spec)


@dataclass(frozen=True)
class Case:
    """Requests that are sent after the objects and policies are stored.

    A policy without a binding among `bindings` gets one that denies.
    """

    name: str
    policies: list[Object]
    requests: list[Request]
    bindings: list[Object] | None = None
    objects: list[Object] = field(default_factory=list)

    def set_up(self) -> list[Object]:
        bindings = (
            [bind(each) for each in self.policies] if self.bindings is None else self.bindings
        )
        return [*self.objects, *self.policies, *bindings]


# --------------------------------------------------------------------------------- the answers

_VOLATILE = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation")


def _stable(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _stable(each) for key, each in value.items() if key not in _VOLATILE}
        for key in ("clusterIP", "clusterIPs", "deletionTimestamp", "lastTransitionTime"):
            if key in kept:
                kept[key] = "..."
        return kept
    return [_stable(each) for each in value] if isinstance(value, list) else value


def answer_of(reply: Reply) -> Object:
    body = copy.deepcopy(reply.body)
    metadata = body.get("metadata", {}) if isinstance(body, dict) else {}
    if metadata.get("generateName"):
        metadata["name"] = "..."
    answer: Object = {"status": reply.status}
    if reply.warnings:
        answer["warnings"] = reply.warnings
    if isinstance(body, dict) and body.get("kind") == "Status":
        for key in ("message", "reason", "details"):
            if key in body:
                answer[key] = _stable(body[key])
    else:
        answer["object"] = _stable(body)
    return answer


BASE: list[Object] = [
    obj("Namespace", SHOP, m_labels={"env": "prod", "team": "a"}),
    obj("Namespace", LAB, m_labels={"env": "test"}),
]


def _definition(
    plural: str, kind: str, scope: str, versions: tuple[str, ...], spec: Object
) -> Object:
    schema = {
        "type": "object",
        "properties": {
            "spec": spec,
            "status": {
                "type": "object",
                "properties": {"ready": {"type": "boolean"}, "replicas": {"type": "integer"}},
            },
        },
    }
    served = [
        {
            "name": version,
            "served": True,
            "storage": version == versions[0],
            "schema": {"openAPIV3Schema": schema},
            "subresources": {
                "status": {},
                "scale": {
                    "specReplicasPath": ".spec.size",
                    "statusReplicasPath": ".status.replicas",
                },
            },
        }
        for version in versions
    ]
    names = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
    return obj(
        "CustomResourceDefinition",
        f"{plural}.example.com",
        spec={"group": "example.com", "scope": scope, "names": names, "versions": served},
    )


_WIDGET: Object = {
    "type": "object",
    "properties": {
        "size": {"type": "integer", "default": 1},
        "color": {"type": "string"},
        "weight": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "notes": {"type": "array", "items": {"type": "string"}},
        "parts": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "count": {"type": "integer"}},
            },
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "port": {"x-kubernetes-int-or-string": True},
        "when": {"type": "string", "format": "date-time"},
    },
}
_LIMIT: Object = {
    "type": "object",
    "properties": {
        "most": {"type": "integer"},
        "words": {"type": "array", "items": {"type": "string"}},
    },
}
BASE += [
    _definition("widgets", "Widget", "Namespaced", ("v1", "v2"), _WIDGET),
    _definition("limits", "Limit", "Cluster", ("v1",), _LIMIT),
]


def _keepers() -> Iterator[Object]:
    """Policies that are about nothing and keep the real server's caches of parameters alive.

    It stops the cache of a kind with the last policy that has such parameters. If the kind is a
    built-in one, it does not start again: later policies see old parameters.
    """
    nothing = [rule("nothing", group="nowhere.io")]
    for kind, version in (("ConfigMap", "v1"), ("Limit", "example.com/v1")):
        params = {"apiVersion": version, "kind": kind}
        name = f"keep-{kind.lower()}"
        for policy in (
            vap(name, "true", on=nothing, paramKind=params),
            map_(name, "Object{}", on=nothing, paramKind=params),
        ):
            yield policy
            yield bind(policy)


BASE += _keepers()


def run(case: Case, ask: Ask, settle: Callable[[], None]) -> Iterator[Object]:
    """Set a case up, yield the answers, and clean up."""
    stored: list[Object] = []
    made: list[Object] = []
    json_headers = {"Content-Type": "application/json"}
    for each in case.set_up():
        reply = ask("POST", path_of(each, named=False), json_headers, each)
        if reply.status == 201:
            stored.append(each)
        else:
            yield answer_of(reply)
    settle()
    for request in case.requests:
        headers = {**json_headers, **request.headers}
        reply = ask(request.method, request.path, headers, request.body)
        if reply.status == 201 and reply.body.get("kind") in _KINDS:
            made.append(reply.body)
        yield answer_of(reply)
    _clean(stored, made, ask, json_headers, settle)


def _clean(
    stored: list[Object],
    made: list[Object],
    ask: Ask,
    headers: Mapping[str, str],
    settle: Callable[[], None],
) -> None:
    for each in reversed(stored):
        if each["apiVersion"] == GROUP:
            ask("DELETE", path_of(each), headers, None)
    settle()
    for each in (*stored, *made):
        if each["apiVersion"] != GROUP and each["metadata"].get("name"):
            ask("DELETE", path_of(each) + "?gracePeriodSeconds=0", headers, None)


def read(topic: str) -> dict[str, list[Object]]:
    answers: dict[str, list[Object]] = json.loads((ANSWERS / f"{topic}.json").read_text())
    return answers


def write(topic: str, answers: dict[str, list[Object]]) -> None:
    text = json.dumps(answers, indent=1, ensure_ascii=False, sort_keys=True)
    (ANSWERS / f"{topic}.json").write_text(f"{text}\n")
