"""The controller in both flavours, on a cluster in the process that is made to misbehave."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, suppress
from functools import partial
from random import Random
from time import sleep
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.controllers import Request
from clientgen.runtime.errors import (
    AlreadyExists,
    Conflict,
    ConnectionLost,
    Forbidden,
    InternalError,
    NotFound,
)
from clientgen.testing import FakeClock, FakeCluster, explore

from . import api
from .api.servicelookup.v1alpha1 import PodToService, PodToServiceSpec
from .async_controller import AsyncServiceLookup
from .background import with_tasks, with_threads
from .controller import ServiceLookup
from .demo import ACCOUNT, CRD, PATIENCE, SHOP, endpoints, pod, records

NEVER = 1e9
# Enough for the longest backoff of informers, whatever a step costs on this machine.
MAX_FAKE_SECONDS = 300.0


class World:
    """A cluster, a clock that is moved while somebody waits, a user, and the controller."""

    def __init__(self, flavour: str, *, collects: bool = True) -> None:
        self.clock = FakeClock()
        delay = 0.0 if collects else NEVER
        self.cluster = FakeCluster(crds=[CRD], clock=self.clock, controller_delay=delay)
        self.user = self.cluster.clientset(Clientset)
        self.pods = self.user.core_v1.pods(SHOP)
        self.endpoints = self.user.core_v1.endpoints(SHOP)
        self.records = api.Clientset(self.user.rest).servicelookup_v1alpha1.pod_to_services(SHOP)
        self.cluster.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SHOP}})
        self._flavour = flavour

    def lookup(self, **options: Any) -> AbstractContextManager[ServiceLookup | AsyncServiceLookup]:
        options = {"clock": self.clock, "sync_timeout": NEVER, **options}
        if self._flavour == "threads":
            clientset = partial(self.cluster.clientset, Clientset, service_account=ACCOUNT)
            return with_threads(clientset, lambda k: ServiceLookup(k, **options))
        async_clientset = partial(self.cluster.clientset, AsyncClientset, service_account=ACCOUNT)
        return with_tasks(async_clientset, lambda k: AsyncServiceLookup(k, **options))

    def until(self, holds: Callable[[], object]) -> None:
        """Let time of the fake clock pass until something is so."""
        deadline = self.clock.monotonic() + MAX_FAKE_SECONDS
        while not self._is_so(holds):
            assert self.clock.monotonic() < deadline, f"timed out: {records(self.user)}"
            self.clock.step(0.1)
            sleep(0.001)

    def _is_so(self, holds: Callable[[], object]) -> bool:
        try:
            return bool(holds())
        except InternalError:  # a fault that was meant for the controller
            return False

    def until_recorded(self, **services: str) -> None:
        self.until(lambda: self.recorded() == services)

    def recorded(self) -> dict[str, str]:
        return {each.metadata.name: each.spec.service_name for each in self.records.list().items}

    def recorded_owners(self) -> dict[str, str]:
        return {each.metadata.name: each.spec.pod_uid for each in self.records.list().items}

    def owners(self) -> dict[str, str]:
        """The uids of the pods that have a record."""
        named = self.recorded()
        uids = {each.metadata.name: each.metadata.uid for each in self.pods.list().items}
        return {name: uid for name, uid in uids.items() if name in named}

    def put(self, service: str, *names: str, **uids: str) -> None:
        """Have a service be backed by these pods."""
        named = endpoints(service, dict.fromkeys([*names, *uids], "10.0.0.1"))
        for address in named.subsets[0].addresses:
            assert address.target_ref is not None
            address.target_ref.uid = uids.get(address.target_ref.name or "")
        self.cluster.add(named)

    def kill(self, name: str) -> None:
        self.pods.delete(name, grace_period_seconds=0)


@pytest.fixture(params=["tasks", "threads"])
def flavour(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """A flavour that leaves no thread, and does not change what is in its caches."""
    monkeypatch.setenv("CLIENTGEN_CACHE_MUTATION_DETECTOR", "true")
    before = set(threading.enumerate())
    yield request.param
    for thread in set(threading.enumerate()) - before:
        thread.join(PATIENCE)  # those that were told to end need a moment
    assert set(threading.enumerate()) <= before


@pytest.fixture
def world(flavour: str) -> World:
    return World(flavour)


def test_existing_pods_are_recorded_at_startup(world: World) -> None:
    world.cluster.add(pod("a"), pod("b"), pod("alone"))
    world.put("web", "a", "b")

    with world.lookup():
        world.until_recorded(a="web", b="web")

    me, record = world.pods.get("a"), world.records.get("a")
    assert record.spec == PodToServiceSpec(
        pod_name="a", pod_uid=me.metadata.uid, pod_address="10.0.0.1", service_name="web"
    )
    writes = sorted(str(action) for action in world.cluster.writes)
    resource = "create podtoservices.servicelookup.example.com"
    assert writes == [f"{resource} shop/a", f"{resource} shop/b"]


def test_a_pod_that_is_not_known_yet_is_tried_again(world: World) -> None:
    world.cluster.add(pod("a"))
    with world.lookup() as lookup:
        world.put("web", "a", "late")
        world.until_recorded(a="web")
        world.until(lambda: lookup.endpoints.num_requeues(Request(SHOP, "web")) > 1)

        world.cluster.add(pod("late"))
        world.until_recorded(a="web", late="web")
        world.until(lambda: lookup.endpoints.num_requeues(Request(SHOP, "web")) == 0)


def test_a_pod_that_was_replaced_has_a_record_of_its_own(flavour: str) -> None:
    world = World(flavour, collects=False)
    world.cluster.add(pod("a"))
    first = world.pods.get("a").metadata.uid
    world.put("web", a=first)
    with world.lookup():
        world.until_recorded(a="web")
        before = world.records.get("a").metadata.uid

        world.kill("a")
        world.pods.create(pod("a"))
        second = world.pods.get("a").metadata.uid
        world.until_recorded()  # the endpoints still mean the other one
        world.put("web", a=second)
        world.until_recorded(a="web")

    record = world.records.get("a")
    assert record.metadata.uid != before
    assert record.spec.pod_uid == record.metadata.owner_references[0].uid == second != first


@pytest.mark.parametrize("collects", [True, False])
def test_a_record_goes_with_its_pod(flavour: str, collects: bool) -> None:
    world = World(flavour, collects=collects)
    world.cluster.add(pod("a"), pod("b"))
    world.put("web", "a", "b")
    with world.lookup():
        world.until_recorded(a="web", b="web")
        world.kill("a")
        world.until_recorded(b="web")


def test_records_follow_services_that_are_renamed_shrink_and_go(world: World) -> None:
    world.cluster.add(pod("a"), pod("b"))
    world.put("web", "a", "b")
    with world.lookup():
        world.until_recorded(a="web", b="web")

        world.endpoints.delete("web")
        world.put("shop", "a", "b")
        world.until_recorded(a="shop", b="shop")

        world.put("shop", "b")
        world.until_recorded(b="shop")

        world.endpoints.delete("shop")
        world.until_recorded()


def test_the_next_service_takes_over(world: World) -> None:
    world.cluster.add(pod("a"))
    world.put("api", "a")
    world.put("web", "a")
    with world.lookup():
        world.until_recorded(a="api")
        world.endpoints.delete("api")
        world.until_recorded(a="web")


def test_changes_made_while_it_was_down_are_caught_up(flavour: str) -> None:
    world = World(flavour, collects=False)
    world.cluster.add(pod("a"), pod("b"), pod("c"))
    world.put("web", "a", "b")
    world.put("gone", "c")
    with world.lookup():
        world.until_recorded(a="web", b="web", c="gone")

    world.kill("a")
    world.endpoints.delete("gone")
    world.put("api", "b")

    with world.lookup():
        world.until_recorded(b="api")


def test_a_record_that_is_edited_or_deleted_is_put_right(world: World) -> None:
    world.cluster.add(pod("a"))
    world.put("web", "a")
    with world.lookup():
        world.until_recorded(a="web")
        world.records.edit("a", lambda record: setattr(record.spec, "service_name", "wrong"))
        world.until_recorded(a="web")
        world.records.delete("a")
        world.until_recorded(a="web")


def test_records_written_by_others_are_left_alone(world: World) -> None:
    spec = PodToServiceSpec(pod_name="a", pod_uid="1", pod_address="::1", service_name="theirs")
    theirs = PodToService(metadata=ObjectMeta(name="a", namespace=SHOP), spec=spec)
    world.cluster.add(pod("a"), pod("b"), theirs)
    world.put("web", "a", "b")
    with world.lookup():
        world.until_recorded(a="theirs", b="web")
        world.records.delete("a")
        world.until_recorded(a="web", b="web")


def test_only_one_namespace(world: World) -> None:
    elsewhere = pod("a")
    elsewhere.metadata.namespace = "elsewhere"
    there = endpoints("web", {"a": "10.0.0.1"})
    there.metadata.namespace = "elsewhere"
    world.cluster.add(pod("a"), elsewhere, there)
    world.put("web", "a")
    with world.lookup(namespace=SHOP):
        world.until_recorded(a="web")
    assert {action.namespace for action in world.cluster.actions if action.verb == "watch"} == {
        SHOP
    }
    assert (
        len(api.Clientset(world.user.rest).servicelookup_v1alpha1.pod_to_services().list().items)
        == 1
    )


# ---- what goes wrong --------------------------------------------------------------------------


@pytest.mark.parametrize("error", [Conflict, Forbidden, InternalError, ConnectionLost])
def test_writes_that_fail_are_tried_again(world: World, error: type[Exception]) -> None:
    world.cluster.add(pod("a"), pod("b"))
    world.put("web", "a", "b")
    with world.lookup():
        world.until_recorded(a="web", b="web")
        refuse = partial(world.cluster.react, resource="podtoservices", reaction=error, times=4)
        rules = [refuse("update"), refuse("delete")]
        world.put("api", "a")
        world.endpoints.delete("web")
        world.until_recorded(a="api")
    assert [rule.hits for rule in rules] == [4, 4]


def test_a_create_that_was_heeded_though_the_answer_broke(world: World) -> None:
    world.cluster.cut("create", "podtoservices", times=1)
    refused = world.cluster.react("create", "podtoservices", AlreadyExists, times=1)
    world.cluster.add(pod("a"))
    world.put("web", "a")
    with world.lookup() as lookup:
        world.until_recorded(a="web")
        world.until(lambda: lookup.pods.num_requeues(Request(SHOP, "a")) == 0)
    assert refused.hits == 1


def test_a_busy_server_is_asked_again(world: World) -> None:
    for verb in ("list", "watch", "create"):
        world.cluster.fail(verb, "*", 429, times=3, retry_after=0)
    world.cluster.add(pod("a"))
    world.put("web", "a")
    with world.lookup():
        world.until_recorded(a="web")


def test_a_forbidden_write_does_not_stop_other_records(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    rule = world.cluster.react("create", "podtoservices", named_forbidden)
    world.cluster.add(pod("forbidden"), *(pod(f"p{n}") for n in range(20)))
    names = [f"p{n}" for n in range(20)]
    world.put("web", "forbidden", *names)
    with world.lookup(workers=1) as lookup:
        world.until_recorded(**dict.fromkeys(names, "web"))
        world.until(lambda: lookup.pods.num_requeues(Request(SHOP, "forbidden")) > 1)
        rule.remove()
        world.until_recorded(**dict.fromkeys([*names, "forbidden"], "web"))
    assert "shop/forbidden" in caplog.text


def named_forbidden(action: Any) -> type[Forbidden] | None:
    return Forbidden if action.object["metadata"]["name"] == "forbidden" else None


def break_watches_early(cluster: FakeCluster) -> None:
    cluster.cut("watch", "*", after=Random(1), times=5)
    cluster.drop_watches()


def refuse_lists(cluster: FakeCluster) -> None:
    cluster.fail("list", "*", InternalError, times=2)
    cluster.fail("watch", "*", 410, times=2)
    cluster.restart()


FAULTS: Mapping[str, Callable[[FakeCluster], object]] = {
    "watches break": FakeCluster.drop_watches,
    "watches break early": break_watches_early,
    "watches end": FakeCluster.end_watches,
    "watches expire": partial(FakeCluster.end_watches, expired=True),
    "the server restarts": FakeCluster.restart,
    "events come twice": partial(FakeCluster.duplicate_events, times=3),
    "nothing can be listed": refuse_lists,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_watches_may_misbehave(world: World, fault: str) -> None:
    world.cluster.add(pod("a"), pod("b"))
    world.put("web", "a", "b")
    with world.lookup():
        world.until_recorded(a="web", b="web")
        FAULTS[fault](world.cluster)
        world.kill("a")
        world.put("api", "b", "c")
        world.endpoints.delete("web")
        world.cluster.add(pod("c"))
        world.until_recorded(b="api", c="api")


def test_faults_change_nothing_in_the_end() -> None:
    """Crashes, stale caches, lost answers: `explore` tries some here; a larger budget tries all."""

    def setup(cluster: FakeCluster) -> None:
        cluster.add(pod("a"))

    async def program(k: AsyncClientset) -> None:
        await AsyncServiceLookup(k).run()

    async def scenario(k: AsyncClientset) -> None:
        pods, services = k.core_v1.pods(SHOP), k.core_v1.endpoints(SHOP)
        await services.create(endpoints("web", {"a": "10.0.0.1", "b": "10.0.0.2"}))
        await pods.create(pod("b"))
        await services.create(endpoints("shop", {"b": "10.0.0.2"}))
        await services.update(endpoints("web", {"a": "10.0.0.3"}))
        await pods.delete("b", grace_period_seconds=0)
        await pods.create(pod("b"))
        await services.delete("shop")
        await services.create(endpoints("api", {"a": "10.0.0.3", "b": "10.0.0.2"}))
        await pods.delete("a", grace_period_seconds=0)

    explore(program, scenario, clientset=AsyncClientset, setup=setup, crds=[CRD], budget=2.0)


class Chaos:
    """Random changes and faults, and what should be recorded after them."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._random = Random(seed)
        self._names = [f"p{n}" for n in range(6)]
        self._services = ["api", "db", "web"]

    def go(self) -> None:
        one = self._random.choice
        one([self._pod, self._kill, self._back, self._back, self._unback, self._fault])()

    def _pod(self) -> None:
        with suppress(AlreadyExists):
            self._world.pods.create(pod(self._random.choice(self._names)))

    def _kill(self) -> None:
        with suppress(NotFound):
            self._world.kill(self._random.choice(self._names))

    def _back(self) -> None:
        names = self._random.sample(self._names, self._random.randint(0, 3))
        uids: dict[str, str] = {}
        with suppress(InternalError):
            uids = {each.metadata.name: each.metadata.uid for each in self._world.pods.list().items}
        owners = {name: uids.get(name, "") for name in names}
        self._world.put(self._random.choice(self._services), **owners)

    def _unback(self) -> None:
        with suppress(NotFound):
            self._world.endpoints.delete(self._random.choice(self._services))

    def _fault(self) -> None:
        cluster = self._world.cluster
        self._random.choice([*FAULTS.values()])(cluster)
        verb = self._random.choice(["create", "update", "delete"])
        cluster.react(
            verb, "podtoservices", self._random.choice([Conflict, InternalError]), times=1
        )

    def expected(self) -> dict[str, str]:
        uids = {each.metadata.name: each.metadata.uid for each in self._world.pods.list().items}
        addresses: dict[str, str] = {}
        for each in sorted(self._world.endpoints.list().items, key=lambda each: each.metadata.name):
            for address in each.subsets[0].addresses if each.subsets else ():
                assert address.target_ref is not None
                name = address.target_ref.name or ""
                if name in uids and address.target_ref.uid in (None, "", uids[name]):
                    addresses.setdefault(name, each.metadata.name)
        return addresses


