"""What objects of built-in kinds may not say, and how they may not change."""

from __future__ import annotations

from typing import Any

import pytest
from support.builtin_kinds import (
    CONTAINER,
    SELECTED,
    TEMPLATE,
    World,
    attempted,
    changed,
    created,
    told,
)

from clientgen._apimachinery.failures import Failure

C = CONTAINER
DEPLOYMENTS = "apps/v1 deployments"
JOBS = "batch/v1 jobs"
ONCE = {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
SERVICE = "v1 services"
BACKEND = {"service": {"name": "a", "port": {"number": 80}}}
TARGET = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}


def con(**members: Any) -> dict[str, Any]:
    return {"containers": [{**C, **members}]}


@pytest.mark.parametrize(
    ("spec", "causes"),
    [
        ({}, ["Required spec.containers"]),
        (
            {"containers": [{}]},
            ["Required spec.containers[0].image", "Required spec.containers[0].name"],
        ),
        ({"containers": [C, C]}, ["Duplicate spec.containers[1].name"]),
        (con(name="Bad_"), ["Invalid spec.containers[0].name"]),
        (con(image=" x"), ["Invalid spec.containers[0].image"]),
        (con(imagePullPolicy="Maybe"), ["NotSupported spec.containers[0].imagePullPolicy"]),
        (
            con(ports=[{"containerPort": 99999}]),
            ["Invalid spec.containers[0].ports[0].containerPort"],
        ),
        (con(ports=[{}]), ["Required spec.containers[0].ports[0].containerPort"]),
        (con(env=[{"name": "a=b"}]), ["Invalid spec.containers[0].env[0].name"]),
        (
            con(env=[{"name": "A", "valueFrom": {}}]),
            ["Invalid spec.containers[0].env[0].valueFrom"],
        ),
        (con(envFrom=[{}]), ["Invalid spec.containers[0].envFrom"]),
        (
            con(volumeMounts=[{"name": "v", "mountPath": "/x"}]),
            ["NotFound spec.containers[0].volumeMounts[0].name"],
        ),
        (
            con(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}),
            ["Invalid spec.containers[0].resources.requests"],
        ),
        (con(livenessProbe={}), ["Required spec.containers[0].livenessProbe"]),
        (
            con(livenessProbe={"exec": {"command": ["a"]}, "successThreshold": 2}),
            ["Invalid spec.containers[0].livenessProbe.successThreshold"],
        ),
        ({**con(), "restartPolicy": "Sometimes"}, ["NotSupported spec.restartPolicy"]),
        ({**con(), "dnsPolicy": "None"}, ["Required spec.dnsConfig"]),
        ({**con(), "volumes": [{"name": "v"}, {"name": "v"}]}, ["Duplicate spec.volumes[1].name"]),
        (
            {**con(), "volumes": [{"name": "v", "secret": {}}]},
            ["Required spec.volumes[0].secret.secretName"],
        ),
        (
            {**con(), "volumes": [{"name": "v", "emptyDir": {}, "hostPath": {"path": "/x"}}]},
            ["Forbidden spec.volumes[0].hostPath"],
        ),
        ({**con(), "initContainers": [C]}, ["Duplicate spec.initContainers[0].name"]),
        ({**con(), "ephemeralContainers": [C]}, ["Forbidden spec.ephemeralContainers"]),
        (
            {**con(), "tolerations": [{"key": "a", "operator": "X"}]},
            ["NotSupported spec.tolerations[0].operator"],
        ),
        ({**con(), "hostname": "a.b"}, ["Invalid spec.hostname"]),
    ],
)
def test_pods(spec: dict[str, Any], causes: list[str]) -> None:
    assert told(attempted("v1 pods", {"spec": spec})[1]) == causes


