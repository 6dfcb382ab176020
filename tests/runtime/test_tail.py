"""The logs of many pods as one. test_tail_threads.py is derived."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Pod

from clientgen.runtime import LogLine
from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import Forbidden, RequestTimeout
from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._fake.reactors import Pattern


def pod(
    name: str,
    *containers: str,
    restarts: int = 0,
    uid: str = "",
    phase: str = "Running",
    **state: Any,
) -> Any:
    names = containers or ("app",)
    specs = [{"name": each, "image": "i"} for each in names]
    spec = {"containers": specs, "nodeName": "node-1"}
    metadata = {
        "name": name,
        "namespace": "shop",
        "labels": {"app": name.split("-", maxsplit=1)[0]},
    }
    status = {"image": "i", "imageID": "", "ready": True, "restartCount": restarts}
    statuses = [{"name": each, **status, "state": state or {"running": {}}} for each in names]
    running = {"phase": phase, "containerStatuses": statuses}
    return Pod(metadata={**metadata, "uid": uid or f"uid-of-{name}"}, spec=spec, status=running)


class Setup:
    """A cluster, and a way to connect to it."""

    def __init__(self, cluster: FakeCluster, url: str = "") -> None:
        self.cluster = cluster
        self._url = url

    def connect(self) -> AsyncClientset:
        if self._url:
            return AsyncClientset(AsyncRest(ClusterConfig(self._url)))
        return self.cluster.clientset(AsyncClientset)

    async def watched(self) -> None:
        """Wait until somebody watches the pods: what comes now is new to them."""
        while not any(str(each) == "watch pods shop" for each in self.cluster.actions):
            await sleep(0.001)

    def write(self, pod: str, *lines: str, container: str = "") -> None:
        for line in lines:
            self.cluster.logs(f"shop/{pod}", container).write(line)


class FastClock:
    """A clock that shows a later time whenever it is looked at."""

    def __init__(self) -> None:
        self._moment = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self._moment += timedelta(seconds=0.3)
        return self._moment

    def monotonic(self) -> float:
        return time.monotonic()


@pytest.fixture(params=["in process", "over HTTP"])
def s(request: pytest.FixtureRequest) -> Iterator[Setup]:
    pods = [pod("web-0"), pod("web-1"), pod("db-0", "app", "side")]
    cluster = FakeCluster(*pods, clock=FastClock())
    cluster.logs("shop/web-0")
    if request.param == "in process":
        yield Setup(cluster)
        return
    with LocalServer(cluster) as server:
        yield Setup(cluster, server.url)


async def take(lines: Any, count: int) -> list[str]:
    """The next lines, in order of their text."""
    found: list[str] = []
    async for line in lines:
        found.append(str(line))
        if len(found) == count:
            break
    return sorted(found)


async def test_lines_of_many_pods(s: Setup) -> None:
    for name in ("web-0", "web-1"):
        s.write(name, "one", "two")
    s.write("db-0", "of side", container="side")
    async with s.connect() as k:
        async with k.core_v1.pods("shop").tail(label_selector="app=web") as lines:
            assert await take(lines, 4) == [
                "[web-0/app] one",
                "[web-0/app] two",
                "[web-1/app] one",
                "[web-1/app] two",
            ]
            s.write("web-1", "three")
            assert await take(lines, 1) == ["[web-1/app] three"]
        async with k.core_v1.pods().tail(container="side") as lines:
            assert await take(lines, 1) == ["[db-0/side] of side"]


async def test_what_a_line_is(s: Setup) -> None:
    s.write("web-0", "text  with spaces ", "")
    async with s.connect() as k, k.core_v1.pods("shop").tail(label_selector="app=web") as lines:
        async for line in lines:
            assert line[:3] == ("shop", "web-0", "app")
            assert line.text in {"text  with spaces ", ""}
            assert line.time is not None
            assert line.timestamp.endswith("Z")
            assert line.colored().startswith("\033[")
            assert line.colored().endswith(f"[web-0/app]\033[0m {line.text}")
            if not line.text:
                break


async def test_pods_join_and_go(s: Setup) -> None:
    s.write("web-0", "one")
    async with s.connect() as k, k.core_v1.pods("shop").tail(label_selector="app=web") as lines:
        assert await take(lines, 1) == ["[web-0/app] one"]
        s.cluster.add(pod("web-2"))
        s.write("web-2", "hello", "again")
        assert await take(lines, 2) == ["[web-2/app] again", "[web-2/app] hello"]
        s.write("web-2", "last words")
        await k.core_v1.pods("shop").delete("web-2", grace_period_seconds=0)
        assert await take(lines, 1) == ["[web-2/app] last words"]
        s.cluster.add(pod("web-2", uid="another"))
        s.write("web-2", "reborn")
        assert await take(lines, 1) == ["[web-2/app] reborn"]


async def test_a_container_that_begins_later(s: Setup) -> None:
    s.cluster.add(pod("late-0", waiting={"reason": "ContainerCreating"}))
    async with s.connect() as k, k.core_v1.pods("shop").tail(label_selector="app=late") as lines:
        reading = spawn(lambda: expect(lines, ["[late-0/app] hello"]), "reading")
        await s.watched()
        s.cluster.add(pod("late-0"))
        s.write("late-0", "hello")
        await reading.join()


async def expect(lines: Any, wanted: list[str]) -> None:
    assert await take(lines, len(wanted)) == wanted


async def test_restarts_go_on(s: Setup) -> None:
    s.write("web-0", "first")
    async with s.connect() as k, k.core_v1.pods("shop").tail(label_selector="app=web") as lines:
        assert await take(lines, 1) == ["[web-0/app] first"]
        for restart in range(1, 5):
            s.write("web-0", f"end of {restart - 1}")
            s.cluster.add(pod("web-0", restarts=restart))
            s.write("web-0", f"begin of {restart}")
            assert await take(lines, 2) == [
                f"[web-0/app] begin of {restart}",
                f"[web-0/app] end of {restart - 1}",
            ]


async def test_a_container_that_crashed_before_it_was_seen(s: Setup) -> None:
    async with s.connect() as k, k.core_v1.pods("shop").tail(label_selector="app=crash") as lines:
        s.write("web-0", "not this")
        reading = spawn(
            lambda: expect(lines, ["[crash-0/app] 1st", "[crash-0/app] 2nd"]), "reading"
        )
        await s.watched()
        with s.cluster.dispatcher.lock:
            s.cluster.add(pod("crash-0", waiting={"reason": "ContainerCreating"}))
            s.write("crash-0", "1st")
            s.cluster.add(pod("crash-0", restarts=1))
            s.write("crash-0", "2nd")
        await reading.join()


async def test_a_job_that_has_ended(s: Setup) -> None:
    s.cluster.add(pod("job-0", phase="Succeeded", terminated={"exitCode": 0}))
    s.write("job-0", "all", "done")
    async with (
        s.connect() as k,
        k.core_v1.pods("shop").tail(label_selector="app in (job,new)") as t,
    ):
        assert await take(t, 2) == ["[job-0/app] all", "[job-0/app] done"]
        s.cluster.add(pod("new-0"))
        s.write("new-0", "x")
        assert await take(t, 1) == ["[new-0/app] x"]


async def test_where_to_begin(s: Setup) -> None:
    s.write("web-0", "1", "2", "3")
    async with s.connect() as k:
        pods = k.core_v1.pods("shop")
        async with pods.tail(label_selector="app=web", tail_lines=1) as lines:
            assert await take(lines, 1) == ["[web-0/app] 3"]
        async with pods.tail(label_selector="app=web", tail_lines=0) as lines:
            reading = spawn(lambda: expect(lines, ["[web-0/app] 4", "[web-2/app] 1st"]), "reading")
            await sleep(0.3)
            s.write("web-0", "4")
            s.cluster.add(pod("web-2"))
            s.write("web-2", "1st")
            await reading.join()
        async with pods.tail(label_selector="app=web", since_seconds=3600) as lines:
            assert len(await take(lines, 5)) == 5


@pytest.mark.parametrize("seed", range(3))
async def test_cut_connections_lose_and_double_nothing(s: Setup, seed: int) -> None:
    """Lines of the same second, cut anywhere, while containers write and restart."""
    chance = Random(seed)
    s.cluster.cut("get", "pods/log", after=Random(seed), times=12)
    written: list[str] = []
    restarts = {"web-0": 0, "web-1": 0}

    def write(name: str) -> None:
        line = f"{len(written)} {'x' * chance.randrange(50)}"
        written.append(f"[{name}/app] {line}")
        s.write(name, line)

    for _ in range(40):
        write(chance.choice(["web-0", "web-1"]))
    read: list[str] = []
    async with s.connect() as k, k.core_v1.pods("shop").tail(label_selector="app=web") as lines:
        async for line in lines:
            read.append(str(line))
            name = chance.choice(["web-0", "web-1"])
            if len(written) < 120:
                write(name)
                if chance.random() < 0.05 and restarts[name] == 0:
                    restarts[name] += 1
                    s.cluster.add(pod(name, restarts=restarts[name]))
                    write(name)
            if len(read) >= len(written):
                break

    assert Counter(read) == Counter(written)
    for name in restarts:
        own = [line for line in written if line.startswith(f"[{name}/")]
        assert [line for line in read if line.startswith(f"[{name}/")] == own


async def test_who_may_not_read_is_told(s: Setup) -> None:
    async with s.connect() as k:
        refusal = s.cluster.react("*", "pods", Forbidden)
        with pytest.raises(Forbidden, match="GET /api/v1/namespaces/shop/pods"):
            await take(k.core_v1.pods("shop").tail(), 1)
        refusal.remove()
        s.cluster.react("get", "pods/log", Forbidden)
        with pytest.raises(Forbidden, match=r"GET /api/v1/namespaces/shop/pods/web-\d/log"):
            await take(k.core_v1.pods("shop").tail(label_selector="app=web"), 1)


@pytest.mark.parametrize("begun", ["", "2026-01-01T00:00:00.5Z one\n"])
@pytest.mark.parametrize(
    "words",
    [
        'failed to try resolving symlinks in path "/var/log/pods/x/0.log": no such file',
        "unable to retrieve container logs for containerd://0a1b2c",
    ],
)
async def test_what_the_node_says_is_no_line(s: Setup, begun: str, words: str) -> None:
    """A kubelet that cannot read on in a log appends its error to it: the answer has begun."""
    s.cluster.logs("shop/web-0").write("two")
    answer = Response(200, f"{begun}{words}".encode(), [("content-type", "text/plain")])
    s.cluster.dispatcher.add_rule(Pattern("get", "pods/log"), lambda *_: answer, 1)
    expected = ["[web-0/app] one"] if begun else []
    only = "metadata.name=web-0"
    async with s.connect() as k, k.core_v1.pods("shop").tail(field_selector=only) as lines:
        read = [str(await lines.__anext__()) for _ in (*expected, "[web-0/app] two")]
    assert read == [*expected, "[web-0/app] two"]


def noted() -> None:
    """Cancel an alarm that was only noted."""


async def test_the_timeout_ends_it(s: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    s.write("web-0", "one")
    async with s.connect() as k:
        # The time begins to run when the first line is read, however long that takes.
        alarms: list[tuple[float, Any]] = []
        monkeypatch.setattr(k.rest, "alarm_at", lambda *alarm: alarms.append(alarm) or noted)
        lines = k.core_v1.pods("shop").tail(label_selector="app=web", timeout=0.5)
        assert await take(lines, 1) == ["[web-0/app] one"]
        monkeypatch.undo()
        [(deadline, expire)] = alarms
        k.rest.alarm_at(deadline, expire)
        with pytest.raises(RequestTimeout, match="the timeout has passed"):
            await take(lines, 1)


async def test_it_ends_after_some_seconds(s: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    s.write("web-0", "one", "two")
    async with s.connect() as k:
        alarms: list[Any] = []
        monkeypatch.setattr(k.rest, "alarm_at", lambda _, alarm: alarms.append(alarm) or noted)
        lines = k.core_v1.pods("shop").tail(label_selector="app=web", seconds=0.5)
        assert await take(lines, 1) == ["[web-0/app] one"]
        (end,) = alarms
        end("")
        # What has been read is still delivered.
        assert [str(line) async for line in lines] in ([], ["[web-0/app] two"])
        lines = k.core_v1.pods("shop").tail(label_selector="app=web", seconds=0.5)
        assert await take(lines, 2) == ["[web-0/app] one", "[web-0/app] two"]
        alarms[1]("the clock stands still")
        with pytest.raises(RequestTimeout, match="the clock stands still"):
            await take(lines, 1)


async def test_it_can_be_stopped_from_elsewhere(s: Setup) -> None:
    async with s.connect() as k:
        lines = k.core_v1.pods("shop").tail(label_selector="app=web")
        reading = spawn(lambda: expect_end(lines), "reading")
        await sleep(0.1)
        lines.stop()
        await reading.join()


async def expect_end(lines: Any) -> None:
    assert await take(lines, 1) == []


async def test_a_reader_that_waits_keeps_the_logs_waiting(s: Setup) -> None:
    s.cluster.logs("shop/web-0").write("\n".join(map(str, range(20_000))))
    async with s.connect() as k, k.core_v1.pods("shop").tail(label_selector="app=web") as lines:
        count = 0
        async for line in lines:
            assert line.text == str(count)
            count += 1
            if count % 5000 == 1:
                await sleep(0.05)
                assert len(lines._source._lines) <= 1000
            if count == 20_000:
                break


async def test_wrong_options(s: Setup) -> None:
    async with s.connect() as k:
        with pytest.raises(TypeError, match="unexpected option 'since'; the options are container"):
            k.core_v1.pods("shop").tail(since=60)  # type: ignore[call-arg]


def test_a_line_without_a_time() -> None:
    line = LogLine("shop", "web-0", "app", "", "x")

    assert (line.time, str(line)) == (None, "[web-0/app] x")
