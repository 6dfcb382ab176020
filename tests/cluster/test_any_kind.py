"""Any kind that the server has: by name, as metadata, as tables."""

from __future__ import annotations

from typing import Any

import pytest
from clusterkit.definitions import defined, new_domain
from clusterkit.objects import config_map, deployment
from clusterkit.scratch import Scratch
from clusterkit.together import async_take, async_until
from kubeapi import AsyncClientset
from kubeapi.apps.v1.models import Deployment
from kubeapi.core.v1.models import ConfigMap
from support.kubectl import Kubectl

from clientgen.runtime import MergePatch
from clientgen.runtime.errors import (
    AmbiguousResource,
    NoResourceMatch,
    NotFound,
)
from clientgen.runtime.models import PartialObjectMetadata, Table, Unstructured

pytestmark = pytest.mark.cluster

CLUSTER = {"namespaces", "clusterroles"}
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"


# ---- discovery --------------------------------------------------------------------------------


async def test_a_name_that_nobody_has(kube: AsyncClientset, kubectl: Kubectl) -> None:
    with pytest.raises(NoResourceMatch):
        await kube.dynamic.resource("clientgentests").list()
    assert kubectl.run("get", "clientgentests").returncode == 1


async def test_a_category_is_several_resources(kube: AsyncClientset, kubectl: Kubectl) -> None:
    several = await kube.dynamic.discovery.resources("all")
    with pytest.raises(AmbiguousResource):
        await kube.dynamic.discovery.resource("all")
    listed = kubectl("api-resources", "--categories=all", "--output=name").split()
    assert {each.name for each in several} == {*listed}


async def test_a_kind_that_is_defined_meanwhile_is_found(
    kube: AsyncClientset, scratch: Scratch, namespace: str
) -> None:
    dynamic = kube.dynamic
    await dynamic.discovery.api_resources()
    definition = gadgets(new_domain(), 0)
    group = definition["spec"]["group"]
    with defined(scratch.admin, [definition]):

        async def is_found() -> bool:
            try:
                resource = await dynamic.discovery.resource(f"gadgets0.{group}")
            except NoResourceMatch:
                dynamic.discovery.invalidate()  # what is defined takes a moment to be told
                return False
            return resource.kind == "Gadget0"

        await async_until(is_found)
        client = dynamic.resource(f"{group}/v1/Gadget0")
        made = await client.create(
            {
                "apiVersion": f"{group}/v1",
                "kind": "Gadget0",
                "metadata": {"name": "a"},
                "spec": {"size": 3},
            },
            namespace=namespace,
        )
        assert isinstance(made, Unstructured)
        assert made["spec"] == {"size": 3}


# ---- many kinds -------------------------------------------------------------------------------


def gadgets(group: str, number: int) -> dict[str, Any]:
    """The definition of a custom resource."""
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"size": {"type": "integer"}}},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    }
    version: dict[str, Any] = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        ],
    }
    plural = f"gadgets{number}"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": f"gadget{number}", "kind": f"Gadget{number}"},
            "versions": [version],
        },
    }


async def test_every_kind_of_the_server_can_be_listed_and_watched(
    kube: AsyncClientset, scratch: Scratch
) -> None:
    resources = await kube.dynamic.discovery.api_resources(all_versions=True)
    listed = 0
    for resource in resources:
        if "clientgen.example" in resource.group or not {"list", "watch"} <= {*resource.verbs}:
            continue
        client = kube.dynamic.resource(resource, model=Unstructured)
        items = (await client.list(limit=5)).items
        said = {(each.api_version, each.kind) for each in items}
        assert said <= {(resource.api_version, resource.kind)}
        metadata = await client.metadata.list(limit=5)
        assert all(type(each) is PartialObjectMetadata for each in metadata.items)
        assert len(metadata.items) == len(items) or items
        listed += 1
    assert listed >= 50


async def test_custom_objects_of_many_kinds(
    kube: AsyncClientset, scratch: Scratch, namespace: str
) -> None:
    group = new_domain()
    definitions = [gadgets(group, number) for number in range(10)]
    with defined(scratch.admin, definitions):
        kube.dynamic.discovery.invalidate()
        for number in range(10):
            client = kube.dynamic.resource(f"gadgets{number}.{group}")
            body = Unstructured(
                {
                    "apiVersion": f"{group}/v1",
                    "kind": f"Gadget{number}",
                    "metadata": {"name": "one", "namespace": namespace},
                    "spec": {"size": number},
                }
            )
            made = await client.create(body)
            assert (made.name, made["spec"]["size"]) == ("one", number)
            made["spec"]["size"] = 10
            assert (await client.update(made)).metadata.generation == 2
            patched = await client.patch(
                "one", MergePatch({"spec": {"size": 11}}), namespace=namespace
            )
            assert patched["spec"] == {"size": 11}
            applied = await client.apply(body, force=True)
            assert applied["spec"] == {"size": number}

            def resize(gadget: Any) -> None:
                gadget["spec"]["size"] += 1

            edited = await client.edit("one", resize, namespace=namespace)
            assert edited["spec"] == {"size": number + 1}
            status = client.status("one", namespace=namespace)
            told = await status.patch(MergePatch({"status": {"ok": True}}))
            assert told["status"] == {"ok": True}
            assert [each.name for each in await client.list(namespace=namespace)] == ["one"]
            await client.delete("one", namespace=namespace)
            with pytest.raises(NotFound):
                await client.get("one", namespace=namespace)