@pytest.mark.parametrize(
    ("where", "body", "causes"),
    [
        (
            DEPLOYMENTS,
            {},
            [
                "Invalid spec.template.metadata.labels",
                "Required spec.selector",
                "Required spec.template.spec.containers",
            ],
        ),
        (DEPLOYMENTS, {"spec": {**SELECTED, "selector": {}}}, ["Invalid spec.selector"]),
        (DEPLOYMENTS, {"spec": {**SELECTED, "replicas": -1}}, ["Invalid spec.replicas"]),
        (
            DEPLOYMENTS,
            {
                "spec": {
                    **SELECTED,
                    "strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}},
                }
            },
            ["Invalid spec.strategy.rollingUpdate.maxUnavailable"],
        ),
        (
            "apps/v1 statefulsets",
            {"spec": {**SELECTED, "podManagementPolicy": "X"}},
            ["Invalid spec.podManagementPolicy"],
        ),
        (
            "apps/v1 daemonsets",
            {"spec": {**SELECTED, "minReadySeconds": -1}},
            ["Invalid spec.minReadySeconds"],
        ),
        (JOBS, {"spec": {"template": TEMPLATE}}, ["Required spec.template.spec.restartPolicy"]),
        (
            "batch/v1 cronjobs",
            {"spec": {"schedule": "60 * * * *", "jobTemplate": {"spec": {"template": ONCE}}}},
            ["Invalid spec.schedule"],
        ),
        (
            "batch/v1 cronjobs",
            {
                "spec": {
                    "schedule": "*/5 1-3 * JAN mon",
                    "jobTemplate": {"spec": {"template": ONCE}},
                }
            },
            [],
        ),
        (SERVICE, {"spec": {}}, ["Required spec.ports"]),
        (
            SERVICE,
            {"spec": {"ports": [{"port": 80}, {"port": 81}]}},
            ["Required spec.ports[0].name", "Required spec.ports[1].name"],
        ),
        (
            SERVICE,
            {"spec": {"ports": [{"port": 80}], "clusterIP": "1.2.3.4"}},
            ["Invalid spec.clusterIPs"],
        ),
        (
            SERVICE,
            {"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]}},
            ["Invalid spec.ports[0].nodePort"],
        ),
        (SERVICE, {"spec": {"type": "ExternalName"}}, ["Required spec.externalName"]),
        ("v1 configmaps", {"data": {"a/b": "x"}}, ["Invalid data[a/b]"]),
        ("v1 configmaps", {"data": {"k": "x"}, "binaryData": {"k": "eA=="}}, ["Invalid data[k]"]),
        ("v1 configmaps", {"data": {"k": "x" * 1048577}}, ["TooLong []"]),
        (
            "v1 secrets",
            {"type": "kubernetes.io/tls"},
            ["Required data[tls.crt]", "Required data[tls.key]"],
        ),
        (
            "v1 secrets",
            {"type": "kubernetes.io/dockerconfigjson", "data": {".dockerconfigjson": "bm8="}},
            ["Invalid data[.dockerconfigjson]"],
        ),
        ("v1 namespaces", {"spec": {"finalizers": ["plain"]}}, ["Invalid spec.finalizers"]),
        (
            "v1 persistentvolumeclaims",
            {},
            ["Required spec.accessModes", "Required spec.resources[storage]"],
        ),
        ("v1 events", {"involvedObject": {"namespace": "n"}}, ["Invalid involvedObject.namespace"]),
        (
            "coordination.k8s.io/v1 leases",
            {"spec": {"leaseDurationSeconds": 0}},
            ["Invalid spec.leaseDurationSeconds"],
        ),
        (
            "policy/v1 poddisruptionbudgets",
            {"spec": {"minAvailable": 1, "maxUnavailable": 1}},
            ["Invalid spec"],
        ),
        ("networking.k8s.io/v1 ingresses", {}, ["Invalid spec"]),
        (
            "networking.k8s.io/v1 ingresses",
            {
                "spec": {
                    "rules": [
                        {
                            "http": {
                                "paths": [{"path": "x", "pathType": "Prefix", "backend": BACKEND}]
                            }
                        }
                    ]
                }
            },
            ["Invalid spec.rules[0].http.paths[0].path"],
        ),
        (
            "networking.k8s.io/v1 networkpolicies",
            {"spec": {"ingress": [{"from": [{}]}]}},
            ["Required spec.ingress[0].from[0]"],
        ),
        (
            "autoscaling/v2 horizontalpodautoscalers",
            {"spec": {"minReplicas": 5, "maxReplicas": 2, "scaleTargetRef": TARGET}},
            ["Invalid spec.maxReplicas"],
        ),
        (
            "discovery.k8s.io/v1 endpointslices",
            {"addressType": "IPv4", "endpoints": [{"addresses": ["127.0.0.1"]}]},
            ["Invalid endpoints[0].addresses[0]"],
        ),
        (
            "scheduling.k8s.io/v1 priorityclasses",
            {"metadata": {"name": "system-x"}},
            ["Forbidden metadata.name"],
        ),
        ("storage.k8s.io/v1 storageclasses", {}, ["Required provisioner"]),
    ],
)
def test_other_kinds(where: str, body: dict[str, Any], causes: list[str]) -> None:
    assert told(attempted(where, body)[1]) == causes


@pytest.mark.parametrize(
    ("where", "body", "part", "change", "causes"),
    [
        ("v1 pods", {"spec": con()}, "", {"spec": con(image="example.com/app:2")}, []),
        ("v1 pods", {"spec": con()}, "", {"spec": con(args=["x"])}, ["Forbidden spec"]),
        (
            "v1 pods",
            {"spec": con()},
            "",
            {"spec": {"containers": [C, {**C, "name": "b"}]}},
            ["Forbidden spec.containers"],
        ),
        (
            "v1 pods",
            {"spec": con()},
            "status",
            {"status": {"podIP": "x"}},
            ["Invalid status.podIPs[0]"],
        ),
        (
            "v1 pods",
            {"spec": con()},
            "ephemeralcontainers",
            {"spec": {"ephemeralContainers": [C]}},
            ["Duplicate spec.ephemeralContainers[0].name"],
        ),
        (
            DEPLOYMENTS,
            {"spec": SELECTED},
            "",
            {"spec": {"selector": {"matchLabels": {"a": "c"}}}},
            ["Invalid spec.selector", "Invalid spec.template.metadata.labels"],
        ),
        (
            DEPLOYMENTS,
            {"spec": SELECTED},
            "status",
            {"status": {"readyReplicas": 3}},
            ["Invalid status.readyReplicas"],
        ),
        (
            "apps/v1 statefulsets",
            {"spec": SELECTED},
            "",
            {"spec": {"serviceName": "z"}},
            ["Forbidden spec"],
        ),
        (
            JOBS,
            {"spec": {"template": ONCE}},
            "",
            {"spec": {"completions": 4}},
            ["Invalid spec.completions"],
        ),
        (JOBS, {"spec": {"template": ONCE}}, "", {"spec": {"parallelism": 4}}, []),
        (
            SERVICE,
            {"spec": {"ports": [{"port": 80}]}},
            "",
            {"spec": {"clusterIP": "10.0.0.99"}},
            ["Invalid spec.clusterIPs[0]"],
        ),
        (
            "v1 configmaps",
            {"data": {"k": "1"}, "immutable": True},
            "",
            {"data": {"k": "2"}},
            ["Forbidden data"],
        ),
        ("v1 configmaps", {"immutable": True}, "", {"immutable": None}, ["Forbidden immutable"]),
        ("v1 secrets", {"type": "x/y"}, "", {"type": "z"}, ["Invalid type"]),
        (
            "storage.k8s.io/v1 storageclasses",
            {"provisioner": "x"},
            "",
            {"reclaimPolicy": "Retain"},
            ["Invalid reclaimPolicy"],
        ),
        (
            "node.k8s.io/v1 runtimeclasses",
            {"handler": "a"},
            "",
            {"handler": "b"},
            ["Invalid handler"],
        ),
    ],
)
def test_changes(
    where: str, body: dict[str, Any], part: str, change: dict[str, Any], causes: list[str]
) -> None:
    assert told(changed(where, created(where, body), change, part)[1]) == causes


def test_an_address_and_a_port_are_given_once() -> None:
    world = World()
    spec = {"type": "NodePort", "clusterIP": "10.0.0.9", "ports": [{"port": 80, "nodePort": 30123}]}
    created(SERVICE, {"metadata": {"name": "a"}, "spec": spec}, world)
    _, causes = attempted(SERVICE, {"metadata": {"name": "b"}, "spec": spec}, world)
    assert told(causes) == ["Invalid spec.clusterIPs", "Invalid spec.ports[0].nodePort"]


# -------------------------------------------------------------------------------- metadata


@pytest.mark.parametrize(
    ("metadata", "causes"),
    [
        ({"name": "Bad_Name"}, ["Invalid metadata.name"]),
        ({"name": "n" * 254}, ["Invalid metadata.name"]),
        ({"labels": {"a b": "x"}}, ["Invalid metadata.labels"]),
        ({"labels": {"a": "x y"}}, ["Invalid metadata.labels"]),
        ({"labels": {"": "x"}}, ["Invalid metadata.labels"] * 2),
        ({"annotations": {"UPPER.com/x": "any thing"}}, []),
        ({"annotations": {"a": "x" * 262145}}, ["TooLong metadata.annotations"]),
        ({"finalizers": ["plain"]}, ["Invalid metadata.finalizers[0]"]),
        ({"finalizers": ["orphan", "foregroundDeletion"]}, ["Invalid metadata.finalizers"]),
        (
            {"ownerReferences": [{"apiVersion": "a/b/c", "kind": "", "name": "n", "uid": "u"}]},
            [
                "Invalid metadata.ownerReferences.apiVersion",
                "Invalid metadata.ownerReferences.kind",
            ],
        ),
        ({"generation": -1}, ["Invalid metadata.generation"]),
        ({"generateName": "p."}, ["Invalid metadata.generateName"]),
        ({"generateName": "p-"}, []),
    ],
)
def test_metadata(metadata: dict[str, Any], causes: list[str]) -> None:
    assert told(attempted("v1 configmaps", {"metadata": metadata})[1]) == causes


@pytest.mark.parametrize(
    ("where", "name", "valid"),
    [
        ("v1 configmaps", "a.b", True),
        ("v1 namespaces", "a.b", False),
        (SERVICE, "a.b", False),
        (SERVICE, "1a", True),
        ("rbac.authorization.k8s.io/v1 roles", "system:a B", True),
        ("rbac.authorization.k8s.io/v1 roles", "a/b", False),
        ("batch/v1 cronjobs", "n" * 53, False),
    ],
)
def test_names_follow_the_rules_of_their_kind(where: str, name: str, valid: bool) -> None:
    causes = attempted(where, {"metadata": {"name": name}})[1]
    assert any(cause.field == "metadata.name" for cause in causes) is not valid


@pytest.mark.parametrize(
    ("where", "change", "causes"),
    [
        ("v1 configmaps", {"uid": "9"}, ["Invalid metadata.uid"] * 2),
        ("v1 configmaps", {"labels": {"a b": ""}}, ["Invalid metadata.labels"] * 4),
        ("coordination.k8s.io/v1 leases", {"labels": {"a b": ""}}, ["Invalid metadata.labels"] * 3),
        ("policy/v1 poddisruptionbudgets", {"finalizers": ["plain"]}, []),
    ],
)
def test_metadata_is_looked_at_again_and_again(
    where: str, change: dict[str, Any], causes: list[str]
) -> None:
    assert told(changed(where, created(where, {}), {"metadata": change})[1]) == causes


def test_objects_being_deleted_get_no_new_finalizers() -> None:
    old = created("v1 configmaps", {"metadata": {"finalizers": ["a.b/c"]}})
    old["metadata"]["deletionTimestamp"] = "2026-01-02T03:04:05Z"
    change = {"metadata": {"finalizers": ["a.b/c", "a.b/d"]}}
    assert set(told(changed("v1 configmaps", old, change)[1])) == {"Forbidden metadata.finalizers"}


@pytest.mark.parametrize(
    ("action", "causes"),
    [
        ("Restart", []),
        ("RestartAllContainers", []),
        ("Stop", ["NotSupported spec.containers[0].restartPolicyRules[0].action"]),
    ],
)
def test_rules_restart_a_container_or_all_of_them(action: str, causes: list[str]) -> None:
    rule = {"action": action, "exitCodes": {"operator": "In", "values": [3]}}
    spec = con(restartPolicy="Never", restartPolicyRules=[rule])
    assert told(attempted("v1 pods", {"spec": spec})[1]) == causes


def test_a_file_shows_one_thing() -> None:
    field, resource = (
        {"fieldPath": "metadata.name"},
        {"resource": "limits.cpu", "containerName": "main"},
    )
    item = {"path": "p", "fieldRef": field, "resourceFieldRef": resource}
    spec = {**con(), "volumes": [{"name": "v", "downwardAPI": {"items": [item]}}]}
    assert told(attempted("v1 pods", {"spec": spec})[1]) == ["Invalid spec.volumes[0].downwardAPI"]


EVENT = {
    "regarding": {"kind": "Pod", "namespace": "default", "name": "p"},
    "eventTime": "2026-01-01T00:00:00.000000Z",
    "reportingController": "a.b/c",
    "reportingInstance": "i",
    "action": "Act",
    "reason": "Made",
    "type": "Normal",
}


@pytest.mark.parametrize(
    ("member", "value", "cause"),
    [
        ("deprecatedCount", 1, "Invalid count"),
        ("deprecatedFirstTimestamp", "2026-01-01T00:00:00Z", "Invalid firstTimestamp"),
        ("deprecatedLastTimestamp", "2026-01-01T00:00:00Z", "Invalid lastTimestamp"),
        ("deprecatedSource", {"component": "c"}, "Invalid source"),
    ],
)
def test_new_events_have_no_old_members(member: str, value: Any, cause: str) -> None:
    created("events.k8s.io/v1 events", EVENT)
    with pytest.raises(Failure) as refused:
        attempted("events.k8s.io/v1 events", {**EVENT, member: value})
    assert told([*refused.value.causes]) == [cause]


@pytest.mark.parametrize(
    ("operation", "causes"),
    [
        ("CONNECT", []),
        ("DELETE", ["NotSupported spec.matchConstraints.resourceRules.operations"]),
    ],
)
def test_mutating_policies_are_about_connections_too(operation: str, causes: list[str]) -> None:
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods/exec"],
        "operations": [operation],
    }
    expression = '[JSONPatch{op: "remove", path: "/spec/x"}]'
    patch = {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "mutations": [patch],
        "reinvocationPolicy": "Never",
    }
    where = "admissionregistration.k8s.io/v1 mutatingadmissionpolicies"
    assert told(attempted(where, {"spec": spec})[1]) == causes


