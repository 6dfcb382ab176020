"""The controller in both flavours, on an API server in this process that has the CRD."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import crontabs_client
import kubeapi
import pytest
from crontabs import async_controller, controller
from crontabs.decisions import NAME, cron_job_for, schedule_problem, with_status
from crontabs.v1 import CronTab, CronTabSpec
from crontabs.webhook import check
from kubeapi.batch.v1 import CronJob
from kubeapi.core.v1 import EnvVar, Namespace, ObjectReference, ResourceRequirements
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.aio import AsyncWebhooks
from clientgen.runtime.errors import Invalid
from clientgen.runtime.models import Quantity
from clientgen.runtime.sync import Webhooks
from clientgen.runtime.webhooks import AdmissionRequest, Denied
from clientgen.testing import FakeCluster, LocalServer, explore

CRDS = Path(__file__).with_name("crds")
ANYTHING: Any = "Anything"
ACCOUNT = "crontabs-system/crontabs"
"""The controller's ServiceAccount: see deploy/role.yaml."""
ELECTION: Any = {"leader_election": NAME}
Controlled = Callable[[FakeCluster], AbstractContextManager[None]]


def tab(name: str = "backup") -> CronTab:
    """A CronTab as somebody would write it."""
    spec = CronTabSpec(
        cron_spec="5 4 * * *",
        image="backup:1",
        env=[EnvVar(name="DEPTH", value="2")],
        resources=ResourceRequirements(requests={"memory": Quantity("64Mi")}),
    )
    return CronTab(metadata=ObjectMeta(name=name, namespace="default"), spec=spec)


@contextmanager
def with_threads(cluster: FakeCluster) -> Generator[None]:
    """The operator of threads at work."""
    with (
        cluster.clientset(kubeapi.Clientset, service_account=ACCOUNT) as k,
        ThreadPoolExecutor(1) as pool,
    ):
        manager = controller.make_manager(k, **ELECTION)
        running = pool.submit(manager.run)
        try:
            yield
        finally:
            manager.stop()
            running.result()


@contextmanager
def with_tasks(cluster: FakeCluster) -> Generator[None]:
    """The operator of tasks at work, in an event loop of its own."""
    started: Future[Callable[[], object]] = Future()

    async def run() -> None:
        async with cluster.clientset(kubeapi.AsyncClientset, service_account=ACCOUNT) as k:
            manager = async_controller.make_manager(k, **ELECTION)
            loop = asyncio.get_running_loop()
            started.set_result(lambda: loop.call_soon_threadsafe(manager.stop))
            await manager.run()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: asyncio.run(run()))
        try:
            yield
        finally:
            started.result()()
            running.result()


@pytest.fixture(params=[with_threads, with_tasks])
def controlled(request: pytest.FixtureRequest) -> Controlled:
    controlled: Controlled = request.param
    return controlled


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster(Namespace(metadata=ObjectMeta(name="crontabs-system")), crds=[CRDS])


def until(holds: Callable[[], object]) -> None:
    deadline = monotonic() + 60
    while not holds():
        assert monotonic() < deadline, "timed out"
        sleep(0.005)


def test_a_cron_tab_has_a_cron_job_that_goes_with_it(
    cluster: FakeCluster, controlled: Controlled
) -> None:
    k = cluster.clientset(kubeapi.Clientset)
    tabs = crontabs_client.Clientset(k.rest).stable_v1.cron_tabs("default")
    jobs = k.batch_v1.cron_jobs("default")

    def job() -> CronJob | None:
        return next((each for each in jobs.list() if each.metadata.name == "backup"), None)

    def reason() -> str:
        return tabs.get("backup").status.conditions[0].reason

    with controlled(cluster):
        made = tabs.create(tab())
        until(job)
        spec = jobs.get("backup").spec
        [main] = spec.job_template.spec.template.spec.containers
        assert (spec.schedule, spec.suspend, main.image) == ("5 4 * * *", False, "backup:1")
        assert [(env.name, env.value) for env in main.env] == [("DEPTH", "2")]
        until(lambda: tabs.get("backup").status.observed_generation == made.metadata.generation)

        assert reason() == "Scheduled"

        tabs.pause("backup")  # a method of ours: see expansions.py
        until(lambda: jobs.get("backup").spec.suspend)
        until(lambda: reason() == "Paused")

        jobs.edit("backup", lambda each: setattr(each.spec, "schedule", "* * * * *"))
        until(lambda: jobs.get("backup").spec.schedule == "5 4 * * *")

        running = ObjectReference(kind="Job", name="backup-1")
        jobs.status("backup").edit(lambda each: each.status.active.append(running))
        until(lambda: tabs.get("backup").status.active == 1)

        tabs.delete("backup", propagation_policy="Background")
        until(lambda: job() is None)


