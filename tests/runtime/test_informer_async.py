"""Informers against a cluster in memory; `test_informer_sync` runs the same on threads."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, ConfigMapList, Node, NodeList
from kubeapi.meta.v1 import ObjectMeta
from support.informers import CONFIG_MAPS, NODES, History, config, tasks, threads, value_of

from clientgen.runtime import (
    CacheMutationError,
    DeletedFinalStateUnknown,
    drop_managed_fields,
    errors,
)
from clientgen.runtime._async import _primitives
from clientgen.runtime._async._primitives import Event, sleep
from clientgen.runtime.aio import AsyncSharedInformer
from clientgen.runtime.errors import NotSynced, api_error
from clientgen.runtime.models import Status, from_dict
from clientgen.testing import FakeClock, FakeCluster
from clientgen.testing._fake.network_faults import OpenStream
from clientgen.testing._fake.reactors import Pattern

FOREVER = 10.0
EVERYTHING = Pattern()


class Silent(OpenStream):
    """A stream that sends nothing more, not even its end."""

    deadline = None

    def take(self) -> bytes:
        return b""


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    assert not threads()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster(config("a", "1"), config("b", "1"))


@pytest.fixture
def stepped(clock: FakeClock) -> FakeCluster:
    """A cluster where time stands still."""
    return FakeCluster(config("a", "1"), config("b", "1"), clock=clock)


def informer(cluster: FakeCluster, **options: Any) -> AsyncSharedInformer[ConfigMap]:
    k = cluster.clientset(AsyncClientset)
    options.setdefault("clock", cluster.dispatcher.clock)
    return AsyncSharedInformer(k.rest, CONFIG_MAPS, ConfigMap, ConfigMapList, **options)


async def until(condition: Callable[[], object]) -> None:
    """Wait for what has to come."""
    for _ in range(5000):
        if condition():
            return
        await sleep(0.002)
    pytest.fail("it does not happen")


async def until_stepped(clock: FakeClock, condition: Callable[[], object], by: float = 1) -> float:
    """Move a clock on until something has happened; gives by how much."""
    begun = clock.monotonic()
    for _ in range(2000):
        if condition():
            return clock.monotonic() - begun
        clock.step(by)
        await sleep(0.002)
    pytest.fail("it does not happen")


async def delete(cluster: FakeCluster, name: str, namespace: str = "default") -> None:
    await cluster.clientset(AsyncClientset).core_v1.config_maps(namespace).delete(name)


def ignore(obj: ConfigMap, is_initial: bool) -> None:
    """Be told and do nothing."""


def names(informer: AsyncSharedInformer[ConfigMap]) -> list[str]:
    return sorted(each.metadata.name for each in informer.lister.list())


def said(cluster: FakeCluster) -> list[str]:
    return [str(action) for action in cluster.actions]


# ---- the cache --------------------------------------------------------------------------------


async def test_the_cache_is_filled_by_one_stream_and_then_follows(cluster):
    async with informer(cluster) as cms:
        assert await cms.wait_for_sync(FOREVER)
        assert cms.has_synced()
        assert names(cms) == ["a", "b"]
        cluster.add(config("c", "1"), config("a", "2"))
        await delete(cluster, "b")
        await until(lambda: names(cms) == ["a", "c"])
        assert value_of(cms.lister.get("default", "a")) == "2"
        with pytest.raises(errors.NotFound):
            cms.lister.in_namespace("default").get("b")
    first, *_ = cluster.actions
    assert first.verb == "watch"
    assert first.options["sendInitialEvents"] == "true"
    assert said(cluster) == ["watch configmaps", "delete configmaps default/b"]


async def test_an_empty_collection_is_synced_too():
    async with informer(FakeCluster()) as cms:
        assert await cms.wait_for_sync(FOREVER)
        assert cms.lister.list() == []
        assert cms.resource_version


async def test_the_version_follows_events(cluster):
    async with informer(cluster) as cms:
        await cms.wait_for_sync(FOREVER)
        before = cms.resource_version
        cluster.add(config("c"))
        await until(lambda: cms.resource_version != before)
        assert cms.lister.get("default", "c").metadata.resource_version == cms.resource_version


async def test_selectors_narrow_it_down():
    cluster = FakeCluster(config("a", app="web"), config("b", app="db"), config("c", app="web"))
    options = {"label_selector": "app=web", "field_selector": "metadata.name!=c"}
    async with informer(cluster, **options) as cms:
        await cms.wait_for_sync(FOREVER)
        assert names(cms) == ["a"]
        cluster.add(config("b", app="web"))
        await until(lambda: names(cms) == ["a", "b"])
        cluster.add(config("a", app="db"))
        await until(lambda: names(cms) == ["b"])


async def test_indices_may_come_before_and_after(cluster):
    cms = informer(cluster)
    cms.add_index("value", lambda obj: [value_of(obj)])
    async with cms:
        await cms.wait_for_sync(FOREVER)
        assert sorted(cms.indexer.index_keys("value", "1")) == ["default/a", "default/b"]
        cms.add_index("name", lambda obj: [obj.metadata.name])
        assert cms.indexer.index_keys("name", "a") == ["default/a"]
        with pytest.raises(ValueError, match="name"):
            cms.add_index("name", lambda obj: [])


async def test_resources_of_the_whole_cluster():
    cluster = FakeCluster(Node(metadata=ObjectMeta(name="n")))
    k = cluster.clientset(AsyncClientset)
    async with AsyncSharedInformer(k.rest, NODES, Node, NodeList, namespace="x") as nodes:
        assert await nodes.wait_for_sync(FOREVER)
        assert nodes.lister.get("n").metadata.name == "n"


# ---- several namespaces -----------------------------------------------------------------------


async def test_several_namespaces_are_one_cache(clock):
    cluster = FakeCluster(*(config("x", each, each) for each in ("a", "b", "c")), clock=clock)
    seen, cms = History(), informer(cluster, namespace=["b", "a", "b"])
    handler = cms.add_handler(**seen.handlers)
    async with cms:
        assert await cms.wait_for_sync(FOREVER)
        assert await handler.wait_for_sync(FOREVER)
        assert sorted(seen.told) == ["first x a", "first x b"]
        assert sorted(map(value_of, cms.lister.list())) == ["a", "b"]
        assert [value_of(each) for each in cms.lister.in_namespace("b").list()] == ["b"]
        # A list of one namespace leaves the other alone, and notices what was deleted in its own.
        cluster.end_watches(expired=True)
        await until(lambda: clock.waiters > 2)
        await delete(cluster, "x", "a")
        cluster.add(config("x", "new", "b"))
        await until_stepped(clock, lambda: seen.told[2:])
        await until_stepped(clock, lambda: len(seen.told) == 4)
        assert sorted(seen.told[2:]) == ["delete x a", "update x b>new"]
        assert not seen.nonsense
    watched = {each.namespace for each in cluster.actions if each.verb == "watch"}
    assert watched == {"a", "b"}


async def test_it_is_synced_when_all_namespaces_are():
    cluster = FakeCluster(config("x", "a", "a"), config("x", "b", "b"))
    rule = cluster.fail("*", "configmaps", 403, times=None, namespace="b")
    seen, cms = History(), informer(cluster, namespace=("a", "b"))
    handler = cms.add_handler(**seen.handlers)
    async with cms:
        await until(lambda: seen.told == ["first x a"])
        late = History()
        cms.add_handler(**late.handlers)
        cluster.add(config("y", "a", "a"))
        await until(lambda: seen.told == ["first x a", "first y a"])
        assert not cms.has_synced()
        assert not handler.has_synced()
        rule.remove()
        assert await handler.wait_for_sync(FOREVER)
        assert seen.told[2:] == ["first x b"]
        await until(lambda: sorted(late.told) == sorted(seen.told))


def test_no_namespace_at_all_is_a_mistake(cluster):
    with pytest.raises(ValueError, match="namespace"):
        informer(cluster, namespace=[])
    with pytest.raises(ValueError, match="namespace"):
        informer(cluster, namespace="")


# ---- handlers ---------------------------------------------------------------------------------


async def test_handlers_are_told_what_was_there_and_what_changes(cluster):
    seen, cms = History(), informer(cluster)
    handler = cms.add_handler(**seen.handlers)
    assert not handler.has_synced()
    async with cms:
        assert await handler.wait_for_sync(FOREVER)
        assert handler.has_synced()
        assert sorted(seen.told) == ["first a 1", "first b 1"]
        cluster.add(config("c", "1"))
        cluster.add(config("c", "2"))
        await delete(cluster, "c")
        await until(lambda: len(seen.told) == 5)
        assert seen.told[2:] == ["add c 1", "update c 1>2", "delete c 2"]
        assert not seen.nonsense


async def test_handlers_that_come_late_are_told_what_is_there(cluster):
    async with informer(cluster) as cms:
        await cms.wait_for_sync(FOREVER)
        cluster.add(config("c", "1"))
        await until(lambda: "c" in names(cms))
        seen = History()
        handler = cms.add_handler(**seen.handlers)
        assert await handler.wait_for_sync(FOREVER)
        assert sorted(seen.told) == ["first a 1", "first b 1", "first c 1"]
        cluster.add(config("c", "2"))
        await until(lambda: seen.told[3:] == ["update c 1>2"])


async def test_coroutine_functions_are_handlers_too(cluster):
    told: list[str] = []

    async def on_add(obj: ConfigMap, is_initial: bool) -> None:
        await sleep(0)
        told.append(obj.metadata.name)

    cms = informer(cluster)
    handler = cms.add_handler(on_add)
    async with cms:
        assert await handler.wait_for_sync(FOREVER)
        assert sorted(told) == ["a", "b"]


async def test_a_slow_handler_delays_neither_the_cache_nor_others(cluster):
    gate, slow, quick, cms = Event(), History(), History(), informer(cluster)

    async def on_add(obj: ConfigMap, is_initial: bool) -> None:
        await gate.wait()
        slow.on_add(obj, is_initial)

    first = cms.add_handler(on_add, slow.on_update, slow.on_delete)
    second = cms.add_handler(**quick.handlers)
    async with cms:
        assert await second.wait_for_sync(FOREVER)
        cluster.add(config("c", "1"))
        cluster.add(config("c", "2"))
        await until(lambda: quick.told[2:] == ["add c 1", "update c 1>2"])
        assert value_of(cms.lister.get("default", "c")) == "2"
        assert not first.has_synced()
        assert slow.told == []
        assert first.backlog >= 3
        gate.set()
        await until(lambda: slow.told == quick.told)
        assert first.has_synced()


async def test_errors_of_handlers_are_logged_counted_and_survived(cluster, caplog):
    seen, cms = History(), informer(cluster)

    def on_add(obj: ConfigMap, is_initial: bool) -> None:
        seen.on_add(obj, is_initial)
        raise LookupError(obj.metadata.name)

    def on_update(old: ConfigMap, new: ConfigMap) -> None:
        seen.on_update(old, new)

    handler = cms.add_handler(on_add, on_update)
    async with cms:
        assert await handler.wait_for_sync(FOREVER)
        cluster.add(config("a", "2"))
        await until(lambda: seen.told[2:] == ["update a 1>2"])
        assert (handler.errors, cms.handler_errors) == (2, 2)
        handler.remove()
        assert cms.handler_errors == 2
    failures = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert [each.name for each in failures] == ["clientgen.runtime.informers"] * 2
    assert "LookupError: a" in caplog.text


async def test_filters_make_entering_an_addition_and_leaving_a_deletion(cluster):
    seen, cms = History(), informer(cluster)
    handler = cms.add_handler(**seen.handlers, filter=lambda obj: value_of(obj) >= "2")
    async with cms:
        assert await handler.wait_for_sync(FOREVER)
        assert seen.told == []
        for value in ("2", "3", "0", "1", "5"):
            cluster.add(config("a", value))
        await delete(cluster, "a")
        await delete(cluster, "b")
        cluster.add(config("z", "9"))
        await until(lambda: seen.told and seen.told[-1] == "add z 9")
        assert seen.told == [
            "add a 2",
            "update a 2>3",
            "delete a 3",
            "add a 5",
            "delete a 5",
            "add z 9",
        ]
        assert not seen.nonsense


async def test_a_filter_that_fails_is_an_error_of_the_handler(cluster, caplog):
    cms = informer(cluster)
    handler = cms.add_handler(lambda obj, initial: None, filter=lambda obj: obj.data["none"] == "")
    async with cms:
        assert await handler.wait_for_sync(FOREVER)
        assert handler.errors == 2
    assert "KeyError" in caplog.text


async def test_handlers_that_are_removed_hear_no_more(cluster):
    seen, others, cms = History(), History(), informer(cluster)
    handler = cms.add_handler(**seen.handlers)
    cms.add_handler(**others.handlers)
    async with cms:
        assert await handler.wait_for_sync(FOREVER)
        handler.remove()
        handler.remove()
        cluster.add(config("c", "1"))
        await until(lambda: others.told[2:] == ["add c 1"])
        assert sorted(seen.told) == ["first a 1", "first b 1"]


async def test_a_handler_may_remove_itself(cluster):
    told: list[str] = []

    def on_add(obj: ConfigMap, is_initial: bool) -> None:
        told.append(obj.metadata.name)
        handler.remove()

    cms = informer(cluster)
    handler = cms.add_handler(on_add)
    async with cms:
        await cms.wait_for_sync(FOREVER)
        await until(lambda: told)
        # Removed before everything had been told.
        assert not await handler.wait_for_sync(FOREVER)
    assert len(told) == 1


async def test_handlers_may_be_added_by_handlers(cluster):
    seen, cms = History(), informer(cluster)

    def on_add(obj: ConfigMap, is_initial: bool) -> None:
        if obj.metadata.name == "a":
            cms.add_handler(**seen.handlers)

    cms.add_handler(on_add)
    async with cms:
        await until(lambda: sorted(seen.told) == ["first a 1", "first b 1"])


# ---- what was missed --------------------------------------------------------------------------


async def test_missed_deletions_are_told_before_the_rest(stepped, clock):
    seen, cms = History(), informer(stepped)
    unknown: list[DeletedFinalStateUnknown[ConfigMap]] = []
    handler = cms.add_handler(**seen.handlers)
    cms.add_handler(on_delete=lambda obj: pytest.fail("twice"), on_delete_unknown=unknown.append)
    async with cms:
        assert await handler.wait_for_sync(FOREVER)
        held = cms.lister.get("default", "b")
        assert stepped.end_watches(expired=True) == 1
        await until(lambda: clock.waiters > 1)
        await delete(stepped, "b")
        stepped.add(config("a", "2"), config("c", "1"))
        assert names(cms) == ["a", "b"]
        waited = await until_stepped(clock, lambda: len(seen.told) == 5, 0.1)
        assert 0.7 < waited < 2
        assert seen.told[2:] == ["delete b 1", "update a 1>2", "add c 1"]
        await until(lambda: unknown)
        assert [(each.key, each.object is held) for each in unknown] == [("default/b", True)]
        assert names(cms) == ["a", "c"]
    watches = [each for each in stepped.actions if each.verb == "watch"]
    assert [each.options.get("sendInitialEvents") for each in watches] == ["true", "true"]
    # Not older than what was known: another server may be behind.
    assert watches[1].options["resourceVersion"] != ""


async def test_unchanged_objects_are_not_notified_again(stepped, clock):
    seen, cms = History(), informer(stepped)
    handler = cms.add_handler(**seen.handlers)
    async with cms:
        assert await handler.wait_for_sync(FOREVER)
        for times in (2, 3, 4):
            stepped.end_watches(expired=True)
            await until_stepped(clock, lambda times=times: len(stepped.actions) == times)
            await until(lambda: stepped.dispatcher.streams)
        stepped.add(config("c", "1"))
        await until_stepped(clock, lambda: len(seen.told) > 2)
        assert seen.told[2:] == ["add c 1"]


async def test_a_lost_connection_is_replaced_at_once(cluster):
    seen, cms = History(), informer(cluster)
    handler = cms.add_handler(**seen.handlers)
    async with cms:
        assert await handler.wait_for_sync(FOREVER)
        for number in range(5):
            cluster.add(config("a", f"x{number}"))
            await until(lambda number=number: f"x{number}" in seen.told[-1])
            cluster.drop_watches()
        cluster.add(config("a", "last"))
        await until(lambda: "last" in seen.told[-1])
        assert not seen.nonsense
    watches = [each for each in cluster.actions if each.verb == "watch"]
    assert len(watches) <= 6
    assert all("sendInitialEvents" not in each.options for each in watches[1:])


async def test_a_silent_connection_is_given_up(stepped, clock):
    async with informer(stepped) as cms:
        await cms.wait_for_sync(FOREVER)
        (stream,) = stepped.dispatcher.streams(EVERYTHING)
        stream.__class__ = Silent
        waited = await until_stepped(clock, lambda: len(stepped.actions) > 1, 10)
        assert 330 <= waited <= 640
        stepped.add(config("c"))
        await until(lambda: "c" in names(cms))


async def test_a_server_that_was_set_back_is_believed(stepped, clock):
    async with informer(stepped) as cms:
        await cms.wait_for_sync(FOREVER)
        cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
        error = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 504}
        error |= {"reason": "Timeout", "details": {"causes": [cause], "retryAfterSeconds": 1}}

        def refuse(action: Any) -> Any:
            known = action.options.get("resourceVersion", "") not in {"", "0"}
            return api_error(from_dict(Status, error)) if known else None

        stepped.react("*", "configmaps", refuse)
        stepped.end_watches(expired=True)
        stepped.clear_actions()
        await delete(stepped, "b")
        await until_stepped(clock, lambda: names(cms) == ["a"], 0.2)
        assert "resourceVersion" not in stepped.actions[-1].options
        assert [str(each) for each in stepped.actions] == [
            "delete configmaps default/b",
            "watch configmaps",
            "watch configmaps",
        ]


async def test_the_connection_may_break_anywhere(stepped, clock):
    for cut_after in range(0, 1500, 150):
        stepped.cut("watch", "configmaps", after=cut_after)
        seen, cms = History(), informer(stepped)
        cms.add_handler(**seen.handlers)
        async with cms:
            await until_stepped(clock, cms.has_synced)
            await until(lambda seen=seen: len(seen.told) == 2)
            assert names(cms) == ["a", "b"]
            assert not seen.nonsense


# ---- servers that cannot, or do not want to ---------------------------------------------------


async def test_servers_without_streams_of_everything_are_listed(cluster):
    def refuse(action: Any) -> Any:
        return errors.Invalid if "sendInitialEvents" in action.options else None

    cluster.react("watch", "configmaps", refuse)
    seen, cms = History(), informer(cluster)
    cms.add_handler(**seen.handlers)
    async with cms:
        assert await cms.wait_for_sync(FOREVER)
        assert names(cms) == ["a", "b"]
        await until(lambda: len(cluster.actions) == 3)
        cluster.add(config("c", "1"))
        await until(lambda: seen.told[2:] == ["add c 1"])
    assert said(cluster) == ["watch configmaps", "list configmaps", "watch configmaps"]
    assert cluster.actions[1].options == {"resourceVersion": "0", "limit": "500"}


async def test_lists_come_in_pages_and_the_state_may_expire(cluster):
    cluster.fail("watch", "configmaps", 422)
    # "0" would be answered in one piece.
    cluster.fail("list", "configmaps", errors.Expired)
    cluster.add(*(config(f"n{number:04}") for number in range(1200)))
    async with informer(cluster) as cms:
        assert await cms.wait_for_sync(FOREVER)
        assert len(cms.indexer) == 1202
        lists = [each.options for each in cluster.actions if each.verb == "list"]
        assert len(lists) == 4
        assert ["continue" in each for each in lists] == [False, False, True, True]
        assert lists[1] == {"limit": "500"} | {"resourceVersion": ""} or lists[1] == {
            "limit": "500"
        }


async def test_a_state_that_expires_between_pages_is_read_once_more_in_one_go(cluster):
    cluster.fail("watch", "configmaps", 422)
    cluster.fail("list", "configmaps", errors.Expired)
    cluster.add(*(config(f"n{number:04}") for number in range(600)))

    def expire(action: Any) -> Any:
        return errors.Expired if "continue" in action.options else None

    cluster.react("list", "configmaps", expire)
    async with informer(cluster) as cms:
        assert await cms.wait_for_sync(FOREVER)
        assert len(cms.indexer) == 602
    lists = [each.options for each in cluster.actions if each.verb == "list"]
    assert ["limit" in each for each in lists] == [True, True, True, False]


async def test_a_page_is_asked_for_again_when_the_server_wants_that(stepped, clock):
    stepped.fail("watch", "configmaps", 422)
    stepped.fail("list", "configmaps", 429, retry_after=3)
    async with informer(stepped) as cms:
        waited = await until_stepped(clock, cms.has_synced)
        assert waited >= 3
    assert said(stepped).count("list configmaps") == 2
    assert cms.watch_errors == 0


async def test_refusals_are_told_and_never_hammered_at(stepped, clock):
    told: list[Exception] = []
    stepped.fail("*", "configmaps", 403, times=None)
    cms = informer(stepped)
    cms.on_watch_error(told.append)
    async with cms:
        # Ten minutes: 0.8 + 1.6 + ... s, at most 30 s, from the start every two minutes.
        for _ in range(600):
            clock.step(1)
            await sleep(0.001)
        assert not cms.has_synced()
        assert 10 <= len(told) <= 45
        assert all(isinstance(each, errors.Forbidden) for each in told)
        assert len(stepped.actions) <= 2 * len(told) + 2
        assert cms.watch_errors == len(told)
        stepped.clear_reactions()
        await until_stepped(clock, cms.has_synced, 10)
        assert names(cms) == ["a", "b"]


@pytest.mark.parametrize("error", [401, 404, 429, 500, 503, errors.ConnectionLost])
async def test_the_reflector_retries_after_any_error(stepped, clock, error, caplog):
    caplog.set_level("INFO", "clientgen.runtime.informers")  # short losses are not warned of
    stepped.fail("*", "configmaps", error, times=6)
    async with informer(stepped) as cms:
        await until_stepped(clock, cms.has_synced)
        assert names(cms) == ["a", "b"]
        stepped.fail("*", "configmaps", error, times=6)
        stepped.drop_watches()
        stepped.add(config("c"))
        await until_stepped(clock, lambda: "c" in names(cms))
    if error not in {429}:
        assert "clientgen.runtime.informers" in {each.name for each in caplog.records}


async def test_errors_of_the_handler_of_errors_are_survived(stepped, clock, caplog):
    def fail(error: Exception) -> None:
        raise LookupError("of the handler")

    stepped.fail("*", "configmaps", 403, times=4)
    cms = informer(stepped)
    cms.on_watch_error(fail)
    async with cms:
        await until_stepped(clock, cms.has_synced)
    assert "of the handler" in caplog.text


async def test_a_server_that_cannot_be_reached_is_warned_of(stepped, clock, caplog):
    def warnings() -> list[str]:
        return [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]

    stepped.fail("*", "configmaps", 429, times=None)
    async with informer(stepped) as cms:
        await until(warnings)
        assert not cms.has_synced()
        stepped.clear_reactions()
        await until_stepped(clock, cms.has_synced)
        caplog.clear()
        stepped.fail("*", "configmaps", 429, times=None)
        stepped.drop_watches()
        await until_stepped(clock, warnings)
        assert clock.monotonic() >= 5  # the pauses before the first of ten seconds, at the least
        assert not cms.watch_errors


async def test_garbage_is_an_error_like_others(stepped, clock):
    async with informer(stepped) as cms:
        await cms.wait_for_sync(FOREVER)
        (stream,) = stepped.dispatcher.streams(EVERYTHING)
        stream.end(b'{"type":"ADDED","object":{"meta\n')
        stepped.add(config("c"))
        await until_stepped(clock, lambda: "c" in names(cms))
        assert not cms.watch_errors


async def test_a_closed_client_is_told_of_and_hurts_nobody(stepped, clock, caplog):
    k = stepped.clientset(AsyncClientset)
    cms = AsyncSharedInformer(k.rest, CONFIG_MAPS, ConfigMap, ConfigMapList, clock=clock)
    async with cms:
        await cms.wait_for_sync(FOREVER)
        await k.rest.aclose()
        await until_stepped(clock, lambda: cms.watch_errors)
    assert "is closed" in caplog.text


# ---- transforms, resyncs, mutations -----------------------------------------------------------


async def test_transforms_change_what_is_kept(cluster):
    for obj in (config("m", "1"),):
        await cluster.clientset(AsyncClientset).core_v1.config_maps("default").create(obj)

    def keep(obj: ConfigMap) -> ConfigMap:
        obj.data = {"value": f"<{value_of(obj)}>"}
        return drop_managed_fields(obj)

    seen, cms = History(), informer(cluster)
    cms.set_transform(keep)
    cms.add_handler(**seen.handlers)
    async with cms:
        await cms.wait_for_sync(FOREVER)
        assert value_of(cms.lister.get("default", "m")) == "<1>"
        assert cms.lister.get("default", "m").metadata.managed_fields == []
        cluster.add(config("m", "2"))
        await delete(cluster, "m")
        await until(lambda: len(seen.told) == 5)
        assert seen.told[3:] == ["update m <1>><2>", "delete m <2>"]
        with pytest.raises(RuntimeError, match="started"):
            cms.set_transform(keep)
        with pytest.raises(RuntimeError, match="started"):
            cms.on_watch_error(print)


async def test_objects_whose_transform_fails_are_kept_untransformed(stepped, clock, caplog):
    def keep(obj: ConfigMap) -> ConfigMap:
        if value_of(obj) == "bad":
            raise LookupError("of the transform")
        return obj

    seen, cms = History(), informer(stepped, transform=keep)
    cms.add_handler(**seen.handlers)
    async with cms:
        await cms.wait_for_sync(FOREVER)
        stepped.add(config("a", "bad"), config("c", "bad"), config("d", "1"))
        await until(lambda: seen.told[2:] == ["add d 1"])
        stepped.end_watches(expired=True)
        await until(lambda: clock.waiters > 1)
        stepped.add(config("d", "2"))
        await until_stepped(clock, lambda: seen.told[3:] == ["update d 1>2"])
        assert names(cms) == ["a", "b", "d"]
        await delete(stepped, "a")
        await until_stepped(clock, lambda: seen.told[4:] == ["delete a bad"])
        await delete(stepped, "c")
        assert not seen.nonsense
    assert "of the transform" in caplog.text


async def test_a_transform_that_forgets_to_return_is_told_of(cluster, caplog):
    def forget(obj: ConfigMap) -> Any:
        obj.data = {}

    async with informer(cluster, transform=forget) as cms:
        assert await cms.wait_for_sync(FOREVER)
        assert names(cms) == []
    assert "returned None for default/b, which is left out" in caplog.text


async def test_resyncs_tell_of_everything_again_to_those_who_want_it(stepped, clock):
    often, seldom, never, cms = History(), History(), History(), informer(stepped, resync_period=60)
    for seen, period in ((often, 20), (seldom, None), (never, 0)):
        cms.add_handler(**seen.handlers, resync_period=period)
    async with cms:
        await until(lambda: len(often.told) == len(seldom.told) == len(never.told) == 2)
        await until(lambda: clock.waiters > 1)
        requests = len(stepped.actions)
        await told_within(clock, often, 19, 22)
        assert sorted(often.told[2:]) == ["update a 1>1", "update b 1>1"]
        await told_within(clock, seldom, 59 - 22, 66 - 22)
        assert len(never.told) == 2
        assert len(stepped.actions) == requests
        late = History()
        cms.add_handler(**late.handlers, resync_period=5)
        await until(lambda: len(late.told) == 2)
        await told_within(clock, late, 3, 7)


async def told_within(clock: FakeClock, seen: History, early: float, late: float) -> None:
    """Check that both objects are told of again after `early` and by `late` seconds."""
    clock.step(early)
    await sleep(0.01)
    assert len(seen.told) == 2
    for _ in range(int(late - early)):
        clock.step(1)
    await until(lambda: len(seen.told) == 4)


async def test_a_resync_waits_for_the_one_before(stepped, clock):
    gate, updates, cms = Event(), [], informer(stepped)

    async def on_update(old: ConfigMap, new: ConfigMap) -> None:
        updates.append(new.metadata.name)
        await gate.wait()

    handler = cms.add_handler(on_update=on_update, resync_period=10)
    async with cms:
        await handler.wait_for_sync(FOREVER)
        await until_stepped(clock, lambda: updates)
        for _ in range(50):
            clock.step(10)
            await sleep(0.001)
        assert handler.backlog <= 2
        gate.set()
        await until(lambda: not handler.backlog)


def test_odd_resync_periods(cluster, caplog):
    cms = informer(cluster)
    with pytest.raises(ValueError, match="negative"):
        cms.add_handler(resync_period=-1)
    cms.add_handler(ignore, resync_period=0.5)
    assert "too short" in caplog.text


@pytest.mark.parametrize("given", [{}, {"filter": bool}, {"resync_period": 30}])
def test_a_handler_without_a_function_is_refused(cluster, given):
    with pytest.raises(
        TypeError, match=r"^add_handler\(\) needs at least one function: on_add, on_update"
    ):
        informer(cluster).add_handler(**given)


async def test_mutations_of_cached_objects_are_detected(cluster, monkeypatch, caplog):
    monkeypatch.setenv("CLIENTGEN_CACHE_MUTATION_DETECTOR", "true")
    cms = informer(cluster)
    cms.start()
    await cms.wait_for_sync(FOREVER)
    cms.lister.get("default", "a").data["value"] = "mine"
    with pytest.raises(CacheMutationError, match="default/a: /data/value"):
        await cms.stop()
    assert "default/a: /data/value" in caplog.text


async def test_nobody_is_accused_of_nothing(cluster, monkeypatch):
    monkeypatch.setenv("CLIENTGEN_CACHE_MUTATION_DETECTOR", "true")
    async with informer(cluster, resync_period=1) as cms:
        await cms.wait_for_sync(FOREVER)
        cluster.add(config("a", "2"))
        await until(lambda: value_of(cms.lister.get("default", "a")) == "2")


# ---- beginning and end ------------------------------------------------------------------------


async def test_waiting_for_what_does_not_come_ends(cluster):
    cluster.fail("*", "configmaps", 403, times=None)
    cms = informer(cluster)
    handler = cms.add_handler(ignore)
    async with cms:
        assert not await cms.wait_for_sync(0.01)
        assert not await handler.wait_for_sync(0.01)
    assert not await cms.wait_for_sync()
    assert not await handler.wait_for_sync()
    assert cms.is_stopped


async def test_starting_twice_is_starting_once(cluster):
    cms = informer(cluster)
    assert not cms.is_started
    async with cms:
        cms.start()
        assert cms.is_started
        await cms.wait_for_sync(FOREVER)
    assert said(cluster) == ["watch configmaps"]


async def test_a_stopped_informer_stays_stopped(cluster):
    seen, cms = History(), informer(cluster)
    handler = cms.add_handler(**seen.handlers)
    async with cms:
        await handler.wait_for_sync(FOREVER)
    await cms.stop()
    cluster.add(config("c"))
    assert names(cms) == ["a", "b"]
    with pytest.raises(RuntimeError, match="stopped"):
        cms.start()
    with pytest.raises(RuntimeError, match="stopped"):
        cms.add_handler(ignore)
    assert not cluster.dispatcher.streams(EVERYTHING)
    assert len(seen.told) == 2


async def test_an_informer_that_never_started_can_be_stopped(cluster):
    await informer(cluster).stop()
    assert said(cluster) == []


async def test_the_call_that_goes_on_ends_and_what_waits_is_dropped(cluster):
    entered, gate, told, cms = Event(), Event(), [], informer(cluster)

    async def on_add(obj: ConfigMap, is_initial: bool) -> None:
        entered.set()
        await gate.wait(FOREVER)
        told.append(obj.metadata.name)

    async def stop() -> None:
        await cms.stop()

    cms.add_handler(on_add)
    cms.start()
    await entered.wait(FOREVER)
    stopping = _primitives.spawn(stop, "stopping")
    await until(lambda: cms.is_stopped)
    assert not stopping.done
    gate.set()
    assert await stopping.join(FOREVER)
    assert len(told) == 1


async def test_a_handler_may_stop_its_informer(cluster):
    told, cms = [], informer(cluster)

    async def on_add(obj: ConfigMap, is_initial: bool) -> None:
        await cms.stop()
        told.append(obj.metadata.name)

    cms.add_handler(on_add)
    cms.start()
    await until(lambda: told)
    await cms.stop()
    assert len(told) == 1


async def test_handlers_may_stop_each_others_informers_all_at_once(cluster):
    told: list[str] = []
    both = [informer(cluster), informer(cluster)]
    together = Event()

    async def on_add(obj: ConfigMap, is_initial: bool) -> None:
        told.append(obj.metadata.name)
        if len(told) == 3:
            together.set()
        await together.wait()
        for each in both:
            await each.stop()

    for each in (both[0], both[0], both[1]):
        each.add_handler(on_add)
    for each in both:
        each.start()
    await until(lambda: not tasks() and not threads())
    assert told == ["a", "a", "a"]


async def test_the_handler_of_errors_may_stop_its_informer(cluster):
    told, cms = [], informer(cluster)

    async def on_error(error: Exception) -> None:
        await cms.stop()
        told.append(error)

    cluster.fail("*", "configmaps", 403, times=None)
    cms.on_watch_error(on_error)
    cms.start()
    await until(lambda: told)
    await cms.stop()
    assert isinstance(told[0], errors.Forbidden)


async def test_stopping_in_a_pause_does_not_wait_for_its_end(stepped, clock):
    stepped.fail("*", "configmaps", 403, times=None)
    async with informer(stepped) as cms:
        await until(lambda: cms.watch_errors)
    assert clock.monotonic() == 0


async def test_a_request_that_hangs_is_not_waited_for(clock, stepped, monkeypatch):
    monkeypatch.setattr("clientgen.runtime._async.informer._STOP_TIMEOUT_SECONDS", 0.1)
    stepped.delay(1.0, "watch", "configmaps")
    cms = informer(stepped)
    cms.start()
    await until(lambda: stepped.actions)
    await cms.stop()  # the request hangs until the clock is moved
    clock.step(1.0)
    # It ends with its request, and lets go of what came of it.
    await until(lambda: not threads() and not stepped.dispatcher.streams(EVERYTHING))
    assert not cms.indexer.stored
    with pytest.raises(NotSynced, match="stopped"):
        cms.lister.list()
