"""What a user writes, as type checkers must see it: checked by mypy and pyright, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.apiextensions.v1 import JSONSchemaProps
from kubeapi.apps.v1 import Deployment, DeploymentList, DeploymentSpec
from kubeapi.autoscaling.v1 import Scale, ScaleSpec
from kubeapi.coordination.v1 import Lease, LeaseSpec
from kubeapi.core.v1 import (
    ConfigMap,
    Container,
    ContainerPort,
    EmptyDirVolumeSource,
    Namespace,
    Pod,
    PodSpec,
    PodTemplateSpec,
    ResourceRequirements,
    ServicePort,
    Volume,
)
from kubeapi.meta.v1 import LabelSelector, ObjectMeta, Status

from clientgen.runtime import JsonPatch, MergePatch, StrategicMergePatch, WatchEvent
from clientgen.runtime.errors import ApiError, Conflict, NotFound
from clientgen.runtime.models import Quantity


def reading_needs_no_asserts(pod: Pod, deploy: Deployment) -> None:
    assert_type(pod.metadata.name.startswith("x"), bool)
    assert_type(pod.metadata.labels.get("app"), str | None)
    for container in pod.spec.containers:
        assert_type(container.name, str)
    print(pod.status.phase == "Running", pod.status.pod_ip, pod.status.host_ips)
    print(deploy.spec.template.spec.containers[0].image)
    assert_type(pod.metadata.creation_timestamp, datetime | None)
    for condition in deploy.status.conditions:
        assert_type(condition.type, str)


def absent_scalars_are_none(pod: Pod) -> None:
    assert_type(pod.spec.node_name, str | None)
    pod.spec.node_name.upper()  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]


def building_is_checked() -> Deployment:
    Container()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Container(name="c", imgae="x")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Container("c")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    ContainerPort(container_port="80")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Pod(api_version="v2")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ServicePort(port=80, target_port="http", protocol="SomethingNew")
    return Deployment(
        metadata=ObjectMeta(name="web", labels={"app": "web"}),
        spec=DeploymentSpec(
            replicas=3,
            selector=LabelSelector(match_labels={"app": "web"}),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels={"app": "web"}),
                spec=PodSpec(
                    containers=[
                        Container(
                            name="web",
                            image="nginx",
                            resources=ResourceRequirements(limits={"cpu": Quantity("500m")}),
                        )
                    ],
                    volumes=[Volume(name="scratch", empty_dir=EmptyDirVolumeSource())],
                ),
            ),
        ),
    )


def the_chain_is_the_map(k: Clientset) -> None:
    assert_type(k.core_v1.pods("default").get("web-0"), Pod)
    assert_type(k.apps_v1.deployments().list(label_selector="app=web"), DeploymentList)
    assert_type(k.core_v1.nodes().get("node").metadata.name, str)
    assert_type(k.core_v1.pods("default").delete("web-0"), Pod | Status)

    k.core_v1.pods().get("web-0")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    k.core_v1.nodes("default")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    k.core_v1.namespaces().delete_collection()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    k.core_v1.config_maps("default").status("x")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    k.authentication_v1.token_reviews().get("x")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    k.core_v1.pods("default").get("web-0", limt=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    k.core_v1.pods("default").list(limit="3")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def collections(k: Clientset) -> None:
    for pod in k.core_v1.pods().list(field_selector="status.phase=Running", timeout=10):
        assert_type(pod, Pod)
    for pod in k.core_v1.pods().each(limit=500):
        assert_type(pod, Pod)
    with k.core_v1.pods("default").watch(resource_version="5", timeout_seconds=60) as watch:
        for event in watch:
            assert_type(event, WatchEvent[Pod])
            assert_type(event.object.metadata.resource_version, str)
            print(event.type == "ADDED")
            print(event.type == "ADDDED")  # type: ignore[comparison-overlap]  # pyright: ignore[reportUnnecessaryComparison]
            watch.stop()


def quantities_may_be_texts_and_numbers() -> None:
    resources = ResourceRequirements(requests={"cpu": "100m", "memory": 2}, limits={})
    assert_type(resources.requests, dict[str, Quantity])
    assert_type(resources.requests["cpu"], Quantity)
    resources.limits = {"cpu": Quantity("1"), "memory": "1Gi"}
    again = ResourceRequirements(limits=resources.limits)
    again.limits["cpu"] = "1"  # type: ignore[assignment]  # pyright: ignore[reportArgumentType]
    ResourceRequirements(requests={"cpu": b"1"})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]


def selecting(k: Clientset) -> None:
    k.core_v1.pods().list(label_selector={"app": "web", "tier": ["a", "b"], "legacy": None})
    k.core_v1.pods().list(label_selector={"app": 5})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    k.core_v1.pods().watch(field_selector={"metadata.name": "web"})
    k.informers(label_selector={"app": "web"}).core_v1.pods(field_selector="metadata.name=web")
    k.informers(storage="compressed").core_v1.nodes(storage="full")


def what_is_of_one_namespace_is_not_of_all(k: Clientset) -> None:
    k.core_v1.pods().get("web")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    k.core_v1.pods("shop").gett("web")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def changing(k: Clientset) -> None:
    def scale_up(deployment: Deployment) -> None:
        deployment.spec.replicas = (deployment.spec.replicas or 0) + 1

    deployments = k.apps_v1.deployments("default")
    assert_type(deployments.edit("web", scale_up, field_manager="me"), Deployment)
    assert_type(deployments.scale("web").get(), Scale)
    deployments.scale("web").update(Scale(spec=ScaleSpec(replicas=2)), dry_run=True)
    deployments.patch("web", MergePatch({"spec": {"replicas": 1}}))
    deployments.patch("web", StrategicMergePatch({"spec": {"replicas": 1}}), field_manager="me")
    deployments.patch("web", JsonPatch([{"op": "remove", "path": "/spec/replicas"}]))
    deployments.apply({"kind": "Deployment", "metadata": {"name": "web"}}, force=True)
    deployments.status("web").patch(MergePatch({}))
    deployments.update_status(deployments.get("web"))
    k.core_v1.config_maps("default").create(
        ConfigMap(metadata=ObjectMeta(name="c"), data={"a": "b"}, binary_data={"x": b"\xff"}),
        dry_run=True,
        field_manager="me",
        field_validation="Strict",
        timeout=3,
    )
    k.core_v1.config_maps("default").create(
        ConfigMap(),
        field_validation="Loud",  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    )


def irregular(k: Clientset, namespace: Namespace) -> None:
    pods = k.core_v1.pods("default")
    assert_type(pods.evict("web-0"), Status)
    assert_type(pods.logs("web-0", tail_lines=10, container="web"), str)
    for line in pods.follow_logs("web-0"):
        assert_type(line, str)
    assert_type(pods.resize("web-0").get(), Pod)
    assert_type(k.core_v1.namespaces().finalize(namespace), Namespace)


def values() -> None:
    lease = Lease(spec=LeaseSpec(holder_identity="me", renew_time=datetime.now(UTC)))
    assert_type(lease.spec.renew_time, datetime | None)
    assert_type(Quantity("100m") + Quantity("1"), Quantity)
    assert_type(Quantity("1Gi") > Quantity("500Mi"), bool)
    schema = JSONSchemaProps(type="object", additional_properties=False)
    assert_type(schema.additional_properties, JSONSchemaProps | bool | None)


def errors(k: Clientset) -> None:
    try:
        k.core_v1.pods("default").get("nope")
    except NotFound as error:
        assert_type(error.status.code, int | None)
    except Conflict:
        pass
    except ApiError as error:
        assert_type(error.reason, str)


async def the_same_names_awaited() -> None:
    async with AsyncClientset.from_config(context="dev") as k:
        pods = k.core_v1.pods("default")
        assert_type(await pods.get("web-0"), Pod)
        for pod in await pods.list():
            assert_type(pod, Pod)
        async for pod in pods.each(limit=10):
            assert_type(pod, Pod)
        async with pods.watch() as watch:
            async for event in watch:
                assert_type(event.object, Pod)
        async for line in pods.follow_logs("web-0"):
            assert_type(line, str)
        print(pods.get("web-0").metadata)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
