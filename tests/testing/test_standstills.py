"""Waits by a FakeClock that nobody moves: they fail, and say so."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.aio import AsyncContext, AsyncManager
from clientgen.runtime.conditions import condition
from clientgen.runtime.errors import SyncTimeout, WaitTimeout
from clientgen.testing import FakeClock, FakeCluster
from clientgen.testing._fake import standstills
from clientgen.testing._fake.standstills import Standstill

SOON = 0.2
STANDS = (
    "the FakeClock has not moved for 0.2 s, and the cluster has received no request: "
    "call step(), or use the real clock"
)


def cluster_of(clock: FakeClock) -> FakeCluster:
    return FakeCluster(ConfigMap(metadata=ObjectMeta(name="one", namespace="default")), clock=clock)


async def test_a_wait_says_what_it_waits_for_and_that_the_clock_stands_still() -> None:
    ready = condition("Ready")
    async with cluster_of(FakeClock(patience=SOON)).clientset(AsyncClientset) as user:
        with pytest.raises(WaitTimeout) as caught:
            await user.wait(ConfigMap, "one", namespace="default", until=ready, timeout=60)
    assert "ConfigMap default/one" in str(caught.value)
    assert str(caught.value).endswith(STANDS)


def test_a_wait_of_a_thread_does_so_without_a_timeout_too() -> None:
    cluster = cluster_of(FakeClock(patience=SOON))
    with cluster.clientset(Clientset) as user, pytest.raises(WaitTimeout) as caught:
        user.wait(ConfigMap, "one", namespace="default", until=condition("Ready"))
    assert str(caught.value).endswith(STANDS)


async def test_a_manager_whose_caches_are_not_filled_fails() -> None:
    cluster = cluster_of(FakeClock(patience=SOON))
    cluster.fail("*", "configmaps", 500, times=None)

    async def reconcile(_: AsyncContext[ConfigMap]) -> None:
        """Do nothing."""

    async with cluster.clientset(AsyncClientset) as k:
        manager = AsyncManager(k)
        manager.controller("maps", reconcile).for_(ConfigMap)
        with pytest.raises(SyncTimeout, match="the FakeClock has not moved"):
            await manager.run()


async def test_a_factory_that_waits_for_its_caches_fails() -> None:
    clock = FakeClock(patience=SOON)
    cluster = cluster_of(clock)
    cluster.fail("*", "configmaps", 500, times=None)
    async with cluster.clientset(AsyncClientset) as k:
        factory = k.informers(clock=clock)
        factory.core_v1.config_maps()
        factory.start()
        with pytest.raises(SyncTimeout, match="the FakeClock has not moved"):
            await factory.wait_for_sync(60)
        await factory.shutdown()


def test_threads_that_wait_for_their_caches_fail() -> None:
    clock = FakeClock(patience=SOON)
    cluster = cluster_of(clock)
    cluster.fail("*", "configmaps", 500, times=None)
    with cluster.clientset(Clientset) as k:
        factory = k.informers(clock=clock)
        factory.core_v1.config_maps()
        factory.start()
        with pytest.raises(SyncTimeout, match=r"configmaps .*the FakeClock has not moved"):
            factory.wait_for_sync()
        factory.shutdown()


def test_a_clock_that_is_moved_or_used_does_not_stand_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, stirs, refusal = [0.0], [0], [""]
    monkeypatch.setattr(standstills, "monotonic", lambda: now[0])
    watched = Standstill(lambda: stirs[0], lambda: 30.0, lambda: refusal[0])

    def look(seconds: float, count: int = 1) -> str:
        for _ in range(count - 1):
            now[0] += seconds
            assert watched.check() == ""
        now[0] += seconds
        return watched.check()

    assert look(3.0, 9) == ""
    stirs[0] += 1  # a request, or a step of the clock
    assert look(3.0, 10) == ""
    now[0] += 500.0  # at the prompt of a debugger, or on a machine that was asleep
    assert watched.check() == ""
    refusal[0] = "ServiceAccount shop/operator was refused: patch configmaps"
    assert look(3.0, 10) == (
        "the FakeClock has not moved for 30 s, and the cluster has received no request since "
        "ServiceAccount shop/operator was refused: patch configmaps: "
        "call step(), or use the real clock"
    )


def test_a_debugger_may_take_as_long_as_it_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = FakeClock(patience=0.001).standstill()
    assert watched is not None
    at_prompt, leave = threading.Event(), threading.Event()
    code = "def prompt():\n    at_prompt.set()\n    leave.wait(60)\n"
    names = {"__name__": "pdb", "at_prompt": at_prompt, "leave": leave}
    exec(code, names)
    thread = threading.Thread(target=names["prompt"])  # type: ignore[arg-type]
    thread.start()
    at_prompt.wait(60)
    monkeypatch.setattr(standstills, "monotonic", lambda: float("1e9"))
    watched.check()
    monkeypatch.setattr(standstills, "monotonic", lambda: float("1e9") + 0.2)
    assert watched.check() == ""
    leave.set()
    thread.join()
    assert watched.check().startswith("the FakeClock has not moved")


def test_patience_may_be_endless_and_is_checked() -> None:
    assert FakeClock(patience=None).standstill() is None
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="patience must be a positive number"):
            FakeClock(patience=wrong)


@pytest.fixture
def came() -> Iterator[list[int]]:
    """The signals that come to who runs the tests."""
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    yield came
    signal.signal(signal.SIGTERM, before)


async def test_signals_are_for_who_runs_the_tests(came: list[int]) -> None:
    async with cluster_of(FakeClock()).clientset(AsyncClientset) as k:
        manager = AsyncManager(k)
        began = asyncio.Event()

        async def begin() -> None:
            began.set()

        manager.add(begin)
        running = asyncio.create_task(manager.run())
        await began.wait()
        signal.raise_signal(signal.SIGTERM)
        assert came == [signal.SIGTERM]
        assert not manager.is_stopping
        manager.stop()
        await running


TESTS = """
import asyncio
import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta
from clientgen.runtime.aio import AsyncManager
from clientgen.runtime.conditions import condition
from clientgen.testing import FakeClock, FakeCluster

def test_operator():
    asyncio.run(operate())

async def operate():
    cluster = FakeCluster(clock=FakeClock())
    k = cluster.clientset(AsyncClientset, service_account="shop/operator")
    user = cluster.clientset(AsyncClientset)

    async def reconcile(context):
        await k.core_v1.config_maps("default").patch(
            context.request.name, {"data": {"colour": "red"}}
        )

    manager = AsyncManager(k)
    manager.controller("maps", reconcile).for_(ConfigMap)
    running = asyncio.create_task(manager.run())
    try:
        await user.core_v1.config_maps("default").create({"metadata": {"name": "one"}})
        await user.wait(ConfigMap, "one", namespace="default", until=condition("Ready"), timeout=60)
    finally:
        manager.stop()
        await running
"""
ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: operator}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}
- {apiGroups: ["", events.k8s.io], resources: [events], verbs: [create, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operator}
subjects:
- {kind: ServiceAccount, name: operator, namespace: shop}
"""


def test_a_missing_right_ends_the_test_that_waits_for_its_effect(tmp_path: Path) -> None:
    (tmp_path / "role.yaml").write_text(ROLE)
    (tmp_path / "test_theirs.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", "-pno:timeout"]
    done = subprocess.run(
        [*command, "--under-rbac=role.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    refused = "ServiceAccount shop/operator was refused: patch configmaps"
    assert f"the cluster has received no request since {refused}" in done.stdout
    assert "denied: ServiceAccount shop/operator: patch configmaps" in done.stdout
