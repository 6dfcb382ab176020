"""Waiting on a fake cluster with faults; `test_wait_threads` does the same on threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import (
    ContainerState,
    ContainerStateWaiting,
    ContainerStatus,
    Namespace,
    Pod,
    Secret,
)
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime import ManifestSetError, errors
from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime._async.dynamic import AsyncDynamicClient
from clientgen.runtime._models.model_codec import from_dict
from clientgen.runtime.conditions import (
    condition,
    deleted,
    exists,
    jsonpath,
    phase,
    ready,
    rolled_out,
)
from clientgen.testing import FakeClock, FakeCluster
from clientgen.testing._fake.reactors import Pattern


def pod(name: str = "a", phase: str = "Pending", uid: str = "", **labels: str) -> Pod:
    conditions = [{"type": "Ready", "status": "True" if phase == "Running" else "False"}]
    value = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "shop"}]},
        "status": {"phase": phase, "conditions": conditions},
    }
    if uid:
        value["metadata"]["uid"] = uid
    return from_dict(Pod, value)


class Shop:
    """A cluster, and its Pods."""

    def __init__(self, *objects: Any) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(*objects, clock=self.clock, seed=1)
        self.k = self.cluster.clientset(AsyncClientset)
        self.pods = self.k.core_v1.pods("shop")

    def watches(self) -> int:
        """The number of open watches."""
        with self.cluster.dispatcher.lock:
            return len(self.cluster.dispatcher.streams(Pattern("watch")))

    def asked(self) -> list[str]:
        """The requests so far."""
        return [each.verb for each in self.cluster.actions]

    async def step_until_over(self, waiting: Beside) -> None:
        """Let time pass, as pauses after faults need it."""
        for _ in range(500):
            if waiting.is_over:
                return
            self.clock.step(1)
            await sleep(0.001)

    async def watching(self, count: int = 1) -> None:
        """Return as soon as there are so many watches."""
        await until(lambda: self.watches() == count)


async def until(true: Callable[[], bool]) -> None:
    for _ in range(5000):
        if true():
            return
        await sleep(0.001)
    raise AssertionError("it does not become true")


class Beside:
    """Some work beside the test's."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._result: Any = None
        self._error: BaseException | None = None
        self.task = spawn(self._run, "wait")

    async def _run(self) -> None:
        try:
            self._result = await self._work()
        except BaseException as error:
            self._error = error

    @property
    def is_over(self) -> bool:
        return self.task.done

    async def end(self) -> Any:
        assert await self.task.join(10.0)
        if self._error is not None:
            raise self._error
        return self._result


# ---- one object ---------------------------------------------------------------------------------


async def test_what_is_true_already_takes_one_request():
    shop = Shop(pod(phase="Running"))
    found = await shop.pods.wait("a", until=condition("Ready"))
    assert isinstance(found, Pod)
    assert found.metadata.name == "a"
    assert shop.asked() == ["list"]
    assert shop.watches() == 0


async def test_what_becomes_true_is_watched_and_never_polled():
    shop = Shop(pod(), pod("b", "Running"))
    waiting = Beside(lambda: shop.pods.wait("a", until=phase("Running")))
    await shop.watching()
    shop.cluster.add(pod(app="web"))
    shop.cluster.add(pod(phase="Running"))
    assert (await waiting.end()).status.phase == "Running"
    assert shop.asked() == ["list", "watch"]
    await until(lambda: shop.watches() == 0)


async def test_what_is_true_for_a_moment_is_true():
    shop = Shop(pod())
    waiting = Beside(lambda: shop.pods.wait("a", until=phase("Running")))
    await shop.watching()
    with shop.cluster.dispatcher.lock:
        shop.cluster.add(pod(phase="Running"))
        shop.cluster.add(pod(phase="Failed"))
    assert (await waiting.end()).status.phase == "Running"


async def test_an_object_that_does_not_exist_is_waited_for():
    shop = Shop()
    waiting = Beside(lambda: shop.pods.wait("a", until=ready))
    created = Beside(lambda: shop.pods.wait("a", until=exists))
    await shop.watching(2)
    shop.cluster.add(pod())
    assert (await created.end()).status.phase == "Pending"
    assert not waiting.is_over
    shop.cluster.add(pod(phase="Running"))
    assert (await waiting.end()).status.phase == "Running"


