"""Commands, files, ports and logs of containers that really run.

These need a node that runs pods. CLIENTGEN_TEST_IMAGE names an image with busybox's programs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from clusterkit.scratch import Scratch
from kubeapi import AsyncClientset
from kubeapi.core.v1.models import Container, Pod, PodSpec
from support.local_sockets import answer_of

from clientgen.runtime._async._primitives import run_blocking
from clientgen.runtime.conditions import ready
from clientgen.runtime.errors import CopyFailed, ExecFailed
from clientgen.runtime.models import ObjectMeta

pytestmark = [pytest.mark.cluster, pytest.mark.kubelet]

IMAGE = os.environ.get("CLIENTGEN_TEST_IMAGE", "busybox:1.36")
LABELS = {"app": "streams"}
# Says one line, serves a text on port 8080, and stays.
SCRIPT = "mkdir -p /www; echo from the pod > /www/index.html; echo begun; httpd -f -p 8080 -h /www"


@pytest.fixture
def web(scratch: Scratch, namespace: str) -> Iterator[str]:
    """The name of a pod that runs and serves."""
    nodes = scratch.admin.core_v1.nodes().list().items
    if not any(
        each.type == "Ready" and each.status == "True"
        for node in nodes
        for each in node.status.conditions
    ):
        pytest.skip("no node is ready: pods cannot run in this cluster")
    container = Container(name="app", image=IMAGE, command=["sh", "-c", SCRIPT])
    pods = scratch.admin.core_v1.pods(namespace)
    pods.create(
        Pod(metadata=ObjectMeta(name="web", labels=LABELS), spec=PodSpec(containers=[container]))
    )
    pods.wait("web", until=ready, timeout=120)
    yield "web"
    pods.delete("web", grace_period_seconds=0)


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


async def test_attach(kube: AsyncClientset, namespace: str, web: str) -> None:
    async with kube.core_v1.pods(namespace).attach(web) as process:
        process.abort()