async def test_kinds_of_a_package_are_instances_of_its_classes(
    kube: AsyncClientset, namespace: str
) -> None:
    made = await kube.dynamic.resource("apps/v1/Deployment").create(
        deployment("web"), namespace=namespace
    )
    assert isinstance(made, Deployment)
    client = kube.dynamic.resource("deploy")
    assert isinstance(await client.get("web", namespace=namespace), Deployment)
    scale = await client.scale("web", namespace=namespace).get()
    assert scale.spec.replicas == 0
    scale.spec.replicas = 2
    await client.scale("web", namespace=namespace).update(scale)
    assert (await kube.apps_v1.deployments(namespace).get("web")).spec.replicas == 2


async def test_watches_see_objects_as_they_were_asked_for(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", {"a": "1"}))
    client = kube.dynamic.resource("configmaps", model=Unstructured)
    options: Any = {"namespace": namespace, "field_selector": "metadata.name=one", "timeout": 20}
    async with (
        client.watch(**options) as whole,
        client.metadata.watch(**options) as metadata,
        kube.dynamic.resource(ConfigMap).watch(**options) as typed,
    ):
        streams: list[Any] = [whole, metadata, typed]
        for events in streams:
            assert [each.type for each in await async_take(1, events)] == ["ADDED"]
        await maps.patch("one", MergePatch({"data": {"a": "2"}}))
        (changed,) = await async_take(1, whole)
        assert changed.object["data"] == {"a": "2"}
        (seen,) = await async_take(1, metadata)
        assert type(seen.object) is PartialObjectMetadata
        assert seen.object.metadata.name == "one"
        (other,) = await async_take(1, typed)
        assert isinstance(other.object, ConfigMap)
        await maps.delete("one")
        for events in streams:
            assert [each.type for each in await async_take(1, events)] == ["DELETED"]


# ---- metadata and tables ----------------------------------------------------------------------


async def test_metadata_alone(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    for number in range(3):
        await maps.create(config_map(f"m{number}", {"a": "1"}, labels={"n": str(number)}))
    client = kube.metadata.resource("configmaps")
    got = await client.get("m1", namespace=namespace)
    assert type(got) is PartialObjectMetadata
    assert got.metadata.labels == {"n": "1"}
    page = await client.list(namespace=namespace, label_selector="n", limit=2)
    assert len(page.items) == 2
    assert page.metadata.continue_
    found = [each.metadata.name async for each in client.each(namespace=namespace, limit=1)]
    assert {"m0", "m1", "m2"} <= {*found}
    patched = await client.patch("m1", {"metadata": {"labels": {"n": "5"}}}, namespace=namespace)
    assert patched.metadata.labels == {"n": "5"}
    await client.delete("m1", namespace=namespace)
    with pytest.raises(NotFound):
        await client.get("m1", namespace=namespace)


async def test_caches_of_metadata_alone(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", {"a": "1"}, labels={"n": "1"}))
    async with kube.informers(namespace=namespace) as factory:
        informer = factory.metadata(kube.scheme.resource(ConfigMap))
        factory.start()
        assert all((await factory.wait_for_sync(30)).values())
        cached = informer.lister.in_namespace(namespace).get("one")
        assert type(cached) is PartialObjectMetadata
        assert cached.metadata.labels == {"n": "1"}
        await maps.patch("one", {"metadata": {"labels": {"n": "2"}}})

        async def is_seen() -> bool:
            now = informer.lister.in_namespace(namespace).get("one")
            return now.metadata.labels == {"n": "2"}

        await async_until(is_seen)


async def test_tables_are_watched(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", {"a": "1"}))
    client = kube.dynamic.resource("configmaps", model=Table)
    options: Any = {"namespace": namespace, "field_selector": "metadata.name=one", "timeout": 20}
    async with client.watch(**options) as events:
        (first,) = await async_take(1, events)
        assert [each.name for each in first.object.column_definitions] == ["Name", "Data", "Age"]
        assert first.object.rows[0].cells[:2] == ["one", 1]
        await maps.patch("one", {"data": {"b": "2"}})
        (second,) = await async_take(1, events)
        assert second.object.rows[0].cells[:2] == ["one", 2]
        assert second.type == "MODIFIED"
