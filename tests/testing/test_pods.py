"""Evictions, bindings, logs and the parts of pods and certificate requests, rule by rule."""

from __future__ import annotations

from base64 import b64encode
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest

from clientgen._apimachinery.failures import Failure
from clientgen.testing._apiserver.kinds.catalog import strategy_of
from clientgen.testing._apiserver.served_resources import Resource
from clientgen.testing._apiserver.verbs.binding import bind
from clientgen.testing._apiserver.verbs.eviction import evict
from clientgen.testing._apiserver.verbs.logs import container_of, log_options
from clientgen.testing._apiserver.verbs.posted_object import check_name

NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
TIME = "2026-05-04T03:02:01Z"
UNKNOWN_TARGET = (
    '[target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>", '
    "target.name: Required value]"
)
READY = [{"type": "Ready", "status": "True"}]


class World:
    """Nothing but the time."""

    def get(self, group: str, plural: str, namespace: str, name: str) -> dict[str, Any] | None:
        return None

    def list(self, group: str, plural: str, namespace: str = "") -> list[dict[str, Any]]:
        return []

    def now(self) -> datetime:
        return NOW


def pod(**parts: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "metadata": {"name": "p", "namespace": "n", "uid": "u", "labels": {"app": "x"}},
        "spec": {"containers": [{"name": "main", "image": "i"}], **parts.pop("spec", {})},
        "status": {"phase": "Running", "conditions": READY, **parts.pop("status", {})},
    }
    made["metadata"] |= parts
    return made


# ------------------------------------------------------------------------------- eviction


def budget(allowed: int = 1, **parts: Any) -> dict[str, Any]:
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}, **parts.pop("spec", {})}
    status = {
        "observedGeneration": 1,
        "disruptionsAllowed": allowed,
        "currentHealthy": 1,
        "desiredHealthy": 1,
        "expectedPods": 1,
        **parts,
    }
    return {"metadata": {"name": "b", "generation": 1}, "spec": spec, "status": status}


def refused(target: dict[str, Any], *budgets: dict[str, Any]) -> Failure:
    with pytest.raises(Failure) as failure:
        evict(target, budgets, NOW)
    return failure.value


def test_a_disruption_is_taken_from_the_budget() -> None:
    stored = budget(1)
    plan = evict(pod(), [stored], NOW)
    assert plan.budget is not None
    assert plan.budget["status"] == {
        **stored["status"],
        "disruptionsAllowed": 0,
        "disruptedPods": {"p": TIME},
        "conditions": [
            {
                "type": "DisruptionAllowed",
                "status": "False",
                "observedGeneration": 1,
                "lastTransitionTime": TIME,
                "reason": "InsufficientPods",
                "message": "",
            }
        ],
    }
    assert stored == budget(1)
    more = evict(pod(), [budget(2)], NOW).budget
    assert more is not None
    assert "conditions" not in more["status"]


def test_the_pod_says_why_it_goes() -> None:
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": TIME,
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    marked = evict(pod(), [], NOW).pod
    assert marked["status"]["conditions"] == [*READY, condition]
    again = evict(marked, [], datetime(2027, 1, 1, tzinfo=UTC)).pod
    assert again["status"]["conditions"] == [*READY, condition]


@pytest.mark.parametrize(
    "target",
    [
        pod(status={"phase": "Pending"}),
        pod(status={"phase": "Succeeded"}),
        pod(status={"phase": "Failed"}),
        pod(deletionTimestamp=TIME),
        pod(labels={"app": "y"}),
    ],
)
def test_pods_that_no_budget_guards(target: dict[str, Any]) -> None:
    assert evict(target, [budget(0)], NOW).budget is None


@pytest.mark.parametrize(
    ("status", "spec", "may"),
    [
        ({}, {}, True),
        ({"currentHealthy": 0}, {}, False),
        ({"desiredHealthy": 0}, {}, False),
        ({"currentHealthy": 0}, {"unhealthyPodEvictionPolicy": "AlwaysAllow"}, True),
        ({"currentHealthy": 0}, {"unhealthyPodEvictionPolicy": "IfHealthyBudget"}, False),
    ],
)
def test_pods_that_are_not_ready(status: dict[str, int], spec: dict[str, str], may: bool) -> None:
    target = pod(status={"conditions": []})
    guard = budget(0, **status, spec=spec)
    if may:
        assert evict(target, [guard], NOW).budget is None
    else:
        assert refused(target, guard).code == 429


