"""What waits by a FakeClock, waits until it is moved."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Container, Node, Pod, PodSpec
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime import errors
from clientgen.runtime._async._primitives import Event, wait_until
from clientgen.runtime.aio import AsyncContext, AsyncManager
from clientgen.runtime.controllers import Result
from clientgen.runtime.sync import Context, Manager
from clientgen.testing import FakeClock, FakeCluster
from clientgen.testing._fake import clock_waits, fake_clock
from clientgen.testing._fake.fake_clock import Step


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def cluster(clock: FakeClock) -> FakeCluster:
    return FakeCluster(clock=clock)


def test_a_fake_clock_stands_still(clock: FakeClock):
    assert (clock.now(), clock.monotonic()) == (clock.now(), 0.0)
    assert clock.now() == datetime(2026, 1, 1, tzinfo=UTC)


def test_step_moves_a_fake_clock_exactly(clock: FakeClock):
    before = clock.now()
    clock.step(90)
    clock.step(0.5)
    assert (clock.now() - before, clock.monotonic()) == (timedelta(seconds=90.5), 90.5)


def test_the_time_of_day_can_go_back_but_durations_do_not(clock: FakeClock):
    clock.set(datetime(2026, 1, 1, 1, tzinfo=UTC))
    assert clock.monotonic() == 3600
    clock.set(datetime(2025, 12, 31, tzinfo=UTC))
    assert (clock.now().year, clock.monotonic()) == (2025, 3600)
    with pytest.raises(ValueError, match="time cannot go backwards"):
        clock.step(-1)


def test_a_time_without_a_zone_is_refused(clock: FakeClock):
    with pytest.raises(ValueError, match="has no time zone"):
        clock.set(datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="has no time zone"):
        FakeClock(datetime(2026, 1, 1))


def test_the_clock_of_a_cluster_is_the_one_that_can_be_moved(
    clock: FakeClock, cluster: FakeCluster
):
    assert cluster.clock is clock
    assert not cluster.clock.step(5)
    with pytest.raises(RuntimeError, match=r"cannot be moved; use FakeCluster\(clock=FakeClock"):
        FakeCluster().clock.step(5)


def test_callbacks_of_a_fake_clock_can_be_removed(clock: FakeClock):
    moves: list[float] = []
    forget = clock.on_move(lambda: moves.append(clock.monotonic()))
    clock.step(1)
    forget()
    clock.step(1)
    assert moves == [1.0]


# ---- waits ------------------------------------------------------------------------------------


def in_thread(work: Callable[[], object]) -> Callable[[], BaseException | object]:
    """Runs something in a thread; gives what waits for its end, and its result or error."""
    results: list[object] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def result() -> object:
        thread.join(10)
        assert not thread.is_alive()
        return results[0]

    return result


def someone_waits(clock: FakeClock, cluster: FakeCluster) -> None:
    """Come back when a request waits; the cluster itself listens to the clock as well."""
    for _ in range(10_000):
        if clock.waiters > 1:
            return
        threading.Event().wait(0.001)
    raise AssertionError("nobody waits")


def test_a_delayed_answer_comes_when_the_clock_was_moved(clock: FakeClock, cluster: FakeCluster):
    k = cluster.clientset(Clientset)
    cluster.delay(3600, "list", "nodes")
    result = in_thread(lambda: k.core_v1.nodes().list().items)
    someone_waits(clock, cluster)
    clock.step(3600)
    assert result() == []


def test_a_call_times_out_by_the_clock(clock: FakeClock, cluster: FakeCluster):
    k = cluster.clientset(Clientset)
    cluster.delay(3600, "list", "nodes")
    result = in_thread(lambda: k.core_v1.nodes().list(timeout=100))
    someone_waits(clock, cluster)
    clock.step(100)
    assert isinstance(result(), errors.RequestTimeout)


def test_a_watch_ends_by_the_clock(clock: FakeClock, cluster: FakeCluster):
    rest = cluster.clientset(Clientset).rest
    from clientgen.runtime._http.request import HttpRequest

    request = HttpRequest("GET", "/api/v1/nodes?watch=true&timeoutSeconds=600")
    stream = rest.stream(request)
    result = in_thread(stream.read)
    someone_waits(clock, cluster)
    clock.step(600)
    assert result() == b""


def test_a_silent_stream_is_given_up_by_the_clock(clock: FakeClock, cluster: FakeCluster):
    from clientgen.runtime._http.request import HttpRequest

    request = HttpRequest("GET", "/api/v1/nodes?watch=true&timeoutSeconds=600")
    stream = cluster.clientset(Clientset).rest.stream(request, read_timeout=30.0)
    result = in_thread(stream.read)
    someone_waits(clock, cluster)
    clock.step(30)
    assert isinstance(result(), errors.ConnectionLost)
    assert cluster.drop_watches() == 0


async def test_tasks_wait_by_the_clock_as_well(clock: FakeClock, cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.delay(3600, "list", "nodes")
    listing = asyncio.create_task(k.core_v1.nodes().list())
    done, _ = await asyncio.wait([listing], timeout=0.02)
    assert not done
    clock.step(3600)
    assert (await listing).items == []


def test_controllers_work_when_their_time_has_come(clock: FakeClock):
    cluster = FakeCluster(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "shop"}},
        clock=clock,
        controller_delay=5,
    )
    k = cluster.clientset(Clientset)
    k.core_v1.namespaces().delete("shop")
    assert k.core_v1.namespaces().get("shop").status.phase == "Terminating"
    for _ in range(3):
        clock.step(5)
    with pytest.raises(errors.NotFound):
        k.core_v1.namespaces().get("shop")


# ---- one long step ----------------------------------------------------------------------------


def test_deadlines_are_kept_in_the_order_of_time(clock: FakeClock, cluster: FakeCluster):
    k = cluster.clientset(Clientset)
    cluster.delay(30, "list", "nodes")
    result = in_thread(lambda: k.core_v1.nodes().list(timeout=5))
    someone_waits(clock, cluster)
    clock.step(40)
    assert isinstance(result(), errors.RequestTimeout)


async def test_deadlines_of_tasks_are_kept_in_the_order_of_time(
    clock: FakeClock, cluster: FakeCluster
):
    k = cluster.clientset(AsyncClientset)
    cluster.delay(30, "list", "nodes")
    listing = asyncio.create_task(k.core_v1.nodes().list(timeout=5))
    await asyncio.wait([listing], timeout=0.02)
    await clock.step(40)
    assert clock.monotonic() == 40
    with pytest.raises(errors.RequestTimeout):
        await listing


class Times:
    """A reconcile function that wants to come back after a minute, and when it was called."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.times: list[float] = []
        self.called = asyncio.Event()

    def __call__(self, _context: Context[Node]) -> Result:
        return self.note()

    def note(self) -> Result:
        self.times.append(round(self.clock.monotonic()))
        return Result(requeue_after=60)

    async def later(self, _context: AsyncContext[Node]) -> Result:
        self.called.set()
        return self.note()


