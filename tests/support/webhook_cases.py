"""Cases of admission by webhooks, which a real server and the one in memory have to answer alike.

`tests/testing/webhook_answers.json` has a real server's answers; `tests/cluster/test_webhooks.py`
compares both with it, and writes it with `--record-webhooks`.
"""

from __future__ import annotations

import json
import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Final

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._fake.certificates import new_identity

from .webhook_backend import TestBackend

Ask = Callable[[str, str, Any, str], tuple[int, list[str], Any]]

RECORDED = Path(__file__).resolve().parents[1] / "testing" / "webhook_answers.json"

CREATE_MAPS = {
    "operations": ["CREATE"],
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "resources": ["configmaps"],
}
ALL = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}
JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
OPERATIONS = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"


@dataclass(frozen=True)
class Hook:
    """A webhook: its path, and what differs from the default."""

    path: str
    more: dict[str, Any] = field(default_factory=dict)
    mutates: bool = False


@dataclass(frozen=True)
class Case:
    """Webhooks, and requests; `NS` in them is the namespace of the case."""

    name: str
    hooks: list[Hook]
    requests: list[tuple[str, str, Any, str]]
    before: list[tuple[str, str, Any, str]] = field(default_factory=list)


def config_map(name: str = "m", **metadata: Any) -> dict[str, Any]:
    data = metadata.pop("data", {"a": "b"})
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, **metadata},
        "data": data,
    }


def ingress() -> dict[str, Any]:
    backend = {"service": {"name": "s", "port": {"number": 80}}}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "i"},
        "spec": {"defaultBackend": backend},
    }


def deployment(name: str = "d", *, replicas: int = 1) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {"containers": [{"name": "c", "image": "i"}]},
            },
        },
    }


def pod(name: str = "p") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "automountServiceAccountToken": False,
        },
    }


def autoscaler() -> dict[str, Any]:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    return {
        "apiVersion": "autoscaling/v1",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "h"},
        "spec": {"scaleTargetRef": target, "maxReplicas": 3, "targetCPUUtilizationPercentage": 50},
    }


def definition() -> dict[str, Any]:
    size = {"type": "integer", "default": 1}
    spec = {"type": "object", "default": {}, "properties": {"size": size}}
    status = {"type": "object", "properties": {"ready": {"type": "boolean"}}}
    schema = {"type": "object", "properties": {"spec": spec, "status": status}}
    version = {"served": True, "subresources": {"status": {}}}
    versions = [
        {**version, "name": name, "storage": name == "v1", "schema": {"openAPIV3Schema": schema}}
        for name in ("v1", "v2")
    ]
    names = {"plural": "gadgets", "kind": "Gadget"}
    group = {"group": "NS.example.com", "scope": "Namespaced", "names": names}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.NS.example.com"},
        "spec": {**group, "versions": versions},
    }


def gadget(version: str = "v1", **more: Any) -> dict[str, Any]:
    head = {"apiVersion": f"NS.example.com/{version}", "kind": "Gadget", "metadata": {"name": "g"}}
    return {**head, **more}


GADGETS = "/apis/NS.example.com/v1/namespaces/NS/gadgets"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEFINED: list[tuple[str, str, Any, str]] = [("POST", DEFINITIONS, definition(), JSON)]
MAPS = "/api/v1/namespaces/NS/configmaps"
MAP = f"{MAPS}/m"
PODS = "/api/v1/namespaces/NS/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/NS/deployments"
INGRESSES = "/apis/networking.k8s.io/v1/namespaces/NS/ingresses"
SCALERS = "/apis/autoscaling/v1/namespaces/NS/horizontalpodautoscalers"
NEW = ("POST", MAPS, config_map(), JSON)


def validating(path: str, **more: Any) -> Hook:
    return Hook(path, more)


def mutating(path: str, **more: Any) -> Hook:
    return Hook(path, more, mutates=True)


def one(name: str, hook: Hook, *requests: tuple[str, str, Any, str]) -> Case:
    return Case(name, [hook], list(requests or [NEW]))


_PLAIN = [
    "allow",
    "deny",
    "deny-bare",
    "deny-reason",
    "deny-all",
    "deny-success",
    "deny-warn",
    "warn",
    "warn-long",
    "wrong-uid",
    "no-response",
    "wrong-kind",
    "wrong-version",
    "no-kind",
    "beta",
    "text",
    "nothing",
    "list",
    "500",
    "404",
    "403",
    "400",
    "503",
    "418",
    "status",
    "label-a",
    "redirect",
]
_PATCHES = [
    "label-a",
    "name",
    "unknown-field",
    "invalid",
    "wrong-type",
    "missing-path",
    "missing-key",
    "failed-test",
    "no-type",
    "no-patch",
    "merge",
    "object-patch",
    "empty-patch",
]
IF_NEEDED = {"reinvocationPolicy": "IfNeeded"}
MAP_RULES = [{**CREATE_MAPS, "operations": ["*"]}]