async def test_functions_of_the_object_are_conditions():
    shop = Shop(pod())

    def is_labelled(obj: Pod) -> bool:
        return obj.metadata.labels.get("app") == "web"

    waiting = Beside(lambda: shop.pods.wait("a", until=is_labelled))
    await shop.watching()
    shop.cluster.add(pod(app="web"))
    assert (await waiting.end()).metadata.labels == {"app": "web"}


async def test_an_error_of_the_function_is_raised():
    shop = Shop(pod())

    def is_broken(obj: Pod) -> bool:
        if not obj.metadata.labels:
            return False
        raise LookupError("no such thing")

    waiting = Beside(lambda: shop.pods.wait("a", until=is_broken))
    await shop.watching()
    shop.cluster.add(pod(app="web"))
    with pytest.raises(LookupError, match="no such thing"):
        await waiting.end()
    with pytest.raises(LookupError, match="no such thing"):
        await shop.pods.wait("a", until=exists & is_broken)
    await until(lambda: shop.watches() == 0)


async def test_progress_is_told_once_for_every_state():
    shop, told = Shop(), []
    waiting = Beside(lambda: shop.pods.wait("a", until=ready, on_progress=told.append))
    await shop.watching()
    shop.cluster.add(pod())
    shop.cluster.add(pod(app="web"))
    shop.cluster.add(pod(phase="Running"))
    await waiting.end()
    assert told == ["it does not exist", "the Pod is Pending", "the Pod is Ready"]


# ---- failures -----------------------------------------------------------------------------------


async def test_a_wait_fails_when_fail_is_true():
    shop = Shop(pod())
    waiting = Beside(
        lambda: shop.pods.wait("a", until=jsonpath("{.status.podIP}"), fail=phase("Failed"))
    )
    await shop.watching()
    shop.cluster.add(pod(phase="Failed"))
    with pytest.raises(errors.WaitFailed) as failure:
        await waiting.end()
    assert str(failure.value) == "Pod shop/a: phase('Failed') is true: its phase is Failed"
    assert failure.value.object.status.phase == "Failed"


async def test_a_wait_fails_when_it_cannot_become_true_any_more():
    shop = Shop(pod())
    waiting = Beside(lambda: shop.pods.wait("a", until=condition("Ready")))
    await shop.watching()
    crashed = pod(phase="Failed")
    crashed.status.reason, crashed.status.message = "Evicted", "no memory"
    shop.cluster.add(crashed)
    with pytest.raises(errors.WaitFailed) as failure:
        await waiting.end()
    assert str(failure.value) == (
        "Pod shop/a: condition('Ready') cannot become true: the Pod has Failed (Evicted: no memory)"
    )


async def test_the_lack_of_an_object_can_be_a_failure():
    shop = Shop()
    with pytest.raises(errors.WaitFailed, match="deleted is true: it does not exist"):
        await shop.pods.wait("a", until=ready, fail=deleted)
    shop.cluster.add(pod())
    waiting = Beside(lambda: shop.pods.wait("a", until=ready, fail=deleted))
    await shop.watching()
    await shop.pods.delete("a", grace_period_seconds=0)
    with pytest.raises(errors.WaitFailed, match="deleted is true: it was deleted") as failure:
        await waiting.end()
    assert failure.value.object.metadata.name == "a"


async def test_a_deletion_alone_is_no_failure():
    shop = Shop(pod())
    waiting = Beside(lambda: shop.pods.wait("a", until=ready, timeout=60))
    await shop.watching()
    await shop.pods.delete("a", grace_period_seconds=0)
    shop.cluster.add(pod(phase="Running"))
    assert (await waiting.end()).status.phase == "Running"