def come_true(is_true: Callable[[], object]) -> None:
    for _ in range(10_000):
        if is_true():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it does not come true")


def names_of_waiting_threads(clock: FakeClock) -> str:
    parties = [each.runner for each in clock._all_waits() if each.is_wait]
    return " ".join(each.name for each in parties if isinstance(each, threading.Thread))


def leases(cluster: FakeCluster) -> int:
    return sum(each.resource.startswith("leases") for each in cluster.writes)


@pytest.mark.parametrize("steps", [(180,), (60, 60, 60), (100, 80)])
def test_a_long_step_does_the_same_as_short_ones(steps: tuple[int, ...]) -> None:
    """Timers fire at their times, and leases are renewed meanwhile."""
    clock = FakeClock()
    cluster = FakeCluster(Node(metadata=ObjectMeta(name="n")), clock=clock)
    seen = Times(clock)
    manager = Manager(cluster.clientset(Clientset), leader_election="x", clock=clock)
    manager.controller("nodes", seen).for_(Node)
    result = in_thread(manager.run)
    come_true(lambda: seen.times == [0] and "x-renewing" in names_of_waiting_threads(clock))
    for seconds in steps:
        clock.step(seconds)
    come_true(lambda: len(seen.times) == 4)
    assert seen.times == [0, 60, 120, 180]
    assert manager.is_leader
    assert clock.monotonic() == 180
    assert clock.now() == datetime(2026, 1, 1, 0, 3, tzinfo=UTC)
    manager.stop()
    assert result() is None
    assert leases(cluster) >= 60