def cases() -> Iterator[Case]:
    for path in _PLAIN:
        yield one(f"validating {path}", validating(f"/{path}"))
    for path in _PATCHES:
        yield one(f"mutating {path}", mutating(f"/{path}"))
    for path in ("500", "text", "wrong-uid", "missing-path", "deny"):
        yield one(f"ignored mutating {path}", mutating(f"/{path}", failurePolicy="Ignore"))
        yield one(f"ignored validating {path}", validating(f"/{path}", failurePolicy="Ignore"))
    dry = ("POST", f"{MAPS}?dryRun=All", config_map(), JSON)
    yield one("dry run", mutating("/label-a"), dry)
    yield one("beta reviews", validating("/allow", admissionReviewVersions=["v1beta1"]))
    yield one("no known reviews", validating("/allow", admissionReviewVersions=["v2", "v1"]))
    yield one("in order", mutating("/label-a"), NEW)
    yield Case(
        "two mutate",
        [mutating("/label-a"), mutating("/label-b"), validating("/allow")],
        [NEW],
    )
    yield Case(
        "reinvoked", [mutating("/count", **IF_NEEDED), mutating("/label-b", **IF_NEEDED)], [NEW]
    )
    yield Case("not reinvoked", [mutating("/count"), mutating("/label-b", **IF_NEEDED)], [NEW])
    yield Case(
        "first refusal", [validating("/allow"), validating("/deny"), mutating("/warn")], [NEW]
    )
    updates = [
        ("PUT", MAP, config_map(data={"a": "c"}), JSON),
        ("PATCH", MAP, {"data": {"a": "d"}}, MERGE),
        ("PATCH", MAP, {"data": {"a": "e"}}, STRATEGIC),
        ("PATCH", MAP, [{"op": "add", "path": "/data/z", "value": "f"}], OPERATIONS),
        ("PATCH", f"{MAP}?fieldManager=me&force=true", config_map(data={"a": "g"}), APPLY),
        ("PATCH", f"{MAPS}/n?fieldManager=me", config_map("n"), APPLY),
        ("DELETE", MAP, None, JSON),
    ]
    yield Case("all writes", [mutating("/label-a", rules=MAP_RULES)], [], [])
    yield Case("reviews of writes", [validating("/allow", rules=MAP_RULES)], [NEW, *updates])
    yield Case(
        "mutated writes",
        [mutating("/label-a", rules=[{**CREATE_MAPS, "operations": ["CREATE", "UPDATE"]}])],
        [NEW, *updates],
    )
    yield Case(
        "refused delete",
        [validating("/deny", rules=[{**CREATE_MAPS, "operations": ["DELETE"]}])],
        # Controllers put a ConfigMap of their own into each namespace.
        [
            ("DELETE", MAP, None, JSON),
            ("DELETE", f"{MAPS}?fieldSelector=metadata.name=m", None, JSON),
        ],
        [NEW],
    )
    yield Case(
        "patched delete",
        [mutating("/name", rules=[{**CREATE_MAPS, "operations": ["DELETE"]}])],
        [("DELETE", f"{MAP}?gracePeriodSeconds=5&propagationPolicy=Background", None, JSON)],
        [NEW],
    )
    scale = [{"operations": ["UPDATE"], "apiGroups": ["apps"], "apiVersions": ["*"]}]
    # Controllers write the statuses of Deployments: one without replicas has none to tell, and
    # those of Ingresses are nobody's.
    networking = [
        {"operations": ["UPDATE"], "apiGroups": ["networking.k8s.io"], "apiVersions": ["*"]}
    ]
    status = {"status": {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}}
    yield Case(
        "scale",
        [mutating("/replicas", rules=[{**scale[0], "resources": ["deployments/scale"]}])],
        [("PATCH", f"{DEPLOYMENTS}/d/scale", {"spec": {"replicas": 5}}, MERGE)],
        [("POST", DEPLOYMENTS, deployment(replicas=0), JSON)],
    )
    yield Case(
        "status is not the object",
        [validating("/deny", rules=[{**networking[0], "resources": ["ingresses"]}])],
        [("PATCH", f"{INGRESSES}/i/status", status, MERGE)],
        [("POST", INGRESSES, ingress(), JSON)],
    )
    yield Case(
        "status",
        [validating("/deny", rules=[{**networking[0], "resources": ["*/status"]}])],
        [("PATCH", f"{INGRESSES}/i/status", status, MERGE)],
        [("POST", INGRESSES, ingress(), JSON)],
    )
    pods = {"apiGroups": [""], "apiVersions": ["v1"]}
    yield Case(
        "binding",
        [validating("/deny", rules=[{**pods, "operations": ["*"], "resources": ["pods/*"]}])],
        [
            (
                "POST",
                f"{PODS}/p/binding",
                {
                    "apiVersion": "v1",
                    "kind": "Binding",
                    "metadata": {"name": "p"},
                    "target": {"kind": "Node", "name": "n"},
                },
                JSON,
            ),
            (
                "POST",
                f"{PODS}/p/eviction",
                {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}},
                JSON,
            ),
            ("POST", f"{PODS}/p/exec?command=ls&command=-l&container=c", None, JSON),
            ("POST", f"{PODS}/gone/portforward?ports=80", None, JSON),
            ("POST", f"{PODS}/p/attach?stdin=true&tty=1", None, JSON),
            ("GET", f"{PODS}/p/proxy/a/b", None, JSON),
        ],
        [("POST", PODS, pod(), JSON)],
    )
    yield Case(
        "equivalent",
        [
            validating(
                "/deny",
                rules=[
                    {
                        "operations": ["*"],
                        "apiGroups": ["autoscaling"],
                        "apiVersions": ["v2"],
                        "resources": ["*"],
                    }
                ],
            )
        ],
        [("POST", SCALERS, autoscaler(), JSON)],
    )
    yield Case(
        "exact",
        [
            validating(
                "/deny",
                matchPolicy="Exact",
                rules=[
                    {
                        "operations": ["*"],
                        "apiGroups": ["autoscaling"],
                        "apiVersions": ["v2"],
                        "resources": ["*"],
                    }
                ],
            )
        ],
        [("POST", SCALERS, autoscaler(), JSON)],
    )
    selector = {"matchExpressions": [{"key": "x", "operator": "In", "values": ["y"]}]}
    yield Case(
        "object selector",
        [validating("/deny", objectSelector=selector, rules=MAP_RULES)],
        [
            NEW,
            ("PATCH", MAP, {"metadata": {"labels": {"x": "y"}}}, MERGE),
            ("POST", MAPS, config_map("n", labels={"x": "y"}), JSON),
        ],
    )
    yield Case(
        "changed by an earlier webhook",
        [mutating("/label-a"), mutating("/deny", objectSelector={"matchLabels": {"a": "1"}})],
        [NEW],
    )
    yield Case("scope", [validating("/deny", rules=[{**CREATE_MAPS, "scope": "Cluster"}])], [NEW])
    yield Case(
        "generated name",
        [mutating("/allow"), validating("/deny")],
        [
            (
                "POST",
                MAPS,
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "g-"}},
                JSON,
            )
        ],
    )
    yield Case(
        "invalid for its kind",
        [mutating("/label-a"), validating("/deny")],
        [("POST", MAPS, config_map("UPPER"), JSON)],
    )
    yield Case(
        "conflict",
        [
            mutating("/label-a", rules=MAP_RULES),
            validating("/deny", rules=[{**CREATE_MAPS, "operations": ["UPDATE"]}]),
        ],
        [("PUT", MAP, config_map(resourceVersion="1", data={}), JSON)],
        [NEW],
    )
    yield Case(
        "nothing changes",
        [validating("/deny", rules=[{**CREATE_MAPS, "operations": ["UPDATE"]}])],
        [("PATCH", MAP, {}, MERGE)],
        [NEW],
    )
    for name, expressions, policy in (
        ("met", ["request.operation == 'CREATE'", "object.metadata.name == 'm'"], "Fail"),
        ("not met", ["object.metadata.name == 'n'"], "Fail"),
        ("failing", ["object.data.none == 'n'"], "Fail"),
        ("failing and ignored", ["object.data.none == 'n'"], "Ignore"),
        ("failing and not met", ["object.data.none == 'n'", "false"], "Fail"),
        ("user", ["'system:masters' in request.userInfo.groups && oldObject == null"], "Fail"),
    ):
        conditions = [
            {"name": f"c{index}", "expression": text} for index, text in enumerate(expressions)
        ]
        hook = validating("/deny", matchConditions=conditions, failurePolicy=policy)
        yield one(f"condition {name}", hook)
    custom = {**ALL, "apiGroups": ["NS.example.com"]}
    new_gadget = ("POST", GADGETS, gadget(), JSON)
    for path in ("unknown-field", "spec", "wrong-spec", "label-a", "invalid"):
        hook = mutating(f"/{path}", rules=[{**custom, "operations": ["CREATE"]}])
        yield Case(f"custom {path}", [hook], [new_gadget], DEFINED)
    yield Case(
        "custom reviews",
        [mutating("/label-a", rules=[custom]), validating("/allow", rules=[custom])],
        [
            new_gadget,
            ("PATCH", f"{GADGETS}/g", {"spec": {"size": 2}}, MERGE),
            ("PATCH", f"{GADGETS}/g/status", {"status": {"ready": True}}, MERGE),
            ("PATCH", f"{GADGETS}/g?fieldManager=me&force=true", gadget(spec={"size": 3}), APPLY),
            ("DELETE", f"{GADGETS}/g", None, JSON),
        ],
        DEFINED,
    )
    newer = {**custom, "apiVersions": ["v2"]}
    yield Case("custom equivalent", [mutating("/label-a", rules=[newer])], [new_gadget], DEFINED)
    yield one("unreachable", validating("/allow", url="https://127.0.0.1:1/x"))
    yield one("another authority", validating("/allow", caBundle="OTHER"))
    yield one("another name", validating("/allow", url="https://localhost:PORT/allow"))
    service = {"name": "none", "namespace": "NS", "path": "/x"}
    yield one("no such service", validating("/allow", service=service))


