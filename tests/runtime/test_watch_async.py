"""Watches against a scripted TLS server; `test_watch_sync` runs the same, derived, on threads."""

# A loop or a block that fails half way is what is tested.
# ruff: noqa: PERF401, PT012, SIM117

from __future__ import annotations

import gc
import json
import threading
from typing import Any
from urllib.parse import parse_qsl

import pytest
from support.models import PODS, Pod, pod
from support.server import CLOSE, CUT, END, chunk, event, failure, head

from clientgen.runtime import errors
from clientgen.runtime._async._primitives import call_later
from clientgen.runtime._async.watch import AsyncWatch
from clientgen.runtime._clock import SystemClock
from clientgen.runtime._models.model_codec import DecodeError
from clientgen.runtime.aio import AsyncResourceClient, AsyncRest

STREAM = head(chunked=True)
FOREVER = threading.Event()


class AsyncPodClient(AsyncResourceClient):
    resource = PODS


@pytest.fixture(autouse=True)
def no_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resume at once."""
    monkeypatch.setattr("clientgen.runtime._http.retry.Backoff.delay", lambda self: 0.001)


def bookmark(version: str, **annotations: str) -> bytes:
    noise = {"spec": {"containers": None}, "status": {}}
    metadata = {"resourceVersion": version, "creationTimestamp": None, "annotations": annotations}
    return event("BOOKMARK", {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, **noise})


def error_event(code: int, reason: str, message: str = "no", **more: Any) -> bytes:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    return event("ERROR", {**status, "code": code, "reason": reason, "message": message, **more})


def query(request: Any) -> dict[str, str]:
    return dict(parse_qsl(request.query))


def seen(event: Any) -> tuple[str, str]:
    return event.type, event.object.metadata.resource_version


async def take(watch: AsyncWatch[Pod], count: int) -> list[tuple[str, str]]:
    """The first events; the watch stays open."""
    taken: list[tuple[str, str]] = []
    while len(taken) < count:
        taken.append(seen(await watch.__anext__()))
    return taken


async def test_events_are_typed_and_come_as_they_happen(server, config_for):
    later = threading.Event()
    first, second = event("ADDED", pod(version="5")), event("DELETED", pod(version="6"))
    server.reply(STREAM, first[:20], first[20:], later, second, FOREVER)
    async with AsyncRest(config_for(server)) as rest:
        async with AsyncPodClient(rest, "default")._watch(
            Pod, {"label_selector": "app=web", "resource_version": "4"}
        ) as watch:
            added = await watch.__anext__()
            assert isinstance(added.object, Pod)
            assert (added.type, added.object.spec.containers[0].image) == ("ADDED", "nginx")
            later.set()
            assert await take(watch, 1) == [("DELETED", "6")]
            assert watch.resource_version == "6"
    (request,) = server.requests
    assert request.path == "/api/v1/namespaces/default/pods"
    sent = query(request)
    assert 300 <= int(sent.pop("timeoutSeconds")) <= 600
    assert sent == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "labelSelector": "app=web",
        "resourceVersion": "4",
    }


async def test_many_events_in_one_piece_and_one_event_in_many(server, config_for):
    lines = [json.dumps({"type": "MODIFIED", "object": pod(version=str(n))}) for n in range(50)]
    whole = "\n".join(lines).encode() + b"\n"
    server.reply(
        STREAM, chunk(whole), *[chunk(whole[n : n + 7]) for n in range(0, 700, 7)], FOREVER
    )
    async with AsyncRest(config_for(server)) as rest, AsyncPodClient(rest)._watch(Pod, {}) as watch:
        assert [version for _, version in await take(watch, 50)] == [str(n) for n in range(50)]
        assert len(await take(watch, 1)) == 1


async def test_a_clean_end_is_followed_by_the_next_connection(server, config_for):
    server.reply(STREAM, event("MODIFIED", pod(version="5")), END)
    server.reply(STREAM, event("ADDED", pod("b", version="6")), END)
    server.reply(STREAM, event("DELETED", pod("b", version="7")), FOREVER)
    async with AsyncRest(config_for(server)) as rest, AsyncPodClient(rest)._watch(Pod, {}) as watch:
        assert await take(watch, 3) == [("MODIFIED", "5"), ("ADDED", "6"), ("DELETED", "7")]
    versions = [query(request).get("resourceVersion") for request in server.requests]
    assert versions == [None, "5", "6"]


@pytest.mark.parametrize("ending", [CUT, CLOSE])
async def test_a_broken_connection_is_resumed_from_the_last_version(server, config_for, ending):
    half = event("MODIFIED", pod(version="6"))[:60]
    server.reply(STREAM, event("MODIFIED", pod(version="5")), half, ending)
    server.reply(ending)
    server.reply(failure(503, "ServiceUnavailable"))
    server.reply(STREAM, event("MODIFIED", pod(version="6")), FOREVER)
    async with AsyncRest(config_for(server)) as rest, AsyncPodClient(rest)._watch(Pod, {}) as watch:
        assert await take(watch, 2) == [("MODIFIED", "5"), ("MODIFIED", "6")]
    assert query(server.requests[-1])["resourceVersion"] == "5"


async def test_synthetic_events_are_no_place_to_resume_from(server, config_for):
    server.reply(STREAM, event("ADDED", pod("a", "9")), event("ADDED", pod("b", "3")), CUT)
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {"resource_version": "0"})
        heard: list[tuple[str, str]] = []
        with pytest.raises(errors.ConnectionLost):
            async for each in watch:
                heard.append(seen(each))
        assert watch.resource_version == "0"
    assert heard in ([("ADDED", "9"), ("ADDED", "3")], [("ADDED", "9")], [])
    assert len(server.requests) == 1


async def test_a_clean_end_among_synthetic_events_is_not_silent(server, config_for):
    server.reply(STREAM, event("ADDED", pod("a", "9")), END)
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {})
        assert await take(watch, 1) == [("ADDED", "9")]
        with pytest.raises(errors.ConnectionLost, match="resource version to resume from"):
            await watch.__anext__()
        with pytest.raises(StopAsyncIteration):
            await watch.__anext__()


async def test_a_watch_of_nothing_begins_again(server, config_for):
    server.reply(STREAM, END)
    server.reply(STREAM, event("ADDED", pod("a", "9")), FOREVER)
    async with AsyncRest(config_for(server)) as rest, AsyncPodClient(rest)._watch(Pod, {}) as watch:
        assert await take(watch, 1) == [("ADDED", "9")]
    assert "resourceVersion" not in query(server.requests[1])


async def test_bookmarks_move_the_version_and_are_kept_back(server, config_for):
    server.reply(STREAM, event("ADDED", pod("a", "9")), bookmark("20"), END)
    server.reply(STREAM, event("ADDED", pod("b", "21")), FOREVER)
    async with AsyncRest(config_for(server)) as rest, AsyncPodClient(rest)._watch(Pod, {}) as watch:
        assert await take(watch, 2) == [("ADDED", "9"), ("ADDED", "21")]
    assert query(server.requests[1])["resourceVersion"] == "20"


async def test_bookmarks_can_be_seen(server, config_for):
    server.reply(STREAM, bookmark("20"), FOREVER)
    async with AsyncRest(config_for(server)) as rest:
        async with AsyncPodClient(rest)._watch(Pod, {"bookmarks": True}) as watch:
            event = await watch.__anext__()
    assert seen(event) == ("BOOKMARK", "20")
    assert isinstance(event.object, Pod)
    assert event.object.spec.containers == []


async def test_bookmarks_can_be_declined(server, config_for):
    server.reply(STREAM, event("MODIFIED", pod(version="5")), FOREVER)
    async with AsyncRest(config_for(server)) as rest:
        async with AsyncPodClient(rest)._watch(Pod, {"allow_watch_bookmarks": False}) as watch:
            await take(watch, 1)
    assert query(server.requests[0])["allowWatchBookmarks"] == "false"


async def test_initial_events_are_asked_for_once(server, config_for):
    end = {"k8s.io/initial-events-end": "true"}
    server.reply(STREAM, event("ADDED", pod("a", "9")), bookmark("10"), bookmark("12", **end), END)
    server.reply(STREAM, event("ADDED", pod("b", "21")), FOREVER)
    options = {"send_initial_events": True, "resource_version_match": "NotOlderThan"}
    async with AsyncRest(config_for(server)) as rest:
        async with AsyncPodClient(rest)._watch(Pod, options) as watch:
            assert await take(watch, 1) == [("ADDED", "9")]
            assert watch.resource_version == ""
            assert await take(watch, 1) == [("ADDED", "21")]
    first, second = map(query, server.requests)
    assert first["sendInitialEvents"] == "true"
    assert first["resourceVersionMatch"] == "NotOlderThan"
    assert "sendInitialEvents" not in second
    assert "resourceVersionMatch" not in second
    assert second["resourceVersion"] == "12"


async def test_a_version_that_is_too_old_is_an_error(server, config_for):
    server.reply(STREAM, error_event(410, "Expired", "too old resource version: 1 (357)"), END)
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {"resource_version": "1"})
        with pytest.raises(errors.Expired, match="too old"):
            await watch.__anext__()
        with pytest.raises(StopAsyncIteration):
            await watch.__anext__()


async def test_an_error_event_that_may_pass_is_waited_out(server, config_for):
    server.reply(STREAM, error_event(500, "InternalError"), END)
    server.reply(STREAM, error_event(504, "Timeout", details={"retryAfterSeconds": 0}), END)
    server.reply(STREAM, event("MODIFIED", pod(version="5")), FOREVER)
    async with AsyncRest(config_for(server)) as rest:
        async with AsyncPodClient(rest)._watch(Pod, {"resource_version": "4"}) as watch:
            assert await take(watch, 1) == [("MODIFIED", "5")]
    assert [query(request)["resourceVersion"] for request in server.requests] == ["4"] * 3


async def test_an_error_event_before_any_version_is_known_is_an_error(server, config_for):
    server.reply(STREAM, error_event(504, "Timeout"), END)
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.Timeout):
            await AsyncPodClient(rest)._watch(Pod, {}).__anext__()


@pytest.mark.parametrize("code", [403, 404, 500])
async def test_a_watch_that_cannot_begin_is_an_error(server, config_for, code):
    server.reply(failure(code))
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.ApiError) as caught:
            await AsyncPodClient(rest)._watch(Pod, {"resource_version": "4"}).__anext__()
    assert caught.value.code == code
    assert len(server.requests) == 1


async def test_losing_the_permission_is_an_error(server, config_for):
    server.reply(STREAM, event("MODIFIED", pod(version="5")), END)
    server.reply(failure(403, "Forbidden"))
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {})
        await take(watch, 1)
        with pytest.raises(errors.Forbidden):
            await watch.__anext__()


async def test_garbage_is_an_error(server, config_for):
    server.reply(STREAM, chunk(b"<html>\n"), FOREVER)
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(DecodeError):
            await AsyncPodClient(rest)._watch(Pod, {"resource_version": "4"}).__anext__()


async def test_timeout_seconds_is_the_length_of_the_whole_watch(server, config_for):
    server.reply(STREAM, event("ADDED", pod(version="5")), FOREVER)
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {"timeout_seconds": 60})
        await take(watch, 1)
        await watch.aclose()
    assert query(server.requests[0])["timeoutSeconds"] == "60"


class LateClock(SystemClock):
    """The system's clock, so many seconds later."""

    later = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.later


