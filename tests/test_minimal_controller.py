"""The controller of the home page: in this process, and as a program that is told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from runpy import run_path
from time import monotonic, sleep
from typing import Any

from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment, DeploymentSpec
from kubeapi.core.v1 import Container, PodSpec, PodTemplateSpec, Service
from kubeapi.meta.v1 import LabelSelector, ObjectMeta

from clientgen.testing import FakeCluster, LocalServer

EXAMPLE = Path(__file__).parents[1] / "examples" / "minimal_controller.py"
CONTROL: Any = run_path(str(EXAMPLE))["control"]
PORT = "example.com/port"


def deployment(name: str, port: str | None = None) -> Deployment:
    labels = {"app": name}
    return Deployment(
        metadata=ObjectMeta(
            name=name, namespace="default", annotations={PORT: port} if port else {}
        ),
        spec=DeploymentSpec(
            selector=LabelSelector(match_labels=labels),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels=labels),
                spec=PodSpec(containers=[Container(name="main", image="nginx")]),
            ),
        ),
    )


def ports(k: Clientset) -> dict[str, int]:
    """The port of each service of a deployment."""

    def is_owned(service: Service) -> bool:
        return bool(service.metadata.owner_references)

    services = filter(is_owned, k.core_v1.services("default").list().items)
    return {each.metadata.name: each.spec.ports[0].port for each in services}


@asynccontextmanager
async def controlled(cluster: FakeCluster) -> AsyncIterator[Clientset]:
    task = asyncio.create_task(CONTROL(cluster.clientset(AsyncClientset)))
    with cluster.clientset(Clientset) as user:
        yield user
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def until(holds: Callable[[], object]) -> None:
    deadline = monotonic() + 60
    while not holds():
        assert monotonic() < deadline, "timed out"
        await asyncio.sleep(0.001)


def test_the_home_page_shows_it() -> None:
    _, _, code = EXAMPLE.read_text("utf-8").partition("\n\n")
    home = EXAMPLE.parents[1] / "docs/index.md"
    assert f"```python\n{code}```\n" in home.read_text("utf-8")


def test_the_controller_is_short() -> None:
    lines = [line for line in EXAMPLE.read_text("utf-8").splitlines() if line]
    assert len(lines) < 25


def test_deployments_that_ask_for_a_service_have_one() -> None:
    async def scenario() -> None:
        cluster = FakeCluster(deployment("web", "80"), deployment("batch"))
        async with controlled(cluster) as user:
            await until(lambda: ports(user) == {"web": 80})
            services, deployments = (
                user.core_v1.services("default"),
                user.apps_v1.deployments("default"),
            )
            assert services.get("web").spec.selector == {"app": "web"}

            services.edit("web", lambda s: s.spec.selector.update(app="other"))
            await until(lambda: services.get("web").spec.selector == {"app": "web"})

            services.delete("web")
            await until(lambda: ports(user) == {"web": 80})

            deployments.create(deployment("api", "443"))
            await until(lambda: ports(user) == {"web": 80, "api": 443})

            deployments.edit("web", lambda d: d.metadata.annotations.update({PORT: "8080"}))
            await until(lambda: ports(user) == {"web": 8080, "api": 443})

            deployments.delete("api", propagation_policy="Background")
            await until(lambda: ports(user) == {"web": 8080})

    asyncio.run(scenario())


def test_one_failing_object_does_not_stop_the_others() -> None:
    async def scenario() -> None:
        cluster = FakeCluster(deployment("wrong", "http"), deployment("web", "80"))
        async with controlled(cluster) as user:
            await until(lambda: ports(user) == {"web": 80})
            deployments = user.apps_v1.deployments("default")
            deployments.edit("wrong", lambda d: d.metadata.annotations.update({PORT: "81"}))
            await until(lambda: ports(user) == {"web": 80, "wrong": 81})

    asyncio.run(scenario())


def test_it_runs_as_a_program_until_it_is_told_to_stop() -> None:
    with LocalServer() as server, Clientset.from_config(server.kubeconfig) as user:
        running = subprocess.Popen(
            [sys.executable, "-W", "error", str(EXAMPLE)],
            env={**os.environ, "KUBECONFIG": str(server.kubeconfig)},
            stderr=subprocess.PIPE,
            text=True,
        )
        user.apps_v1.deployments("default").create(deployment("web", "80"))
        deadline = monotonic() + 60
        while ports(user) != {"web": 80}:
            assert monotonic() < deadline
            assert running.poll() is None
            sleep(0.02)
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (0, "")