CASES = [case for case in cases() if case.requests]


# ---- running ----------------------------------------------------------------------------------


def configurations(case: Case, namespace: str, backend: TestBackend, other: str) -> list[Any]:
    """Return a configuration for each webhook, in their order."""
    made: list[Any] = []
    for index, hook in enumerate(case.hooks):
        more = json.loads(
            json.dumps(hook.more).replace("PORT", str(backend.port)).replace("NS", namespace)
        )
        client: dict[str, Any] = {"url": more.pop("url", f"{backend.url}{hook.path}")}
        if "service" in more:
            client = {"service": more.pop("service")}
        authority = more.pop("caBundle", None)
        client["caBundle"] = other if authority == "OTHER" else backend.authority
        webhook = {
            "name": f"hook{index}.example.com",
            "clientConfig": client,
            "rules": [CREATE_MAPS],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            **more,
        }
        kind = "Mutating" if hook.mutates else "Validating"
        made.append(
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": f"{kind}WebhookConfiguration",
                "metadata": {"name": f"{namespace}-{index}"},
                "webhooks": [webhook],
            }
        )
    return made


def path_of(configuration: dict[str, Any]) -> str:
    return f"/apis/admissionregistration.k8s.io/v1/{configuration['kind'].lower()}s"


def outcome(case: Case, namespace: str, ask: Ask, backend: TestBackend) -> dict[str, Any]:
    """Send the requests of a case; what was answered, and what the webhooks were asked."""
    backend.calls.clear()
    answers: list[Any] = []
    for method, path, body, media in case.requests:
        sent = None if body is None else json.loads(json.dumps(body).replace("NS", namespace))
        status, warnings, answer = ask(method, path.replace("NS", namespace), sent, media)
        answers.append([status, warnings, answer])
    calls = [
        [path, review]
        for path, review in backend.calls
        if review.get("request", {}).get("namespace") == namespace
    ]
    if sum(not hook.mutates for hook in case.hooks) > 1:  # they are asked at the same time
        mutating = [hook.path for hook in case.hooks if hook.mutates]
        calls.sort(key=lambda call: (call[0] not in mutating, call[0]))
    found = {"answers": answers, "calls": calls}
    return normal(found, namespace, backend)  # type: ignore[no-any-return]