async def test_a_timeout_says_what_the_state_is():
    shop = Shop(pod())
    waiting = Beside(lambda: shop.pods.wait("a", until=ready, timeout=60))
    await shop.watching()
    shop.clock.step(59)
    await sleep(0.01)
    assert not waiting.is_over
    shop.clock.step(1)
    with pytest.raises(errors.WaitTimeout) as late:
        await waiting.end()
    assert str(late.value) == "Pod shop/a: ready is not true after 60 s: the Pod is Pending"
    assert isinstance(late.value, TimeoutError)
    assert late.value.object.metadata.name == "a"
    await until(lambda: shop.watches() == 0)


async def test_a_timeout_of_zero_looks_once():
    shop = Shop(pod(phase="Running"))
    assert await shop.pods.wait("a", until=ready, timeout=0)
    with pytest.raises(errors.WaitTimeout, match="ready is not true: it does not exist") as late:
        await shop.pods.wait("b", until=ready, timeout=0)
    assert late.value.object is None
    assert shop.asked() == ["list", "list"]


def deployment(reason: str = "") -> Deployment:
    conditions = [{"type": "Progressing", "status": "False", "reason": reason}] if reason else []
    value = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "generation": 3},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {}},
        "status": {"observedGeneration": 3, "replicas": 2, "updatedReplicas": 1},
    }
    value["status"]["conditions"] = conditions
    return from_dict(Deployment, value)


def stuck(name: str) -> Pod:
    made = pod(name, app="web")
    waiting = ContainerStateWaiting(reason="ImagePullBackOff", message="no image nope")
    state = ContainerState(waiting=waiting)
    status = ContainerStatus(
        name="main", image="nope", image_id="", ready=False, restart_count=0, state=state
    )
    made.status.container_statuses = [status]
    return made


async def test_errors_of_a_workload_tell_the_cause_in_its_pods():
    healthy = [pod("a", "Running", app="web"), pod("b", app="web"), pod("z", "Failed", app="db")]
    shop = Shop(deployment(), stuck("c"), *healthy)
    deployments = shop.k.apps_v1.deployments("shop")
    cause = "Pod c: the Pod is Pending; container main: ImagePullBackOff: no image nope"
    with pytest.raises(errors.WaitTimeout) as late:
        await deployments.wait("web", until=rolled_out, timeout=0)
    assert str(late.value) == (
        "Deployment shop/web: rolled_out is not true:"
        f" 1 of 2 new replicas have been updated; {cause}"
    )
    shop.cluster.add(deployment("ProgressDeadlineExceeded"))
    with pytest.raises(errors.WaitFailed) as failure:
        await deployments.wait("web", until=ready)
    assert str(failure.value) == (
        "Deployment shop/web: ready cannot become true: the rollout has exceeded its progress"
        f" deadline (ProgressDeadlineExceeded); {cause}"
    )
    assert isinstance(failure.value.object, Deployment)


async def test_the_cause_in_the_pods_is_told_during_the_wait():
    """It is looked for only while nothing else is told, and told once."""
    shop, told = Shop(deployment(), stuck("c")), []
    deployments = shop.k.apps_v1.deployments("shop")
    waiting = Beside(lambda: deployments.wait("web", until=rolled_out, on_progress=told.append))
    await shop.watching()
    assert told == ["1 of 2 new replicas have been updated"]
    await step_until(shop, lambda: len(told) == 2)
    cause = "Pod c: the Pod is Pending; container main: ImagePullBackOff: no image nope"
    assert told[1] == f"1 of 2 new replicas have been updated; {cause}"
    looks = shop.asked().count("list")
    await step_until(shop, lambda: shop.asked().count("list") > looks + 1)
    assert len(told) == 2
    shop.cluster.add(deployment("ProgressDeadlineExceeded"))
    with pytest.raises(errors.WaitFailed, match="ImagePullBackOff"):
        await waiting.end()


async def test_the_log_of_manifest_sets_tells_the_cause_during_the_wait(caplog):
    caplog.set_level("INFO", "clientgen.manifests")
    shop = Shop(deployment(), stuck("c"))
    web = shop.k.manifests(deployment(), strict=False)
    waiting = Beside(lambda: web.wait(rolled_out))
    await shop.watching()
    await step_until(shop, lambda: len(caplog.messages) == 2)
    state = "Deployment shop/web: 1 of 2 new replicas have been updated"
    cause = "Pod c: the Pod is Pending; container main: ImagePullBackOff: no image nope"
    assert caplog.messages == [state, f"{state}; {cause}"]
    shop.cluster.add(deployment("ProgressDeadlineExceeded"))
    with pytest.raises(ManifestSetError):
        await waiting.end()


