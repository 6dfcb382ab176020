"""Logs of the test server: what tests write, read and followed, by our client and by kubectl."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kubeapi import Clientset
from kubeapi.core.v1 import Pod
from support.kubectl import KUBECTL, Kubectl

from clientgen.runtime.errors import BadRequest
from clientgen.testing import FakeClock, FakeCluster, LocalServer

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def pod(name: str = "web-0", *containers: str, **status: Any) -> Any:
    specs = [{"name": each, "image": "i"} for each in containers or ("app",)]
    metadata = {"name": name, "namespace": "shop", "uid": f"uid-of-{name}"}
    spec = {"containers": specs, "nodeName": "node-1"}
    return Pod(metadata=metadata, spec=spec, status=status)


def restarted(times: int, **state: Any) -> dict[str, Any]:
    status = {"name": "app", "image": "i", "imageID": "", "ready": True, "restartCount": times}
    return {**status, "state": state or {"running": {}}}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOON)


@pytest.fixture
def cluster(clock: FakeClock) -> FakeCluster:
    return FakeCluster(pod(), pod("two", "app", "side"), clock=clock)


@pytest.fixture
def pods(cluster: FakeCluster) -> Any:
    return cluster.clientset(Clientset).core_v1.pods("shop")


def test_what_was_written_is_read(cluster: FakeCluster, clock: FakeClock, pods: Any) -> None:
    log = cluster.logs("shop/web-0")
    log.write("one\ntwo\n")
    clock.step(10.5)
    log.write("three")
    log.write(b"\xff\n\n")

    assert pods.logs("web-0") == "one\ntwo\nthree\n�\n\n"
    assert pods.logs("web-0", tail_lines=3) == "three\n�\n\n"
    assert pods.logs("web-0", tail_lines=0) == ""
    assert pods.logs("web-0", limit_bytes=6) == "one\ntw"
    assert pods.logs("web-0", since_seconds=5) == "three\n�\n\n"
    assert pods.logs("web-0", since_time=NOON + timedelta(seconds=10.9)) == "three\n�\n\n"
    assert pods.logs("web-0", timestamps=True, tail_lines=4).splitlines()[:2] == [
        "2026-01-01T12:00:00.000000001Z two",
        "2026-01-01T12:00:10.500000000Z three",
    ]


def test_each_container_has_its_log(cluster: FakeCluster, pods: Any) -> None:
    assert pods.logs("two", container="app") == "fake logs"
    assert pods.logs("two", container="app", timestamps=True) == "2026-01-01T12:00:00Z fake logs"
    cluster.logs("shop/two", "side").write("of side")

    assert pods.logs("two", container="side") == "of side\n"
    assert pods.logs("two", container="app") == ""
    with pytest.raises(ValueError, match=r"a container name must be specified for pod two"):
        cluster.logs("shop/two")
    with pytest.raises(ValueError, match="container x is not valid for pod two"):
        cluster.logs("shop/two", "x")
    with pytest.raises(
        ValueError, match="pod shop/none does not exist; create it before writing its log"
    ):
        cluster.logs("shop/none")
    for wrong in ("two", "/two", "shop/", "a/b/c"):
        with pytest.raises(ValueError, match="write namespace/name, such as"):
            cluster.logs(wrong)
    assert repr(cluster.logs("shop/web-0")) == "<LogWriter of shop/web-0>"


def test_a_restart_begins_a_new_log(cluster: FakeCluster, pods: Any) -> None:
    log = cluster.logs("shop/web-0")
    log.write("first")
    with pytest.raises(BadRequest, match='previous terminated container "app" in pod "web-0" not'):
        pods.logs("web-0", previous=True)
    cluster.add(pod(containerStatuses=[restarted(1)]))
    log.write("second")

    assert pods.logs("web-0") == "second\n"
    assert pods.logs("web-0", previous=True) == "first\n"


def test_a_container_that_waits_has_no_log(cluster: FakeCluster, pods: Any) -> None:
    waiting = restarted(0, waiting={"reason": "ImagePullBackOff"})
    cluster.add(pod(containerStatuses=[waiting]))
    cluster.logs("shop/web-0").write("never")

    with pytest.raises(BadRequest, match='in pod "web-0" is waiting to start: ImagePullBackOff'):
        pods.logs("web-0")


@pytest.mark.parametrize("how", ["restart", "end", "delete"])
def test_a_followed_log_ends_with_the_instance(cluster: FakeCluster, pods: Any, how: str) -> None:
    log = cluster.logs("shop/web-0")
    log.write("before")
    lines = pods.follow_logs("web-0")
    assert next(lines) == "before"
    log.write("meanwhile\nlast")
    if how == "delete":
        pods.delete("web-0", grace_period_seconds=0)
    elif how == "end":
        cluster.add(pod(containerStatuses=[restarted(0, terminated={"exitCode": 0})]))
    else:
        cluster.add(pod(containerStatuses=[restarted(1)]))
        log.write("of the next instance")

    assert list(lines) == ["meanwhile", "last"]


def test_a_follower_gets_what_is_written_later(cluster: FakeCluster, pods: Any) -> None:
    log = cluster.logs("shop/web-0")
    log.write("0")
    read: list[str] = []
    begun = threading.Event()

    def follow() -> None:
        for line in pods.follow_logs("web-0", limit_bytes=20):
            read.append(line)
            begun.set()

    thread = threading.Thread(target=follow)
    thread.start()
    assert begun.wait(30)
    for number in range(1, 20):
        log.write(str(number))
    thread.join(30)

    assert read == [str(number) for number in range(10)]


def test_a_log_does_not_grow_without_end(cluster: FakeCluster, pods: Any) -> None:
    log = cluster.logs("shop/web-0")
    for number in range(30):
        log.write(f"{number} {'x' * (1 << 19)}")

    lines = pods.logs("web-0").splitlines()
    assert 15 <= len(lines) <= 20
    assert lines[-1].startswith("29 ")


@pytest.fixture
def kubectl(cluster: FakeCluster, tmp_path: Path) -> Iterator[Kubectl]:
    if not KUBECTL:
        pytest.skip("kubectl is not installed")
    with LocalServer(cluster) as server:
        yield Kubectl(server.kubeconfig, tmp_path, "shop")


def test_kubectl_reads_and_follows(cluster: FakeCluster, kubectl: Kubectl, pods: Any) -> None:
    log = cluster.logs("shop/web-0")
    log.write("one\ntwo")

    assert kubectl("logs", "web-0") == "one\ntwo\n"
    assert kubectl("logs", "web-0", "--tail=1", "--timestamps").endswith(".000000001Z two\n")
    with subprocess.Popen(
        kubectl.command("logs", "-f", "web-0"),
        stdout=subprocess.PIPE,
        text=True,
        env=kubectl.environment,
    ) as following:
        assert following.stdout is not None
        assert [following.stdout.readline() for _ in range(2)] == ["one\n", "two\n"]
        log.write("three")
        assert following.stdout.readline() == "three\n"
        pods.delete("web-0", grace_period_seconds=0)
        assert following.stdout.read() == ""
    assert following.returncode == 0
