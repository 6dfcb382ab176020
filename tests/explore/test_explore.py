"""What `explore` promises: runs that can be repeated, short schedules, and readable stories."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
import time
import uuid
import weakref
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest
from explore.corpus import CASES
from explore.corpus.case import CRD, WIDGETS, Cloud, child_of, life, operator, widget
from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment, DeploymentSpec
from kubeapi.core.v1 import (
    ConfigMap,
    Container,
    HostPathVolumeSource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimVolumeSource,
    PersistentVolumeSpec,
    Pod,
    PodSpec,
    PodTemplateSpec,
    Secret,
    Volume,
    VolumeResourceRequirements,
)
from kubeapi.meta.v1 import LabelSelector, ObjectMeta, OwnerReference

from clientgen.runtime import JsonPatch
from clientgen.runtime.aio import AsyncContext, AsyncController, AsyncManager
from clientgen.runtime.controllers import Request, Result
from clientgen.runtime.errors import AlreadyExists, Conflict, NotFound
from clientgen.runtime.models import Quantity, Unstructured
from clientgen.runtime.sync import Manager
from clientgen.testing import FakeCluster, FoundBug, explore
from clientgen.testing._explore.fault_schedules import Fault, parse, text_of
from clientgen.testing._explore.random_texts import RandomTexts
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
    assert "controller: is killed before it receives the answer" in str(first)
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
    with pytest.raises(ValueError, match="schedule: 'boom' is not a fault"):
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


DONE: list[str] = []


def test_a_variable_that_outlives_the_process_is_told():
    async def program(k: AsyncClientset) -> None:
        if "first" not in DONE:
            DONE.append("first")
            await k.core_v1.config_maps("default").create(ConfigMap(metadata=ObjectMeta(name="n")))
        await asyncio.Event().wait()

    DONE.clear()
    with pytest.raises(RuntimeError) as caught:
        explore(program, one_map, clientset=AsyncClientset)

    lines = str(caught.value).splitlines()
    assert lines[0].startswith("two runs without faults differ")
    assert "  requests: once 1, then 0" in lines
    assert "  configmaps default/n is missing" in lines
    assert (
        "A variable outlives the process. A killed process loses its variables, so create this "
        in lines[-3]
    )
    assert lines[-2] == f"These have changed: {__name__}.DONE."


def test_a_variable_of_an_outer_function_is_told():
    runs: list[int] = []

    async def program(k: AsyncClientset) -> None:
        runs.append(1)
        meta = ObjectMeta(name=f"n-{len(runs)}")
        await k.core_v1.config_maps("default").create(ConfigMap(metadata=meta))
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match=r"changed: runs \(in a function around build\)"):
        explore(program, one_map, clientset=AsyncClientset)


def test_a_variable_that_makes_the_user_wait_is_told():
    runs: list[int] = []

    async def program(k: AsyncClientset) -> None:
        runs.append(1)
        if len(runs) == 1:
            await one_map(k)
        await asyncio.Event().wait()

    async def waiting(k: AsyncClientset) -> None:
        await k.core_v1.config_maps("default").get("a")

    with pytest.raises(RuntimeError, match=r"the second raised <NotFound.*\n.*outlives"):
        explore(program, waiting, clientset=AsyncClientset)


def test_modules_that_are_loaded_late_have_virtual_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "loaded_late.py").write_text("from datetime import datetime\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    async def program(k: AsyncClientset) -> None:
        import loaded_late

        await k.core_v1.config_maps("default").list()
        meta = ObjectMeta(name=f"n-{loaded_late.datetime.now(UTC).microsecond}")
        await k.core_v1.config_maps("default").create(ConfigMap(metadata=meta))
        await asyncio.Event().wait()

    assert explore(program, one_map, clientset=AsyncClientset, runs=1).runs == 1


def test_clusters_are_not_kept():
    clusters: list[weakref.ref[FakeCluster]] = []

    def setup(cluster: FakeCluster) -> None:
        clusters.append(weakref.ref(cluster))

    explore(idle, one_map, clientset=AsyncClientset, setup=setup, runs=6)
    gc.collect()

    assert len(clusters) > 6
    assert [each() for each in clusters] == [None] * len(clusters)


async def managed(k: AsyncClientset) -> None:
    Manager(cast("Any", k)).run()


@pytest.mark.parametrize("build", [Manager, managed])
def test_a_program_for_threads_is_refused(build: Any):
    with pytest.raises(TypeError, match=r"^the program uses clientgen.runtime.sync, which is for"):
        explore(build, one_map, clientset=AsyncClientset)


def test_what_is_no_asyncio_program_is_refused():
    class Threaded:
        def run(self) -> None: ...

    def nothing(k: AsyncClientset) -> None: ...

    async def check(cluster: FakeCluster) -> None: ...

    sync: Any = Clientset
    with pytest.raises(TypeError, match=r"which is for threads: .*it returned a Threaded"):
        explore(lambda k: Threaded(), one_map, clientset=AsyncClientset)
    with pytest.raises(TypeError, match=r"the program returned None: write a coroutine function"):
        explore(nothing, one_map, clientset=AsyncClientset)
    with pytest.raises(TypeError, match=r"clientset=Clientset: explore runs asyncio programs"):
        explore(idle, one_map, clientset=sync)
    for name in ("invariant", "finally_", "compare"):
        with pytest.raises(TypeError, match=f"{name} must be an ordinary function"):
            explore(idle, one_map, clientset=AsyncClientset, **{name: check})


def test_each_process_has_its_own_clock_and_hashes():
    seen: dict[str, set[object]] = {}

    class Key:
        def __hash__(self) -> int:
            return hash("key")

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Key)

    known = {Key(): "as ever"}

    async def program(k: AsyncClientset) -> None:
        loop = asyncio.get_running_loop()
        assert time.monotonic() == loop.time()
        assert known[Key()] == "as ever"
        assert hash(("a", 1)) == hash(("a", 1))
        before, day = time.monotonic(), time.time()
        async with asyncio.timeout(5):
            await asyncio.sleep(2)
        assert (time.monotonic() - before, round(time.time() - day, 6)) == (2, 2)
        seen.setdefault("hash", set()).add(hash(("a", 1)))
        seen.setdefault("epoch", set()).add(before - day)
        await asyncio.Event().wait()

    result = explore(program, one_map, clientset=AsyncClientset, replicas=2, runs=2)

    assert result.runs == 2
    assert (len(seen["hash"]), len(seen["epoch"])) == (2, 2)


def test_an_invariant_is_checked_after_each_write():
    def never_two(cluster: FakeCluster) -> str | None:
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


def test_an_invariant_is_checked_after_writes_that_are_not_the_programs():
    """The garbage collector deletes the child, and the user creates it again at once."""

    def has_child(cluster: FakeCluster) -> bool:
        maps = cluster.clientset(Clientset).core_v1.config_maps("default").list()
        names = {each.metadata.name for each in maps}
        return "child" in names or "made" not in names

    async def user(k: AsyncClientset) -> None:
        maps = k.core_v1.config_maps("default")
        made = await maps.create(ConfigMap(metadata=ObjectMeta(name="owner")))
        uid = made.metadata.uid
        owner = OwnerReference(api_version="v1", kind="ConfigMap", name="owner", uid=uid)
        meta = ObjectMeta(name="child", owner_references=[owner])
        await maps.create(ConfigMap(metadata=meta))
        await maps.create(ConfigMap(metadata=ObjectMeta(name="made")))
        await maps.delete("owner")
        await maps.create(ConfigMap(metadata=ObjectMeta(name="child")))

    with pytest.raises(FoundBug, match="the invariant does not hold") as caught:
        explore(idle, user, clientset=AsyncClientset, invariant=has_child)

    assert (caught.value.rule, caught.value.schedule) == ("invariant", "")


def test_an_invariant_of_the_external_system_is_checked_before_it_is_mended():
    async def program(k: AsyncClientset, cloud: Cloud) -> None:
        maps = k.core_v1.config_maps("default")
        await maps.create(ConfigMap(metadata=ObjectMeta(name="b")))
        cloud.create("one")
        two = cloud.create("two")
        await maps.list()
        cloud.delete(two)
        await asyncio.Event().wait()

    def one_machine(cluster: FakeCluster, cloud: Cloud) -> bool:
        return len(cloud.machines) < 2

    with pytest.raises(FoundBug, match="the invariant does not hold"):
        explore(
            program,
            one_map_for_cloud,
            clientset=AsyncClientset,
            external=Cloud,
            invariant=one_machine,
        )


def one_map_for_cloud(k: AsyncClientset, cloud: Cloud) -> Any:
    return one_map(k)


def test_the_end_of_each_run_is_judged():
    ends: list[int] = []

    def at_the_end(cluster: FakeCluster) -> None:
        ends.append(len(cluster.clientset(Clientset).core_v1.config_maps("default").list()))

    assert explore(idle, one_map, clientset=AsyncClientset, finally_=at_the_end, runs=3).runs == 3
    assert ends == [1] * 4  # and once before the first of them

    with pytest.raises(FoundBug, match=r"^the end is wrong: no more than that") as caught:
        explore(
            idle, one_map, clientset=AsyncClientset, finally_=lambda cluster: "no more than that"
        )
    assert (caught.value.rule, caught.value.schedule) == ("finally", "")


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


@pytest.mark.parametrize("n", range(5, 8))
def test_a_failure_long_after_the_start_may_be_the_first(n: int):
    """The program looks again every 30 s, and the answer to one of its requests is lost."""

    def polling(mine):
        async def reconcile(request: Request) -> Result:
            body = ConfigMap(metadata=ObjectMeta(name=request.name), data={"a": "1"})
            maps = mine.k.core_v1.config_maps(request.namespace)
            await maps.apply(body, field_manager="me", force=True)
            return Result(requeue_after=30)

        return reconcile

    async def one_widget(k: AsyncClientset) -> None:
        widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
        await widgets.create(widget("a"), namespace="default")

    schedule = f"lost(apply configmaps default/a#{n})"
    options = {"clientset": AsyncClientset, "crds": [CRD], "schedule": schedule}
    assert explore(operator(polling), one_widget, **options).runs


def test_the_history_of_a_deployment_does_not_count():
    """The program is down while the user changes his mind: one ReplicaSet, and other addresses."""

    def rolling(mine):
        async def reconcile(request: Request) -> None:
            widget = mine.widgets.indexer.get(str(request))
            if widget is not None:
                made = deployment(request.name, f"web:{widget['spec']['size']}")
                deployments = mine.k.apps_v1.deployments(request.namespace)
                await deployments.apply(made, field_manager="me", force=True)

        return reconcile

    async def changes(k: AsyncClientset) -> None:
        widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
        await widgets.create(widget("a"), namespace="default")
        await asyncio.sleep(60)
        await widgets.patch("a", {"spec": {"size": 2}}, namespace="default")
        await asyncio.sleep(60)

    options = {"clientset": AsyncClientset, "crds": [CRD], "schedule": "down(#1, end)"}
    play = lambda cluster: cluster.play(pod_start=5)  # noqa: E731
    assert explore(operator(rolling), changes, setup=play, **options).runs


def deployment(name: str, image: str) -> Deployment:
    labels = {"app": name}
    template = PodTemplateSpec(
        metadata=ObjectMeta(labels=labels),
        spec=PodSpec(containers=[Container(name="main", image=image)]),
    )
    spec = DeploymentSpec(
        replicas=2, selector=LabelSelector(match_labels=labels), template=template
    )
    return Deployment(metadata=ObjectMeta(name=name), spec=spec)


def test_conflicts_without_end_need_no_fault():
    bug = found("endless_conflict")

    assert (bug.rule, bug.schedule) == ("errors", "")
    assert "the program fails again and again: apply configmaps default/" in str(bug)
    assert 'conflict with "speed"' in str(bug)


@pytest.mark.parametrize("has_controller", [True, False])
def test_conflicts_without_end_are_found_if_the_program_catches_them(has_controller: bool):
    async def apply(k: AsyncClientset, name: str) -> bool:
        mine = ConfigMap(metadata=ObjectMeta(name=name), data={"x": "mine"})
        try:
            await k.apply(mine, namespace="default")
        except Conflict:
            return False
        return True

    async def loop(k: AsyncClientset) -> None:
        async for event in k.core_v1.config_maps("default").watch():
            while not await apply(k, event.object.metadata.name):  # noqa: ASYNC110 - of a server
                await asyncio.sleep(0.5)

    def controller(k: AsyncClientset) -> AsyncManager:
        async def reconcile(context: AsyncContext[ConfigMap]) -> Result | None:
            if context.object is None or await apply(k, context.name):
                return None
            return Result(requeue_after=1)

        manager = AsyncManager(k)
        manager.controller("maps", reconcile).for_(ConfigMap)
        return manager

    async def user(k: AsyncClientset) -> None:
        theirs = ConfigMap(metadata=ObjectMeta(name="a"), data={"x": "user"})
        await k.apply(theirs, namespace="default", field_manager="user")

    program = controller if has_controller else loop
    with pytest.raises(
        FoundBug, match=r"apply configmaps default/a → 409, \d+ times: Apply failed"
    ):
        explore(program, user, clientset=AsyncClientset, runs=1)


@pytest.mark.parametrize("is_in_program", [False, True])
def test_failures_are_found_by_programs_that_switch_logs_off(is_in_program: bool):
    case = CASES["endless_conflict"]

    def switch_off() -> None:
        logging.disable(logging.CRITICAL)
        logging.getLogger("clientgen.runtime.controllers").disabled = True

    async def program(k: AsyncClientset) -> None:
        if is_in_program:
            switch_off()
        await case.buggy(k)

    if not is_in_program:
        switch_off()
    try:
        with pytest.raises(FoundBug, match="the program fails again and again"):
            case.explore(program, budget=60.0)
    finally:
        logging.disable(logging.NOTSET)
        logging.getLogger("clientgen.runtime.controllers").disabled = False


def test_a_user_who_makes_an_object_anew_has_the_last_spec():
    """A finalizer holds the old object for a while, and the user goes on."""
    case = CASES["slow_cleanup"]
    request = "patch widgets.corpus.example.com/status default/w-2#1"

    for schedule in (f"recreate({request}); early({request}, 4)", f"rush(); recreate({request})"):
        assert case.explore(case.correct, schedule=schedule).runs == 2


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


class Machines:
    def __init__(self) -> None:
        self.names: dict[str, str] = {}


def test_a_machine_under_a_random_key_that_is_made_twice_is_found():
    """Random keys are alike; each of them counts."""

    async def program(k: AsyncClientset, machines: Machines) -> None:
        async for event in k.core_v1.config_maps("default").watch():
            name = event.object.metadata.name
            if event.type == "ADDED" and "machine" not in event.object.data:
                key = uuid.uuid4().hex
                machines.names[key] = name
                await k.core_v1.config_maps("default").patch(name, {"data": {"machine": key}})

    async def user(k: AsyncClientset, _: Machines) -> None:
        await one_map(k)

    with pytest.raises(FoundBug) as caught:
        explore(program, user, clientset=AsyncClientset, external=Machines, budget=60.0)
    assert "{'<random>': 'a', '<random> 2': 'a'}}, not" in str(caught.value)


def test_a_random_password_of_a_secret_does_not_count():
    async def program(k: AsyncClientset) -> None:
        async for event in k.core_v1.config_maps("default").watch():
            made = Secret(
                metadata=ObjectMeta(name=event.object.metadata.name),
                string_data={"password": uuid.uuid4().hex},
            )
            with suppress(AlreadyExists):
                await k.core_v1.secrets("default").create(made)

    assert explore(program, one_map, clientset=AsyncClientset, runs=40).runs


def test_modules_that_are_imported_in_the_first_run_change_nothing(tmp_path: Path, monkeypatch):
    (tmp_path / "draws_when_imported.py").write_text("import uuid; ID = uuid.uuid4()")
    monkeypatch.syspath_prepend(tmp_path)
    seen: list[uuid.UUID] = []

    async def program(k: AsyncClientset) -> None:
        import_module("draws_when_imported")
        seen.append(uuid.uuid4())
        await idle(k)

    explore(program, one_map, clientset=AsyncClientset, runs=1)
    assert seen[0] == seen[1]


def test_values_are_compared_without_times_and_random_texts():
    one = plain_value({"at": "2026-01-01T00:00:00Z", "n": [3, 1], "t": {2, 1}})

    assert one == {"at": "<time>", "n": [1, 3], "t": [1, 2]}
    assert plain_value({"claimRef": {"name": "c", "resourceVersion": "223"}}) == {
        "claimRef": {"name": "c"}
    }
    assert RandomTexts().value({7: ["1b2c3d4e5f"]}) == {7: ["<random>"]}
    assert difference({"pods a": ["{}"]}, {}) == ["pods a is missing"]
    assert difference({}, {"pods a": ["{}", "{}"]}) == ["pods a should not exist (2 times)"]
    assert difference({"pods a": ['{"x":[1]}']}, {"pods a": ['{"x":[2]}']}) == [
        "pods a: x[0] is 2, not 1"
    ]
    assert Cloud().machines == []
    assert WIDGETS.plural == "widgets"
    assert life.__doc__


async def copying(k: AsyncClientset) -> None:
    """Keep a Secret for each ConfigMap, and mark the ConfigMap."""

    async def reconcile(request: Request) -> None:
        original = maps.indexer.get(str(request))
        if original is None:
            return
        uid = original.metadata.uid
        me = OwnerReference(api_version="v1", kind="ConfigMap", name=request.name, uid=uid)
        meta = ObjectMeta(name=request.name, owner_references=[me])
        copy = Secret(metadata=meta, string_data=original.data)
        await k.core_v1.secrets(request.namespace).apply(copy, force=True)
        seen = str(sorted(original.data.items()))
        if original.metadata.annotations.get("seen") != seen:
            mark: Any = {"metadata": {"uid": uid, "annotations": {"seen": seen}}}
            await k.core_v1.config_maps(request.namespace).patch(request.name, mark)

    async with k, k.informers() as factory:
        maps = factory.core_v1.config_maps()
        await AsyncController("copies", reconcile).for_(maps).run()


async def changed_maps(k: AsyncClientset) -> None:
    """A user who changes what has no spec, in all ways."""
    maps = k.core_v1.config_maps("default")
    await maps.create(ConfigMap(metadata=ObjectMeta(name="a"), data={"colour": "red"}))
    await maps.patch("a", {"data": {"colour": "blue", "size": "1"}})
    latest = await maps.get("a")
    latest.metadata.labels["team"] = "x"
    latest.data["size"] = "2"
    await maps.update(latest)
    mine = ConfigMap(metadata=ObjectMeta(name="b"), data={"colour": "red"})
    await maps.apply(mine, field_manager="user")
    await maps.patch("b", JsonPatch([{"op": "replace", "path": "/data/colour", "value": "green"}]))


def test_what_is_made_anew_is_as_the_user_has_last_written_it():
    for request in ("a#1", "a#2", "a#3", "b#1", "b#2"):
        schedule = f"recreate(patch configmaps default/{request})"
        explore(copying, changed_maps, clientset=AsyncClientset, schedule=schedule)


def claim_of(name: str) -> PersistentVolumeClaim:
    """The claim of a ConfigMap."""
    resources = VolumeResourceRequirements(requests={"storage": Quantity("1Gi")})
    spec = PersistentVolumeClaimSpec(access_modes=["ReadWriteOnce"], resources=resources)
    return PersistentVolumeClaim(metadata=ObjectMeta(name=name), spec=spec)


async def keeping_claims(k: AsyncClientset) -> None:
    """Keep a claim for each ConfigMap."""

    async def reconcile(request: Request) -> None:
        claims = k.core_v1.persistent_volume_claims(request.namespace)
        if maps.indexer.get(str(request)) is None:
            with suppress(NotFound):
                await claims.delete(request.name)
            return
        with suppress(AlreadyExists):
            await claims.create(claim_of(request.name))

    async with k, k.informers() as factory:
        maps = factory.core_v1.config_maps()
        await AsyncController("claims", reconcile).for_(maps).run()


def test_the_deletion_of_a_claim_ends_if_nothing_uses_it():
    async def scenario(k: AsyncClientset) -> None:
        await one_map(k)
        await k.core_v1.config_maps("default").delete("a")
        spec = PersistentVolumeSpec(
            host_path=HostPathVolumeSource(path="/data"),
            capacity={"storage": Quantity("1Gi")},
            access_modes=["ReadWriteOnce"],
        )
        volume = PersistentVolume(metadata=ObjectMeta(name="v"), spec=spec)
        await k.core_v1.persistent_volumes().create(volume)
        await k.core_v1.persistent_volumes().delete("v")

    def no_claims(cluster: FakeCluster) -> bool:
        k = cluster.clientset(Clientset).core_v1
        return (
            not k.persistent_volume_claims("default").list() and not k.persistent_volumes().list()
        )

    assert explore(
        keeping_claims, scenario, clientset=AsyncClientset, finally_=no_claims, schedule=""
    )


def test_a_claim_in_use_is_not_removed():
    async def scenario(k: AsyncClientset) -> None:
        claims, pods = k.core_v1.persistent_volume_claims("default"), k.core_v1.pods("default")
        await claims.create(claim_of("used"))
        source = PersistentVolumeClaimVolumeSource(claim_name="used")
        volumes = [Volume(name="data", persistent_volume_claim=source)]
        spec = PodSpec(containers=[Container(name="c", image="i")], volumes=volumes)
        await pods.create(Pod(metadata=ObjectMeta(name="p"), spec=spec))
        await claims.delete("used")
        await k.core_v1.config_maps("default").create(ConfigMap(metadata=ObjectMeta(name="later")))
        assert (await claims.get("used")).metadata.deletion_timestamp is not None
        await pods.delete("p", grace_period_seconds=0)

    assert explore(idle, scenario, clientset=AsyncClientset, runs=3).runs == 3


def test_what_ignores_or_repeats_nothing_is_refused():
    with pytest.raises(ValueError, match=r"^ignore: 'secrets' is only a kind, .* 'secrets \*' for"):
        explore(idle, one_map, clientset=AsyncClientset, ignore=["secrets"])
    for schedule in (
        "fail(create pods default/x#1)",
        "rush(#2)",
        "down(#2)",
        "lag(pods, 1); down(#9)",
    ):
        with pytest.raises(
            ValueError, match=r"^schedule: .* never happened, as the run has no such"
        ):
            explore(idle, one_map, clientset=AsyncClientset, schedule=schedule)


def test_an_error_of_a_judge_says_when_it_came():
    ends: list[int] = []

    def breaking(cluster: FakeCluster) -> None:
        ends.append(1)
        if len(ends) == 3:
            raise KeyError("b")

    with pytest.raises(KeyError) as caught:
        explore(idle, one_map, clientset=AsyncClientset, finally_=breaking)
    [note] = caught.value.__notes__
    assert note.startswith("explore: this happened with schedule='")


def test_an_assertion_of_the_user_is_a_finding():
    async def copied(k: AsyncClientset) -> None:
        await one_map(k)
        await k.core_v1.config_maps("default").patch("a", {"data": {"x": "1"}})
        await k.core_v1.config_maps("default").patch("a", {"data": {"x": "2"}})
        secrets = await k.core_v1.secrets("default").list()
        assert secrets, "there is no copy"

    with pytest.raises(FoundBug, match="the user does not find what is expected: there is no copy"):
        explore(copying, copied, clientset=AsyncClientset, schedule="rush()")