async def test_pods_are_not_looked_at_if_nobody_is_told():
    shop = Shop(deployment(), stuck("c"), pod("a"))
    deployments = shop.k.apps_v1.deployments("shop")
    silent = Beside(lambda: deployments.wait("web", until=rolled_out, timeout=60))
    other = Beside(lambda: shop.pods.wait("a", until=ready, on_progress=str, timeout=60))
    await shop.watching(2)
    for _ in range(11):
        shop.clock.step(5)
    assert shop.asked().count("list") == 2
    shop.clock.step(5)
    for waiting in (silent, other):
        with pytest.raises(errors.WaitTimeout):
            await waiting.end()


async def test_an_error_of_the_function_that_is_told_the_cause_is_raised():
    shop = Shop(deployment(), stuck("c"))

    def tell(state: str) -> None:
        if "ImagePullBackOff" in state:
            raise ZeroDivisionError(state)

    deployments = shop.k.apps_v1.deployments("shop")
    waiting = Beside(lambda: deployments.wait("web", until=rolled_out, on_progress=tell))
    await shop.watching()
    await shop.step_until_over(waiting)
    with pytest.raises(ZeroDivisionError):
        await waiting.end()


async def step_until(shop: Shop, true: Callable[[], bool]) -> None:
    for _ in range(5000):
        if true():
            return
        shop.clock.step(1)
        await sleep(0.001)
    raise AssertionError("it does not become true")


async def test_causes_that_cannot_be_read_are_left_out():
    shop = Shop(deployment(), stuck("c"))
    shop.cluster.fail("list", "pods", 403)
    with pytest.raises(errors.WaitTimeout, match=r"have been updated$"):
        await shop.k.apps_v1.deployments("shop").wait("web", until=rolled_out, timeout=0)


async def test_resources_by_name_wait_as_well():
    shop = Shop(pod(phase="Running"), pod("b"))
    pods = AsyncDynamicClient(shop.k.rest).resource("pods")
    found = await pods.wait("a", until=ready, namespace="shop")
    assert found.metadata.name == "a"
    assert len(await pods.wait(until=exists)) == 2
    assert await pods.wait("none", until=deleted, namespace="shop") is None
    with pytest.raises(errors.WaitTimeout):
        await pods.wait("b", until=ready, namespace="shop", timeout=0)
    with pytest.raises(ValueError, match="name"):
        await pods.wait("", until=deleted, namespace="shop")


# ---- deletion -----------------------------------------------------------------------------------


async def test_what_is_gone_already_is_deleted():
    shop = Shop(pod("b"))
    assert await shop.pods.wait("a", until=deleted) is None
    assert shop.asked() == ["list"]


async def test_a_deletion_is_seen():
    shop = Shop(pod())
    waiting = Beside(lambda: shop.pods.wait("a", until=deleted))
    await shop.watching()
    shop.cluster.add(pod(app="web"))
    await shop.pods.delete("a", grace_period_seconds=0)
    assert (await waiting.end()).metadata.name == "a"


async def test_another_object_of_the_name_means_that_it_is_deleted():
    shop = Shop(pod(uid="first"))
    waiting = Beside(lambda: shop.pods.wait("a", until=deleted))
    await shop.watching()
    with shop.cluster.dispatcher.lock:
        shop.cluster.restart()  # no event tells of the deletion
        shop.cluster.add(pod(uid="second"))
        shop.cluster.compact()
    await shop.step_until_over(waiting)
    assert (await waiting.end()).metadata.uid == "first"


async def test_a_timeout_says_what_keeps_an_object():
    stuck = pod()
    stuck.metadata.finalizers = ["shop.example/invoice"]
    shop = Shop(stuck)
    await shop.pods.delete("a", grace_period_seconds=0)
    with pytest.raises(errors.WaitTimeout, match=r"finalizers .*: shop\.example/invoice"):
        await shop.pods.wait("a", until=deleted, timeout=0)


