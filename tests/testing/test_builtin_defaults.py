"""What the server adds to objects of built-in kinds, allocates for them and keeps of them."""

from __future__ import annotations

import pytest
from support.builtin_kinds import CONTAINER, SELECTED, TEMPLATE, World, changed, created, resources

from clientgen._apimachinery.failures import Failure
from clientgen.testing._apiserver import bootstrap
from clientgen.testing._apiserver.kinds.catalog import strategy_of
from clientgen.testing._apiserver.kinds.scale_conversion import scale_causes

POD = {"spec": {"containers": [CONTAINER]}}
DEPLOYMENTS = "apps/v1 deployments"


def test_a_pod_gets_what_the_server_adds() -> None:
    pod = created("v1 pods", POD)
    assert pod["metadata"]["generation"] == 1
    assert pod["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert pod["spec"]["containers"] == [
        {
            **CONTAINER,
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "imagePullPolicy": "IfNotPresent",
        }
    ]
    assert [each["key"] for each in pod["spec"]["tolerations"]] == [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ]
    assert (pod["spec"]["priority"], pod["spec"]["enableServiceLinks"]) == (0, True)


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("app", "Always"),
        ("app:latest", "Always"),
        ("app:1", "IfNotPresent"),
        ("example.com:5000/app", "Always"),
        ("example.com:5000/app:2", "IfNotPresent"),
        ("app@sha256:abc", "IfNotPresent"),
        ("Not An Image", "IfNotPresent"),
    ],
)
def test_images_without_a_fixed_tag_are_always_pulled(image: str, policy: str) -> None:
    pod = created("v1 pods", {"spec": {"containers": [{"name": "a", "image": image}]}})
    assert pod["spec"]["containers"][0]["imagePullPolicy"] == policy


@pytest.mark.parametrize(
    ("resources_", "qos"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1000m"}}, "Guaranteed"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}, "Burstable"),
    ],
)
def test_container_resources_determine_the_qos_class(
    resources_: dict[str, object], qos: str
) -> None:
    pod = created("v1 pods", {"spec": {"containers": [{**CONTAINER, "resources": resources_}]}})
    assert pod["status"]["qosClass"] == qos


def test_a_priority_class_gives_its_value() -> None:
    world = World()
    created(
        "scheduling.k8s.io/v1 priorityclasses", {"metadata": {"name": "high"}, "value": 7}, world
    )
    pod = created("v1 pods", {"spec": {**POD["spec"], "priorityClassName": "high"}}, world)
    assert pod["spec"]["priority"] == 7
    with pytest.raises(Failure, match="no PriorityClass with name low was found"):
        created("v1 pods", {"spec": {**POD["spec"], "priorityClassName": "low"}}, world)


def test_a_deployment_gets_a_strategy_and_an_empty_status() -> None:
    deployment = created(DEPLOYMENTS, {"spec": SELECTED, "status": {"replicas": 5}})
    assert deployment["status"] == {}
    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
    }
    assert "tolerations" not in deployment["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("change", "generation"),
    [
        ({"spec": {"replicas": 3}}, 2),
        ({"metadata": {"annotations": {"x": "y"}}}, 2),
        ({"metadata": {"labels": {"x": "y"}}}, 1),
        ({"status": {"replicas": 3}}, 1),
        ({"metadata": {"generation": 9}}, 1),
    ],
)
def test_the_generation_of_a_deployment_counts_changes(
    change: dict[str, object], generation: int
) -> None:
    new, causes = changed(DEPLOYMENTS, created(DEPLOYMENTS, {"spec": SELECTED}), change)
    assert (new["metadata"]["generation"], causes, new["status"]) == (generation, [], {})


def test_a_write_to_the_status_changes_the_status_alone() -> None:
    old = created(DEPLOYMENTS, {"metadata": {"labels": {"a": "b"}}, "spec": SELECTED})
    change = {
        "spec": {"replicas": 9},
        "status": {"replicas": 2},
        "metadata": {"labels": {"a": "c"}},
    }
    new, causes = changed(DEPLOYMENTS, old, change, "status")
    assert not causes
    assert new == {**old, "status": {"replicas": 2}}


