"""The manager, with tasks here and with threads in test_manager_threads.py, which is derived."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import Any, Self

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.coordination.v1 import Lease
from kubeapi.core.v1 import ConfigMap, Namespace, Secret, Service, ServicePort, ServiceSpec
from kubeapi.meta.v1 import ObjectMeta, OwnerReference, Status
from prometheus_client import CollectorRegistry
from support.http_calls import Answer, call
from support.tabs import DEFINITION, Tab

from clientgen.runtime._async._primitives import Event, Task, run_blocking, sleep, spawn
from clientgen.runtime._controllers.tracing import _tracer
from clientgen.runtime.aio import AsyncContext, AsyncManager
from clientgen.runtime.controllers import Request, Result
from clientgen.runtime.errors import Conflict, LeadershipLost, SyncTimeout, TerminalError
from clientgen.testing import FakeClock, FakeCluster

ANYWHERE = "127.0.0.1:0"


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = monotonic() + 30
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


def shop_cluster(**options: Any) -> FakeCluster:
    return FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), **options)


def config_map(name: str, **labels: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="shop", labels=labels))


def service(name: str) -> Service:
    return Service(metadata=ObjectMeta(name=name), spec=ServiceSpec(ports=[ServicePort(port=80)]))


class AsyncProgram:
    """A manager that runs beside the test."""

    def __init__(self, cluster: FakeCluster | None = None, **options: Any) -> None:
        self.cluster = cluster or shop_cluster()
        self.user = self.cluster.clientset(Clientset)
        self.k = self.cluster.clientset(AsyncClientset)
        self.manager = AsyncManager(self.k, **{"namespaces": "shop", **options})
        self.seen: list[str] = []
        self.answers: list[Result | BaseException] = []
        self.error: BaseException | None = None
        self.task: Task

    async def reconcile(self, context: AsyncContext[ConfigMap]) -> Result | None:
        self.seen.append(f"{context.request}{'' if context.object else ' is gone'}")
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def run(self) -> None:
        try:
            await self.manager.run()
        except BaseException as error:
            self.error = error

    async def __aenter__(self) -> Self:
        self.task = spawn(self.run, "manager")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.manager.stop()
        await self.over()
        await self.k.aclose()

    async def over(self) -> None:
        assert await self.task.join(60), "it does not stop"

    async def get(self, url: str | None) -> Answer:
        assert url
        address, _, path = url.removeprefix("http://").partition("/")
        return await run_blocking(partial(call, address, "GET", f"/{path}"))

    def create(self, name: str, **labels: str) -> None:
        self.user.core_v1.config_maps("shop").create(config_map(name, **labels))


# ---- controllers by class ---------------------------------------------------------------------


async def test_controllers_know_their_kinds_by_class() -> None:
    program = AsyncProgram()
    controller = program.manager.controller("maps", program.reconcile).for_(ConfigMap).owns(Secret)
    controller.watches(Service, lambda service: [Request("shop", f"of-{service.metadata.name}")])
    program.create("a")
    async with program:
        await until(lambda: program.seen == ["shop/a"])
        owner = OwnerReference(
            api_version="v1", kind="ConfigMap", name="owner", uid="1", controller=True
        )
        owned = ObjectMeta(name="s", namespace="shop", owner_references=[owner])
        program.user.core_v1.secrets("shop").create(Secret(metadata=owned))
        await until(lambda: "shop/owner is gone" in program.seen)
        program.user.core_v1.services("shop").create(service("x"))
        await until(lambda: "shop/of-x is gone" in program.seen)
        program.user.core_v1.config_maps("shop").delete("a")
        await until(lambda: "shop/a is gone" in program.seen)
    assert program.error is None
    with pytest.raises(RuntimeError, match="is stopping"):
        program.manager.controller("late", program.reconcile)


async def test_informers_that_were_made_elsewhere_work_too() -> None:
    program = AsyncProgram()
    maps = program.manager.informer(ConfigMap)
    assert type(maps).__name__.endswith("ConfigMapInformer")
    assert program.manager.informer(ConfigMap) is maps
    maps.add_index("app", lambda each: [each.metadata.labels.get("app", "")])
    lister = program.manager.lister(Secret)
    program.manager.controller("maps", program.reconcile).for_(maps)
    program.create("a", app="web")
    async with program:
        await until(lambda: program.seen)
        assert [each.metadata.name for each in maps.indexer.by_index("app", "web")] == ["a"]
        assert list(lister.list()) == []


async def test_predicates_are_for_the_source_before_them_or_for_all() -> None:
    program = AsyncProgram()
    controller = program.manager.controller("maps", program.reconcile)
    events: list[str] = []

    def all_events(event: Any) -> bool:
        events.append(f"{event.kind} {event.object.metadata.name} {event.is_initial}")
        return True

    def labelled(event: Any) -> bool:
        if event.object.metadata.name == "broken":
            raise ValueError("a mistake in a predicate")
        return bool(event.object.metadata.labels)

    controller.when(all_events).for_(ConfigMap).when(labelled)
    controller.watches(Service, lambda service: [Request("shop", service.metadata.name)])
    program.create("early")
    async with program:
        await until(lambda: events == ["add early True"])
        program.create("plain")
        program.create("marked", app="web")
        await until(lambda: program.seen == ["shop/marked"])
        program.create("broken")
        await until(lambda: program.seen[1:] == ["shop/broken"])
        program.user.core_v1.services("shop").create(service("x"))
        await until(lambda: program.seen[2:] == ["shop/x is gone"])
    assert events[1:] == [f"add {name} False" for name in ("plain", "marked", "broken", "x")]


async def test_sources_can_be_added_and_removed_while_it_runs() -> None:
    program = AsyncProgram()
    controller = program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    async with program:
        await until(lambda: controller.informers[0].sync_status == "synced")
        program.user.core_v1.services("shop").create(service("x"))
        controller.watches(Service, lambda service: [Request("shop", service.metadata.name)])
        await until(lambda: program.seen == ["shop/x is gone"])
        controller.unwatch(Service)
        program.user.core_v1.services("shop").create(service("y"))
        program.create("a")
        await until(lambda: program.seen[1:] == ["shop/a"])
        with pytest.raises(LookupError, match="does not watch services"):
            controller.unwatch(Service)


async def test_wrong_names_are_refused() -> None:
    program = AsyncProgram()
    program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    with pytest.raises(ValueError, match="called 'maps' already"):
        program.manager.controller("maps", program.reconcile)
    with pytest.raises(RuntimeError, match="is for configmaps in shop already"):
        program.manager.controller("others", program.reconcile).for_(ConfigMap).for_(Secret)
    with pytest.raises(ValueError, match="already has a check named 'ping'"):
        program.manager.add_health_check("ping", print)
    with pytest.raises(ValueError, match="name of a check"):
        program.manager.add_ready_check("a/b", print)
    with pytest.raises(ValueError, match="is not an address"):
        AsyncManager(program.k, health="8081")
    await program.k.aclose()


# ---- what reconcile gets, and what becomes of its errors --------------------------------------


async def test_the_context_has_what_reconcile_needs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    program = AsyncProgram(name="example.com/shop")
    got: list[AsyncContext[ConfigMap]] = []

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        got.append(context)
        context.log.info("%d%% done", 50, extra={"more": 1})
        assert context.object is not None
        context.recorder.event(context.object, "Normal", "Seen", "seen")

    program.manager.controller("maps", reconcile).for_(ConfigMap)
    program.create("a")
    async with program:
        await until(lambda: got)
    (context,) = got
    assert (context.namespace, context.name) == ("shop", "a")
    assert context.request == Request("shop", "a")
    assert context.clientset is program.k
    assert repr(context).endswith("Context of shop/a>")
    (record,) = [each for each in caplog.records if each.name == __name__]
    fields = vars(record)
    assert (fields["controller"], fields["object"], fields["more"]) == ("maps", "shop/a", 1)
    assert record.getMessage() == f"maps shop/a {fields['reconcile_id']}: 50% done"
    (event,) = program.user.events_v1.events("shop").list().items
    assert (event.reason, event.reporting_controller) == ("Seen", "example.com/shop")


async def test_errors_conflicts_and_terminal_errors(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    program = AsyncProgram(metrics=ANYWHERE, registry=CollectorRegistry())
    conflict = Conflict(Status(code=409, reason="Conflict", message="it was modified"))
    program.answers = [ValueError("a mistake"), conflict, TerminalError("never")]
    program.manager.controller("maps", program.reconcile, workers=3).for_(ConfigMap)
    program.create("a")
    async with program:
        await until(lambda: len(program.seen) == 3)
        program.answers = [Result(requeue=True), Result(requeue_after=0.001)]
        program.user.core_v1.config_maps("shop").edit("a", lambda a: a.data.update(b="c"))
        await until(lambda: len(program.seen) == 6)
        metrics = await program.get(program.manager.metrics_url)
    failures = [
        (each.levelname, bool(each.exc_info), each.message)
        for each in caplog.records
        if "shop/a" in each.message
    ]
    assert failures[0] == ("ERROR", True, "maps: reconciling shop/a failed (1)")
    assert failures[1][:2] == ("INFO", False)
    assert failures[1][2].startswith("maps: shop/a was changed meanwhile, retrying (2): ")
    assert failures[2] == (
        "ERROR",
        False,
        "maps: reconciling shop/a failed, and will not be retried before a change: never",
    )
    assert metrics.headers["content-type"].startswith("text/plain")
    lines = set(metrics.text.splitlines())
    assert {
        'controller_runtime_reconcile_total{controller="maps",result="error"} 3.0',
        'controller_runtime_reconcile_total{controller="maps",result="requeue"} 1.0',
        'controller_runtime_reconcile_total{controller="maps",result="requeue_after"} 1.0',
        'controller_runtime_reconcile_total{controller="maps",result="success"} 1.0',
        'controller_runtime_reconcile_errors_total{controller="maps"} 3.0',
        'controller_runtime_terminal_reconcile_errors_total{controller="maps"} 1.0',
        'controller_runtime_reconcile_panics_total{controller="maps"} 0.0',
        'controller_runtime_reconcile_time_seconds_count{controller="maps"} 6.0',
        'controller_runtime_max_concurrent_reconciles{controller="maps"} 3.0',
        'controller_runtime_active_workers{controller="maps"} 0.0',
        'workqueue_depth{name="maps"} 0.0',
        'informer_objects{group="",resource="configmaps",version="v1"} 1.0',
    } <= lines
    requests = [line for line in lines if line.startswith("rest_client_requests_total{")]
    assert any('code="200"' in line and 'method="GET"' in line for line in requests)


async def test_a_manager_counts_requests_once_and_leaves_the_function_of_the_program() -> None:
    registry = CollectorRegistry()
    program = AsyncProgram(metrics=ANYWHERE, registry=registry)
    responses: list[tuple[str, ...]] = []

    def note(*response: str) -> None:
        responses.append(response)

    program.k.rest.on_response = note
    AsyncManager(program.k, metrics=ANYWHERE, registry=registry)
    program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    program.create("a")
    async with program:
        await until(lambda: program.seen == ["shop/a"])
    assert program.k.rest.on_response is note
    samples = [each for family in registry.collect() for each in family.samples]
    counted = [each.value for each in samples if each.name == "rest_client_requests_total"]
    assert sum(counted) == len(responses) > 0


# ---- health -----------------------------------------------------------------------------------


async def test_health_is_told_as_by_controller_runtime() -> None:
    program = AsyncProgram(health=ANYWHERE)
    healthy: list[bool] = [True]

    async def check() -> bool:
        return healthy[0]

    def broken() -> None:
        raise ValueError("no database")

    program.manager.add_health_check("own", check)
    program.manager.add_ready_check("database", broken)
    program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    async with program:
        await until(lambda: program.manager._synced)
        url = program.manager.health_url
        assert (await program.get(f"{url}/healthz"))[:2] == (200, "ok")
        verbose = "[+]ping ok\n[+]own ok\nhealthz check passed\n"
        assert (await program.get(f"{url}/healthz?verbose"))[:2] == (200, verbose)
        healthy[0] = False
        failing = "[+]ping ok\n[-]own failed: reason withheld\nhealthz check failed\n"
        assert (await program.get(f"{url}/healthz"))[:2] == (500, failing)
        without = (
            "[+]ping ok\n[+]own excluded: ok\n"
            'warn: some health checks cannot be excluded: no matches for "x"\n'
            "healthz check passed\n"
        )
        asked = f"{url}/healthz?verbose&exclude=own&exclude=x"
        assert (await program.get(asked))[:2] == (200, without)
        assert (await program.get(f"{url}/healthz/ping"))[:2] == (200, "ok")
        told = "internal server error: no database\n"
        assert (await program.get(f"{url}/readyz/database"))[:2] == (500, told)
        assert (await program.get(f"{url}/readyz?exclude=database")).status == 200
        for path in ("/", "/metrics", "/healthz/nothing", "/healthzz"):
            assert (await program.get(f"{url}{path}")).status == 404
        address = str(url).removeprefix("http://")
        posted = await run_blocking(partial(call, address, "POST", "/healthz"))
        assert (posted.status, posted.headers["allow"]) == (405, "GET, HEAD")


async def test_one_address_may_have_metrics_and_health() -> None:
    program = AsyncProgram(metrics=ANYWHERE, health=ANYWHERE, registry=CollectorRegistry())
    async with program:
        await until(lambda: program.manager._synced)
        assert program.manager.metrics_url == f"{program.manager.health_url}/metrics"
        assert (await program.get(program.manager.metrics_url)).status == 200
        assert (await program.get(f"{program.manager.health_url}/readyz")).status == 200


async def test_it_is_ready_when_its_caches_are_full_and_not_when_it_stops() -> None:
    program = AsyncProgram(health=ANYWHERE)
    program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    full, may_end, ending = Event(), Event(), Event()

    async def slowly(_: Any) -> None:
        ending.set()
        if not may_end.is_set():
            await may_end.wait()

    program.create("a")
    program.cluster.react("*", "configmaps", lambda _: None if full.is_set() else 500)
    program.manager.controller("slow", slowly).for_(ConfigMap)
    async with program:
        await until(lambda: not str(program.manager.health_url).endswith(":0"))
        readyz = f"{program.manager.health_url}/readyz"
        assert "[-]caches failed" in (await program.get(readyz)).text
        why = (await program.get(f"{readyz}/caches")).text
        assert why.startswith(
            "internal server error: the caches are not synced: configmaps in shop ("
        )
        full.set()
        await ending.wait()
        assert (await program.get(readyz)).status == 200
        program.manager.stop()
        assert "[-]shutdown failed" in (await program.get(readyz)).text
        may_end.set()


async def test_webhooks_start_and_stop_with_it() -> None:
    program = AsyncProgram(health=ANYWHERE)
    webhooks = program.manager.webhooks(ANYWHERE)
    webhooks.validate(ConfigMap, lambda _: None)
    async with program:
        await until(lambda: program.manager._synced)
        verbose = await program.get(f"{program.manager.health_url}/readyz?verbose")
        assert "[+]webhooks ok" in verbose.text
        assert (await program.get(f"{webhooks.url}/nothing")).status == 405
    assert not webhooks.ready()


async def test_an_address_in_use_ends_the_run() -> None:
    first = AsyncProgram(health=ANYWHERE)
    async with first:
        await until(lambda: first.manager._synced)
        address = str(first.manager.health_url).removeprefix("http://")
        second = AsyncProgram(health=address)
        async with second:
            await second.over()
    assert isinstance(second.error, OSError)
    assert "health: cannot listen on" in str(second.error)


# ---- its life ---------------------------------------------------------------------------------


async def test_caches_that_stay_empty_end_the_run_with_the_reason() -> None:
    clock = FakeClock()
    cluster = shop_cluster(clock=clock)
    program = AsyncProgram(cluster, sync_timeout=60.0)
    program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    cluster.fail("*", "configmaps", 403, times=None)
    async with program:
        await until(lambda: "403" in program.manager.informer(ConfigMap).sync_status)
        clock.step(61.0)
        await program.over()
    assert isinstance(program.error, SyncTimeout)
    assert "timed out after 60 s waiting for caches: configmaps in shop (403 " in str(program.error)
    assert 'needs the rule: apiGroups [""], resources ["configmaps"]' in str(program.error)


async def test_functions_run_beside_the_controllers() -> None:
    program = AsyncProgram()
    told: list[str] = []

    async def beside() -> None:
        assert program.manager.informer(ConfigMap).has_synced()
        told.append("began")
        await program.manager.wait_for_stop()
        told.append("ended")

    async def brief() -> None:
        told.append("brief")

    program.manager.informer(ConfigMap)
    program.manager.add(beside, needs_leader=False)
    program.manager.add(brief)
    async with program:
        await until(lambda: sorted(told) == ["began", "brief"])
        assert not program.manager.is_stopping
        assert program.manager.is_leader
    assert program.manager.is_stopping
    assert program.error is None


async def test_a_function_that_breaks_ends_the_run() -> None:
    program = AsyncProgram()

    async def breaking() -> None:
        raise ValueError("no")

    program.manager.add(breaking, name="my part")
    async with program:
        await program.over()
    assert isinstance(program.error, ValueError)


async def test_a_controller_that_breaks_ends_the_run(caplog: pytest.LogCaptureFixture) -> None:
    program = AsyncProgram()
    program.answers = [SystemExit(3)]
    program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    program.create("a")
    async with program:
        await program.over()
    assert isinstance(program.error, SystemExit)
    assert "stopping because of controller maps: 3" in caplog.text


async def test_a_kind_that_comes_later_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    cluster = shop_cluster(clock=clock)
    program = AsyncProgram(cluster, health=ANYWHERE)
    program.k.scheme.register(Tab, plural="tabs")
    tabs: list[str] = []

    async def of_tab(context: AsyncContext[Tab]) -> None:
        tabs.append(context.name)

    program.manager.controller("tabs", of_tab).for_(Tab).owns(ConfigMap)
    program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    program.create("a")
    async with program:
        await until(lambda: program.seen == ["shop/a"])  # the others do not wait
        assert "the server has no tabs.stable.example.com in shop yet" in caplog.text
        assert (await program.get(f"{program.manager.health_url}/readyz")).status == 200
        cluster.add(DEFINITION)
        tab = {"apiVersion": "stable.example.com/v1", "kind": "Tab", "metadata": {"name": "one"}}
        program.user.dynamic.resource("tabs").create(tab, namespace="shop")
        deadline = monotonic() + 30
        while not tabs:
            assert monotonic() < deadline
            clock.step(1.0)
            await sleep(0.002)
    assert tabs == ["one"]


async def test_signals_stop_it(caplog: pytest.LogCaptureFixture) -> None:
    """The rest of signals is tested in test_signals.py: the second one does what it did before."""
    if threading.current_thread() is not threading.main_thread():
        return
    program = AsyncProgram()

    async def told() -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    program.manager.add(told)
    await program.manager.run()  # in the main thread
    assert signal.getsignal(signal.SIGTERM) is before
    await program.k.aclose()


async def test_reconciliations_are_spans_if_the_library_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spans: list[tuple[str, dict[str, str]]] = []

    class Tracer:
        @contextmanager
        def start_as_current_span(self, name: str, *, attributes: dict[str, str]) -> Iterator[None]:
            spans.append((name, attributes))
            yield

    _tracer.cache_clear()
    monkeypatch.setattr("opentelemetry.trace.get_tracer", lambda _: Tracer())
    program = AsyncProgram()
    program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    program.create("a")
    async with program:
        await until(lambda: program.seen)
    _tracer.cache_clear()
    ((name, attributes),) = spans
    assert name == "reconcile maps"
    assert (attributes["k8s.namespace.name"], attributes["k8s.object.name"]) == ("shop", "a")


# ---- leadership -------------------------------------------------------------------------------


def lease(program: AsyncProgram) -> Lease:
    return program.user.coordination_v1.leases("default").get("operator")


async def test_controllers_run_while_it_leads_and_the_lease_is_released_after_them() -> None:
    cluster = shop_cluster()
    first = AsyncProgram(cluster, leader_election="operator", health=ANYWHERE)
    began, may_end = Event(), Event()
    holder_at_end: list[str | None] = []

    async def slowly(context: AsyncContext[ConfigMap]) -> None:
        began.set()
        await may_end.wait()
        holder_at_end.append(lease(first).spec.holder_identity)

    first.manager.controller("maps", slowly).for_(ConfigMap)
    second = AsyncProgram(cluster, leader_election="operator", retry_period=0.01)
    second.manager.controller("maps", second.reconcile).for_(ConfigMap)
    first.create("a")
    async with first:
        await began.wait()
        healthz = f"{first.manager.health_url}/healthz/leaderElection"
        assert (await first.get(healthz)).status == 200
        assert first.manager.is_leader
        async with second:
            await until(lambda: second.manager._synced)
            assert not second.manager.is_leader
            first.manager.stop()
            await sleep(0)
            assert not second.seen
            may_end.set()
            await first.over()
            await until(lambda: second.seen == ["shop/a"])
    assert holder_at_end[0]
    assert not lease(first).spec.holder_identity
    assert first.error is second.error is None


async def test_lost_leadership_ends_the_run_with_the_error() -> None:
    clock = FakeClock()
    program = AsyncProgram(shop_cluster(clock=clock), leader_election="operator", clock=clock)
    program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    program.create("a")
    async with program:
        await until(lambda: program.seen)
        stolen = lease(program)
        stolen.spec.holder_identity = "thief"
        program.user.coordination_v1.leases("default").update(stolen)
        for _ in range(20):
            clock.step(1.0)
            await sleep(0.005)
        await program.over()
    assert isinstance(program.error, LeadershipLost)


async def test_it_may_be_stopped_before_it_leads() -> None:
    cluster = shop_cluster()
    first = AsyncProgram(cluster, leader_election="operator")
    first.manager.controller("maps", first.reconcile).for_(ConfigMap)
    async with first:
        await until(lambda: first.manager.is_leader)
        second = AsyncProgram(cluster, leader_election="operator")
        async with second:
            await until(lambda: second.manager._synced)
    assert second.error is None


async def test_reconcile_is_told_that_it_should_return() -> None:
    program = AsyncProgram()
    begun = Event()

    async def patient(context: AsyncContext[ConfigMap]) -> None:
        assert not context.is_stopping
        begun.set()
        await until(lambda: context.is_stopping)
        program.seen.append("over")

    program.manager.controller("maps", patient).for_(ConfigMap)
    program.create("a")
    async with program:
        await until(begun.is_set)
    assert (program.seen, program.error) == (["over"], None)


async def test_workers_begin_no_write_after_the_lease_is_lost() -> None:
    """They write all the time, and never look whether they still may."""
    clock = FakeClock()
    program = AsyncProgram(shop_cluster(clock=clock), leader_election="operator", clock=clock)
    begun: list[bool] = []

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        client = program.k.core_v1.config_maps("shop")
        while True:
            await client.patch(context.request.name, {"data": {"at": str(len(begun))}})
            await sleep(0.001)

    def note(_: Any) -> None:
        begun.append(program.manager._elector._holds_lease())

    program.manager.controller("maps", reconcile, workers=4).for_(ConfigMap)
    for name in "abcd":
        program.create(name)
    program.cluster.react("patch", "configmaps", note)
    async with program:
        await until(lambda: len(begun) > 20)
        program.cluster.fail("update", "leases.coordination.k8s.io", 500, times=None)
        while not program.task.done:
            clock.step(1.0)
            await sleep(0.005)
        await program.over()
    assert isinstance(program.error, LeadershipLost)
    assert begun.count(False) <= 4  # on their way when the clock moved, one of each worker


async def test_an_event_that_tells_of_the_lost_lease_is_written() -> None:
    """The recorder is first asked for by the work that loses its permit."""
    clock = FakeClock()
    program = AsyncProgram(shop_cluster(clock=clock), leader_election="operator", clock=clock)
    begun = Event()

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        try:
            context.recorder.event(context.object, "Normal", "Begun", "it is the leader")
            begun.set()
            await until(lambda: context.is_stopping)
        finally:
            context.recorder.event(context.object, "Warning", "GivenUp", "it leads no more")

    program.manager.controller("maps", reconcile).for_(ConfigMap)
    program.create("a")
    async with program:
        await begun.wait()
        program.cluster.fail("update", "leases.coordination.k8s.io", 500, times=None)
        while program.manager.is_leader:
            clock.step(1.0)
            await sleep(0.005)
        await program.over()
    assert isinstance(program.error, LeadershipLost)
    events = program.user.events_v1.events("shop").list()
    assert sorted(event.reason for event in events) == ["Begun", "GivenUp"]
