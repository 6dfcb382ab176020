"""Commands, files, ports and logs of containers that really run.

These need a node that runs pods. CLIENTGEN_TEST_IMAGE names an image with busybox's programs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from clusterkit.scratch import Scratch
from kubeapi import AsyncClientset
from kubeapi.core.v1.models import (
    Container,
    EmptyDirVolumeSource,
    Pod,
    PodSpec,
    Service,
    ServicePort,
    ServiceSpec,
    Volume,
    VolumeMount,
)
from support.local_sockets import answer_of

from clientgen.runtime._async._primitives import run_blocking
from clientgen.runtime.aio import port_forward
from clientgen.runtime.conditions import ready
from clientgen.runtime.errors import CopyFailed, ExecFailed, InternalError, OperationRefused
from clientgen.runtime.models import ObjectMeta

pytestmark = [pytest.mark.cluster, pytest.mark.kubelet]

IMAGE = os.environ.get("CLIENTGEN_TEST_IMAGE", "busybox:1.36")
LABELS = {"app": "streams"}
# Says one line, serves a text on port 8080, and stays.
SCRIPT = "mkdir -p /www; echo from the pod > /www/index.html; echo begun; httpd -f -p 8080 -h /www"


MakePod = Callable[..., None]


@pytest.fixture
def make_pod(scratch: Scratch, namespace: str) -> Iterator[MakePod]:
    """Makes pods of one container, which are deleted at the end; skips where none can run."""
    nodes = scratch.admin.core_v1.nodes().list().items
    if not any(
        each.type == "Ready" and each.status == "True"
        for node in nodes
        for each in node.status.conditions
    ):
        pytest.skip("no node is ready: pods cannot run in this cluster")
    pods = scratch.admin.core_v1.pods(namespace)
    made: list[str] = []

    def make(name: str, container: Container, **spec: Any) -> None:
        meta = ObjectMeta(name=name, labels=LABELS)
        pods.create(Pod(metadata=meta, spec=PodSpec(containers=[container], **spec)))
        made.append(name)

    yield make
    for name in made:
        pods.delete(name, grace_period_seconds=0)


@pytest.fixture
def web(scratch: Scratch, namespace: str, make_pod: MakePod) -> str:
    """The name of a pod that runs and serves."""
    make_pod("web", Container(name="app", image=IMAGE, command=["sh", "-c", SCRIPT]))
    scratch.admin.core_v1.pods(namespace).wait("web", until=ready, timeout=120)
    return "web"


async def test_commands(kube: AsyncClientset, namespace: str, web: str) -> None:
    pods = kube.core_v1.pods(namespace)
    done = await pods.exec(web, ["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (done.stdout, done.stderr, done.exit_code) == (b"out\n", b"err\n", 3)
    assert (await pods.exec(web, ["wc", "-c"], stdin=b"x" * 1_000_000)).text.strip() == "1000000"
    with pytest.raises(ExecFailed, match="exit code 1"):
        await pods.exec(web, ["cat", "/nothing"], check=True)


async def test_a_terminal(kube: AsyncClientset, namespace: str, web: str) -> None:
    pods = kube.core_v1.pods(namespace)
    async with pods.exec_stream(web, ["sh"], stdin=True, tty=True) as process:
        await process.resize(101, 31)
        await process.write("stty size; exit 5\n")
        shown = b""
        async for _, data in process:
            shown += data
    assert b"31 101" in shown
    assert process.exit_code == 5


async def test_files(kube: AsyncClientset, namespace: str, web: str, tmp_path: Path) -> None:
    pods = kube.core_v1.pods(namespace)
    (tmp_path / "dist/sub").mkdir(parents=True)
    (tmp_path / "dist/sub/big").write_bytes(os.urandom(1 << 20))
    (tmp_path / "dist/run").write_text("#!/bin/sh\n")
    (tmp_path / "dist/run").chmod(0o755)

    await pods.copy_to(web, tmp_path / "dist", "/srv/dist")
    await pods.copy_from(web, "/srv/dist", tmp_path / "back")

    assert (tmp_path / "back/sub/big").read_bytes() == (tmp_path / "dist/sub/big").read_bytes()
    assert (tmp_path / "back/run").stat().st_mode & 0o777 == 0o755
    with pytest.raises(CopyFailed, match="No such file"):
        await pods.copy_from(web, "/nothing", tmp_path / "x")


async def test_ports_and_the_proxy(kube: AsyncClientset, namespace: str, web: str) -> None:
    pods = kube.core_v1.pods(namespace)
    async with pods.port_forward(web, 8080) as port:
        request = b"GET / HTTP/1.0\r\n\r\n"
        for _ in range(3):
            assert b"from the pod" in await run_blocking(partial(answer_of, port, request))
    answer = await pods.proxy(web, 8080).get("/")
    assert (answer.status, answer.text) == (200, "from the pod\n")


async def test_logs(kube: AsyncClientset, namespace: str, web: str) -> None:
    async with kube.core_v1.pods(namespace).tail(label_selector=LABELS) as lines:
        async for line in lines:
            assert str(line) == f"[{web}/app] begun"
            assert line.time is not None
            break


async def test_logs_of_restarts(kube: AsyncClientset, namespace: str, make_pod: MakePod) -> None:
    count = "r=$(($(cat /n/r || echo 0) + 1)); echo $r > /n/r"
    script = f"{count}; for i in $(seq 100); do echo run $r line $i; done"
    mount = VolumeMount(name="n", mount_path="/n")
    make_pod(
        "again",
        Container(name="app", image=IMAGE, command=["sh", "-c", script], volume_mounts=[mount]),
        volumes=[Volume(name="n", empty_dir=EmptyDirVolumeSource())],
    )
    wanted = [f"run {run} line {line}" for run in (1, 2, 3) for line in range(1, 101)]
    seen: list[str] = []
    async with kube.core_v1.pods(namespace).tail(label_selector=LABELS, timeout=120) as lines:
        async for line in lines:
            if line.text.startswith("run"):  # else it is that there is no file yet
                seen.append(line.text)
            if line.text == wanted[-1]:
                break
    assert seen == wanted


async def test_attach(kube: AsyncClientset, namespace: str, make_pod: MakePod) -> None:
    script = "while read x; do echo got $x; done"
    make_pod("reader", Container(name="app", image=IMAGE, command=["sh", "-c", script], stdin=True))
    pods = kube.core_v1.pods(namespace)
    await pods.wait("reader", until=ready, timeout=60)
    for words in (b"one", b"two"):
        async with pods.attach("reader", stdin=True) as process:
            await process.write(words + b"\n")
            async for stream, data in process:
                assert (stream, data) == ("stdout", b"got " + words + b"\n")
                break


async def test_a_pod_that_has_ended(
    kube: AsyncClientset, namespace: str, make_pod: MakePod
) -> None:
    container = Container(name="app", image=IMAGE, command=["true"])
    make_pod("over", container, restart_policy="Never")
    pods = kube.core_v1.pods(namespace)
    await pods.wait("over", until=lambda pod: pod.status.phase == "Succeeded", timeout=60)
    with pytest.raises(InternalError, match="container not found"):
        await pods.exec("over", ["ls"])
    with pytest.raises(OperationRefused, match="has ended: its phase is Succeeded"):
        async with pods.port_forward("over", 80):
            pass


async def test_the_port_of_a_service(kube: AsyncClientset, namespace: str, web: str) -> None:
    port = ServicePort(port=80, target_port=8080)
    service = Service(
        metadata=ObjectMeta(name="web"), spec=ServiceSpec(selector=LABELS, ports=[port])
    )
    await kube.core_v1.services(namespace).create(service)
    request = b"GET / HTTP/1.0\r\n\r\n"
    async with port_forward(kube, Service, "web", port=80, namespace=namespace) as local:
        assert b"from the pod" in await run_blocking(partial(answer_of, local, request))