def test_a_job_finds_its_pods_by_its_uid() -> None:
    template = {"spec": {"containers": [CONTAINER], "restartPolicy": "Never"}}
    job = created("batch/v1 jobs", {"spec": {"template": template}})
    uid = {"batch.kubernetes.io/controller-uid": "1-2-3"}
    assert job["spec"]["selector"] == {"matchLabels": uid}
    assert job["spec"]["template"]["metadata"]["labels"].items() >= uid.items()
    assert (job["spec"]["completions"], job["spec"]["backoffLimit"]) == (1, 6)


def test_a_namespace_is_active_labelled_and_held_by_its_finalizer() -> None:
    namespace = created("v1 namespaces", {"metadata": {"name": "n"}, "status": {"phase": "X"}})
    assert namespace["metadata"]["labels"] == {"kubernetes.io/metadata.name": "n"}
    assert namespace["spec"] == {"finalizers": ["kubernetes"]}
    assert namespace["status"] == {"phase": "Active"}
    new, causes = changed("v1 namespaces", namespace, {"spec": {"finalizers": []}})
    assert (new, causes) == (namespace, [])


def test_text_of_a_secret_becomes_data() -> None:
    secret = created("v1 secrets", {"data": {"a": "eA=="}, "stringData": {"b": "y", "a": "z"}})
    assert secret["data"] == {"a": "eg==", "b": "eQ=="}
    assert (secret["type"], "stringData" in secret) == ("Opaque", False)