def test_an_eviction_over_the_disruption_budget_is_refused() -> None:
    failure = refused(pod(), budget(0))
    assert (failure.code, failure.retry_after) == (429, None)
    assert failure.status()["details"]["causes"] == [
        {
            "reason": "DisruptionBudget",
            "message": "The disruption budget b needs 1 healthy pods and has 1 currently",
        }
    ]
    condition = {"type": "DisruptionAllowed", "reason": "SyncFailed", "message": "why"}
    failure = refused(pod(), budget(0, conditions=[condition]))
    assert failure.causes[0].message.endswith("because it failed sync: why")


def test_a_budget_nobody_looked_at_yet() -> None:
    assert refused(pod(), budget(1, observedGeneration=0)).retry_after == 10


def test_budgets_that_cannot_be() -> None:
    assert refused(pod(), budget(), budget()).status()["code"] == 500
    assert refused(pod(), budget(-1)).code == 403
    waiting = {str(number): TIME for number in range(2001)}
    failure = refused(pod(), budget(1, disruptedPods=waiting))
    assert failure.status()["details"] == {
        "name": "b",
        "group": "policy",
        "kind": "poddisruptionbudget",
    }


@pytest.mark.parametrize(
    ("selector", "covers"),
    [
        (None, False),
        ({}, True),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["x"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["x"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
    ],
)
def test_the_pods_that_a_budget_covers(selector: dict[str, Any] | None, covers: bool) -> None:
    plan = evict(pod(), [budget(1, spec={"selector": selector})], NOW)
    assert (plan.budget is not None) is covers


def test_names_have_to_agree() -> None:
    check_name("p", {"metadata": {"name": "p"}}, "Eviction")
    for body in ({}, {"metadata": {"name": "q"}}):
        with pytest.raises(Failure, match="name in URL does not match name in Eviction object"):
            check_name("p", body, "Eviction")


# -------------------------------------------------------------------------------- binding


def binding(**metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": "p", **metadata}, "target": {"kind": "Node", "name": "n1"}}


def test_bind() -> None:
    free = pod(status={"conditions": [*READY, {"type": "PodScheduled", "status": "False"}]})
    bound = bind(free, binding(labels={"zone": "z"}, annotations={"a": "b"}), NOW)
    assert bound["spec"]["nodeName"] == "n1"
    assert bound["metadata"]["labels"] == {"app": "x", "zone": "z"}
    assert bound["metadata"]["annotations"] == {"a": "b"}
    assert bound["status"]["conditions"] == [
        *READY,
        {
            "type": "PodScheduled",
            "status": "True",
            "lastProbeTime": None,
            "lastTransitionTime": TIME,
        },
    ]
    assert "nodeName" not in free["spec"]


@pytest.mark.parametrize(
    ("target", "asked", "kind"),
    [
        (pod(spec={"nodeName": "x"}), binding(), "pods/binding"),
        (pod(deletionTimestamp=TIME), binding(), "pods/binding"),
        (pod(spec={"schedulingGates": [{"name": "g"}]}), binding(), "pods/binding"),
        (pod(), binding(uid="other"), "pods"),
        (pod(resourceVersion="2"), binding(resourceVersion="1"), "pods"),
    ],
)
def test_pods_that_cannot_be_bound(
    target: dict[str, Any], asked: dict[str, Any], kind: str
) -> None:
    with pytest.raises(Failure) as failure:
        bind(target, asked, NOW)
    assert failure.value.code == 409
    assert failure.value.status()["details"] == {"name": "p", "kind": kind}


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({}, "target.name: Required value"),
        (
            {"kind": "Foo"},
            UNKNOWN_TARGET,
        ),
    ],
)
def test_targets_that_are_no_node(target: dict[str, str], message: str) -> None:
    with pytest.raises(Failure) as failure:
        bind(pod(), {**binding(), "target": target}, NOW)
    assert (failure.value.code, failure.value.reason) == (500, "")
    assert failure.value.message == message


# ----------------------------------------------------------------------------------- logs


TWO = [{"name": "a"}, {"name": "b"}]


@pytest.mark.parametrize("container", ["", "x"])
def test_containers_that_are_not_clear(container: str) -> None:
    with pytest.raises(Failure) as failure:
        container_of(pod(spec={"containers": TWO}), container)
    assert failure.value.code == 400


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("tailLines=-1", "tailLines", 422),
        ("limitBytes=0", "limitBytes", 422),
        ("sinceSeconds=0", "sinceSeconds", 422),
        ("sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z", "[]", 422),
        ("stream=Stdout", "stream", 422),
        ("tailLines=x", "", 400),
        ("sinceTime=x", "", 400),
        ("sinceTime=2026-01-01T00:00:00", "", 400),
    ],
)
def test_parts_of_logs_that_cannot_be(query: str, field: str, code: int) -> None:
    pairs = (pair.split("=") for pair in query.split("&"))
    with pytest.raises(Failure) as failure:
        log_options("p", {name: [value] for name, value in pairs})
    assert failure.value.code == code
    assert [cause.field for cause in failure.value.causes] == ([field] if field else [])


