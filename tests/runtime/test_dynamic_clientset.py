"""Clientsets call resources that no package knows; the tests of threads are derived from these."""

from __future__ import annotations

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, Pod
from support.definitions import custom_definition

from clientgen.runtime.aio import AsyncDynamicClient, AsyncMetadataClient
from clientgen.runtime.errors import (
    MethodNotAllowed,
    NoResourceMatch,
    NotFound,
)
from clientgen.runtime.models import (
    ObjectMeta,
    PartialObjectMetadata,
    Table,
    Unstructured,
)
from clientgen.testing import FakeCluster, LocalServer

GROUP = "stable.example.com"
COLUMNS = [
    {"name": "Schedule", "type": "string", "jsonPath": ".spec.cron"},
    {"name": "Image", "type": "string", "jsonPath": ".spec.image", "priority": 1},
]
CRON_TABS = custom_definition(
    GROUP, "CronTab", names={"plural": "crontabs", "kind": "CronTab", "shortNames": ["ct"]}
)
CRON_TABS["spec"]["versions"][0]["additionalPrinterColumns"] = COLUMNS


def tab(name: str, **metadata: str) -> Unstructured:
    kind = {"apiVersion": f"{GROUP}/v1", "kind": "CronTab"}
    spec = {"cron": "0 0 * * *", "image": "example.com/cron:1"}
    return Unstructured({**kind, "metadata": {"name": name, **metadata}, "spec": spec})


def config_map(name: str, namespace: str = "default") -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace), data={"a": "b"})


async def test_objects_of_kinds_that_no_package_knows_need_no_class():
    with LocalServer(FakeCluster(config_map("x", "shop"), crds=[CRON_TABS])) as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            made = await k.create(tab("nightly"))
            assert (type(made), made.namespace) == (Unstructured, "default")
            assert (await k.apply(tab("nightly"), field_manager="me")).metadata.uid
            made["spec"]["cron"] = "1 1 * * *"
            made = await k.update(await k.patch(made, {"metadata": {"labels": {"a": "b"}}}))
            assert made.metadata.labels == {"a": "b"}
            found = await k.dynamic.resource("ct").get("nightly")
            assert found == made
            await k.apply(tab("weekly", namespace="shop"))
            listed = await k.dynamic.resource("ct").list()
            assert sorted(each.name for each in listed.items) == ["nightly", "weekly"]
            await k.delete(made)
            with pytest.raises(NotFound):
                await k.dynamic.resource("ct").get("nightly")
            with pytest.raises(NoResourceMatch, match=r"did you mean crontabs\.v1\.stable"):
                await k.create({**tab("x"), "apiVersion": f"{GROUP}/v2"})


async def test_dynamic_knows_the_classes_and_the_namespace_of_the_clientset():
    async with FakeCluster(config_map("web")).clientset(AsyncClientset) as k:
        assert isinstance(k.dynamic, AsyncDynamicClient)
        assert k.dynamic.discovery is k.dynamic.discovery
        assert k.dynamic.namespace == k.namespace
        assert type(await k.dynamic.resource("cm").get("web")) is ConfigMap
        assert type(await k.dynamic.resource("cm", model=Unstructured).get("web")) is Unstructured


async def test_metadata_alone_of_any_kind():
    cluster = FakeCluster(config_map("web"), config_map("db", "shop"), crds=[CRON_TABS])
    cluster.add(tab("nightly", namespace="default"))
    async with cluster.clientset(AsyncClientset) as k:
        assert isinstance(k.metadata, AsyncMetadataClient)
        for name in ("cm", ConfigMap, "v1/ConfigMap"):
            maps = k.metadata.resource(name)
            one = await maps.get("web")
            assert type(one) is PartialObjectMetadata
            assert (one.kind, one.metadata.name) == ("PartialObjectMetadata", "web")
            assert [e.metadata.name for e in (await maps.list(namespace="shop")).items] == ["db"]
        tabs = k.metadata.resource("ct")

        def relabel(obj: PartialObjectMetadata) -> None:
            obj.metadata.labels["a"] = "b"

        assert (await tabs.edit("nightly", relabel)).metadata.labels == {"a": "b"}
        assert (await k.dynamic.resource("ct").get("nightly"))["spec"]["image"]
        await tabs.delete("nightly")
        assert [repr(each) for each in await k.metadata.resources("cm,ct")]
        refused = pytest.raises(TypeError, match="takes a whole object or a manifest")
        with refused:
            await maps.update(one)
        with refused:
            await maps.create(one)
        with refused:
            await maps.apply(one)


async def test_tables_are_what_kubectl_prints():
    pod = Pod(metadata=ObjectMeta(name="web-0", namespace="shop"))
    cluster = FakeCluster(pod, crds=[CRON_TABS])
    cluster.add(tab("nightly", namespace="default"), tab("weekly", namespace="shop"))
    with LocalServer(cluster) as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            table = await k.table("pods", namespace="shop")
            assert type(table) is Table
            assert [each.name for each in table.column_definitions][:2] == ["Name", "Ready"]
            assert [row.cells[0] for row in table] == ["web-0"]
            [row] = table.rows
            assert row.object is not None
            assert (row.object.name, row.object.namespace) == ("web-0", "shop")
            assert str(table).startswith("NAME    READY   STATUS")
            assert "NODE" not in str(table)
            assert "NODE" in table.to_text(wide=True)
            tabs = await k.table("ct")
            assert str(tabs) == (
                "NAMESPACE   NAME      SCHEDULE\n"
                "default     nightly   0 0 * * *\n"
                "shop        weekly    0 0 * * *\n"
            )
            assert "IMAGE" in tabs.to_text(wide=True)
            assert str(await k.table(Pod, label_selector="a=b")) == ""
            assert await k.dynamic.resource("po").table() == await k.table("v1/Pod")
            with pytest.raises(MethodNotAllowed):
                await k.table("tokenreviews")
            with pytest.raises(ValueError, match="cluster-scoped"):
                await k.table("nodes", namespace="shop")


async def test_an_older_server_and_a_broken_group_do_not_stand_in_the_way(caplog):
    cluster = FakeCluster(crds=[CRON_TABS], aggregated_discovery=False)
    cluster.break_group("metrics.k8s.io/v1beta1")
    async with cluster.clientset(AsyncClientset) as k:
        assert (await k.create(tab("nightly"))).name == "nightly"
        assert len(caplog.messages) == 1
        [failure] = k.dynamic.discovery.failures
        assert failure.group == "metrics.k8s.io"


async def test_a_definition_that_was_just_created_is_found():
    async with FakeCluster().clientset(AsyncClientset) as k:
        with pytest.raises(NoResourceMatch):
            await k.create(tab("nightly"))
        await k.create(CRON_TABS)
        assert (await k.create(tab("nightly"))).name == "nightly"