@pytest.mark.parametrize("steps", [(180,), (60, 60, 60), (100, 80)])
async def test_a_long_step_does_the_same_as_short_ones_for_tasks(steps: tuple[int, ...]) -> None:
    clock = FakeClock()
    cluster = FakeCluster(Node(metadata=ObjectMeta(name="n")), clock=clock)
    seen = Times(clock)
    k = cluster.clientset(AsyncClientset)
    manager = AsyncManager(k, leader_election="x", clock=clock)
    manager.controller("nodes", seen.later).for_(Node)
    running = asyncio.create_task(manager.run())
    await seen.called.wait()
    for seconds in steps:
        clock.step(seconds)
        await k.core_v1.nodes().list()  # a request of who stepped waits for the end of the step
    await clock.step(1)
    assert seen.times == [0, 60, 120, 180]
    assert manager.is_leader
    assert clock.monotonic() == 181
    manager.stop()
    await running
    assert leases(cluster) >= 60


async def test_a_step_may_have_any_number_of_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """What limits them counts those of one second, so that no lease is lost in a long step."""
    monkeypatch.setattr(fake_clock, "_MAX_STOPS_PER_SECOND", 20)
    clock = FakeClock()
    cluster = FakeCluster(Node(metadata=ObjectMeta(name="n")), clock=clock)
    seen = Times(clock)
    manager = AsyncManager(cluster.clientset(AsyncClientset), leader_election="x", clock=clock)
    manager.controller("nodes", seen.later).for_(Node)
    running = asyncio.create_task(manager.run())
    await seen.called.wait()
    await clock.step(600)
    assert seen.times == [*range(0, 601, 60)]
    assert manager.is_leader
    manager.stop()
    await running
    assert leases(cluster) >= 250


async def test_a_second_has_no_endless_stops(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_clock, "_MAX_STOPS_PER_SECOND", 50)
    monkeypatch.setattr(fake_clock, "_MAX_STOPS_AFTERWARDS", 5)
    times: list[float] = []

    async def wait_again_and_again() -> None:
        while clock.monotonic() < 3:
            times.append(clock.monotonic())
            await wait_until(Event(), clock, clock.monotonic() + 1e-5)

    waiting = asyncio.create_task(wait_again_and_again())
    await asyncio.sleep(0)
    await clock.step(4)
    await waiting
    assert clock.monotonic() == 4
    assert [sum(int(each) == second for each in times) for second in range(4)] == [51, 6, 6, 0]


async def test_who_steps_sees_the_end_of_the_step(clock: FakeClock, cluster: FakeCluster) -> None:
    k = cluster.clientset(AsyncClientset)
    cluster.delay(5, "list", "nodes")
    listing = asyncio.create_task(k.core_v1.nodes().list())
    await asyncio.sleep(0.02)
    clock.step(40)
    clock.step(20)
    assert (clock.monotonic(), clock.now()) == (60, datetime(2026, 1, 1, 0, 1, tzinfo=UTC))
    created = (
        cluster.clientset(Clientset).core_v1.nodes().create(Node(metadata=ObjectMeta(name="n")))
    )
    assert created.metadata.creation_timestamp == clock.now()
    assert len((await listing).items) <= 1
    await clock.set(datetime(2026, 1, 1, tzinfo=UTC))
    assert (clock.monotonic(), clock.now().minute) == (60, 0)