# ------------------------------------------------------------------------- parts of kinds


def write(
    resource: Resource, part: str, old: dict[str, Any], new: dict[str, Any]
) -> list[tuple[str, str]]:
    """What is wrong with a write to a part of an object; `new` becomes what would be stored."""
    strategy_of(resource).before_update(new, old, part, World())
    causes = strategy_of(resource).causes(new, old, part, World())
    return [(cause.reason, cause.field) for cause in causes]


PODS = Resource("", "v1", "pods", "Pod", True, frozenset())


def sized(**resources: dict[str, str]) -> dict[str, Any]:
    made = pod(status={"qosClass": "Burstable"})
    made["spec"]["containers"] = [
        {
            "name": "main",
            "image": "i",
            "imagePullPolicy": "Always",
            "terminationMessagePolicy": "File",
            "resources": resources,
        }
    ]
    return made


SMALL = sized(requests={"cpu": "500m"}, limits={"cpu": "1"})


def test_resize() -> None:
    new = sized(requests={"cpu": "600m"}, limits={"cpu": "2", "memory": "1Gi"})
    new["spec"]["containers"][0]["image"] = "other"
    new["metadata"]["labels"] = {"other": "label"}
    assert write(PODS, "resize", SMALL, new) == []
    container = new["spec"]["containers"][0]
    assert container["image"] == "i"
    assert container["resources"]["limits"] == {"cpu": "2", "memory": "1Gi"}
    assert new["metadata"]["labels"] == {"app": "x"}


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (sized(), ("FieldValueInvalid", "spec")),
        (sized(limits={"cpu": "1"}, requests={}), None),
        (
            sized(limits={"cpu": "1", "ephemeral-storage": "1Gi"}, requests={"cpu": "500m"}),
            ("FieldValueForbidden", "spec"),
        ),
    ],
)
def test_resizes_that_are_refused(new: dict[str, Any], expected: tuple[str, str] | None) -> None:
    removed = ("FieldValueForbidden", "spec.containers[0].resources.requests")
    assert (expected or removed) in write(PODS, "resize", SMALL, deepcopy(new))


def test_resizing_adds_no_container() -> None:
    new = deepcopy(SMALL)
    new["spec"]["containers"].append({**new["spec"]["containers"][0], "name": "more"})
    causes = write(PODS, "resize", SMALL, new)
    assert ("FieldValueForbidden", "spec.containers") in causes
    windows = deepcopy(SMALL)
    windows["spec"]["os"] = {"name": "windows"}
    assert write(PODS, "resize", windows, deepcopy(windows)) == [("FieldValueForbidden", "[]")]


NAMESPACES = Resource("", "v1", "namespaces", "Namespace", False, frozenset())