_VOLATILE = {"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"}


def normal(value: Any, namespace: str, backend: TestBackend) -> Any:
    match value:
        case dict():
            kept = {}
            for key, each in value.items():
                if key == "time":
                    continue
                if key in _VOLATILE:
                    if each:
                        kept[key] = "..."
                elif each is not None or key in ("object", "oldObject", "options"):
                    kept[key] = normal(each, namespace, backend)
            if "groups" in kept and "username" in kept:
                kept = {"username": "..."}
            return kept
        case list():
            return [normal(each, namespace, backend) for each in value]
        case str():
            text = value.replace(namespace, "NS").replace(f":{backend.port}", ":PORT")
            text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", "UID", text)
            return re.sub(r"^(g-)[a-z0-9]{5}$", r"\1RANDOM", text)
        case _:
            return value


def asking(k: Any) -> Ask:
    """Return what sends requests of any kind as a clientset does, without reading answers."""

    def ask(method: str, path: str, body: Any, media: str) -> tuple[int, list[str], Any]:
        transport = k.rest.chain.connections.transport
        headers = (("Content-Type", media), ("Accept", JSON), ("User-Agent", "tests"))
        content = None if body is None else json.dumps(body).encode()
        answer = transport.send(HttpRequest(method, path, headers, content), 60.0)
        quoted = re.findall(r'299 - ("(?:[^"\\]|\\.)*")', answer.headers.get("warning", ""))
        try:
            value = json.loads(answer.body)
        except ValueError:
            value = answer.body.decode()
        return answer.status, [json.loads(each) for each in quoted], value

    return ask


