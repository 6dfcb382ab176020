"""A tour: create, watch, edit, scale and delete objects with typed clients, sync and asyncio.

python examples/demo.py                      against a server in memory
python examples/demo.py --kubeconfig FILE    against a cluster of yours
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
from contextlib import ExitStack

from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment, DeploymentSpec
from kubeapi.core.v1 import (
    ConfigMap,
    Container,
    Namespace,
    PodSpec,
    PodTemplateSpec,
    ResourceRequirements,
)
from kubeapi.meta.v1 import LabelSelector, ObjectMeta

from clientgen.runtime.errors import NotFound
from clientgen.runtime.models import Quantity
from clientgen.testing import LocalServer


def deployment(name: str) -> Deployment:
    labels = {"app": name}
    container = Container(
        name="web",
        image="nginx:1.29",
        resources=ResourceRequirements(requests={"cpu": Quantity("100m")}),
    )
    return Deployment(
        metadata=ObjectMeta(name=name, labels=labels),
        spec=DeploymentSpec(
            replicas=1,
            selector=LabelSelector(match_labels=labels),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels=labels), spec=PodSpec(containers=[container])
            ),
        ),
    )


def with_threads(k: Clientset, namespace: str) -> None:
    print(f"create     namespace {namespace}")
    k.core_v1.namespaces().create(Namespace(metadata=ObjectMeta(name=namespace)))

    maps = k.core_v1.config_maps(namespace)
    created = maps.create(ConfigMap(metadata=ObjectMeta(name="colours"), data={"sky": "blue"}))
    print(f"create     configmap {created.metadata.name}: {created.data}")
    edited = maps.edit("colours", lambda m: m.data.update(sky="grey", tree="green"))
    print(f"edit       configmap {edited.metadata.name}: {edited.data}")

    seen = created.metadata.resource_version
    for event in maps.watch(resource_version=seen, timeout_seconds=2):
        print(f"watch      {event.type} {event.object.metadata.name}: {event.object.data}")
        break

    maps.delete("colours")
    try:
        maps.get("colours")
    except NotFound:
        print("delete     configmap colours: a get raises NotFound now")


async def with_asyncio(k: AsyncClientset, namespace: str) -> None:
    deployments = k.apps_v1.deployments(namespace)
    web = await deployments.create(deployment("web"))
    cpu = web.spec.template.spec.containers[0].resources
    print(f"create     deployment {web.metadata.name}, cpu {cpu.requests['cpu'] if cpu else '-'}")

    scale = await deployments.scale("web").get()
    scale.spec.replicas = 3
    scale = await deployments.scale("web").update(scale)
    print(f"scale      deployment web to {scale.spec.replicas}")

    async for listed in deployments.each(label_selector="app=web"):
        print(f"list       deployment {listed.metadata.name}: {listed.spec.replicas} replicas")

    await deployments.delete("web", propagation_policy="Background")
    print("delete     deployment web")


def main() -> None:
    parser = argparse.ArgumentParser(description="A tour of clientgen.")
    parser.add_argument("--kubeconfig", help="a cluster of yours, instead of a server in memory")
    kubeconfig: str | None = parser.parse_args().kubeconfig
    with ExitStack() as stack:
        namespace = f"clientgen-demo-{secrets.token_hex(3)}"
        if kubeconfig is None:
            kubeconfig = stack.enter_context(LocalServer(tls=True)).kubeconfig
            namespace = "clientgen-demo"  # it is all ours
        k = stack.enter_context(Clientset.from_config(kubeconfig))
        print(f"connected  {k}")
        try:
            with_threads(k, namespace)
            asyncio.run(tour(kubeconfig, namespace))
        finally:
            k.core_v1.namespaces().delete(namespace)
        print(f"delete     namespace {namespace}")


async def tour(kubeconfig: str, namespace: str) -> None:
    async with AsyncClientset.from_config(kubeconfig) as k:
        await with_asyncio(k, namespace)


if __name__ == "__main__":
    main()
