"""Reviews, RBAC and tokens, as the API server decides them."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from clientgen._apimachinery.failures import Failure
from clientgen.runtime._http.request import HttpRequest
from clientgen.testing import FakeCluster
from clientgen.testing._apiserver.access import (
    ADMIN,
    REVIEWS,
    Access,
    Caller,
    Tokens,
    authorize,
    bootstrap_objects,
    caller_of,
    check_grants,
    review,
    sign_request,
)
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.served_resources import Resource

RBAC = "rbac.authorization.k8s.io"
NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
JANE = Caller("jane", groups=("system:authenticated",))
TOKENS = Tokens(b"secret", new_id=lambda: "id-1")


class World:
    """A few objects."""

    def __init__(self, *objects: tuple[str, dict[str, Any]]) -> None:
        self.objects: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.time = NOW
        for plural, obj in objects:
            self.put(plural, obj)

    def put(self, plural: str, obj: dict[str, Any]) -> None:
        metadata = obj["metadata"]
        self.objects[plural, metadata.get("namespace", ""), metadata["name"]] = obj

    def get(self, group: str, plural: str, namespace: str, name: str) -> dict[str, Any] | None:
        return self.objects.get((plural, namespace, name))

    def list(self, group: str, plural: str, namespace: str = "") -> list[dict[str, Any]]:
        return [
            obj
            for (kind, home, _), obj in sorted(self.objects.items())
            if kind == plural and namespace in ("", home)
        ]

    def now(self) -> datetime:
        return self.time


def role(name: str, *rules: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "rules": list(rules), **parts}


def rule(verbs: str, resources: str = "", group: str = "", **parts: Any) -> dict[str, Any]:
    return {
        "verbs": verbs.split(),
        "apiGroups": [group],
        "resources": resources.split(),
        **parts,
    }


def binding(name: str, role: str, *subjects: dict[str, str], **parts: Any) -> dict[str, Any]:
    kind = parts.pop("kind", "ClusterRole")
    return {
        "metadata": {"name": name, **parts},
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": role},
        "subjects": list(subjects),
    }


USER_JANE = {"kind": "User", "apiGroup": RBAC, "name": "jane"}


def bootstrapped(*objects: tuple[str, dict[str, Any]]) -> World:
    made = [(f"{each['kind'].lower()}s", each) for each in bootstrap_objects()]
    return World(*made, *objects)


def resource(kind: str, group: str = "authorization.k8s.io") -> Resource:
    return Resource(group, "v1", f"{kind.lower()}s", kind, False, frozenset(["create"]))


def ask(
    kind: str,
    spec: dict[str, Any],
    world: World,
    caller: Caller = ADMIN,
    metadata: dict[str, Any] | None = None,
) -> dict[str, Any]:
    group = "authentication" if kind in ("TokenReview", "SelfSubjectReview") else "authorization"
    body = {"kind": kind, "apiVersion": f"{group}.k8s.io/v1", "metadata": metadata or {}}
    return review(resource(kind, f"{group}.k8s.io"), {**body, "spec": spec}, caller, world, TOKENS)


def status(user: str, world: World, *groups: str, **attributes: Any) -> dict[str, Any]:
    spec = {"user": user, "groups": list(groups), "resourceAttributes": attributes}
    answer: dict[str, Any] = ask("SubjectAccessReview", spec, world)["status"]
    return answer


def causes(failure: pytest.ExceptionInfo[Failure]) -> list[tuple[str, str]]:
    return [(cause.reason, cause.field) for cause in failure.value.causes]


# -------------------------------------------------------------------------------- callers


def test_impersonation_headers_select_the_user() -> None:
    caller = caller_of(
        [
            ("Impersonate-User", "jane"),
            ("impersonate-group", "a"),
            ("Impersonate-Group", "b"),
            ("Impersonate-Uid", "7"),
            ("Impersonate-Extra-Acme.com%2Fscope", "x"),
            ("Impersonate-Extra-acme.com%2fscope", "y"),
            ("Accept", "*/*"),
        ]
    )
    assert caller.user_info() == {
        "username": "jane",
        "uid": "7",
        "groups": ["a", "b", "system:authenticated"],
        "extra": {"acme.com/scope": ["x", "y"]},
    }


@pytest.mark.parametrize(
    ("user", "given", "groups"),
    [
        ("x", ["system:unauthenticated"], ("system:unauthenticated",)),
        ("x", ["system:authenticated"], ("system:authenticated",)),
        ("system:anonymous", [], ("system:unauthenticated",)),
        (
            "system:serviceaccount:ns:sa",
            [],
            ("system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"),
        ),
        ("system:serviceaccount:ns:sa", ["g"], ("g", "system:authenticated")),
        ("system:serviceaccount:ns", [], ("system:authenticated",)),
    ],
)
def test_groups_that_come_with_a_user(user: str, given: list[str], groups: tuple[str]) -> None:
    headers = [("Impersonate-User", user), *(("Impersonate-Group", each) for each in given)]
    assert caller_of(headers).groups == groups


def test_nobody_is_impersonated() -> None:
    assert caller_of([("Accept", "*/*")]) is ADMIN


def test_groups_alone_cannot_be_impersonated() -> None:
    with pytest.raises(Failure) as failure:
        caller_of([("Impersonate-Group", "g")])
    assert failure.value.code == 400


# ---------------------------------------------------------------------------------- rules


RULES = World(
    (
        "clusterroles",
        role(
            "r",
            rule("get list", "pods"),
            rule("*", "*/scale deployments/status", "apps"),
            rule("get", "secrets", resourceNames=["s1"]),
            {"verbs": ["get"], "nonResourceURLs": ["/h/*", "/exact"]},
        ),
    ),
    ("clusterrolebindings", binding("b", "r", USER_JANE)),
)


@pytest.mark.parametrize(
    ("attributes", "allowed"),
    [
        ({"verb": "get", "resource": "pods"}, True),
        ({"verb": "get", "resource": "pods", "namespace": "n", "name": "x"}, True),
        ({"verb": "delete", "resource": "pods"}, False),
        ({"verb": "get", "resource": "pods", "subresource": "log"}, False),
        ({"verb": "get", "resource": "pods", "group": "apps"}, False),
        ({"verb": "get", "resource": "secrets", "name": "s1"}, True),
        ({"verb": "get", "resource": "secrets", "name": "s2"}, False),
        ({"verb": "get", "resource": "secrets"}, False),
        ({"verb": "x", "resource": "foos", "subresource": "scale", "group": "apps"}, True),
        ({"verb": "x", "resource": "deployments", "subresource": "status", "group": "apps"}, True),
        ({"verb": "x", "resource": "deployments", "group": "apps"}, False),
        ({"verb": "*", "resource": "*", "group": "*"}, False),
    ],
)
def test_rules_allow_verbs_on_resources(attributes: dict[str, str], allowed: bool) -> None:
    assert status("jane", RULES, **attributes)["allowed"] is allowed


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/h/x", True), ("/h/", True), ("/h", False), ("/exact", True), ("/", False)],
)
def test_rules_allow_verbs_on_paths(path: str, allowed: bool) -> None:
    spec = {"user": "jane", "nonResourceAttributes": {"verb": "get", "path": path}}
    assert ask("SubjectAccessReview", spec, RULES)["status"]["allowed"] is allowed


def test_why_something_is_allowed() -> None:
    world = World(
        ("roles", role("r", rule("get", "pods")) | {"metadata": {"name": "r", "namespace": "n"}}),
        (
            "rolebindings",
            binding(
                "b",
                "r",
                {"kind": "ServiceAccount", "name": "s"},
                {"kind": "ServiceAccount", "name": "s", "namespace": "m"},
                {"kind": "Group", "apiGroup": RBAC, "name": "g"},
                namespace="n",
                kind="Role",
            ),
        ),
    )
    wanted = {"verb": "get", "resource": "pods", "namespace": "n"}
    bound = 'RBAC: allowed by RoleBinding "b/n" of Role "r" to '
    for user, subject in (
        ("system:serviceaccount:n:s", 'ServiceAccount "s/n"'),
        ("system:serviceaccount:m:s", 'ServiceAccount "s/m"'),
    ):
        assert status(user, world, **wanted) == {"allowed": True, "reason": bound + subject}
    assert status("x", world, "g", **wanted)["reason"] == bound + 'Group "g"'
    assert status("x", world, **wanted) == {"allowed": False}
    assert status("x", world, "g", **wanted | {"namespace": "m"}) == {"allowed": False}
    assert status("x", world, "g", verb="get", resource="pods") == {"allowed": False}


def test_missing_roles_are_told_when_nothing_allows() -> None:
    world = World(("clusterrolebindings", binding("a", "gone", USER_JANE)))
    reason = f'clusterrole.{RBAC} "gone" not found'
    denied = {"allowed": False, "reason": f"RBAC: {reason}"}
    assert status("jane", world, verb="get", resource="pods") == denied
    world.put("clusterrolebindings", binding("b", "lost", USER_JANE))
    both = f'RBAC: [{reason}, clusterrole.{RBAC} "lost" not found]'
    assert status("jane", world, verb="get", resource="pods")["reason"] == both
    assert status("joe", world, verb="get", resource="pods") == {"allowed": False}


def test_masters_need_no_role() -> None:
    world = World()
    assert status("x", world, "system:masters", verb="*", resource="*", group="*") == {
        "allowed": True
    }


@pytest.mark.parametrize(
    ("role", "verb", "allowed"),
    [
        ("view", "get", True),
        ("view", "create", False),
        ("edit", "get", True),
        ("edit", "create", True),
        ("cluster-admin", "create", True),
    ],
)
def test_roles_of_a_fresh_cluster(role: str, verb: str, allowed: bool) -> None:
    world = bootstrapped(("clusterrolebindings", binding("b", role, USER_JANE)))
    assert status("jane", world, verb=verb, resource="configmaps")["allowed"] is allowed


def test_aggregation_by_expressions_ends() -> None:
    selector = {
        "matchExpressions": [
            {"key": "a", "operator": "In", "values": ["x"]},
            {"key": "b", "operator": "Exists"},
            {"key": "c", "operator": "DoesNotExist"},
            {"key": "a", "operator": "NotIn", "values": ["y"]},
        ]
    }
    labels = {"a": "x", "b": ""}
    aggregated = role("one", aggregationRule={"clusterRoleSelectors": [selector]})
    aggregated["metadata"]["labels"] = labels
    part = role("two", rule("get", "pods"), aggregationRule=aggregated["aggregationRule"])
    part["metadata"]["labels"] = labels
    world = World(
        ("clusterroles", aggregated),
        ("clusterroles", part),
        ("clusterrolebindings", binding("b", "one", USER_JANE)),
    )
    assert status("jane", world, verb="get", resource="pods")["allowed"]


def test_requests_that_are_not_allowed() -> None:
    wanted = Access("get", "pods", subresource="log", namespace="n", name="x")
    with pytest.raises(Failure) as failure:
        authorize(JANE, wanted, bootstrapped())
    assert failure.value.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'pods "x" is forbidden: User "jane" cannot get resource "pods/log" in API group '
        '"" in the namespace "n"',
        "reason": "Forbidden",
        "details": {"name": "x", "kind": "pods"},
        "code": 403,
    }
    with pytest.raises(Failure, match=r'^forbidden: User "jane" cannot get path "/metrics"$'):
        authorize(JANE, Access("get", path="/metrics"), bootstrapped())
    authorize(JANE, Access("get", path="/version"), bootstrapped())
    with pytest.raises(Failure, match=r"^deployments.apps is forbidden: .* at the cluster scope$"):
        authorize(JANE, Access("list", "deployments", "apps"), bootstrapped())


# ------------------------------------------------------------------------------- reviews


def test_reviews_about_the_caller() -> None:
    spec = {"resourceAttributes": {"verb": "delete", "resource": "nodes"}}
    world = bootstrapped()
    answer = ask("SelfSubjectAccessReview", spec, world)
    assert answer == {
        "kind": "SelfSubjectAccessReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {},
        "spec": spec,
        "status": {"allowed": True},
    }
    assert not ask("SelfSubjectAccessReview", spec, world, JANE)["status"]["allowed"]


def test_rules_of_the_caller() -> None:
    world = bootstrapped(("clusterrolebindings", binding("z", "gone", USER_JANE)))
    answer = ask("SelfSubjectRulesReview", {"namespace": "n"}, world, JANE, {"name": "x"})
    assert answer["metadata"] == answer["spec"] == {}
    status = answer["status"]
    assert status["incomplete"] is False
    assert status["evaluationError"] == f'clusterrole.{RBAC} "gone" not found'
    assert status["resourceRules"][1] == {
        "verbs": ["create"],
        "apiGroups": ["authentication.k8s.io"],
        "resources": ["selfsubjectreviews"],
    }
    assert {"/version", "/openapi/*"} <= {
        path for each in status["nonResourceRules"] for path in each["nonResourceURLs"]
    }
    with pytest.raises(Failure, match="no namespace on request"):
        ask("SelfSubjectRulesReview", {}, world)


def test_the_identity_of_the_caller() -> None:
    answer = ask("SelfSubjectReview", {}, World(), metadata={"name": "x"})
    assert answer["metadata"] == {"creationTimestamp": "2026-05-04T03:02:01Z"}
    assert answer["status"]["userInfo"]["groups"] == ["system:masters", "system:authenticated"]


def test_all_reviews_have_an_answer() -> None:
    assert {plural for _, plural in REVIEWS} == {
        "selfsubjectreviews",
        "tokenreviews",
        "localsubjectaccessreviews",
        "selfsubjectaccessreviews",
        "selfsubjectrulesreviews",
        "subjectaccessreviews",
    }


POD = {"verb": "get", "resource": "pods"}
RESOURCE = "spec.resourceAttributes"


@pytest.mark.parametrize(
    ("kind", "metadata", "spec", "expected"),
    [
        (
            "SubjectAccessReview",
            {},
            {},
            [("FieldValueInvalid", RESOURCE), ("FieldValueInvalid", "spec.user")],
        ),
        (
            "SubjectAccessReview",
            {"name": "x"},
            {"user": "u", "resourceAttributes": POD},
            [("FieldValueInvalid", "metadata")],
        ),
        (
            "SelfSubjectAccessReview",
            {"managedFields": [{}]},
            {"resourceAttributes": {}, "nonResourceAttributes": {}},
            [("FieldValueInvalid", "spec.nonResourceAttributes")],
        ),
        (
            "LocalSubjectAccessReview",
            {"namespace": "n"},
            {"user": "u", "resourceAttributes": POD},
            [("FieldValueInvalid", f"{RESOURCE}.namespace")],
        ),
        (
            "LocalSubjectAccessReview",
            {"namespace": "n", "labels": {"a": "b"}},
            {"groups": ["g"], "nonResourceAttributes": {"path": "/"}},
            [
                ("FieldValueInvalid", "metadata"),
                ("FieldValueInvalid", "spec.nonResourceAttributes"),
            ],
        ),
        (
            "SelfSubjectAccessReview",
            {},
            {
                "resourceAttributes": {
                    "fieldSelector": {"requirements": [{"key": "", "operator": "In"}]},
                    "labelSelector": {
                        "rawSelector": "a",
                        "requirements": [{"key": "a", "operator": "Exists", "values": ["b"]}],
                    },
                }
            },
            [
                ("FieldValueRequired", f"{RESOURCE}.fieldSelector.requirements[0].key"),
                ("FieldValueRequired", f"{RESOURCE}.fieldSelector.requirements[0].values"),
                ("FieldValueInvalid", f"{RESOURCE}.labelSelector.rawSelector"),
                ("FieldValueForbidden", f"{RESOURCE}.labelSelector.requirements[0].values"),
            ],
        ),
        (
            "SelfSubjectAccessReview",
            {},
            {"resourceAttributes": {"fieldSelector": {}}},
            [("FieldValueRequired", f"{RESOURCE}.fieldSelector.requirements")],
        ),
    ],
)
def test_questions_that_cannot_be_asked(
    kind: str, metadata: dict[str, Any], spec: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    with pytest.raises(Failure) as failure:
        ask(kind, spec, World(), metadata=metadata)
    assert failure.value.code == 422
    assert causes(failure) == expected
    assert failure.value.status()["details"].keys() == {"group", "causes"}


@pytest.mark.parametrize(
    ("selectors", "error"),
    [
        ({"fieldSelector": {"rawSelector": "a=b"}}, None),
        ({"labelSelector": {"rawSelector": "a in (("}}, "labelSelector ignored"),
        (
            {
                "fieldSelector": {
                    "requirements": [
                        {"key": "a", "operator": "In", "values": ["x"]},
                        {"key": "a", "operator": "Exists"},
                    ]
                }
            },
            "fieldSelector partially ignored",
        ),
        (
            {"labelSelector": {"requirements": [{"key": "a", "operator": "Foo"}]}},
            "labelSelector ignored",
        ),
    ],
)
def test_selectors_that_are_not_understood(selectors: dict[str, Any], error: str | None) -> None:
    answer = ask("SelfSubjectAccessReview", {"resourceAttributes": {**POD, **selectors}}, World())
    expected = error and f"spec.resourceAttributes.{error} due to parse error"
    assert answer["status"].get("evaluationError") == expected


# ---------------------------------------------------------------------------- escalation


def grant(obj: dict[str, Any], kind: str, old: dict[str, Any] | None = None) -> None:
    world = bootstrapped(
        ("clusterroles", role("r", rule("get list", "pods"))),
        ("clusterrolebindings", binding("b", "r", USER_JANE)),
        ("clusterroles", role("bind", rule("bind", "clusterroles", RBAC, resourceNames=["edit"]))),
        ("clusterrolebindings", binding("c", "bind", USER_JANE)),
    )
    check_grants(resource(kind, RBAC), obj, old, JANE, world)


def test_permissions_one_has_can_be_granted() -> None:
    grant(role("new", rule("list", "pods")), "ClusterRole")
    grant(role("new", rule("get", "pods", resourceNames=["x"])), "ClusterRole")
    grant(binding("new", "r"), "ClusterRoleBinding")
    grant(binding("new", "edit"), "ClusterRoleBinding")
    check_grants(resource("ConfigMap", ""), {"metadata": {"name": "x"}}, None, JANE, World())


def test_permissions_one_lacks_cannot_be_granted() -> None:
    rules = (rule("get list", "secrets pods"), {"verbs": ["get"], "nonResourceURLs": ["/x"]})
    with pytest.raises(Failure) as failure:
        grant(role("new", *rules), "ClusterRole")
    assert failure.value.status()["details"] == {
        "name": "new",
        "group": RBAC,
        "kind": "clusterroles",
    }
    assert failure.value.message.splitlines()[1:] == [
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
        '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ]
    for name in ("view", "cluster-admin"):
        with pytest.raises(Failure, match="attempting to grant RBAC permissions"):
            grant(binding("new", name), "ClusterRoleBinding")
    with pytest.raises(Failure) as missing:
        grant(binding("new", "nope"), "ClusterRoleBinding")
    assert missing.value.code == 404


def test_roles_that_aggregate_are_for_administrators() -> None:
    with pytest.raises(Failure, match="must have cluster-admin privileges"):
        grant(role("new", aggregationRule={"clusterRoleSelectors": [{}]}), "ClusterRole")


def test_changes_that_give_nothing_are_free() -> None:
    old = role("x", rule("*", "*", "*"))
    grant({**old, "metadata": {"name": "x", "finalizers": ["a/b"]}}, "ClusterRole", old)
    with pytest.raises(Failure):
        grant({**old, "metadata": {"name": "x", "labels": {"a": "b"}}}, "ClusterRole", old)


def test_certificate_requests_are_signed_by_their_maker() -> None:
    request = {"spec": {"request": "x", "username": "root", "groups": ["system:masters"]}}
    sign_request(resource("CertificateSigningRequest", "certificates.k8s.io"), request, JANE)
    assert request["spec"] == {
        "request": "x",
        "username": "jane",
        "groups": ["system:authenticated"],
    }


# -------------------------------------------------------------------------------- tokens


def account_world() -> World:
    account = {"metadata": {"name": "sa", "namespace": "n", "uid": "u1"}}
    pod = {
        "metadata": {"name": "p", "namespace": "n", "uid": "u2"},
        "spec": {"serviceAccountName": "sa", "nodeName": "node"},
    }
    return World(
        ("serviceaccounts", account),
        ("pods", pod),
        ("secrets", {"metadata": {"name": "s", "namespace": "n", "uid": "u3"}}),
        ("nodes", {"metadata": {"name": "node", "uid": "u4"}}),
    )


def issue(world: World, **spec: Any) -> dict[str, Any]:
    return TOKENS.issue("n", "sa", {"spec": spec}, world)


def reviewed(token: str, world: World, *audiences: str) -> dict[str, Any]:
    spec = {"token": token, "audiences": list(audiences)}
    answer: dict[str, Any] = ask("TokenReview", spec, world)["status"]
    return answer


def test_issue_and_recognise() -> None:
    world = account_world()
    answer = issue(world)
    assert answer["metadata"] == {
        "name": "sa",
        "namespace": "n",
        "uid": "u1",
        "creationTimestamp": "2026-05-04T03:02:01Z",
    }
    assert answer["spec"] == {
        "audiences": ["https://kubernetes.default.svc"],
        "expirationSeconds": 3600,
        "boundObjectRef": None,
    }
    assert answer["status"]["expirationTimestamp"] == "2026-05-04T04:02:01Z"
    token = answer["status"]["token"]
    assert reviewed(f" {token}\n", world) == {
        "authenticated": True,
        "user": {
            "username": "system:serviceaccount:n:sa",
            "uid": "u1",
            "groups": [
                "system:serviceaccounts",
                "system:serviceaccounts:n",
                "system:authenticated",
            ],
            "extra": {"authentication.kubernetes.io/credential-id": ["JTI=id-1"]},
        },
        "audiences": ["https://kubernetes.default.svc"],
    }
    caller = TOKENS.caller(token, world)
    assert caller is not None
    assert caller.user == "system:serviceaccount:n:sa"
    assert TOKENS.caller("x", world) is None
    assert "secret" not in repr(TOKENS)


def test_audiences() -> None:
    world = account_world()
    token = issue(world, audiences=["a", "b"])["status"]["token"]
    assert reviewed(token, world, "b", "c", "a")["audiences"] == ["b", "a"]
    assert reviewed(token, world) == {
        "user": {},
        "error": '[invalid bearer token, token audiences ["a" "b"] is invalid for the target '
        'audiences ["https://kubernetes.default.svc"]]',
    }


def reference(kind: str, name: str, **parts: str) -> dict[str, str]:
    return {"apiVersion": "v1", "kind": kind, "name": name, **parts}


def test_bound_tokens_tell_what_they_are_bound_to() -> None:
    world = account_world()
    token = issue(world, boundObjectRef=reference("Pod", "p"))["status"]["token"]
    prefix = "authentication.kubernetes.io"
    assert reviewed(token, world)["user"]["extra"] == {
        f"{prefix}/credential-id": ["JTI=id-1"],
        f"{prefix}/node-name": ["node"],
        f"{prefix}/node-uid": ["u4"],
        f"{prefix}/pod-name": ["p"],
        f"{prefix}/pod-uid": ["u2"],
    }


@pytest.mark.parametrize(
    ("kind", "plural", "name"),
    [("Pod", "pods", "p"), ("Secret", "secrets", "s"), ("Node", "nodes", "node")],
)
def test_bound_tokens_go_with_their_object(kind: str, plural: str, name: str) -> None:
    world = account_world()
    token = issue(world, boundObjectRef=reference(kind, name))["status"]["token"]
    key = (plural, "" if kind == "Node" else "n", name)
    metadata = world.objects[key]["metadata"]
    before = metadata["uid"]
    metadata["uid"] = "other"
    assert reviewed(token, world)["error"] == (
        f"[invalid bearer token, {kind.lower()} UID (other) does not match service account "
        f"{kind.lower()} ref claim ({before})]"
    )
    metadata |= {"uid": before, "deletionTimestamp": "2026-05-04T03:02:00Z"}
    assert reviewed(token, world)["authenticated"]
    world.time += timedelta(minutes=2)
    gone = "[invalid bearer token, service account token has been invalidated]"
    assert reviewed(token, world) == {"user": {}, "error": gone}
    del world.objects[key]
    assert reviewed(token, world)["error"] == gone


def test_tokens_go_with_their_account() -> None:
    world = account_world()
    token = issue(world)["status"]["token"]
    world.objects["serviceaccounts", "n", "sa"]["metadata"]["uid"] = "u9"
    assert "service account UID (u9)" in reviewed(token, world)["error"]
    world.objects["serviceaccounts", "n", "sa"]["metadata"] = {
        "uid": "u1",
        "deletionTimestamp": "2026-05-04T03:00:00Z",
    }
    assert "has been deleted" in reviewed(token, world)["error"]
    del world.objects["serviceaccounts", "n", "sa"]
    assert 'serviceaccounts "sa" not found' in reviewed(token, world)["error"]


def test_tokens_end() -> None:
    world = account_world()
    token = issue(world, expirationSeconds=600)["status"]["token"]
    world.time += timedelta(seconds=599)
    assert reviewed(token, world)["authenticated"]
    world.time += timedelta(seconds=1)
    assert "has expired" in reviewed(token, world)["error"]


def test_kubelets_tokens_live_longer() -> None:
    world = account_world()
    answer = issue(world, expirationSeconds=3607, boundObjectRef=reference("Pod", "p"))
    payload = answer["status"]["token"].split(".")[1]
    claims = json.loads(urlsafe_b64decode(payload + "=="))
    assert claims["exp"] - claims["iat"] == 365 * 24 * 3600
    assert claims["kubernetes.io"]["warnafter"] - claims["iat"] == 3607


@pytest.mark.parametrize("garbage", ["x", "a.b.c", "é.é.é", "..", "eyJ9.eyJ9.x", "a.b"])
def test_garbage_is_no_token(garbage: str) -> None:
    answer = reviewed(garbage, account_world())
    assert answer == {"user": {}, "error": "invalid bearer token"}


def test_forged_tokens() -> None:
    world = account_world()
    token = issue(world)["status"]["token"]
    forged = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]"
    content, _, signature = token.rpartition(".")
    assert reviewed(f"{content}.{signature[::-1]}", world)["error"] == forged
    assert reviewed(f"{content}.", world)["error"] == "invalid bearer token"
    other = Tokens(b"other").issue("n", "sa", {}, world)["status"]["token"]
    assert reviewed(other, world)["error"] == forged
    with pytest.raises(Failure, match="token is required"):
        ask("TokenReview", {}, world)


@pytest.mark.parametrize(
    ("body", "code", "details"),
    [
        (
            {"metadata": {"name": "other"}},
            422,
            {"name": "sa", "group": "authentication.k8s.io", "kind": "TokenRequest"},
        ),
        (
            {"metadata": {"uid": "other"}},
            409,
            {"name": "sa", "group": "authentication.k8s.io", "kind": "TokenRequest"},
        ),
        (
            {"spec": {"expirationSeconds": 599}},
            422,
            {"group": "authentication.k8s.io", "kind": "TokenRequest"},
        ),
        (
            {"spec": {"expirationSeconds": 2**32 + 1}},
            422,
            {"group": "authentication.k8s.io", "kind": "TokenRequest"},
        ),
        ({"spec": {"boundObjectRef": reference("Pod", "x")}}, 404, {"name": "x", "kind": "pods"}),
        (
            {"spec": {"boundObjectRef": reference("Secret", "s", uid="x")}},
            409,
            {"name": "s", "kind": "Secret"},
        ),
        ({"spec": {"boundObjectRef": reference("ConfigMap", "x")}}, 400, None),
        ({"spec": {"boundObjectRef": reference("Pod", "p", apiVersion="apps/v1")}}, 400, None),
        ({"spec": {"boundObjectRef": reference("Secret", "")}}, 400, None),
    ],
)
def test_requests_for_tokens_that_are_refused(
    body: dict[str, Any], code: int, details: dict[str, str] | None
) -> None:
    with pytest.raises(Failure) as failure:
        TOKENS.issue("n", "sa", body, account_world())
    assert failure.value.code == code
    told = failure.value.status().get("details")
    if told is not None:
        told.pop("causes", None)
    assert told == details


def test_a_token_is_for_the_account_of_the_pod() -> None:
    world = account_world()
    world.objects["pods", "n", "p"]["spec"]["serviceAccountName"] = "other"
    with pytest.raises(Failure, match="different serviceaccount name"):
        issue(world, boundObjectRef=reference("Pod", "p"))
    with pytest.raises(Failure) as failure:
        TOKENS.issue("n", "nobody", {}, world)
    assert failure.value.code == 404


def test_the_objects_of_a_new_server_need_no_defaults() -> None:
    cluster = FakeCluster().server.cluster
    for value in bootstrap_objects():
        group, _, version = value["apiVersion"].partition("/")
        resource = cluster.registry.of_kind(group, version, value["kind"])
        assert resource is not None
        strategy = cluster.registry.strategy_of(resource)
        complete, unknown = strategy.codec.clean(deepcopy(value), cluster.spec.schemas)
        strategy.default(complete)
        assert (complete, unknown) == (value, [])


@pytest.mark.parametrize(
    ("method", "path", "what"),
    [
        ("GET", "/apis/nonexistent.example.com/v1/foos", "list foos nonexistent.example.com "),
        ("GET", "/api/v1/nothings", "list nothings  "),
        ("GET", "/api/v1/nothings?watch=1", "watch nothings  "),
        ("GET", "/api/v1/namespaces/default/pods/x/nothing", "get pods/nothing  default"),
        ("POST", "/api/v1/namespaces/default/pods/x/nothing", "create pods/nothing  default"),
        ("DELETE", "/apis/apps/v9/namespaces/a/deployments", "deletecollection deployments apps a"),
        ("PUT", "/api/v1/namespaces/default/configmaps", "update configmaps  default"),
    ],
)
def test_nobody_learns_what_is_served_without_a_role(method: str, path: str, what: str) -> None:
    """As recorded: an API server authorizes a request before it looks for the resource."""
    verb, plural, group, namespace = what.split(" ")
    server = FakeCluster().server
    answer = server.handle(HttpRequest(method, path, (("impersonate-user", "alice"),), None))
    assert isinstance(answer, Response)
    scope = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
    what = f'cannot {verb} resource "{plural}" in API group "{group}" {scope}'
    assert answer.status == 403
    assert json.loads(answer.body)["message"].endswith(f'is forbidden: User "alice" {what}')
    answer = server.handle(HttpRequest(method, path, (), None))
    assert isinstance(answer, Response)
    assert answer.status in (404, 405)