@pytest.mark.parametrize("module", ["crontabs.controller", "crontabs.async_controller"])
def test_it_works_in_a_cluster_until_it_is_told_to_stop(cluster: FakeCluster, module: str) -> None:
    k = cluster.clientset(kubeapi.Clientset)
    crontabs_client.Clientset(k.rest).stable_v1.cron_tabs("default").create(tab())
    with LocalServer(cluster, service_account=ACCOUNT) as server:
        running = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", module],
            cwd=CRDS.parent,
            env={**os.environ, "KUBECONFIG": server.kubeconfig},
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            until(
                lambda: running.poll() is not None or k.batch_v1.cron_jobs("default").list().items
            )
            running.send_signal(signal.SIGTERM)
            _, errors = running.communicate(timeout=60)
        finally:
            running.kill()
    assert (running.returncode, errors) == (0, "")


def test_faults_change_nothing_in_the_end() -> None:
    """Crashes, stale caches, lost answers: `explore` tries some here; a larger budget tries all."""

    async def scenario(k: kubeapi.AsyncClientset) -> None:
        crontabs_client.add_to_scheme(k.scheme)
        await k.create(tab())
        await k.patch(CronTab, "backup", {"spec": {"paused": True}})

    make = async_controller.make_manager
    explore(make, scenario, clientset=kubeapi.AsyncClientset, crds=[CRDS], budget=2.0)


def test_methods_of_ours_on_clients_and_listers(cluster: FakeCluster) -> None:
    async def scenario() -> list[str]:
        async with cluster.clientset(crontabs_client.AsyncClientset) as k, k.informers() as factory:
            tabs = k.stable_v1.cron_tabs("default")
            for name in ("a", "b"):
                await tabs.create(tab(name))
            await tabs.pause("b")
            informer = factory.stable_v1.cron_tabs()
            factory.start()
            await informer.wait_for_sync()
            return [each.metadata.name for each in informer.lister.paused()]

    assert asyncio.run(scenario()) == ["b"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (CronTabSpec(cron_spec="at noon", image="x"), "spec.cronSpec"),
        (CronTabSpec(cron_spec="5 4 * * *", image=""), "spec.image"),
        (CronTabSpec(cron_spec="5 4 * * *", image="x", history=11), "spec.history"),
        (CronTabSpec(cron_spec="5 4 * * *", image="x", overlap=ANYTHING), "spec.overlap"),
    ],
)
def test_the_server_refuses_what_the_types_do_not_allow(
    cluster: FakeCluster, wrong: CronTabSpec, field: str
) -> None:
    tabs = cluster.clientset(crontabs_client.Clientset).stable_v1.cron_tabs("default")

    with pytest.raises(Invalid, match=field):
        tabs.create(CronTab(metadata=ObjectMeta(name="a"), spec=wrong))


def test_a_crontab_without_a_spec_is_none(cluster: FakeCluster) -> None:
    tabs = cluster.clientset(crontabs_client.Clientset).stable_v1.cron_tabs("default")

    with pytest.raises(TypeError, match="CronTab needs 'spec'"):
        CronTab(metadata=ObjectMeta(name="a"))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    with pytest.raises(Invalid, match="spec: Required value"):
        tabs.apply({"metadata": {"name": "a"}})


def test_a_status_that_says_so_already_is_not_changed() -> None:
    mine = tab()
    mine.metadata.uid, mine.metadata.generation = "1", 2
    job = cron_job_for(mine)

    changed = with_status(mine, job)

    assert (mine.status.conditions, changed.status.observed_generation) == ([], 2)
    assert with_status(changed, job) == changed


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("5 4 * * *", ""),
        ("*/15 0-23 1,31 12 7", ""),
        ("60 4 * * *", "minute 60 of '60 4 * * *' is more than 59"),
        ("5 24 * * *", "hour 24 of '5 24 * * *' is more than 23"),
        ("0 0 1-32 * *", "day 32 of '0 0 1-32 * *' is more than 31"),
    ],
)
def test_the_webhook_refuses_what_the_pattern_cannot_know(schedule: str, problem: str) -> None:
    mine = tab()
    mine.spec.cron_spec = schedule
    request = AdmissionRequest(mine)
    assert schedule_problem(schedule) == problem
    if problem:
        with pytest.raises(Denied, match=re.escape(problem)):
            check(request)
    else:
        check(request)


@pytest.mark.parametrize("flavour", [Webhooks, AsyncWebhooks])
def test_the_server_asks_the_webhook(
    cluster: FakeCluster,
    caplog: pytest.LogCaptureFixture,
    flavour: type[Webhooks | AsyncWebhooks],
) -> None:
    k = cluster.clientset(crontabs_client.Clientset)
    webhooks = flavour(scheme=k.scheme)
    webhooks.validate(CronTab, check)
    cluster.service("crontabs-system/crontabs", webhooks)
    cluster.add(*webhooks.configurations(NAME, service="crontabs-system/crontabs"))
    tabs = k.stable_v1.cron_tabs("default")

    kept_nothing = tab()
    kept_nothing.spec.history = 0
    tabs.create(kept_nothing)
    assert "spec.history is 0: finished Jobs are not kept" in caplog.text
    with pytest.raises(Invalid, match=r"denied the request: spec\.cronSpec: minute 60 of"):
        tabs.patch("backup", {"spec": {"cronSpec": "60 4 * * *"}})
    assert tabs.get("backup").spec.cron_spec == "5 4 * * *"