class StillClock(SystemClock):
    def monotonic(self) -> float:
        return 0.0


async def test_the_end_that_timeout_seconds_brings_is_clean(server, config_for):
    server.reply(STREAM, event("ADDED", pod(version="5")), END)
    async with AsyncRest(config_for(server)) as rest:
        rest.clock = clock = LateClock()
        watch = AsyncPodClient(rest)._watch(Pod, {"timeout_seconds": 60})
        async for each in watch:
            assert seen(each) == ("ADDED", "5")
            clock.later = 60.0


async def test_a_deadline_is_an_error(server, config_for):
    server.reply(STREAM, event("ADDED", pod(version="5")), FOREVER)
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {"timeout": 1.0})
        await take(watch, 1)
        with pytest.raises(errors.RequestTimeout):
            await watch.__anext__()


async def test_stop_ends_a_blocked_watch_at_once(server, config_for):
    server.reply(STREAM, event("ADDED", pod(version="5")), FOREVER)
    heard: list[tuple[str, str]] = []
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {})
        async for each in watch:
            heard.append(seen(each))
            call_later(0.05, watch.stop)
    assert heard == [("ADDED", "5")]


async def test_stop_leaves_out_what_has_come_already(server, config_for):
    both = event("ADDED", pod(version="5")) + event("ADDED", pod(version="6"))
    server.reply(STREAM, both, FOREVER)
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {})
        await take(watch, 1)
        watch.stop()
        with pytest.raises(StopAsyncIteration):
            await watch.__anext__()


