"""Status patches send what has changed, and nothing if nothing has.

`test_status_patches_threads` has the same for threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Namespace
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.controllers import set_condition
from clientgen.runtime.errors import Conflict, NotFound
from clientgen.runtime.models import Unstructured, deep_copy
from clientgen.testing import FakeCluster, LocalServer

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
"""


@pytest.fixture(scope="module")
def running() -> Iterator[LocalServer]:
    with LocalServer(FakeCluster()) as server:
        yield server


@pytest.fixture
def server(running: LocalServer) -> LocalServer:
    running.cluster.apply_manifests(WEB)
    running.cluster.clear_actions()
    return running


def sent(server: LocalServer) -> list[Any]:
    """The bodies of the patches, without preconditions."""
    patches = [each for each in server.cluster.actions if each.verb == "patch"]
    assert all(each.subresource == "status" and each.patch_type == "merge" for each in patches)
    return [each.object for each in patches]


async def test_only_the_difference_is_sent(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        old = await k.get(Deployment, "web")
        new = deep_copy(old)
        assert await k.patch_status(old, new) is new
        assert sent(server) == []

        new.status.replicas = 2
        set_condition(new, "Available", False, reason="Starting")
        stored = await k.patch_status(old, new)
        [body] = sent(server)
        guards = {"uid": old.metadata.uid, "resourceVersion": old.metadata.resource_version}
        assert body["metadata"] == guards
        assert set(body["status"]) == {"replicas", "conditions"}
        assert stored.status.replicas == 2
        assert not set_condition(deep_copy(stored), "Available", False, reason="Starting")
        assert stored.metadata.resource_version != old.metadata.resource_version

        # The metadata of the new state may be newer than what it is compared with.
        changed = deep_copy(stored)
        changed.metadata.labels["tier"] = "web"
        changed.status.replicas = 3
        assert (await k.patch_status(stored, changed)).status.replicas == 3
        assert sent(server)[1]["status"] == {"replicas": 3}


async def test_a_stale_state_overwrites_nothing(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        old = await k.get(Deployment, "web")
        await k.patch(old, {"metadata": {"labels": {"changed": old.metadata.resource_version}}})
        new = deep_copy(old)
        new.status.replicas = 5
        with pytest.raises(Conflict):
            await k.patch_status(old, new)
        await k.delete(old, propagation_policy="Background")
        with pytest.raises(NotFound):
            await k.patch_status(old, new)


async def test_objects_without_a_class(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        old = Unstructured.of(await k.get(Deployment, "web"))
        new = deep_copy(old)
        set_condition(new, "Available", True, reason="Enough")
        stored = await k.patch_status(old, new)
        assert isinstance(stored, Unstructured)
        [condition] = stored["status"]["conditions"]
        assert (condition["type"], condition["reason"]) == ("Available", "Enough")
        # Such a condition has no observedGeneration, so the server has dropped it.
        assert not set_condition(deep_copy(stored), "Available", True, reason="Enough")


async def test_wrong_states_are_refused_before_anything_is_sent(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        old = await k.get(Deployment, "web")
        server.cluster.clear_actions()
        new = deep_copy(old)
        new.spec.replicas = 7
        with pytest.raises(ValueError, match="only the status is sent, but spec changed, too"):
            await k.patch_status(old, new)
        new = deep_copy(old)
        new.metadata.uid = "other"
        with pytest.raises(ValueError, match="different objects"):
            await k.patch_status(old, new)
        patch: Any = {"status": {"replicas": 7}}
        with pytest.raises(TypeError, match=r"is a dict, not an object: .* deep_copy\(\)"):
            await k.patch_status(old, patch)
        bare = Namespace(metadata=ObjectMeta(name="a"))
        with pytest.raises(ValueError, match="has no uid: it must be read from the server first"):
            await k.patch_status(bare, bare)
    assert server.cluster.actions == []