def test_finalizers_of_a_namespace() -> None:
    old = {"metadata": {"name": "n"}, "spec": {"finalizers": ["kubernetes"]}}
    new = {"metadata": {"name": "n"}, "spec": {"finalizers": ["kubernetes", "a.b/c", "bad", "x y"]}}
    assert write(NAMESPACES, "finalize", old, new) == [
        ("FieldValueInvalid", "spec.finalizers[2]"),
        ("FieldValueInvalid", "spec.finalizers[3]"),
    ]


# ------------------------------------------------------------------- certificate requests


REQUESTS = Resource(
    "certificates.k8s.io",
    "v1",
    "certificatesigningrequests",
    "CertificateSigningRequest",
    False,
    frozenset(),
)


def pem(label: str) -> str:
    return b64encode(f"-----BEGIN {label}-----\nMIIB\n-----END {label}-----\n".encode()).decode()


def request(*conditions: str, **status: str) -> dict[str, Any]:
    spec = {
        "request": pem("CERTIFICATE REQUEST"),
        "signerName": "example.com/s",
        "usages": ["client auth"],
    }
    made = [{"type": kind, "status": "True"} for kind in conditions]
    return {"metadata": {"name": "r"}, "spec": spec, "status": {"conditions": made, **status}}


def test_approval() -> None:
    new = request("Approved", certificate="x")
    assert write(REQUESTS, "approval", request(), new) == []
    assert new["status"] == {
        "conditions": [
            {
                "type": "Approved",
                "status": "True",
                "lastUpdateTime": TIME,
                "lastTransitionTime": TIME,
            }
        ]
    }


@pytest.mark.parametrize(
    ("part", "old", "new", "expected"),
    [
        ("approval", [], ["Approved", "Denied"], [("FieldValueInvalid", "status.conditions")]),
        ("approval", [], ["Foo", "Foo"], [("FieldValueDuplicate", "status.conditions[1].type")]),
        ("approval", ["Approved"], [], [("FieldValueForbidden", "status.conditions")]),
        ("status", [], ["Approved"], [("FieldValueForbidden", "status.conditions")]),
        ("status", ["Approved"], ["Denied"], [("FieldValueForbidden", "status.conditions")] * 2),
        ("status", ["Approved"], ["Approved", "Failed"], []),
    ],
)
def test_verdicts(
    part: str, old: list[str], new: list[str], expected: list[tuple[str, str]]
) -> None:
    assert write(REQUESTS, part, request(*old), request(*new)) == expected


def test_conditions_of_a_request() -> None:
    new = request()
    new["status"]["conditions"] = [{"type": "Approved", "status": "False"}, {}]
    assert write(REQUESTS, "approval", request(), new) == [
        ("FieldValueNotSupported", "status.conditions[0].status"),
        ("FieldValueRequired", "status.conditions[1].type"),
        ("FieldValueRequired", "status.conditions[1].status"),
    ]


def test_certificates_stay() -> None:
    issued = request(certificate=pem("CERTIFICATE"))
    assert write(REQUESTS, "status", request(), deepcopy(issued)) == []
    forbidden = [("FieldValueForbidden", "status.certificate")]
    assert write(REQUESTS, "status", issued, request()) == forbidden
    wrong = request(certificate=pem("OTHER"))
    assert write(REQUESTS, "status", request(), wrong) == [
        ("FieldValueInvalid", "status.certificate")
    ]


def test_requests_for_certificates() -> None:
    assert strategy_of(REQUESTS).causes(request(), None, "", World()) == []
    bad = request()
    bad["spec"] = {
        "request": "Zm9v",
        "signerName": "nope",
        "usages": ["foo", "any", "any"],
        "expirationSeconds": 10,
    }
    causes = strategy_of(REQUESTS).causes(bad, None, "", World())
    assert [(cause.reason, cause.field) for cause in causes] == [
        ("FieldValueInvalid", "spec.request"),
        ("FieldValueNotSupported", "spec.usages[0]"),
        ("FieldValueDuplicate", "spec.usages[2]"),
        ("FieldValueInvalid", "spec.signerName"),
        ("FieldValueInvalid", "spec.expirationSeconds"),
    ]
    bad["spec"] = {}
    fields = [cause.field for cause in strategy_of(REQUESTS).causes(bad, None, "", World())]
    assert fields == ["spec.request", "spec.usages", "spec.signerName"]


