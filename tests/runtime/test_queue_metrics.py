"""The metrics of work queues, as Prometheus reads them."""

from __future__ import annotations

import gc
import subprocess
import sys
from weakref import ref

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from clientgen.runtime._controllers.queue_metrics import BUCKETS, PrometheusQueueMetrics
from clientgen.runtime.sync import PriorityQueue, WorkQueue
from clientgen.testing import FakeClock


class Shown:
    """A registry, and the values of a queue in it."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.clock = FakeClock()

    def queue(self, name: str) -> WorkQueue[str]:
        metrics = PrometheusQueueMetrics(self.registry)
        return WorkQueue(name, clock=self.clock, metrics=metrics)

    def __call__(self, metric: str, name: str = "pods", **labels: str) -> float | None:
        return self.registry.get_sample_value(f"workqueue_{metric}", {"name": name, **labels})


@pytest.fixture
def shown() -> Shown:
    return Shown()


def test_the_names_and_buckets_are_those_of_client_go(shown: Shown) -> None:
    queue = shown.queue("pods")
    queue.add("a")
    queue.get()
    lines = generate_latest(shown.registry).decode().splitlines()
    types = {line.split()[2]: line.split()[3] for line in lines if line.startswith("# TYPE")}
    assert {name: kind for name, kind in types.items() if not name.endswith("_created")} == {
        "workqueue_depth": "gauge",
        "workqueue_adds_total": "counter",
        "workqueue_retries_total": "counter",
        "workqueue_queue_duration_seconds": "histogram",
        "workqueue_work_duration_seconds": "histogram",
        "workqueue_unfinished_work_seconds": "gauge",
        "workqueue_longest_running_processor_seconds": "gauge",
    }
    assert list(BUCKETS) == pytest.approx(
        [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0]
    )


def test_depth_and_adds_count_what_is_new(shown: Shown) -> None:
    queue = shown.queue("pods")
    for item in "aab":
        queue.add(item)
    assert (shown("depth"), shown("adds_total")) == (2, 2)
    queue.get()
    assert shown("depth") == 1
    queue.add("a")  # again, while it is being processed
    assert (shown("depth"), shown("adds_total")) == (2, 3)


def test_times_from_add_to_get_to_done(shown: Shown) -> None:
    queue = shown.queue("pods")
    queue.add("a")
    shown.clock.step(2.0)
    queue.add("a")  # the first add counts
    shown.clock.step(1.0)
    queue.get()
    shown.clock.step(0.5)
    queue.done("a")
    assert shown("queue_duration_seconds_sum") == 3.0
    assert shown("work_duration_seconds_sum") == 0.5
    assert shown("queue_duration_seconds_bucket", le="1.0") == 0
    assert shown("queue_duration_seconds_bucket", le="10.0") == 1


def test_delayed_items_are_queued_when_due(shown: Shown) -> None:
    queue = shown.queue("pods")
    queue.add_after("a", 5.0)
    queue.add_rate_limited("b")
    assert (shown("retries_total"), shown("adds_total"), shown("depth")) == (2, 0, 0)
    shown.clock.step(7.0)  # nobody looked in between
    queue.get()
    queue.get()
    assert shown("adds_total") == 2
    assert shown("queue_duration_seconds_sum") == pytest.approx(2.0 + 7.0 - 0.005)


def test_the_metrics_show_how_long_workers_have_been_busy(shown: Shown) -> None:
    queue = shown.queue("pods")
    for item in "ab":
        queue.add(item)
        queue.get()
        shown.clock.step(10.0)
    assert shown("unfinished_work_seconds") == 30.0
    assert shown("longest_running_processor_seconds") == 20.0
    queue.done("a")
    assert shown("longest_running_processor_seconds") == 10.0
    queue.done("b")
    assert shown("unfinished_work_seconds") == 0.0


def test_queues_of_one_name_share_their_series(shown: Shown) -> None:
    one, other = shown.queue("pods"), shown.queue("pods")
    elsewhere = shown.queue("nodes")
    one.add("a")
    other.add("a")
    elsewhere.add("x")
    assert (shown("depth"), shown("adds_total")) == (2, 2)
    assert shown("depth", "nodes") == 1
    one.get()
    shown.clock.step(1.0)
    other.get()
    shown.clock.step(1.0)
    assert shown("unfinished_work_seconds") == 3.0


def test_a_queue_that_is_gone_is_not_counted_and_not_kept(shown: Shown) -> None:
    queue = shown.queue("pods")
    queue.add("a")
    gone = ref(queue)
    del queue
    gc.collect()
    assert gone() is None
    assert (shown("depth"), shown("adds_total")) == (0, 1)


def test_priority_queues_have_them_too(shown: Shown) -> None:
    metrics = PrometheusQueueMetrics(shown.registry)
    queue: PriorityQueue[str] = PriorityQueue("pods", clock=shown.clock, metrics=metrics)
    queue.add("a")
    queue.add("a", priority=3)
    queue.add_after("b", 1.0)
    queue.add("b")
    assert (shown("depth"), shown("adds_total"), shown("retries_total")) == (2, 2, 1)


def test_a_queue_without_a_name_cannot_have_metrics(shown: Shown) -> None:
    with pytest.raises(ValueError, match="needs a name"):
        WorkQueue(metrics=PrometheusQueueMetrics(shown.registry))


def test_queues_without_metrics_do_not_load_prometheus() -> None:
    program = """
import sys
from clientgen.runtime.aio import AsyncWorkQueue
AsyncWorkQueue("pods").add("a")
assert "prometheus_client" not in sys.modules
sys.modules["prometheus_client"] = None
try:
    import clientgen.runtime._controllers.queue_metrics
except ImportError as error:
    print(error)
import inspect
import clientgen.runtime.controllers
inspect.getmembers(clientgen.runtime.controllers)
from clientgen.runtime.controllers import *
try:
    PrometheusQueueMetrics()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    line = "metrics need prometheus-client: pip install prometheus-client\n"
    assert (done.stdout, done.stderr) == (line * 2, "")


def test_the_registry_of_prometheus_is_the_default() -> None:
    from prometheus_client import REGISTRY

    PriorityQueue[str]("by-default", metrics=PrometheusQueueMetrics()).add("a")
    labels = {"name": "by-default"}
    assert REGISTRY.get_sample_value("workqueue_adds_total", labels) == 1