def namespaces_of(ask: Ask, prefix: str) -> Callable[[], str]:
    """Return what creates a namespace, with a name that begins so."""
    numbers = count(1)

    def make() -> str:
        name = f"{prefix}-{next(numbers)}"
        status, _, answer = ask("POST", "/api/v1/namespaces", _named("Namespace", name), JSON)
        assert status == 201, answer
        return name

    return make


PATIENCE: Final = 60.0


class Prepared:
    """A server with the webhooks of all cases.

    Args:
        ask: sends a request.
        backend: what the webhooks call.
        make_namespace: creates a namespace and returns its name. Who gives it, cleans up.
    """

    def __init__(self, ask: Ask, backend: TestBackend, make_namespace: Callable[[], str]) -> None:
        self.ask = ask
        self.backend = backend
        self.namespaces = {case.name: make_namespace() for case in CASES}
        self._made: list[str] = []
        other = b64encode(new_identity("other").authority).decode()
        for case in CASES:
            namespace = self.namespaces[case.name]
            for method, path, body, media in case.before:
                made = json.loads(json.dumps(body).replace("NS", namespace))
                own = path.replace("NS", namespace)
                status, _, answer = ask(method, own, made, media)
                assert status == 201, answer
                if path == DEFINITIONS:
                    self._made.append(f"{path}/{made['metadata']['name']}")
                    self._await_definition(GADGETS.replace("NS", namespace))
        last: dict[str, Any] = {}
        for case in CASES:
            for each in configurations(case, self.namespaces[case.name], backend, other):
                self._create(path_of(each), each)
                last[each["kind"]] = each
        for kind, each in last.items():
            self._await(kind, each)

    def _create(self, path: str, body: dict[str, Any]) -> None:
        status, _, answer = self.ask("POST", path, body, JSON)
        assert status == 201, answer
        self._made.append(f"{path}/{body['metadata']['name']}")

    def _await_definition(self, path: str) -> None:
        end = time.monotonic() + PATIENCE
        while self.ask("GET", path, None, JSON)[0] != 200:
            assert time.monotonic() < end
            time.sleep(0.1)

    def _await(self, kind: str, like: dict[str, Any]) -> None:
        """Wait until a configuration that was made last is in force."""
        name = f"{like['metadata']['name']}-last"
        [hook] = like["webhooks"]
        client = {**hook["clientConfig"], "url": f"{self.backend.url}/deny"}
        client.pop("service", None)
        client["caBundle"] = self.backend.authority
        namespace = next(iter(self.namespaces.values()))
        selector = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
        own = {
            **hook,
            "clientConfig": client,
            "rules": [CREATE_MAPS],
            "objectSelector": {"matchLabels": {"last": kind}},
            "namespaceSelector": selector,
        }
        body = {**like, "metadata": {"name": name}, "webhooks": [own]}
        self._create(path_of(like), body)
        probe = {
            **_named("ConfigMap", "probe"),
            "metadata": {"name": "probe", "labels": {"last": kind}},
        }
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            path = f"/api/v1/namespaces/{namespace}/configmaps?dryRun=All"
            status, _, answer = self.ask("POST", path, probe, JSON)
            if status == 400 and "no way" in answer["message"]:
                return
            time.sleep(0.2)
        raise AssertionError(f"{name} is not in force")

    def close(self) -> None:
        """Remove the webhooks and definitions, but not the namespaces."""
        for path in reversed(self._made):
            self.ask("DELETE", path, None, JSON)


def _named(kind: str, name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}}


@cache
def recorded() -> dict[str, Any]:
    """Return what a real server has answered, by case."""
    return json.loads(RECORDED.read_text()) if RECORDED.exists() else {}  # type: ignore[no-any-return]


def record(name: str, found: dict[str, Any]) -> None:
    """Write down what a real server has answered; a line for each case."""
    recorded()[name] = found
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, sort_keys=True)}"
        for key, value in sorted(recorded().items())
    ]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
