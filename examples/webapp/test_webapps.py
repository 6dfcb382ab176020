"""The operator at work in a cluster in memory whose workloads move, under its own role."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import kubeapi
import pytest
import webapps_client
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Namespace, Service
from kubeapi.meta.v1 import ObjectMeta
from webapps.decisions import NAME, deployment_for, rival, service_for, with_status
from webapps.operator import make_manager
from webapps.v1 import WebApp, WebAppSpec

from clientgen.runtime.conditions import condition, deleted
from clientgen.runtime.errors import Invalid
from clientgen.testing import FakeCluster, explore

HERE = Path(__file__).parent
ACCOUNT = "webapps/webapps"
PATIENCE = 60.0
P = ParamSpec("P")


def run(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test that is a coroutine function."""

    @wraps(test)
    def function(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return function


class World:
    """A cluster whose workloads move, and a user of it who may do everything."""

    def __init__(self) -> None:
        home = Namespace(metadata=ObjectMeta(name="webapps"))
        self.cluster = FakeCluster(home, crds=[HERE / "crds"])
        self.play = self.cluster.play()
        self.k = self.cluster.clientset(kubeapi.AsyncClientset)
        webapps_client.add_to_scheme(self.k.scheme)

    @asynccontextmanager
    async def operator(self) -> AsyncGenerator[None]:
        """The operator at work; it ends without an error."""
        async with self.cluster.clientset(kubeapi.AsyncClientset, service_account=ACCOUNT) as k:
            manager = make_manager(k, leader_election=NAME)
            running = asyncio.create_task(manager.run())
            try:
                yield
            finally:
                manager.stop()
                await running

    async def until(self, condition: Callable[[WebApp], object]) -> WebApp:
        return await self.k.wait(WebApp, "shop", until=condition, timeout=PATIENCE)


def app(**spec: Any) -> WebApp:
    spec = {"image": "shop:1", "replicas": 2, **spec}
    return WebApp(metadata=ObjectMeta(name="shop", namespace="default"), spec=WebAppSpec(**spec))


def reasons(app: WebApp) -> dict[str, str]:
    return {each.type: f"{each.status} {each.reason}" for each in app.status.conditions}


@run
async def test_a_web_app_is_ready_when_its_deployment_is_rolled_out() -> None:
    world = World()
    async with world.operator():
        await world.k.create(app())
        ready = await world.until(condition("Ready"))
        assert reasons(ready) == {"Ready": "True RolledOut", "Progressing": "False RolledOut"}
        assert (ready.status.ready_replicas, ready.status.observed_generation) == (2, 1)
        deployment = await world.k.get(Deployment, "shop")
        service = await world.k.get(Service, "shop")
        assert service.spec.selector == deployment.spec.selector.match_labels
        assert [each.kind for each in deployment.metadata.owner_references] == ["WebApp"]

        await world.k.patch(app(), {"spec": {"image": "shop:2", "replicas": 3}})
        await world.until(lambda each: each.status.ready_replicas == len("abc"))
        [container] = (await world.k.get(Deployment, "shop")).spec.template.spec.containers
        assert container.image == "shop:2"


@run
async def test_a_rollout_that_does_not_get_on_is_told() -> None:
    world = World()
    world.play.pods("default", "shop-*").never_ready()
    async with world.operator():
        await world.k.create(app(replicas=1))
        slow = await world.until(condition("Progressing"))
        assert reasons(slow) == {"Ready": "False RollingOut", "Progressing": "True RollingOut"}
        assert slow.status.ready_replicas == 0


@run
async def test_what_somebody_changes_or_deletes_is_restored() -> None:
    world = World()
    async with world.operator():
        await world.k.create(app())
        await world.until(condition("Ready"))
        service = await world.k.get(Service, "shop")
        await world.k.delete(service)
        await world.k.wait(
            Service,
            "shop",
            until=lambda each: each.metadata.uid != service.metadata.uid,
            timeout=PATIENCE,
        )
        await world.k.patch(Deployment, "shop", {"spec": {"replicas": 7}})
        await world.k.wait(
            Deployment, "shop", until=lambda each: each.spec.replicas == len("ab"), timeout=PATIENCE
        )


@run
async def test_all_of_it_goes_with_the_web_app() -> None:
    world = World()
    async with world.operator():
        await world.k.create(app())
        await world.until(condition("Ready"))
        await world.k.delete(app(), propagation_policy="Foreground")
        await world.k.wait(WebApp, "shop", until=deleted, timeout=PATIENCE)
        deployments, services = await world.k.list(Deployment), await world.k.list(Service)
        left = [each.metadata.name for each in deployments] + [
            each.metadata.name for each in services
        ]
        assert "shop" not in left


@run
async def test_a_deployment_of_somebody_else_is_left_alone() -> None:
    world = World()
    other = deployment_for(with_uid(app(image="other")))
    other.metadata.owner_references = []
    await world.k.create(other)
    async with world.operator():
        await world.k.create(app())
        problem = await world.until(condition("Ready", "False"))
        assert reasons(problem)["Ready"] == "False NameTaken"
        [container] = (await world.k.get(Deployment, "shop")).spec.template.spec.containers
        assert container.image == "other"
        await world.k.delete(Deployment, "shop")
        await world.until(condition("Ready"))


def test_faults_change_nothing_in_the_end() -> None:
    """Crashes, stale caches, lost answers: `explore` tries some here; a larger budget tries all."""

    async def scenario(k: kubeapi.AsyncClientset) -> None:
        webapps_client.add_to_scheme(k.scheme)
        await k.create(app())
        await k.patch(WebApp, "shop", {"spec": {"image": "shop:2"}})

    def compare(cluster: FakeCluster) -> object:
        k = cluster.clientset(kubeapi.Clientset)
        webapps_client.add_to_scheme(k.scheme)
        deployment, web_app = k.get(Deployment, "shop"), k.get(WebApp, "shop")
        [container] = deployment.spec.template.spec.containers
        return [container.image, reasons(web_app), web_app.status.ready_replicas]

    explore(
        make_manager,
        scenario,
        clientset=kubeapi.AsyncClientset,
        crds=[HERE / "crds"],
        setup=lambda cluster: cluster.play(),
        compare=compare,
        budget=2.0,
    )


def with_uid(app: WebApp, uid: str = "1") -> WebApp:
    """The WebApp as the server would have it."""
    app.metadata.uid = uid
    return app


def test_decisions() -> None:
    mine = with_uid(app())
    deployment, service = deployment_for(mine), service_for(mine)
    assert rival(mine, deployment, service, None) == ""
    assert rival(with_uid(app(), "2"), None, service) == (
        "the Service 'shop' belongs to somebody else"
    )
    changed = with_status(mine, deployment)
    assert (mine.status.conditions, reasons(changed)["Ready"]) == ([], "False RollingOut")
    assert with_status(changed, deployment) == changed


@pytest.mark.parametrize(
    ("spec", "field"),
    [({"image": ""}, "image"), ({"replicas": 101}, "replicas"), ({"port": 0}, "port")],
)
def test_the_server_refuses_what_the_types_do_not_allow(spec: dict[str, Any], field: str) -> None:
    k = FakeCluster(crds=[HERE / "crds"]).clientset(webapps_client.Clientset)
    with pytest.raises(Invalid, match=f"spec.{field}"):
        k.web_v1.web_apps("default").create(app(**spec))
