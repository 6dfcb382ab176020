"""What waits by a FakeClock, waits until it is moved."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from kubeapi import AsyncClientset, Clientset

from clientgen.runtime import errors
from clientgen.testing import FakeClock, FakeCluster


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