# ---- several objects ----------------------------------------------------------------------------


async def test_all_objects_that_match_have_to_be_as_wanted():
    shop = Shop(pod("a", "Running", app="web"), pod("b", app="web"), pod("c", app="db"))
    told: list[str] = []
    waiting = Beside(
        lambda: shop.pods.wait(until=ready, label_selector="app=web", on_progress=told.append)
    )
    await shop.watching()
    shop.cluster.add(pod("d", app="web"))
    shop.cluster.add(pod("b", "Running", app="web"))
    await sleep(0.01)
    assert not waiting.is_over
    shop.cluster.add(pod("d", "Running", app="web"))
    found = await waiting.end()
    assert [each.metadata.name for each in found] == ["a", "b", "d"]
    assert told[0] == "1 of 2 objects are done; Pod shop/b: the Pod is Pending"
    assert told[-1] == "3 of 3 objects are done"


async def test_at_least_one_has_to_exist():
    shop = Shop(pod("c", app="db"))
    waiting = Beside(lambda: shop.pods.wait(until=ready, label_selector={"app": "web"}, timeout=10))
    await shop.watching()
    shop.clock.step(10)
    with pytest.raises(errors.WaitTimeout) as late:
        await waiting.end()
    assert str(late.value) == (
        "every Pod in shop with app=web: ready is not true after 10 s: no such object exists"
    )


async def test_an_object_that_leaves_is_not_waited_for():
    shop = Shop(pod("a", "Running", app="web"), pod("b", app="web"))
    waiting = Beside(lambda: shop.pods.wait(until=ready, label_selector="app=web"))
    await shop.watching()
    shop.cluster.add(pod("b", app="other"))
    assert [each.metadata.name for each in await waiting.end()] == ["a"]


async def test_one_that_fails_is_named():
    shop = Shop(pod("a"), pod("b"))
    waiting = Beside(lambda: shop.k.core_v1.pods().wait(until=ready))
    await shop.watching()
    shop.cluster.add(pod("b", "Failed"))
    with pytest.raises(errors.WaitFailed) as failure:
        await waiting.end()
    assert str(failure.value) == (
        "every Pod: ready cannot become true: Pod shop/b: the Pod has Failed"
    )
    assert failure.value.object.metadata.name == "b"


async def test_only_those_that_exist_at_first_have_to_be_deleted():
    shop = Shop(pod("a", app="web"), pod("b", app="web"))
    waiting = Beside(lambda: shop.pods.wait(until=deleted, label_selector="app=web"))
    await shop.watching()
    shop.cluster.add(pod("new", app="web"))
    await shop.pods.delete("a", grace_period_seconds=0)
    shop.cluster.add(pod("a", uid="another", app="web"))
    assert not waiting.is_over
    await shop.pods.delete("b", grace_period_seconds=0)
    assert [each.metadata.name for each in await waiting.end()] == ["a", "b"]
    assert await shop.pods.wait(until=deleted, label_selector="app=none") == []


async def test_cluster_scoped_kinds_are_waited_for():
    shop = Shop(Namespace(metadata=ObjectMeta(name="shop")))
    found = await shop.k.core_v1.namespaces().wait("shop", until=phase("Active"))
    assert found.metadata.name == "shop"
    assert await shop.k.core_v1.namespaces().wait(until=exists)


# ---- faults -------------------------------------------------------------------------------------

