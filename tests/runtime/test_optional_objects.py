"""Objects that may be missing: `get` with a default, `missing_ok`, `exists`, `ensure`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_type

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, Namespace, Node, Secret
from kubeapi.meta.v1 import ObjectMeta, Status
from support.zones import Unknown

from clientgen.runtime import Ensured
from clientgen.runtime.errors import ApplyConflict, Conflict, NotFound
from clientgen.runtime.models import Unstructured
from clientgen.testing import FakeCluster, LocalServer


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer(FakeCluster(Namespace(metadata=ObjectMeta(name="shop")))) as running:
        yield running


def config_map(name: str = "web", **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="shop"), data=data)


async def test_get_returns_the_default_for_a_missing_object(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        maps = k.core_v1.config_maps("shop")
        missing = await maps.get("web", default=None)
        assert_type(missing, ConfigMap | None)
        assert missing is None
        assert await k.get(ConfigMap, "web", namespace="shop", default=None) is None
        assert await k.dynamic.resource("cm").get("web", namespace="shop", default="no") == "no"
        assert await k.core_v1.nodes().get("n1", default=0) == 0
        with pytest.raises(NotFound):
            await maps.get("web")
        created = await maps.create(config_map(a="1"))
        found = await maps.get("web")
        assert_type(found, ConfigMap)
        assert found == created == await k.get(ConfigMap, "web", namespace="shop", default=None)


async def test_the_default_does_not_hide_an_unknown_kind(server: LocalServer) -> None:
    unknown = Status(status="Failure", reason="NotFound", code=404, message="page not found")
    server.cluster.fail("get", "configmaps", NotFound(unknown))
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(NotFound):
            await k.core_v1.config_maps("shop").get("web", default=None)
        with pytest.raises(LookupError):
            await k.get(Unknown, "web", default=None)


async def test_delete_of_a_missing_object(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        maps = k.core_v1.config_maps("shop")
        status = await maps.delete("web", missing_ok=True)
        assert isinstance(status, Status)
        assert status.reason == "NotFound"
        assert isinstance(await k.delete(config_map(), missing_ok=True), Status)
        assert isinstance(
            await k.dynamic.resource("cm").delete("web", namespace="shop", missing_ok=True), Status
        )
        with pytest.raises(NotFound):
            await maps.delete("web", missing_ok=False)
        obj = await k.create(config_map())
        with pytest.raises(Conflict):
            await k.delete(obj, missing_ok=True, uid="other")
        await k.delete(obj, missing_ok=True)
        assert not await k.exists(obj)


async def test_exists_and_refresh(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        assert not await k.exists(ConfigMap, "web", namespace="shop")
        obj = await k.create(config_map(a="1"))
        assert await k.exists(ConfigMap, "web", namespace="shop")
        assert await k.exists(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
        )
        assert not await k.exists(Node, "n1")
        await k.patch(obj, {"data": {"a": "2"}})
        newest = await k.refresh(obj)
        assert_type(newest, ConfigMap)
        assert (newest.data, obj.data) == ({"a": "2"}, {"a": "1"})
        await k.delete(obj)
        await k.create(config_map(a="3"))
        with pytest.raises(NotFound, match="another object has its name"):
            await k.refresh(obj)
        assert (await k.refresh(config_map())).data == {"a": "3"}


async def test_get_or_create(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        created = await k.get_or_create(config_map(a="1"), field_manager="painter")
        assert created.metadata.managed_fields[0].manager == "painter"
        assert await k.get_or_create(config_map(a="2")) == created
        manifest: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "web", "namespace": "shop"},
        }
        assert await k.get_or_create(manifest) == created


async def test_get_or_create_when_another_program_is_faster(server: LocalServer) -> None:
    def other(action: Any) -> None:
        server.cluster.clear_reactions()
        server.cluster.add(config_map(a="other"))

    server.cluster.react("create", "configmaps", other)
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        assert (await k.get_or_create(config_map(a="1"))).data == {"a": "other"}


async def test_ensure_tells_what_it_has_done(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        dry = await k.ensure(config_map(a="1"), dry_run=True)
        assert dry.outcome == "created"
        first = await k.ensure(config_map(a="1"))
        assert_type(first, Ensured[ConfigMap])
        assert (first.outcome, first.changed, first.obj.data) == ("created", True, {"a": "1"})
        again = await k.ensure(config_map(a="1"))
        assert (again.outcome, again.changed) == ("unchanged", False)
        planned = await k.ensure(config_map(b="2"), dry_run=True)
        assert planned.outcome == "configured"
        assert (await k.refresh(first.obj)).data == {"a": "1"}
        changed = await k.ensure(config_map(b="2"))
        assert (changed.outcome, changed.obj.data) == ("configured", {"b": "2"})
        with pytest.raises(ApplyConflict):
            await k.ensure(config_map(b="3"), field_manager="other")
        taken = await k.ensure(config_map(b="3"), field_manager="other", force=True)
        assert taken.outcome == "configured"
        body: dict[str, Any] = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}}
        made = await k.ensure({**body, "data": {"a": "aGlkZGVu"}})
        assert isinstance(made.obj, Secret)
        assert "aGlk" not in repr(made)
        assert (await k.ensure(Unstructured({**body}))).outcome == "configured"