def test_storage_is_protected_and_pending() -> None:
    world = World()
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    metadata = {"name": "fast", "annotations": default}
    created("storage.k8s.io/v1 storageclasses", {"metadata": metadata, "provisioner": "x/y"}, world)
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claim = created("v1 persistentvolumeclaims", {"spec": spec}, world)
    assert claim["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    assert (claim["spec"]["storageClassName"], claim["status"]) == ("fast", {"phase": "Pending"})


def test_members_that_are_never_missing_are_there() -> None:
    assert created("rbac.authorization.k8s.io/v1 clusterroles", {})["rules"] is None
    event = created("v1 events", {"involvedObject": {"namespace": "default"}})
    assert (event["source"], event["eventTime"], event["reportingComponent"]) == ({}, None, "")
    node = created("v1 nodes", {"status": {"capacity": {"cpu": "2"}}})
    assert node["status"]["allocatable"] == {"cpu": "2"}
    assert node["status"]["nodeInfo"]["kubeletVersion"] == ""


@pytest.mark.parametrize("where", ["v1 pods", DEPLOYMENTS, "v1 services", "batch/v1 cronjobs"])
def test_defaulting_twice_changes_nothing(where: str) -> None:
    job = {"spec": {"template": {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}}}
    bodies = {
        "v1 pods": POD,
        DEPLOYMENTS: {"spec": SELECTED},
        "v1 services": {"spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}},
        "batch/v1 cronjobs": {"spec": {"schedule": "@daily", "jobTemplate": job}},
    }
    once = created(where, bodies[where])
    again, causes = changed(where, once, {})
    assert (again, causes) == (once, [])


# --------------------------------------------------------------------------------- services


def test_services_get_addresses_of_their_own() -> None:
    world = World()
    bodies = [{"metadata": {"name": name}, "spec": {"ports": [{"port": 80}]}} for name in "abc"]
    specs = [created("v1 services", body, world)["spec"] for body in bodies]
    assert len({spec["clusterIP"] for spec in specs}) == 3
    assert all(spec["clusterIPs"] == [spec["clusterIP"]] for spec in specs)
    assert specs[0]["ports"] == [{"port": 80, "protocol": "TCP", "targetPort": 80}]


def test_a_service_keeps_what_it_was_given() -> None:
    world = World()
    old = created("v1 services", {"spec": {"type": "NodePort", "ports": [{"port": 80}]}}, world)
    port, address = old["spec"]["ports"][0]["nodePort"], old["spec"]["clusterIP"]
    change = {"spec": {"clusterIP": None, "clusterIPs": None, "ports": [{"port": 81}]}}
    new, causes = changed("v1 services", old, change, world=world)
    assert (new["spec"]["clusterIP"], new["spec"]["ports"][0]["nodePort"]) == (address, port)
    assert not causes


def test_a_service_gives_up_what_its_type_does_not_have() -> None:
    old = created("v1 services", {"spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}})
    new, causes = changed("v1 services", old, {"spec": {"type": "ClusterIP"}})
    assert not causes
    assert "nodePort" not in new["spec"]["ports"][0]
    assert not {"allocateLoadBalancerNodePorts", "externalTrafficPolicy"} & set(new["spec"])
    change = {"spec": {"type": "ExternalName", "externalName": "a.example.com"}}
    new, causes = changed("v1 services", old, change)
    assert (causes, "clusterIP" in new["spec"]) == ([], False)


# -------------------------------------------------------------------- versions and subresources


def test_an_event_has_other_names_in_the_other_group() -> None:
    event = created(
        "v1 events",
        {"involvedObject": {"namespace": "default", "name": "p"}, "message": "hi", "count": 2},
    )
    core, named = resources()["v1 events"], resources()["events.k8s.io/v1 events"]
    shown = strategy_of(named).convert(event, core)
    assert shown["regarding"] == {"namespace": "default", "name": "p"}
    assert (shown["note"], shown["deprecatedCount"]) == ("hi", 2)
    assert "reportingController" not in shown
    assert strategy_of(core).convert(shown, named) == event


def test_an_autoscaler_has_one_target_in_its_first_version() -> None:
    reference = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
    new = "autoscaling/v2 horizontalpodautoscalers"
    autoscaler = created(new, {"spec": {"maxReplicas": 3, "scaleTargetRef": reference}})
    first = resources()["autoscaling/v1 horizontalpodautoscalers"]
    shown = strategy_of(first).convert(autoscaler, resources()[new])
    assert shown["spec"]["targetCPUUtilizationPercentage"] == 80
    assert strategy_of(resources()[new]).convert(shown, first) == autoscaler


def test_a_workload_is_scaled_by_its_scale() -> None:
    resource = resources()[DEPLOYMENTS]
    deployment = created(DEPLOYMENTS, {"spec": {**SELECTED, "replicas": 2}})
    scale = strategy_of(resource).to_scale(deployment)
    assert (scale["spec"], scale["status"]) == ({"replicas": 2}, {"replicas": 0, "selector": "a=b"})
    scaled = strategy_of(resource).from_scale(deployment, {"spec": {}})
    assert scaled["spec"]["replicas"] == 0
    assert strategy_of(resource).to_scale(scaled)["spec"] == {}
    assert [str(each) for each in scale_causes({"spec": {"replicas": -1}})] == [
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
    ]


def test_selectable_fields_are_texts() -> None:
    pods = resources()["v1 pods"]
    values = strategy_of(pods).field_values(created("v1 pods", POD))
    assert values["status.phase"] == "Pending"
    assert (values["spec.nodeName"], values["spec.hostNetwork"]) == ("", "false")
    assert set(values) == strategy_of(pods).known_fields()
    assert not strategy_of(resources()["v1 configmaps"]).known_fields()


def test_the_initial_objects_are_valid() -> None:
    world = World()
    plurals = {
        "Endpoints": "endpoints",
        "IPAddress": "ipaddresses",
        "PriorityClass": "priorityclasses",
    }
    bodies = list(bootstrap.initial_objects({("apps", "v1"), ("", "v1")}, "2026-01-01T00:00:00Z"))
    for body in bodies:
        plural = plurals.get(body["kind"], f"{body['kind'].lower()}s")
        created(f"{body['apiVersion']} {plural}", body, world)
    assert len(world.objects) == len(bodies)


@pytest.mark.parametrize(
    ("given", "policy", "families"),
    [
        ({}, "RequireDualStack", ["IPv4", "IPv6"]),
        ({"ipFamilies": ["IPv6"]}, "RequireDualStack", ["IPv6", "IPv4"]),
        ({"ipFamilyPolicy": "PreferDualStack"}, "PreferDualStack", ["IPv4", "IPv6"]),
        ({"ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv6"]}, "SingleStack", ["IPv6"]),
        ({"selector": {"a": "b"}}, "SingleStack", ["IPv4"]),
    ],
)
def test_a_headless_service_without_a_selector_has_both_families(
    given: dict[str, object], policy: str, families: list[str]
) -> None:
    spec = created("v1 services", {"spec": {"clusterIP": "None", **given}})["spec"]
    assert (spec["ipFamilyPolicy"], spec["ipFamilies"]) == (policy, families)