@pytest.mark.parametrize("seed", range(3))
def test_the_records_converge_after_random_changes(flavour: str, seed: int) -> None:
    world = World(flavour, collects=seed != 0)
    chaos, seen = Chaos(world, seed), set[str]()
    with world.lookup(workers=3):
        for _ in range(12):
            for _ in range(10):
                chaos.go()
                world.clock.step(0.2)
                sleep(0.001)
            world.cluster.clear_reactions()
            expected = chaos.expected()
            world.until_recorded(**expected)
            world.until(lambda: world.owners() == world.recorded_owners())
            seen.update(expected.values())
    assert seen == {"api", "db", "web"}


# ---- its beginning and end --------------------------------------------------------------------


def test_it_can_be_stopped_while_it_waits_for_its_caches(world: World) -> None:
    world.cluster.fail("*", "endpoints", 500, times=None)
    with world.lookup():
        world.until(lambda: any(a.resource == "endpoints" for a in world.cluster.actions))
    assert world.cluster.writes == []


def test_it_gives_up_when_its_caches_are_not_filled_in_time(world: World) -> None:
    world.cluster.fail("*", "endpoints", 500, times=None)
    later = world.clock.monotonic() + 10

    def wait() -> None:
        with world.lookup(sync_timeout=5):
            world.until(lambda: world.clock.monotonic() > later)

    with pytest.raises(TimeoutError, match="after 5 s waiting for caches"):
        wait()


def test_a_started_reconcile_is_finished(world: World) -> None:
    entered, leave = threading.Event(), threading.Event()

    def slowly(_: object) -> None:
        entered.set()
        leave.wait(PATIENCE)

    world.cluster.add(pod("a"))
    world.put("web", "a")
    world.cluster.react("create", "podtoservices", slowly, times=1)
    with world.lookup():
        assert entered.wait(PATIENCE)
        threading.Timer(0.05, leave.set).start()
    assert world.recorded() == {"a": "web"}