async def test_stop_ends_a_wait_for_the_next_connection(server, config_for, monkeypatch):
    monkeypatch.setattr("clientgen.runtime._http.retry.Backoff.delay", lambda self: 3600.0)
    server.reply(STREAM, event("MODIFIED", pod(version="5")), CLOSE)
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {})
        async for _ in watch:
            call_later(0.05, watch.stop)


async def test_a_watch_that_is_stopped_before_it_begins_asks_nothing(server, config_for):
    async with AsyncRest(config_for(server)) as rest:
        watch = AsyncPodClient(rest)._watch(Pod, {})
        watch.stop()
        assert [each async for each in watch] == []
    assert server.requests == []


async def test_a_loop_may_be_left(server, config_for):
    """No connection stays open behind the garbage."""
    server.reply(STREAM, event("ADDED", pod(version="5")), FOREVER)
    async with AsyncRest(config_for(server)) as rest:
        async for _ in AsyncPodClient(rest)._watch(Pod, {}):
            break
        gc.collect()


async def test_closing_the_client_ends_its_watches(server, config_for):
    server.reply(STREAM, event("MODIFIED", pod(version="5")), FOREVER)
    rest = AsyncRest(config_for(server))
    watch = AsyncPodClient(rest)._watch(Pod, {})
    await take(watch, 1)
    await rest.aclose()
    with pytest.raises((StopAsyncIteration, RuntimeError)):
        await watch.__anext__()


async def test_a_silent_connection_is_left_after_the_read_timeout(server, config_for, monkeypatch):
    monkeypatch.setattr("clientgen.runtime._http.watch_progress.READ_MARGIN_SECONDS", -59.9)
    server.reply(STREAM, event("MODIFIED", pod(version="5")), FOREVER)
    # A busy machine may be too slow for some of these.
    for _ in range(100):
        server.reply(STREAM, event("MODIFIED", pod(version="6")), FOREVER)
    async with AsyncRest(config_for(server)) as rest:
        rest.clock = StillClock()  # each connection has 60 s, and so 0.1 s for silence
        async with AsyncPodClient(rest)._watch(Pod, {"timeout_seconds": 60}) as watch:
            while ("MODIFIED", "6") not in await take(watch, 1):
                pass
    assert len(server.requests) > 1
