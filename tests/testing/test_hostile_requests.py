"""Requests that make no sense: each is answered, none raises, none hangs."""

from __future__ import annotations

import copy
import json
import logging
import random
from collections.abc import Iterator
from typing import Any

import pytest

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Deferred, Response
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._fake.actions import action_of
from clientgen.testing._fake.fake_clock import FakeClock

GROUP = "/apis/shop.example.com/v1/namespaces/default/widgets"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.shop.example.com"},
    "spec": {
        "group": "shop.example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                        },
                    }
                },
                "subresources": {
                    "status": {},
                    "scale": {
                        "specReplicasPath": ".spec.replicas",
                        "statusReplicasPath": ".status.replicas",
                    },
                },
            }
        ],
    },
}
WIDGET = {
    "apiVersion": "shop.example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "w"},
    "spec": {"replicas": 1},
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "labels": {"app": "web"}},
    "spec": {
        "containers": [{"name": "main", "image": "busybox", "ports": [{"containerPort": 80}]}]
    },
}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": POD["spec"]},
    },
}
ROLE = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRole",
    "metadata": {"name": "r"},
    "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
}
CRON_JOB = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "c"},
    "spec": {
        "schedule": "*/5 * * * *",
        "jobTemplate": {"spec": {"template": {"spec": {**POD["spec"], "restartPolicy": "Never"}}}},
    },
}
PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs"
PLACES: list[tuple[str, dict[str, Any]]] = [
    (DEFINITIONS, WIDGETS),
    (GROUP, WIDGET),
    (PODS, POD),
    (DEPLOYMENTS, DEPLOYMENT),
    (ROLES, ROLE),
    (CRON_JOBS, CRON_JOB),
]
APPLY = "application/apply-patch+yaml"
MANY_DIGITS = "9" * 5000


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What the handler did not expect is answered with 500, and logged."""
    yield
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


def request(
    method: str, path: str, body: Any = None, kind: str = "application/json", **more: str
) -> HttpRequest:
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    headers = (
        ("content-type", kind),
        *((name.replace("_", "-"), text) for name, text in more.items()),
    )
    return HttpRequest(method, path, headers, body)


def server(clock: FakeClock | None = None) -> ApiServer:
    made = ApiServer(clock=clock or FakeClock(), seed=1)
    made.put(copy.deepcopy(WIDGETS))
    made.run_due()
    return made


def code(made: ApiServer, asked: HttpRequest) -> int:
    action_of(asked)
    answer = made.handle(asked)
    assert isinstance(answer, Response)
    return answer.status


@pytest.mark.parametrize(
    ("expected", "asked"),
    [
        (500, request("GET", f"{PODS}/p?resourceVersion={MANY_DIGITS}")),
        (400, request("GET", f"{PODS}?resourceVersion={MANY_DIGITS}")),
        (500, request("GET", f"{PODS}?watch=1&resourceVersion={MANY_DIGITS}")),
        (400, request("GET", f"{PODS}?limit={MANY_DIGITS}")),
        (400, request("GET", f"{PODS}?timeout={MANY_DIGITS * 10}")),
        (400, request("DELETE", f"{PODS}/p?gracePeriodSeconds=-{MANY_DIGITS}")),
        (
            400,
            request(
                "GET",
                f"{PODS}?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6ImFiYyIsInN0YXJ0IjoiYSJ9",
            ),
        ),
        (
            400,
            request(
                "GET", f"{PODS}?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6W10sInN0YXJ0IjoiYSJ9"
            ),
        ),
        (
            500,
            request(
                "POST", PODS, {**POD, "metadata": {"name": "p", "resourceVersion": MANY_DIGITS}}
            ),
        ),
        (422, request("POST", GROUP, {**WIDGET, "kind": "Gadget", "metadata": True})),
        (400, request("PATCH", f"{GROUP}/w?fieldManager=m", {**WIDGET, "metadata": "w"}, APPLY)),
        (400, request("PATCH", f"{GROUP}/w?fieldManager=m", {**WIDGET, "apiVersion": {}}, APPLY)),
        (
            422,
            request(
                "POST",
                ROLES,
                {**ROLE, "rules": [{"resources": ["pods"], "verbs": ["get"]}]},
                impersonate_user="jo",
            ),
        ),
        (422, request("POST", ROLES, {**ROLE, "rules": [None]}, impersonate_user="jo")),
        (
            422,
            request(
                "POST",
                CRON_JOBS,
                {**CRON_JOB, "spec": {**CRON_JOB["spec"], "schedule": "*/² * * * *"}},
            ),
        ),
        (400, request("POST", PODS, b"[" * 200_000, "application/yaml")),
        (400, request("POST", PODS, b"- " * 200_000, "application/yaml")),
        (400, request("POST", PODS, b'{"a":' * 200_000)),
    ],
)
def test_nonsense_is_refused(expected: int, asked: HttpRequest) -> None:
    made = server()
    made.put(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": "maker"},
            "rules": [{"apiGroups": ["*"], "resources": ["clusterroles"], "verbs": ["create"]}],
        }
    )
    made.put(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "maker"},
            "subjects": [{"kind": "User", "name": "jo"}],
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "maker",
            },
        }
    )
    assert code(made, asked) == expected


def test_garbage_that_may_not_be_deleted_troubles_nobody() -> None:
    made = server()
    owner = made.put(ROLE)
    reference = {
        "apiVersion": ROLE["apiVersion"],
        "kind": "ClusterRole",
        "name": "r",
        "uid": owner["metadata"]["uid"],
    }
    made.put(
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "default", "ownerReferences": [reference]},
        }
    )
    assert code(made, request("DELETE", f"{ROLES}/r")) == 200
    assert code(made, request("GET", "/api/v1/namespaces/default")) == 200


# ---- at random --------------------------------------------------------------------------------

JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    2**64,
    1.5,
    1e300,
    "",
    "a",
    "x" * 300,
    "\0",
    "1",
    MANY_DIGITS,
    [],
    {},
    [None],
    [{}],
    {"": None},
    {"a": {}},
    ["a", "a"],
    "2001-99-99",
    "*",
    "..",
    "a/b",
    {"f:metadata": {".": {}}},
    {"$patch": "delete"},
    {"$patch": "replace"},
    [{"$patch": "delete"}],
    {"$retainKeys": ["a"]},
    {"$setElementOrder/containers": [{"name": "a"}]},
]
NAMES = [
    "metadata",
    "spec",
    "status",
    "name",
    "finalizers",
    "ownerReferences",
    "managedFields",
    "uid",
    "resourceVersion",
    "labels",
    "generateName",
    "deletionTimestamp",
    "conditions",
]
PATCHES = [APPLY, "application/merge-patch+json", "application/strategic-merge-patch+json"]
QUERIES = [
    "",
    "?watch=1&timeoutSeconds=1",
    "?limit=1",
    "?dryRun=All",
    "?fieldManager=m&force=true",
    "?fieldValidation=Strict",
    "?resourceVersion=9",
    "?labelSelector=a%20in%20(b)",
    "?fieldSelector=metadata.name%3Dp",
    "?propagationPolicy=Foreground",
]
ACCEPTED = [
    "",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/yaml",
    "q=;,",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in list(inside):
        yield value, key
        if isinstance(each, (dict, list)):
            yield from places(each)


def spoiled(value: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    value = copy.deepcopy(value)
    for _ in range(chance.choice([0, 1, 1, 2, 3])):
        holder, key = chance.choice(list(places(value)) or [(value, "x")])
        junk = copy.deepcopy(chance.choice(JUNK))
        if chance.random() < 0.3 and isinstance(holder, dict):
            holder[chance.choice(NAMES)] = junk
        else:
            holder[key] = junk
    return value


@pytest.mark.parametrize("seed", range(4))
def test_any_hostile_request_is_answered(seed: int) -> None:
    chance = random.Random(seed)
    clock = FakeClock()
    made = server(clock)
    for _ in range(300):
        path, value = chance.choice(PLACES)
        method = chance.choice(["POST", "POST", "PUT", "PATCH", "PATCH", "GET", "DELETE"])
        if method != "POST":
            path += f"/{value['metadata']['name']}{chance.choice(['', '', '/status', '/scale'])}"
        kind = chance.choice(PATCHES) if method == "PATCH" else "application/json"
        asked = request(
            method,
            path + chance.choice(QUERIES),
            spoiled(value, chance),
            kind,
            accept=chance.choice(ACCEPTED),
        )
        action_of(asked)
        answer = made.handle(asked)
        while isinstance(answer, Deferred):
            clock.step(2)
            answer = answer.resume()
        if not isinstance(answer, Response):
            clock.step(2)
            while answer.take() is not None:
                pass