class Ticks:
    """Does something every ten seconds, for which it takes many turns of the loop."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.done: list[float] = []

    async def run(self) -> None:
        while True:
            moment = self.clock.monotonic() + 10
            await wait_until(Event(), self.clock, moment)
            for _ in range(10):
                await asyncio.sleep(0)
            self.done.append(moment)


@asynccontextmanager
async def ticking(clock: FakeClock) -> AsyncGenerator[Ticks]:
    ticks = Ticks(clock)
    running = asyncio.create_task(ticks.run())
    await asyncio.sleep(0)
    yield ticks
    running.cancel()


async def steps_alone(step: Step) -> None:
    await step


async def in_wait_for(step: Step) -> None:
    await asyncio.wait_for(step, 60)


async def in_gather(step: Step) -> None:
    await asyncio.gather(step, asyncio.sleep(0))


async def in_a_task(step: Step) -> None:
    await asyncio.create_task(steps_alone(step))


async def twice(step: Step) -> None:
    await asyncio.gather(step, step)
    await step


@pytest.mark.parametrize("way", [steps_alone, in_wait_for, in_gather, in_a_task, twice])
async def test_a_step_is_awaited_by_any_task(
    clock: FakeClock, way: Callable[[Step], Awaitable[None]]
) -> None:
    async with ticking(clock) as ticks:
        await way(clock.step(60))
    assert ticks.done == [10, 20, 30, 40, 50, 60]
    assert clock.monotonic() == 60


async def test_a_step_goes_on_when_its_await_is_cancelled(clock: FakeClock) -> None:
    async with ticking(clock) as ticks:
        step = clock.step(60)
        awaiting = asyncio.create_task(steps_alone(step))
        await asyncio.sleep(0)
        awaiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await awaiting
        assert len(ticks.done) < 6
        await step
    assert ticks.done == [10, 20, 30, 40, 50, 60]


async def test_each_of_two_steps_has_its_end(clock: FakeClock) -> None:
    """The second begins at the end of the first, and who awaits the first sees that moment."""
    ends: dict[str, object] = {}

    async def step(name: str, seconds: float) -> None:
        await clock.step(seconds)
        ends[name] = (clock.monotonic(), clock.now() - datetime(2026, 1, 1, tzinfo=UTC))
        assert ticks.done[-1] == clock.monotonic()

    async with ticking(clock) as ticks:
        await asyncio.gather(step("a", 20), step("b", 30))
    assert ends == {"a": (20, timedelta(seconds=20)), "b": (50, timedelta(seconds=50))}


async def test_a_step_of_no_time_lets_tasks_work(clock: FakeClock) -> None:
    async with ticking(clock) as ticks:
        clock.advance_to(10)
        await clock.step(0)
    assert ticks.done == [10]


async def test_work_of_the_cluster_sees_its_own_moment(clock: FakeClock) -> None:
    cluster = FakeCluster(clock=clock)
    cluster.play(pod_start=10)
    k = cluster.clientset(AsyncClientset)
    container = Container(name="c", image="i")
    pod = Pod(metadata=ObjectMeta(name="a"), spec=PodSpec(containers=[container]))
    await k.core_v1.pods("default").create(pod)
    await clock.step(60)
    status = (await k.core_v1.pods("default").get("a")).status
    state = status.container_statuses[0].state
    assert state is not None
    assert state.running is not None
    assert state.running.started_at == datetime(2026, 1, 1, 0, 0, 10, tzinfo=UTC)


def test_a_step_that_was_left_goes_on_with_the_next(clock: FakeClock) -> None:
    """The loop that made the first was closed before its end."""

    async def leave() -> None:
        running = asyncio.create_task(Ticks(clock).run())
        await asyncio.sleep(0)
        clock.step(60)
        running.cancel()

    async def go_on() -> None:
        await clock.step(60)

    asyncio.run(leave())
    asyncio.run(go_on())
    assert clock.monotonic() == 120
    assert clock.now() == datetime(2026, 1, 1, 0, 2, tzinfo=UTC)


@pytest.mark.slow
async def test_time_goes_on_though_controllers_never_rest(
    clock: FakeClock, cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that undo each other's work do so without end, at one moment."""
    monkeypatch.setattr(clock_waits, "_THREAD_TIMEOUT_SECONDS", 1e9)  # not by that timeout
    cluster.add(Node(metadata=ObjectMeta(name="n")))
    k = cluster.clientset(AsyncClientset)
    moments: dict[float, int] = {}

    async def count(context: AsyncContext[Node]) -> None:
        moments[clock.monotonic()] = moments.get(clock.monotonic(), 0) + 1
        await k.core_v1.nodes().edit(context.request.name, number)

    def number(node: Node) -> None:
        node.metadata.labels["number"] = str(int(node.metadata.labels.get("number", 0)) + 1)

    manager = AsyncManager(k, clock=clock)
    manager.controller("nodes", count).for_(Node)
    running = asyncio.create_task(manager.run())
    while not moments:  # noqa: ASYNC110 - the runtime sets no event
        await asyncio.sleep(0)
    for _ in range(3):
        await clock.step(1)
    assert clock.monotonic() == 3
    assert max(moments.values()) > 100
    manager.stop()
    await running
