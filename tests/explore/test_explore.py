"""What `explore` promises: runs that can be repeated, short schedules, and readable stories."""

from __future__ import annotations

import asyncio
import logging
import random
import time
import uuid
from datetime import UTC, datetime

import pytest
from explore.corpus import CASES
from explore.corpus.case import WIDGETS, Cloud, child_of, life, operator
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime import Request
from clientgen.testing import FakeCluster, FoundBug, explore
from clientgen.testing._explore.faults import Fault, parse, text_of
from clientgen.testing._explore.states import difference, plain_value


async def one_map(k: AsyncClientset) -> None:
    await k.core_v1.config_maps("default").create(ConfigMap(metadata=ObjectMeta(name="a")))


async def idle(k: AsyncClientset) -> None:
    async with k:
        await asyncio.Event().wait()


def found(name: str, **options: object) -> FoundBug:
    case = CASES[name]
    with pytest.raises(FoundBug) as caught:
        case.explore(case.buggy, budget=60.0, **options)
    return caught.value


def story(error: FoundBug) -> str:
    return str(error).partition("\n\nTo repeat it")[0]


def test_a_schedule_repeats_the_run_exactly():
    first = found("two_steps")

    again = found("two_steps", schedule=first.schedule)

    assert first.schedule.startswith("crash-after(create configmaps default/")
    assert (again.schedule, again.rule, story(again)) == (first.schedule, "state", story(first))
    assert "controller: is killed before it learns of the answer" in str(first)
    assert f"schedule={first.schedule!r}" in str(first)


def test_the_same_seed_finds_the_same():
    one, other = found("memory", seed=5), found("memory", seed=5)

    assert (one.schedule, one.runs, story(one)) == (other.schedule, other.runs, story(other))


def test_faults_that_are_not_needed_are_left_out():
    [needed] = parse(found("two_steps").schedule)

    longer = found("two_steps", schedule=f"lag(configmaps, 0.3); {needed}; rush(#3)")

    assert longer.rule == "state"  # a schedule that is given is run as it is
    assert len(parse(longer.schedule)) == 3


def test_schedules_are_text():
    faults = (
        Fault("crash-after", "create pods shop/web#x", 2),
        Fault("lag", "*", 0, "0.3"),
        Fault("rush"),
    )

    assert text_of(faults) == "crash-after(create pods shop/web#x#2); lag(*, 0.3); rush()"
    assert parse(text_of(faults)) == faults
    with pytest.raises(ValueError, match="schedule: 'boom' is no fault"):
        parse("boom")


def test_time_and_chance_are_those_of_the_run():
    seen: list[tuple[object, ...]] = []

    async def program(k: AsyncClientset) -> None:
        await asyncio.sleep(100)
        moments = (time.monotonic(), time.time(), asyncio.get_running_loop().time())
        seen.append((moments, datetime.now(UTC), random.random(), uuid.uuid4()))
        await asyncio.Event().wait()

    before = time.monotonic()
    result = explore(program, one_map, clientset=AsyncClientset, runs=3)

    assert result.runs == 3
    assert len(set(seen[:3])) == 1
    assert seen[0][1] == datetime(2026, 1, 1, 0, 1, 40, tzinfo=UTC)
    assert 0 <= time.monotonic() - before < 50


def test_a_program_that_is_not_deterministic_is_refused():
    runs: list[int] = []

    async def program(k: AsyncClientset) -> None:
        runs.append(1)
        meta = ObjectMeta(name=f"n-{len(runs)}")
        await k.core_v1.config_maps("default").create(ConfigMap(metadata=meta))
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="does not do the same in two equal runs"):
        explore(program, one_map, clientset=AsyncClientset)


def test_an_invariant_is_checked_after_each_write():
    def never_two(cluster: FakeCluster) -> str | None:
        from kubeapi import Clientset

        names = [
            each.metadata.name
            for each in cluster.clientset(Clientset).core_v1.config_maps("default").list()
        ]
        return f"there are {names}" if len(names) > 1 else None

    async def two(k: AsyncClientset) -> None:
        await one_map(k)
        await k.core_v1.config_maps("default").create(ConfigMap(metadata=ObjectMeta(name="b")))

    with pytest.raises(
        FoundBug, match=r"the invariant does not hold: there are \['a', 'b'\]"
    ) as caught:
        explore(idle, two, clientset=AsyncClientset, invariant=never_two)

    assert (caught.value.rule, caught.value.schedule) == ("invariant", "")


def test_the_users_errors_are_raised_as_they_are():
    async def wrong(k: AsyncClientset) -> None:
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        explore(idle, wrong, clientset=AsyncClientset)


def test_a_program_that_ends_again_and_again_is_reported():
    async def broken(k: AsyncClientset) -> None:
        raise ValueError("the configuration is wrong")

    with pytest.raises(FoundBug, match="ends with ValueError: the configuration is wrong, again"):
        explore(broken, one_map, clientset=AsyncClientset)


def test_a_reconciliation_that_always_fails_is_reported():
    def failing(_):
        async def reconcile(request: Request) -> None:
            raise ValueError(f"no {request}")

        return reconcile

    case = CASES["two_steps"]
    with pytest.raises(FoundBug, match="ValueError: no default/") as caught:
        case.explore(operator(failing))

    assert caught.value.rule == "errors"


def test_logging_and_signals_are_as_before():
    handlers = logging.getLogger().handlers.copy()

    CASES["two_steps"].explore(CASES["two_steps"].correct, runs=2)

    assert logging.getLogger().handlers == handlers


def test_compare_and_ignore_say_what_counts():
    def counter(o):
        started = datetime.now(UTC).isoformat()

        async def reconcile(request: Request) -> None:
            widget = o.widget(request)
            if widget is not None:
                child = child_of(widget, seen=str(len(started)))
                await o.maps(request.namespace).apply(child, force=True)

        return reconcile

    case = CASES["counter"]
    ignored = case.explore(case.buggy, runs=5, ignore=["widgets.corpus.example.com:status.changes"])
    compared = case.explore(case.buggy, runs=5, compare=lambda cluster: 1)

    assert ignored.runs == compared.runs == 5
    assert case.explore(operator(counter), runs=3).runs == 3


def test_replicas_must_exist():
    with pytest.raises(ValueError, match="replicas=0"):
        explore(idle, one_map, clientset=AsyncClientset, replicas=0)


def test_values_are_compared_without_times_and_random_texts():
    one = plain_value({"at": "2026-01-01T00:00:00Z", "id": "1b2c3d4e5f", "n": [3, 1], "t": {2, 1}})

    assert one == {"at": "<time>", "id": "<random>", "n": [1, 3], "t": [1, 2]}
    assert difference({"pods a": ["{}"]}, {}) == ["pods a is missing"]
    assert difference({}, {"pods a": ["{}", "{}"]}) == ["pods a should not exist (2 times)"]
    assert difference({"pods a": ['{"x":[1]}']}, {"pods a": ['{"x":[2]}']}) == [
        "pods a: x[0] is 2, not 1"
    ]
    assert Cloud().machines == []
    assert WIDGETS.plural == "widgets"
    assert life.__doc__