FAULTS = {
    "dropped": lambda cluster: cluster.drop_watches(),
    "ended": lambda cluster: cluster.end_watches(),
    "expired": lambda cluster: cluster.end_watches(expired=True),
    "restarted": lambda cluster: cluster.restart(),
    "cut": lambda cluster: (cluster.cut("watch", "pods", after=40), cluster.drop_watches()),
    "busy": lambda cluster: (cluster.fail("watch", "pods", 429, times=3), cluster.drop_watches()),
    "broken": lambda cluster: (
        cluster.fail("*", "pods", 500, times=4),
        cluster.end_watches(expired=True),
    ),
    "away": lambda cluster: (
        cluster.fail("*", "pods", errors.ConnectionLost, times=4),
        cluster.restart(),
    ),
    "twice": lambda cluster: cluster.duplicate_events(times=5),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_faults_are_survived(fault: str):
    shop = Shop(pod())
    waiting = Beside(lambda: shop.pods.wait("a", until=ready, timeout=3600))
    await shop.watching()
    FAULTS[fault](shop.cluster)
    with shop.cluster.dispatcher.lock:
        shop.cluster.add(pod(app="web"))
        shop.cluster.add(pod(phase="Running"))
    await shop.step_until_over(waiting)
    assert (await waiting.end()).status.phase == "Running"


async def test_a_deletion_during_an_outage_is_seen():
    shop = Shop(pod())
    waiting = Beside(lambda: shop.pods.wait("a", until=deleted))
    await shop.watching()
    with shop.cluster.dispatcher.lock:
        shop.cluster.restart()
        shop.cluster.server.put({**NEW, "metadata": {"name": "other", "namespace": "shop"}})
    await shop.pods.delete("a", grace_period_seconds=0)
    await shop.step_until_over(waiting)
    assert (await waiting.end()).metadata.name == "a"


NEW: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "spec": {"containers": [{"name": "main", "image": "shop"}]},
}


@pytest.mark.parametrize("code", [401, 403, 404, 405])
async def test_a_refused_list_is_an_ordinary_error(code: int):
    shop = Shop(pod())
    shop.cluster.fail("list", "pods", code)
    with pytest.raises(errors.ApiError) as refused:
        await shop.pods.wait("a", until=ready)
    assert refused.value.code == code


@pytest.mark.parametrize("code", [403, 404])
async def test_a_refused_watch_ends_the_wait(code: int):
    shop = Shop(pod())
    shop.cluster.fail("watch", "pods", code, times=None)
    with pytest.raises(errors.ApiError) as refused:
        await shop.pods.wait("a", until=ready)
    assert refused.value.code == code


async def test_a_timeout_tells_of_a_server_that_is_away():
    shop = Shop(pod())
    waiting = Beside(lambda: shop.pods.wait("a", until=ready, timeout=100))
    await shop.watching()
    shop.cluster.fail("*", "pods", errors.ConnectionLost, times=None)
    shop.cluster.drop_watches()
    await shop.step_until_over(waiting)
    with pytest.raises(errors.WaitTimeout, match=r"the Pod is Pending; .*lost"):
        await waiting.end()


# ---- arguments ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", None, "a/b", "..", "%2e", 3])
async def test_a_name_has_to_be_one(name: Any):
    shop = Shop(pod())
    with pytest.raises(ValueError, match="name"):
        await shop.pods.wait(name, until=deleted)
    assert shop.asked() == []


async def test_wrong_arguments_are_told():
    shop = Shop(pod())
    with pytest.raises(ValueError, match="a name or selectors, not both"):
        await shop.pods.wait("a", until=ready, label_selector="app=web")
    with pytest.raises(ValueError, match="timeout must be 0 or"):
        await shop.pods.wait("a", until=ready, timeout=-1)
    with pytest.raises(TypeError, match="'ready' is not a condition"):
        await shop.pods.wait("a", until="ready")
    with pytest.raises(TypeError, match="'ready' is not a condition"):
        await shop.pods.wait("a", until=ready, fail="ready")
    with pytest.raises(TypeError, match="label_selector must be"):
        await shop.pods.wait(until=ready, label_selector=3)
    assert shop.asked() == []


async def test_messages_tell_no_secrets():
    secret = Secret(metadata=ObjectMeta(name="s", namespace="shop"), data={"p": b"hunter2"})
    shop = Shop(secret)
    secrets = shop.k.core_v1.secrets("shop")
    for path in ("{.data.p}", "{.data}"):
        with pytest.raises(errors.WaitTimeout) as late:
            await secrets.wait("s", until=jsonpath(path, "x"), timeout=0)
        assert "aHVudGVy" not in f"{late.value!r} {late.value} {late.value.args}"
