"""The rate limiter and the metrics provider of the page about controllers: they work as shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clientgen.runtime.sync import WorkQueue
from clientgen.testing import FakeClock

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guides" / "queues.md"
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
WANTED = ("class Steps", "class Waiting")


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """The names of both snippets, which are one program."""
    found: dict[str, Any] = {"__name__": "page"}
    blocks = FENCE.findall(PAGE.read_text("utf-8"))
    chosen = [block for block in blocks if any(each in block for each in WANTED)]
    assert len(chosen) == len(WANTED)
    for block in chosen:
        exec(compile(block, str(PAGE), "exec", dont_inherit=True), found)
    return found


def test_the_rate_limiter_decides_when_items_come_back(names: dict[str, Any]) -> None:
    clock, limiter = FakeClock(), names["Steps"]()
    queue: WorkQueue[str] = WorkQueue("pods", limiter=limiter, clock=clock)
    for seconds in (1.0, 10.0, 60.0, 60.0):
        queue.add_rate_limited("a")
        clock.step(seconds - 0.5)
        assert len(queue) == 0
        clock.step(0.5)
        assert queue.get() == "a"
        queue.done("a")
    assert queue.num_requeues("a") == 4
    queue.forget("a")
    assert queue.num_requeues("a") == 0
    queue.shut_down()


def test_the_provider_measures(names: dict[str, Any]) -> None:
    clock, waiting = FakeClock(), names["Waiting"]()
    queue: WorkQueue[str] = WorkQueue("pods", metrics=waiting, clock=clock)
    queue.add("a")
    clock.step(3.0)
    assert queue.get() == "a"
    queue.done("a")
    queue.shut_down()
    assert waiting.seconds == {"pods": [3.0]}


def test_the_page_names_every_method_of_the_protocols() -> None:
    from clientgen.runtime import InformerMetricsProvider
    from clientgen.runtime.controllers import QueueMetrics, QueueMetricsProvider, RateLimiter

    text = PAGE.read_text("utf-8")
    protocols: list[type] = [
        RateLimiter,
        QueueMetricsProvider,
        QueueMetrics,
        InformerMetricsProvider,
    ]
    for protocol in protocols:
        methods: list[str] = [each for each in vars(protocol) if not each.startswith("_")]
        assert methods
        for method in methods:
            assert f"`{method}(" in text, f"{protocol.__name__}.{method}"
    for field in _state_fields():
        assert f"`{field}`" in text, field


def _state_fields() -> tuple[str, ...]:
    from clientgen.runtime._cache.informer_metrics import InformerState

    return InformerState.__struct_fields__