# ----------------------------------------------------------------------- roles and bindings


RBAC = "rbac.authorization.k8s.io"


def rbac_causes(kind: str, obj: dict[str, Any]) -> list[tuple[str, str]]:
    plural = f"{kind.lower()}s"
    resource = Resource(RBAC, "v1", plural, kind, not kind.startswith("Cluster"), frozenset())
    causes = strategy_of(resource).causes(obj, None, "", World())
    return [(cause.reason, cause.field) for cause in causes]


@pytest.mark.parametrize(
    ("kind", "rule", "expected"),
    [
        ("Role", {"verbs": ["get"], "apiGroups": [""], "resources": [""]}, []),
        ("ClusterRole", {"verbs": ["get"], "nonResourceURLs": ["x"]}, []),
        ("Role", {"verbs": ["get"], "nonResourceURLs": ["/"]}, ["nonResourceURLs"]),
        (
            "ClusterRole",
            {"verbs": ["get"], "nonResourceURLs": ["/"], "resourceNames": ["x"]},
            ["nonResourceURLs"],
        ),
        ("ClusterRole", {}, ["verbs", "apiGroups", "resources"]),
    ],
)
def test_rules_of_roles(kind: str, rule: dict[str, Any], expected: list[str]) -> None:
    causes = rbac_causes(kind, {"rules": [rule]})
    assert [field for _, field in causes] == [f"rules[0].{name}" for name in expected]


@pytest.mark.parametrize(
    ("selectors", "fields"),
    [
        ([], ["aggregationRule.clusterRoleSelectors"]),
        ([dict[str, Any]()], list[str]()),
        ([{"matchLabels": {"a": "b c"}}], [".matchLabels", ""]),
        (
            [
                {
                    "matchExpressions": [
                        {"key": "a", "operator": "Bad"},
                        {"key": "a", "operator": "In"},
                    ]
                }
            ],
            [".matchExpressions[0].operator", ".matchExpressions[1].values", ""],
        ),
    ],
)
def test_aggregation_rules(selectors: list[dict[str, Any]], fields: list[str]) -> None:
    causes = rbac_causes("ClusterRole", {"aggregationRule": {"clusterRoleSelectors": selectors}})
    prefix = "aggregationRule.clusterRoleSelectors[0]" if selectors else ""
    assert [field for _, field in causes] == [prefix + field for field in fields]


def test_subjects_and_references() -> None:
    obj = {
        "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "a/b"},
        "subjects": [
            {"kind": "User", "apiGroup": "x", "name": ""},
            {"kind": "ServiceAccount", "name": "A_", "apiGroup": "x"},
            {"kind": "Robot", "name": "r"},
        ],
    }
    subjects = [
        ("FieldValueRequired", "subjects[0].name"),
        ("FieldValueNotSupported", "subjects[0].apiGroup"),
        ("FieldValueInvalid", "subjects[1].name"),
        ("FieldValueNotSupported", "subjects[1].apiGroup"),
    ]
    robot = ("FieldValueNotSupported", "subjects[2].kind")
    name = ("FieldValueInvalid", "roleRef.name")
    assert rbac_causes("RoleBinding", obj) == [name, *subjects, robot]
    assert rbac_causes("ClusterRoleBinding", obj) == [
        ("FieldValueNotSupported", "roleRef.kind"),
        name,
        *subjects,
        ("FieldValueRequired", "subjects[1].namespace"),
        robot,
    ]


def test_bindings_keep_their_role() -> None:
    bindings = Resource(RBAC, "v1", "rolebindings", "RoleBinding", True, frozenset())
    old = {"metadata": {}, "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "a"}}
    new = {"metadata": {}, "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "b"}}
    assert write(bindings, "", old, new) == [("FieldValueInvalid", "roleRef")]
