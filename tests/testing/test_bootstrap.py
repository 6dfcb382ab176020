"""What a fresh server has, as clients and components of a cluster look for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._fake.fake_clock import FakeClock

RBAC = "/apis/rbac.authorization.k8s.io/v1"
ROLES = f"{RBAC}/clusterroles"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


@pytest.fixture(scope="module")
def fresh() -> ApiServer:
    return ApiServer(clock=FakeClock())


def ask(server: ApiServer, method: str, target: str, body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    answer = server.handle(HttpRequest(method, target, (("content-type", kind),), data))
    assert isinstance(answer, Response)
    return answer.status, json.loads(answer.body)


@pytest.mark.parametrize(
    "target",
    [
        "/apis/networking.k8s.io/v1/servicecidrs/kubernetes",
        "/apis/networking.k8s.io/v1/ipaddresses/10.0.0.1",
        "/api/v1/namespaces/default/endpoints/kubernetes",
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
        "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
        "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt",
        "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/system-leader-election",
        "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/workload-low",
        "/apis/apiregistration.k8s.io/v1/apiservices/v1.",
        "/apis/apiregistration.k8s.io/v1/apiservices/v2.autoscaling",
        f"{RBAC}/namespaces/kube-system/roles/extension-apiserver-authentication-reader",
        f"{RBAC}/namespaces/kube-system/rolebindings/system::leader-locking-kube-scheduler",
    ],
)
def test_bootstrap_roles_exist(fresh: ApiServer, target: str) -> None:
    assert ask(fresh, "GET", target)[0] == 200


def test_every_group_version_has_its_api_service(fresh: ApiServer) -> None:
    _, groups = ask(fresh, "GET", "/apis")
    served = {
        f"{version['version']}.{group['name']}"
        for group in groups["groups"]
        for version in group["versions"]
        if group["name"] != "apiregistration.k8s.io"
    }
    _, services = ask(fresh, "GET", "/apis/apiregistration.k8s.io/v1/apiservices")
    assert {each["metadata"]["name"] for each in services["items"]} == served | {"v1."}
    for each in services["items"]:
        assert each["spec"]["groupPriorityMinimum"] > 1000, each


def test_every_flow_schema_leads_to_a_level(fresh: ApiServer) -> None:
    base = "/apis/flowcontrol.apiserver.k8s.io/v1"
    _, schemas = ask(fresh, "GET", f"{base}/flowschemas")
    assert len(schemas["items"]) == 11
    for each in schemas["items"]:
        level = each["spec"]["priorityLevelConfiguration"]["name"]
        assert ask(fresh, "GET", f"{base}/prioritylevelconfigurations/{level}")[0] == 200


# ---- roles ------------------------------------------------------------------------------------


def test_every_binding_leads_to_a_role(fresh: ApiServer) -> None:
    for plural in ("clusterrolebindings", "rolebindings"):
        _, bindings = ask(fresh, "GET", f"{RBAC}/{plural}")
        assert bindings["items"]
        for each in bindings["items"]:
            namespace = each["metadata"].get("namespace")
            roles = f"{RBAC}/namespaces/{namespace}/roles" if namespace else ROLES
            assert ask(fresh, "GET", f"{roles}/{each['roleRef']['name']}")[0] == 200


def may(server: ApiServer, user: str, verb: str, resource: str, group: str = "") -> bool:
    attributes = {"namespace": "default", "verb": verb, "resource": resource, "group": group}
    spec = {"user": user, "resourceAttributes": attributes}
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    status, answer = ask(server, "POST", REVIEWS, body)
    assert status == 201
    return bool(answer["status"]["allowed"])


@pytest.mark.parametrize(
    ("user", "verb", "resource", "group"),
    [
        (
            "system:serviceaccount:kube-system:deployment-controller",
            "create",
            "replicasets",
            "apps",
        ),
        ("system:serviceaccount:kube-system:replicaset-controller", "create", "pods", ""),
        (
            "system:serviceaccount:kube-system:generic-garbage-collector",
            "delete",
            "anything",
            "x.y",
        ),
        ("system:serviceaccount:kube-system:horizontal-pod-autoscaler", "list", "pods", ""),
        ("system:kube-scheduler", "create", "bindings", ""),
        ("system:kube-controller-manager", "list", "secrets", ""),
    ],
)
def test_components_of_a_cluster_may_do_their_work(
    fresh: ApiServer, user: str, verb: str, resource: str, group: str
) -> None:
    assert may(fresh, user, verb, resource, group)
    assert not may(fresh, user, "create", "clusterroles", "rbac.authorization.k8s.io")


def rules(server: ApiServer, name: str) -> list[Any]:
    status, role = ask(server, "GET", f"{ROLES}/{name}")
    assert status == 200
    all_rules: list[Any] = role["rules"] or []
    return all_rules


def test_aggregated_roles_have_the_rules_of_what_they_are_made_of(fresh: ApiServer) -> None:
    view, edit, admin = (rules(fresh, name) for name in ("view", "edit", "admin"))
    parts = {
        each: rules(fresh, f"system:aggregate-to-{each}") for each in ("view", "edit", "admin")
    }
    assert view == parts["view"]
    assert edit == parts["edit"] + [each for each in view if each not in parts["edit"]]
    assert all(each in admin for each in (*edit, *parts["admin"]))


def test_aggregated_roles_follow_their_parts() -> None:
    clock = FakeClock()
    server = ApiServer(clock=clock, controller_delay=2)
    rule = {"verbs": ["get"], "apiGroups": ["shop.example"], "resources": ["cups"]}
    label = {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
    head = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}
    role = {**head, "metadata": {"name": "cups", "labels": label}, "rules": [rule]}
    before = rules(server, "view")
    assert ask(server, "POST", ROLES, role)[0] == 201
    assert rules(server, "view") == before
    for _ in range(3):
        clock.step(2)
        server.run_due()
    for name in ("view", "edit", "admin"):
        assert rule in rules(server, name)
    assert ask(server, "PATCH", f"{ROLES}/cups", {"rules": []})[0] == 200
    for _ in range(3):
        clock.step(2)
        server.run_due()
    assert rules(server, "view") == before
    version = ask(server, "GET", ROLES)[1]["metadata"]["resourceVersion"]
    clock.step(60)
    server.run_due()
    assert ask(server, "GET", ROLES)[1]["metadata"]["resourceVersion"] == version


def test_roles_that_are_made_of_each_other_come_to_an_end() -> None:
    clock = FakeClock()
    server = ApiServer(clock=clock, controller_delay=2)
    head = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}
    selector = {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
    for name in ("one", "other", "plain"):
        metadata = {"name": name, "labels": {"a": "b"}}
        rule = {"verbs": ["get"], "apiGroups": [name], "resources": ["cups"]}
        body = {**head, "metadata": metadata, "rules": [rule] if name == "plain" else []}
        if name != "plain":
            body["aggregationRule"] = selector
        assert ask(server, "POST", ROLES, body)[0] == 201
    for _ in range(9):
        clock.step(2)
        server.run_due()
    assert rules(server, "one") == rules(server, "other") == rules(server, "plain")
    assert server.next_due is None