@pytest.mark.parametrize(
    ("addresses", "causes"),
    [
        (["10.0.0.9"], []),
        (["None", "10.0.0.9"], ["Invalid spec.clusterIPs"]),
        (["10.0.0.9", "10.0.0.8"], ["Invalid spec.clusterIPs"]),
        (["10.0.0.9", "2001:db8::1", "2001:db8::2"], ["Invalid spec.clusterIPs"] * 2),
        (["10.0.0.9", "None"], ["Invalid spec.clusterIPs[1]"]),
    ],
)
def test_a_service_has_an_address_of_each_family(addresses: list[str], causes: list[str]) -> None:
    ports = [{"port": 80}]
    spec = {"clusterIP": addresses[0], "clusterIPs": addresses, "ports": ports}
    assert told(attempted(SERVICE, {"spec": spec})[1]) == causes


def test_the_mode_of_an_address_needs_the_address() -> None:
    old = created(SERVICE, {"spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}})
    for ingress, causes in (
        ({"ip": "1.2.3.4", "ipMode": "Proxy"}, []),
        ({"ip": "1.2.3.4", "ipMode": "X"}, ["NotSupported status.loadBalancer.ingress[0].ipMode"]),
        ({"hostname": "a.b", "ipMode": "VIP"}, ["Forbidden status.loadBalancer.ingress[0].ipMode"]),
    ):
        status = {"loadBalancer": {"ingress": [ingress]}}
        assert told(changed(SERVICE, old, {"status": status}, "status")[1]) == causes


def test_a_job_without_indexes_has_none_in_its_status() -> None:
    old = created(JOBS, {"spec": {"template": ONCE, "completions": 3}})
    for member in ("completedIndexes", "failedIndexes"):
        found = told(changed(JOBS, old, {"status": {member: "1"}}, "status")[1])
        assert found == [f"Invalid status.{member}"]
